import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from xclare.graph.pruning import agreeing_edges, strongest_edges

counts = st.lists(st.lists(st.integers(0, 4), min_size=5, max_size=5), min_size=5, max_size=5)


@given(counts, st.integers(0, 4))
def test_the_strongest_edges_of_every_row_and_its_diagonal_stay(rows, most):
    dense = np.array(rows, np.float32)
    kept = strongest_edges(csr_array(dense), np.arange(5), most).toarray()
    for label in range(5):
        others = sorted((-dense[label, m], m) for m in range(5) if m != label and dense[label, m])
        expected = {m for _, m in (others[:most] if most else others)}
        expected |= {label} if dense[label, label] else set()
        assert set(np.flatnonzero(kept[label])) == expected
    assert ((kept == dense) | (kept == 0)).all()


def test_edges_whose_vectors_disagree_are_removed_and_the_diagonal_stays():
    graph = csr_array(np.ones((3, 3), np.float32))
    vectors = np.array([[1.0, 0.0], [1.0, 1.0], [-1.0, 0.0]])
    expected = [[1, 1, 0], [1, 1, 0], [0, 0, 1]]
    assert agreeing_edges(graph, vectors, 0.1).toarray().tolist() == expected
    assert agreeing_edges(graph, csr_array(vectors.astype(np.float32)), 0.1).toarray().tolist() == expected


def test_a_zero_vector_agrees_with_nothing_but_stays_its_own_neighbour():
    kept = agreeing_edges(csr_array(np.ones((2, 2), np.float32)), np.array([[0.0], [1.0]]), 0.01).toarray()
    assert kept.tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize("most", [1, 2])
def test_ties_go_to_the_lower_label(most):
    kept = strongest_edges(csr_array(np.array([[0, 2, 2, 2]], np.float32)), np.array([0]), most).toarray()
    assert kept.tolist() == [[0, 2, 2 * (most == 2), 0]]
