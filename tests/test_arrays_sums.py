"""What arrays.py adds for clusters: the smallest of every row, and products of sparse and dense matrices."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array, random_array

from support import arbitrary_csr
from xclare import arrays
from xclare.arrays import as_numpy, csr_product, moved, smallest
from xclare.threads import threads

DEVICES = ["cpu", "torch:cpu"]


def on(array, device):
    if device != "cpu":
        pytest.importorskip("torch", reason="torch is not installed (extra `train`)")
    return moved(array, device)


@pytest.mark.parametrize("device", DEVICES)
def test_the_smallest_are_the_first_of_a_stable_sort(device):
    rng = np.random.default_rng(0)
    for columns in (1, 2, 7, 100):
        values = rng.integers(-3, 4, (20, columns)).astype(np.float32)
        for count in {1, (columns + 1) // 2, columns}:
            first = np.argsort(values, axis=1, kind="stable")[:, :count]
            expected = np.zeros(values.shape, bool)
            np.put_along_axis(expected, first, True, axis=1)
            np.testing.assert_array_equal(as_numpy(smallest(on(values, device), count)), expected)


@st.composite
def factors(draw):
    matrix = arbitrary_csr(draw, draw(st.integers(0, 8)), draw(st.integers(0, 8)), st.floats(-4, 4, width=16))
    return matrix, np.random.default_rng(0).standard_normal((matrix.shape[1], 3)).astype(np.float32)


@given(factors(), st.sampled_from([3, 6, 300]))
def test_a_product_is_scipys_whatever_the_blocks(problem, values):
    matrix, dense = problem
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrays, "VALUES_AT_ONCE", values)
        found = csr_product(matrix, dense)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, matrix @ dense, atol=1e-4)


@pytest.mark.parametrize("device", DEVICES)
def test_a_product_with_rows_of_all_lengths_is_scipys(device):
    rng = np.random.default_rng(0)
    lengths = np.concatenate([np.zeros(5, int), rng.geometric(0.2, 300), [900]])
    columns = np.concatenate([np.sort(rng.permutation(1000)[:length]) for length in lengths])
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    matrix = csr_array((rng.random(len(columns)), columns, indptr), shape=(len(lengths), 1000))  # float64
    dense = rng.standard_normal((1000, 5)).astype(np.float32)
    found = as_numpy(csr_product(matrix, on(dense, device)))
    np.testing.assert_allclose(found, matrix @ dense, rtol=1e-4, atol=1e-4)


def test_a_product_is_the_same_to_the_bit_on_any_number_of_threads():
    matrix = csr_array(random_array((4000, 500), density=0.02, format="csr", rng=np.random.default_rng(0)))
    dense = np.random.default_rng(1).standard_normal((500, 64)).astype(np.float32)
    with threads(1):
        one = csr_product(matrix, dense)
    with threads(2):
        np.testing.assert_array_equal(csr_product(matrix, dense), one)
