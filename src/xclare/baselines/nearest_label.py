"""The labels whose own texts are most like the document's: what a text search over the labels would answer."""

from __future__ import annotations

from xclare.baselines.similarity import features_of, most_similar
from xclare.data.dataset import Dataset
from xclare.progress import SILENT, Progress
from xclare.sparse import Csr


def nearest_label(dataset: Dataset, top_k: int = 100, progress: Progress = SILENT) -> Csr:
    """(test documents x labels) The `top_k` labels whose texts have the highest cosine to the document.

        s(x, l) = ⟨x, z_l⟩ / (|x| |z_l|)

    x are the document's features, z_l those of the label's text; only labels that share a token with the document. Of
    equal ones the lower id comes first."""
    documents, labels = features_of(dataset.test_or_refuse(), "test documents"), features_of(dataset.labels, "labels")
    return most_similar(documents, labels, top_k, progress, "comparing with label texts")
