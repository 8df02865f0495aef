"""One training step: the label side in chunks of labels, forward and backward, so that nothing is ever as large as
documents x labels, and what a chunk computes stays in the cache."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding_bag

from xclare.equations.embedding_block import Residual, document_embedding
from xclare.equations.label_classifier import LabelSide, label_classifiers
from xclare.model.label_side import advance_spectral_norms
from xclare.model.one_vs_all import OneVsAll
from xclare.model.weighted_bag import Bags
from xclare.training.dropout import DropoutPool
from xclare.training.inputs import DocumentInputs, EmbeddedLabels, LabelInputs
from xclare.training.losses import CELLS_A_PAIR, ChunkGradient, Pairs, dense_gradient, pair_gradient
from xclare.training.optimizers import RowAdam
from xclare.training.settings import TrainingSettings

CELLS_AT_ONCE, CELLS_ON_A_DEVICE = 1 << 23, 1 << 28
"""Scores of one chunk: 16 MB on a CPU, which stay in its cache and never go back to the system."""
MOST_LABELS_AT_ONCE, LEAST_LABELS_AT_ONCE = 8192, 256
FEW = 0.6
"""Below this share of touched labels, only theirs are computed."""


@dataclass(frozen=True, eq=False)
class Problem:
    """What is learnt: documents, labels, and which belong together."""

    documents: DocumentInputs
    labels: LabelInputs
    lists: Bags
    """(documents x labels) The weight of every relevant pair, and 0 for listed negatives."""
    others: bool
    """Whether all labels that are not listed are negatives; else they do not count."""

    @property
    def sizes(self) -> tuple[int, int]:
        """Documents, labels."""
        return len(self.lists), self.lists.width


@dataclass(frozen=True, eq=False)
class Batch:
    """The listed pairs of a step: document after document, and label after label."""

    by_document: Bags
    by_label: Bags
    order: Tensor  # (pairs,) where an entry of `by_label` stands in `by_document`
    label_of_pair: Tensor  # (pairs,) of `by_label`
    touched: int
    """Labels with a pair."""

    @classmethod
    def of(cls, by_document: Bags) -> Batch:
        """The pairs of the documents of a batch."""
        by_label, order = by_document.transposed()
        touched = int((by_label.ends[1:] > by_label.ends[:-1]).sum())
        return cls(by_document, by_label, order, by_label.row_of_entry(), touched)


class Step:
    """Trains a model on a problem, a batch at a time."""

    def __init__(
        self,
        model: OneVsAll,
        embeddings: nn.Parameter | None,
        problem: Problem,
        settings: TrainingSettings,
        *,
        dropout: float,
        seed: int,
        kind: torch.dtype,
    ) -> None:
        """`embeddings` are the token embeddings where they are trained; `kind` is the precision of everything as large
        as labels x D."""
        self.model, self.embeddings, self.problem, self.settings, self.kind = model, embeddings, problem, settings, kind
        self.device = device = problem.lists.ends.device
        batch_size = settings.batch_size
        labels, dimension = problem.sizes[1], model.document_block.residual.weight.shape[0]
        self.chunk = labels_at_once(labels, batch_size, device)
        self.dropout = DropoutPool(dropout, dimension * max(self.chunk, batch_size), seed, device, kind)
        trained = [*model.parameters(), *([] if embeddings is None else [embeddings])]
        self.adam = torch.optim.Adam(
            trained, lr=0.0, betas=(settings.beta_1, settings.beta_2), eps=settings.epsilon, fused=True
        )
        own = (model.refinement, model.bias)
        self.own = [None if part is None else RowAdam(part, settings) for part in own]

    def run(self, rows: Tensor, number: int, rate: float, *, with_loss: bool = False) -> Tensor | None:
        """Trains on the documents at `rows`; `number` counts the steps from 0. Returns the mean loss of a document
        where it is wanted."""
        advance_spectral_norms(self.model)
        table = None if self.embeddings is None else self.embeddings.to(self.kind)
        inputs = self.problem.labels.of_step(table)
        initial = self.problem.documents.batch(rows, table)
        residual = self.model.document_block.folded()
        embedded = document_embedding(initial, _cast(residual, self.kind), self.dropout.at(number, 0))
        side = self.model.label_side.folded()
        leaves = side.map(lambda array: array.detach().requires_grad_())
        batch = Batch.of(self.problem.lists.take(rows))
        backward = _Chunks(self, batch, inputs, embedded.detach(), leaves, number, rate, with_loss)
        backward.run()
        trained = [(embedded, backward.by_document)]
        trained += list(zip(inputs, backward.by_input, strict=True)) if backward.by_input else []
        trained += [(array, leaf.grad) for array, leaf in zip(side.arrays(), leaves.arrays(), strict=True)]
        self._descend([(a, g) for a, g in trained if g is not None], backward.scale, rate)
        return None if backward.loss is None else backward.loss / len(rows)

    def _descend(self, trained: list[tuple[Tensor, Tensor]], scale: float, rate: float) -> None:
        """One step of Adam on all that labels share, from the gradients of what was made of it."""
        self.adam.zero_grad(set_to_none=True)
        torch.autograd.backward([array for array, _ in trained], [(g * scale).to(a.dtype) for a, g in trained])
        for group in self.adam.param_groups:
            group["lr"] = rate
        self.adam.step()


class _Chunks:
    """The label side of one step."""

    def __init__(
        self,
        step: Step,
        batch: Batch,
        inputs: tuple[Tensor, ...],
        embedded: Tensor,
        leaves: LabelSide,
        number: int,
        rate: float,
        with_loss: bool,
    ) -> None:
        self.step, self.batch, self.inputs, self.embedded, self.leaves = step, batch, inputs, embedded, leaves
        self.number, self.rate, self.with_loss = number, rate, with_loss
        problem = step.problem
        self.labels = problem.sizes[1]
        self.trains_inputs = isinstance(problem.labels, EmbeddedLabels)
        self.some = not problem.others and not self.trains_inputs and batch.touched < FEW * self.labels
        self.scale = _scale(batch, step.settings.loss, problem.others)
        counted = len(embedded) * (batch.touched if self.some else self.labels)
        self.dense = problem.others or len(batch.by_label.columns) * CELLS_A_PAIR > counted
        self.loss = torch.zeros((), device=step.device) if with_loss else None
        self.by_input = [torch.empty_like(part) for part in inputs] if self.trains_inputs else []
        self.by_document = torch.zeros(embedded.shape, device=step.device)
        if not self.dense:
            self.classifiers = torch.zeros(self.labels, embedded.shape[1], dtype=embedded.dtype, device=step.device)
            self.by_pair = torch.empty(len(batch.order), dtype=embedded.dtype, device=step.device)

    def run(self) -> None:
        """All chunks, one after the other; then what could only be added up at the end."""
        starts = list(range(0, self.labels, self.step.chunk))
        bounds = [*starts, self.labels]
        ends = self.batch.by_label.ends[torch.tensor(bounds, device=self.step.device)].tolist()
        for chunk, start in enumerate(starts):
            self._chunk(chunk + 1, slice(start, bounds[chunk + 1]), slice(ends[chunk], ends[chunk + 1]))
        if not self.dense:
            pairs, values = self.batch.by_document, torch.empty_like(self.by_pair)
            values[self.batch.order] = self.by_pair
            self.by_document = embedding_bag(
                pairs.columns, self.classifiers, pairs.ends[:-1], mode="sum", per_sample_weights=values
            )

    def _chunk(self, chunk: int, labels: slice, entries: slice) -> None:
        """The labels of one chunk: their classifiers, scores and gradients, and the update of what is their own."""
        touched, pairs = self._pairs(labels, entries)
        if touched is not None and not len(touched):
            self._move_on(labels, touched)
            return
        model, kind = self.step.model, self.step.kind

        def rows(array: Tensor) -> Tensor:
            return array[labels] if touched is None else array[labels][touched]

        inputs = [rows(part.detach()).requires_grad_(self.trains_inputs) for part in self.inputs]
        refinement = None if model.refinement is None else rows(model.refinement).to(kind).requires_grad_()
        bias = None if model.bias is None else rows(model.bias)
        side = self.leaves.map(lambda array: array.to(kind))
        made = label_classifiers(inputs, refinement, side, self.step.dropout.at(self.number, chunk))
        found = self._gradient(made.detach(), bias, pairs, labels, entries, touched)
        made.backward(found.classifiers)
        if self.loss is not None and found.loss is not None:
            self.loss += found.loss
        for gradients, part in zip(self.by_input, inputs, strict=self.trains_inputs):
            gradients[labels] = part.grad if part.grad is not None else 0
        for adam, gradient in zip(
            self.step.own, (None if refinement is None else refinement.grad, found.bias), strict=True
        ):
            if adam is not None and gradient is not None:
                adam.update(labels, gradient.float() * self.scale, touched, self.number, self.rate)

    def _move_on(self, labels: slice, touched: Tensor) -> None:
        """A chunk in which no label is touched: Adam's momentum carries its labels on all the same."""
        for adam in self.step.own:
            if adam is not None and not adam.lazy:
                adam.update(labels, adam.values[:0], touched, self.number, self.rate)

    def _pairs(self, labels: slice, entries: slice) -> tuple[Tensor | None, Pairs]:
        """The chunk's pairs; and the labels that have any, where others are left out."""
        by_label = self.batch.by_label
        label = self.batch.label_of_pair[entries] - labels.start
        touched = None
        if self.some:
            ends = by_label.ends[labels.start : labels.stop + 1]
            has = ends[1:] > ends[:-1]
            touched = has.nonzero().squeeze(1)
            label = (has.cumsum(0) - 1)[label]
        return touched, Pairs(by_label.columns[entries], label, by_label.weights[entries])

    @torch.no_grad()
    def _gradient(
        self, made: Tensor, bias: Tensor | None, pairs: Pairs, labels: slice, entries: slice, touched: Tensor | None
    ) -> ChunkGradient:
        if self.dense:
            others = self.step.problem.others
            found = dense_gradient(self.embedded, made, bias, pairs, others=others, with_loss=self.with_loss)
            assert found.documents is not None
            self.by_document += found.documents
            return found
        found = pair_gradient(self.embedded, made, bias, pairs, with_loss=self.with_loss)
        self.by_pair[entries] = found.listed.to(made.dtype)
        if touched is None:
            self.classifiers[labels] = made
        else:
            self.classifiers[labels.start + touched] = made
        return found


def labels_at_once(labels: int, batch_size: int, device: torch.device) -> int:
    """Labels of a chunk; all chunks are about as large."""
    if device.type != "cpu":
        most = max(LEAST_LABELS_AT_ONCE, CELLS_ON_A_DEVICE // batch_size)
    else:
        most = min(MOST_LABELS_AT_ONCE, max(LEAST_LABELS_AT_ONCE, CELLS_AT_ONCE // batch_size))
    chunks = max(1, -(-labels // most))
    return -(-labels // chunks)


def _cast(residual: Residual, kind: torch.dtype) -> Residual:
    return Residual(residual.matrix.to(kind), None if residual.shift is None else residual.shift.to(kind))


def _scale(batch: Batch, loss: str, others: bool) -> float:
    """What sums of gradients are multiplied by: 1 / documents, or for the mean over all cells of a batch, which the
    longest list makes as wide as itself where not all labels count, 1 / (documents x width)."""
    documents = len(batch.by_document)
    if loss == "sum":
        return 1 / documents
    ends = batch.by_document.ends
    width = batch.by_document.width if others else int((ends[1:] - ends[:-1]).max())
    return 1 / (documents * max(width, 1))
