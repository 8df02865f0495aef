"""From texts to labels, with a saved model and nothing but numpy and scipy."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from xclare.arrays import csr_product
from xclare.data.dataset import Documents
from xclare.errors import InputError
from xclare.inference.model_folder import SavedModel
from xclare.inference.settings import PredictSettings
from xclare.progress import SILENT, Progress
from xclare.sparse import Csr, row_counts, top_k
from xclare.threads import worker_count

log = logging.getLogger(__name__)

CELLS_AT_ONCE = 1 << 24
"""Scores of documents and meta-labels, or labels, that are held at a time by a thread."""


class Predictor:
    """Predicts labels of documents, given as texts or as rows of features."""

    def __init__(self, model: SavedModel) -> None:
        self.model = model
        self.settings = PredictSettings(**model.config["predict"])

    @classmethod
    def load(cls, folder: str | Path) -> Predictor:
        """The predictor of a model folder."""
        return cls(SavedModel.load(folder))

    def features(self, texts: Sequence[str] | str, progress: Progress = SILENT) -> Csr:
        """(documents x tokens) The features of texts."""
        if self.model.text is None:
            raise InputError(
                "This model was trained on ready-made features, so it cannot read text: give it rows of features, "
                "or train on text."
            )
        return self.model.text.transform(texts, progress)

    def features_of(self, documents: Documents, progress: Progress = SILENT) -> Csr:
        """(documents x tokens) The features by which a document is predicted: of its text where the model reads text,
        else its ready-made ones."""
        if self.model.text is not None:
            if not documents.has_text and documents.features is not None:
                return documents.features
            return self.model.text.transform(documents.texts, progress)
        if documents.features is None:
            return self.features(documents.texts)
        return documents.features

    def chosen_labels(
        self, allowed: NDArray[np.int64] | None, denied: NDArray[np.int64] | None
    ) -> NDArray[np.bool_] | None:
        """(labels,) Which labels may be predicted, where not all may."""
        if allowed is None and denied is None:
            return None
        chosen = np.full(self.model.labels, allowed is None)
        if allowed is not None:
            chosen[allowed] = True
        if denied is not None:
            chosen[denied] = False
        return chosen

    def scores(
        self,
        features: Csr,
        k: int = 100,
        *,
        search: str | None = None,
        chosen: NDArray[np.bool_] | None = None,
        threshold: float = 0.0,
        progress: Progress = SILENT,
    ) -> Csr:
        """(documents x labels) The scores of the `k` best labels of every document, fewer where fewer were found; a row
        without features has none. `search` overrides the model's own (`shortlist`, `exact`); only `chosen` labels with
        a score of at least `threshold` are predicted."""
        wanted = len(self.model.embeddings)
        if features.shape[1] != wanted:
            raise InputError(f"The documents have {features.shape[1]} features each: expected {wanted}, the model's.")
        if k < 1:
            raise InputError(f"k = {k}: expected a number of labels, at least 1.")
        if empty := int((row_counts(features) == 0).sum()):
            log.warning("%d of %d documents have no known token, and so no predictions.", empty, features.shape[0])
        exact = self._is_exact(search)
        width = self.model.labels if exact else self.model.shortlister.classifiers.shape[0]
        step = max(16, CELLS_AT_ONCE // max(width, 1))

        def block(start: int) -> Csr:
            found = self._block(features[start : start + step], exact, chosen)
            return top_k(_where(found, chosen, threshold), k)

        parts = []
        starts = range(0, features.shape[0], step)
        with progress.task("predicting", features.shape[0]) as advance, ThreadPoolExecutor(worker_count()) as pool:
            for part in pool.map(block, starts):
                parts.append(part)
                advance(part.shape[0])
        if not parts:
            return csr_array((0, self.model.labels), dtype=np.float32)
        return csr_array(vstack(parts, format="csr"))

    def predict(
        self, texts: Sequence[str] | str, k: int = 5, *, search: str | None = None
    ) -> list[list[tuple[str, float]]]:
        """For every text its `k` best labels, by text (else id, else number), with their scores, best first."""
        found = self.scores(self.features(texts), k, search=search)
        return [
            [(self.name_of(label), score) for label, score in ranked_row(found, row)] for row in range(found.shape[0])
        ]

    def name_of(self, label: int) -> str:
        """How a label is shown: its text, else its id, else its number."""
        model = self.model
        for names in (model.label_texts, model.label_ids):
            if names is not None and names[label]:
                return names[label]
        return str(label)

    def _is_exact(self, search: str | None) -> bool:
        chosen = self.settings.search if search is None else search
        if chosen not in ("shortlist", "exact"):
            raise InputError(f"search = {chosen!r}: expected `shortlist` or `exact`.")
        return chosen == "exact"

    def _block(self, features: Csr, exact: bool, chosen: NDArray[np.bool_] | None) -> Csr:
        """(documents x labels) The scores of some documents."""
        initial = csr_product(features, self.model.embeddings)
        ranker = self.model.ranker
        found = (
            ranker.exact(initial, chosen) if exact else ranker.scores(initial, self.model.shortlister.labels(initial))
        )
        return _without_rows(found, row_counts(features) == 0)


def ranked_row(scores: Csr, row: int) -> list[tuple[int, float]]:
    """The labels of a row and their scores, best first; of equal ones the lower label first."""
    begin, end = scores.indptr[row : row + 2]
    labels, values = scores.indices[begin:end], scores.data[begin:end]
    return [(int(labels[i]), float(values[i])) for i in np.argsort(-values, kind="stable")]


def _where(scores: Csr, chosen: NDArray[np.bool_] | None, threshold: float) -> Csr:
    """The scores of chosen labels that reach the threshold."""
    keep = scores.data >= threshold
    return _kept(scores, keep if chosen is None else keep & chosen[scores.indices])


def _without_rows(scores: Csr, rows: NDArray[np.bool_]) -> Csr:
    """The scores with these rows empty."""
    return _kept(scores, np.repeat(~rows, row_counts(scores)))


def _kept(matrix: Csr, keep: NDArray[np.bool_]) -> Csr:
    """The entries to keep."""
    if keep.all():
        return matrix
    ends = np.concatenate([[0], np.cumsum(keep)])[matrix.indptr]
    return csr_array((matrix.data[keep], matrix.indices[keep], ends), shape=matrix.shape)
