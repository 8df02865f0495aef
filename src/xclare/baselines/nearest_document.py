"""The labels of the training documents that are most like the document: nearest neighbours with a weighted vote."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array, vstack

from xclare.baselines.similarity import features_of, most_similar
from xclare.data.dataset import Dataset
from xclare.progress import SILENT, Progress
from xclare.sparse import Csr, as_csr, csr_from_rows, row_blocks, row_counts
from xclare.sparse import top_k as best_of_rows

VOTES_AT_ONCE = 1 << 22


def nearest_document(
    dataset: Dataset,
    top_k: int = 100,
    neighbours: int = 50,
    power: float = 1.0,
    progress: Progress = SILENT,
) -> Csr:
    """(test documents x labels) The `top_k` labels that the training documents nearest to a document x vote for.

        s(x, l) = Σ_i cos(x, x_i)^power · [document i has label l],  i one of the `neighbours` of the highest cosine

    A higher power trusts the nearest more. Of equal ones, documents or labels, the lower number comes first."""
    documents, others = (
        features_of(dataset.test_or_refuse(), "test documents"),
        features_of(dataset.train, "training documents"),
    )
    nearest = most_similar(documents, others, neighbours, progress, "comparing with training documents")
    weights = csr_array(
        (nearest.data.astype(np.float64) ** power, nearest.indices, nearest.indptr), shape=nearest.shape
    )
    return _votes(weights, dataset.train.targets, top_k)


def _votes(weights: Csr, targets: Csr, top_k: int) -> Csr:
    """The best labels by `weights` (test x training documents, float64) times relevance (training x labels)."""
    relevant = csr_array((np.ones(targets.nnz), targets.indices, targets.indptr), shape=targets.shape)
    counts = row_counts(targets)
    votes = np.diff(np.concatenate([[0], np.cumsum(counts[weights.indices])])[weights.indptr])
    # The sums are rounded to float32 only when they are ready, so that equal ones stay equal.
    blocks = [best_of_rows(as_csr(weights[rows] @ relevant), top_k) for rows in row_blocks(votes, VOTES_AT_ONCE)]
    votes_of_all = vstack(blocks, format="csr")
    return csr_from_rows(votes_of_all.indptr, votes_of_all.indices, votes_of_all.data, targets.shape[1])
