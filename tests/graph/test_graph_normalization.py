import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from xclare.graph.normalization import (
    perron_normalization,
    stationary_distribution,
    symmetric_normalization,
    with_diagonal,
)

counts = st.lists(st.lists(st.integers(0, 9), min_size=4, max_size=4), min_size=4, max_size=4)


def test_a_small_graph_is_normalised_as_by_hand():
    normal = symmetric_normalization(csr_array(np.array([[2, 2], [0, 4]], np.float32))).toarray()
    # row sums 4 and 4, column sums 2 and 6
    np.testing.assert_allclose(normal, [[2 / np.sqrt(8), 2 / np.sqrt(24)], [0, 4 / np.sqrt(24)]], rtol=1e-6)


@given(counts)
def test_the_normalised_graph_is_the_papers_product(rows):
    dense = np.array(rows, np.float64)
    filled = with_diagonal(csr_array(dense.astype(np.float32)))
    expected = dense + np.diag(np.diag(dense) == 0)
    np.testing.assert_array_equal(filled.toarray(), expected)
    a, b = np.diag(expected.sum(axis=1) ** -0.5), np.diag(expected.sum(axis=0) ** -0.5)
    np.testing.assert_allclose(symmetric_normalization(filled).toarray(), a @ expected @ b, rtol=1e-6)


@given(counts, st.sampled_from([0.01, 0.05, 0.5, 1.0]))
def test_the_perron_normalisation_is_chungs(rows, teleport):
    dense = np.array(rows, np.float64)
    dense += np.diag(np.diag(dense) == 0)
    steps = dense / dense.sum(axis=1, keepdims=True)
    phi = stationary_distribution(csr_array(steps), teleport)
    walked = phi @ ((1 - teleport) * steps + teleport / 4)
    np.testing.assert_allclose(walked, phi, atol=1e-10)
    root = np.sqrt(phi)
    forward = root[:, None] * steps / root
    ours = perron_normalization(csr_array(dense.astype(np.float32)), teleport).toarray()
    np.testing.assert_allclose(ours, (forward + forward.T) / 2, rtol=1e-5, atol=1e-7)
