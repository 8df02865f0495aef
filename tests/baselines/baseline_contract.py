"""What every baseline promises; the tests of each inherit it."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from support import assert_same_matrix
from xclare.baselines import BASELINES, predict_baseline
from xclare.baselines.settings import BaselineSettings
from xclare.errors import InputError
from xclare.progress import Progress
from xclare.sparse import row_counts
from xclare.threads import threads


class Counting(Progress):
    def __init__(self):
        self.total, self.done = 0, 0

    def task(self, what, total):
        self.total += total
        return super().task(what, total)


class BaselineContract:
    name: str

    def predict(self, dataset, **settings):
        return predict_baseline(self.name, dataset, BaselineSettings(**settings))

    def test_it_predicts_labels_for_every_test_document_in_a_canonical_matrix(self, random_dataset):
        found = self.predict(random_dataset)
        assert found.shape == (80, 60)
        assert found.dtype == np.float32
        assert found.indices.dtype == np.int32
        assert found.has_canonical_format
        assert found.nnz

    def test_scores_are_above_zero(self, random_dataset):
        assert self.predict(random_dataset).data.min() > 0

    @pytest.mark.parametrize("top_k", [1, 3, 1000])
    def test_a_document_gets_at_most_top_k_labels_and_they_are_the_best(self, random_dataset, top_k):
        every = self.predict(random_dataset, top_k=1000).toarray()
        found = self.predict(random_dataset, top_k=top_k)
        assert row_counts(found).max() <= top_k
        for row in range(len(every)):
            best = np.lexsort((np.arange(60), -every[row]))[:top_k]  # of equal ones the lower id
            expected = np.sort(best[every[row][best] > 0])
            assert found.indices[found.indptr[row] : found.indptr[row + 1]].tolist() == expected.tolist()

    def test_it_gives_the_same_again_and_on_any_number_of_threads(self, random_dataset):
        first = self.predict(random_dataset)
        with threads(1):
            assert_same_matrix(first, self.predict(random_dataset), "predictions")

    def test_the_test_documents_labels_are_never_looked_at(self, random_dataset):
        test = random_dataset.test
        empty = dataclasses.replace(test, targets=test.targets * 0)
        blind = dataclasses.replace(random_dataset, test=empty)
        assert_same_matrix(self.predict(random_dataset), self.predict(blind), "predictions")

    def test_without_labels_in_training_there_is_nothing_to_vote_for(self, build):
        dataset = build([[0], [1]], [[], []], [[0], [1]], [[5], [6]])
        assert self.predict(dataset).nnz == 0

    def test_without_training_documents_it_predicts_nothing(self, build):
        assert self.predict(build([], [], [[0]], [[5], [6]])).shape == (1, 2)

    def test_without_test_documents_it_says_how_to_get_some(self, checkerboard):
        with pytest.raises(InputError, match="no test documents"):
            self.predict(dataclasses.replace(checkerboard, test=None))

    def test_progress_is_reported_for_every_test_document(self, random_dataset):
        progress = Counting()
        BASELINES[self.name](random_dataset, BaselineSettings(), progress)
        assert progress.total == 80
