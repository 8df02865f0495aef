"""Where P@k comes from: labels in five bins, from rare to popular (the paper's figure of contributions)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from xclare.evaluation.hits import Hits

BINS = 5


@dataclass(frozen=True)
class FrequencyBin:
    """One bin of labels, and what hits on them contribute to P@k."""

    number: int
    """1 has the rarest labels, 5 the most popular."""
    labels: int
    training_positives: int
    """Training pairs of the bin's labels: equal in all bins, up to what whole labels allow."""
    least_documents: int
    """Training documents of the bin's rarest label; 0 also where the bin is empty."""
    most_documents: int
    """Training documents of the bin's most popular label."""
    contributions: dict[str, float]
    """By `P@k`: the bin's contribution, in percent. Over the bins they sum to P@k."""


def bin_of_label(counts: NDArray[np.int64]) -> NDArray[np.int8]:
    """(labels,) The bin, from 0 (rarest) to 4 (most popular), of labels with `counts` training documents each.

    Labels are sorted by count, those of equal count by id, and laid end to end, each as long as its count; a label
    belongs to the fifth of the whole that its middle falls into. So all bins have equal numbers of training positives,
    up to half a label at either end. Labels that were never seen belong to bin 0."""
    order = np.argsort(counts, kind="stable")
    ends = np.cumsum(counts[order])
    total = int(ends[-1]) if len(ends) else 0
    bins = np.zeros(len(counts), np.int8)
    if total:
        bins[order] = BINS * (2 * ends - counts[order]) // (2 * total)  # whole numbers: no rounding at the borders
    return bins


def frequency_bins(hits: Hits, counts: NDArray[np.int64], ks: tuple[int, ...]) -> tuple[FrequencyBin, ...]:
    """The five bins of labels with `counts` training documents each.

    contribution of bin b to P@k = 1/N Σ_i |{hits of i within the top k whose label is in b}| / k"""
    bins = bin_of_label(counts)
    found = {f"P@{k}": _share_of_bins(hits, bins, k) for k in ks}
    return tuple(
        _described(b, counts[bins == b], {name: float(of[b]) for name, of in found.items()}) for b in range(BINS)
    )


def _share_of_bins(hits: Hits, bins: NDArray[np.int8], k: int) -> NDArray[np.float64]:
    """(bins,) The contributions of all bins to P@k, in percent."""
    found = np.bincount(bins[hits.label[hits.rank <= k]], minlength=BINS)
    contributions: NDArray[np.float64] = 100 * found / (k * hits.documents)
    return contributions


def _described(number: int, counts: NDArray[np.int64], contributions: dict[str, float]) -> FrequencyBin:
    """The bin of labels with these counts."""
    least, most = (int(counts.min()), int(counts.max())) if len(counts) else (0, 0)
    return FrequencyBin(number + 1, len(counts), int(counts.sum()), least, most, contributions)
