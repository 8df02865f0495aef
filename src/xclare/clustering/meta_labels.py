"""Meta-labels: every label in exactly one cluster, head labels in clusters of their own."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from xclare.arrays import Array
from xclare.clustering.balanced_two_means import balanced_two_means
from xclare.clustering.label_centroids import projected_centroids, sparse_centroids
from xclare.clustering.points import points_of
from xclare.clustering.settings import ClusteringSettings
from xclare.data.formats.npz import read_npz, write_npz
from xclare.errors import InputError
from xclare.progress import SILENT, Progress
from xclare.randomness import chosen, drawn, keys
from xclare.sparse import Csr, column_counts


@dataclass(frozen=True, eq=False)
class MetaLabels:
    """The cluster of every label: M_lm = 1 where `cluster_of_label[l]` is m, else 0."""

    cluster_of_label: NDArray[np.int32]
    """(labels,) From 0: first the clusters of tail labels, then those of head labels."""
    tail_clusters: int
    head_clusters: int

    @property
    def clusters(self) -> int:
        """Clusters in all."""
        return self.tail_clusters + self.head_clusters

    @property
    def is_head(self) -> NDArray[np.bool_]:
        """(labels,) Whether a label is in a cluster of head labels."""
        return self.cluster_of_label >= self.tail_clusters

    def sizes(self) -> NDArray[np.int64]:
        """(clusters,) Labels in every cluster."""
        sizes: NDArray[np.int64] = np.bincount(self.cluster_of_label, minlength=self.clusters)
        return sizes

    def members(self, cluster: int) -> NDArray[np.int64]:
        """The labels of a cluster, ascending."""
        return np.flatnonzero(self.cluster_of_label == cluster)

    def save(self, path: str | Path, settings: ClusteringSettings, seed: int) -> None:
        """Writes `.npz`: the array `cluster_of_label`, and the JSON string array `xclare` with the counts of
        clusters, the settings and the seed."""
        about = {
            "tail_clusters": self.tail_clusters,
            "head_clusters": self.head_clusters,
            "clustering": dataclasses.asdict(settings),
            "seed": seed,
        }
        write_npz(path, {"cluster_of_label": self.cluster_of_label, "xclare": np.array(json.dumps(about))})

    @classmethod
    def load(cls, path: str | Path) -> MetaLabels:
        """Reads what `save` wrote."""
        arrays = read_npz(path)
        try:
            cluster, about = arrays["cluster_of_label"], json.loads(str(arrays["xclare"]))
            tail, head = int(about["tail_clusters"]), int(about["head_clusters"])
        except (KeyError, ValueError, TypeError) as error:
            raise InputError.at(
                path,
                found=f"no clusters of labels ({error})",
                expected="the arrays `cluster_of_label` and `xclare`",
                hint=f"Make it with: xclare clusters DATA --out {path}",
            ) from error
        whole = cluster.ndim == 1 and cluster.dtype.kind in "iu"
        if not whole or (len(cluster) and not 0 <= cluster.min() <= cluster.max() < tail + head):
            raise InputError.at(
                path,
                found="other things in the array `cluster_of_label`",
                expected=f"a number from 0 to {tail + head - 1} for every label",
            )
        return cls(cluster.astype(np.int32), tail, head)


def meta_labels(
    features: Csr,
    targets: Csr,
    graph: Csr | None,
    settings: ClusteringSettings,
    *,
    head_threshold: int,
    seed: int,
    device: str = "cpu",
    progress: Progress = SILENT,
) -> MetaLabels:
    """Clusters the labels by `settings.method`, from the training documents' `features` (rows of length 1) and
    `targets`, and the normalised label `graph`, which only `augmented` needs."""
    frequencies = column_counts(targets)
    if settings.method == "random":
        return random_clusters(frequencies, settings, head_threshold=head_threshold, seed=seed)
    if settings.method == "augmented" and graph is None:
        raise InputError("Augmented label centroids need a label graph. Give one, or set clustering.method = plain.")
    used = graph if settings.method == "augmented" else None
    centroids: Csr | Array
    if settings.dimensions:
        centroids = projected_centroids(features, targets, used, settings.dimensions, seed, device, progress)
    else:
        centroids = sparse_centroids(features, targets, used, settings.top_features, progress)
    return cluster_labels(centroids, frequencies, settings, head_threshold=head_threshold, seed=seed, progress=progress)


def cluster_labels(
    centroids: Csr | Array,
    frequencies: NDArray[np.int64],
    settings: ClusteringSettings,
    *,
    head_threshold: int,
    seed: int,
    progress: Progress = SILENT,
) -> MetaLabels:
    """Balanced clusters of the labels by their centroids (labels x anything): those with more training documents than
    `head_threshold` apart from the others. Sizes differ by at most one among the clusters of tail labels, and among
    those of head labels."""
    cluster = np.empty(len(frequencies), np.int32)
    first, counts = 0, []
    for members, wanted in _parts(frequencies, settings, head_threshold):
        if wanted >= len(members):
            found, count = np.arange(len(members), dtype=np.int32), len(members)  # a cluster for every label
        else:
            found, count = balanced_two_means(points_of(centroids, members), wanted, settings, seed, progress), wanted
        cluster[members] = first + found
        first += count
        counts.append(count)
    return MetaLabels(cluster, *counts)


def random_clusters(
    frequencies: NDArray[np.int64], settings: ClusteringSettings, *, head_threshold: int, seed: int
) -> MetaLabels:
    """As many clusters, of tail and of head labels, but the cluster of a label is a hash of its number, as in MACH.
    Sizes differ as chance has it, and clusters can be empty."""
    cluster = np.empty(len(frequencies), np.int32)
    first, counts = 0, []
    for members, wanted in _parts(frequencies, settings, head_threshold):
        count = min(wanted, len(members))
        cluster[members] = first + chosen(drawn(keys(seed, members), 0), count)
        first += count
        counts.append(count)
    return MetaLabels(cluster, *counts)


def head_clusters_for(labels: int, heads: int, clusters: int) -> int:
    """Clusters for T head labels among L labels, in addition to `clusters` = 2^b for the others.

        2^(b - ⌊log2(L / T)⌋ - 1)

    As if they were one node more, split as often as the others once these are no larger. At
    least one where there are heads, so that none is ever lost, and at most one each.
    """
    if not heads:
        return 0
    depth = clusters.bit_length() - 1 - ((labels // heads).bit_length() - 1) - 1
    return min(1 << max(depth, 0), heads)


def _parts(
    frequencies: NDArray[np.int64], settings: ClusteringSettings, head_threshold: int
) -> list[tuple[NDArray[np.int64], int]]:
    """The tail labels and the head labels, each with the number of clusters wanted; with more than there are labels,
    every label is a cluster."""
    head = frequencies > head_threshold
    clusters = settings.clusters_for(len(frequencies))
    for_heads = head_clusters_for(len(frequencies), int(head.sum()), clusters)
    return [(np.flatnonzero(~head), clusters), (np.flatnonzero(head), for_heads)]
