# ruff: noqa: N806 - the paper's symbols are capitals
"""GAME and the shortlister: by hand, and against a transcription of the paper's three steps."""

import math

import numpy as np
import pytest
import transcription
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from xclare.arrays import moved
from xclare.equations.game import game, mixed_game, passing
from xclare.equations.shortlist import shortlist, shortlisted_clusters, top_clusters
from xclare.sparse import csr_from_pairs

# Label 0 has an edge to label 1, of weight 0.5, and none comes back.
GRAPH = csr_from_pairs([0, 0, 1, 2], [0, 1, 1, 2], (3, 3), [1.0, 0.5, 1.0, 1.0])


def sparse(rows):
    return csr_array(np.array(rows, np.float32))


def test_by_rows_a_label_gains_what_those_score_that_it_has_edges_to():
    # p_0 = 1 p~_0 + 0.5 p~_1
    assert game(sparse([[0, 0.8, 0]]), passing(GRAPH, "rows")).toarray()[0] == pytest.approx([0.4, 0.8, 0])
    assert game(sparse([[0.8, 0, 0]]), passing(GRAPH, "rows")).toarray()[0] == pytest.approx([0.8, 0, 0])


def test_by_columns_a_label_gains_what_those_score_that_have_edges_to_it():
    # p_1 = 0.5 p~_0 + 1 p~_1
    assert game(sparse([[0.8, 0, 0]]), passing(GRAPH, "columns")).toarray()[0] == pytest.approx([0.8, 0.4, 0])
    assert game(sparse([[0, 0.8, 0]]), passing(GRAPH, "columns")).toarray()[0] == pytest.approx([0, 0.8, 0])


def test_what_scores_are_multiplied_by_leads_back_to_the_graph():
    for orientation in ("rows", "columns"):
        back = passing(passing(GRAPH, orientation), orientation)
        np.testing.assert_array_equal(back.toarray(), GRAPH.toarray())


def test_scores_are_mixed_with_what_game_makes_of_them():
    scores, passes = sparse([[0.2, 0.8, 0], [0, 0, 1]]), passing(GRAPH, "rows")
    found = mixed_game(scores, passes, mix=0.25).toarray()
    np.testing.assert_allclose(found, [[0.75 * 0.2 + 0.25 * 0.6, 0.8, 0], [0, 0, 1]], rtol=1e-6)
    assert mixed_game(scores, passes, mix=0) is scores
    np.testing.assert_allclose(mixed_game(scores, passes, mix=1).toarray(), [[0.6, 0.8, 0], [0, 0, 1]], rtol=1e-6)


def test_of_what_game_makes_only_the_largest_count():
    scores, passes = sparse([[0.2, 0.8, 0]]), passing(GRAPH, "rows")
    np.testing.assert_allclose(mixed_game(scores, passes, mix=1, most=1).toarray(), [[0, 0.8, 0]], rtol=1e-6)
    np.testing.assert_allclose(mixed_game(scores, passes, mix=0.5, most=1).toarray(), [[0.1, 0.8, 0]], rtol=1e-6)


@given(st.integers(0, 2**31), st.sampled_from(["rows", "columns"]), st.sampled_from([0.0, 0.3, 1.0]))
@settings(deadline=None)
def test_game_is_the_product_with_the_graph_row_by_row(seed, orientation, mix):
    rng = np.random.default_rng(seed)
    scores = (rng.random((4, 6)) * (rng.random((4, 6)) < 0.5)).astype(np.float32)
    graph = (rng.random((6, 6)) * (rng.random((6, 6)) < 0.5)).astype(np.float32)
    found = mixed_game(csr_array(scores), passing(csr_array(graph), orientation), mix=mix)
    assert found.has_canonical_format
    assert found.dtype == np.float32
    used = graph if orientation == "rows" else graph.T
    expected = [(1 - mix) * p + mix * (used @ p) for p in scores]
    np.testing.assert_allclose(found.toarray(), expected, rtol=1e-5, atol=1e-6)


H = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]], np.float32)
# Cluster 2 listens to cluster 0 alone, with all its weight.
CLUSTER_GRAPH = csr_from_pairs([0, 1, 2, 2], [0, 1, 0, 2], (3, 3), [1.0, 0.5, 1.0, 1.0])
MEMBERS = csr_from_pairs([0, 0, 1, 1, 2], [0, 3, 1, 4, 2], (3, 5))


def sigma(x):
    return 1 / (1 + math.exp(-x))


def test_the_best_clusters_score_their_sigmoid_and_all_others_nothing():
    found = top_clusters(np.array([[2.0, 1.0]], np.float32), H, None, 2).toarray()
    np.testing.assert_allclose(found, [[sigma(2), sigma(1), 0]], rtol=1e-6)


def test_a_bias_is_added_before_the_best_are_chosen():
    bias = np.array([-2.0, 0.0, 4.0], np.float32)
    found = top_clusters(np.array([[2.0, 1.0]], np.float32), H, bias, 2).toarray()
    np.testing.assert_allclose(found, [[0, sigma(1), sigma(1)]], rtol=1e-6)


def test_a_beam_wider_than_the_clusters_takes_them_all():
    assert top_clusters(np.zeros((1, 2), np.float32), H, None, 50).toarray().tolist() == [[0.5, 0.5, 0.5]]


def test_game_brings_in_a_cluster_that_the_classifiers_missed():
    # p~ = (sigma(2), sigma(1), 0); p = (sigma(2), 0.5 sigma(1), sigma(2)): cluster 1 leaves the beam, cluster 2 enters.
    scores = top_clusters(np.array([[2.0, 1.0]], np.float32), H, None, 2)
    passes = passing(CLUSTER_GRAPH, "rows")
    found = shortlisted_clusters(scores, passes, beam=2, keep=1, mix=1).toarray()
    np.testing.assert_allclose(found, [[sigma(2), 0, sigma(2)]], rtol=1e-6)
    for same in (
        shortlisted_clusters(scores, passes, beam=2, keep=1, mix=0),
        shortlisted_clusters(scores, None, beam=2, keep=1, mix=1),
    ):
        assert same is scores


def test_with_two_beams_kept_the_authors_mixture_loses_no_cluster():
    # 0.5 p~ + 0.5 top_2(p): cluster 1 keeps half of its own score.
    scores = top_clusters(np.array([[2.0, 1.0]], np.float32), H, None, 2)
    found = shortlisted_clusters(scores, passing(CLUSTER_GRAPH, "rows"), beam=2, keep=2, mix=0.5).toarray()
    np.testing.assert_allclose(found, [[sigma(2), 0.5 * sigma(1), 0.5 * sigma(2)]], rtol=1e-6)


def test_a_shortlist_holds_the_labels_of_its_clusters_with_their_scores():
    assert shortlist(sparse([[0.5, 0, 0.25]]), MEMBERS).toarray().tolist() == [[0.5, 0, 0.25, 0.5, 0]]


@pytest.mark.parametrize("device", ["cpu", "torch:cpu"])
@given(seed=st.integers(0, 2**31), clusters=st.integers(1, 8), beam=st.integers(1, 8))
@settings(max_examples=60, deadline=None)
def test_shortlists_are_those_of_the_paper(device, seed, clusters, beam):
    if device != "cpu":
        pytest.importorskip("torch", reason="the extra `train` is not installed")
    rng = np.random.default_rng(seed)
    labels = 2 * clusters + 1
    M = np.zeros((labels, clusters))
    M[np.arange(labels), rng.permutation(np.arange(labels) % clusters)] = 1
    G = rng.random((labels, labels)) * (rng.random((labels, labels)) < 0.3) + np.eye(labels)
    G_M = transcription.induced_graph(M, G)
    documents = rng.random((3, 4)).astype(np.float32)
    classifiers = rng.standard_normal((clusters, 4)).astype(np.float32)
    scores = top_clusters(moved(documents, device), moved(classifiers, device), None, beam)
    passes = passing(csr_array(G_M.astype(np.float32)), "rows")
    found = shortlisted_clusters(scores, passes, beam=beam, keep=1, mix=1)
    members = csr_array(M.T.astype(np.float32))
    for number, x_hat in enumerate(documents):
        expected, of_labels = transcription.shortlist(x_hat, classifiers, G_M, M, min(beam, clusters))
        for ours, theirs in ((found, expected), (shortlist(found, members), of_labels)):
            row = ours[[number]]
            assert dict(zip(row.indices.tolist(), row.data.tolist(), strict=True)) == pytest.approx(theirs, rel=1e-5)


def test_an_empty_batch_has_an_empty_shortlist():
    scores = top_clusters(np.zeros((0, 2), np.float32), H, None, 2)
    assert scores.shape == (0, 3)
    assert shortlist(scores, MEMBERS).shape == (0, 5)
