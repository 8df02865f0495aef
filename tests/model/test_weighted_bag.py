# ruff: noqa: E402 - torch is looked for first
"""Sparse times dense as weighted bags: against scipy's product and PyTorch's dense derivatives."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra `train` is not installed")

from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from support import arbitrary_csr
from xclare.model.weighted_bag import Bags, weighted_sum_of_rows
from xclare.sparse import csr_from_pairs

CPU = torch.device("cpu")
# Row 0 takes row 2 twice and row 0 as it is; row 1 nothing; row 2 half of row 1, backwards.
SMALL = csr_from_pairs([0, 0, 2], [0, 2, 1], (3, 3), [1.0, 2.0, -0.5])


@st.composite
def matrices(draw):
    return arbitrary_csr(draw, draw(st.integers(0, 6)), draw(st.integers(1, 6)), st.floats(-4, 4, width=16))


def table_for(matrix, seed=0, kind=torch.float64):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(matrix.shape[1], 3, generator=generator, dtype=torch.float64).to(kind)


def dense(bags):
    """The matrix that bags came from."""
    shape = (len(bags), bags.width)
    return csr_array((bags.weights.numpy(), bags.columns.numpy(), bags.ends.numpy()), shape=shape).toarray()


def test_a_bag_is_the_weighted_sum_of_the_rows_it_names():
    table = torch.tensor([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]])
    assert Bags.of(SMALL, CPU).of_rows(table).tolist() == [[7, 70], [0, 0], [-1, -10]]


@given(matrices())
@settings(deadline=None)
def test_a_product_is_scipys_in_the_precision_of_the_table(matrix):
    bags = Bags.of(matrix, CPU)
    assert len(bags) == matrix.shape[0]
    for kind, tolerance in ((torch.float64, 1e-12), (torch.float32, 1e-5), (torch.bfloat16, 0.1)):
        table = table_for(matrix, kind=kind)
        found = bags.of_rows(table)
        assert found.dtype == kind
        expected = matrix.astype(np.float64) @ table.double().numpy()
        np.testing.assert_allclose(found.double().numpy(), expected, rtol=tolerance, atol=tolerance * 10)


@given(matrices())
@settings(deadline=None)
def test_derivatives_are_those_of_the_dense_product(matrix):
    bags = Bags.of(matrix, CPU)
    wanted = torch.randn(matrix.shape[0], 3, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    plain = table_for(matrix).requires_grad_()
    (torch.from_numpy(matrix.toarray()).double() @ plain).backward(wanted)
    for transposed in (None, bags.transposed()[0]):
        ours = table_for(matrix).requires_grad_()
        weighted_sum_of_rows(ours, bags, transposed).backward(wanted)
        torch.testing.assert_close(ours.grad, plain.grad)


def test_derivatives_pass_through_two_products():
    plain, ours = table_for(SMALL).requires_grad_(), table_for(SMALL).requires_grad_()
    matrix, bags = torch.from_numpy(SMALL.toarray()).double(), Bags.of(SMALL, CPU)
    (matrix @ (matrix @ plain)).square().sum().backward()
    weighted_sum_of_rows(weighted_sum_of_rows(ours, bags), bags).square().sum().backward()
    torch.testing.assert_close(ours.grad, plain.grad)


def test_a_gradient_that_lies_strided_in_memory_is_taken_as_well():
    ours = table_for(SMALL).requires_grad_()
    weighted_sum_of_rows(ours, Bags.of(SMALL, CPU)).sum().backward()  # the gradient of a sum is expanded
    torch.testing.assert_close(ours.grad[:, 0], torch.tensor([1, -0.5, 2], dtype=torch.float64))


@given(matrices(), st.data())
@settings(deadline=None)
def test_rows_can_be_taken_in_any_order_and_twice(matrix, data):
    rows = data.draw(st.lists(st.integers(0, matrix.shape[0] - 1), max_size=8)) if matrix.shape[0] else []
    taken = Bags.of(matrix, CPU).take(torch.tensor(rows, dtype=torch.int64))
    np.testing.assert_array_equal(dense(taken), matrix.toarray()[rows])
    np.testing.assert_array_equal(taken.row_of_entry().numpy(), np.repeat(np.arange(len(rows)), np.diff(taken.ends)))


@given(matrices())
@settings(deadline=None)
def test_transposed_columns_are_rows_and_every_entry_knows_where_it_stood(matrix):
    bags = Bags.of(matrix, CPU)
    transposed, order = bags.transposed()
    np.testing.assert_array_equal(dense(transposed), matrix.toarray().T)
    assert torch.equal(bags.weights[order], transposed.weights)
    assert torch.equal(bags.row_of_entry()[order], transposed.columns)
    again, _ = transposed.transposed()
    np.testing.assert_array_equal(dense(again), matrix.toarray())


def test_explicit_zeros_are_kept():
    listed = csr_array((np.float32([1, 0, 0]), [0, 2, 1], [0, 2, 3]), shape=(2, 3))
    bags = Bags.of(listed, CPU)
    assert bags.take(torch.tensor([1, 0])).weights.tolist() == [0, 1, 0]
    assert len(bags.transposed()[0].columns) == 3
