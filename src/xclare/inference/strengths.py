"""How much of each component labels take, by their popularity: the numbers of the paper's figure of attention."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np

from xclare.evaluation.frequency_bins import BINS, bin_of_label
from xclare.inference.model_folder import SavedModel


@dataclass(frozen=True)
class Strengths:
    """Mean attention weight times norm of every component, over the labels of one class of popularity."""

    bin: int
    """From the rarest labels (1) to the most popular (5), each with as many training pairs."""
    labels: int
    components: dict[str, float]

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return dataclasses.asdict(self)


def component_names(model: SavedModel) -> list[str]:
    """What the columns of `component_strengths` are."""
    shape = model.config["model"]
    names = ["text (LTE)"] if shape["label_text"] else []
    names += [
        f"graph (GALE{'' if shape['order'] == 1 else f', order {order}'})" for order in range(1, shape["order"] + 1)
    ]
    return [*names, "refinement"] if shape["refinement"] else names


def strengths_by_popularity(model: SavedModel) -> list[Strengths]:
    """A row for every class of popularity that has labels."""
    bins, names = bin_of_label(model.label_counts), component_names(model)
    rows = []
    for number in range(BINS):
        inside = bins == number
        if inside.any():
            means = np.asarray(model.component_strengths[inside]).mean(axis=0)
            rows.append(Strengths(number + 1, int(inside.sum()), dict(zip(names, map(float, means), strict=True))))
    return rows
