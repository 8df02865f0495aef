"""The classifier of a label: by hand, and against a transcription of the paper, in numpy and torch."""

import math

import numpy as np
import pytest
import transcription
from hypothesis import given, settings
from hypothesis import strategies as st

from xclare.equations.embedding_block import Residual
from xclare.equations.label_attention import Attention, attention_weights, weighted_sum
from xclare.equations.label_classifier import LabelSide, label_classifiers, label_components, label_inputs

IDENTITY = np.eye(2)


def test_the_inputs_are_a_labels_text_and_that_of_its_neighbours_order_by_order():
    # Label 0 hears half of label 1, which hears nobody: in two steps, 0.25 + 0.5 x 1 of it.
    initial, graph = np.array([[4.0, 0.0], [0.0, 8.0]]), np.array([[0.5, 0.5], [0.0, 1.0]])
    own, near, far = label_inputs(initial, lambda x: graph @ x, label_text=True, order=2)
    assert own.tolist() == [[4, 0], [0, 8]]
    assert near.tolist() == [[2, 4], [0, 8]]
    assert far.tolist() == [[1, 6], [0, 8]]
    assert label_inputs(initial, lambda x: graph @ x, label_text=False, order=0) == ()
    (only,) = label_inputs(initial, lambda x: graph @ x, label_text=False, order=1)
    assert only.tolist() == near.tolist()


def test_components_pass_a_block_each_and_refinement_vectors_pass_none():
    inputs = (np.array([[1.0, -2.0]]), np.array([[3.0, 1.0]]))
    side = LabelSide((Residual(IDENTITY), Residual(np.array([[0.0, 2.0], [0.0, 0.0]]))), None)
    text, neighbours, free = label_components(inputs, np.array([[-5.0, 5.0]]), side)
    assert text.tolist() == [[2, -2]]  # 1 + 1, -2 + 0
    assert neighbours.tolist() == [[5, 1]]  # 3 + 2 x 1
    assert free.tolist() == [[-5, 5]]


def test_without_attention_components_are_added_up():
    parts = [np.array([[1.0, 2.0]]), np.array([[10.0, 20.0]]), np.array([[100.0, 200.0]])]
    assert weighted_sum(parts, None).tolist() == [[111, 222]]
    assert weighted_sum(parts, np.array([[0.5, 0.3, 0.2]])).tolist() == [[23.5, 47]]


def test_attention_weights_of_one_label_by_hand():
    # t(z^1) = (sigma(2), sigma(0)), t(z^2) = (sigma(0), sigma(1)); A reads the first number of the first component and
    # the second of the second.
    parts = [np.array([[2.0, -7.0]]), np.array([[-1.0, 1.0]])]
    layer = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
    first, second = math.exp(1 / (1 + math.exp(-2))), math.exp(1 / (1 + math.exp(-1)))
    found = attention_weights(parts, Attention(IDENTITY, layer))
    np.testing.assert_allclose(found, [[first / (first + second), second / (first + second)]])
    # Without the sigmoid the logits are 2 and 1; a shift of 3 for the second number makes them 2 and 4.
    found = attention_weights(parts, Attention(IDENTITY, layer, None, False))
    np.testing.assert_allclose(found, [[1 / (1 + math.exp(-1)), 1 / (1 + math.exp(1))]])
    found = attention_weights(parts, Attention(IDENTITY, layer, np.array([0.0, 3.0]), False))
    np.testing.assert_allclose(found, [[1 / (1 + math.exp(2)), 1 / (1 + math.exp(-2))]])


def test_an_attention_layer_of_zeros_weighs_all_components_alike():
    parts = [np.random.default_rng(0).standard_normal((4, 3)) for _ in range(3)]
    found = attention_weights(parts, Attention(np.eye(3), np.zeros((3, 9))))
    np.testing.assert_allclose(found, np.full((4, 3), 1 / 3))


class Case:
    """Random parameters of some shape, as the paper has them and as our equations take them."""

    def __init__(self, seed, labels, dimension, text, order, refined, shift, kind):
        rng = np.random.default_rng(seed)
        tokens = dimension + 3
        self.Z, self.E = rng.random((tokens, labels)), rng.standard_normal((dimension, tokens))
        self.G = rng.random((labels, labels)) * (rng.random((labels, labels)) < 0.5) / 2 + np.eye(labels) / 4
        count = int(text) + order
        self.blocks = [
            transcription.Block(
                rng.standard_normal((dimension, dimension)),
                float(rng.uniform(-2, 2)),
                rng.standard_normal(dimension) if shift else None,
            )
            for _ in range(count)
        ]
        self.refinement = rng.standard_normal((labels, dimension)) if refined else None
        parts = count + int(refined)
        self.attention = None
        if kind != "sum":
            self.attention = transcription.Attention(
                rng.standard_normal((dimension, dimension)) / 2,
                rng.standard_normal((parts, parts * dimension)) / 2,
                rng.standard_normal(dimension) if shift else None,
                kind == "sigmoid",
            )
        self.text, self.order = text, order

    def components_by_the_paper(self, label):
        lte, gale = (self.blocks[0], self.blocks[1:]) if self.text else (None, self.blocks)
        return transcription.components(label, self.Z, self.E, self.G, lte, gale, self.refinement)

    def ours(self, change):
        """Inputs, refinement vectors and label side, their arrays changed by `change`."""
        graph = change(self.G)
        initial = change((self.E @ self.Z).T)
        inputs = label_inputs(initial, lambda x: graph @ x, label_text=self.text, order=self.order)
        blocks = tuple(Residual(b.lam * b.R, None if b.b is None else b.lam * b.b) for b in self.blocks)
        attention = None if self.attention is None else Attention(*self.attention)
        refinement = None if self.refinement is None else change(self.refinement)
        return inputs, refinement, LabelSide(blocks, attention).map(change)


@st.composite
def cases(draw):
    text, order, refined = draw(st.booleans()), draw(st.integers(0, 2)), draw(st.booleans())
    if not (text or order or refined):
        text = True
    return Case(
        draw(st.integers(0, 2**31)),
        draw(st.integers(1, 5)),
        draw(st.integers(1, 4)),
        text,
        order,
        refined,
        draw(st.booleans()),
        draw(st.sampled_from(["sigmoid", "no sigmoid", "sum"])),
    )


def converter(library, kind):
    if library == "numpy":
        return lambda array: array.astype(kind)
    torch = pytest.importorskip("torch", reason="the extra `train` is not installed")
    return lambda array: torch.from_numpy(array.astype(kind))


EVERYWHERE = pytest.mark.parametrize(
    ("library", "kind", "tolerance"),
    [
        ("numpy", "float64", 1e-10),
        ("numpy", "float32", 2e-4),
        ("torch", "float64", 1e-10),
        ("torch", "float32", 2e-4),
    ],
)


@EVERYWHERE
@given(case=cases())
@settings(max_examples=60, deadline=None)
def test_classifiers_are_those_of_the_paper(library, kind, tolerance, case):
    inputs, refinement, side = case.ours(converter(library, kind))
    found = np.asarray(label_classifiers(inputs, refinement, side))
    assert found.dtype == kind
    parts = [case.components_by_the_paper(label) for label in range(len(case.G))]
    expected = [transcription.classifier(of_label, case.attention) for of_label in parts]
    largest = np.abs(parts).max()
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance * (1 + largest))


@EVERYWHERE
@given(case=cases())
@settings(max_examples=25, deadline=None)
def test_components_and_their_weights_are_those_of_the_paper(library, kind, tolerance, case):
    inputs, refinement, side = case.ours(converter(library, kind))
    found = label_components(inputs, refinement, side)
    for label in range(len(case.G)):
        expected = case.components_by_the_paper(label)
        assert len(found) == len(expected)
        for part, wanted in zip(found, expected, strict=True):
            np.testing.assert_allclose(
                np.asarray(part)[label], wanted, rtol=tolerance, atol=tolerance * np.abs(wanted).max()
            )
    if case.attention is not None:
        weights = np.asarray(attention_weights(found, side.attention))
        np.testing.assert_allclose(weights.sum(axis=1), 1, rtol=1e-5)
        for label in range(len(case.G)):
            expected = transcription.attention_weights(case.components_by_the_paper(label), case.attention)
            np.testing.assert_allclose(weights[label], expected, atol=50 * tolerance)


def test_the_label_side_is_mapped_array_by_array_and_keeps_what_is_none():
    block = Residual(IDENTITY, None)
    side = LabelSide((block, Residual(IDENTITY, np.ones(2))), Attention(IDENTITY, np.ones((2, 4)), None, False))
    doubled = side.map(lambda array: array * 2)
    assert doubled.blocks[0].shift is None
    assert doubled.blocks[1].shift.tolist() == [2, 2]
    assert doubled.attention.shift is None
    assert not doubled.attention.has_sigmoid
    assert [array.sum() for array in side.arrays()] == [2, 2, 2, 2, 8]
    assert [array.sum() for array in doubled.arrays()] == [4, 4, 4, 4, 16]
    assert LabelSide((block,), None).map(lambda array: array).attention is None
