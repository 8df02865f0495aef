"""Settings of the baselines (section `baselines`)."""

from __future__ import annotations

from dataclasses import dataclass

from xclare.settings import check_range


@dataclass(frozen=True)
class BaselineSettings:
    """How many labels the baselines predict, and from how many documents."""

    neighbours: int = 50
    """Training documents that vote for a document's labels in `nearest-document`."""

    similarity_power: float = 1.0
    """Power of the cosine that a training document's vote weighs in `nearest-document`. Above 1 the nearest count for
    more, which helps where titles are near copies of each other."""

    top_k: int = 100
    """Labels predicted for a document. Pairs left out of the evaluation are among them, so ask for more than you
    score."""

    def __post_init__(self) -> None:
        check_range("baselines.neighbours", self.neighbours, 1)
        check_range("baselines.similarity_power", self.similarity_power, 0, 100)
        check_range("baselines.top_k", self.top_k, 1)
