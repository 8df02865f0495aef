"""Balanced 2-means as the authors' program does it, one node after the other: the oracle of tests and benchmarks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def halved(points: NDArray[Any], rng: np.random.Generator) -> tuple[NDArray[Any], NDArray[Any]]:
    """Two distinct random rows as seeds; sort by the difference of similarities; cut in the middle; centroids are
    normalised means; until the total cosine improves by less than 1e-4."""
    if len(points) == 1:
        return np.array([0]), np.array([], int)
    centroids = points[rng.choice(len(points), 2, replace=False)]
    before, now = -np.inf, -1e9
    while now - before >= 1e-4:
        similar = points @ centroids.T  # (points, 2)
        first, second = np.array_split(np.argsort(similar[:, 1] - similar[:, 0], kind="stable"), 2)
        centroids = np.stack([_direction(points[half].mean(axis=0)) for half in (first, second)])
        before, now = now, float(similar[first, 0].sum() + similar[second, 1].sum())
    return first, second


def node_by_node(points: NDArray[Any], clusters: int, seed: int) -> NDArray[np.int64]:
    """The cluster of every point. Rows must have length 1, or 0."""
    rng = np.random.default_rng(seed)
    nodes = [np.arange(len(points))]
    while len(nodes) < clusters:
        nodes = [node[half] for node in nodes for half in halved(points[node], rng)]
    found = np.empty(len(points), np.int64)
    for number, node in enumerate(nodes):
        found[node] = number
    return found


def mean_cosine(points: NDArray[Any], cluster: NDArray[Any]) -> float:
    """How near, on average, points of length 1 are to the direction of their cluster: Σ_c |Σ x| / n."""
    sums = np.zeros((int(cluster.max()) + 1, points.shape[1]))
    np.add.at(sums, cluster, points)
    return float(np.sqrt(np.square(sums).sum(axis=1)).sum() / len(points))


def _direction(vector: NDArray[Any]) -> NDArray[Any]:
    length = np.sqrt(np.square(vector).sum())
    return vector / length if length else vector
