"""One classifier for every label, or every meta-label, over documents: what each of Modules I, II and IV trains."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from xclare.model.embedding_block import EmbeddingBlock
from xclare.model.label_side import LabelSideModule
from xclare.model.settings import ModelSettings


class OneVsAll(nn.Module):
    """The document block, the label side, and what every label has of its own: a refinement vector and a bias, where
    they are wanted. The latter two are no torch parameters: they are trained a chunk of labels at a time."""

    refinement: Tensor | None
    """(labels, D)"""
    bias: Tensor | None
    """(labels,)"""

    def __init__(
        self,
        dimension: int,
        settings: ModelSettings,
        generator: torch.Generator,
        *,
        refinement: Tensor | None,
        bias: Tensor | None,
    ) -> None:
        super().__init__()
        self.document_block = EmbeddingBlock(dimension, settings, generator)
        self.label_side = LabelSideModule(dimension, settings, refinement is not None, generator)
        self.register_buffer("refinement", refinement)
        self.register_buffer("bias", bias)


def he_uniform(tokens: int, dimension: int, generator: torch.Generator) -> Tensor:
    """(tokens, D) Token embeddings as He and others begin: uniform between -sqrt(6 / D) and sqrt(6 / D)."""
    drawn = torch.rand(tokens, dimension, generator=generator)
    return (drawn * 2 - 1).mul_(math.sqrt(6 / dimension))
