import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from xclare.baselines import similarity
from xclare.baselines.similarity import most_similar
from xclare.sparse import as_csr, row_counts


def slowly(queries, items, k):
    """The same by dense matrices and complete sorting."""

    def unit(matrix):
        dense = matrix.toarray().astype(np.float64)
        norms = np.linalg.norm(dense, axis=1, keepdims=True)
        return dense / np.where(norms == 0, 1, norms)

    cosines = (unit(queries) @ unit(items).T).astype(np.float32)
    kept = np.zeros_like(cosines)
    for row, of_row in enumerate(cosines):
        best = np.lexsort((np.arange(len(of_row)), -of_row))[:k]
        kept[row, best] = np.maximum(of_row[best], 0)
    return kept


def skewed(rng, rows, columns, negative=False):
    """Features as texts have them: the first columns stand in nearly every row."""
    density = np.minimum(1, 2 / (1 + np.arange(columns)))
    there = rng.random((rows, columns)) < density
    values = rng.random((rows, columns)) + 0.1
    signs = np.where(negative & (rng.random((rows, columns)) < 0.3), -1, 1)
    return as_csr(csr_array(there * values * signs))


@pytest.fixture
def thorough(monkeypatch):
    """Columns are left out however little work there is, in blocks of a few rows."""
    monkeypatch.setattr(similarity, "FEW_PRODUCTS", 0)
    monkeypatch.setattr(similarity, "PRODUCTS_AT_ONCE", 3000)


@pytest.mark.parametrize("k", [1, 10, 50, 500])
@pytest.mark.parametrize("negative", [False, True])
def test_leaving_common_columns_out_at_first_changes_nothing(thorough, k, negative):
    rng = np.random.default_rng(k)
    queries, items = skewed(rng, 60, 120, negative), skewed(rng, 400, 120, negative)
    found = most_similar(queries, items, k)
    assert found.has_canonical_format
    assert row_counts(found).max() <= k
    np.testing.assert_allclose(found.toarray(), slowly(queries, items, k), atol=3e-7)


def test_queries_whose_neighbours_share_rare_columns_are_searched_once(thorough, monkeypatch):
    topic = np.kron(np.eye(40), np.ones((30, 3)))  # 1200 items of 40 topics, each with three columns of its own
    items = as_csr(csr_array(np.hstack([np.full((1200, 8), 0.1), topic])))  # and eight columns that all share
    searched = []
    run = similarity._run
    monkeypatch.setattr(similarity, "_run", lambda *given: searched.append(given[1].shape[0]) or run(*given))
    found = most_similar(items[::30], items, 5)
    assert searched == [40]
    assert found.indices.tolist() == [30 * row + step for row in range(40) for step in range(5)]


def test_of_equally_similar_items_the_first_are_taken(thorough):
    rng = np.random.default_rng(1)
    once = skewed(rng, 40, 30)
    items = as_csr(csr_array(np.tile(once.toarray(), (5, 1))))
    found = most_similar(once, items, 3)
    for row in range(40):
        assert found[[row]].indices.tolist()[0] == row
    np.testing.assert_array_equal(found.toarray() > 0, slowly(once, items, 3) > 0)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(0, 6), st.integers(0, 9), st.integers(1, 5), st.integers(1, 4))
def test_it_agrees_with_dense_matrices_on_small_integers_where_ties_abound(seed, rows, items, columns, k):
    rng = np.random.default_rng(seed)
    drawn = [as_csr(csr_array(rng.integers(0, 3, (count, columns)).astype(np.float32))) for count in (rows, items)]
    found = most_similar(*drawn, k).toarray()
    expected = slowly(*drawn, k)
    assert found.shape == expected.shape
    np.testing.assert_allclose(np.sort(found, axis=1), np.sort(expected, axis=1), atol=3e-7)


def test_the_kth_largest_entry_of_every_row_is_found_whatever_their_lengths():
    rng = np.random.default_rng(3)
    counts = rng.permutation([0, 1, 4, 5, 6, 50, 3000, 200_000])
    rows = [rng.normal(size=count) for count in counts]
    columns = np.concatenate([np.arange(count) for count in counts])
    csr = csr_array((np.concatenate(rows), columns, np.cumsum([0, *counts])))
    expected = [np.sort(row)[-5] if len(row) >= 5 else 0 for row in rows]
    np.testing.assert_array_equal(similarity._kth_largest(csr, 5), expected)
