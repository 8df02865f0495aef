"""Loss of mutual information: what knowing a label's cluster, and not the label, costs (Dhillon et al.).

    LMI = I(label; document) - I(cluster; document)    in bits, with p(label, document) = 1 / pairs for training pairs

The second form has tokens in place of documents, with p(label, token) ∝ (Yᵀ X)_lt for the features X as they are.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from xclare.errors import InputError
from xclare.progress import SILENT, Progress
from xclare.sparse import Csr, row_blocks, row_counts
from xclare.threads import worker_count

PRODUCTS_AT_ONCE = 1 << 22
"""Multiplications of one block of the product Yᵀ X, which is never held whole."""


def lost_information(cluster_of_label: NDArray[np.int32], targets: Csr, heads: NDArray[np.bool_]) -> float:
    """LMI in bits, from 0 (a cluster for every label) to I(label; document) (one for all). The labels of `heads` count
    as a cluster each, whatever cluster they are in: a comparison is of what methods do with the others.

    With n pairs, of which n_l have the label l, n_c a label of the cluster c, and n_cd such a label and the document d,
    all that depends on documents alone cancels out:

        n · LMI = Σ_c n_c log n_c - Σ_cd n_cd log n_cd - Σ_l n_l log n_l
    """
    of_labels, of_clusters = (
        _log_sum(np.bincount(pairs.indices, weights=pairs.data)) - _log_sum(pairs.data)
        for pairs in (_by_label(targets), _by_cluster(targets, cluster_of_label, heads))
    )
    return _bits(of_clusters - of_labels, targets.nnz)


def lost_token_information(
    cluster_of_label: NDArray[np.int32],
    targets: Csr,
    features: Csr,
    heads: NDArray[np.bool_],
    progress: Progress = SILENT,
) -> float:
    """The same with tokens in place of documents, and the weights Yᵀ X, which must be at least 0, in place of counts of
    pairs: I(label; token) - I(cluster; token)."""
    if features.nnz and features.data.min() < 0:
        raise InputError("Features below 0 make no joint distribution of labels and tokens, so there is no LMI of it.")
    of_labels, total = _token_sums(_by_label(targets), features, progress)
    of_clusters, _ = _token_sums(_by_cluster(targets, cluster_of_label, heads), features, progress)
    return _bits(of_clusters - of_labels, total)


def _bits(difference: float, total: float) -> float:
    """The difference of two sums, for a total of 1. Never below 0, which is a bound and what rounding can pass."""
    return max(difference / total, 0.0) if total else 0.0


def _log_sum(weights: NDArray[Any]) -> float:
    """Σ w log₂ w, where 0 log 0 = 0."""
    positive = weights[weights > 0].astype(np.float64, copy=False)
    return float(np.sum(positive * np.log2(positive)))


def _by_label(targets: Csr) -> Csr:
    """(documents x labels) 1 for every pair."""
    return csr_array((np.ones(targets.nnz), targets.indices, targets.indptr), shape=targets.shape)


def _by_cluster(targets: Csr, cluster_of_label: NDArray[np.int32], heads: NDArray[np.bool_]) -> Csr:
    """(documents x clusters) How many labels of each cluster a document has; a head label is a cluster by itself."""
    clusters = int(cluster_of_label.max(initial=-1)) + 1
    cluster = np.where(heads, clusters + np.cumsum(heads) - 1, cluster_of_label).astype(targets.indices.dtype)
    shape = (targets.shape[0], clusters + int(heads.sum()))
    counts = csr_array((np.ones(targets.nnz), cluster[targets.indices], targets.indptr.copy()), shape=shape)
    counts.sum_duplicates()
    return counts


def _token_sums(counts: Csr, features: Csr, progress: Progress) -> tuple[float, float]:
    """Σ w_c log w_c - Σ w_ct log w_ct and Σ w_ct, with w_ct the weights `counts`ᵀ X and w_c their sums over tokens."""
    groups, weights = counts.T.tocsr(), features.astype(np.float64)
    entries = np.concatenate([[0], np.cumsum(row_counts(weights)[groups.indices])])

    def block(rows: slice) -> tuple[int, float, float]:
        product = groups[rows] @ weights
        sums = product.sum(axis=1)
        return product.shape[0], _log_sum(sums) - _log_sum(product.data), float(sums.sum())

    found = total = 0.0
    blocks = row_blocks(np.diff(entries[groups.indptr]), PRODUCTS_AT_ONCE)
    with progress.task("mutual information", groups.shape[0]) as advance, ThreadPoolExecutor(worker_count()) as pool:
        for rows, logs, weight in pool.map(block, blocks):
            found, total = found + logs, total + weight
            advance(rows)
    return found, total
