"""Adam for what every label has of its own, a chunk of labels at a time, and the learning rate of every step."""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.optim.adam import adam

from xclare.training.settings import TrainingSettings


class RowAdam:
    """Adam on the rows of a tensor that a step reaches chunk after chunk, so that no gradient is ever as large as all
    labels. All rows count the same steps; `row_adam` leaves rows that a step does not touch as they are, with their
    moments."""

    def __init__(self, values: Tensor, settings: TrainingSettings) -> None:
        self.values, self.settings = values, settings
        self.lazy = settings.optimizer == "row_adam"
        self.moments = (torch.zeros_like(values), torch.zeros_like(values))

    def update(self, rows: slice, gradient: Tensor, touched: Tensor | None, step: int, rate: float) -> None:
        """Updates the `rows` after step number `step` (from 0). `gradient` is that of the rows at `touched` (positions
        within `rows`); None: of all of them."""
        parts = [part[rows] for part in (self.values, *self.moments)]
        if touched is not None and self.lazy:
            taken = [part[touched] for part in parts]
            self._adam(taken, gradient, step, rate)
            for part, new in zip(parts, taken, strict=True):
                part[touched] = new
            return
        if touched is not None:
            whole = torch.zeros_like(parts[0])
            whole[touched] = gradient
            gradient = whole
        self._adam(parts, gradient, step, rate)

    def _adam(self, parts: list[Tensor], gradient: Tensor, step: int, rate: float) -> None:
        values, first, second = parts
        adam(
            [values],
            [gradient],
            [first],
            [second],
            [],
            [torch.tensor(float(step), device=values.device)],
            fused=True,
            amsgrad=False,
            beta1=self.settings.beta_1,
            beta2=self.settings.beta_2,
            lr=rate,
            weight_decay=0.0,
            eps=self.settings.epsilon,
            maximize=False,
        )


def learning_rate_at(step: int, steps: int, epochs: int, start: float, settings: TrainingSettings) -> float:
    """The learning rate of step number `step` of `steps`, from the highest one, `start`."""
    warm = settings.warmup * steps
    if step < warm:
        return start * (step + 1) / (warm + 1)
    if settings.schedule == "cosine":
        return start * 0.5 * (1 + math.cos(math.pi * (step - warm) / max(steps - warm, 1)))
    if settings.schedule == "halving":
        return start * 0.5 ** halvings(step * epochs // max(steps, 1), epochs)
    return start


def halvings(epoch: int, epochs: int) -> int:
    """How often the learning rate was halved before an epoch (from 0), as the authors' program does: after half of the
    epochs, then each time after half as many more as the time before, but at least five."""
    interval = max(epochs // 2, 1)
    following, count = interval, 0
    while epoch >= following:
        count += 1
        interval = max(5, interval // 2)
        following += interval
    return count
