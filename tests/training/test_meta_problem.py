"""The meta problem: by hand, and against dense numpy."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from support import arbitrary_csr
from xclare.clustering.meta_labels import MetaLabels
from xclare.clustering.settings import ClusteringSettings
from xclare.sparse import csr_from_pairs
from xclare.training.meta_problem import assignment, meta_graph, meta_problem, meta_targets, meta_texts

# Labels 0 and 2 are in cluster 0, label 1 in cluster 1.
LABELS = MetaLabels(np.array([0, 1, 0], np.int32), 2, 0)
GRAPH = csr_from_pairs([0, 0, 0, 1, 2, 2], [0, 1, 2, 1, 1, 2], (3, 3), [0.5, 0.25, 0.25, 1.0, 0.5, 0.5])
COUNTS = csr_from_pairs([0, 0, 1, 2], [0, 1, 1, 1], (3, 3), [6.0, 2.0, 4.0, 3.0])


def test_every_label_is_in_the_cluster_it_was_given():
    assert assignment(LABELS).toarray().tolist() == [[1, 0], [0, 1], [1, 0]]


def test_the_text_of_a_cluster_is_the_sum_of_its_labels_texts():
    texts = csr_from_pairs([0, 1, 2, 2], [0, 1, 0, 2], (3, 3), [1.0, 5.0, 2.0, 4.0])
    members = assignment(LABELS)
    assert meta_texts(members, texts, ClusteringSettings()).toarray().tolist() == [[3, 0, 4], [0, 5, 0]]
    found = meta_texts(members, texts, ClusteringSettings(meta_text="unit")).toarray()
    np.testing.assert_allclose(found, [[0.6, 0, 0.8], [0, 1, 0]], rtol=1e-6)


def test_the_graph_of_clusters_is_the_mean_over_pairs_of_their_labels():
    # Cluster 0 with itself: (0.5 + 0.25 + 0 + 0.5) / 4; with cluster 1: (0.25 + 0.5) / 2.
    found = meta_graph(assignment(LABELS), GRAPH, COUNTS, ClusteringSettings())
    np.testing.assert_allclose(found.toarray(), [[1.25 / 4, 0.75 / 2], [0, 1]])


def test_by_counts_visits_are_added_up_and_normalised():
    # Label 2 never came back to itself, which counts as 1: cluster 0 sees itself 6 + 1 times, cluster 1 2 + 3 times.
    # Row sums 12 and 4, column sums 7 and 9.
    found = meta_graph(assignment(LABELS), GRAPH, COUNTS, ClusteringSettings(meta_graph="counts"))
    np.testing.assert_allclose(found.toarray(), [[7 / (12 * 7) ** 0.5, 5 / (12 * 9) ** 0.5], [0, 4 / 6]], rtol=1e-6)


def test_only_the_strongest_edges_of_a_cluster_stay_and_its_own():
    counts = csr_array(np.array([[5, 9, 1, 2], [3, 1, 1, 2], [1, 2, 3, 4], [4, 4, 4, 1]], np.float32))
    members = assignment(MetaLabels(np.arange(4, dtype=np.int32), 4, 0))
    expected = [{0, 1}, {0, 1}, {2, 3}, {0, 3}]
    for how in ("counts", "mean"):
        found = meta_graph(members, counts, counts, ClusteringSettings(meta_graph=how, meta_edges=1)).toarray()
        assert [set(np.flatnonzero(row)) for row in found] == expected


def test_a_documents_clusters_have_the_largest_weight_of_its_labels_in_them():
    targets = csr_from_pairs([0, 0, 0, 2, 2], [0, 1, 2, 0, 2], (3, 3), [1.0, 0.5, 3.0, 2.0, 0.25])
    found = meta_targets(assignment(LABELS), targets)
    assert found.toarray().tolist() == [[3, 0.5], [0, 0], [2, 0]]
    assert found.has_canonical_format


@st.composite
def problems(draw):
    labels, clusters = draw(st.integers(1, 7)), draw(st.integers(1, 4))
    cluster = np.array(draw(st.lists(st.integers(0, clusters - 1), min_size=labels, max_size=labels)), np.int32)
    positive = st.floats(0.125, 4, width=16)
    eye = csr_array(np.eye(labels, dtype=np.float32))
    return (
        MetaLabels(cluster, clusters, 0),
        arbitrary_csr(draw, labels, 5, positive),
        arbitrary_csr(draw, 4, labels, positive),
        csr_array(arbitrary_csr(draw, labels, labels, positive) + eye),
        csr_array(arbitrary_csr(draw, labels, labels, positive)),
    )


@given(problems())
@settings(deadline=None)
def test_the_meta_problem_is_its_formula_in_dense_matrices(problem):
    labels, texts, targets, graph, counts = problem
    found = meta_problem(labels, texts, targets, graph, counts, ClusteringSettings())
    members = np.zeros((len(labels.cluster_of_label), labels.clusters))
    for label, cluster in enumerate(labels.cluster_of_label):
        members[label, cluster] = 1
    np.testing.assert_array_equal(found.members.toarray(), members)
    assert (found.members.sum(axis=1) == 1).all()
    np.testing.assert_allclose(found.texts.toarray(), members.T @ texts.toarray(), rtol=1e-5)
    share = members / np.maximum(members.sum(axis=0), 1)
    np.testing.assert_allclose(found.graph.toarray(), share.T @ graph.toarray() @ share, rtol=1e-5)
    for document, row in enumerate(found.targets.toarray()):
        weights = targets.toarray()[document]
        expected = [max(weights[members[:, m] > 0], default=0) for m in range(labels.clusters)]
        np.testing.assert_array_equal(row, expected)
    for matrix in (found.members, found.texts, found.graph, found.targets):
        assert matrix.has_canonical_format
        assert matrix.dtype == np.float32


@given(problems())
@settings(deadline=None)
def test_by_counts_it_is_the_sum_normalised_like_the_label_graph(problem):
    labels, _, _, graph, counts = problem
    members = assignment(labels)
    found = meta_graph(members, graph, counts, ClusteringSettings(meta_graph="counts"))
    dense = counts.toarray()
    dense += np.diag(np.diag(dense) == 0)
    summed = members.toarray().T @ dense @ members.toarray()
    summed += np.diag(np.diag(summed) == 0)  # a cluster without a label
    expected = summed / np.sqrt(summed.sum(axis=1)[:, None] * summed.sum(axis=0))
    np.testing.assert_allclose(found.toarray(), expected, rtol=1e-5)
