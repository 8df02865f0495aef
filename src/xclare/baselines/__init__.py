"""Three baselines that anyone should beat. Each predicts the labels of the test documents: (test documents x labels),
at most `top_k` a row."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from xclare.errors import InputError
from xclare.progress import SILENT, Progress

if TYPE_CHECKING:
    from xclare.baselines.settings import BaselineSettings
    from xclare.data.dataset import Dataset
    from xclare.sparse import Csr


def _popularity(dataset: Dataset, settings: BaselineSettings, progress: Progress = SILENT) -> Csr:
    from xclare.baselines.popularity import popularity

    return popularity(dataset, settings.top_k, progress)


def _nearest_label(dataset: Dataset, settings: BaselineSettings, progress: Progress = SILENT) -> Csr:
    from xclare.baselines.nearest_label import nearest_label

    return nearest_label(dataset, settings.top_k, progress)


def _nearest_document(dataset: Dataset, settings: BaselineSettings, progress: Progress = SILENT) -> Csr:
    from xclare.baselines.nearest_document import nearest_document

    return nearest_document(dataset, settings.top_k, settings.neighbours, settings.similarity_power, progress)


BASELINES: Mapping[str, Callable[..., Csr]] = {
    "popularity": _popularity,
    "nearest-label": _nearest_label,
    "nearest-document": _nearest_document,
}
"""By name, with one signature: (dataset with features, settings, progress) to predictions."""


def predict_baseline(
    name: str, dataset: Dataset, settings: BaselineSettings | None = None, progress: Progress = SILENT
) -> Csr:
    """The predictions of the baseline called `name`; features are made from the text where there are none."""
    from xclare.baselines.settings import BaselineSettings
    from xclare.text.features import with_features

    if name not in BASELINES:
        close = difflib.get_close_matches(name, BASELINES, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"expected one of {', '.join(BASELINES)}."
        raise InputError(f"baseline {name!r} is unknown; {hint}")
    if name != "popularity":
        dataset = with_features(dataset, progress=progress)
    return BASELINES[name](dataset, settings or BaselineSettings(), progress)
