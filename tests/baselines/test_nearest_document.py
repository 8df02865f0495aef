import os

import numpy as np
import pytest
from baseline_contract import BaselineContract

from xclare.baselines import predict_baseline
from xclare.baselines.nearest_document import nearest_document
from xclare.baselines.settings import BaselineSettings
from xclare.data.dataset import Dataset
from xclare.errors import InputError, SettingError


class TestNearestDocument(BaselineContract):
    name = "nearest-document"

    def test_a_document_gets_the_labels_of_its_colour(self, checkerboard):
        found = self.predict(checkerboard)
        for row in range(8):
            assert found[[row]].indices.tolist() == [row % 2, row % 2 + 2, row % 2 + 4, row % 2 + 6]

    def test_each_neighbour_votes_with_its_cosine(self, build):
        dataset = build([[0, 1], [0], [2]], [[0, 1], [1], [2]], [[0, 1]], [[0], [1], [2]])
        np.testing.assert_allclose(self.predict(dataset).toarray(), [[1, 1 + np.sqrt(0.5), 0]], rtol=1e-6)

    def test_or_with_a_power_of_it(self, build):
        dataset = build([[0, 1], [0], [2]], [[0, 1], [1], [2]], [[0, 1]], [[0], [1], [2]])
        np.testing.assert_allclose(self.predict(dataset, similarity_power=2).toarray(), [[1, 1.5, 0]], rtol=1e-6)

    def test_only_the_nearest_vote_and_of_equally_near_ones_the_first(self, build):
        dataset = build([[0], [0, 1], [0, 1]], [[0], [1], [2]], [[0, 1]], [[0], [1], [2]])
        assert self.predict(dataset, neighbours=1).indices.tolist() == [1]

    def test_a_document_without_a_token_has_no_neighbours(self, build):
        assert self.predict(build([[0], []], [[0], [1]], [[]], [[0], [1]])).nnz == 0

    def test_weights_of_pairs_do_not_count(self, build):
        dataset = build([[0], [0]], [[0], [1]], [[0]], [[0], [1]])
        dataset.train.targets.data[:] = [5, 1]
        assert self.predict(dataset).toarray().tolist() == [[1, 1]]

    def test_it_agrees_with_a_dense_computation(self, random_dataset):
        test, train = (random_dataset.parts()[name].features.toarray().astype(np.float64) for name in ("test", "train"))
        cosines = (test @ train.T).astype(np.float32)
        expected = np.zeros((80, 60))
        for row in range(80):
            nearest = np.lexsort((np.arange(300), -cosines[row]))[:20]
            expected[row] = cosines[row][nearest].astype(np.float64) @ random_dataset.train.targets.toarray()[nearest]
        found = self.predict(random_dataset, neighbours=20, top_k=60).toarray()
        np.testing.assert_allclose(found, expected, atol=1e-5)


def test_an_unknown_baseline_is_refused_with_the_known_ones(checkerboard):
    with pytest.raises(InputError, match="popularity, nearest-label, nearest-document"):
        predict_baseline("svm", checkerboard, BaselineSettings())
    with pytest.raises(InputError, match="did you mean 'nearest-label'"):
        predict_baseline("nearest-lable", checkerboard)


@pytest.mark.parametrize("wrong", [{"neighbours": 0}, {"top_k": 0}, {"similarity_power": -1}])
def test_settings_out_of_range_are_refused(wrong):
    with pytest.raises(SettingError, match=f"baselines.{next(iter(wrong))}"):
        BaselineSettings(**wrong)


@pytest.mark.data
def test_on_ready_made_features_it_scores_what_was_measured_before():
    from xclare.evaluation import evaluate

    if "XCLARE_DATA" not in os.environ:
        pytest.skip("XCLARE_DATA is not set: it names the folder with the large data sets")
    folder = f"{os.environ['XCLARE_DATA']}/debian-deps-25k"
    dataset = Dataset.load(folder, features=f"{folder}/features.npz")
    metrics = evaluate(nearest_document(dataset), dataset.test, dataset.train).as_dict()
    expected = {"P@1": 70.1, "P@3": 47.1, "P@5": 35.5, "R@10": 62.3, "R@100": 78.5}
    assert {name: metrics[name] for name in expected} == pytest.approx(expected, abs=0.06)
