"""Fewer edges: the strongest of every label, and those whose texts agree."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from xclare.sparse import Csr, row_l2_normalized, row_of_entry, top_k

EDGES_AT_ONCE = 1 << 20


def strongest_edges(rows: Csr, labels: NDArray[np.int64], most: int) -> Csr:
    """Of every row its `most` largest entries off the diagonal, ties to the lower label id, and its diagonal entry in
    addition; all where `most` is 0. Row i belongs to label `labels[i]`."""
    if most == 0 or not rows.nnz or int(np.diff(rows.indptr).max()) <= most:
        return rows
    diagonal = rows.indices == np.repeat(labels, np.diff(rows.indptr))
    # The diagonal is lifted above everything, so that it takes a place of its own among the strongest.
    lifted = csr_array((np.where(diagonal, np.inf, rows.data), rows.indices, rows.indptr), shape=rows.shape)
    has_diagonal = np.bincount(row_of_entry(rows)[diagonal], minlength=rows.shape[0]).astype(bool)
    kept = _merged(top_k(lifted, most + 1), top_k(lifted, most), has_diagonal)
    return _values_of(rows, kept)


def _merged(more: Csr, fewer: Csr, takes_more: NDArray[np.bool_]) -> Csr:
    """Row i of `more` where `takes_more[i]`, else of `fewer`; every row of `fewer` is part of that of `more`."""
    in_fewer = _positions(fewer, more)
    keep = takes_more[row_of_entry(more)] | in_fewer
    ends = np.concatenate([[0], np.cumsum(keep)])[more.indptr]
    return csr_array((more.data[keep], more.indices[keep], ends), shape=more.shape)


def _positions(part: Csr, whole: Csr) -> NDArray[np.bool_]:
    """Which entries of `whole` stand in `part`, whose entries all stand in `whole`."""
    wide = np.int64(whole.shape[1])
    places = np.searchsorted(row_of_entry(whole) * wide + whole.indices, row_of_entry(part) * wide + part.indices)
    found = np.zeros(whole.nnz, bool)
    found[places] = True
    return found


def _values_of(rows: Csr, kept: Csr) -> Csr:
    """The entries of `rows` that stand in `kept`."""
    there = _positions(kept, rows)
    return csr_array((rows.data[there], rows.indices[there], kept.indptr), shape=rows.shape)


def agreeing_edges(graph: Csr, vectors: Any, least_cosine: float) -> Csr:
    """The edges l – m whose vectors, rows of `vectors` (labels x anything, sparse or dense), have a cosine of at least
    `least_cosine`; the diagonal always stays. A zero vector has cosine 0 with everything."""
    row, column = row_of_entry(graph), graph.indices
    unit = row_l2_normalized(csr_array(vectors)) if issparse(vectors) else _unit_rows(np.asarray(vectors))
    keep = row == column
    for start in range(0, graph.nnz, EDGES_AT_ONCE):
        part = slice(start, start + EDGES_AT_ONCE)
        keep[part] |= _cosines(unit, row[part], column[part]) >= least_cosine
    ends = np.concatenate([[0], np.cumsum(keep)])[graph.indptr]
    return csr_array((graph.data[keep], graph.indices[keep], ends), shape=graph.shape)


def _unit_rows(vectors: NDArray[Any]) -> NDArray[Any]:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: NDArray[Any] = vectors / np.where(norms == 0, 1, norms)
    return unit


def _cosines(unit: Any, left: NDArray[Any], right: NDArray[Any]) -> NDArray[Any]:
    if issparse(unit):
        return np.asarray(unit[left].multiply(unit[right]).sum(axis=1)).ravel()
    cosines: NDArray[Any] = np.einsum("ij,ij->i", unit[left], unit[right])
    return cosines
