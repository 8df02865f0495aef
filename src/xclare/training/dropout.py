"""Dropout without fresh random bits: slices of one pool of masks, at places that follow from seed, step and use."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from xclare.equations.embedding_block import Dropout, no_dropout
from xclare.randomness import chosen, drawn, keys


class DropoutPool:
    """Masks with 0 where a number is dropped and 1 / (1 - rate) elsewhere. Drawing bits anew for every use would take a
    quarter of a training step on a CPU."""

    def __init__(self, rate: float, most: int, seed: int, device: torch.device, kind: torch.dtype) -> None:
        """`most` is the largest number of values that one use masks."""
        self.rate, self.seed, self.spare = rate, seed, 1 << 20
        generator = torch.Generator().manual_seed(seed)
        size = most + self.spare if rate else 0
        self.masks = ((torch.rand(size, generator=generator) >= rate) / (1 - rate)).to(device, kind)

    def at(self, step: int, chunk: int) -> Dropout:
        """The dropout of one chunk in one step: every use of it takes the next of its places in the pool."""
        if not self.rate:
            return no_dropout
        stream = keys(self.seed, np.array([step * (1 << 20) + chunk]))
        uses = iter(range(1 << 10))

        def dropped(x: Tensor) -> Tensor:
            place = int(chosen(drawn(stream, next(uses)), self.spare)[0])
            return x * self.masks[place : place + x.numel()].view(x.shape)

        return dropped
