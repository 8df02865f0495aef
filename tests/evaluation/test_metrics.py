"""Each metric on a problem worked by hand: 3 documents, 5 labels, the third document without truth."""

import math

import numpy as np
import pytest
from scipy.sparse import csr_array

from xclare.errors import InputError
from xclare.evaluation.coverage import coverage
from xclare.evaluation.hits import hit_ranks
from xclare.evaluation.ndcg import ndcg, propensity_scored_ndcg
from xclare.evaluation.per_document import PerDocument
from xclare.evaluation.precision import precision
from xclare.evaluation.propensity import inverse_propensities, propensity_scored_precision
from xclare.evaluation.recall import recall

INVERSE = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
LOG3 = math.log2(3)


@pytest.fixture
def hits():
    # Rankings: 1 0 3, 4, 2. Hits: document 0 label 0 at rank 2 and label 3 at rank 3; document 1 label 4 at rank 1.
    predictions = csr_array(([0.5, 0.9, 0.1, 2.0, 1.0], [0, 1, 3, 4, 2], [0, 3, 4, 5]), shape=(3, 5))
    truth = csr_array([[1, 0, 1, 1, 0], [1, 0, 0, 0, 1], [0, 0, 0, 0, 0]])
    return hit_ranks(predictions, truth)


def test_precision_divides_by_k_even_where_fewer_were_predicted(hits):
    assert precision(hits, 1).gained.tolist() == [0, 1, 0]
    assert precision(hits, 3).gained.tolist() == [2 / 3, 1 / 3, 0]
    assert precision(hits, 5).value == pytest.approx((2 / 5 + 1 / 5) / 3)


def test_recall_is_0_for_a_document_without_truth_which_stays_in_the_mean(hits):
    assert recall(hits, 1).gained.tolist() == [0, 1 / 2, 0]
    assert recall(hits, 10).value == pytest.approx((2 / 3 + 1 / 2) / 3)


def test_ndcg_is_relative_to_the_best_ranking_of_each_document(hits):
    assert ndcg(hits, 1).gained.tolist() == [0, 1, 0]
    dcg = [1 / LOG3 + 1 / 2, 1, 0]
    best = [1 + 1 / LOG3 + 1 / 2, 1 + 1 / LOG3]
    assert ndcg(hits, 3).value == pytest.approx((dcg[0] / best[0] + dcg[1] / best[1]) / 3)
    assert ndcg(hits, 5).value == ndcg(hits, 3).value


def test_psp_is_the_ratio_of_what_was_gained_to_the_best_attainable(hits):
    ideal = hits.ideal(INVERSE)
    at_1 = propensity_scored_precision(hits, ideal, INVERSE, 1)
    assert at_1.gained.tolist() == [0, 16, 0]
    assert at_1.attainable.tolist() == [8, 16, 0]
    assert at_1.value == pytest.approx(16 / 24)
    assert propensity_scored_precision(hits, ideal, INVERSE, 3).value == pytest.approx((1 + 8 + 16) / (13 + 17))


def test_psndcg_is_a_ratio_of_sums_of_normalised_gains(hits):
    gained = [(1 / LOG3 + 8 / 2) / (1 + 1 / LOG3 + 1 / 2), 16 / (1 + 1 / LOG3)]
    best = [(8 + 4 / LOG3 + 1 / 2) / (1 + 1 / LOG3 + 1 / 2), (16 + 1 / LOG3) / (1 + 1 / LOG3)]
    found = propensity_scored_ndcg(hits, hits.ideal(INVERSE), INVERSE, 3)
    assert found.value == pytest.approx(sum(gained) / sum(best))


def test_coverage_counts_different_labels_over_those_in_the_truth(hits):
    assert coverage(hits, 1) == 1 / 4  # label 4 of 0, 2, 3, 4
    assert coverage(hits, 3) == 3 / 4


def test_without_any_truth_every_metric_is_0():
    nothing = hit_ranks(csr_array([[1.0, 2.0]]), csr_array((1, 2)))
    ideal = nothing.ideal(INVERSE[:2])
    assert precision(nothing, 1).value == recall(nothing, 1).value == ndcg(nothing, 1).value == 0
    assert propensity_scored_precision(nothing, ideal, INVERSE[:2], 1).value == 0
    assert propensity_scored_ndcg(nothing, ideal, INVERSE[:2], 1).value == 0
    assert coverage(nothing, 1) == 0


def test_inverse_propensities_follow_the_formula_and_ignore_weights():
    targets = csr_array([[7.0, 0, 0], [3.0, 1, 0], [1.0, 0, 0], [1.0, 0, 0]])
    c = (math.log(4) - 1) * 2.5**0.55
    expected = [1 + c * (count + 1.5) ** -0.55 for count in (4, 1, 0)]
    assert inverse_propensities(targets).tolist() == pytest.approx(expected, abs=1e-12)
    c = (math.log(4) - 1) * 3.6**0.6
    assert inverse_propensities(targets, 0.6, 2.6)[1] == pytest.approx(1 + c * 3.6**-0.6)


@pytest.mark.parametrize("documents", [1, 2])
def test_with_too_few_documents_for_the_formula_all_labels_weigh_1(documents):
    assert inverse_propensities(csr_array(np.eye(documents, 3))).tolist() == [1, 1, 1]


def test_propensities_need_training_documents():
    with pytest.raises(InputError, match="no training documents"):
        inverse_propensities(csr_array((0, 3)))


def test_a_metric_over_documents_is_a_ratio_of_sums_or_a_mean():
    gained = np.array([1.0, 0.0, 2.0, 0.0])
    assert PerDocument(gained).value == 3 / 4
    assert PerDocument(gained, np.array([2.0, 2.0, 2.0, 0.0])).value == 1 / 2
