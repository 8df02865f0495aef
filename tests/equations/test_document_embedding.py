"""The embedding block and the embedding of documents: by hand, and against a transcription of the paper."""

import numpy as np
import pytest
import transcription
from hypothesis import given, settings
from hypothesis import strategies as st

from xclare.equations.embedding_block import Residual, document_embedding, embedding_block

X = np.array([[1.0, -2.0, 3.0], [0.0, 0.5, -1.0]])


def test_with_the_identity_a_block_adds_the_positive_part_to_its_input():
    assert embedding_block(X, Residual(np.eye(3))).tolist() == [[2, -2, 6], [0, 1, -1]]


def test_without_residual_weight_a_block_is_the_identity():
    assert embedding_block(X, Residual(np.zeros((3, 3)), np.zeros(3))).tolist() == X.tolist()


def test_a_block_multiplies_columns_of_the_paper_from_the_left():
    # R sends the first number to the second place, with weight 10.
    matrix = np.zeros((3, 3))
    matrix[1, 0] = 10
    assert embedding_block(X, Residual(matrix)).tolist() == [[1, 8, 3], [0, 0.5, -1]]
    assert embedding_block(X, Residual(matrix, np.array([0.0, 0.0, 1.0]))).tolist() == [[1, 8, 4], [0, 0.5, 0]]


def test_a_document_passes_the_block_and_a_relu():
    assert document_embedding(X, Residual(np.eye(3))).tolist() == [[2, 0, 6], [0, 1, 0]]


def test_dropout_comes_behind_every_relu_and_nowhere_else():
    seen = []

    def dropout(x):
        seen.append(x.tolist())
        return x * 10

    assert document_embedding(X, Residual(np.eye(3)), dropout).tolist() == [[110, 0, 330], [0, 55, 0]]
    assert seen == [[[1, 0, 3], [0, 0.5, 0]], [[11, 0, 33], [0, 5.5, 0]]]


@pytest.mark.parametrize(("library", "kind"), [(a, b) for a in ("numpy", "torch") for b in ("float32", "float64")])
@given(seed=st.integers(0, 2**31), documents=st.integers(0, 4), dimension=st.integers(1, 5), shift=st.booleans())
@settings(max_examples=40, deadline=None)
def test_documents_are_those_of_the_paper(library, kind, seed, documents, dimension, shift):
    rng = np.random.default_rng(seed)
    tokens = 7
    embeddings, texts = rng.standard_normal((dimension, tokens)), rng.random((documents, tokens))
    block = transcription.Block(
        rng.standard_normal((dimension, dimension)),
        float(rng.standard_normal()),
        rng.standard_normal(dimension) if shift else None,
    )
    expected = np.array([transcription.embedded_document(x, embeddings, block) for x in texts]).reshape(
        documents, dimension
    )
    arrays = [(embeddings @ texts.T).T, block.lam * block.R, None if block.b is None else block.lam * block.b]
    arrays = [None if array is None else array.astype(kind) for array in arrays]
    if library == "torch":
        torch = pytest.importorskip("torch", reason="the extra `train` is not installed")
        arrays = [None if array is None else torch.from_numpy(array) for array in arrays]
    found = np.asarray(document_embedding(arrays[0], Residual(*arrays[1:])))
    assert found.dtype == kind
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4 if kind == "float32" else 1e-10)
