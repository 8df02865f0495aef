"""The labels a document is trained on in Module IV."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array, vstack

from xclare.sparse import Csr, row_blocks, row_counts

PRODUCTS_AT_ONCE = 1 << 24


def training_lists(targets: Csr, shortlists: Csr, graph: Csr | None) -> Csr:
    """(documents x labels) For every document its relevant labels with their weights, and its negatives with 0: the
    labels of `shortlists` (documents x labels), and with a `graph` also the neighbours of these in it. Relevant labels
    are always there, shortlisted or not."""
    work = row_counts(shortlists) * max(1, 0 if graph is None else graph.nnz // max(graph.shape[0], 1))
    parts = [_listed(targets[rows], shortlists[rows], graph) for rows in row_blocks(work, PRODUCTS_AT_ONCE)]
    return csr_array(vstack(parts, format="csr")) if parts else targets


def _listed(targets: Csr, shortlists: Csr, graph: Csr | None) -> Csr:
    negatives = _ones(shortlists)
    if graph is not None:
        negatives = _ones(csr_array(negatives @ _ones(graph)))
    negatives = csr_array(negatives - negatives.multiply(_ones(targets)))
    negatives.eliminate_zeros()
    negatives.data[:] = -1
    listed = csr_array(targets + negatives)
    listed.sort_indices()
    listed.data = np.maximum(listed.data, 0).astype(np.float32)
    return listed


def _ones(matrix: Csr) -> Csr:
    return csr_array((np.ones(matrix.nnz, np.float32), matrix.indices, matrix.indptr), shape=matrix.shape)
