"""Inverse propensities, and the precision that they weigh."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from xclare.errors import InputError
from xclare.evaluation.hits import Hits
from xclare.evaluation.per_document import PerDocument
from xclare.sparse import Csr, column_counts


def inverse_propensities(targets: Csr, a: float = 0.55, b: float = 1.5) -> NDArray[np.float64]:
    """(labels,) How much a hit of each label weighs: 1 over the probability that a relevant label is known to be so
    (Jain, Prabhu and Varma, KDD 2016), from the unfiltered targets of all N training documents.

        1 / p_l = 1 + C (n_l + B)^-A,    C = (ln N - 1) (B + 1)^A

    n_l is the number of training documents of label l; weights of targets are ignored. With one or two documents C
    would be negative, and a rare label worth less than a popular one: it is then 0, and all labels weigh 1."""
    documents = targets.shape[0]
    if not documents:
        raise InputError("There are no training documents, so propensities cannot be computed: give the training set.")
    c = max(np.log(documents) - 1, 0) * (b + 1) ** a
    weights: NDArray[np.float64] = 1 + c * (column_counts(targets) + b) ** -a
    return weights


def propensity_scored_precision(hits: Hits, ideal: Hits, inverse: NDArray[np.float64], k: int) -> PerDocument:
    """PSP@k: precision with every hit weighed by its inverse propensity, over the best that was attainable.

        PSP@k = Σ_i Σ_{hits l of i within the top k} 1/p_l  /  Σ_i Σ_{the k largest 1/p_l of i's truth} 1/p_l

    A ratio of sums, as the tools of the extreme classification repository compute it. `ideal` is
    `hits.ideal(inverse)`."""
    return PerDocument(hits.sums(k, inverse[hits.label]), ideal.sums(k, inverse[ideal.label]))
