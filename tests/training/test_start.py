# ruff: noqa: E402 - torch is looked for first
"""What the modules start from."""

import dataclasses
import math

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra `train` is not installed")

from scipy.sparse import csr_array

from xclare import Dataset
from xclare.errors import InputError
from xclare.model.settings import ModelSettings
from xclare.sparse import csr_from_pairs
from xclare.training.inputs import EmbeddedLabels, FixedDocuments, fixed_label_inputs
from xclare.training.start import TrainingData, log_odds, refinement_start


def test_biases_begin_as_log_odds_and_an_unseen_label_has_half_a_document():
    # Of four documents label 0 has all, label 1 two, label 2 none; weights do not count.
    targets = csr_from_pairs([0, 1, 2, 3, 0, 1], [0, 0, 0, 0, 1, 1], (4, 3), [1, 1, 1, 1, 9, 0.1])
    assert log_odds(targets).tolist() == pytest.approx([math.log(4.5 / 0.5), 0, math.log(0.5 / 4.5)])
    assert log_odds(targets).dtype == torch.float32


def test_refinement_vectors_begin_as_neighbours_texts_as_ones_own_or_at_zero():
    own, near = torch.ones(2, 3), torch.full((2, 3), 5.0)
    for how, expected in (("graph", 5.0), ("text", 1.0), ("zero", 0.0)):
        found = refinement_start(how, own, near)
        assert found.tolist() == [[expected] * 3] * 2
        found += 1  # its own memory, or training would change what it began from
    assert own.tolist() == [[1] * 3] * 2
    assert near.tolist() == [[5] * 3] * 2


def documents_of(labels):
    """Two documents with features."""
    documents = Dataset.from_lists(["a lamp", "a chair"], labels, ["lamp", "chair"]).train
    return dataclasses.replace(documents, features=csr_from_pairs([0, 1], [0, 1], (2, 3)))


def test_training_needs_features_and_a_label():
    with pytest.raises(InputError, match="needs features"):
        TrainingData.of(dataclasses.replace(documents_of([["lamp"], []]), features=None))
    with pytest.raises(InputError, match="No training document has a label"):
        TrainingData.of(documents_of([[], []]))


def test_labels_without_features_have_empty_rows():
    documents = documents_of([["lamp"], []])
    found = TrainingData.of(documents)
    assert found.features is documents.features
    assert found.targets is documents.targets
    assert found.label_features.shape == (2, 3)
    assert found.label_features.nnz == 0


@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize("text", [False, True])
def test_inputs_of_labels_are_the_same_frozen_and_learnt(order, text):
    rng = np.random.default_rng(0)
    texts, graph = (csr_array(rng.random(shape).astype(np.float32)) for shape in ((4, 5), (4, 4)))
    table = torch.randn(5, 3, generator=torch.Generator().manual_seed(0))
    settings = ModelSettings(label_text=text, order=order)
    learnt = EmbeddedLabels(texts, graph, settings, torch.device("cpu")).of_step(table)
    initial = torch.from_numpy(texts.toarray()) @ table
    frozen = fixed_label_inputs(initial, graph, settings, torch.float32).of_step(None)
    expected = [np.linalg.matrix_power(graph.toarray(), power) @ initial.numpy() for power in range(order + 1)]
    expected = expected if text else expected[1:]
    assert len(learnt) == len(frozen) == len(expected)
    for parts in zip(learnt, frozen, expected, strict=True):
        torch.testing.assert_close(parts[0], parts[1])
        np.testing.assert_allclose(parts[1].numpy(), parts[2], rtol=1e-4, atol=1e-5)
    assert all(
        part.dtype == torch.bfloat16
        for part in fixed_label_inputs(initial, graph, settings, torch.bfloat16).of_step(None)
    )


def test_known_documents_are_rows_of_what_is_known():
    documents = FixedDocuments(torch.arange(6.0).view(3, 2))
    assert documents.batch(torch.tensor([2, 0]), None).tolist() == [[4, 5], [0, 1]]
