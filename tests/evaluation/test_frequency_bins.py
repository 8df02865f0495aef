import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from xclare.evaluation.frequency_bins import BINS, bin_of_label, frequency_bins
from xclare.evaluation.hits import hit_ranks
from xclare.evaluation.precision import precision

counts_of_labels = arrays(np.int64, st.integers(1, 40), elements=st.integers(0, 20))


def test_labels_of_equal_frequency_fill_the_bins_by_id():
    assert bin_of_label(np.full(10, 3)).tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]


def test_every_bin_has_as_many_training_positives_as_whole_labels_allow():
    counts = np.array([8, 1, 1, 2, 4, 8, 8, 8])  # 40 in all, 8 a bin
    assert bin_of_label(counts).tolist() == [1, 0, 0, 0, 0, 2, 3, 4]


def test_labels_never_seen_are_in_the_rarest_bin():
    assert bin_of_label(np.array([0, 100, 0, 1])).tolist() == [0, 2, 0, 0]
    assert bin_of_label(np.zeros(4, int)).tolist() == [0, 0, 0, 0]
    assert bin_of_label(np.zeros(0, int)).tolist() == []


@given(counts_of_labels)
def test_bins_ascend_with_frequency_and_are_equal_up_to_half_a_label_at_either_end(counts):
    bins = bin_of_label(counts)
    assert (np.diff(bins[np.argsort(counts, kind="stable")]) >= 0).all()
    share = counts.sum() / BINS
    ends = np.cumsum(np.bincount(bins, counts, BINS))
    assert (np.abs(ends - share * np.arange(1, BINS + 1)) <= counts.max() / 2).all()


@given(data=st.data())
def test_contributions_of_the_bins_sum_to_precision(problems, data):
    problem = data.draw(problems)
    hits = hit_ranks(problem.predictions, problem.documents.targets, problem.documents.excluded)
    counts = data.draw(arrays(np.int64, hits.labels, elements=st.integers(0, 5)))
    bins = frequency_bins(hits, counts, (1, 3, 5))
    for k in (1, 3, 5):
        parts = [part.contributions[f"P@{k}"] for part in bins]
        assert sum(parts) == pytest.approx(100 * precision(hits, k).value, abs=1e-12)
        hits_of_bins = sum(round(part * k * hits.documents / 100) for part in parts)
        assert hits_of_bins == np.count_nonzero(hits.rank <= k)
    assert sum(part.labels for part in bins) == hits.labels
    assert sum(part.training_positives for part in bins) == counts.sum()


def test_a_bin_describes_its_labels(build):
    problem = build([{0: 2.0, 1: 1.0}], [{0, 1}], [set()], [{0}], 3)
    hits = hit_ranks(problem.predictions, problem.documents.targets)
    rarest, *_, popular = frequency_bins(hits, np.array([6, 1, 0]), (1, 3))
    assert (rarest.number, rarest.labels, rarest.training_positives) == (1, 2, 1)
    assert (rarest.least_documents, rarest.most_documents) == (0, 1)
    assert rarest.contributions == {"P@1": 0, "P@3": pytest.approx(100 / 3)}
    assert (popular.number, popular.labels, popular.least_documents, popular.most_documents) == (5, 0, 0, 0)
