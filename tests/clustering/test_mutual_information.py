"""Loss of mutual information against its definition, by hand, and by what must hold of it."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from support import arbitrary_csr
from xclare.clustering import mutual_information as module
from xclare.clustering.mutual_information import lost_information, lost_token_information
from xclare.errors import InputError
from xclare.sparse import csr_from_pairs

NO_HEADS = np.zeros(4, bool)


def information(joint):
    """I(row; column) in bits by its definition, Σ p log p / (p_row p_column), for a table of weights."""
    total, found = joint.sum(), 0.0
    for row in range(joint.shape[0]):
        for column in range(joint.shape[1]):
            if joint[row, column] > 0:
                p = joint[row, column] / total
                found += p * math.log2(p / (joint[row].sum() / total * joint[:, column].sum() / total))
    return found


def lost(joint, cluster, heads):
    """I(label; column) - I(cluster; column), with heads as clusters of their own."""
    names = [("head", label) if heads[label] else ("cluster", cluster[label]) for label in range(len(cluster))]
    merged = np.array([sum(joint[label] for label, name in enumerate(names) if name == this) for this in set(names)])
    return information(joint) - information(merged)


@st.composite
def problems(draw):
    labels, documents = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    targets = arbitrary_csr(draw, documents, labels, st.sampled_from([0.5, 1.0, 7.0]))
    features = arbitrary_csr(draw, documents, 5, st.sampled_from([0.25, 0.5, 1.0, 3.0]))
    cluster = np.array(draw(st.lists(st.integers(0, 4), min_size=labels, max_size=labels)), np.int32)
    heads = np.array(draw(st.lists(st.booleans(), min_size=labels, max_size=labels)))
    return targets, features, cluster, heads


@given(problems())
def test_it_is_what_its_definition_says(problem):
    targets, features, cluster, heads = problem
    pairs = (targets.toarray() > 0).astype(float)
    if pairs.sum():
        assert lost_information(cluster, targets, heads) == pytest.approx(lost(pairs.T, cluster, heads), abs=1e-9)
    tokens = pairs.T @ features.toarray()
    if tokens.sum():
        found = lost_token_information(cluster, targets, features, heads)
        assert found == pytest.approx(lost(tokens, cluster, heads), abs=1e-9)


def test_four_labels_on_four_documents_by_hand():
    # Each label has a document of its own: I(label; document) = 2 bits. Two clusters of two tell 1 bit of them.
    targets = csr_from_pairs([0, 1, 2, 3], [0, 1, 2, 3], (4, 4))
    two = np.array([0, 0, 1, 1], np.int32)
    assert lost_information(two, targets, NO_HEADS) == pytest.approx(1)
    assert lost_information(two * 0, targets, NO_HEADS) == pytest.approx(2)
    # With the last label apart, its quarter of the pairs is told wholly, that of label 2 too: ½ · 1 bit is lost.
    assert lost_information(two, targets, np.array([False, False, False, True])) == pytest.approx(0.5)
    # Documents 0 and 1 have the same token, so labels 0 and 1 told nothing that their cluster does not tell.
    features = csr_from_pairs([0, 1, 2, 3], [0, 0, 1, 2], (4, 3))
    assert lost_token_information(two, targets, features, NO_HEADS) == pytest.approx(0.5)


def test_labels_of_the_same_document_lose_nothing_together():
    targets = csr_from_pairs([0, 0, 1, 1], [0, 1, 2, 3], (2, 4))
    assert lost_information(np.array([0, 0, 1, 1], np.int32), targets, NO_HEADS) == pytest.approx(0, abs=1e-12)
    assert lost_information(np.array([0, 1, 0, 1], np.int32), targets, NO_HEADS) == pytest.approx(1)


@given(problems())
def test_nothing_is_lost_by_a_cluster_each_all_by_one_cluster_and_merging_never_gains(problem):
    targets, features, cluster, _ = problem
    labels = targets.shape[1]
    none, pairs = np.zeros(labels, bool), (targets.toarray() > 0).astype(float)
    own = np.arange(labels, dtype=np.int32)
    for loss, joint in (
        (lambda clusters: lost_information(clusters, targets, none), pairs.T),
        (lambda clusters: lost_token_information(clusters, targets, features, none), pairs.T @ features.toarray()),
    ):
        assert loss(own) == pytest.approx(0, abs=1e-9)
        if joint.sum():
            assert loss(own * 0) == pytest.approx(information(joint), abs=1e-9)
        merged = np.where(cluster == 1, 0, cluster).astype(np.int32)
        assert loss(merged) >= loss(cluster) - 1e-9


def test_blocks_change_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    targets = csr_from_pairs(rng.integers(0, 50, 200), rng.integers(0, 30, 200), (50, 30))
    features = csr_from_pairs(rng.integers(0, 50, 300), rng.integers(0, 40, 300), (50, 40), rng.random(300))
    cluster, heads = rng.integers(0, 6, 30).astype(np.int32), rng.random(30) < 0.1
    whole = lost_token_information(cluster, targets, features, heads)
    monkeypatch.setattr(module, "PRODUCTS_AT_ONCE", 10)
    assert lost_token_information(cluster, targets, features, heads) == pytest.approx(whole, rel=1e-12)


def test_without_pairs_nothing_is_lost():
    empty = csr_array((3, 4), dtype=np.float32)
    assert lost_information(np.zeros(4, np.int32), empty, NO_HEADS) == 0
    assert lost_token_information(np.zeros(4, np.int32), empty, empty, NO_HEADS) == 0


def test_features_below_0_are_refused():
    matrix = csr_from_pairs([0], [0], (1, 4), [-1.0])
    with pytest.raises(InputError, match="below 0"):
        lost_token_information(np.zeros(4, np.int32), csr_from_pairs([0], [0], (1, 4)), matrix, NO_HEADS)
