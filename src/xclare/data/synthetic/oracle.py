"""The planted oracle: what can be known about a test document, ranked as well as it can be.

The oracle sees the hidden state a document was made from: its anchor label, its companion, and the candidate labels
that follow from the anchor, with their weights. It does not see which of these candidates were drawn as the document's
labels, nor its noise candidates, nor its text (which, given the hidden state, tells no more about the labels). A
method that sees the text alone has to infer that state, so the oracle's score is the best that can be expected of
any."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from xclare.data.synthetic.candidates import Candidates, Hidden
from xclare.sparse import Csr, csr_from_rows

ROWS_AT_ONCE = 8192
SPARE = 4  # candidates looked at beyond k, since some stand for the same label


def oracle_predictions(candidates: Candidates, documents: int, k: int) -> Csr:
    """The oracle's k most likely labels of the test documents, scored by weight: the likelier a label, the higher.
    Fewer where a document has fewer different candidates."""
    counts, labels, scores = [], [], []
    for start in range(0, documents, ROWS_AT_ONCE):
        hidden = candidates.hidden("test", start, min(start + ROWS_AT_ONCE, documents))
        best, weights = _ranked(candidates, hidden, k + SPARE)
        first = _is_first(best) & (weights > 0)
        kept = first & (np.cumsum(first, axis=1) <= k)
        counts.append(kept.sum(axis=1))
        labels.append(best[kept])
        scores.append(weights[kept])
    indptr = np.concatenate([np.zeros(1, np.int64), *counts]).cumsum()
    empty = np.empty(0)
    return csr_from_rows(indptr, np.concatenate([empty, *labels]), np.concatenate([empty, *scores]), candidates.labels)


def _ranked(candidates: Candidates, hidden: Hidden, k: int) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """(rows, up to k) Labels of the foretold slots by falling weight, and the weights; 0 for slots that do not
    count."""
    rows = np.arange(len(hidden.anchor))
    weights = np.tile(candidates.weights[: candidates.foretold], (len(rows), 1))
    weights[rows, hidden.companion_slot] = candidates.companion_weights[hidden.companion_slot]
    weights[candidates.twins(hidden)] = 0
    slots = np.argsort(-weights, axis=1, kind="stable")[:, :k]  # the anchor, slot 0, first among equals
    positions = candidates.positions(hidden, np.repeat(rows, slots.shape[1]), slots.ravel())
    labels = candidates.topics.public[positions].reshape(slots.shape)
    return labels, np.take_along_axis(weights, slots, axis=1)


def _is_first(labels: NDArray[np.int32]) -> NDArray[np.bool_]:
    """True where a label does not stand further left in its row."""
    order = np.argsort(labels, axis=1, kind="stable")
    ordered = np.take_along_axis(labels, order, axis=1)
    first = np.ones(labels.shape, bool)
    first[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    unordered = np.empty_like(first)
    np.put_along_axis(unordered, order, first, axis=1)
    return unordered
