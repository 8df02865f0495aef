import numpy as np
import pytest

from xclare.evaluation.bootstrap import _times_drawn, intervals
from xclare.evaluation.per_document import PerDocument


@pytest.fixture
def metrics():
    rng = np.random.default_rng(1)
    gained, attainable = rng.random(400), 1 + rng.random(400)
    return {"mean": PerDocument(gained), "ratio": PerDocument(gained, attainable)}


def test_an_interval_spans_the_percentiles_of_resampled_ratios(metrics):
    found = intervals(metrics, samples=50, seed=3)
    times = _times_drawn(np.random.default_rng(3), 50, 400)
    drawn = [np.repeat(np.arange(400), row.astype(int)) for row in times]
    gained, attainable = metrics["ratio"].gained, metrics["ratio"].attainable
    means = [gained[rows].mean() for rows in drawn]
    ratios = [gained[rows].sum() / attainable[rows].sum() for rows in drawn]
    assert found["mean"] == pytest.approx(tuple(np.percentile(means, [2.5, 97.5])))
    assert found["ratio"] == pytest.approx(tuple(np.percentile(ratios, [2.5, 97.5])))


def test_as_many_documents_are_drawn_as_there_are():
    times = _times_drawn(np.random.default_rng(0), 200, 30)
    assert times.shape == (200, 30)
    assert (times.sum(axis=1) == 30).all()
    assert times.mean(axis=0) == pytest.approx(np.ones(30), abs=0.4)
    assert times.var() == pytest.approx(29 / 30, rel=0.1)  # of a multinomial


def test_the_interval_of_a_mean_is_as_wide_as_the_normal_approximation(metrics):
    low, high = intervals(metrics, samples=2000, seed=0)["mean"]
    gained = metrics["mean"].gained
    assert low < gained.mean() < high
    assert high - low == pytest.approx(2 * 1.96 * gained.std() / 400**0.5, rel=0.1)


def test_a_seed_gives_the_same_interval_and_chunks_do_not_matter(metrics, monkeypatch):
    first = intervals(metrics, samples=25, seed=7)
    assert intervals(metrics, samples=25, seed=7) == first
    assert intervals(metrics, samples=25, seed=8) != first
    monkeypatch.setattr("xclare.evaluation.bootstrap.DRAWS_AT_ONCE", 400 * 4)
    chunked = intervals(metrics, samples=25, seed=7)
    assert chunked["ratio"] == pytest.approx(first["ratio"])


def test_nothing_attainable_is_0_and_not_nan():
    nothing = PerDocument(np.zeros(3), np.zeros(3))
    assert intervals({"PSP@1": nothing}, samples=10, seed=0) == {"PSP@1": (0, 0)}
