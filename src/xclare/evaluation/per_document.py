"""A metric before it is averaged: what every document contributes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class PerDocument:
    """A metric is `Σ gained / Σ attainable` over the documents. A mean has 1 attainable per document; a metric that is
    normalised by the best possible result has what a perfect ranking would gain."""

    gained: NDArray[np.float64]  # (documents,)
    attainable: NDArray[np.float64] | None = None  # (documents,), None: 1 each

    @property
    def value(self) -> float:
        """The metric, from 0 to 1."""
        attainable = len(self.gained) if self.attainable is None else self.attainable.sum()
        return float(share(self.gained.sum(), attainable))


def share(gained: float | NDArray[np.float64], attainable: float | NDArray[np.float64]) -> NDArray[np.float64]:
    """`gained / attainable`, and 0 where nothing is attainable."""
    gained, attainable = np.asarray(gained, np.float64), np.asarray(attainable, np.float64)
    return np.divide(gained, attainable, out=np.zeros(np.broadcast(gained, attainable).shape), where=attainable != 0)
