"""The row of the paper's Table 1 for any data set, and what is odd about the data."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xclare.data.dataset import Dataset, Documents, Items
from xclare.sparse import column_counts, row_counts
from xclare.strings import Strings

RARE_BELOW = 5


@dataclass(frozen=True)
class Statistics:
    """Sizes and shape of a data set. Averages and shares are over the training part as it stands, nothing filtered."""

    name: str
    """The data set."""
    train_documents: int
    """N."""
    test_documents: int
    """N'."""
    labels: int
    """L, with labels that no training document has."""
    vocabulary: int
    """V: tokens of the shared vocabulary; 0 where there is neither text nor features."""
    labels_per_document: float
    """Training pairs / N."""
    documents_per_label: float
    """Training pairs / L."""
    tokens_per_document: float
    """Distinct known tokens of a training document, on average."""
    tokens_per_label: float
    """Distinct known tokens of a label's text, on average."""
    share_of_labels_under_5: float
    """Labels with fewer than five training documents / L, from 0 to 1."""
    oddities: Mapping[str, int] = field(default_factory=dict)
    """What is odd and was handled, counted; only what occurs."""

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return dataclasses.asdict(self)


def statistics_of(dataset: Dataset) -> Statistics:
    """Counts; the features have to be there if tokens are to be counted (`text.features.with_features`)."""
    train, labels = dataset.train, dataset.labels
    frequencies = column_counts(train.targets)
    pairs = int(frequencies.sum())
    return Statistics(
        name=dataset.name,
        train_documents=len(train),
        test_documents=0 if dataset.test is None else len(dataset.test),
        labels=len(labels),
        vocabulary=0 if train.features is None else train.features.shape[1],
        labels_per_document=pairs / max(len(train), 1),
        documents_per_label=pairs / max(len(labels), 1),
        tokens_per_document=_tokens(train),
        tokens_per_label=_tokens(labels),
        share_of_labels_under_5=float(np.mean(frequencies < RARE_BELOW)) if len(labels) else 0.0,
        oddities={what: count for what, count in _oddities(dataset, frequencies).items() if count},
    )


def _tokens(items: Items) -> float:
    return 0.0 if items.features is None else items.features.nnz / max(len(items), 1)


def _oddities(dataset: Dataset, frequencies: NDArray[np.int64]) -> dict[str, int]:
    """Everything a user would want to know before training, in the order in which one would look for it."""
    found = dict(dataset.findings)
    for name, part in dataset.parts().items():
        found[f"{name} documents without a label"] = int((row_counts(part.targets) == 0).sum())
        if part.has_text:
            texts = part.texts
            found[f"{name} documents with an empty text"] = _empty(texts)
            found[f"{name} documents whose text another one has too"] = len(texts) - len(_distinct(texts))
        if part.excluded is not None:
            found[f"{name} pairs left out when scored"] = part.excluded.nnz
            found[f"{name} documents left without truth when scored"] = _without_truth(part)
    if dataset.labels.has_text:
        found["labels without text"] = _empty(dataset.labels.texts)
    found["labels that no training document has"] = int((frequencies == 0).sum())
    if dataset.test is not None and dataset.test.has_text:
        known = _distinct(dataset.train.texts)
        found["test documents whose text stands in training too"] = sum(text in known for text in dataset.test.texts)
    return found


def _empty(texts: Strings) -> int:
    """Texts without any character, or of spaces alone."""
    short = texts.take(texts.lengths < 64)  # a longer one of nothing but spaces is not worth a look at every text
    return sum(not text.strip() for text in short)


def _distinct(texts: Strings) -> set[str]:
    return set(texts)


def _without_truth(part: Documents) -> int:
    """Documents that have labels, but none that counts."""
    assert part.excluded is not None
    hidden = part.targets.astype(bool).multiply(part.excluded.astype(bool)).tocsr()
    labelled = row_counts(part.targets)
    return int(((labelled > 0) & (labelled == np.diff(hidden.indptr))).sum())
