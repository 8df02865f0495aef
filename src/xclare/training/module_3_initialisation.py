"""Module III: what Module IV begins with. Fresh blocks, refinement vectors from the label graph, training lists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from scipy.sparse import csr_array, vstack
from torch import Tensor

from xclare.data.formats.npz import csr_as_arrays
from xclare.graph.label_graph import LabelGraph
from xclare.inference.shortlister import Shortlister
from xclare.model.one_vs_all import OneVsAll
from xclare.model.weighted_bag import Bags
from xclare.sparse import Csr
from xclare.training.inputs import FixedLabels, fixed_label_inputs
from xclare.training.loop import Place
from xclare.training.negatives import training_lists
from xclare.training.start import TrainingData, log_odds, refinement_start

if TYPE_CHECKING:
    from xclare.config import Config

DOCUMENTS_AT_ONCE = 1 << 10


@dataclass(frozen=True, eq=False)
class Initialisation:
    """The state before Module IV."""

    model: OneVsAll
    documents: Tensor
    """(documents, D) E x."""
    labels: FixedLabels
    lists: Csr
    """(documents x labels) What each document is trained on (`training_lists`), or only its relevant labels where all
    others are negatives."""


def initialise(
    data: TrainingData,
    graph: LabelGraph,
    embeddings: Tensor,
    shortlister: Shortlister,
    lists: Csr | None,
    config: Config,
    place: Place,
) -> Initialisation:
    """Identity blocks, random attention, refinement vectors z^3_l = Σ_m G_lm E z_m; and the shortlists of all training
    documents, where they are to be the negatives. `lists` are those made before, if any."""
    embeddings = embeddings.to(place.device)
    documents = Bags.of(data.features, place.device).of_rows(embeddings)
    initial = Bags.of(data.label_features, place.device).of_rows(embeddings)
    refinement = None
    if config.model.refinement:
        convolved = Bags.of(graph.matrix, place.device).of_rows(initial)
        refinement = refinement_start(config.training.refinement_start, initial, convolved)
    generator = torch.Generator().manual_seed(place.seed * 8 + 4)
    bias = log_odds(data.targets) if config.model.label_bias else None
    model = OneVsAll(config.model.dimension, config.model, generator, refinement=refinement, bias=bias)
    if config.training.negatives == "all":
        lists = data.targets
    elif lists is None:
        with place.log.stage("shortlists of the training documents"):
            found = shortlists(shortlister, documents, place)
            neighbours = graph.matrix if config.training.negatives == "shortlist+graph" else None
            lists = training_lists(data.targets, found, neighbours)
    labels = fixed_label_inputs(initial, graph.matrix, config.model, place.kind)
    return Initialisation(model.to(place.device), documents.to(place.kind), labels, lists)


def lists_to_arrays(start: Initialisation) -> dict[str, Tensor]:
    """The lists by name, to be saved: the part of Module III that takes time. The rest follows from them at once."""
    return {name: torch.from_numpy(array) for name, array in csr_as_arrays(start.lists).items()}


def lists_from_arrays(arrays: dict[str, Tensor], shape: tuple[int, int]) -> Csr:
    """The lists that were saved."""
    data, indices, indptr = (arrays[name].numpy() for name in ("data", "indices", "indptr"))
    return csr_array((data, indices, indptr), shape=shape)


@torch.no_grad()
def shortlists(shortlister: Shortlister, documents: Tensor, place: Place) -> Csr:
    """(documents x labels) The shortlist of every document, by its E x; computed where training runs."""
    there = shortlister.map(lambda array: torch.from_numpy(array).to(place.device, place.kind))
    parts = []
    with place.log.progress.task("shortlists", len(documents)) as advance:
        for start in range(0, len(documents), DOCUMENTS_AT_ONCE):
            part = documents[start : start + DOCUMENTS_AT_ONCE].to(place.kind)
            parts.append(there.labels(part))
            advance(len(part))
    return csr_array(vstack(parts, format="csr")).astype(np.float32, copy=False)
