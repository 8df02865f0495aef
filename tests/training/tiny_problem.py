"""Training data of a few documents as matrices, and settings with every choice made: what modules are tested with."""

from __future__ import annotations

import numpy as np
import torch
from scipy.sparse import csr_array

from xclare.config import Config
from xclare.graph.label_graph import LabelGraph
from xclare.sparse import csr_from_pairs, row_l2_normalized
from xclare.training.log import TrainingLog
from xclare.training.loop import Place
from xclare.training.start import TrainingData

DOCUMENTS, LABELS, TOKENS, DIMENSION, CLUSTERS = 48, 20, 30, 6, 4
SETTINGS = {
    "model.dimension": DIMENSION,
    "clustering.clusters": CLUSTERS,
    "training.batch_size": 10,
    "training.epochs_1": 2,
    "training.epochs_2": 2,
    "training.epochs_4": 2,
    "training.learning_rate_1": 0.02,
    "training.learning_rate_2": 0.02,
    "training.learning_rate_4": 0.02,
    "training.precision": "float32",
    "training.negatives": "shortlist",
    "game.beam": 2,
}


def tiny_config(preset: str = "paper", **changes: object) -> Config:
    """Settings of a tiny run, with `changes` such as `game__beam=1`."""
    config = Config.of_preset(preset)
    for name, value in {**SETTINGS, **{k.replace("__", ".", 1): v for k, v in changes.items()}}.items():
        config = config.replaced(name, value)
    return config


def tiny_data(seed: int = 0) -> TrainingData:
    """Documents that hold the tokens of their one or two labels; label 19 is never seen."""
    rng = np.random.default_rng(seed)
    texts = row_l2_normalized(_random(rng, LABELS, TOKENS, 0.15))
    rows = np.repeat(np.arange(DOCUMENTS), 2)
    columns = np.stack([np.arange(DOCUMENTS) % (LABELS - 1), rng.integers(0, LABELS - 1, DOCUMENTS)], 1).ravel()
    targets = csr_from_pairs(rows, columns, (DOCUMENTS, LABELS))
    features = csr_array(targets @ texts + _random(rng, DOCUMENTS, TOKENS, 0.05))
    features.sort_indices()
    return TrainingData(row_l2_normalized(features), targets, texts)


def tiny_place(kind: torch.dtype = torch.float32, seed: int = 0) -> Place:
    """The CPU, and a log that says nothing."""
    return Place(torch.device("cpu"), kind, seed, TrainingLog())


def tiny_graph(data: TrainingData, config: Config) -> LabelGraph:
    """The label graph of the data."""
    return LabelGraph.build(data.targets, config.graph)


def _random(rng: np.random.Generator, rows: int, columns: int, density: float) -> csr_array:
    matrix = csr_array((rng.random((rows, columns)) * (rng.random((rows, columns)) < density)).astype(np.float32))
    matrix.sort_indices()
    return matrix
