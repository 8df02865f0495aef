"""The loss of a step the plain way: all documents by all labels at once, in float64, with PyTorch's own cross entropy
and derivatives. The oracle of the training step."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from scipy.sparse import csr_array
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits

from xclare.model.label_side import advance_spectral_norms
from xclare.model.one_vs_all import OneVsAll, he_uniform
from xclare.model.settings import ModelSettings
from xclare.model.weighted_bag import Bags
from xclare.training.inputs import EmbeddedDocuments, EmbeddedLabels, FixedDocuments, fixed_label_inputs
from xclare.training.settings import TrainingSettings
from xclare.training.step import Problem, Step

CPU = torch.device("cpu")
DOCUMENTS, LABELS, TOKENS, DIMENSION = 10, 13, 9, 4


def sparse(rng: np.random.Generator, rows: int, columns: int, density: float) -> csr_array:
    matrix = csr_array((rng.random((rows, columns)) * (rng.random((rows, columns)) < density)).astype(np.float32))
    matrix.sort_indices()
    return matrix


def random_lists(rng: np.random.Generator, positives: float, negatives: float) -> csr_array:
    """Relevant pairs with weights from 0.5 to 1.5, listed negatives with 0."""
    drawn = rng.random((DOCUMENTS, LABELS))
    rows, columns = np.nonzero(drawn < positives + negatives)
    weights = rng.uniform(0.5, 1.5, len(rows)) * (drawn[rows, columns] < positives)
    ends = np.searchsorted(rows, np.arange(DOCUMENTS + 1))
    return csr_array((weights.astype(np.float32), columns, ends), shape=(DOCUMENTS, LABELS))


@dataclass
class Case:
    """A random problem, and the model that a step is to train on it."""

    model_settings: ModelSettings = field(default_factory=ModelSettings)
    others: bool = True
    learns_tokens: bool = False
    positives: float = 0.2
    negatives: float = 0.0
    kind: torch.dtype = torch.float32
    seed: int = 0

    def __post_init__(self) -> None:
        rng = np.random.default_rng(self.seed)
        generator = torch.Generator().manual_seed(self.seed)
        self.features, self.texts = sparse(rng, DOCUMENTS, TOKENS, 0.5), sparse(rng, LABELS, TOKENS, 0.4)
        self.graph = sparse(rng, LABELS, LABELS, 0.3)
        self.lists = random_lists(rng, self.positives, self.negatives)
        self.rows = torch.from_numpy(rng.permutation(DOCUMENTS)[:7])
        self.table = nn.Parameter(he_uniform(TOKENS, DIMENSION, generator))
        settings = self.model_settings
        refinement = torch.randn(LABELS, DIMENSION, generator=generator) if settings.refinement else None
        bias = torch.randn(LABELS, generator=generator) if settings.label_bias else None
        self.model = OneVsAll(DIMENSION, settings, generator, refinement=refinement, bias=bias)
        with torch.no_grad():  # nothing is left at a value that hides a mistake
            for parameter in self.model.parameters():
                parameter += 0.3 * torch.randn(parameter.shape, generator=generator)
        advance_spectral_norms(self.model)

    @property
    def problem(self) -> Problem:
        lists = Bags.of(self.lists, CPU)
        if self.learns_tokens:
            documents = EmbeddedDocuments(Bags.of(self.features, CPU))
            labels = EmbeddedLabels(self.texts, self.graph, self.model_settings, CPU)
            return Problem(documents, labels, lists, self.others)
        table = self.table.detach()
        initial = Bags.of(self.texts, CPU).of_rows(table)
        fixed = fixed_label_inputs(initial, self.graph, self.model_settings, self.kind)
        documents = FixedDocuments(Bags.of(self.features, CPU).of_rows(table).to(self.kind))
        return Problem(documents, fixed, lists, self.others)

    def step(self, training: TrainingSettings | None = None, dropout: float = 0.0) -> Step:
        training = training or TrainingSettings(batch_size=7)
        table = self.table if self.learns_tokens else None
        return Step(self.model, table, self.problem, training, dropout=dropout, seed=1, kind=self.kind)


def full_loss(case: Case, model: OneVsAll, table: Tensor, loss: str) -> Tensor:
    """The loss of the documents at `case.rows`, by the parameters of `model` and the token embeddings `table`."""
    settings, rows = case.model_settings, case.rows.numpy()
    features, texts, graph = (torch.from_numpy(m.toarray()).double() for m in (case.features, case.texts, case.graph))
    initial = features[rows] @ table
    documents = _block(model.document_block, initial).relu()
    hop = texts @ table
    inputs = [hop] if settings.label_text else []
    for _ in range(settings.order):
        hop = graph @ hop
        inputs.append(hop)
    parts = [_block(block, x) for block, x in zip(model.label_side.blocks, inputs, strict=True)]
    parts += [] if model.refinement is None else [model.refinement]
    classifiers = _combined(parts, model.label_side.attention)
    scores = documents @ classifiers.T
    scores = scores if model.bias is None else scores + model.bias
    listed = np.zeros(case.lists.shape, bool)
    listed[np.repeat(np.arange(DOCUMENTS), np.diff(case.lists.indptr)), case.lists.indices] = True
    weights = case.lists.toarray()
    counts = np.where(weights > 0, weights, np.where(listed, 1.0, float(case.others)))[rows]
    cells = binary_cross_entropy_with_logits(
        scores,
        torch.from_numpy((weights > 0)[rows].astype(float)),
        weight=torch.from_numpy(counts).double(),
        reduction="sum",
    )
    width = LABELS if case.others else int(listed[rows].sum(axis=1).max())
    return cells / len(rows) if loss == "sum" else cells / (len(rows) * width)


def expected_gradients(case: Case, loss: str = "sum") -> tuple[float, dict[str, Tensor]]:
    """The loss, and its derivatives by every parameter, refinement vector, bias and token embedding there is; before
    the case's own model is trained."""
    model = copy.deepcopy(case.model).double()
    table = case.table.detach().double().requires_grad_()
    own = [part.requires_grad_() for part in (model.refinement, model.bias) if part is not None]
    advance_spectral_norms(model)
    value = full_loss(case, model, table, loss)
    value.backward()
    found = {name: parameter.grad for name, parameter in model.named_parameters()}
    found |= {name: getattr(model, name).grad for name in ("refinement", "bias") if getattr(model, name) is not None}
    if case.learns_tokens:
        found["token embeddings"] = table.grad
    assert len(own) == sum(name in found for name in ("refinement", "bias"))
    return float(value.detach()), {name: gradient for name, gradient in found.items() if gradient is not None}


def gradients_of(step: Step) -> dict[str, Tensor]:
    """What a step descended along; after its first run. RowAdam's first moment is then a share of the gradient."""
    found = {name: parameter.grad for name, parameter in step.model.named_parameters()}
    own = zip(("refinement", "bias"), step.own, strict=True)
    found |= {name: adam.moments[0] / (1 - step.settings.beta_1) for name, adam in own if adam is not None}
    if step.embeddings is not None:
        found["token embeddings"] = step.embeddings.grad
    return {name: gradient for name, gradient in found.items() if gradient is not None}


def _block(block: Any, x: Tensor) -> Tensor:
    moved = x.relu() @ _divided(block.residual).T
    return x + block.scale * (moved if block.shift is None else moved + block.shift)


def _divided(norm: Any) -> Tensor:
    """W / sigma(W), its singular vectors constants, as spectral normalisation has it."""
    return norm.weight / (norm.left @ norm.weight @ norm.right)


def _combined(parts: list[Tensor], attention: Any) -> Tensor:
    if attention is None:
        return torch.stack(parts).sum(0)
    transform = _divided(attention.transform)
    layer = attention.plain_layer if attention.normalized_layer is None else _divided(attention.normalized_layer)
    queries = [part.relu() @ transform.T for part in parts]
    queries = queries if attention.shift is None else [query + attention.shift for query in queries]
    queries = [query.sigmoid() for query in queries] if attention.has_sigmoid else queries
    weights = (torch.cat(queries, 1) @ layer.T).softmax(1)
    return torch.einsum("li,ild->ld", weights, torch.stack(parts))
