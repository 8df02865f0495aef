"""Products of nodes' points with weighted sums, dense and sparse."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from xclare.clustering import points as module
from xclare.clustering.points import points_of


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    dense = (rng.random((12, 9)) * (rng.random((12, 9)) < 0.5)).astype(np.float32)
    dense[4] = 0
    return dense


def both(rows, members=None):
    members = np.arange(len(rows)) if members is None else members
    return points_of(rows, members), points_of(csr_array(rows), members)


def test_points_have_length_1_and_zeros_stay_zeros(rows):
    dense, sparse = both(rows)
    lengths = np.linalg.norm(dense.array, axis=1)
    np.testing.assert_allclose(lengths, np.arange(12) != 4, rtol=1e-6)
    np.testing.assert_allclose(sparse.csr.toarray(), dense.array, rtol=1e-6)


def test_points_are_taken_in_blocks_in_the_order_of_the_members(rows, monkeypatch):
    members = np.array([7, 0, 11, 3, 4])
    whole = points_of(rows, members).array
    monkeypatch.setattr(module, "ROWS_AT_ONCE", 2)
    np.testing.assert_array_equal(points_of(rows, members).array, whole)
    np.testing.assert_array_equal(whole, points_of(rows, np.arange(12)).array[members])


@pytest.mark.parametrize("size", [1, 2, 3, 6, 12])
def test_products_are_those_of_every_nodes_gram_matrix(rows, size):
    weights = np.random.default_rng(1).standard_normal((12 // size, size)).astype(np.float32)
    for points in both(rows):
        unit = points_of(rows, np.arange(12)).array.reshape(-1, size, 9)
        expected = np.einsum("msd,mtd,mt->ms", unit, unit, weights)
        halves = points
        for step in range(12 // size - 1):  # nodes are split one from the others, so that sparse ones share no slot
            branch = (np.arange(12) >= (step + 1) * size).astype(int)
            halves = halves.take(np.arange(12), branch)
        found = halves.nodes(slice(0, 12), size).products(weights)
        np.testing.assert_allclose(found, expected, atol=1e-5)


def test_points_that_are_taken_or_cut_are_the_same_points(rows):
    order = np.array([3, 1, 0, 2, 8, 9, 11, 10, 7, 6, 5, 4])
    branch = (np.arange(12) >= 4).astype(int)
    weights = np.ones((1, 5), np.float32)
    dense, sparse = (points.take(order, branch).cut(slice(4, 9)) for points in both(rows))
    expected = dense.nodes(slice(0, 5), 5).products(weights)
    np.testing.assert_allclose(sparse.nodes(slice(0, 5), 5).products(weights), expected, atol=1e-6)
    unit = points_of(rows, order[4:9]).array
    np.testing.assert_allclose(expected[0], unit @ unit.sum(axis=0), atol=1e-6)


def test_slots_that_no_point_uses_are_forgotten(rows):
    _, sparse = both(rows)
    assert sparse.values == 2 * sparse.csr.nnz
    first = sparse.cut(slice(4, 5))  # the point of zeros
    assert first.csr.shape == (1, 0)
    assert first.nodes(slice(0, 1), 1).products(np.ones((1, 1), np.float32)) == 0
