"""What one label's walk sees: the picture of the paper's graph figure, as data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from xclare.graph.bipartite import bipartite, without_heads
from xclare.graph.random_walk import walk
from xclare.graph.settings import GraphSettings
from xclare.sparse import Csr


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """Some labels around one, and the edges between them."""

    labels: NDArray[np.int64]
    """(nodes,) The label the walk starts from, then those it visited most often."""
    visits: NDArray[np.int64]
    """(nodes,) Visits of each."""
    inferred: list[tuple[int, int, int]]
    """(from, to, restart): the step that first led the walk from one node to another, and the restart it followed."""
    co_occurring: list[tuple[int, int]]
    """Pairs of nodes that share a training document."""


def neighbourhood(targets: Csr, label: int, settings: GraphSettings, seed: int, nodes: int = 12) -> Neighbourhood:
    """Follows the walk from `label` and keeps the `nodes` labels it visits most often."""
    pairs = without_heads(targets, settings.head_threshold)
    view = bipartite(pairs, weighted=settings.weighted)
    if not view.to_document.degree[label]:
        return Neighbourhood(np.array([label]), np.zeros(1, np.int64), [], [])
    visited, restarted = walk(view, np.array([label]), settings.walk_length, settings.restart, seed)
    path, restarts = visited[:, 0].astype(np.int64), restarted[:, 0].cumsum()
    seen, counts = np.unique(path, return_counts=True)
    order = [place for place in np.argsort(-counts, kind="stable") if seen[place] != label][: nodes - 1]
    kept = np.concatenate([[label], seen[order]])
    visits = np.concatenate([counts[seen == label], [] if (seen == label).any() else [0], counts[order]])
    node_of = {int(name): node for node, name in enumerate(kept)}
    inferred: dict[tuple[int, int], int] = {}
    place = label
    for step, (to, restart) in enumerate(zip(path.tolist(), restarted[:, 0].tolist(), strict=True)):
        place = label if restart else place
        edge = (node_of.get(place, -1), node_of.get(to, -1))
        if min(edge) >= 0 and edge[0] != edge[1]:
            inferred.setdefault(edge, int(restarts[step]))
        place = to
    among = pairs[:, kept]
    shared = (among.T @ among).toarray() > 0
    pairs_of_nodes = [(int(i), int(j)) for i, j in np.argwhere(np.triu(shared, 1))]
    edges = [(i, j, restart) for (i, j), restart in inferred.items()]
    return Neighbourhood(kept, visits.astype(np.int64), edges, pairs_of_nodes)
