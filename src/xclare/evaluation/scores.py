"""All metrics of a system's predictions, in one call."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from xclare.data.dataset import Documents
from xclare.errors import InputError
from xclare.evaluation.bootstrap import intervals
from xclare.evaluation.coverage import coverage
from xclare.evaluation.frequency_bins import FrequencyBin, frequency_bins
from xclare.evaluation.hits import Hits, canonical, hit_ranks
from xclare.evaluation.ndcg import ndcg, propensity_scored_ndcg
from xclare.evaluation.per_document import PerDocument
from xclare.evaluation.precision import precision
from xclare.evaluation.propensity import inverse_propensities, propensity_scored_precision
from xclare.evaluation.recall import recall
from xclare.evaluation.settings import EvaluationSettings
from xclare.sparse import Csr, column_counts


@dataclass(frozen=True)
class Evaluation:
    """What `evaluate` found. All metrics and contributions are in percent."""

    metrics: dict[str, float]
    """By name: `P@1`, …, `PSP@k`, `nDCG@k`, `PSnDCG@k`, `R@k`, `coverage@k`."""
    bins: tuple[FrequencyBin, ...]
    """What labels of five classes of popularity contribute to P@k."""
    intervals: dict[str, tuple[float, float]]
    """95 % bootstrap intervals by metric; empty where none were asked for. Coverage has none: the labels that a draw
    of documents covers are no sum over the documents."""
    documents: int
    """N: all documents, those without truth too."""
    documents_without_truth: int
    """Documents that have no relevant label, or none that the filter leaves. They count as 0 in every metric."""
    settings: EvaluationSettings

    def as_dict(self) -> dict[str, Any]:
        """One object for JSON: the metrics by their names, and beside them everything else."""
        return {
            **self.metrics,
            "documents": self.documents,
            "documents_without_truth": self.documents_without_truth,
            "bins": [asdict(part) for part in self.bins],
            "intervals": {name: list(ends) for name, ends in self.intervals.items()},
            "settings": asdict(self.settings),
        }


def evaluate(
    predictions: Any,
    documents: Documents,
    train: Documents | Csr,
    *,
    settings: EvaluationSettings | None = None,
    bootstrap: int = 0,
    seed: int = 0,
) -> Evaluation:
    """Scores `predictions`, a scipy sparse matrix (documents x labels), against the targets of `documents`.

    Every stored entry is a prediction; a higher score ranks first, among equal ones the lower label id. The pairs of
    `documents.excluded` are taken out of predictions and truth. `train` are the training documents or their targets,
    unfiltered, for propensities and frequency bins. `bootstrap` is the number of samples for intervals."""
    settings = settings or EvaluationSettings()
    targets = canonical(csr_array(train.targets if isinstance(train, Documents) else train))
    _check(documents, targets, bootstrap)
    inverse = inverse_propensities(targets, settings.propensity_a, settings.propensity_b)
    hits = hit_ranks(predictions, documents.targets, documents.excluded)
    metrics, kept = {}, {}
    for name, scores in _metrics(hits, inverse, settings):
        metrics[name] = 100 * scores.value
        if bootstrap:
            kept[name] = scores
    metrics |= {f"coverage@{k}": 100 * coverage(hits, k) for k in settings.ks}
    return Evaluation(
        metrics=metrics,
        bins=frequency_bins(hits, column_counts(targets), settings.ks),
        intervals=_in_percent(intervals(kept, bootstrap, seed)) if bootstrap else {},
        documents=hits.documents,
        documents_without_truth=int(np.count_nonzero(hits.truth_counts == 0)),
        settings=settings,
    )


def _check(documents: Documents, targets: Csr, bootstrap: int) -> None:
    """Refuses what has no metrics."""
    if not documents.count:
        raise InputError("There are no documents to score: expected at least one.")
    if targets.shape[1] != documents.labels.count:
        raise InputError(
            f"The training targets have {targets.shape[1]} labels, the documents to score {documents.labels.count}: "
            "expected the same label set."
        )
    if bootstrap < 0:
        raise InputError(f"bootstrap = {bootstrap}: expected a number of samples, or 0 for no intervals.")


def _metrics(
    hits: Hits, inverse: NDArray[np.float64], settings: EvaluationSettings
) -> Iterator[tuple[str, PerDocument]]:
    """Every metric that is a ratio of sums over documents; one at a time, for a million documents have 8 MB each."""
    ideal = hits.ideal(inverse)
    for k in settings.ks:
        yield f"P@{k}", precision(hits, k)
    for k in settings.ks:
        yield f"PSP@{k}", propensity_scored_precision(hits, ideal, inverse, k)
    for k in settings.ks:
        yield f"nDCG@{k}", ndcg(hits, k)
    for k in settings.ks:
        yield f"PSnDCG@{k}", propensity_scored_ndcg(hits, ideal, inverse, k)
    for k in settings.recall_ks:
        yield f"R@{k}", recall(hits, k)


def _in_percent(found: dict[str, tuple[float, float]]) -> dict[str, tuple[float, float]]:
    return {name: (100 * low, 100 * high) for name, (low, high) in found.items()}
