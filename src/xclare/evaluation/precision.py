"""Precision at k."""

from __future__ import annotations

from xclare.evaluation.hits import Hits
from xclare.evaluation.per_document import PerDocument


def precision(hits: Hits, k: int) -> PerDocument:
    """P@k: the share of relevant labels among a document's first k predictions, averaged over the documents.

        P@k = 1/N Σ_i |{hits of i within the top k}| / k

    It divides by k also where fewer than k labels were predicted or are relevant: a missing rank is a miss."""
    return PerDocument(hits.sums(k) / k)
