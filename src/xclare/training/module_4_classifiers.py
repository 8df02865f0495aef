"""Module IV: the classifiers of all labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch import Tensor

from xclare.model.one_vs_all import OneVsAll
from xclare.model.weighted_bag import Bags
from xclare.training.inputs import FixedDocuments
from xclare.training.loop import Place, train
from xclare.training.module_3_initialisation import Initialisation
from xclare.training.step import Problem

if TYPE_CHECKING:
    from xclare.config import Config


def learn_classifiers(start: Initialisation, config: Config, place: Place) -> tuple[OneVsAll, tuple[Tensor, ...]]:
    """Trains the document block, the blocks of LTE and GALE, attention, refinement vectors and biases on the lists of
    Module III. Returns the model and the label side's inputs."""
    problem = Problem(
        FixedDocuments(start.documents),
        start.labels,
        Bags.of(start.lists, place.device),
        others=config.training.negatives == "all",
    )
    train(4, start.model, None, problem, config.training, config.model.dropout, place)
    return start.model, start.labels.inputs
