import dataclasses
import json

import numpy as np
import pytest
import scipy.sparse as sp

from xclare import Dataset, LabelGraph
from xclare.errors import InputError
from xclare.graph.co_occurrence import co_occurrence
from xclare.graph.exact_walk import personalised_pagerank
from xclare.graph.label_graph import find_label
from xclare.graph.neighbourhood import neighbourhood
from xclare.graph.own_graph import read_own_graph
from xclare.graph.settings import GraphSettings
from xclare.sparse import csr_from_pairs


@pytest.fixture
def data():
    texts = ["sweet fruit", "sour fruit", "bright lamp", "old lamp", "nothing"]
    labels = [["apple", "pear"], ["pear", "lemon"], ["bulb", "shade"], ["bulb"], []]
    return Dataset.from_lists(texts, labels, ["apple", "pear", "lemon", "bulb", "shade", "alone"])


def test_a_built_graph_has_the_whole_diagonal_and_no_edge_between_the_islands(data):
    graph = LabelGraph.build(data, seed=1)
    dense = graph.matrix.toarray()
    assert (np.diag(dense) > 0).all()
    assert not dense[:3, 3:].any()
    assert dense[0, 2] > 0, "apple and lemon share no document, but a walk leads from one to the other"
    assert dense[5].tolist() == [0, 0, 0, 0, 0, 1]
    assert graph.counts.toarray()[5].sum() == 0


def test_neighbours_come_by_falling_weight_without_the_label_itself(data):
    graph = LabelGraph.build(data, seed=1)
    neighbours = graph.neighbours(1, 5)
    assert {label for label, _ in neighbours} == {0, 2}
    assert [weight for _, weight in neighbours] == sorted((weight for _, weight in neighbours), reverse=True)
    assert len(graph.neighbours(1, 1)) == 1
    assert graph.neighbours(5) == []


def test_a_saved_graph_is_a_csr_for_scipy_with_its_settings_beside_it(data, tmp_path):
    settings = GraphSettings(walk_length=50)
    graph = LabelGraph.build(data, settings, seed=3)
    graph.save(tmp_path / "g.npz")
    graph.save(tmp_path / "c.npz", counts=True)
    np.testing.assert_array_equal(sp.load_npz(tmp_path / "g.npz").toarray(), graph.matrix.toarray())
    np.testing.assert_array_equal(sp.load_npz(tmp_path / "c.npz").toarray(), graph.counts.toarray())
    about = json.loads(str(np.load(tmp_path / "g.npz")["xclare"]))
    assert (about["seed"], about["settings"]["walk_length"]) == (3, 50)
    loaded = LabelGraph.load(tmp_path / "g.npz")
    assert (loaded.settings, loaded.seed) == (settings, 3)
    np.testing.assert_array_equal(loaded.matrix.toarray(), graph.matrix.toarray())
    with pytest.raises(InputError, match="holds raw counts"):
        LabelGraph.load(tmp_path / "c.npz")


def test_a_matrix_that_is_no_saved_graph_is_refused(tmp_path):
    sp.save_npz(tmp_path / "m.npz", sp.csr_array(np.eye(2)))
    with pytest.raises(InputError, match="no graph of xclare's"):
        LabelGraph.load(tmp_path / "m.npz")


def test_statistics_count_what_can_be_counted_by_hand(data):
    statistics = LabelGraph.build(data, seed=1).statistics(data)
    assert statistics.labels == 6
    assert statistics.isolated_labels == 1
    assert (statistics.components, statistics.largest_component) == (3, 3)
    # apple - pear - lemon all reach each other (6 edges, 2 of them without a common document), bulb - shade (2)
    assert statistics.edges == 8
    assert statistics.share_not_co_occurring == pytest.approx(2 / 8)


def test_co_occurrence_is_the_product_of_the_targets(data):
    dense = data.train.targets.toarray()
    np.testing.assert_array_equal(co_occurrence(data.train.targets, GraphSettings()).toarray(), dense.T @ dense)


def test_pagerank_solves_its_own_equation(data):
    a = 0.3
    settings = GraphSettings(ppr_restart=a, prune_mass=0)
    dense = data.train.targets.toarray()
    to_document = dense.T / np.maximum(dense.sum(axis=0), 1)[:, None]
    step = to_document @ (dense / np.maximum(dense.sum(axis=1), 1)[:, None])
    live = np.diag((dense.sum(axis=0) > 0).astype(float))
    expected = a * live @ np.linalg.inv(np.eye(6) - (1 - a) * step)
    np.testing.assert_allclose(personalised_pagerank(data.train.targets, settings).toarray(), expected, atol=1e-6)


@pytest.mark.parametrize("method", ["walk", "exact", "cooccurrence", "ppr"])
@pytest.mark.parametrize("normalize", ["symmetric", "perron"])
def test_every_method_builds_with_every_normalisation(method, normalize, data):
    graph = LabelGraph.build(data, GraphSettings(method=method, normalize=normalize))
    assert (np.diag(graph.matrix.toarray()) > 0).all()
    assert graph.matrix.has_canonical_format


def test_text_vectors_prune_edges(data):
    vectors = np.array([[1.0, 0], [1, 0], [-1, 0], [0, 1], [0, 1], [0, 1]])
    graph = LabelGraph.build(data, GraphSettings(prune_below_cosine=0.5), label_vectors=vectors)
    assert {label for label, _ in graph.neighbours(1)} == {0}
    with pytest.raises(InputError, match="give label_vectors"):
        LabelGraph.build(data, GraphSettings(prune_below_cosine=0.5))


def test_edges_that_disagree_are_no_rivals_of_those_that_are_kept():
    # Label 0 shares three documents with label 1, two with label 2, one with label 3; only label 1 disagrees with it.
    pairs = [[0, 1], [0, 1], [0, 1], [0, 2], [0, 2], [0, 3]]
    rows, columns = np.repeat(np.arange(6), 2), np.ravel(pairs)
    targets = csr_from_pairs(rows, columns, (6, 4))
    vectors = np.array([[1.0, 0], [-1, 0], [1, 1], [2, 0]])
    settings = GraphSettings(method="cooccurrence", max_edges=1, prune_below_cosine=0.0)
    graph = LabelGraph.build(targets, settings, label_vectors=vectors)
    assert [label for label, _ in graph.neighbours(0)] == [2]
    assert graph.neighbours(1) == []
    assert graph.counts.toarray()[0].tolist() == [6, 0, 2, 0]
    wider = LabelGraph.build(targets, dataclasses.replace(settings, max_edges=0), label_vectors=vectors)
    assert {label for label, _ in wider.neighbours(0)} == {2, 3}
    unpruned = LabelGraph.build(targets, GraphSettings(method="cooccurrence", max_edges=1))
    assert [label for label, _ in unpruned.neighbours(0)] == [1]


def test_an_own_graph_stands_alone_or_is_mixed_in(data):
    own = csr_from_pairs([0], [3], (6, 6))
    alone = LabelGraph.build(data, own=own).matrix.toarray()
    assert np.flatnonzero(alone[0]).tolist() == [0, 3]
    half = LabelGraph.build(data, GraphSettings(own_share=0.5), own=own).matrix.toarray()
    inferred = LabelGraph.build(data).matrix.toarray()
    np.testing.assert_allclose(half, (alone + inferred) / 2, atol=1e-7)
    with pytest.raises(InputError, match="expected labels x labels"):
        LabelGraph.build(data, own=csr_from_pairs([0], [0], (2, 2)))


@pytest.mark.parametrize(
    "content",
    [
        "source,target,weight\napple,bulb,2\nbulb,apple,1\napple,bulb,1\n",
        "source\ttarget\tweight\n0\t3\t3\n3\t0\t1\n",
        '{"source": "apple", "target": "bulb", "weight": 3}\n{"source": "bulb", "target": "apple", "weight": 1}\n',
    ],
)
def test_edges_are_read_by_text_or_number(content, data, tmp_path):
    (tmp_path / "edges").write_text(content)
    graph = read_own_graph(tmp_path / "edges", data.labels).toarray()
    assert graph[0, 3] == 3
    assert graph[3, 0] == 1
    assert graph.sum() == 4


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("source,target\napple,tree\n", "line 2"),
        ("source,weight\napple,1\n", "one end of an edge"),
        ("source,target,weight\napple,pear,-1\n", "negative weight"),
        ("source,target,weight\napple,pear,much\n", "the weight of an edge"),
        ("nothing of the kind", "one end of an edge"),
        ("[1, 2]", "is no table"),
    ],
)
def test_bad_edges_are_refused_with_their_place(content, message, data, tmp_path):
    (tmp_path / "edges.csv").write_text(content)
    with pytest.raises(InputError) as error:
        read_own_graph(tmp_path / "edges.csv", data.labels)
    assert message in str(error.value)


def test_an_own_matrix_of_another_shape_is_refused(data, tmp_path):
    sp.save_npz(tmp_path / "m.npz", sp.csr_array(np.eye(2)))
    with pytest.raises(InputError, match="expected labels x labels"):
        read_own_graph(tmp_path / "m.npz", data.labels)


def test_a_label_is_found_by_text_or_number_and_missed_with_the_nearest(data):
    assert find_label(data.labels, "lemon") == 2
    assert find_label(data.labels, "3") == 3
    with pytest.raises(InputError, match="Did you mean 'pear'"):
        find_label(data.labels, "paer")


def test_a_neighbourhood_holds_what_the_walk_saw_around_its_start(data):
    around = neighbourhood(data.train.targets, 0, GraphSettings(), seed=0)
    assert around.labels.tolist()[0] == 0
    assert set(around.labels.tolist()) == {0, 1, 2}
    assert around.visits.sum() == 400
    names = around.labels.tolist()
    shared = {tuple(sorted((names[i], names[j]))) for i, j in around.co_occurring}
    assert shared == {(0, 1), (1, 2)}
    assert all(i != j and restart >= 0 for i, j, restart in around.inferred)


def test_the_neighbourhood_of_a_label_without_documents_is_itself(data):
    around = neighbourhood(data.train.targets, 5, GraphSettings(), seed=0)
    assert around.labels.tolist() == [5]
    assert around.inferred == []
