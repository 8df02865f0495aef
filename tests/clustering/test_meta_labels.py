"""Every label in exactly one cluster, heads apart."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from xclare.clustering.meta_labels import MetaLabels, cluster_labels, head_clusters_for, meta_labels, random_clusters
from xclare.clustering.settings import ClusteringSettings
from xclare.errors import InputError
from xclare.sparse import csr_from_pairs


def clusters_of(labels, heads, clusters, seed=0, method=cluster_labels):
    """Labels at random places, the last `heads` of a random order with 600 documents."""
    rng = np.random.default_rng(seed)
    frequencies = np.full(labels, 500)
    frequencies[rng.permutation(labels)[:heads]] = 501
    wanted = ClusteringSettings(clusters=clusters)
    if method is random_clusters:
        return frequencies, random_clusters(frequencies, wanted, head_threshold=500, seed=seed)
    centroids = rng.standard_normal((labels, 5)).astype(np.float32)
    return frequencies, cluster_labels(centroids, frequencies, wanted, head_threshold=500, seed=seed)


@pytest.mark.parametrize("heads", [20, 40])
def test_no_head_label_is_lost_where_the_authors_program_loses_them(heads):
    # R19: with 2,048 labels in 2^6 clusters, their program covers 40 head labels by a 65th cluster and 20 by none.
    frequencies, found = clusters_of(2048, heads, 64)
    assert (found.tail_clusters, found.head_clusters) == (64, 1)
    assert found.sizes()[64] == heads
    np.testing.assert_array_equal(found.is_head, frequencies > 500)


@pytest.mark.parametrize(
    ("labels", "heads", "clusters", "expected"),
    [
        (2048, 40, 2**6, 1),  # 6 - 5 - 1 = 0
        (2048, 64, 2**6, 1),  # 6 - 5 - 1
        (2048, 65, 2**6, 2),  # 31.5 labels a head: 6 - 4 - 1
        (131_073, 500, 2**15, 2**6),  # 262: 15 - 8 - 1
        (10, 0, 4, 0),
        (8, 8, 8, 4),  # 3 - 0 - 1
        (1, 1, 1, 1),
        (1000, 1, 2**30, 1),  # never more than one each
    ],
)
def test_the_number_of_head_clusters_follows_the_authors_rule(labels, heads, clusters, expected):
    assert head_clusters_for(labels, heads, clusters) == expected


@given(st.integers(0, 60), st.data(), st.sampled_from([0, 1, 2, 4, 8, 64]), st.integers(0, 2))
def test_every_label_is_in_one_cluster_and_sizes_differ_by_at_most_one_among_tail_and_head(
    labels, data, clusters, seed
):
    heads = data.draw(st.integers(0, labels))
    frequencies, found = clusters_of(labels, heads, clusters, seed)
    assert found.cluster_of_label.shape == (labels,)
    assert found.cluster_of_label.dtype == np.int32
    sizes = found.sizes()
    assert len(sizes) == found.clusters
    assert sizes.sum() == labels
    wanted = clusters or ClusteringSettings().clusters_for(labels)
    assert found.tail_clusters == min(wanted, labels - heads)
    assert (found.head_clusters > 0) == (heads > 0)
    for part, count in ((sizes[: found.tail_clusters], labels - heads), (sizes[found.tail_clusters :], heads)):
        assert part.sum() == count
        if len(part):
            assert part.min() >= 1
            assert part.max() - part.min() <= 1
    np.testing.assert_array_equal(found.is_head, frequencies > 500)


def test_random_clusters_are_even_and_keep_heads_apart():
    frequencies, found = clusters_of(40_000, 100, 64, method=random_clusters)
    sizes = found.sizes()[:64]
    assert sizes.sum() == 39_900
    assert np.abs(sizes - 39_900 / 64).max() < 5 * np.sqrt(39_900 / 64)
    np.testing.assert_array_equal(found.is_head, frequencies > 500)
    again = random_clusters(frequencies, ClusteringSettings(clusters=64), head_threshold=500, seed=0)
    np.testing.assert_array_equal(again.cluster_of_label, found.cluster_of_label)
    other = random_clusters(frequencies, ClusteringSettings(clusters=64), head_threshold=500, seed=1)
    assert (other.cluster_of_label == found.cluster_of_label).mean() < 0.05


@pytest.mark.parametrize("dimensions", [0, 64])
def test_the_graph_brings_labels_together_whose_documents_share_no_feature(dimensions):
    # By their documents labels 0 and 2 are alike, and 1 and 3. The graph says that 0 and 1 belong together, and 2
    # and 3: with its weights, their centroids are 0.9 of the one feature and 0.1 of the other, or the reverse.
    features = csr_from_pairs([0, 1, 2, 3], [0, 1, 0, 1], (4, 2))
    targets = csr_from_pairs([0, 1, 2, 3], [0, 1, 2, 3], (4, 4))
    rows, columns = [0, 0, 1, 1, 2, 2, 3, 3], [0, 1, 0, 1, 2, 3, 2, 3]
    graph = csr_from_pairs(rows, columns, (4, 4), [0.9, 0.1, 0.9, 0.1, 0.1, 0.9, 0.1, 0.9])

    def clusters(method):
        settings = ClusteringSettings(method=method, clusters=2, dimensions=dimensions)
        found = meta_labels(features, targets, graph, settings, head_threshold=500, seed=0)
        return found.cluster_of_label.tolist()

    assert clusters("plain") in ([0, 1, 0, 1], [1, 0, 1, 0])
    assert clusters("augmented") in ([0, 0, 1, 1], [1, 1, 0, 0])


def test_augmentation_needs_a_graph():
    targets = csr_from_pairs([0, 1], [0, 1], (2, 2))
    with pytest.raises(InputError, match=r"clustering\.method = plain"):
        meta_labels(targets, targets, None, ClusteringSettings(), head_threshold=500, seed=0)


def test_clusters_survive_the_way_through_a_file(tmp_path):
    _, found = clusters_of(50, 7, 8)
    found.save(tmp_path / "C.npz", ClusteringSettings(clusters=8), seed=5)
    again = MetaLabels.load(tmp_path / "C.npz")
    np.testing.assert_array_equal(again.cluster_of_label, found.cluster_of_label)
    assert (again.tail_clusters, again.head_clusters) == (found.tail_clusters, found.head_clusters)
    with np.load(tmp_path / "C.npz") as file:
        assert set(file.files) == {"cluster_of_label", "xclare"}
        assert '"seed": 5' in str(file["xclare"])
        assert '"clusters": 8' in str(file["xclare"])
    members = np.concatenate([again.members(cluster) for cluster in range(again.clusters)])
    assert sorted(members) == list(range(50))


ABOUT = '{"tail_clusters": 2, "head_clusters": 0}'


@pytest.mark.parametrize(
    ("arrays", "told"),
    [
        ({"cluster_of_label": np.array([0, 1])}, "xclare"),
        ({"xclare": np.array(ABOUT)}, "cluster_of_label"),
        ({"cluster_of_label": np.array([0, 2]), "xclare": np.array(ABOUT)}, "from 0 to 1"),
        ({"cluster_of_label": np.array([-1, 0]), "xclare": np.array(ABOUT)}, "from 0 to 1"),
        ({"cluster_of_label": np.array([0.5]), "xclare": np.array(ABOUT)}, "from 0 to 1"),
        ({"cluster_of_label": np.array([[0]]), "xclare": np.array(ABOUT)}, "from 0 to 1"),
        ({"cluster_of_label": np.array([0]), "xclare": np.array("{")}, "xclare clusters DATA"),
        ({"cluster_of_label": np.array([0]), "xclare": np.array("3")}, "xclare clusters DATA"),
    ],
)
def test_other_files_are_refused(arrays, told, tmp_path):
    np.savez(tmp_path / "C.npz", **arrays)
    with pytest.raises(InputError, match=told):
        MetaLabels.load(tmp_path / "C.npz")
