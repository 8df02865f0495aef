"""Normalised discounted cumulative gain at k, plain and weighed by inverse propensities."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from xclare.evaluation.hits import Hits
from xclare.evaluation.per_document import PerDocument, share


def ndcg(hits: Hits, k: int) -> PerDocument:
    """nDCG@k: hits count less the lower they stand; relative to the document's best possible ranking, averaged over
    the documents.

        nDCG@k = 1/N Σ_i DCG_i / Σ_{r = 1 .. min(k, |truth of i|)} 1/log2(1 + r)
        DCG_i  = Σ_{hits of i at a rank r <= k} 1/log2(1 + r)

    A document without truth contributes 0 and counts in N."""
    return PerDocument(share(hits.sums(k, _discounts(hits.rank)), _best_dcg(hits, k)))


def propensity_scored_ndcg(hits: Hits, ideal: Hits, inverse: NDArray[np.float64], k: int) -> PerDocument:
    """PSnDCG@k: nDCG with every hit weighed by its inverse propensity, over the best that was attainable.

        PSnDCG@k = Σ_i W_i(ranking) / B_i  /  Σ_i W_i(best ranking) / B_i
        W_i      = Σ_{hits l of i at a rank r <= k} 1/p_l 1/log2(1 + r)
        B_i      = Σ_{r = 1 .. min(k, |truth of i|)} 1/log2(1 + r)

    A ratio of sums, as the tools of the extreme classification repository compute it. The best ranking has a
    document's relevant labels by falling 1/p_l: `ideal` is `hits.ideal(inverse)`."""
    best = _best_dcg(hits, k)
    gained, attainable = (
        share(ranked.sums(k, inverse[ranked.label] * _discounts(ranked.rank)), best) for ranked in (hits, ideal)
    )
    return PerDocument(gained, attainable)


def _discounts(ranks: NDArray[np.int64]) -> NDArray[np.float64]:
    """1 / log2(1 + rank)."""
    discounts: NDArray[np.float64] = 1 / np.log2(1.0 + ranks)
    return discounts


def _best_dcg(hits: Hits, k: int) -> NDArray[np.float64]:
    """(documents,) The DCG of a ranking that begins with all relevant labels, cut at k."""
    attainable = np.minimum(hits.truth_counts, k)
    up_to = np.cumsum(_discounts(np.arange(1, attainable.max(initial=0) + 1)))
    return np.concatenate([[0.0], up_to])[attainable]
