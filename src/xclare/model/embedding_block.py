"""The embedding block as a module: it holds the parameters, `equations.embedding_block` is the formula."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from xclare.equations.embedding_block import Residual
from xclare.model.settings import ModelSettings
from xclare.model.spectral_norm import SpectralNorm


class EmbeddingBlock(nn.Module):
    """The parameters R, lambda and perhaps b; R begins as the identity and is spectrally normalised."""

    def __init__(self, dimension: int, settings: ModelSettings, generator: torch.Generator) -> None:
        super().__init__()
        self.residual = SpectralNorm(torch.eye(dimension), generator)
        self.scale = nn.Parameter(torch.tensor(float(settings.residual_start)))
        self.shift = nn.Parameter(torch.zeros(dimension)) if settings.block_shift else None

    def folded(self) -> Residual:
        """Lambda R and lambda b, R divided by its largest singular value."""
        shift: Tensor | None = None if self.shift is None else self.scale * self.shift
        return Residual(self.scale * self.residual.normalized(), shift)
