"""Recall at k."""

from __future__ import annotations

import numpy as np

from xclare.evaluation.hits import Hits
from xclare.evaluation.per_document import PerDocument, share


def recall(hits: Hits, k: int) -> PerDocument:
    """R@k: the share of a document's relevant labels that stand among its first k predictions, averaged over the
    documents.

        R@k = 1/N Σ_i |{hits of i within the top k}| / |truth of i|

    A document without truth contributes 0 and counts in N."""
    return PerDocument(share(hits.sums(k), hits.truth_counts.astype(np.float64)))
