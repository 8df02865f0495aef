"""Hierarchical balanced 2-means: points on the sphere, halved again and again, all nodes of a level at once.

A split of a node begins with a random one of its points and the one least like it as centroids. Then, round after
round: the points are ordered by how much nearer they are to the second centroid than to the first, the first half
(which has the odd one) goes to the first child, and each child's centroid becomes the direction of the sum of its
points. The same lines run on numpy arrays and on torch tensors of any device.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

import numpy as np
from array_api_compat import device
from numpy.typing import NDArray

from xclare.arrays import Array, as_numpy, namespace, smallest
from xclare.clustering.points import NodePoints, Points
from xclare.clustering.settings import ClusteringSettings
from xclare.progress import SILENT, Progress
from xclare.randomness import chosen, drawn, keys
from xclare.threads import worker_count

VALUES_AT_ONCE = 1 << 20
"""On the CPU, a node of more values is halved by itself. One of fewer is brought to its last level without a pause, so
that its points stay in the processor's cache."""


def balanced_two_means(
    points: Points, clusters: int, settings: ClusteringSettings, seed: int, progress: Progress = SILENT
) -> NDArray[np.int32]:
    """(points,) The cluster of every point, from 0. `clusters` is a power of two, at most the number of points; the
    sizes of the clusters differ by at most one. Clusters 2i and 2i + 1 are halves of one node: with half as many
    clusters, the cluster of a point is half its number, rounded down.

    On the CPU a node is worked on by one thread, so that the result does not depend on their number. On another device
    all nodes of a level are worked on together.
    """
    root = _Level.root(points)
    depth = clusters.bit_length() - 1
    found = np.zeros(len(root.members), np.int32)
    with progress.task("clustering", len(found) * depth) as advance, ThreadPoolExecutor(worker_count()) as pool:
        waiting: set[Future[list[_Level]]] = {pool.submit(_descended, root, depth, settings, seed)}
        try:
            while waiting:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for level in [level for future in done for level in future.result()]:
                    if level.depth == depth:
                        found[as_numpy(level.members)] = level.node_of_point()
                    else:
                        waiting.add(pool.submit(_descended, level, depth, settings, seed))
                    advance(len(level.members))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return found


def _descended(level: _Level, depth: int, settings: ClusteringSettings, seed: int) -> list[_Level]:
    """The level's nodes at full depth; or one level on and each by itself, where there is too much of them."""
    while level.depth < depth:
        apart = level.exceeds_cache()
        level = level.halved(settings, seed)
        if apart:
            return level.apart()
    return [level]


@dataclass(frozen=True, eq=False)
class _Level:
    """Nodes of one depth, points of a node side by side. `larger` nodes of `size` + 1 points stand first, then those of
    `size`: halving nodes whose sizes differ by at most one gives such nodes again."""

    points: Points
    members: Array
    """(points,) Which point of the whole this is; ascending within a node."""
    nodes: Array
    """(nodes,) Numbers of the nodes: 1 for the root, 2i and 2i + 1 for the children of i."""
    larger: int
    size: int
    depth: int

    @classmethod
    def root(cls, points: Points) -> _Level:
        members = points.numbers()
        return cls(points, members, members[:1] * 0 + 1, larger=0, size=len(members), depth=0)

    def exceeds_cache(self) -> bool:
        """Whether the nodes should be taken apart."""
        return isinstance(self.members, np.ndarray) and self.points.values > VALUES_AT_ONCE

    def groups(self) -> Iterator[tuple[slice, slice, int]]:
        """The rows, the nodes, and their size: first of the larger nodes, then of the others."""
        rows = self.larger * (self.size + 1)
        if self.larger:
            yield slice(0, rows), slice(0, self.larger), self.size + 1
        if self.larger < len(self.nodes):
            yield slice(rows, len(self.members)), slice(self.larger, len(self.nodes)), self.size

    def halved(self, settings: ClusteringSettings, seed: int) -> _Level:
        """The next level."""
        xp = namespace(self.members)
        children = defaultdict(list)  # by size: rows (nodes, size), numbers (nodes,), branch
        for rows, group, size in self.groups():
            nodes = self.nodes[group]
            second = _halves(self.points.nodes(rows, size), nodes, size, settings, seed)
            for branch, inside in enumerate((~second, second)):
                child = (size + 1 - branch) // 2
                place = xp.nonzero(xp.reshape(inside, (-1,)))[0]
                children[child].append((rows.start + place, 2 * nodes + branch, branch))
        parts = [part for size in sorted(children, reverse=True) for part in children[size]]
        taken = xp.concat([rows for rows, _, _ in parts])
        branches = xp.concat([xp.zeros_like(rows) + branch for rows, _, branch in parts])
        smaller = min(children)
        larger = sum(len(nodes) for _, nodes, _ in children[smaller + 1]) if len(children) > 1 else 0
        return _Level(
            self.points.take(taken, branches),
            xp.take(self.members, taken, axis=0),
            xp.concat([nodes for _, nodes, _ in parts]),
            larger=larger,
            size=smaller,
            depth=self.depth + 1,
        )

    def apart(self) -> list[_Level]:
        """A level for every node."""
        found = []
        for rows, group, size in self.groups():
            for node in range(group.start, group.stop):
                own = slice(rows.start + (node - group.start) * size, rows.start + (node - group.start + 1) * size)
                members, number = self.members[own], self.nodes[node : node + 1]
                found.append(_Level(self.points.cut(own), members, number, 0, size, self.depth))
        return found

    def node_of_point(self) -> NDArray[np.int64]:
        """(points,) The node of every point, counted from 0 on this depth."""
        larger = np.arange(len(self.nodes)) < self.larger
        return np.repeat(as_numpy(self.nodes) - (1 << self.depth), self.size + larger)


def _halves(points: NodePoints, nodes: Array, size: int, settings: ClusteringSettings, seed: int) -> Array:
    """(m, s) Which points of each node go to its second child.

    A node is settled when a round raises the mean cosine of its points to their centroids, (|Σ₁| + |Σ₂|) / s where Σ
    are the sums over its halves, by less than the tolerance.
    """
    xp = namespace(nodes)
    place = xp.arange(size, device=device(nodes))[None, :]
    if size == 2:
        return (nodes * 0)[:, None] + place == 1  # every split is the same
    scores = _first_scores(points, place, chosen(drawn(keys(seed, nodes), 0), size))
    to_all = points.products(xp.ones_like(scores))
    second, unsettled = scores != scores, nodes > 0  # none, all
    best = scores[:, 0] * 0 - 1
    for _ in range(settings.iterations):
        found = ~smallest(scores, (size + 1) // 2)
        weights = xp.astype(found, xp.float32)
        to_second = points.products(weights)
        to_first = to_all - to_second
        length_2, length_1 = _length(weights * to_second), _length((1 - weights) * to_first)  # |Σ|² = Σ x·Σ
        cosine = (length_1 + length_2) / size
        better = unsettled & (cosine > best)
        second = xp.where(better[:, None], found, second)
        unsettled = unsettled & (cosine >= best + settings.tolerance)
        best = xp.where(better, cosine, best)
        if not xp.any(unsettled):
            break
        scores = to_second / _divisor(length_2) - to_first / _divisor(length_1)
    return second


def _first_scores(points: NodePoints, place: Array, one: Array) -> Array:
    """(m, s) How much nearer each point is to a second seed than to the one at `one` (m,). The second is the point that
    is least like the first: drawn at random too, it would often be its double, where labels share all their documents.
    """
    xp = namespace(place)
    like_one = points.products(xp.astype(place == one[:, None], xp.float32))
    others = xp.where(place == one[:, None], xp.inf, like_one)
    other = xp.argmin(others, axis=1)
    return points.products(xp.astype(place == other[:, None], xp.float32)) - like_one


def _length(products: Array) -> Array:
    """(m,) √ of the sums of products (m, s) of points with the sum of all of them, which is that sum's length."""
    xp = namespace(products)
    return xp.sqrt(xp.clip(xp.sum(products, axis=1), 0, None))


def _divisor(length: Array) -> Array:
    """(m, 1) The length, or 1 where it is 0."""
    xp = namespace(length)
    return xp.where(length > 0, length, xp.ones_like(length))[:, None]
