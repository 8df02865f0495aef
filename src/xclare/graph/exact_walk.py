"""What the walks expect, without sampling: sums of powers of the step matrix."""

from __future__ import annotations

from itertools import takewhile
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, eye_array

from xclare.graph.bipartite import without_heads
from xclare.graph.pruning import strongest_edges
from xclare.graph.settings import GraphSettings
from xclare.progress import SILENT, Progress
from xclare.sparse import Csr, csr_from_row_blocks

LABELS_AT_ONCE = 2_048
NEGLIGIBLE = 1e-9
"""Powers whose coefficients are below this share of the largest are left out."""


def exact_walk(
    targets: Csr, settings: GraphSettings, *, labels: NDArray[Any] | None = None, progress: Progress = SILENT
) -> Csr:
    """E[G^c] (labels x labels), the visits that Algorithm 1 expects.

    With P the step from a label to a label by way of a document, the place after step t is distributed as
    v_t = p e P + (1 - p) v_(t-1) P, from v_0 = e, so that

        E[v] = sum_(t=1..omega) v_t = sum_(j=1..omega) (1 - p)^(j-1) (p (omega - j) + 1) e P^j

    Row l sums to omega for every label with documents. Heads are left out, and edges pruned, as by `random_walk`;
    `labels` restricts the result to these rows.
    """
    length, p = settings.walk_length, settings.restart
    coefficients = [(1 - p) ** (j - 1) * (p * (length - j) + 1) for j in range(1, length + 1)]
    return _power_sum(targets, settings, [0.0, *coefficients], labels, progress)


def personalised_pagerank(targets: Csr, settings: GraphSettings, *, progress: Progress = SILENT) -> Csr:
    """Personalised PageRank of every label over the same steps: pi_l = a sum_(j>=0) (1 - a)^j e_l P^j, with restart
    probability a = `ppr_restart`."""
    a = settings.ppr_restart
    powers = int(np.ceil(np.log(NEGLIGIBLE) / np.log1p(-a))) if a < 1 else 0
    return _power_sum(targets, settings, [a * (1 - a) ** j for j in range(powers + 1)], None, progress)


def _power_sum(
    targets: Csr,
    settings: GraphSettings,
    coefficients: list[float],
    labels: NDArray[Any] | None,
    progress: Progress,
) -> Csr:
    """sum_j coefficients[j] P^j, row by row in chunks; small probabilities are dropped on the way, the rest of a row
    keeping its sum."""
    pairs = without_heads(targets, settings.head_threshold).astype(np.float64)
    if not settings.weighted:
        pairs.data[:] = 1
    to_document, to_label = _row_stochastic(pairs.T.tocsr()), _row_stochastic(pairs)
    count, most = targets.shape[1], settings.edges_kept(targets.shape[1])
    live = np.flatnonzero(np.diff(to_document.indptr))
    live = live if labels is None else np.intersect1d(live, labels)
    largest = max(coefficients)
    used = [*takewhile(lambda c: c >= NEGLIGIBLE * largest, coefficients[1:])]
    start_at = eye_array(count, format="csr", dtype=np.float64)
    parts = []
    with progress.task("expected visits", len(live)) as advance:
        for begin in range(0, len(live), LABELS_AT_ONCE):
            chunk = live[begin : begin + LABELS_AT_ONCE]
            place = start_at[chunk]
            total = coefficients[0] * place
            for coefficient in used:
                place = _without_small(place @ to_document @ to_label, settings.prune_mass)
                total = total + coefficient * place
            total.sort_indices()
            total.eliminate_zeros()
            parts.append(strongest_edges(csr_array(total).astype(np.float32), chunk, most))
            advance(len(chunk))
    return csr_from_row_blocks(parts, live, count)


def _row_stochastic(csr: Csr) -> Csr:
    """Every row divided by its sum."""
    sums = np.asarray(csr.sum(axis=1)).ravel()
    return csr_array((csr.data / np.repeat(sums, np.diff(csr.indptr)), csr.indices, csr.indptr), shape=csr.shape)


def _without_small(csr: Csr, least: float) -> Csr:
    """Entries below `least` dropped, and what is left of each row scaled to keep its sum."""
    if least == 0:
        return csr
    keep = csr.data >= least
    ends = np.concatenate([[0], np.cumsum(keep)])[csr.indptr]
    kept = csr_array((csr.data[keep], csr.indices[keep], ends), shape=csr.shape)
    before, after = (np.asarray(part.sum(axis=1)).ravel() for part in (csr, kept))
    kept.data *= np.repeat(before / np.where(after > 0, after, 1), np.diff(kept.indptr))
    return kept
