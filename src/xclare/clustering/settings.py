"""Settings of the meta-labels (section `clustering`)."""

from __future__ import annotations

from dataclasses import dataclass

from xclare.errors import SettingError
from xclare.settings import check_choice, check_range

MOST_CLUSTERS = 1 << 17
"""The paper's largest number of clusters; more are made only where `clustering.clusters` asks for them."""
METHODS = ("augmented", "plain", "random")


@dataclass(frozen=True)
class ClusteringSettings:
    """How labels become meta-labels."""

    clusters: int = 0
    """Clusters of labels, a power of two; those of head labels come on top. 0: the largest power of two that leaves
    2.3 labels a cluster, at most 2^17 (the paper's number on all of its data sets)."""

    method: str = "augmented"
    """What labels are clustered by: `augmented`, the documents of a label and of its neighbours in the label graph;
    `plain`, its own documents alone, as DECAF does; `random`, a hash of its number, as MACH does."""

    dimensions: int = 256
    """Dimensions that label centroids are projected to, by random signs. 0: no projection, sparse centroids with the
    `top_features` largest features; exact where these are all, but many times as slow and as large."""

    top_features: int = 1000
    """Features that a sparse centroid keeps (`dimensions` = 0), before and after the label graph is applied."""

    iterations: int = 20
    """At most so many rounds of 2-means in one split of a cluster."""

    tolerance: float = 1e-4
    """A split is settled when a round raises the mean cosine of its labels to their centroids by less than this."""

    meta_text: str = "sum"
    """Text of a meta-label: `sum`, those of its labels added up; `unit`, that as a row of length 1."""

    meta_graph: str = "mean"
    """Graph of the meta-labels: `mean`, M^T G M with the columns of M divided by their sums; `counts`, M^T G^c M with
    visit counts, normalised like G afterwards."""

    meta_edges: int = 0
    """Most neighbours of a meta-label, besides itself: the strongest. 0: all."""

    def __post_init__(self) -> None:
        check_range("clustering.clusters", self.clusters, 0, 1 << 30)
        if self.clusters & (self.clusters - 1):
            raise SettingError(f"clustering.clusters = {self.clusters}: expected 0 or a power of two, such as 8192.")
        check_choice("clustering.method", self.method, METHODS)
        check_choice("clustering.meta_text", self.meta_text, ("sum", "unit"))
        check_choice("clustering.meta_graph", self.meta_graph, ("mean", "counts"))
        check_range("clustering.meta_edges", self.meta_edges, 0)
        check_range("clustering.dimensions", self.dimensions, 0, 1 << 16)
        check_range("clustering.top_features", self.top_features, 1)
        check_range("clustering.iterations", self.iterations, 1)
        check_range("clustering.tolerance", self.tolerance, 0, 1)

    def clusters_for(self, labels: int) -> int:
        """The number of clusters (without those of head labels) for so many labels in all."""
        if self.clusters:
            return self.clusters
        fitting = max(1, labels * 10 // 23)  # labels / 2.3, in whole numbers
        return min(1 << (fitting.bit_length() - 1), MOST_CLUSTERS)
