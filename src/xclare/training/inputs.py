"""What a step is given: the initial representations of documents and labels. Constant where token embeddings are
frozen, else made of them anew at every step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from xclare.equations.label_classifier import label_inputs
from xclare.model.settings import ModelSettings
from xclare.model.weighted_bag import Bags, weighted_sum_of_rows
from xclare.sparse import Csr


class DocumentInputs(Protocol):
    """The initial representations of documents."""

    def batch(self, rows: Tensor, embeddings: Tensor | None) -> Tensor:
        """(rows, D) E x of the documents at `rows`."""


class LabelInputs(Protocol):
    """What the blocks of the label side are given."""

    def of_step(self, embeddings: Tensor | None) -> tuple[Tensor, ...]:
        """Each (labels, D)."""


@dataclass(frozen=True, eq=False)
class FixedDocuments:
    """Documents whose E x is known."""

    initial: Tensor  # (documents, D)

    def batch(self, rows: Tensor, embeddings: Tensor | None) -> Tensor:
        """Rows of them."""
        return self.initial[rows]


@dataclass(frozen=True, eq=False)
class EmbeddedDocuments:
    """Documents as bags of tokens, whose embeddings are trained."""

    features: Bags  # (documents x tokens)

    def batch(self, rows: Tensor, embeddings: Tensor | None) -> Tensor:
        """Sums of token embeddings."""
        assert embeddings is not None
        return weighted_sum_of_rows(embeddings, self.features.take(rows))


@dataclass(frozen=True, eq=False)
class FixedLabels:
    """Labels whose inputs are known."""

    inputs: tuple[Tensor, ...]

    def of_step(self, embeddings: Tensor | None) -> tuple[Tensor, ...]:
        """The same at every step."""
        return self.inputs


class EmbeddedLabels:
    """Labels as bags of tokens, whose embeddings are trained, and their graph."""

    def __init__(self, features: Csr, graph: Csr, settings: ModelSettings, device: torch.device) -> None:
        self.settings = settings
        self.features, self.graph = Bags.of(features, device), Bags.of(graph, device)
        self.features_transposed = self.features.transposed()[0]
        self.graph_transposed = self.graph.transposed()[0]

    def of_step(self, embeddings: Tensor | None) -> tuple[Tensor, ...]:
        """Sums of token embeddings, and of those of their neighbours; gradients flow back into `embeddings`."""
        assert embeddings is not None
        initial = weighted_sum_of_rows(embeddings, self.features, self.features_transposed)

        def convolve(x: Tensor) -> Tensor:
            return weighted_sum_of_rows(x, self.graph, self.graph_transposed)

        return label_inputs(initial, convolve, label_text=self.settings.label_text, order=self.settings.order)


@torch.no_grad()
def fixed_label_inputs(initial: Tensor, graph: Csr, settings: ModelSettings, kind: torch.dtype) -> FixedLabels:
    """The inputs of labels whose initial representations (labels, D) no longer change."""
    bags = Bags.of(graph, initial.device)
    inputs = label_inputs(initial, bags.of_rows, label_text=settings.label_text, order=settings.order)
    return FixedLabels(tuple(part.to(kind) for part in inputs))
