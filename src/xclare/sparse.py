"""Small operations on scipy's csr arrays that several packages need. Everywhere in xclare a csr is canonical: column
indices of a row ascend, none stands twice, and the values are float32."""

from __future__ import annotations

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
        if csr.data is getattr(matrix, "data", None):
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


def row_of_entry(csr: Csr) -> NDArray[np.int64]:
    """The row number of every stored entry."""
    return np.repeat(np.arange(csr.shape[0]), np.diff(csr.indptr))


def row_counts(csr: Csr) -> NDArray[np.int64]:
    """Stored entries of every row."""
    return np.diff(csr.indptr).astype(np.int64, copy=False)


def column_counts(csr: Csr) -> NDArray[np.int64]:
    """Stored entries of every column."""
    counts: NDArray[np.int64] = np.bincount(csr.indices, minlength=csr.shape[1])
    return counts
