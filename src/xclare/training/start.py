"""What the modules start from: the training data as matrices, and the first values of biases and refinement vectors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from scipy.sparse import csr_array
from torch import Tensor

from xclare.data.dataset import Documents
from xclare.errors import InputError
from xclare.sparse import Csr, column_counts


@dataclass(frozen=True, eq=False)
class TrainingData:
    """Training documents as the modules see them."""

    features: Csr
    """X (documents x tokens)."""
    targets: Csr
    """(documents x labels) Weights of relevant pairs."""
    label_features: Csr
    """Z (labels x tokens)."""

    @classmethod
    def of(cls, documents: Documents) -> TrainingData:
        """The matrices of training documents that have features; labels without any have empty rows."""
        if documents.features is None:
            raise InputError("Training needs features of the training documents: give texts, or ready-made ones.")
        if not documents.targets.nnz:
            raise InputError("No training document has a label: there is nothing to learn. Check the labels' column.")
        tokens = documents.features.shape[1]
        labels = documents.labels.features
        if labels is None:
            labels = csr_array((documents.labels.count, tokens), dtype=np.float32)
        return cls(documents.features, documents.targets, labels)


def log_odds(targets: Csr) -> Tensor:
    """(labels,) The log odds of every label among the documents, a label never seen having half a document.

    log((n_l + 1/2) / (N - n_l + 1/2))
    """
    counts = column_counts(targets).astype(np.float64)
    return torch.from_numpy(np.log((counts + 0.5) / (targets.shape[0] - counts + 0.5)).astype(np.float32))


def refinement_start(how: str, initial: Tensor, convolved: Tensor) -> Tensor:
    """(labels, D) What refinement vectors begin as: `graph`, the convolved texts of a label's neighbours; `text`, its
    own; `zero`.

    z^3_l = Σ_m G_lm E z_m
    """
    if how == "zero":
        return torch.zeros_like(initial)
    return (convolved if how == "graph" else initial).clone()
