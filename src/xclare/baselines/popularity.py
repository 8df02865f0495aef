"""The most popular labels, the same for every document."""

from __future__ import annotations

import numpy as np

from xclare.data.dataset import Dataset
from xclare.progress import SILENT, Progress
from xclare.sparse import Csr, column_counts, csr_from_rows


def popularity(dataset: Dataset, top_k: int = 100, progress: Progress = SILENT) -> Csr:
    """(test documents x labels) For every test document the `top_k` labels of most training documents; the score is the
    share of the training documents that have the label. Needs no features."""
    documents = len(dataset.test_or_refuse())
    counts = column_counts(dataset.train.targets)
    best = np.argsort(-counts, kind="stable")[:top_k]  # of equally popular labels the lower id
    best = np.sort(best[counts[best] > 0])
    with progress.task("ranking labels by popularity", documents) as advance:
        shares = (counts[best] / max(1, len(dataset.train))).astype(np.float32)
        indptr = np.arange(documents + 1) * len(best)
        predictions = csr_from_rows(indptr, np.tile(best, documents), np.tile(shares, documents), len(counts))
        advance(documents)
    return predictions
