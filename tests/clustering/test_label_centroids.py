"""Centroids by their formula, sparse and projected."""

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array

from xclare.arrays import as_numpy, moved
from xclare.clustering import label_centroids as module
from xclare.clustering.label_centroids import (
    embedded_centroids,
    projected_centroids,
    random_signs,
    sparse_centroids,
)
from xclare.sparse import csr_from_pairs, row_l2_normalized
from xclare.threads import threads


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    features = row_l2_normalized(
        csr_array(random_array((60, 30), density=0.2, format="csr", rng=rng), dtype=np.float32)
    )
    targets = csr_array(random_array((60, 20), density=0.1, format="csr", rng=rng), dtype=np.float32)
    graph = csr_array(random_array((20, 20), density=0.2, format="csr", rng=rng))
    return features, targets, graph


def test_two_labels_by_hand():
    # Document 0 is of label 0, document 1 of both; label 1 has an edge of weight 0.5 to label 0. Weights do not count.
    features = csr_from_pairs([0, 1], [0, 1], (2, 2), [1.0, 1.0])
    targets = csr_from_pairs([0, 1, 1], [0, 0, 1], (2, 2), [3.0, 1.0, 0.25])
    graph = csr_from_pairs([0, 1, 1], [0, 0, 1], (2, 2), [1.0, 0.5, 1.0])
    assert sparse_centroids(features, targets, None, 10).toarray().tolist() == [[1, 1], [0, 1]]
    assert sparse_centroids(features, targets, graph, 10).toarray().tolist() == [[1, 1], [0.5, 1.5]]
    # With one feature kept: label 0 keeps the lower of two equal ones, before the graph; 0.5 against 1 after it.
    assert sparse_centroids(features, targets, graph, 1).toarray().tolist() == [[1, 0], [0, 1]]


def test_sparse_centroids_are_the_formula_whatever_the_blocks(data, monkeypatch):
    features, targets, graph = data
    plain = (targets.toarray() > 0).T @ features.toarray()
    for expected, used in ((plain, None), (graph.toarray() @ plain, graph)):
        np.testing.assert_allclose(sparse_centroids(features, targets, used, 100).toarray(), expected, rtol=1e-5)
    whole = sparse_centroids(features, targets, graph, 4)
    assert np.diff(whole.indptr).max() == 4
    assert whole.has_canonical_format
    monkeypatch.setattr(module, "PRODUCTS_AT_ONCE", 20)
    np.testing.assert_array_equal(sparse_centroids(features, targets, graph, 4).toarray(), whole.toarray())


@pytest.mark.parametrize("dimensions", [1, 64, 100, 300])
def test_projected_centroids_are_the_formula_times_the_signs(data, dimensions):
    features, targets, graph = data
    signs = random_signs(30, range(dimensions), 7)
    plain = (targets.toarray() > 0).T @ features.toarray() @ signs
    for expected, used in ((plain, None), (graph.toarray() @ plain, graph)):
        found = projected_centroids(features, targets, used, dimensions, 7)
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, expected, atol=1e-5)


def test_projected_centroids_are_the_same_to_the_bit_on_any_number_of_threads(data, monkeypatch):
    monkeypatch.setattr("xclare.arrays.VALUES_AT_ONCE", 1000)
    found = []
    for count in (1, 2):
        with threads(count):
            found.append(projected_centroids(*data, 100, 0))
    np.testing.assert_array_equal(*found)


def test_projection_keeps_cosines():
    rng = np.random.default_rng(0)
    rows = rng.random((50, 2000)) * (rng.random((50, 2000)) < 0.05)
    rows /= np.linalg.norm(rows, axis=1)[:, None]
    signs = random_signs(2000, range(1024), 0)
    projected = rows @ signs / np.sqrt(1024)
    error = projected @ projected.T - rows @ rows.T
    assert np.sqrt(np.square(error).mean()) < 1.5 / np.sqrt(1024)


def test_signs_are_balanced_and_independent():
    signs = np.hstack([random_signs(5000, range(100), 1), random_signs(5000, range(64), 2)])
    assert set(np.unique(signs)) == {-1, 1}
    assert np.abs(signs.mean(axis=0)).max() < 5 / np.sqrt(5000)
    assert np.abs(signs.T @ signs / 5000 - np.eye(164)).max() < 6 / np.sqrt(5000)


def test_signs_do_not_depend_on_the_number_of_rows_or_on_how_columns_are_cut():
    signs = random_signs(50, range(300), 1)
    np.testing.assert_array_equal(random_signs(10, range(300), 1), signs[:10])
    np.testing.assert_array_equal(random_signs(50, range(64, 200), 1), signs[:, 64:200])


def test_labels_without_documents_have_no_centroid(data):
    features, targets, _ = data
    none = csr_array(targets.shape, dtype=np.float32)
    assert not projected_centroids(features, none, None, 64, 0).any()
    assert sparse_centroids(features, none, None, 5).nnz == 0


def test_in_torch_projected_centroids_are_the_same_up_to_rounding(data):
    pytest.importorskip("torch", reason="torch is not installed (extra `train`)")
    found = projected_centroids(*data, 100, 0, device="torch:cpu")
    np.testing.assert_allclose(found.numpy(), projected_centroids(*data, 100, 0), atol=1e-5)


def test_embedded_centroids_of_two_labels_by_hand():
    # Document 0 points to (0.6, 0.8) at any length, document 1 to (1, 0). Label 0 has both: (1.6, 0.8) at length 1 is
    # (2, 1) / sqrt(5). Label 1 has document 1 and half an edge to label 0.
    vectors = np.array([[3.0, 4.0], [7.0, 0.0]], np.float32)
    targets = csr_from_pairs([0, 1, 1], [0, 0, 1], (2, 2), [9.0, 1.0, 0.25])
    graph = csr_from_pairs([0, 1, 1], [0, 0, 1], (2, 2), [1.0, 0.5, 1.0])
    both = np.array([2, 1]) / np.sqrt(5)
    np.testing.assert_allclose(embedded_centroids(vectors, targets, None), [both, [1, 0]], rtol=1e-6)
    expected = [both, both / 2 + [1, 0]]
    np.testing.assert_allclose(embedded_centroids(vectors, targets, graph), expected, rtol=1e-6)


@pytest.mark.parametrize("device", ["cpu", "torch:cpu"])
def test_embedded_centroids_are_the_formula_with_documents_and_centroids_at_length_1(data, device):
    if device != "cpu":
        pytest.importorskip("torch", reason="the extra `train` is not installed")
    _, targets, graph = data
    vectors = np.random.default_rng(1).standard_normal((60, 8)).astype(np.float32)
    vectors[3] = 0  # a document without a known token
    unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1), 1e-12)[:, None]
    plain = (targets.toarray() > 0).T @ unit
    plain /= np.maximum(np.linalg.norm(plain, axis=1), 1e-12)[:, None]
    for expected, used in ((plain, None), (graph.toarray() @ plain, graph)):
        found = as_numpy(embedded_centroids(moved(vectors, device), targets, used))
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, expected, atol=1e-5)


def test_a_label_without_documents_has_an_embedded_centroid_of_zeros_or_its_neighbours():
    targets = csr_from_pairs([0], [0], (1, 2))
    graph = csr_from_pairs([0, 1], [0, 0], (2, 2))
    vectors = np.array([[0.0, 2.0]], np.float32)
    assert embedded_centroids(vectors, targets, None).tolist() == [[0, 1], [0, 0]]
    assert embedded_centroids(vectors, targets, graph).tolist() == [[0, 1], [0, 1]]
