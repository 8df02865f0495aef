"""Comparing ways to make meta-labels: the paper's table of lost mutual information, and its figure of clusters."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from xclare.clustering.meta_labels import MetaLabels, meta_labels
from xclare.clustering.mutual_information import lost_information, lost_token_information
from xclare.clustering.settings import METHODS, ClusteringSettings
from xclare.data.dataset import Documents
from xclare.errors import InputError
from xclare.progress import SILENT, Progress
from xclare.randomness import drawn, keys
from xclare.sparse import Csr, column_counts


@dataclass(frozen=True)
class LmiRow:
    """One row of the table, LMI in bits: lower is better."""

    method: str
    """`augmented`, `plain` or `random`."""
    clusters: int
    """Clusters of tail labels."""
    documents: float
    """Loss of what labels tell about documents."""
    tokens: float
    """Loss of what labels tell about tokens."""


@dataclass(frozen=True)
class SampleCluster:
    """The two clusters that a label is in."""

    label: str
    augmented: tuple[str, ...]
    """The other labels of its cluster with centroids augmented by the label graph."""
    plain: tuple[str, ...]
    """The other labels of its cluster without."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """What all clusterings that are compared have in common."""

    train: Documents
    """With features."""
    graph: Csr
    """(labels x labels) The normalised label graph."""
    settings: ClusteringSettings
    """Their method and, in a table, their number of clusters do not matter."""
    head_threshold: int
    """Labels with more training documents are head labels."""
    seed: int = 0
    device: str = "cpu"
    progress: Progress = SILENT

    def table(self, fanouts: Sequence[int]) -> list[LmiRow]:
        """A row for every number of clusters and every method."""
        return [self.row(method, fanout) for fanout in fanouts for method in METHODS]

    def row(self, method: str, fanout: int) -> LmiRow:
        """Every head label counts as a cluster of its own, for all methods alike."""
        targets, found = self.train.targets, self.clusters(method, fanout)
        cluster, heads = found.cluster_of_label, column_counts(targets) > self.head_threshold
        documents = lost_information(cluster, targets, heads)
        tokens = lost_token_information(cluster, targets, self.features, heads, self.progress)
        return LmiRow(method, found.tail_clusters, documents, tokens)

    def samples(self, count: int) -> list[SampleCluster]:
        """Clusters of as many labels, in the number of clusters that the settings say."""
        augmented, plain = (self.clusters(method, self.settings.clusters) for method in ("augmented", "plain"))
        return sample_clusters(self.train, augmented, plain, count, self.seed)

    def clusters(self, method: str, fanout: int) -> MetaLabels:
        """The labels clustered by a method."""
        return meta_labels(
            self.features,
            self.train.targets,
            self.graph,
            dataclasses.replace(self.settings, method=method, clusters=fanout),
            head_threshold=self.head_threshold,
            seed=self.seed,
            device=self.device,
            progress=self.progress,
        )

    @property
    def features(self) -> Csr:
        """The documents' features."""
        if self.train.features is None:
            raise InputError("Clusters need features of the training documents: give texts, or ready-made ones.")
        return self.train.features


def fan_outs(settings: ClusteringSettings, labels: int) -> tuple[int, ...]:
    """The numbers of clusters to compare at, as in the paper's table: a quarter of those in use, and these."""
    clusters = settings.clusters_for(labels)
    return (clusters // 4, clusters) if clusters > 4 else (clusters,)


def sample_clusters(
    train: Documents, augmented: MetaLabels, plain: MetaLabels, count: int, seed: int
) -> list[SampleCluster]:
    """Clusters to show side by side: those of `count` labels that share their cluster with as few of the same labels in
    both as there are, drawn at random among these, no two from one cluster. Tail labels with training documents only,
    in clusters of at least two."""
    one, other = augmented.cluster_of_label, plain.cluster_of_label
    both = one.astype(np.int64) * plain.clusters + other
    _, group, sizes = np.unique(both, return_inverse=True, return_counts=True)
    shown = (column_counts(train.targets) > 0) & ~augmented.is_head & ~plain.is_head
    shown &= (augmented.sizes()[one] > 1) & (plain.sizes()[other] > 1)
    candidates = np.flatnonzero(shown)
    order = np.lexsort((drawn(keys(seed, candidates), 0), sizes[group][candidates]))
    chosen = _from_different_clusters(candidates[order], (one, other), count)
    return [_sample(train, label, augmented, plain) for label in chosen]


def _from_different_clusters(
    candidates: NDArray[np.int64], clusters: tuple[NDArray[np.int32], NDArray[np.int32]], count: int
) -> list[int]:
    """The first `count` candidates of which no two share a cluster."""
    chosen: list[int] = []
    for label in candidates.tolist():
        if len(chosen) == count:
            break
        if all(cluster[label] != cluster[seen] for seen in chosen for cluster in clusters):
            chosen.append(label)
    return chosen


def _sample(train: Documents, label: int, augmented: MetaLabels, plain: MetaLabels) -> SampleCluster:
    """The label's two clusters, as texts."""
    others = [
        tuple(
            train.labels.name_of(member)
            for member in found.members(int(found.cluster_of_label[label]))
            if member != label
        )
        for found in (augmented, plain)
    ]
    return SampleCluster(train.labels.name_of(label), *others)
