import dataclasses
import os

import numpy as np
import pytest
from baseline_contract import BaselineContract

from xclare.baselines.nearest_label import nearest_label
from xclare.data.dataset import Dataset
from xclare.errors import InputError


class TestNearestLabel(BaselineContract):
    name = "nearest-label"

    def test_a_document_gets_the_labels_whose_texts_share_its_tokens(self, checkerboard):
        found = self.predict(checkerboard)
        for row in range(8):
            assert sorted(found[[row]].indices.tolist()) == sorted([row, (row + 2) % 8])
        np.testing.assert_allclose(found.data, np.sqrt(0.5), rtol=1e-6)  # one of two tokens

    def test_the_score_is_the_cosine_whatever_the_lengths_of_the_rows(self, build):
        dataset = build([[0]], [[0]], [[0, 1]], [[0], [0, 1], [0, 1, 2]])
        dataset.labels.features.data *= 7
        expected = [[1 / np.sqrt(2), 1, 2 / np.sqrt(6)]]
        np.testing.assert_allclose(self.predict(dataset).toarray(), expected, rtol=1e-6)

    def test_a_document_or_a_label_without_tokens_is_near_to_nothing(self, build):
        dataset = build([[0]], [[0]], [[], [0]], [[0], []])
        assert self.predict(dataset).toarray().tolist() == [[0, 0], [1, 0]]

    def test_without_features_it_says_how_to_get_some(self, checkerboard):
        labels = dataclasses.replace(checkerboard.labels, features=None)
        parts = {name: dataclasses.replace(part, labels=labels) for name, part in checkerboard.parts().items()}
        with pytest.raises(InputError, match=r"The labels have no features.*--features FILE"):
            nearest_label(Dataset(**parts))

    def test_without_labels_in_training_there_is_nothing_to_vote_for(self, build):
        dataset = build([[0], [1]], [[], []], [[0], [1]], [[0], [1]])
        assert self.predict(dataset).nnz == 2  # it needs no training documents


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "precision", "propensity_scored", "recall"),
    [("debian-deps-25k", 6.65, 9.12, 8.93), ("docs-seealso-titles-100k", 33.04, 35.18, 40.05)],
)
def test_on_ready_made_features_it_scores_what_was_measured_before(name, precision, propensity_scored, recall):
    from xclare.evaluation import evaluate

    if "XCLARE_DATA" not in os.environ:
        pytest.skip("XCLARE_DATA is not set: it names the folder with the large data sets")
    folder = f"{os.environ['XCLARE_DATA']}/{name}"
    dataset = Dataset.load(folder, features=f"{folder}/features.npz")
    metrics = evaluate(nearest_label(dataset), dataset.test, dataset.train).as_dict()
    assert metrics["P@1"] == pytest.approx(precision, abs=0.05)
    assert metrics["PSP@1"] == pytest.approx(propensity_scored, abs=0.05)
    assert metrics["R@10"] == pytest.approx(recall, abs=0.05)
