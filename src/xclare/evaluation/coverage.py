"""Coverage at k: how many different labels a system gets right."""

from __future__ import annotations

import numpy as np

from xclare.evaluation.hits import Hits, Integers


def coverage(hits: Hits, k: int) -> float:
    """coverage@k: of the labels that are relevant for any document, the share that is predicted correctly, within the
    top k, for at least one.

        coverage@k = |∪_i {hits of i within the top k}| / |∪_i truth of i|

    It is 0 where no document has any truth."""
    relevant = _distinct(hits.label, hits.labels)
    return _distinct(hits.label[hits.rank <= k], hits.labels) / relevant if relevant else 0.0


def _distinct(label: Integers, labels: int) -> int:
    """How many different labels there are."""
    seen = np.zeros(labels, np.bool_)
    seen[label] = True
    return int(np.count_nonzero(seen))
