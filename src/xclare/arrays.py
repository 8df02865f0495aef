"""What kernels need and the array API standard lacks, over numpy and torch alike.

A kernel is written once, with `xp = namespace(x)` and the functions here; which library runs it, and on which device,
follows from the arrays it is given.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import array_api_compat
import numpy as np
from scipy.special import expit
from scipy.special import softmax as numpy_softmax

from xclare.errors import MissingExtraError
from xclare.sparse import Csr, row_counts
from xclare.threads import worker_count

Array = Any
"""A numpy array or a torch tensor."""

VALUES_AT_ONCE, VALUES_ON_A_DEVICE = 1 << 20, 1 << 28
"""Numbers fetched for one block of a product: on the CPU so few that they stay in its cache."""


def namespace(*arrays: Array) -> Any:
    """The array API namespace of these arrays."""
    return array_api_compat.array_namespace(*arrays)


def moved(array: Array, device: str) -> Array:
    """A numpy array where its kernel shall run: itself for `cpu`, a torch tensor for any of torch's devices (`cuda`,
    `torch:cpu`). The one place outside of training that imports torch, and only then."""
    if device == "cpu":
        return array
    try:
        import torch
    except ImportError:
        raise MissingExtraError(f"The device {device!r}", "train") from None
    return torch.from_numpy(np.ascontiguousarray(array)).to(device.removeprefix("torch:"))


def as_numpy(array: Array) -> np.ndarray[Any, Any]:
    """The array in the CPU's memory, without a copy where it is there already; bfloat16, which numpy lacks, as
    float32."""
    if isinstance(array, np.ndarray):
        return array
    return np.asarray((array.float() if str(array.dtype) == "torch.bfloat16" else array).cpu())


def smallest(values: Array, count: int) -> Array:
    """(rows, columns) Which `count` values of every row are its smallest, of equal ones the first; 1 <= `count`."""
    xp = namespace(values)
    if isinstance(values, np.ndarray):
        limit = np.partition(values, count - 1, axis=1)[:, count - 1 : count]
    else:
        limit = xp.kthvalue(values, count, dim=1, keepdim=True).values
    below, tied = values < limit, values == limit
    wanted = count - xp.sum(xp.astype(below, xp.int32), axis=1)[:, None]
    return below | (tied & (xp.cumulative_sum(xp.astype(tied, xp.int32), axis=1) <= wanted))


def largest(values: Array, count: int) -> tuple[Array, Array]:
    """(rows, count) The `count` largest values of every row and their columns, in no order; 1 <= `count`."""
    if isinstance(values, np.ndarray):
        columns = np.argpartition(values, -count, axis=1)[:, -count:]
        return np.take_along_axis(values, columns, axis=1), columns
    found = values.topk(count, dim=1, sorted=False)
    return found.values, found.indices


def relu(x: Array) -> Array:
    """max(x, 0)."""
    return np.maximum(x, 0) if isinstance(x, np.ndarray) else x.relu()


def sigmoid(x: Array) -> Array:
    """1 / (1 + e^-x)."""
    return expit(x) if isinstance(x, np.ndarray) else x.sigmoid()


def softmax(x: Array) -> Array:
    """(rows, columns) e^x, every row divided by its sum."""
    return numpy_softmax(x, axis=1) if isinstance(x, np.ndarray) else x.softmax(1)


def pair_products(left: Array, right: Array, rows: Array, columns: Array) -> Array:
    """(pairs,) <left_r, right_c> of the rows of two matrices that the pairs (r, c) name, a cache's worth at a time."""
    xp = namespace(left, right)
    step = max(
        1, (VALUES_AT_ONCE if str(array_api_compat.device(left)) == "cpu" else VALUES_ON_A_DEVICE) // left.shape[1]
    )
    parts = [
        xp.vecdot(xp.take(left, rows[at : at + step], axis=0), xp.take(right, columns[at : at + step], axis=0))
        for at in range(0, len(rows), step)
    ]
    return xp.concat(parts) if parts else xp.zeros((0,), dtype=left.dtype, device=array_api_compat.device(left))


def csr_product(matrix: Csr, dense: Array) -> Array:
    """(rows, columns) matrix @ dense in float32, where `dense` is. Rows with equally many entries are taken together.

    Each row is worked on by one thread, so the result does not depend on their number. scipy fetches one row of `dense`
    after the other; fetching many at once takes two thirds of its time where `dense` is larger than the cache.
    """
    xp, numpy, device = namespace(dense), isinstance(dense, np.ndarray), array_api_compat.device(dense)
    limit = max(1, (VALUES_AT_ONCE if numpy else VALUES_ON_A_DEVICE) // max(1, dense.shape[1]))
    found = xp.zeros((matrix.shape[0], dense.shape[1]), dtype=dense.dtype, device=device)

    def there(array: np.ndarray[Any, Any]) -> Array:
        return xp.asarray(array, device=device)

    def summed(rows: np.ndarray[Any, Any], start: int, stop: int) -> Array:
        place = matrix.indptr[rows].astype(np.int64)[:, None] + np.arange(start, stop)
        taken = xp.take(dense, there(matrix.indices[place].reshape(-1)), axis=0)
        weights = there(matrix.data[place].astype(np.float32, copy=False))
        return xp.einsum("re,rec->rc", weights, xp.reshape(taken, (*place.shape, -1)))

    def block(rows: np.ndarray[Any, Any], length: int) -> None:
        sums = summed(rows, 0, min(length, limit))
        for start in range(limit, length, limit):  # only a row longer than the limit
            sums += summed(rows, start, min(start + limit, length))
        found[there(rows)] = sums

    blocks = list(_rows_by_length(row_counts(matrix), limit))
    with ThreadPoolExecutor(worker_count() if numpy else 1) as pool:
        list(pool.map(block, *zip(*blocks, strict=True)))
    return found


def _rows_by_length(lengths: np.ndarray[Any, Any], limit: int) -> Iterator[tuple[np.ndarray[Any, Any], int]]:
    """Rows of one length above 0, at most `limit` entries or one row of them, and that length."""
    order = np.argsort(lengths, kind="stable")
    order = order[np.searchsorted(lengths[order], 1) :]
    for group in np.split(order, np.flatnonzero(np.diff(lengths[order])) + 1):
        length = int(lengths[group[0]]) if len(group) else 1
        step = max(1, limit // length)
        yield from ((group[start : start + step], length) for start in range(0, len(group), step))
