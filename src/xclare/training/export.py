"""From trained modules to the arrays that prediction uses: spectral norms folded in, classifiers fused."""

from __future__ import annotations

import torch
from torch import Tensor

from xclare.equations.embedding_block import Residual
from xclare.equations.label_attention import attention_weights
from xclare.equations.label_classifier import label_classifiers, label_components
from xclare.model.one_vs_all import OneVsAll

LABELS_AT_ONCE = 1 << 13


@torch.no_grad()
def fused_classifiers(model: OneVsAll, inputs: tuple[Tensor, ...]) -> Tensor:
    """(labels, D) float32: w_l of all labels, without dropout."""
    side, parts = model.label_side.folded(), []
    for rows in _chunks(model, inputs):
        refinement = None if model.refinement is None else model.refinement[rows]
        parts.append(label_classifiers([part[rows].float() for part in inputs], refinement, side))
    return torch.cat(parts)


@torch.no_grad()
def component_strengths(model: OneVsAll, inputs: tuple[Tensor, ...]) -> Tensor:
    """(labels, n) Attention weight times norm of every component: what the paper's figure of attention draws."""
    side, parts = model.label_side.folded(), []
    for rows in _chunks(model, inputs):
        refinement = None if model.refinement is None else model.refinement[rows]
        components = label_components([part[rows].float() for part in inputs], refinement, side)
        norms = torch.stack([part.norm(dim=1) for part in components], 1)
        if side.attention is not None:
            norms = norms * attention_weights(components, side.attention)
        parts.append(norms)
    return torch.cat(parts)


@torch.no_grad()
def document_residual(model: OneVsAll) -> Residual:
    """The folded document block."""
    residual = model.document_block.folded()
    return Residual(residual.matrix, residual.shift)


def _chunks(model: OneVsAll, inputs: tuple[Tensor, ...]) -> list[slice]:
    labels = len(inputs[0]) if inputs else len(model.refinement)  # type: ignore[arg-type]
    return [slice(start, start + LABELS_AT_ONCE) for start in range(0, labels, LABELS_AT_ONCE)]
