"""Clusters are balanced, nested, good, and the same in every run, sparse or dense, on any number of threads."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from node_by_node import mean_cosine, node_by_node
from scipy.sparse import csr_array

from xclare.arrays import moved
from xclare.clustering import balanced_two_means as module
from xclare.clustering.balanced_two_means import balanced_two_means
from xclare.clustering.points import points_of
from xclare.clustering.settings import ClusteringSettings
from xclare.threads import threads

SETTINGS = ClusteringSettings()


def clustered(rows, clusters, seed=0, settings=SETTINGS):
    return balanced_two_means(points_of(rows, np.arange(rows.shape[0])), clusters, settings, seed)


def mixture(count, dimensions=16, topics=40, seed=0):
    """Points around topics of different sizes, some of them without any coordinate, some equal."""
    rng = np.random.default_rng(seed)
    centres = rng.standard_normal((topics, dimensions))
    topic = np.minimum(rng.geometric(0.1, count), topics) - 1
    rows = centres[topic] + 0.4 * rng.standard_normal((count, dimensions))
    rows[rng.random(count) < 0.02] = 0
    rows[rng.random(count) < 0.02] = centres[0]
    return rows.astype(np.float32)


@given(st.integers(1, 70), st.integers(0, 6), st.integers(0, 3), st.booleans())
def test_sizes_differ_by_at_most_one(count, power, seed, sparse):
    clusters = 2 ** min(power, count.bit_length() - 1)
    rows = mixture(count, 3, 4, seed)
    found = clustered(csr_array(rows) if sparse else rows, clusters, seed)
    sizes = np.bincount(found, minlength=clusters)
    assert len(sizes) == clusters
    assert sizes.max() - sizes.min() <= 1
    assert sizes.sum() == count


@given(st.integers(1, 10**7), st.integers(0, 23))
def test_halving_keeps_sizes_within_one_of_each_other(count, levels):
    sizes = {count}
    for _ in range(levels):
        sizes = {half for size in sizes for half in ((size + 1) // 2, size // 2)}
        assert max(sizes) - min(sizes) <= 1


def test_groups_that_lie_apart_are_found():
    rows = np.repeat(np.eye(8, dtype=np.float32), 5, axis=0)[np.random.default_rng(0).permutation(40)]
    assert mean_cosine(rows, clustered(rows, 8)) == pytest.approx(1)
    halves = clustered(np.repeat(np.array([[1, 0], [0, 1]], np.float32), 7, axis=0), 2)
    assert set(map(tuple, (halves[:7], halves[7:]))) == {(0,) * 7, (1,) * 7}


def test_four_points_by_hand():
    # On a quarter circle at 0, 20, 70 and 90 degrees: the two pairs that lie near each other. The first split of an
    # odd number leaves the larger part to the first child.
    angles = np.deg2rad([0, 70, 20, 90])
    rows = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    found = clustered(rows, 2)
    assert found[0] == found[2] != found[1] == found[3]
    assert np.bincount(clustered(rows[:3], 2)).tolist() == [2, 1]


@pytest.mark.parametrize("rows", [np.zeros((11, 4), np.float32), np.ones((11, 4), np.float32)])
def test_points_without_a_difference_are_divided_all_the_same(rows):
    sizes = np.bincount(clustered(rows, 4))
    assert sorted(sizes) == [2, 3, 3, 3]
    assert (clustered(rows, 2) == (np.arange(11) >= 6)).all()  # ties: the lower numbers first


def test_half_as_many_clusters_are_pairs_of_clusters():
    rows = mixture(500)
    np.testing.assert_array_equal(clustered(rows, 64) // 2, clustered(rows, 32))
    np.testing.assert_array_equal(clustered(rows, 64) // 64, clustered(rows, 1))


def test_a_seed_gives_the_same_clusters_on_one_thread_and_two_and_another_seed_others(monkeypatch):
    rows = mixture(3000)
    monkeypatch.setattr(module, "VALUES_AT_ONCE", 1 << 12)  # 48,000 values: a few levels are taken apart
    with threads(1):
        one = clustered(rows, 256)
    with threads(2):
        two = clustered(rows, 256)
    np.testing.assert_array_equal(one, two)
    assert (one != clustered(rows, 256, seed=1)).mean() > 0.5


@pytest.mark.parametrize("sparse", [False, True])
def test_taking_nodes_apart_changes_nothing(sparse, monkeypatch):
    rows = np.round(mixture(777) * 4)  # whole numbers, so that no sum depends on its order before the division
    rows = csr_array(rows) if sparse else rows
    together = clustered(rows, 128)
    monkeypatch.setattr(module, "VALUES_AT_ONCE", 100)
    np.testing.assert_array_equal(clustered(rows, 128), together)


def test_sparse_and_dense_points_give_clusters_of_the_same_quality():
    rows = mixture(2000, 30)
    unit = points_of(rows, np.arange(2000)).array
    dense, sparse = clustered(rows, 256), clustered(csr_array(rows), 256)
    assert mean_cosine(unit, sparse) == pytest.approx(mean_cosine(unit, dense), rel=0.005)


def test_clusters_are_as_good_as_those_of_the_oracle_that_takes_node_by_node():
    rows = mixture(4000, 32, 300)
    unit = points_of(rows, np.arange(4000)).array
    ours, theirs = (
        np.mean([mean_cosine(unit, method(seed)) for seed in range(3)])
        for method in (lambda seed: clustered(rows, 512, seed), lambda seed: node_by_node(unit, 512, seed))
    )
    assert ours >= theirs


def test_more_rounds_never_make_a_split_worse():
    rows = mixture(1000)
    unit = points_of(rows, np.arange(1000)).array
    cosines = [
        mean_cosine(unit, clustered(rows, 2, settings=ClusteringSettings(iterations=rounds, tolerance=0)))
        for rounds in (1, 2, 4, 8, 16)
    ]
    assert cosines == sorted(cosines)
    assert cosines[-1] > cosines[0]


def test_an_error_in_a_worker_reaches_the_caller(monkeypatch):
    def broken(*_):
        raise MemoryError("no room")

    monkeypatch.setattr(module, "_halves", broken)
    with pytest.raises(MemoryError, match="no room"):
        clustered(mixture(10), 2)


@hypothesis_settings(max_examples=20, deadline=None)  # the first example imports torch
@given(st.integers(1, 60), st.integers(0, 5), st.integers(0, 3))
def test_in_torch_sizes_differ_by_at_most_one(count, power, seed):
    pytest.importorskip("torch", reason="torch is not installed (extra `train`)")
    clusters = 2 ** min(power, count.bit_length() - 1)
    sizes = np.bincount(clustered(moved(mixture(count, 3, 4, seed), "torch:cpu"), clusters, seed), minlength=clusters)
    assert sizes.max() - sizes.min() <= 1
    assert len(sizes) == clusters


def test_in_torch_clusters_are_repeatable_and_as_good():
    pytest.importorskip("torch", reason="torch is not installed (extra `train`)")
    rows = mixture(3000)
    unit = points_of(rows, np.arange(3000)).array
    in_torch = clustered(moved(rows, "torch:cpu"), 256)
    np.testing.assert_array_equal(in_torch, clustered(moved(rows, "torch:cpu"), 256))
    assert mean_cosine(unit, in_torch) == pytest.approx(mean_cosine(unit, clustered(rows, 256)), rel=0.005)


def test_in_torch_whole_numbers_give_the_very_clusters_of_numpy():
    pytest.importorskip("torch", reason="torch is not installed (extra `train`)")
    rows = np.repeat(np.eye(16, dtype=np.float32), 4, axis=0)
    np.testing.assert_array_equal(clustered(moved(rows, "torch:cpu"), 8), clustered(rows, 8))
