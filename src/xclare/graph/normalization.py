"""From counts to the graph G that the model uses."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array

from xclare.sparse import Csr, row_of_entry

PERRON_STEPS = 1_000
PERRON_TOLERANCE = 1e-12


def with_diagonal(counts: Csr) -> Csr:
    """The counts with a 1 wherever the diagonal is missing: heads (G^c_hh = 1), labels without documents, and labels
    that no walk of their own came back to."""
    missing = np.ones(counts.shape[0], bool)
    missing[counts.indices[counts.indices == row_of_entry(counts)]] = False
    filled = (counts + diags_array(missing.astype(np.float32), format="csr")).tocsr()
    filled.sort_indices()
    return csr_array(filled)


def symmetric_normalization(counts: Csr) -> Csr:
    """G = A^-1/2 G^c B^-1/2, A and B the diagonal matrices of the row and column sums of G^c: every count is divided by
    sqrt(row sum x column sum), in float64. Favours edges to and from rare labels."""
    values = counts.data.astype(np.float64)
    row_sums = np.bincount(row_of_entry(counts), values, minlength=counts.shape[0])
    column_sums = np.bincount(counts.indices, values, minlength=counts.shape[1])
    values /= np.sqrt(row_sums[row_of_entry(counts)] * column_sums[counts.indices])
    return csr_array((values.astype(np.float32), counts.indices, counts.indptr), shape=counts.shape)


def perron_normalization(counts: Csr, teleport: float) -> Csr:
    """G = (Phi^1/2 P Phi^-1/2 + Phi^-1/2 P^T Phi^1/2) / 2, P the row-stochastic counts and Phi the diagonal matrix of
    the stationary distribution of (1 - t) P + t / L, a walk that jumps to any label with probability t = `teleport`
    and so is irreducible (Chung 2005)."""
    rows = counts.astype(np.float64)
    steps = csr_array(diags_array(1 / np.asarray(rows.sum(axis=1)).ravel()) @ rows)
    root = np.sqrt(stationary_distribution(steps, teleport))
    scaled = diags_array(root) @ steps @ diags_array(1 / root)
    graph = csr_array((scaled + scaled.T) / 2).astype(np.float32)
    graph.sort_indices()
    return graph


def stationary_distribution(steps: Csr, teleport: float) -> NDArray[np.float64]:
    """(labels,) phi = phi ((1 - t) P + t / L), by power iteration; sums to 1."""
    labels = steps.shape[0]
    backwards: Any = steps.T.tocsr()
    phi = np.full(labels, 1 / labels)
    for _ in range(PERRON_STEPS):
        following = (1 - teleport) * (backwards @ phi) + teleport / labels
        following /= following.sum()
        if np.abs(following - phi).sum() < PERRON_TOLERANCE:
            break
        phi = following
    return phi
