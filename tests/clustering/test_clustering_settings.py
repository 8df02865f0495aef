"""The number of clusters, and values that are refused."""

import pytest

from xclare.clustering.settings import ClusteringSettings
from xclare.errors import SettingError


@pytest.mark.parametrize(
    ("labels", "power"),
    [(131_073, 15), (312_330, 17), (501_070, 17), (1_305_265, 17), (94_296, 15), (23_519, 13), (9_550_772, 17)],
)
def test_the_number_of_clusters_is_the_papers_on_its_data_sets(labels, power):
    assert ClusteringSettings().clusters_for(labels) == 2**power


@pytest.mark.parametrize(("labels", "clusters"), [(0, 1), (1, 1), (4, 1), (5, 2), (9, 2), (10, 4), (18, 4), (19, 8)])
def test_few_labels_have_a_cluster_for_every_2_3_of_them(labels, clusters):
    assert ClusteringSettings().clusters_for(labels) == clusters


def test_a_number_that_is_given_is_used():
    assert ClusteringSettings(clusters=2**20).clusters_for(10) == 2**20


@pytest.mark.parametrize(
    "wrong",
    [
        {"clusters": 6},
        {"clusters": -2},
        {"method": "kmeans"},
        {"dimensions": -1},
        {"top_features": 0},
        {"iterations": 0},
        {"tolerance": float("nan")},
    ],
)
def test_other_values_are_refused(wrong):
    with pytest.raises(SettingError, match=rf"clustering\.{next(iter(wrong))}"):
        ClusteringSettings(**wrong)
