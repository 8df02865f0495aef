"""The labels a document is trained on: by hand, and as sets."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from support import arbitrary_csr
from xclare.sparse import csr_from_pairs
from xclare.training import negatives as module
from xclare.training.negatives import training_lists


def listed(lists):
    """Label -> weight of every document."""
    ends = lists.indptr
    rows = [slice(start, stop) for start, stop in itertools.pairwise(ends)]
    return [dict(zip(lists.indices[row].tolist(), lists.data[row].tolist(), strict=True)) for row in rows]


TARGETS = csr_from_pairs([0, 0, 1], [0, 1, 3], (3, 5), [2.0, 0.5, 1.0])
SHORTLISTS = csr_from_pairs([0, 0, 2], [1, 2, 4], (3, 5), [0.9, 0.1, 0.7])
# Label 2 knows label 3, label 4 label 0; every label knows itself.
GRAPH = csr_from_pairs([0, 1, 2, 2, 3, 4, 4], [0, 1, 2, 3, 3, 0, 4], (5, 5), [0.3] * 7)


def test_relevant_labels_keep_their_weight_and_shortlisted_others_have_none():
    # Document 0 misses its label 0 in the shortlist; document 1 has no shortlist, document 2 nothing relevant.
    assert listed(training_lists(TARGETS, SHORTLISTS, None)) == [{0: 2, 1: 0.5, 2: 0}, {3: 1}, {4: 0}]


def test_with_a_graph_the_neighbours_of_shortlisted_labels_are_negatives_too():
    assert listed(training_lists(TARGETS, SHORTLISTS, GRAPH)) == [{0: 2, 1: 0.5, 2: 0, 3: 0}, {3: 1}, {0: 0, 4: 0}]


@st.composite
def problems(draw):
    documents, labels = draw(st.integers(1, 5)), draw(st.integers(1, 6))
    targets = arbitrary_csr(draw, documents, labels, st.sampled_from([0.25, 1.0, 3.0]))
    shortlists = arbitrary_csr(draw, documents, labels, st.floats(0, 1, width=32))
    edges = arbitrary_csr(draw, labels, labels, st.sampled_from([0.1, 1.0]))
    graph = csr_array(edges + csr_array(np.eye(labels, dtype=np.float32)))
    return targets, shortlists, draw(st.sampled_from([None, graph]))


@given(problems(), st.sampled_from([1, 4, 1 << 24]))
@settings(deadline=None)
def test_lists_are_relevant_labels_and_what_was_shortlisted_whatever_the_blocks(problem, at_once):
    targets, shortlists, graph = problem
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "PRODUCTS_AT_ONCE", at_once)
        lists = training_lists(*problem)
    assert lists.shape == targets.shape
    assert lists.dtype == np.float32
    assert lists.has_canonical_format
    for found, relevant, shortlisted in zip(listed(lists), listed(targets), listed(shortlists), strict=True):
        negatives = set(shortlisted)
        if graph is not None:
            negatives |= {m for label in shortlisted for m in range(graph.shape[0]) if graph[label, m]}
        assert found == {**dict.fromkeys(negatives, 0.0), **relevant}


def test_what_it_was_given_stays_as_it_was():
    before = [matrix.copy() for matrix in (TARGETS, SHORTLISTS, GRAPH)]
    training_lists(TARGETS, SHORTLISTS, GRAPH)
    for matrix, copy in zip((TARGETS, SHORTLISTS, GRAPH), before, strict=True):
        np.testing.assert_array_equal(matrix.data, copy.data)
        np.testing.assert_array_equal(matrix.indices, copy.indices)
