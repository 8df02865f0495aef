"""What kernels need and the array API standard lacks, over numpy and torch alike.

A kernel is written once, with `xp = namespace(x)` and the functions here; which library runs it, and on which device,
follows from the arrays it is given. Whole-number results are bit-identical everywhere: randomness is counter-based, a
64-bit hash of seed and counters, and choices are made by integers, never by floats.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import array_api_compat
import numpy as np

from xclare.errors import MissingExtraError
from xclare.sparse import Csr, row_counts
from xclare.threads import worker_count

Array = Any
"""A numpy array or a torch tensor."""

ENTRIES_AT_ONCE, ENTRIES_ON_A_DEVICE = 1 << 13, 1 << 22
"""Entries of a csr in one block of a product: so few on the CPU that what they fetch stays in the cache."""
LOW_32_BITS = 0xFFFFFFFF
GOLDEN = 0x9E3779B97F4A7C15 - 2**64
_FIRST, _SECOND = 0xBF58476D1CE4E5B9 - 2**64, 0x94D049BB133111EB - 2**64


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
    """The array in the CPU's memory, without a copy where it is there already."""
    return array if isinstance(array, np.ndarray) else np.asarray(array.cpu())


def wrapped(number: int) -> int:
    """A Python integer modulo 2^64, as the int64 that has these bits."""
    return (number + 2**63) % 2**64 - 2**63


def mixed(bits: Array) -> Array:
    """The finaliser of splitmix64 on int64: multiplications wrap around, and shifts are masked to be logical ones."""
    bits = (bits ^ ((bits >> 30) & (2**34 - 1))) * _FIRST
    bits = (bits ^ ((bits >> 27) & (2**37 - 1))) * _SECOND
    return bits ^ ((bits >> 31) & (2**33 - 1))


def keys(seed: int, counters: Array) -> Array:
    """(…) An int64 key for every counter (int64); each begins a stream of its own, see `drawn`."""
    return mixed(mixed(counters + wrapped(seed * GOLDEN)) + GOLDEN)


def drawn(stream: Array, counter: int) -> Array:
    """(…) The 64 random bits that stand at `counter` in every stream: splitmix64's output there."""
    return mixed(stream + wrapped((counter + 1) * GOLDEN))


def chosen(bits: Array, count: Array) -> Array:
    """A whole number from 0 to `count` - 1 from the low 32 of some random bits: bits x count / 2^32, rounded down."""
    return ((bits & LOW_32_BITS) * count) >> 32


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


def csr_product(matrix: Csr, dense: Array) -> Array:
    """(rows, columns) matrix @ dense in float32, where `dense` is. Rows with equally many entries are taken together.

    Each row is worked on by one thread, so the result does not depend on their number. Where `dense` is larger than the
    processor's cache this takes half of scipy's time: its rows are fetched many at once, not one after the other.
    """
    xp, numpy = namespace(dense), isinstance(dense, np.ndarray)
    limit = ENTRIES_AT_ONCE if numpy else ENTRIES_ON_A_DEVICE
    found = xp.zeros((matrix.shape[0], dense.shape[1]), dtype=dense.dtype, device=array_api_compat.device(dense))

    def there(array: np.ndarray[Any, Any]) -> Array:
        return xp.asarray(array, device=array_api_compat.device(dense))

    def block(rows: np.ndarray[Any, Any], length: int) -> None:
        for start in range(0, length, limit):  # once, but for the longest rows
            place = matrix.indptr[rows].astype(np.int64)[:, None] + np.arange(start, min(start + limit, length))
            taken = xp.take(dense, there(matrix.indices[place].reshape(-1)), axis=0)
            weights = there(matrix.data[place].astype(np.float32, copy=False))
            found[there(rows)] += xp.einsum("re,rec->rc", weights, xp.reshape(taken, (*place.shape, -1)))

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
