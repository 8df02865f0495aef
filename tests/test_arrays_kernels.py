"""What arrays.py adds for equations: the same in numpy and torch, and each by its definition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xclare import arrays
from xclare.arrays import as_numpy, largest, moved, pair_products, relu, sigmoid, softmax

DEVICES = ["cpu", "torch:cpu"]
X = np.array([[-2.0, 0.0, 3.0], [1.0, 1.0, 1.0]], np.float32)


def on(array, device):
    if device != "cpu":
        pytest.importorskip("torch", reason="the extra `train` is not installed")
    return moved(array, device)


@pytest.mark.parametrize("device", DEVICES)
def test_functions_of_one_array_are_their_formulas_and_keep_its_precision(device):
    for kind in (np.float32, np.float64):
        x = on(X.astype(kind), device)
        exponentials = np.exp(X)
        for found, expected in (
            (relu(x), [[0, 0, 3], [1, 1, 1]]),
            (sigmoid(x), 1 / (1 + np.exp(-X))),
            (softmax(x), exponentials / exponentials.sum(axis=1)[:, None]),
        ):
            assert as_numpy(found).dtype == kind
            np.testing.assert_allclose(as_numpy(found), expected, rtol=1e-6)


@pytest.mark.parametrize("device", DEVICES)
def test_large_numbers_do_not_overflow(device):
    x = on(np.array([[-1e4, 1e4]], np.float32), device)
    assert as_numpy(sigmoid(x)).tolist() == [[0, 1]]
    assert as_numpy(softmax(x)).tolist() == [[0, 1]]


@pytest.mark.parametrize("device", DEVICES)
@given(seed=st.integers(0, 2**31), columns=st.integers(1, 9), data=st.data())
@settings(deadline=None)
def test_the_largest_are_those_of_a_sort_and_stand_where_it_says(device, seed, columns, data):
    count = data.draw(st.integers(1, columns))
    values = np.random.default_rng(seed).standard_normal((4, columns)).astype(np.float32)
    found, places = (as_numpy(part) for part in largest(on(values, device), count))
    np.testing.assert_array_equal(np.sort(found, axis=1), np.sort(values, axis=1)[:, columns - count :])
    np.testing.assert_array_equal(np.take_along_axis(values, places, axis=1), found)
    assert all(len(set(row)) == count for row in places.tolist())


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("at_once", [1, 7, 1 << 20])
def test_products_of_pairs_are_dot_products_whatever_the_blocks(device, at_once, monkeypatch):
    monkeypatch.setattr(arrays, "VALUES_AT_ONCE", at_once)
    rng = np.random.default_rng(0)
    left, right = rng.standard_normal((5, 3)).astype(np.float32), rng.standard_normal((8, 3)).astype(np.float32)
    rows, columns = rng.integers(0, 5, 40), rng.integers(0, 8, 40)
    found = pair_products(*(on(array, device) for array in (left, right, rows, columns)))
    expected = [left[row] @ right[column] for row, column in zip(rows, columns, strict=True)]
    np.testing.assert_allclose(as_numpy(found), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("device", DEVICES)
def test_of_no_pairs_there_are_no_products(device):
    none = np.zeros(0, np.int64)
    found = pair_products(*(on(array, device) for array in (X, X, none, none)))
    assert tuple(found.shape) == (0,)
    assert as_numpy(found).dtype == np.float32


def test_bfloat16_comes_back_as_float32():
    torch = pytest.importorskip("torch", reason="the extra `train` is not installed")
    found = as_numpy(torch.tensor([1.0, 2.5]).bfloat16())
    assert found.dtype == np.float32
    assert found.tolist() == [1, 2.5]
