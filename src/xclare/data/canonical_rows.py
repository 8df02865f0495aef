"""Rows as they stand in a file, with zeros and repeated columns, made a canonical csr."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from xclare.data.files import REPEATED_LABELS, ZERO_WEIGHTS, Findings
from xclare.sparse import Csr, csr_from_rows, row_of_entry

ZERO_FEATURES = "features of value 0, dropped"
REPEATED_FEATURES = "features named twice in one row, kept once"


def targets_from_rows(counts: NDArray[Any], labels: Any, weights: Any, columns: int, findings: Findings) -> Csr:
    """(documents x `columns`) Targets from the labels of every row, one row after the other (`weights` None: all 1).
    A weight of 0 drops its pair; of a label named twice in a row the larger weight stays; both are counted."""
    return canonical_rows(counts, labels, weights, columns, findings, zeros=ZERO_WEIGHTS, repeats=REPEATED_LABELS)


def features_from_rows(counts: NDArray[Any], indices: Any, values: Any, columns: int, findings: Findings) -> Csr:
    """(rows x `columns`) Features likewise: zeros are dropped, of repeated features the larger value stays."""
    return canonical_rows(counts, indices, values, columns, findings, zeros=ZERO_FEATURES, repeats=REPEATED_FEATURES)


def canonical_rows(
    counts: NDArray[Any], indices: Any, values: Any, columns: int, findings: Findings, *, zeros: str, repeats: str
) -> Csr:
    """A canonical csr from entries in row order, `counts` a row. `zeros` and `repeats` name what is counted."""
    indptr = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=indptr[1:])
    if values is not None and (kept := values != 0).sum() < len(kept):
        findings[zeros] += int(len(kept) - kept.sum())
        indptr = np.concatenate([np.zeros(1, np.int64), np.cumsum(kept)])[indptr]
        indices, values = indices[kept], values[kept]
    csr = csr_from_rows(indptr, indices, values, columns)
    if csr.has_canonical_format:
        return csr
    row = row_of_entry(csr)
    first = np.ones(csr.nnz, bool)  # of the entries of one row and column, which now stand side by side
    first[1:] = (csr.indices[1:] != csr.indices[:-1]) | (row[1:] != row[:-1])
    findings[repeats] += int(csr.nnz - first.sum())
    starts = np.flatnonzero(first)
    indptr = np.searchsorted(starts, csr.indptr)
    return csr_from_rows(indptr, csr.indices[starts], np.maximum.reduceat(csr.data, starts), columns)
