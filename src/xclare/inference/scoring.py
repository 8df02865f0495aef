"""A saved model's predictions for documents whose labels are known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from xclare.data.dataset import Documents, Labels
from xclare.errors import InputError
from xclare.inference.model_folder import SavedModel
from xclare.inference.predictor import Predictor
from xclare.progress import SILENT, Progress
from xclare.sparse import Csr
from xclare.strings import Strings

TOP_K = 100


def predictions_of_model(
    model: str | Path | Predictor, documents: Documents, *, search: str | None = None, progress: Progress = SILENT
) -> Csr:
    """(documents x labels) The 100 best labels of every document by a model on its default path, or by `search`."""
    predictor = model if isinstance(model, Predictor) else Predictor.load(model)
    columns = label_columns(predictor.model, documents.labels)
    scores = predictor.scores(predictor.features_of(documents, progress), TOP_K, search=search, progress=progress)
    if columns is None:
        return scores
    found = csr_array(
        (scores.data, columns[scores.indices], scores.indptr), shape=(documents.count, documents.labels.count)
    )
    found.sort_indices()
    return found


def label_columns(model: SavedModel, labels: Labels) -> np.ndarray[tuple[int], np.dtype[np.int64]] | None:
    """Which label of the data every label of the model is, by id, else by text; None where they are the same in the
    same order, or have no names."""
    texts = labels.texts if labels.has_text else None
    compared = False
    for ours, theirs in ((model.label_ids, labels.ids), (model.label_texts, texts)):
        if ours is None or theirs is None:
            continue
        if ours == theirs:
            return None
        compared = True
        found = _matched(ours, theirs)
        if found is not None:
            return found
    if model.labels == labels.count and not compared:
        return None
    raise InputError(
        f"The model has {model.labels:,} labels, the data {labels.count:,}, and not all of the model's are among them. "
        "Score the model on data with the labels it was trained on."
    )


def _matched(ours: Strings, theirs: Strings) -> np.ndarray[tuple[int], np.dtype[np.int64]] | None:
    place = {name: row for row, name in enumerate(theirs)}
    rows = np.fromiter((place.get(name, -1) for name in ours), np.int64, len(ours))
    return rows if len(rows) and rows.min() >= 0 and len(place) == len(theirs) else None
