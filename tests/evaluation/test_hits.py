import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array, csr_array, csr_matrix

from xclare.errors import InputError
from xclare.evaluation import hits as module
from xclare.evaluation.hits import MISSED, hit_ranks, lower_bound


def ranks(predictions, truth, excluded=None):
    found = hit_ranks(csr_array(predictions), csr_array(truth), None if excluded is None else csr_array(excluded))
    return dict(zip(zip(found.document.tolist(), found.label.tolist(), strict=True), found.rank.tolist(), strict=True))


def test_a_rank_counts_higher_scores_and_equal_ones_of_lower_labels():
    predictions = [[0.5, 0.9, 0.5, 0.0, 0.5]]
    assert ranks(predictions, [[0, 0, 1, 1, 1]]) == {(0, 2): 3, (0, 3): MISSED, (0, 4): 4}


def test_filtered_pairs_leave_truth_and_ranking():
    predictions = [[0.9, 0.8, 0.7, 0.6]]
    assert ranks(predictions, [[1, 0, 0, 1]], [[1, 1, 0, 0]]) == {(0, 3): 2}


def test_a_filtered_label_of_equal_score_only_counts_when_it_stood_ahead():
    predictions = [[0.5, 0.5, 0.5]]
    assert ranks(predictions, [[0, 1, 0]], [[1, 0, 0]]) == {(0, 1): 1}
    assert ranks(predictions, [[0, 1, 0]], [[0, 0, 1]]) == {(0, 1): 2}


@pytest.mark.parametrize("entries_at_once", [1, 3, 1 << 17])
@given(data=st.data())
def test_ranks_are_positions_in_the_sorted_predictions(problems, slow_ranking, slow_truth, entries_at_once, data):
    problem = data.draw(problems)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "ENTRIES_AT_ONCE", entries_at_once)
        found = hit_ranks(problem.predictions, problem.documents.targets, problem.documents.excluded)
    expected = [
        (i, label, ranking.index(label) + 1 if label in ranking else MISSED)
        for i, (ranking, truth) in enumerate(zip(slow_ranking(problem), slow_truth(problem), strict=True))
        for label in sorted(truth)
    ]
    assert list(zip(found.document.tolist(), found.label.tolist(), found.rank.tolist(), strict=True)) == expected


@given(data=st.data())
def test_order_and_format_of_the_matrix_do_not_matter_and_it_stays_as_it_was(problems, data):
    problem = data.draw(problems)
    whole = problem.predictions
    mixed = np.concatenate([np.arange(b, e)[::-1] for b, e in zip(whole.indptr, whole.indptr[1:], strict=False)])
    mixed = mixed.astype(int)
    reversed_rows = csr_matrix((whole.data[mixed], whole.indices[mixed], whole.indptr), shape=whole.shape)
    before = reversed_rows.indices.copy()
    expected = hit_ranks(whole, problem.documents.targets, problem.documents.excluded).rank
    for same in (reversed_rows, coo_array(whole), whole.tocsc()):
        found = hit_ranks(same, problem.documents.targets, problem.documents.excluded)
        np.testing.assert_array_equal(found.rank, expected)
    np.testing.assert_array_equal(reversed_rows.indices, before)


def test_scores_that_differ_only_in_double_precision_do_not_tie():
    predictions = np.array([[1.0, 1.0 + 1e-12]])
    assert ranks(predictions, [[1, 1]]) == {(0, 0): 2, (0, 1): 1}
    assert ranks(predictions.astype(np.float32), [[1, 1]]) == {(0, 0): 1, (0, 1): 2}


@pytest.mark.parametrize("kind", [np.int64, np.uint8, np.longdouble, bool])
def test_scores_may_be_any_numbers(kind):
    assert ranks(np.array([[0, 1, 0, 1]], kind), [[0, 1, 0, 1]]) == {(0, 1): 1, (0, 3): 2}


def test_infinite_scores_rank_and_tie_as_others_do():
    predictions = [[math.inf, 1.0, math.inf, -math.inf, -math.inf]]
    assert ranks(predictions, [[1, 1, 1, 1, 1]]) == {(0, 0): 1, (0, 2): 2, (0, 1): 3, (0, 3): 4, (0, 4): 5}


def test_scores_of_a_pair_stored_twice_are_added():
    twice = csr_array((np.array([1.0, 1.5, 1.0]), np.array([1, 0, 1]), np.array([0, 3])), shape=(1, 2))
    assert hit_ranks(twice, csr_array([[1, 1]])).rank.tolist() == [2, 1]
    assert twice.nnz == 3


def test_nan_is_refused():
    with pytest.raises(InputError, match="NaN"):
        ranks([[1.0, math.nan]], [[1, 0]])


def test_what_is_no_matrix_of_numbers_of_the_right_shape_is_refused():
    truth = csr_array([[1, 0]])
    with pytest.raises(InputError, match="ndarray: expected a scipy sparse matrix"):
        hit_ranks(np.ones((1, 2)), truth)
    with pytest.raises(InputError, match=r"shape \(1, 3\): expected documents x labels, \(1, 2\)"):
        hit_ranks(csr_array([[1, 0, 1]]), truth)
    with pytest.raises(InputError, match="complex128: expected numbers"):
        hit_ranks(csr_array([[1j, 0]]), truth)


def test_the_ideal_ranking_has_the_truth_by_falling_value():
    found = hit_ranks(csr_array((2, 3)), csr_array([[1, 1, 1], [0, 1, 1]]))
    ideal = found.ideal(np.array([2.0, 1.0, 3.0]))
    assert ideal.document.tolist() == [0, 0, 0, 1, 1]
    assert ideal.label.tolist() == [2, 0, 1, 2, 1]
    assert ideal.rank.tolist() == [1, 2, 3, 1, 2]


@given(st.lists(st.sets(st.integers(0, 9)), min_size=1, max_size=5), st.data())
def test_lower_bound_is_a_binary_search_in_every_row(rows, data):
    columns = [sorted(row) for row in rows]
    indptr = np.cumsum([0] + [len(row) for row in columns])
    csr = csr_array(
        (np.ones(indptr[-1]), np.array([c for row in columns for c in row], np.int32), indptr), shape=(len(rows), 10)
    )
    asked = data.draw(st.lists(st.tuples(st.integers(0, len(rows) - 1), st.integers(0, 10))))
    row, column = np.array([r for r, _ in asked], int), np.array([c for _, c in asked], int)
    expected = [indptr[r] + np.searchsorted(columns[r], c) for r, c in asked]
    assert lower_bound(csr, row, column).tolist() == expected
