# ruff: noqa: E402 - torch is looked for first
"""The parameters of the model, as they are before training and as they are folded."""

import math

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra `train` is not installed")

from xclare.equations.embedding_block import embedding_block
from xclare.equations.label_attention import attention_weights
from xclare.errors import SettingError
from xclare.model.embedding_block import EmbeddingBlock
from xclare.model.label_side import AttentionBlock, LabelSideModule, advance_spectral_norms
from xclare.model.one_vs_all import OneVsAll, he_uniform
from xclare.model.settings import ModelSettings
from xclare.model.spectral_norm import SpectralNorm

X = torch.randn(20, 6, generator=torch.Generator().manual_seed(0))


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("shape", [(6, 6), (2, 9), (9, 2), (1, 1)])
def test_a_matrix_is_divided_by_its_largest_singular_value(shape):
    weight = torch.randn(shape, generator=generator(1))
    norm = SpectralNorm(weight.clone(), generator())
    norm.advance(500)
    expected = weight.numpy() / np.linalg.svd(weight.numpy(), compute_uv=False)[0]
    np.testing.assert_allclose(norm.normalized().detach().numpy(), expected, rtol=1e-4, atol=1e-6)


def test_fifteen_rounds_come_close_and_every_round_comes_closer():
    weight = torch.randn(6, 6, generator=generator(1))
    largest = np.linalg.svd(weight.numpy(), compute_uv=False)[0]
    norm = SpectralNorm(weight.clone(), generator())
    found = []
    for _ in range(5):
        found.append(float((weight / norm.normalized().detach()).mean()))
        norm.advance()
    assert found[0] == pytest.approx(largest, rel=0.1)
    assert found == sorted(found)
    assert found[-1] <= largest * (1 + 1e-5)


def test_value_derivative_and_power_iteration_are_those_of_pytorchs_spectral_norm():
    weight = torch.randn(4, 7, generator=generator(1))
    ours = SpectralNorm(weight.clone(), generator())
    layer = torch.nn.Linear(7, 4, bias=False)
    layer.weight.data = weight.clone()
    theirs = torch.nn.utils.parametrizations.spectral_norm(layer)
    state = theirs.parametrizations.weight[0]
    state._u.copy_(ours.left)
    state._v.copy_(ours.right)
    theirs.eval()  # no power iteration
    wanted = torch.randn(4, 7, generator=generator(2))
    torch.testing.assert_close(ours.normalized(), theirs.weight)
    (ours.normalized() * wanted).sum().backward()
    (theirs.weight * wanted).sum().backward()
    torch.testing.assert_close(ours.weight.grad, theirs.parametrizations.weight.original.grad)


def test_the_derivative_has_no_share_along_the_matrix_itself():
    # W / sigma(W) does not change where W is scaled.
    norm = SpectralNorm(torch.randn(5, 5, generator=generator(1)), generator())
    (norm.normalized() * torch.randn(5, 5, generator=generator(2))).sum().backward()
    assert float((norm.weight.grad * norm.weight).sum().detach()) == pytest.approx(0, abs=1e-5)


def test_singular_vectors_are_followed_as_the_matrix_moves():
    norm = SpectralNorm(torch.randn(5, 5, generator=generator(1)), generator())
    with torch.no_grad():
        norm.weight += 3 * torch.randn(5, 5, generator=generator(2))
    for _ in range(200):
        advance_spectral_norms(torch.nn.Sequential(norm))
    largest = np.linalg.svd(norm.normalized().detach().numpy(), compute_uv=False)[0]
    assert largest == pytest.approx(1, rel=1e-4)


def test_a_block_begins_as_its_input_and_the_positive_part_of_it():
    block = EmbeddingBlock(6, ModelSettings(), generator())
    torch.testing.assert_close(embedding_block(X, block.folded()), X + X.relu())
    assert block.shift is None


def test_with_a_residual_weight_of_0_a_block_begins_as_the_identity():
    block = EmbeddingBlock(6, ModelSettings(residual_start=0, block_shift=True), generator())
    torch.testing.assert_close(embedding_block(X, block.folded()), X, rtol=0, atol=0)


def test_a_folded_block_is_its_weight_times_the_normalised_matrix_and_the_shift():
    block = EmbeddingBlock(6, ModelSettings(residual_start=1.5, block_shift=True), generator())
    with torch.no_grad():
        block.shift += 2.0
        block.residual.weight *= 7.0
    matrix, shift = block.folded()
    torch.testing.assert_close(matrix, 1.5 * torch.eye(6))
    torch.testing.assert_close(shift, torch.full((6,), 3.0))
    matrix.sum().backward()
    assert all(part.grad is not None for part in (block.scale, block.residual.weight))


@pytest.mark.parametrize("text", [False, True])
@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize("refinement", [False, True])
def test_there_is_a_block_a_text_and_order_and_attention_over_two_components_or_more(text, order, refinement):
    settings = ModelSettings(label_text=text, order=order)
    side = LabelSideModule(6, settings, refinement, generator())
    components = text + order + refinement
    assert len(side.blocks) == len(side.folded().blocks) == text + order
    assert (side.attention is not None) == (components > 1)
    if side.attention is not None:
        assert side.folded().attention.layer.shape == (components, components * 6)
        assert side.folded().attention.transform.shape == (6, 6)
    added = LabelSideModule(6, ModelSettings(label_text=text, order=order, combination="sum"), refinement, generator())
    assert added.attention is None


@pytest.mark.parametrize("normalized", [False, True])
def test_attention_begins_random_with_the_matrix_normalised_and_the_layer_if_wanted(normalized):
    settings = ModelSettings(attention_layer_normalized=normalized, attention_shift=True, attention_sigmoid=False)
    attention = AttentionBlock(6, 3, settings, generator()).folded()
    largest = [float(torch.linalg.svdvals(part.detach())[0]) for part in (attention.transform, attention.layer)]
    assert largest[0] == pytest.approx(1, rel=0.05)
    assert (largest[1] == pytest.approx(1, rel=0.05)) == normalized
    assert not attention.has_sigmoid
    assert not attention.shift.any()
    weights = attention_weights([X, X.flip(0), -X], attention)
    torch.testing.assert_close(weights.sum(1), torch.ones(20))
    assert weights.std() > 0.01


def test_xaviers_distribution_ends_at_the_root_of_6_over_rows_and_columns():
    layer = AttentionBlock(50, 3, ModelSettings(), generator()).plain_layer.detach()
    limit = math.sqrt(6 / (3 + 150))
    assert float(layer.abs().max()) <= limit
    assert float(layer.abs().max()) > 0.95 * limit
    assert float(layer.mean()) == pytest.approx(0, abs=0.1 * limit)


def test_hes_distribution_ends_at_the_root_of_6_over_the_dimension():
    table = he_uniform(500, 24, generator())
    assert float(table.abs().max()) == pytest.approx(0.5, rel=0.01)
    assert float(table.std()) == pytest.approx(0.5 / math.sqrt(3), rel=0.02)
    assert torch.equal(table, he_uniform(500, 24, generator()))
    assert not torch.equal(table, he_uniform(500, 24, generator(1)))


def test_what_a_label_has_of_its_own_is_no_parameter_of_pytorchs():
    model = OneVsAll(6, ModelSettings(), generator(), refinement=torch.zeros(9, 6), bias=torch.zeros(9))
    assert not {"refinement", "bias"} & dict(model.named_parameters()).keys()
    assert {"refinement", "bias"} <= model.state_dict().keys()
    bare = OneVsAll(6, ModelSettings(), generator(), refinement=None, bias=None)
    assert bare.refinement is None
    assert bare.label_side.attention.plain_layer.shape == (2, 12)


def test_one_generator_gives_one_model():
    one, other = (OneVsAll(6, ModelSettings(), generator(3), refinement=None, bias=None).state_dict() for _ in range(2))
    assert all(torch.equal(one[name], other[name]) for name in one)


def test_a_classifier_needs_a_component():
    with pytest.raises(SettingError, match="needs a component"):
        ModelSettings(label_text=False, order=0, refinement=False)
