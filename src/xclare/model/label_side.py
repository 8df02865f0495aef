"""What all classifiers share, as modules: the embedding blocks of LTE and GALE, and the attention block."""

from __future__ import annotations

import math

import torch
from torch import nn

from xclare.equations.label_attention import Attention
from xclare.equations.label_classifier import LabelSide
from xclare.model.embedding_block import EmbeddingBlock
from xclare.model.settings import ModelSettings
from xclare.model.spectral_norm import SpectralNorm


class AttentionBlock(nn.Module):
    """The parameters T and A, perhaps a shift; all random at first (Xavier's uniform distribution)."""

    def __init__(self, dimension: int, components: int, settings: ModelSettings, generator: torch.Generator) -> None:
        super().__init__()
        self.transform = SpectralNorm(_xavier(dimension, dimension, generator), generator)
        layer = _xavier(components, components * dimension, generator)
        self.normalized_layer = SpectralNorm(layer, generator) if settings.attention_layer_normalized else None
        self.plain_layer = None if settings.attention_layer_normalized else nn.Parameter(layer)
        self.shift = nn.Parameter(torch.zeros(dimension)) if settings.attention_shift else None
        self.has_sigmoid = settings.attention_sigmoid

    def folded(self) -> Attention:
        """T divided by its largest singular value, and A, divided by its own where that is wanted."""
        layer = self.plain_layer if self.normalized_layer is None else self.normalized_layer.normalized()
        return Attention(self.transform.normalized(), layer, self.shift, self.has_sigmoid)


class LabelSideModule(nn.Module):
    """The blocks E_L and E_G, and the attention block A over their results and, where there are any, refinement
    vectors."""

    def __init__(self, dimension: int, settings: ModelSettings, refinement: bool, generator: torch.Generator) -> None:
        super().__init__()
        blocks = int(settings.label_text) + settings.order
        components = blocks + int(refinement)
        self.blocks = nn.ModuleList(EmbeddingBlock(dimension, settings, generator) for _ in range(blocks))
        attends = settings.combination == "attention" and components > 1
        self.attention = AttentionBlock(dimension, components, settings, generator) if attends else None

    def folded(self) -> LabelSide:
        """The arrays that the equations use; gradients flow back through them."""
        blocks = tuple(block.folded() for block in self.blocks)  # type: ignore[operator]
        return LabelSide(blocks, None if self.attention is None else self.attention.folded())


def advance_spectral_norms(*modules: nn.Module) -> None:
    """One round of power iteration for every spectrally normalised matrix."""
    for module in modules:
        for part in module.modules():
            if isinstance(part, SpectralNorm):
                part.advance()


def _xavier(rows: int, columns: int, generator: torch.Generator) -> torch.Tensor:
    drawn = torch.rand(rows, columns, generator=generator)
    return (drawn * 2 - 1).mul_(math.sqrt(6 / (rows + columns)))
