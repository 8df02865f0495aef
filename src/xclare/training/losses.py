"""Binary cross entropy, of which only the gradient is formed: one chunk of labels at a time, with dense products where
many cells count and with gathered rows where few do."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import embedding_bag, linear, softplus

from xclare.arrays import pair_products

CELLS_A_PAIR = 50
"""A gathered pair costs as much as so many cells of a dense product."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """Documents of a batch and labels of a chunk that go together or were shortlisted, label after label."""

    documents: Tensor  # (pairs,)
    labels: Tensor  # (pairs,) within the chunk
    weights: Tensor  # (pairs,) float32: above 0 where the label is right, else 0


def listed_gradient(scores: Tensor, weights: Tensor) -> Tensor:
    """(pairs,) The derivative of the loss by the scores of pairs.

    -w y log sigma(s) - (1 - y) log(1 - sigma(s)), derived: -w sigma(-s) where y = 1, else sigma(s)
    """
    return torch.where(weights > 0, -weights * (-scores).sigmoid(), scores.sigmoid())


def listed_loss(scores: Tensor, weights: Tensor) -> Tensor:
    """The loss of pairs: -w y log sigma(s) - (1 - y) log(1 - sigma(s)), added up."""
    return torch.where(weights > 0, weights * softplus(-scores), softplus(scores)).sum()


@dataclass(frozen=True, eq=False)
class ChunkGradient:
    """The derivatives of the loss, added up over documents and labels."""

    classifiers: Tensor  # (labels, D)
    bias: Tensor | None  # (labels,) float32; None where there are no biases
    documents: Tensor | None  # (documents, D); None where they follow from `listed`
    listed: Tensor  # (pairs,) by the scores of the pairs
    loss: Tensor | None  # () where it was asked for


def dense_gradient(
    embeddings: Tensor, classifiers: Tensor, bias: Tensor | None, pairs: Pairs, *, others: bool, with_loss: bool
) -> ChunkGradient:
    """The gradient for documents (B, D) and labels (C, D) by way of all B x C scores. `others`: cells that are not
    among the pairs are negatives; else they do not count."""
    scores = linear(embeddings, classifiers, None if bias is None else bias.to(classifiers.dtype))  # (B, C)
    listed = scores[pairs.documents, pairs.labels].float()
    loss = None
    if with_loss:
        loss = listed_loss(listed, pairs.weights)
        loss = loss + softplus(scores.float()).sum() - softplus(listed).sum() if others else loss
    values = listed_gradient(listed, pairs.weights)
    cells = scores.sigmoid_() if others else scores.zero_()
    cells[pairs.documents, pairs.labels] = values.to(cells.dtype)
    by_bias = None if bias is None else cells.sum(0, dtype=torch.float32)
    return ChunkGradient(cells.T @ embeddings, by_bias, cells @ classifiers, values, loss)


def pair_gradient(
    embeddings: Tensor, classifiers: Tensor, bias: Tensor | None, pairs: Pairs, *, with_loss: bool
) -> ChunkGradient:
    """The same where only the pairs count, by way of their scores alone."""
    scores = pair_products(embeddings, classifiers, pairs.documents, pairs.labels).float()
    scores = scores if bias is None else scores + bias[pairs.labels]
    values = listed_gradient(scores, pairs.weights)
    counts = torch.bincount(pairs.labels, minlength=len(classifiers))
    starts = torch.cumsum(counts, 0) - counts
    weights = values.to(embeddings.dtype)
    by_label = embedding_bag(pairs.documents, embeddings, starts, mode="sum", per_sample_weights=weights)
    by_bias = None
    if bias is not None:
        by_bias = torch.zeros(len(classifiers), device=values.device).index_add_(0, pairs.labels, values)
    loss = listed_loss(scores, pairs.weights) if with_loss else None
    return ChunkGradient(by_label, by_bias, None, values, loss)
