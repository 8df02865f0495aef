"""What kernels need and the array API standard lacks, over numpy and torch alike.

A kernel is written once, with `xp = namespace(x)` and the functions here; which library runs it, and on which device,
follows from the arrays it is given. Whole-number results are bit-identical everywhere: randomness is counter-based, a
64-bit hash of seed and counters, and choices are made by integers, never by floats.
"""

from __future__ import annotations

import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import array_api_compat
import numpy as np
from scipy.sparse import csr_array

from xclare.errors import MissingExtraError
from xclare.sparse import Csr, row_blocks, row_counts
from xclare.threads import worker_count

Array = Any
"""A numpy array or a torch tensor."""

ENTRIES_AT_ONCE = 1 << 18
"""Entries of a csr in one block of a product."""
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


def moved_csr(matrix: Csr, device: str) -> Any:
    """A scipy csr where its products shall run: itself for `cpu`, else torch's sparse tensor, float32."""
    if device == "cpu":
        return matrix
    parts = [moved(part, device) for part in (matrix.indptr, matrix.indices, matrix.data.astype(np.float32))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # "Sparse CSR tensor support is in beta state"
        return namespace(parts[0]).sparse_csr_tensor(*parts, size=matrix.shape)


def csr_product(matrix: Any, dense: Array) -> Array:
    """(rows, columns) matrix @ dense in float32; `matrix` is what `moved_csr` gives. On the CPU every thread has blocks
    of whole rows, so the result does not depend on their number."""
    if not isinstance(dense, np.ndarray):
        return matrix @ dense
    found = np.empty((matrix.shape[0], dense.shape[1]), np.float32)

    def block(rows: slice) -> None:
        part = matrix[rows]
        found[rows] = (
            csr_array((part.data.astype(np.float32, copy=False), part.indices, part.indptr), part.shape) @ dense
        )

    with ThreadPoolExecutor(worker_count()) as pool:
        list(pool.map(block, row_blocks(row_counts(matrix), ENTRIES_AT_ONCE)))
    return found
