# ruff: noqa: E402 - torch is looked for first
"""From trained modules to the arrays of prediction."""

import pytest

torch = pytest.importorskip("torch", reason="the extra `train` is not installed")

from full_loss import DIMENSION, LABELS, Case, full_loss

from xclare.equations.embedding_block import document_embedding
from xclare.equations.label_attention import attention_weights
from xclare.equations.label_classifier import label_components
from xclare.model.settings import ModelSettings
from xclare.training import export
from xclare.training.export import component_strengths, document_residual, fused_classifiers

MODELS = {
    "attention": ModelSettings(block_shift=True),
    "sum": ModelSettings(combination="sum"),
    "refinement vectors alone": ModelSettings(label_text=False, order=0),
}
EVERY_MODEL = pytest.mark.parametrize("settings", MODELS.values(), ids=MODELS.keys())


@EVERY_MODEL
def test_exported_arrays_have_the_loss_that_was_trained(settings):
    case = Case(settings, learns_tokens=True)
    inputs = case.problem.labels.of_step(case.table.detach())
    classifiers, residual = fused_classifiers(case.model, inputs), document_residual(case.model)
    documents = document_embedding(case.problem.documents.batch(case.rows, case.table.detach()), residual)
    scores = documents @ classifiers.T + case.model.bias
    weights = torch.from_numpy(case.lists.toarray())[case.rows]
    counts = torch.where(weights > 0, weights, 1.0)
    loss = torch.nn.functional.binary_cross_entropy_with_logits(scores, (weights > 0).float(), counts, reduction="sum")
    with torch.no_grad():
        expected = full_loss(case, case.model.double(), case.table.double(), "sum")
    assert float(loss) / len(case.rows) == pytest.approx(float(expected), rel=1e-5)


@EVERY_MODEL
@pytest.mark.parametrize("at_once", [1, 5, 8192])
def test_exported_arrays_do_not_depend_on_the_chunks(settings, at_once, monkeypatch):
    case = Case(settings)
    inputs = case.problem.labels.of_step(None)
    whole = fused_classifiers(case.model, inputs), component_strengths(case.model, inputs)
    monkeypatch.setattr(export, "LABELS_AT_ONCE", at_once)
    for found, expected in zip(
        (fused_classifiers(case.model, inputs), component_strengths(case.model, inputs)), whole, strict=True
    ):
        torch.testing.assert_close(found, expected)
        assert len(found) == LABELS
    assert whole[0].shape == (LABELS, DIMENSION)


def test_a_components_strength_is_its_weight_times_its_length():
    case = Case()
    inputs = case.problem.labels.of_step(None)
    side = case.model.label_side.folded()
    components = label_components(inputs, case.model.refinement, side)
    expected = attention_weights(components, side.attention) * torch.stack([part.norm(dim=1) for part in components], 1)
    torch.testing.assert_close(component_strengths(case.model, inputs), expected.detach())
    added = Case(ModelSettings(combination="sum"))
    found = component_strengths(added.model, added.problem.labels.of_step(None))
    torch.testing.assert_close(found[:, 2], added.model.refinement.norm(dim=1))


def test_inputs_in_bf16_give_classifiers_in_float32():
    inputs = tuple(part.bfloat16() for part in Case().problem.labels.of_step(None))
    assert fused_classifiers(Case().model, inputs).dtype == torch.float32
