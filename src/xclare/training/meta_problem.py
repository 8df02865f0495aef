"""The meta problem that Modules I and II share: the same documents, with clusters of labels in place of labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from xclare.clustering.meta_labels import MetaLabels
from xclare.clustering.settings import ClusteringSettings
from xclare.graph.normalization import symmetric_normalization, with_diagonal
from xclare.graph.pruning import strongest_edges
from xclare.sparse import Csr, csr_from_rows, row_l2_normalized


@dataclass(frozen=True, eq=False)
class MetaProblem:
    """What Modules I and II are trained on."""

    members: Csr
    """M (labels x clusters), ones."""
    texts: Csr
    """u_m (clusters x vocabulary)."""
    graph: Csr
    """G_M (clusters x clusters)."""
    targets: Csr
    """(documents x clusters) The largest weight of a document's labels in the cluster."""


def meta_problem(
    labels: MetaLabels, label_features: Csr, targets: Csr, graph: Csr, counts: Csr, settings: ClusteringSettings
) -> MetaProblem:
    """The meta problem of some clusters: `graph` is the normalised label graph, `counts` the one before."""
    members = assignment(labels)
    return MetaProblem(
        members,
        meta_texts(members, label_features, settings),
        meta_graph(members, graph, counts, settings),
        meta_targets(members, targets),
    )


def assignment(labels: MetaLabels) -> Csr:
    """M (labels x clusters): M_lm = 1 where label l is in cluster m."""
    cluster = labels.cluster_of_label
    return csr_from_rows(np.arange(len(cluster) + 1), cluster, None, labels.clusters)


def meta_texts(members: Csr, label_features: Csr, settings: ClusteringSettings) -> Csr:
    """(clusters x vocabulary) The texts of the meta-labels: u_m = Σ_{l in C_m} z_l; as rows of length 1 where
    `clustering.meta_text` is `unit`, as the authors' program does."""
    texts = csr_array(members.T.tocsr() @ label_features)
    texts.sort_indices()
    return row_l2_normalized(texts) if settings.meta_text == "unit" else texts


def meta_graph(members: Csr, graph: Csr, counts: Csr, settings: ClusteringSettings) -> Csr:
    """(clusters x clusters) The graph of the meta-labels, by `clustering.meta_graph`.

    `mean`      G_M = M^T G M, every column of M divided by its sum
    `counts`    M^T G^c M with M as it is, the strongest `clustering.meta_edges` of a row, then normalised like G
    """
    if settings.meta_graph == "mean":
        sizes = np.maximum(np.bincount(members.indices, minlength=members.shape[1]), 1)
        share = csr_array(
            (1 / sizes[members.indices].astype(np.float32), members.indices, members.indptr), members.shape
        )
        passed = csr_array(share.T.tocsr() @ graph @ share).astype(np.float32)
        passed.sort_indices()
        return strongest_edges(passed, np.arange(passed.shape[0]), settings.meta_edges)
    summed = csr_array(members.T.tocsr() @ with_diagonal(counts) @ members)
    summed.sort_indices()
    kept = strongest_edges(summed, np.arange(summed.shape[0]), settings.meta_edges)
    return symmetric_normalization(with_diagonal(kept))


def meta_targets(members: Csr, targets: Csr) -> Csr:
    """(documents x clusters) The relevant meta-labels of every document, with the largest weight of its labels in
    them."""
    cluster = members.indices[targets.indices]
    row = np.repeat(np.arange(targets.shape[0]), np.diff(targets.indptr))
    order = np.lexsort((-targets.data, cluster, row))
    row, cluster, weight = row[order], cluster[order], targets.data[order]
    first = np.ones(len(row), bool)
    first[1:] = (np.diff(row) != 0) | (np.diff(cluster) != 0)
    counts = np.bincount(row[first], minlength=targets.shape[0])
    indptr = np.concatenate([[0], np.cumsum(counts)])
    return csr_from_rows(indptr, cluster[first], weight[first], members.shape[1])
