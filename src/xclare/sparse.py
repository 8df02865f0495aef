"""Small operations on scipy's csr arrays that several packages need. Everywhere in xclare a csr is canonical: column
indices of a row ascend, none stands twice, and the values are float32."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse

Csr: TypeAlias = csr_array


def as_csr(matrix: Any) -> Csr:
    """Any scipy sparse matrix or array as a canonical csr; shares memory where nothing has to change."""
    if not issparse(matrix):
        raise TypeError(f"expected a scipy sparse matrix, got {type(matrix).__name__}")
    csr = csr_array(matrix)
    if csr.dtype != np.float32:
        csr = csr.astype(np.float32)
    if not csr.has_canonical_format:
        if np.shares_memory(csr.indices, getattr(matrix, "indices", None)):
            csr = csr.copy()
        csr.sum_duplicates()
    return csr


def csr_from_rows(indptr: ArrayLike, indices: ArrayLike, data: ArrayLike | None, columns: int) -> Csr:
    """A csr from its three arrays (`data` None: ones), without a copy where the types fit. Rows need not be sorted."""
    pointers = np.asarray(indptr, dtype=np.int64)
    index_type = np.int32 if max(columns, int(pointers[-1])) < 2**31 else np.int64
    column = np.asarray(indices, dtype=index_type)
    values = np.ones(len(column), np.float32) if data is None else np.asarray(data, dtype=np.float32)
    csr = csr_array((values, column, pointers.astype(index_type, copy=False)), shape=(len(pointers) - 1, columns))
    csr.sort_indices()
    return csr


def csr_from_pairs(rows: ArrayLike, columns: ArrayLike, shape: tuple[int, int], data: ArrayLike | None = None) -> Csr:
    """A csr from (row, column) pairs in any order; the values of a pair named twice are added (without
    `data`: kept 1)."""
    row, column = np.asarray(rows, dtype=np.int64), np.asarray(columns, dtype=np.int64)
    values = np.ones(len(row), np.float32) if data is None else np.asarray(data, dtype=np.float32)
    csr = csr_array((values, (row, column)), shape=shape)  # scipy adds duplicates and sorts
    csr.sort_indices()
    if data is None:
        csr.data[:] = 1
    return csr


def csr_from_row_blocks(blocks: Sequence[Csr], rows: NDArray[Any], columns: int) -> Csr:
    """A (columns x columns) csr whose rows `rows`, ascending, are those of all blocks, one after the other; the other
    rows are empty."""
    lengths = np.zeros(columns, np.int64)
    if not len(rows):
        return csr_array((columns, columns), dtype=np.float32)
    lengths[rows] = np.concatenate([np.diff(block.indptr) for block in blocks])
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    data = np.concatenate([block.data for block in blocks])
    indices = np.concatenate([block.indices for block in blocks])
    if indptr[-1] < 2**31:
        indptr = indptr.astype(np.int32)
    return csr_array((data, indices.astype(indptr.dtype, copy=False), indptr), shape=(columns, columns))


def row_of_entry(csr: Csr) -> NDArray[np.int64]:
    """The row number of every stored entry."""
    return np.repeat(np.arange(csr.shape[0]), np.diff(csr.indptr))


def row_counts(csr: Csr) -> NDArray[np.int64]:
    """Stored entries of every row."""
    counts: NDArray[np.int64] = np.diff(csr.indptr).astype(np.int64, copy=False)
    return counts


def column_counts(csr: Csr) -> NDArray[np.int64]:
    """Stored entries of every column."""
    counts: NDArray[np.int64] = np.bincount(csr.indices, minlength=csr.shape[1])
    return counts


def row_blocks(weights: NDArray[Any], limit: int, most_rows: int = 1 << 14) -> Iterator[slice]:
    """Cuts rows into consecutive blocks whose `weights` (≥ 0, one a row) add up to about `limit`, a row at least."""
    ends = np.cumsum(weights, dtype=np.int64)
    start = 0
    while start < len(ends):
        done = ends[start - 1] if start else 0
        stop = int(np.searchsorted(ends, done + limit, side="right"))
        stop = min(max(stop, start + 1), start + most_rows)
        yield slice(start, stop)
        start = stop


def row_l2_normalized(csr: Csr, dtype: Any = np.float32) -> Csr:
    """Every row divided by its L2 norm; a row of norm 0 stays as it is. The sums are taken in float64, entry after
    entry, so a row's result does not depend on the rows around it."""
    row = row_of_entry(csr)
    norms = np.sqrt(np.bincount(row, weights=np.square(csr.data, dtype=np.float64), minlength=csr.shape[0]))
    norms[norms == 0] = 1
    data = (csr.data / norms[row]).astype(dtype)
    return csr_array((data, csr.indices, csr.indptr), shape=csr.shape)


def top_k(csr: Csr, k: int) -> Csr:
    """The k largest entries of every row of a canonical csr without NaN (all where there are fewer); of equal ones
    those in the lower columns. k is at least 1."""
    counts = row_counts(csr)
    keep = np.ones(csr.nnz, np.bool_)
    longer = np.flatnonzero(counts > k)
    longer = longer[np.argsort(-counts[longer], kind="stable")]  # longest first: rows of a block differ little
    start = 0
    while start < len(longer):
        longest = counts[longer[start]]
        rows = longer[start : start + max(1, (1 << 18) // longest)]
        place = np.arange(longest)
        entries = csr.indptr[rows].astype(np.int64)[:, None] + place  # (rows, longest)
        inside = place < counts[rows][:, None]  # False: padding
        keep[entries[inside]] = _largest(csr.data, entries, inside, k)[inside]
        start += len(rows)
    indptr = np.concatenate([[0], np.cumsum(np.minimum(counts, k))]).astype(csr.indptr.dtype)
    return csr_array((csr.data[keep], csr.indices[keep], indptr), shape=csr.shape)


def _largest(data: NDArray[Any], entries: NDArray[np.int64], inside: NDArray[np.bool_], k: int) -> NDArray[np.bool_]:
    """Which of the `entries` of each row are its k largest; those not `inside` are padding. Nothing is sorted."""
    lowest = -np.inf if data.dtype.kind == "f" else np.iinfo(data.dtype).min
    values = np.where(inside, data.take(entries, mode="clip"), np.asarray(lowest, data.dtype))
    kth = np.partition(values, -k, axis=1)[:, [-k]]  # (rows, 1)
    largest: NDArray[np.bool_] = values > kth
    tied = values == kth
    missing = k - largest.sum(axis=1, keepdims=True)
    # Padding stands behind all entries, so where it ties (at the lowest value there is) it is not reached.
    largest |= tied & (np.cumsum(tied, axis=1, dtype=np.int32) <= missing)
    return largest
