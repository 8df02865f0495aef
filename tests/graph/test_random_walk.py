"""The walks against a direct transcription of Algorithm 1, against what they expect exactly, and against themselves."""

import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xclare.graph import random_walk as module
from xclare.graph.exact_walk import exact_walk
from xclare.graph.random_walk import random_walk
from xclare.graph.settings import GraphSettings
from xclare.sparse import csr_from_pairs
from xclare.threads import threads


def walk_from(label, targets, length, p, rng):
    """Procedure WalkFrom of Algorithm 1, line by line."""
    visits = np.zeros(targets.shape[1])
    place = label
    documents_of, labels_of = targets.T.tocsr(), targets
    for _ in range(length):
        if rng.random() <= p:
            place = label
        document = rng.choice(documents_of.indices[documents_of.indptr[place] : documents_of.indptr[place + 1]])
        place = rng.choice(labels_of.indices[labels_of.indptr[document] : labels_of.indptr[document + 1]])
        visits[place] += 1
    return visits


@st.composite
def targets_of(draw, most_documents=8, most_labels=6):
    documents, labels = draw(st.integers(1, most_documents)), draw(st.integers(1, most_labels))
    pairs = draw(
        st.lists(st.tuples(st.integers(0, documents - 1), st.integers(0, labels - 1)), min_size=1, max_size=20)
    )
    return csr_from_pairs([row for row, _ in pairs], [column for _, column in pairs], (documents, labels))


SMALL = csr_from_pairs([0, 0, 1, 1, 1, 2, 3, 3], [0, 1, 1, 2, 3, 3, 4, 0], (4, 6))


def test_the_walk_agrees_in_distribution_with_a_transcription_of_the_algorithm():
    length, repeats = 40, 400
    settings_ = GraphSettings(walk_length=length)
    ours = np.stack([random_walk(SMALL, settings_, seed).toarray() for seed in range(repeats)])
    rng = np.random.default_rng(0)
    for label in range(5):
        theirs = np.stack([walk_from(label, SMALL, length, 0.8, rng) for _ in range(repeats)])
        error = np.sqrt((ours[:, label].var(axis=0) + theirs.var(axis=0)) / repeats) + 1e-9
        assert (np.abs(ours[:, label].mean(axis=0) - theirs.mean(axis=0)) / error).max() < 4.5
        np.testing.assert_allclose(ours[:, label].std(axis=0), theirs.std(axis=0), atol=0.5)


def test_the_mean_over_seeds_is_the_exact_walk():
    repeats = 600
    settings_ = GraphSettings(walk_length=30, restart=0.5)
    ours = np.stack([random_walk(SMALL, settings_, seed).toarray() for seed in range(repeats)])
    expected = exact_walk(SMALL, GraphSettings(walk_length=30, restart=0.5, prune_mass=0)).toarray()
    error = ours.std(axis=0) / np.sqrt(repeats) + 1e-9
    assert (np.abs(ours.mean(axis=0) - expected) / error)[expected > 0.01].max() < 4.5


def exact_by_hand(targets, length, p):
    """v_t = p e P + (1 - p) v_(t-1) P, added up step by step, dense."""
    dense = targets.toarray()
    to_document = dense.T / np.maximum(dense.sum(axis=0), 1)[:, None]
    to_label = dense / np.maximum(dense.sum(axis=1), 1)[:, None]
    step = to_document @ to_label
    live = np.diag((dense.sum(axis=0) > 0).astype(float))
    total, place = np.zeros_like(step), live
    for _ in range(length):
        place = (p * live + (1 - p) * place) @ step
        total += place
    return total


@given(targets_of(), st.integers(1, 60), st.sampled_from([0.0, 0.2, 0.8, 1.0]))
def test_the_exact_walk_is_the_recursion_added_up(targets, length, p):
    settings_ = GraphSettings(walk_length=length, restart=p, prune_mass=0)
    expected = exact_by_hand(targets, length, p)
    np.testing.assert_allclose(exact_walk(targets, settings_).toarray(), expected, rtol=1e-5, atol=1e-6 * length)


@given(targets_of(), st.integers(1, 50), st.integers(0, 5))
def test_counts_sum_to_the_length_for_every_live_label_and_stay_within_reach(targets, length, seed):
    counts = random_walk(targets, GraphSettings(walk_length=length), seed)
    live = targets.toarray().sum(axis=0) > 0
    assert counts.has_canonical_format
    np.testing.assert_array_equal(counts.toarray().sum(axis=1), length * live)
    reachable = np.linalg.matrix_power((targets.T @ targets).toarray() + np.eye(targets.shape[1]), 8) > 0
    assert not (counts.toarray() > 0)[~reachable].any()


@given(targets_of(), st.integers(1, 5), st.integers(1, 30))
@settings(deadline=None)
def test_counts_do_not_depend_on_chunks_or_threads(targets, chunk, length):
    settings_ = GraphSettings(walk_length=length)
    whole = random_walk(targets, settings_, 3)
    with pytest.MonkeyPatch.context() as patch, threads(2):
        patch.setattr(module, "LABELS_AT_ONCE", chunk)
        parts = random_walk(targets, settings_, 3)
    np.testing.assert_array_equal(whole.toarray(), parts.toarray())


@given(targets_of(), st.booleans(), st.integers(1, 30))
@settings(deadline=None)
def test_counts_are_bit_identical_in_torch(targets, weighted, length):
    pytest.importorskip("torch", reason="torch is not installed")
    settings_ = GraphSettings(walk_length=length, weighted=weighted)
    np.testing.assert_array_equal(
        random_walk(targets, settings_, 7).toarray(), random_walk(targets, settings_, 7, device="torch:cpu").toarray()
    )


def test_other_seeds_walk_otherwise():
    settings_ = GraphSettings()
    assert (random_walk(SMALL, settings_, 1) != random_walk(SMALL, settings_, 2)).nnz
    assert not (random_walk(SMALL, settings_, 1) != random_walk(SMALL, settings_, 1)).nnz


def test_the_counts_of_a_seed_are_these_for_ever():
    counts = random_walk(SMALL, GraphSettings(walk_length=20), 1)
    assert counts.toarray().astype(int).tolist() == GOLDEN


GOLDEN = [
    [10, 3, 0, 0, 7, 0],
    [3, 9, 4, 4, 0, 0],
    [0, 6, 9, 5, 0, 0],
    [1, 5, 0, 14, 0, 0],
    [8, 1, 0, 0, 11, 0],
    [0, 0, 0, 0, 0, 0],
]


def test_no_walk_crosses_a_head_label():
    # Label 1 is the only bridge between 0 and 2; as a head label it is none.
    targets = csr_from_pairs([0, 0, 1, 1, 2], [0, 1, 1, 2, 1], (3, 3))
    counts = random_walk(targets, GraphSettings(head_threshold=2), 0).toarray()
    assert counts[1].sum() == counts[:, 1].sum() == 0
    assert counts[0, 2] == counts[2, 0] == 0
    assert counts[0, 0] == 400


def test_a_weighted_walk_prefers_heavy_pairs():
    targets = csr_from_pairs([0, 0], [0, 1], (1, 2), [3.0, 1.0])
    counts = random_walk(targets, GraphSettings(weighted=True, walk_length=10_000), 0).toarray()
    np.testing.assert_allclose(counts / 10_000, [[0.75, 0.25], [0.75, 0.25]], atol=0.02)


def test_only_the_strongest_edges_are_kept_and_the_label_itself():
    everything = random_walk(SMALL, GraphSettings(), 0)
    pruned = random_walk(SMALL, GraphSettings(max_edges=1), 0).toarray()
    for label, row in enumerate(everything.toarray()):
        others = [(-row[m], m) for m in range(6) if row[m] and m != label]
        kept = {m for _, m in sorted(others)[:1]} | ({label} if row[label] else set())
        assert set(np.flatnonzero(pruned[label])) == kept
        assert all(pruned[label, m] == row[m] for m in kept)


@pytest.mark.data
def test_on_real_data_the_counts_scatter_around_the_exact_walk():
    if "XCLARE_DATA" not in os.environ:
        pytest.skip("XCLARE_DATA is not set: set it to the folder that holds the data sets")
    from xclare import Dataset

    targets = Dataset.load("debian-deps-25k").train.targets
    # exact and walked rows of 300 labels: columns of other labels do not matter, so only these are walked
    settings_ = GraphSettings(max_edges=0)
    rows = np.random.default_rng(0).choice(np.flatnonzero(np.bincount(targets.indices)), 300, replace=False)
    expected = exact_walk(targets, settings_, labels=rows)[rows].toarray()
    walks = np.stack([random_walk(targets, settings_, seed, labels=rows)[rows].toarray() for seed in range(20)])
    live = expected.sum(axis=1) > 0
    assert (walks.sum(axis=2) == 400 * live).all()
    error = np.maximum(walks.std(axis=0, ddof=1) / np.sqrt(20), 0.5)
    deviation = (np.abs(walks.mean(axis=0) - expected) / error)[expected >= 5]
    assert (deviation <= 5).mean() >= 0.999
    assert deviation.max() <= 8
