"""Settings of evaluation (section `evaluation`)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from xclare.errors import SettingError
from xclare.settings import check_range


@dataclass(frozen=True)
class EvaluationSettings:
    """Which metrics are computed, and how rare labels are weighed."""

    propensity_a: float = 0.55
    """A of the propensity model; 0.6 for data sets made from Amazon, 0.5 for those from Wikipedia's titles."""

    propensity_b: float = 1.5
    """B of the propensity model; 2.6 for data sets made from Amazon, 0.4 for those from Wikipedia's titles."""

    ks: tuple[int, ...] = (1, 3, 5)
    """The k, ascending, of P@k, PSP@k, nDCG@k, PSnDCG@k, coverage@k and of the contributions of frequency bins."""

    recall_ks: tuple[int, ...] = (5, 10, 100)
    """The k, ascending, of R@k."""

    def __post_init__(self) -> None:
        check_range("evaluation.propensity_a", self.propensity_a, 0, 10)
        # Above 0, for B = 0 would weigh a label without training documents infinitely.
        check_range("evaluation.propensity_b", self.propensity_b, 0.001, 1000)
        _check_ks("evaluation.ks", self.ks)
        _check_ks("evaluation.recall_ks", self.recall_ks)


def _check_ks(name: str, ks: tuple[int, ...]) -> None:
    """Refuses no k at all, a k that is no whole number from 1, and k that do not ascend."""
    whole = all(isinstance(k, int) and not isinstance(k, bool) and k >= 1 for k in ks)
    if not ks or not whole or any(low >= high for low, high in pairwise(ks)):
        raise SettingError(f"{name} = {ks!r}: expected ascending whole numbers from 1, for instance (1, 3, 5).")
