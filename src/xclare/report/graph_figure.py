"""A label's neighbourhood as a drawing, like the paper's figure of the graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xclare.graph.neighbourhood import Neighbourhood
from xclare.report.plots import COLOURS, new_figure

LONGEST_NAME = 36
ROUNDS = 300


def neighbourhood_figure(around: Neighbourhood, names: Sequence[str]) -> Any:
    """Inferred correlations as arrows in the colour of the restart that discovered them; co-occurrence links of the
    ground truth dotted. The start is drawn square, and a node's area grows with its visits."""
    figure, axes = new_figure(8.0, 6.0)
    axes.set_axis_off()
    places = spread(len(around.labels), [(i, j) for i, j, _ in around.inferred] + around.co_occurring)
    for i, j in around.co_occurring:
        axes.plot(*places[[i, j]].T, linestyle=":", color="0.35", linewidth=1.5, zorder=1)
    for i, j, restart in around.inferred:
        arrow = {"arrowstyle": "-|>", "color": COLOURS[restart % len(COLOURS)], "linewidth": 1.5}
        arrow |= {"shrinkA": 9, "shrinkB": 9, "connectionstyle": "arc3,rad=0.15"}
        axes.annotate("", xy=places[j], xytext=places[i], arrowprops=arrow, zorder=2)
    sizes = 60 + 240 * around.visits / max(int(around.visits.max()), 1)
    axes.scatter(*places[1:].T, s=sizes[1:], color="white", edgecolor="black", zorder=3)
    axes.scatter(*places[:1].T, s=sizes[:1], color="black", marker="s", zorder=3)
    for place, name, visits in zip(places, names, around.visits, strict=True):
        short = name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
        box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.5}
        text = f"{short} ({visits})"
        axes.annotate(
            text, place, xytext=(0, 11), textcoords="offset points", ha="center", fontsize=7, bbox=box, zorder=4
        )
    axes.margins(0.22, 0.12)
    axes.set_title(
        "Arrows: steps of the walk, a colour a restart. Dotted: labels that share a document. (Visits.)", fontsize=8
    )
    return figure


def spread(nodes: int, edges: Sequence[tuple[int, int]]) -> NDArray[np.float64]:
    """(nodes, 2) Places in the plane: nodes repel each other and edges pull (Fruchterman and Reingold 1991), from a
    circle around node 0, without chance."""
    turn = 2 * np.pi * np.arange(nodes) / max(nodes - 1, 1)
    places = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    places[0] = 0
    pull = np.zeros((nodes, nodes))
    for i, j in edges:
        pull[i, j] = pull[j, i] = 1
    distance = 1.4 / np.sqrt(max(nodes, 1))
    for heat in np.linspace(0.1, 0.001, ROUNDS):
        apart = places[:, None] - places[None]
        length = np.maximum(np.linalg.norm(apart, axis=2, keepdims=True), 1e-6)
        force = apart / length * (distance**2 / length - pull[..., None] * length**2 / distance)
        move = force.sum(axis=1)
        size = np.maximum(np.linalg.norm(move, axis=1, keepdims=True), 1e-9)
        places += move / size * np.minimum(size, heat)
        places -= places[0]
    return places
