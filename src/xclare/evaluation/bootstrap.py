"""How far a metric would move with another sample of test documents."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from xclare.evaluation.per_document import PerDocument, share

CONFIDENCE = 0.95
DRAWS_AT_ONCE = 1 << 22


def intervals(metrics: Mapping[str, PerDocument], samples: int, seed: int) -> dict[str, tuple[float, float]]:
    """The 95 % percentile bootstrap interval of every metric, from 0 to 1: N documents are drawn with replacement
    `samples` times, and the metric of each draw is Σ gained / Σ attainable over the documents drawn. All metrics
    see the same draws."""
    columns = list(metrics.values())
    documents = len(columns[0].gained)
    gained = np.stack([column.gained for column in columns], axis=1)  # (documents, metrics)
    normalised = [i for i, column in enumerate(columns) if column.attainable is not None]
    best = [column.attainable for column in columns if column.attainable is not None]
    attainable = np.stack(best, axis=1) if best else np.empty((documents, 0))  # (documents, normalised metrics)
    values = np.empty((samples, len(columns)))
    rng = np.random.default_rng(seed)
    step = max(1, DRAWS_AT_ONCE // documents)
    for start in range(0, samples, step):
        times = _times_drawn(rng, min(step, samples - start), documents)  # (draws, documents)
        whole = np.full((len(times), len(columns)), float(documents))
        whole[:, normalised] = times @ attainable
        values[start : start + len(times)] = share(times @ gained, whole)
    low, high = np.quantile(values, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2], axis=0)
    return {name: (float(low[i]), float(high[i])) for i, name in enumerate(metrics)}


def _times_drawn(rng: np.random.Generator, draws: int, documents: int) -> NDArray[np.float64]:
    """(draws, documents) How often each document is drawn when N are drawn with replacement: rows of a multinomial."""
    drawn = rng.integers(0, documents, (draws, documents)) + documents * np.arange(draws)[:, None]
    times = np.bincount(drawn.ravel(), minlength=draws * documents)
    return times.reshape(draws, documents).astype(np.float64)
