# ruff: noqa: E402 - torch is looked for first
"""Dropout by slices of one pool of masks."""

import pytest

torch = pytest.importorskip("torch", reason="the extra `train` is not installed")

from xclare.equations.embedding_block import no_dropout
from xclare.training.dropout import DropoutPool

CPU = torch.device("cpu")
ONES = torch.ones(100, 30)


def pool(rate=0.2, seed=1, kind=torch.float32):
    return DropoutPool(rate, ONES.numel(), seed, CPU, kind)


@pytest.mark.parametrize("rate", [0.2, 0.5, 0.9])
def test_a_number_is_dropped_at_the_rate_and_else_scaled_so_that_the_mean_stays(rate):
    masks = pool(rate).masks
    assert masks.unique().tolist() == pytest.approx([0, 1 / (1 - rate)])
    # about a million independent draws
    assert float((masks == 0).float().mean()) == pytest.approx(rate, abs=0.0025)
    assert float(masks.mean()) == pytest.approx(1, abs=0.015)


def test_a_mask_multiplies_what_is_there():
    dropout = pool()
    x = torch.arange(3000.0).view(100, 30)
    torch.testing.assert_close(dropout.at(3, 1)(x), x * dropout.at(3, 1)(ONES), rtol=0, atol=0)


def test_the_same_seed_step_and_chunk_drop_the_same():
    one, other = pool().at(5, 2), pool().at(5, 2)
    for _ in range(3):
        assert torch.equal(one(ONES), other(ONES))


def test_another_use_chunk_step_or_seed_drops_other_numbers():
    first = pool().at(5, 2)
    masks = [first(ONES), first(ONES), pool().at(5, 3)(ONES), pool().at(6, 2)(ONES), pool(seed=2).at(5, 2)(ONES)]
    for number, mask in enumerate(masks):
        for other in masks[:number]:
            kept = float(((mask == 0) == (other == 0)).float().mean())
            assert kept == pytest.approx(0.8**2 + 0.2**2, abs=0.05)  # as often alike as independent masks are


def test_without_a_rate_nothing_is_kept_and_nothing_dropped():
    empty = pool(rate=0.0)
    assert len(empty.masks) == 0
    assert empty.at(0, 0) is no_dropout


def test_masks_are_in_the_precision_of_what_they_mask():
    assert pool(kind=torch.bfloat16).at(0, 0)(ONES.bfloat16()).dtype == torch.bfloat16


def test_the_largest_use_fits_at_the_last_place():
    whole = pool()
    assert len(whole.masks) == ONES.numel() + whole.spare
    for step in range(200):
        assert whole.at(step, 0)(ONES).shape == ONES.shape


def test_gradients_flow_where_nothing_was_dropped():
    x = ONES.clone().requires_grad_()
    dropped = pool().at(0, 0)(x)
    dropped.sum().backward()
    torch.testing.assert_close(x.grad, dropped.detach())
