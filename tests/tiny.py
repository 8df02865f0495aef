"""A data set so small that training on it takes a tenth of a second, and what several tests ask of models."""

from __future__ import annotations

import itertools

import numpy as np

from xclare.config import Config
from xclare.data.dataset import Dataset

THINGS = ("apple", "pear", "lamp", "chair", "table", "river", "mountain", "engine", "violin", "window")
KINDS = ("red", "green", "old")
LABELS = [f"{kind} {thing}" for thing in THINGS for kind in KINDS]
WORDS = ("with a bright handle", "from the market", "for the garden", "in the attic", "by the sea", "under a roof")
SMALL = {
    "model.dimension": 8,
    "training.epochs_1": 2,
    "training.epochs_2": 2,
    "training.epochs_4": 2,
    "training.batch_size": 16,
    "training.precision": "float32",
    "training.learning_rate_1": 0.02,
    "training.learning_rate_2": 0.02,
    "training.learning_rate_4": 0.02,
    "text.vocabulary_size": 150,
}
"""Settings of a tiny run, whatever the preset."""


def tiny_data(documents: int = 60, *, test: int = 12) -> Dataset:
    """Documents about one to three of thirty labels, which share their words; every eighth label is never seen."""
    rng = np.random.default_rng(5)
    seen = [label for label in range(len(LABELS)) if label % 8 != 7]
    texts, targets = [], []
    for row in range(documents + test):
        first = seen[row % len(seen)]
        near = [label for label in seen if label != first and _related(label, first)]
        of_row = sorted({first, *rng.choice(near, rng.integers(0, 4), replace=False).tolist()})
        texts.append(f"{' and '.join(LABELS[label] for label in of_row)} {WORDS[rng.integers(len(WORDS))]} {row}")
        targets.append(of_row)
    tests = {"test_texts": texts[documents:], "test_labels": targets[documents:]} if test else {}
    return Dataset.from_lists(texts[:documents], targets[:documents], LABELS, name="tiny", **tests)


def _related(one: int, other: int) -> bool:
    """Whether two labels are the same thing, or neighbouring things of one kind."""
    return one // 3 == other // 3 or (one % 3 == other % 3 and abs(one // 3 - other // 3) == 1)


def tiny_config(preset: str = "auto", **changes: object) -> Config:
    """The settings of a tiny run of a preset, with `changes` such as `graph__walk_length=9`."""
    config = Config.of_preset(preset)
    for name, value in itertools.chain(SMALL.items(), ((k.replace("__", ".", 1), v) for k, v in changes.items())):
        config = config.replaced(name, value)
    return config


def assignments(**changes: object) -> list[str]:
    """The same settings as arguments of the command line."""
    named = {**SMALL, **{name.replace("__", ".", 1): value for name, value in changes.items()}}
    return [part for name, value in named.items() for part in ("--set", f"{name}={value}")]


def arrays_of(model: object) -> dict[str, np.ndarray]:
    """Every array of a model, as it is saved."""
    return dict(model._arrays())


def differing(a: object, b: object) -> set[str]:
    """The names of arrays that are not the same, bit for bit, in two models."""
    one, other = arrays_of(a), arrays_of(b)
    same = {
        name
        for name in one.keys() & other.keys()
        if one[name].shape == other[name].shape and one[name].tobytes() == other[name].tobytes()
    }
    return (one.keys() | other.keys()) - same
