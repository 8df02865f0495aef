"""A small problem worked by hand, random ones, and the metrics written a second time: slowly, and straight from their
definitions."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array

from xclare.data.dataset import Documents, Labels
from xclare.evaluation.settings import EvaluationSettings

SCORES = [-math.inf, -2.0, -1.0, 0.0, 0.1, np.nextafter(0.1, 1), 1.0, 3.5, math.inf]


@dataclass(frozen=True)
class Problem:
    predictions: csr_array
    documents: Documents
    train: csr_array


def sparse(rows: list[dict[int, float]], labels: int) -> csr_array:
    """A csr with these entries, zeros too."""
    indptr = np.cumsum([0] + [len(row) for row in rows])
    pairs = [pair for row in rows for pair in sorted(row.items())]
    data, columns = [value for _, value in pairs], [column for column, _ in pairs]
    return csr_array((np.array(data, np.float64), np.array(columns, np.int32), indptr), shape=(len(rows), labels))


def problem_of(
    predictions: list[dict[int, float]],
    truth: list[set[int]],
    excluded: list[set[int]],
    train: list[set[int]],
    labels: int,
) -> Problem:
    targets, pairs, training = (
        sparse([dict.fromkeys(row, 1.0) for row in m], labels) for m in (truth, excluded, train)
    )
    documents = Documents(count=len(truth), targets=targets, labels=Labels(count=labels), excluded=pairs)
    return Problem(sparse(predictions, labels), documents, training)


@pytest.fixture(scope="session")
def build() -> Callable[..., Problem]:
    """Makes a problem of dictionaries and sets, one a document."""
    return problem_of


@pytest.fixture(scope="session")
def problems() -> st.SearchStrategy[Problem]:
    """Small problems with ties, zeros, infinities, filtered pairs, and documents without truth or predictions."""

    def rows(cells: np.ndarray) -> list[set[int]]:
        return [set(np.flatnonzero(row).tolist()) for row in cells]

    @st.composite
    def draw(draw: Any) -> Problem:
        documents, labels = draw(st.integers(1, 5)), draw(st.integers(1, 8))
        shape = (documents, labels)
        place = draw(arrays(np.int8, shape, elements=st.integers(-4, len(SCORES) - 1)))
        predictions = [{c: SCORES[v] for c, v in enumerate(row) if v >= 0} for row in place]
        truth = draw(arrays(np.bool_, shape))
        excluded = draw(arrays(np.int8, shape, elements=st.integers(0, 3))) == 3
        train = draw(arrays(np.bool_, (draw(st.integers(1, 6)), labels)))
        return problem_of(predictions, rows(truth), rows(excluded), rows(train), labels)

    return draw()


@pytest.fixture(scope="session")
def slow_ranking() -> Callable[[Problem], list[list[int]]]:
    """Every document's labels from best to worst, without those filtered out."""

    def ranking(problem: Problem) -> list[list[int]]:
        rankings = []
        for i in range(problem.predictions.shape[0]):
            row, excluded = problem.predictions[[i]], problem.documents.excluded[[i]].indices.tolist()
            entries = sorted((-score, label) for label, score in zip(row.indices.tolist(), row.data, strict=True))
            rankings.append([label for _, label in entries if label not in excluded])
        return rankings

    return ranking


@pytest.fixture(scope="session")
def slow_truth() -> Callable[[Problem], list[set[int]]]:
    """Every document's relevant labels, without those filtered out."""

    def truth(problem: Problem) -> list[set[int]]:
        documents = problem.documents
        return [
            set(documents.targets[[i]].indices.tolist()) - set(documents.excluded[[i]].indices.tolist())
            for i in range(documents.count)
        ]

    return truth


@pytest.fixture(scope="session")
def slow_metrics(slow_ranking: Any, slow_truth: Any) -> Callable[[Problem, EvaluationSettings], dict[str, float]]:
    """All metrics in percent, document by document and rank by rank."""

    def metrics(problem: Problem, settings: EvaluationSettings) -> dict[str, float]:
        rankings, truths = slow_ranking(problem), slow_truth(problem)
        n = problem.documents.count
        a, b, trained = settings.propensity_a, settings.propensity_b, problem.train.shape[0]
        c = max(math.log(trained) - 1, 0) * (b + 1) ** a
        counts = [problem.train.indices.tolist().count(label) for label in range(problem.train.shape[1])]
        inverse = [1 + c * (count + b) ** -a for count in counts]
        found: dict[str, float] = {}
        for k in settings.ks:
            ranked = [list(enumerate(ranking[:k], 1)) for ranking in rankings]
            hits = [[(r, label) for r, label in row if label in t] for row, t in zip(ranked, truths, strict=True)]
            best = [list(enumerate(sorted(t, key=lambda label: -inverse[label])[:k], 1)) for t in truths]
            norms = [sum(1 / math.log2(r + 1) for r in range(1, min(k, len(t)) + 1)) for t in truths]
            found[f"P@{k}"] = sum(len(row) / k for row in hits) / n
            weights = [sum(inverse[label] for row in side for _, label in row) for side in (hits, best)]
            found[f"PSP@{k}"] = ratio(*weights)
            found[f"nDCG@{k}"] = sum(ratio(gain(row), norm) for row, norm in zip(hits, norms, strict=True)) / n
            weights = [
                sum(ratio(gain(row, inverse), norm) for row, norm in zip(side, norms, strict=True))
                for side in (hits, best)
            ]
            found[f"PSnDCG@{k}"] = ratio(*weights)
            covered, relevant = {label for row in hits for _, label in row}, set().union(*truths)
            found[f"coverage@{k}"] = ratio(len(covered), len(relevant))
        for k in settings.recall_ks:
            shares = [ratio(len(t & set(row[:k])), len(t)) for row, t in zip(rankings, truths, strict=True)]
            found[f"R@{k}"] = sum(shares) / n
        return {name: 100 * value for name, value in found.items()}

    def ratio(gained: float, attainable: float) -> float:
        return gained / attainable if attainable else 0.0

    def gain(hits: list[tuple[int, int]], inverse: list[float] | None = None) -> float:
        return sum((inverse[label] if inverse else 1.0) / math.log2(r + 1) for r, label in hits)

    return metrics
