import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array, csr_array, csr_matrix

from xclare.sparse import as_csr, column_counts, csr_from_pairs, csr_from_rows, row_counts, row_of_entry, top_k

pairs = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 6)), max_size=20)


@given(pairs)
def test_pairs_in_any_order_become_a_canonical_matrix_of_ones(drawn):
    rows, columns = [row for row, _ in drawn], [column for _, column in drawn]
    matrix = csr_from_pairs(rows, columns, (5, 7))
    expected = np.zeros((5, 7))
    expected[rows, columns] = 1
    assert matrix.has_canonical_format
    np.testing.assert_array_equal(matrix.toarray(), expected)


@given(pairs)
def test_values_of_a_pair_named_twice_are_added(drawn):
    expected = np.zeros((5, 7))
    for row, column in drawn:
        expected[row, column] += 2
    matrix = csr_from_pairs([row for row, _ in drawn], [column for _, column in drawn], (5, 7), [2.0] * len(drawn))
    np.testing.assert_array_equal(matrix.toarray(), expected)


def test_rows_are_sorted():
    matrix = csr_from_rows([0, 2, 3], [4, 1, 0], [1.0, 2.0, 3.0], 5)
    assert matrix.indices.tolist() == [1, 4, 0]
    assert matrix.data.tolist() == [2.0, 1.0, 3.0]
    assert matrix.indices.dtype == np.int32


def test_any_sparse_matrix_becomes_canonical_float32_and_the_original_stays_as_it_was():
    original = csr_matrix((np.array([1.0, 2.0, 3.0], np.float32), np.array([2, 0, 2]), np.array([0, 3])), shape=(1, 3))
    canonical = as_csr(original)
    assert isinstance(canonical, csr_array)
    assert canonical.toarray().tolist() == [[2.0, 0.0, 4.0]]
    assert original.indices.tolist() == [2, 0, 2]
    assert as_csr(coo_array(np.eye(3))).dtype == np.float32


def test_what_is_not_sparse_is_refused():
    with pytest.raises(TypeError, match="expected a scipy sparse matrix, got list"):
        as_csr([[1.0]])


def test_counts_and_rows_of_entries():
    matrix = csr_from_pairs([0, 2, 2], [1, 1, 3], (3, 4))
    assert row_counts(matrix).tolist() == [1, 0, 2]
    assert column_counts(matrix).tolist() == [0, 2, 0, 1]
    assert row_of_entry(matrix).tolist() == [0, 2, 2]


scored_rows = st.lists(st.dictionaries(st.integers(0, 9), st.sampled_from([-np.inf, -1.0, 0.0, 0.5, 2.0, np.inf])))


@given(scored_rows, st.integers(1, 6))
def test_the_k_best_entries_of_every_row_stay_of_equal_ones_those_in_lower_columns(drawn, k):
    rows = [sorted(row.items()) for row in drawn]
    indptr = np.cumsum([0] + [len(row) for row in rows])
    columns, scores = ([pair[side] for row in rows for pair in row] for side in (0, 1))
    csr = csr_from_rows(indptr, columns, scores, 10)
    best = top_k(csr, k)
    found = [
        list(zip(best.indices[b:e].tolist(), best.data[b:e].tolist(), strict=True))
        for b, e in itertools.pairwise(best.indptr)
    ]
    assert found == [sorted(sorted(row, key=lambda pair: (-pair[1], pair[0]))[:k]) for row in rows]
    assert best.shape == csr.shape
    assert best.has_canonical_format
    assert best.dtype == np.float32


def test_one_long_row_among_many_short_ones_has_its_best_entries_too():
    rng = np.random.default_rng(0)
    lengths = np.where(np.arange(3000) == 1700, 400_000, rng.integers(0, 12, 3000))
    columns = np.concatenate([np.arange(length) for length in lengths])
    csr = csr_from_rows(np.cumsum([0, *lengths]), columns, rng.random(len(columns)), 400_000)
    best = top_k(csr, 5)
    assert row_counts(best).tolist() == np.minimum(lengths, 5).tolist()
    for row in (0, 1, 1700, 2999):
        expected = np.sort(csr.data[csr.indptr[row] : csr.indptr[row + 1]])[-5:]
        np.testing.assert_array_equal(np.sort(best.data[best.indptr[row] : best.indptr[row + 1]]), expected)
