import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array, csr_matrix

from xclare.data.dataset import Documents, Labels
from xclare.errors import InputError
from xclare.evaluation import Evaluation, EvaluationSettings, evaluate

DEFAULTS = EvaluationSettings()


@pytest.fixture(scope="module")
def large():
    """2,000 documents, 3,000 labels, 30 predictions each without ties, a filter, 1 in 20 documents without truth."""
    rng = np.random.default_rng(0)
    n, labels, k = 2000, 3000, 30
    columns = np.sort(np.argsort(rng.random((n, 300)), axis=1)[:, :k] * 10, axis=1)
    scores = rng.permuted(np.arange(n * k)).astype(np.float64)
    predictions = csr_array((scores, columns.ravel(), np.arange(n + 1) * k), shape=(n, labels))
    rows = np.repeat(np.arange(n), np.where(rng.random(n) < 0.05, 0, rng.integers(1, 9, n)))
    predicted = columns[rows, rng.integers(0, k, len(rows))]
    truth_columns = np.where(rng.random(len(rows)) < 0.4, predicted, rng.integers(0, labels, len(rows)))
    truth = csr_array((np.ones(len(rows), np.float32), (rows, truth_columns)), shape=(n, labels))
    out = rng.random(n) < 0.3
    excluded = csr_array((np.ones(out.sum(), np.float32), (np.flatnonzero(out), columns[out, 3])), shape=(n, labels))
    popularity = np.minimum(rng.zipf(1.3, 9000) - 1, labels - 1)
    train = csr_array((np.ones(9000, np.float32), (rng.integers(0, 4000, 9000), popularity)), shape=(4000, labels))
    train.data[:] = 1
    documents = Documents(count=n, targets=truth, labels=Labels(count=labels), excluded=excluded)
    return predictions, documents, train


@given(data=st.data())
def test_all_metrics_are_what_their_definitions_say(problems, slow_metrics, data):
    problem = data.draw(problems)
    settings = EvaluationSettings(ks=(1, 2, 5), recall_ks=(1, 3, 100))
    found = evaluate(problem.predictions, problem.documents, problem.train, settings=settings)
    expected = slow_metrics(problem, settings)
    assert found.metrics == {name: pytest.approx(value, abs=1e-9) for name, value in expected.items()}


def test_all_metrics_agree_with_napkinxc_to_1e_6(large):
    napkin = pytest.importorskip("napkinxc.metrics", reason="napkinxc has no wheel for this Python")
    predictions, documents, train = large
    rows = np.repeat(np.arange(documents.count), np.diff(documents.targets.indptr))
    kept = np.asarray(documents.excluded[rows, documents.targets.indices] == 0).ravel()
    truth = csr_matrix((np.ones(kept.sum()), (rows[kept], documents.targets.indices[kept])), shape=predictions.shape)
    rows = np.repeat(np.arange(documents.count), np.diff(predictions.indptr))
    kept = np.asarray(documents.excluded[rows, predictions.indices] == 0).ravel()
    left = csr_matrix((predictions.data[kept], (rows[kept], predictions.indices[kept])), shape=predictions.shape)
    inverse = napkin.Jain_et_al_inverse_propensity(csr_matrix(train))
    expected = {
        "P": napkin.precision_at_k(truth, left, 5),
        "PSP": napkin.psprecision_at_k(truth, left, inverse, 5),
        "nDCG": napkin.ndcg_at_k(truth, left, 5),
        "PSnDCG": napkin.psndcg_at_k(truth, left, inverse, 5),
        "R": napkin.recall_at_k(truth, left, 20),
        "coverage": napkin.coverage_at_k(truth, left, 5),
    }
    settings = EvaluationSettings(ks=(1, 2, 3, 4, 5), recall_ks=(1, 10, 20))
    found = evaluate(predictions, documents, train, settings=settings)
    assert found.documents_without_truth > 50  # napkinxc, too, keeps these in N and counts them 0
    for name, value in found.metrics.items():
        metric, k = name.split("@")
        assert value / 100 == pytest.approx(expected[metric][int(k) - 1], abs=1e-6), name
        assert value > 0


def test_a_problem_worked_by_hand(build):
    # Training: label 0 on all 3 documents, label 1 on one, label 2 on none. N = 3: C = (ln 3 - 1) 2.5^0.55.
    problem = build(
        predictions=[{0: 0.9, 1: -0.5, 2: 0.0}, {0: 1.0}, {2: 5.0}, {}],
        truth=[{1, 2}, {0}, {2}, {1}],
        excluded=[{0}, set(), {2}, set()],
        train=[{0, 1}, {0}, {0}],
        labels=3,
    )
    c = (math.log(3) - 1) * 2.5**0.55
    popular, once, never = (1 + c * (n + 1.5) ** -0.55 for n in (3, 1, 0))
    found = evaluate(problem.predictions, problem.documents, problem.train)
    assert (found.documents, found.documents_without_truth) == (4, 1)
    metrics = found.metrics
    assert metrics["P@1"] == pytest.approx(50)  # documents 0 (label 2) and 1, of 4
    assert metrics["P@3"] == pytest.approx(100 * (2 + 1) / 3 / 4)
    assert metrics["PSP@1"] == pytest.approx(100 * (never + popular) / (never + popular + once))
    assert metrics["PSP@3"] == pytest.approx(100 * (never + once + popular) / (never + once + popular + once))
    assert metrics["nDCG@1"] == pytest.approx(50)
    assert metrics["R@10"] == pytest.approx(100 * (1 + 1) / 4)
    assert metrics["coverage@1"] == pytest.approx(100 * 2 / 3)
    assert metrics["coverage@3"] == pytest.approx(100)


def test_predicting_exactly_the_truth_by_propensity_is_perfect(large):
    _, documents, train = large
    documents = Documents(count=documents.count, targets=documents.targets, labels=documents.labels)
    counts = np.bincount(train.indices, minlength=documents.labels.count)
    perfect = documents.targets.astype(np.float64)
    perfect.data = -counts[perfect.indices].astype(np.float64)
    found = evaluate(perfect, documents, train).metrics
    share_with_truth = 100 * np.mean(np.diff(documents.targets.indptr) > 0)
    for name in ("PSP@1", "PSP@5", "PSnDCG@3", "coverage@5"):
        assert found[name] == pytest.approx(100 if name != "coverage@5" else found[name])
    for name in ("P@1", "nDCG@5", "R@100"):
        assert found[name] == pytest.approx(share_with_truth)


@given(data=st.data())
def test_only_the_order_of_scores_matters(problems, data):
    problem = data.draw(problems)
    order = np.unique(problem.predictions.data)
    places = csr_array(
        (
            np.searchsorted(order, problem.predictions.data) - 2,
            problem.predictions.indices,
            problem.predictions.indptr,
        ),
        shape=problem.predictions.shape,
    )
    expected = evaluate(problem.predictions, problem.documents, problem.train)
    assert evaluate(places, problem.documents, problem.train) == expected


@given(data=st.data())
def test_metrics_lie_between_0_and_100_and_grow_with_k_where_they_must(problems, data):
    problem = data.draw(problems)
    found = evaluate(problem.predictions, problem.documents, problem.train).metrics
    assert all(0 <= value <= 100 + 1e-9 for value in found.values())
    assert found["R@5"] <= found["R@10"] + 1e-9 <= found["R@100"] + 2e-9
    assert found["coverage@1"] <= found["coverage@3"] <= found["coverage@5"]


def test_weights_of_truth_and_training_pairs_are_ignored(large):
    predictions, documents, train = large
    heavy = Documents(
        count=documents.count, targets=documents.targets * 3.5, labels=documents.labels, excluded=documents.excluded
    )
    assert evaluate(predictions, heavy, train * 2.0) == evaluate(predictions, documents, train)


def test_training_documents_can_be_given_whole(large):
    predictions, documents, train = large
    whole = Documents(count=train.shape[0], targets=train, labels=documents.labels)
    assert evaluate(predictions, documents, whole) == evaluate(predictions, documents, train)


def test_bins_sum_to_precision(large):
    found = evaluate(*large)
    assert len(found.bins) == 5
    for name in ("P@1", "P@3", "P@5"):
        assert sum(part.contributions[name] for part in found.bins) == pytest.approx(found.metrics[name])


def test_intervals_are_of_resampled_documents(large):
    predictions, documents, train = large
    found = evaluate(predictions, documents, train, bootstrap=200, seed=4)
    assert set(found.intervals) == {name for name in found.metrics if not name.startswith("coverage")}
    for name, (low, high) in found.intervals.items():
        assert low < found.metrics[name] < high < low + 6
    assert evaluate(predictions, documents, train, bootstrap=200, seed=4) == found
    assert evaluate(predictions, documents, train).intervals == {}


def test_the_result_is_json_with_metrics_under_their_stable_names(large):
    found = json.loads(json.dumps(evaluate(*large, bootstrap=20).as_dict()))
    names = [f"{metric}@{k}" for metric in ("P", "PSP", "nDCG", "PSnDCG", "coverage") for k in (1, 3, 5)]
    for name in [*names, "R@10", "R@100"]:
        assert isinstance(found[name], float)
    assert found["documents"] == 2000
    assert found["settings"]["propensity_a"] == 0.55
    assert [part["number"] for part in found["bins"]] == [1, 2, 3, 4, 5]
    assert len(found["intervals"]["PSP@1"]) == 2


def test_propensity_parameters_change_the_weighed_metrics_alone(large):
    predictions, documents, train = large
    wiki = evaluate(predictions, documents, train, settings=EvaluationSettings(propensity_a=0.5, propensity_b=0.4))
    default = evaluate(predictions, documents, train)
    for name, value in wiki.metrics.items():
        assert (value == default.metrics[name]) != name.startswith("PS"), name


def test_what_cannot_be_scored_is_refused():
    labels = Labels(count=2)
    none = Documents(count=0, targets=csr_array((0, 2)), labels=labels)
    one = Documents(count=1, targets=csr_array([[1.0, 0]]), labels=labels)
    with pytest.raises(InputError, match="no documents to score"):
        evaluate(csr_array((0, 2)), none, one)
    with pytest.raises(InputError, match="no training documents"):
        evaluate(csr_array((1, 2)), one, none)
    with pytest.raises(InputError, match="3 labels, the documents to score 2"):
        evaluate(csr_array((1, 2)), one, csr_array((1, 3)))
    with pytest.raises(InputError, match="bootstrap = -1"):
        evaluate(csr_array((1, 2)), one, one, bootstrap=-1)
    with pytest.raises(InputError, match="shape"):
        evaluate(csr_array((2, 2)), one, one)


def test_documents_without_any_predictions_or_labels_score_0():
    labels = Labels(count=0)
    nothing = Documents(count=2, targets=csr_array((2, 0)), labels=labels)
    found = evaluate(csr_array((2, 0)), nothing, nothing)
    assert isinstance(found, Evaluation)
    assert set(found.metrics.values()) == {0.0}
    assert found.documents_without_truth == 2
