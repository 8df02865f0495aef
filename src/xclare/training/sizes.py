"""The choices that settings leave to the data (0, or `auto`), made: nothing is left open in a model's configuration."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from xclare.data.dataset import Documents
from xclare.errors import InputError

if TYPE_CHECKING:
    from xclare.config import Config

ALL_NEGATIVES_BELOW = 200_000
OUR_RATES = (0.01, 0.008, 0.006)
"""Learning rates of Modules I, II and IV for `auto`."""


class _Published(NamedTuple):
    """What differs between the data sets of the paper, by number of labels."""

    below: float
    beam: int
    first_rate: float
    other_rate: float


# "A beam size of B = 30 was used for the dataset LF-AmazonTitles-131K and B = 50 for all other datasets"; below the
# smallest of the paper's sets, as for the others.
PAPER = (
    _Published(100_000, 50, 0.01, 0.008),
    _Published(200_000, 30, 0.01, 0.008),
    _Published(math.inf, 50, 0.01, 0.008),
)
# The authors' program, for its data sets of 131, 320, 500 thousand and 1.3 million labels; below, as for the first.
REFERENCE = (
    _Published(200_000, 50, 0.005, 0.004),
    _Published(400_000, 30, 0.01, 0.008),
    _Published(1_000_000, 20, 0.01, 0.005),
    _Published(math.inf, 50, 0.005, 0.004),
)


def with_sizes(config: Config, train: Documents, device: torch.device) -> Config:
    """The configuration with every choice made that it leaves to the data, the device, or the preset's table."""
    documents, labels = len(train), len(train.labels)
    training = config.training
    batch = training.batch_size or batch_size_for(documents)
    rows = {"paper": PAPER, "decaf": PAPER, "astec-like": PAPER, "reference": REFERENCE}.get(config.preset)
    published = next((row for row in rows if labels < row.below), None) if rows else None
    rates = (published.first_rate, published.other_rate, published.other_rate) if published else OUR_RATES
    clusters = config.clustering.clusters_for(labels)
    beam = config.game.beam or (published.beam if published else 0)
    negatives = training.negatives
    if negatives == "auto":
        negatives = "all" if labels < ALL_NEGATIVES_BELOW else "shortlist"
    changes: dict[str, Any] = {
        "model.dimension": config.model.dimension or (300 if labels < 400_000 else 512),
        "training.batch_size": min(batch, documents),
        "training.learning_rate_1": training.learning_rate_1 or rates[0],
        "training.learning_rate_2": training.learning_rate_2 or rates[1],
        "training.learning_rate_4": training.learning_rate_4 or rates[2],
        "training.negatives": negatives,
        "training.precision": precision_for(training.precision, device),
        "graph.max_edges": config.graph.edges_kept(labels),
        "clustering.clusters": clusters,
        "game.beam": beam or config.game.beam_for(labels, clusters),
        "predict.search": config.predict.search_for(labels),
    }
    for name, value in changes.items():
        config = config.replaced(name, value)
    return config


def batch_size_for(documents: int) -> int:
    """The power of two nearest to a 32nd of the documents, from 256 to 4096."""
    return min(max(1 << max(round(math.log2(max(documents, 1) / 32)), 0), 256), 4096)


def precision_for(wanted: str, device: torch.device) -> str:
    """`auto` by the features of the CPU or GPU, not by a timing: the same machine always decides alike."""
    if wanted != "auto":
        return wanted
    if device.type == "cuda":
        return "bf16" if torch.cuda.is_bf16_supported() else "float32"
    return "bf16" if _cpu_has_bf16() else "float32"


def device_for(wanted: str) -> torch.device:
    """Where to train: `auto` is a GPU where there is one."""
    if wanted == "cuda" and not torch.cuda.is_available():
        raise InputError("--device cuda: no GPU that PyTorch can use was found. Use --device cpu.")
    if wanted not in ("auto", "cpu", "cuda"):
        raise InputError(f"--device {wanted}: expected `auto`, `cpu` or `cuda`.")
    return torch.device("cuda" if wanted != "cpu" and torch.cuda.is_available() else "cpu")


def _cpu_has_bf16() -> bool:
    """Whether the CPU multiplies matrices of bfloat16 itself."""
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:  # noqa: PTH123 - a kernel file
            flags = next((line for line in file if line.startswith(("flags", "Features"))), "").split()
    except OSError:
        return False
    return not {"avx512_bf16", "amx_bf16", "bf16"}.isdisjoint(flags)
