"""The training pairs as walks see them: from a label to its documents, from a document to its labels, without head
labels."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from xclare.arrays import Array, moved
from xclare.sparse import Csr, column_counts, row_of_entry


def head_labels(targets: Csr, threshold: int) -> NDArray[np.bool_]:
    """(labels,) True for labels with more than `threshold` training documents."""
    heads: NDArray[np.bool_] = column_counts(targets) > threshold
    return heads


def without_heads(targets: Csr, threshold: int) -> Csr:
    """(documents x labels) The targets without the pairs of head labels; documents left empty keep their row."""
    kept = ~head_labels(targets, threshold)[targets.indices]
    ends = np.concatenate([[0], np.cumsum(kept)])[targets.indptr]
    return csr_array((targets.data[kept], targets.indices[kept], ends), shape=targets.shape)


class Steps(NamedTuple):
    """One direction: the neighbours of row r are `neighbour[begin[r] : begin[r] + degree[r]]`."""

    begin: Array  # (rows,) int64
    degree: Array  # (rows,) int64
    neighbour: Array  # (pairs,) int32
    weight_before: Array | None  # (pairs + 1,) int64: weights, as whole numbers, of all pairs before; None: all equal


class Bipartite(NamedTuple):
    """Both directions."""

    to_document: Steps
    to_label: Steps

    def on(self, device: str) -> Bipartite:
        """The same arrays where the walks shall run."""
        return Bipartite(*(Steps(*(None if part is None else moved(part, device) for part in way)) for way in self))


def bipartite(targets: Csr, *, weighted: bool = False) -> Bipartite:
    """The walk's view of (documents x labels) targets."""
    return Bipartite(_steps(targets.T.tocsr(), weighted), _steps(targets, weighted))


WEIGHT_UNIT = 2**20


def _steps(csr: Csr, weighted: bool) -> Steps:
    begin = csr.indptr[:-1].astype(np.int64)
    return Steps(begin, np.diff(csr.indptr).astype(np.int64), csr.indices, _cumulated(csr) if weighted else None)


def _cumulated(csr: Csr) -> NDArray[np.int64]:
    """Weights as whole numbers, each at least 1, a row's largest being `WEIGHT_UNIT`; summed up over all pairs."""
    largest = np.maximum.reduceat(np.append(csr.data, 1), csr.indptr[:-1]) if csr.nnz else np.ones(csr.shape[0])
    units: NDArray[Any] = np.maximum(1, np.rint(csr.data / largest[row_of_entry(csr)] * WEIGHT_UNIT))
    return np.concatenate([[0], np.cumsum(units.astype(np.int64))])
