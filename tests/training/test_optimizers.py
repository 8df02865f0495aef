# ruff: noqa: E402 - torch is looked for first
"""Adam by rows against PyTorch's own, and learning rates worked by hand."""

import math

import pytest

torch = pytest.importorskip("torch", reason="the extra `train` is not installed")

from hypothesis import given
from hypothesis import strategies as st

from xclare.training.optimizers import RowAdam, halvings, learning_rate_at
from xclare.training.settings import TrainingSettings

ROWS, DIMENSION = 7, 3
CHUNKS = [slice(0, 4), slice(4, 7)]


def gradients(steps, seed=0):
    """For every step the gradient, in which about half of the rows are untouched."""
    generator = torch.Generator().manual_seed(seed)
    for _ in range(steps):
        gradient = torch.randn(ROWS, DIMENSION, generator=generator)
        yield (
            gradient * (torch.rand(ROWS, 1, generator=generator) < 0.5),
            0.01 * float(torch.rand(1, generator=generator)),
        )


def by_rows(start, settings):
    values = start.clone()
    adam = RowAdam(values, settings)
    for number, (gradient, rate) in enumerate(gradients(12)):
        for chunk in CHUNKS:
            touched = gradient[chunk].any(1).nonzero().squeeze(1)
            if len(touched) or not adam.lazy:
                adam.update(chunk, gradient[chunk][touched], touched, number, rate)
    return values


def starting_values():
    return torch.randn(ROWS, DIMENSION, generator=torch.Generator().manual_seed(1))


SETTINGS = pytest.mark.parametrize("changes", [{}, {"epsilon": 1e-2}, {"beta_1": 0.5, "beta_2": 0.9}])


@SETTINGS
def test_rows_that_a_step_does_not_touch_move_on_as_in_adam(changes):
    settings = TrainingSettings(optimizer="adam", **changes)
    theirs = torch.nn.Parameter(starting_values())
    adam = torch.optim.Adam([theirs], betas=(settings.beta_1, settings.beta_2), eps=settings.epsilon)
    for gradient, rate in gradients(12):
        theirs.grad, adam.param_groups[0]["lr"] = gradient, rate
        adam.step()
    torch.testing.assert_close(by_rows(starting_values(), settings), theirs.detach(), rtol=1e-5, atol=1e-7)


@SETTINGS
def test_with_row_adam_they_stay_as_in_sparse_adam(changes):
    # PyTorch's SparseAdam adds epsilon before the second moment's bias is corrected, and Adam after it: theirs is given
    # an epsilon that is smaller by the root of the correction.
    settings = TrainingSettings(optimizer="row_adam", **changes)
    theirs = torch.nn.Parameter(starting_values())
    adam = torch.optim.SparseAdam([theirs], betas=(settings.beta_1, settings.beta_2))
    for number, (gradient, rate) in enumerate(gradients(12)):
        touched = gradient.any(1).nonzero().squeeze(1)
        theirs.grad = torch.sparse_coo_tensor(
            touched[None], gradient[touched], gradient.shape, is_coalesced=True, check_invariants=True
        )
        correction = 1 - settings.beta_2 ** (number + 1)
        adam.param_groups[0] |= {"lr": rate, "eps": settings.epsilon * math.sqrt(correction)}
        adam.step()
    torch.testing.assert_close(by_rows(starting_values(), settings), theirs.detach(), rtol=1e-5, atol=1e-7)


def test_with_no_rows_named_the_gradient_is_that_of_all():
    start = torch.randn(ROWS, DIMENSION)
    found = []
    for touched in (None, torch.arange(4)):
        values = start.clone()
        RowAdam(values, TrainingSettings(optimizer="row_adam")).update(
            CHUNKS[0], torch.ones(4, DIMENSION), touched, 0, 0.5
        )
        found.append(values)
    torch.testing.assert_close(*found)
    torch.testing.assert_close(found[0][:4], start[:4] - 0.5)
    torch.testing.assert_close(found[0][4:], start[4:], rtol=0, atol=0)


def test_a_vector_of_biases_is_trained_like_rows():
    values = torch.zeros(5)
    adam = RowAdam(values, TrainingSettings(optimizer="row_adam"))
    adam.update(slice(2, 5), torch.tensor([1.0, -1.0]), torch.tensor([0, 2]), 0, 0.1)
    torch.testing.assert_close(values, torch.tensor([0, 0, -0.1, 0, 0.1]))


@pytest.mark.parametrize(
    ("epochs", "halved_at"),
    [
        (20, [10, 15]),  # the authors' Module I
        (10, [5]),  # the authors' Modules II and IV
        (40, [20, 30, 35]),
        (4, [2]),
        (1, []),
        (2, [1]),
    ],
)
def test_the_authors_halve_after_half_of_the_epochs_and_then_after_half_as_many(epochs, halved_at):
    found = [halvings(epoch, epochs) for epoch in range(epochs)]
    assert found == [sum(epoch >= at for at in halved_at) for epoch in range(epochs)]


@pytest.mark.parametrize("each", [1, 7])
def test_halving_follows_the_epochs_not_the_steps(each):
    settings = TrainingSettings(schedule="halving", warmup=0)
    rates = [learning_rate_at(number, 20 * each, 20, 0.8, settings) for number in range(20 * each)]
    assert rates == [0.8] * 10 * each + [0.4] * 5 * each + [0.2] * 5 * each


def test_in_warm_up_the_rate_rises_evenly_from_above_zero():
    for schedule in ("constant", "cosine", "halving"):
        settings = TrainingSettings(schedule=schedule, warmup=0.3)
        rates = [learning_rate_at(number, 10, 10, 1.0, settings) for number in range(4)]
        assert rates[:3] == pytest.approx([0.25, 0.5, 0.75])
        assert rates[3] == 1


def test_a_cosine_falls_from_the_highest_rate_to_almost_nothing():
    settings = TrainingSettings(schedule="cosine", warmup=0)
    rates = [learning_rate_at(number, 4, 1, 2.0, settings) for number in range(4)]
    assert rates == pytest.approx([2, 1 + math.sqrt(0.5), 1, 1 - math.sqrt(0.5)])


@given(st.integers(1, 60), st.integers(1, 20), st.sampled_from(["constant", "cosine", "halving"]), st.floats(0, 1))
def test_no_rate_is_ever_above_the_highest_or_at_zero(epochs, each, schedule, warmup):
    settings = TrainingSettings(schedule=schedule, warmup=warmup)
    steps = epochs * each
    rates = [learning_rate_at(number, steps, epochs, 0.5, settings) for number in range(steps)]
    assert all(0 < rate <= 0.5 for rate in rates)
    peak = rates.index(max(rates))
    assert rates[peak:] == sorted(rates[peak:], reverse=True)
    assert rates[:peak] == sorted(rates[:peak])
