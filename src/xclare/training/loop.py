"""Epochs and batches: the same for every module that trains."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from xclare.errors import XclareError
from xclare.model.one_vs_all import OneVsAll
from xclare.randomness import drawn, keys
from xclare.training.log import NUMERALS, TrainingLog
from xclare.training.optimizers import learning_rate_at
from xclare.training.settings import TrainingSettings
from xclare.training.step import Problem, Step

STEPS_BETWEEN_LOOKS = 50
"""The loss is only formed for the log, so often."""


@dataclass(frozen=True, eq=False)
class Place:
    """Where and how training runs."""

    device: torch.device
    kind: torch.dtype
    """The precision of everything as large as labels x D."""
    seed: int
    log: TrainingLog


def train(
    module: int,
    model: OneVsAll,
    embeddings: nn.Parameter | None,
    problem: Problem,
    settings: TrainingSettings,
    dropout: float,
    place: Place,
) -> None:
    """Trains the model of a module for its epochs. `embeddings` are the token embeddings where they are trained too."""
    documents = problem.sizes[0]
    size = settings.batch_size
    epochs, each = settings.epochs(module), -(-documents // size)
    steps = epochs * each
    seed = place.seed * 8 + module
    step = Step(model, embeddings, problem, settings, dropout=dropout, seed=seed, kind=place.kind)
    begin = time.perf_counter()
    with place.log.module(module, steps) as advance:
        for number in range(steps):
            epoch, part = divmod(number, each)
            if part == 0:
                order = shuffled(documents, seed, epoch, place.device)
            rows = order[part * size : (part + 1) * size]
            rate = learning_rate_at(number, steps, epochs, settings.learning_rate(module), settings)
            looks = number % STEPS_BETWEEN_LOOKS == 0 or number == steps - 1
            loss = step.run(rows, number, rate, with_loss=looks)
            advance(1)
            if loss is not None:
                _check(float(loss), module, number, steps, rate)
                seconds = time.perf_counter() - begin
                place.log.step(module, number, steps, epoch, float(loss), rate, (number + 1) * size / seconds)


def shuffled(documents: int, seed: int, epoch: int, device: torch.device) -> Tensor:
    """(documents,) The order of an epoch: by a hash of seed, document and epoch, the same on every device."""
    numbers = torch.arange(documents, device=device)
    return torch.argsort(drawn(keys(seed, numbers), epoch), stable=True)


def _check(loss: float, module: int, number: int, steps: int, rate: float) -> None:
    if not math.isfinite(loss):
        raise XclareError(
            f"Module {NUMERALS[module]}: the loss is {loss} at step {number + 1} of {steps}, at a "
            f"learning rate of {rate:.3g}. Try a smaller one (--set training.learning_rate_{module}="
            f"{rate / 4:.1g}), a longer warm-up (--set training.warmup=0.2), or --set training.precision=float32."
        )
