"""Spectral normalisation: a matrix divided by its largest singular value."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class SpectralNorm(nn.Module):
    """A trained matrix W, used as W / sigma(W). The largest singular value is followed by power iteration, one round a
    training step."""

    left: Tensor
    right: Tensor

    def __init__(self, weight: Tensor, generator: torch.Generator) -> None:
        super().__init__()
        self.weight = nn.Parameter(weight)
        start = torch.randn(weight.shape[0], generator=generator)
        self.register_buffer("left", start / start.norm())
        self.register_buffer("right", torch.zeros(weight.shape[1]))
        self.advance(15)

    @torch.no_grad()
    def advance(self, rounds: int = 1) -> None:
        """Follows the two singular vectors: v = W^T u / |W^T u|, u = W v / |W v|."""
        for _ in range(rounds):
            self.right = nn.functional.normalize(self.weight.T @ self.left, dim=0, eps=1e-12)
            self.left = nn.functional.normalize(self.weight @ self.right, dim=0, eps=1e-12)

    def normalized(self) -> Tensor:
        """W / sigma(W), sigma(W) = u^T W v."""
        return self.weight / torch.dot(self.left, self.weight @ self.right)
