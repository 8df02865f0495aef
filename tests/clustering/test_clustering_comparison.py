"""The table of lost mutual information and the clusters shown side by side."""

import dataclasses
import os
from pathlib import Path

import numpy as np
import pytest

from xclare import Dataset
from xclare.clustering.comparison import Comparison, fan_outs, sample_clusters
from xclare.clustering.meta_labels import MetaLabels, meta_labels
from xclare.clustering.mutual_information import lost_information
from xclare.clustering.settings import METHODS, ClusteringSettings
from xclare.data.dataset import Documents, Labels
from xclare.data.synthetic import SyntheticSpec, generate
from xclare.errors import InputError
from xclare.graph.label_graph import LabelGraph
from xclare.sparse import column_counts, csr_from_pairs
from xclare.strings import Strings
from xclare.text.features import with_features
from xclare.threads import threads

TEN = csr_from_pairs(range(10), range(10), (10, 10))


@pytest.fixture(scope="module")
def train():
    spec = dataclasses.replace(SyntheticSpec(), train_documents=3000, test_documents=1, labels=1200)
    return generate(spec, text=False).dataset.train


def test_the_table_has_a_row_for_every_method_and_number_of_clusters(train):
    graph = LabelGraph.build(train).matrix
    settings = ClusteringSettings(dimensions=64)
    rows = Comparison(train, graph, settings, head_threshold=500).table((64, 256))
    assert [(row.method, row.clusters) for row in rows] == [(method, n) for n in (64, 256) for method in METHODS]
    wanted = dataclasses.replace(settings, method="plain", clusters=256)
    plain = meta_labels(train.features, train.targets, None, wanted, head_threshold=500, seed=0)
    heads = column_counts(train.targets) > 500
    assert rows[4].documents == pytest.approx(lost_information(plain.cluster_of_label, train.targets, heads))
    for few, many in zip(rows[:3], rows[3:], strict=True):
        assert many.documents < few.documents
        assert many.tokens < few.tokens


def documents(**named):
    labels = Labels(count=10, fields={"title": Strings.of(f"label {i}" for i in range(10))}, text_fields=("title",))
    return Documents(count=10, targets=TEN, labels=labels, **named)


def test_samples_are_of_labels_whose_two_clusters_share_least():
    # Augmented: pairs (0 1), (2 3), …; plain: (0 1), and the others shifted by one: (2 9), (3 4), (5 6), (7 8).
    augmented = MetaLabels(np.arange(10, dtype=np.int32) // 2, 5, 0)
    plain = MetaLabels(np.array([0, 0, 1, 2, 2, 3, 3, 4, 4, 1], np.int32), 5, 0)
    found = sample_clusters(documents(), augmented, plain, 3, seed=0)
    assert 1 <= len(found) <= 3
    for sample in found:
        label = int(sample.label.removeprefix("label "))
        assert label >= 2
        assert sample.augmented == (f"label {label ^ 1}",)
        assert len(sample.plain) == 1
        assert sample.plain != sample.augmented
    assert found == sample_clusters(documents(), augmented, plain, 3, seed=0)
    labels = {label for sample in found for label in (sample.label, *sample.augmented)}
    assert len(labels) == 2 * len(found)


@pytest.mark.parametrize(("labels", "expected"), [(1, (1,)), (12, (4,)), (20, (2, 8)), (131_073, (2**13, 2**15))])
def test_fan_outs_are_the_number_of_clusters_and_a_quarter_of_it(labels, expected):
    assert fan_outs(ClusteringSettings(), labels) == expected


def test_samples_of_a_comparison_are_of_the_clusters_in_use(train):
    settings = ClusteringSettings(clusters=256, dimensions=64)
    samples = Comparison(train, LabelGraph.build(train).matrix, settings, head_threshold=500).samples(2)
    assert len(samples) == 2
    assert all(3 <= len(members) <= 4 for sample in samples for members in (sample.augmented, sample.plain))


def test_head_labels_and_clusters_of_one_label_are_not_shown():
    apart = MetaLabels(np.array([0, 0, 1, 2, 3, 4, 5, 6, 7, 7], np.int32), 7, 1)
    assert [sample.label in ("label 0", "label 1") for sample in sample_clusters(documents(), apart, apart, 5, 0)] == [
        True
    ]


def test_documents_without_features_are_refused():
    with pytest.raises(InputError, match="features"):
        Comparison(documents(), TEN, ClusteringSettings(), head_threshold=500).table((2,))


def real_data(name):
    """Training documents with features, and their label graph."""
    if "XCLARE_DATA" not in os.environ:
        pytest.skip("set XCLARE_DATA to the folder with the real data sets")
    train = with_features(Dataset.load(Path(os.environ["XCLARE_DATA"]) / name)).train
    return train, LabelGraph.build(train).matrix


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "fanouts"), [("debian-deps-25k", (2**10, 2**13)), ("docs-seealso-titles-100k", (2**13, 2**15))]
)
def test_graph_augmented_clusters_lose_least_on_real_data(name, fanouts):
    train, graph = real_data(name)
    rows = Comparison(train, graph, ClusteringSettings(), head_threshold=500).table(fanouts)
    for fanout in fanouts:
        augmented, plain, random = (row for row in rows if row.clusters == fanout)
        assert augmented.documents < min(plain.documents, random.documents)
        assert augmented.tokens < min(plain.tokens, random.tokens)


@pytest.mark.data
def test_on_real_data_projected_centroids_lose_what_sparse_ones_do_and_torch_what_numpy_does():
    train, graph = real_data("debian-deps-25k")
    heads = column_counts(train.targets) > 500

    def clusters(device="cpu", **settings):
        wanted = ClusteringSettings(**settings)
        found = meta_labels(train.features, train.targets, graph, wanted, head_threshold=500, seed=0, device=device)
        return found.cluster_of_label

    def loss(cluster):
        return lost_information(cluster, train.targets, heads)

    with threads(1):
        one = clusters()
    with threads(2):
        np.testing.assert_array_equal(clusters(), one)
    assert loss(one) == pytest.approx(loss(clusters(dimensions=0, top_features=300)), rel=0.02)
    pytest.importorskip("torch", reason="torch is not installed (extra `train`)")
    in_torch = clusters("torch:cpu")
    np.testing.assert_array_equal(in_torch, clusters("torch:cpu"))
    assert loss(in_torch) == pytest.approx(loss(one), rel=0.01)
