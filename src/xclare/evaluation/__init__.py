"""Metrics of ranked labels, the way the extreme classification repository counts.

They agree with `napkinxc.metrics`, which also counts a document without truth as 0 and keeps it in N. What differs:
ties go to the lower label id here and anywhere there; NaN is refused here; and with fewer than three training documents
all labels weigh 1 here, where the formula makes rare labels worth less than popular ones.

Every name is imported when first used, so that the settings can be read without numpy."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xclare.evaluation.predictions import read_predictions, write_predictions
    from xclare.evaluation.scores import Evaluation, evaluate
    from xclare.evaluation.settings import EvaluationSettings

__all__ = ["Evaluation", "EvaluationSettings", "evaluate", "read_predictions", "write_predictions"]

_HOMES = {
    "Evaluation": "scores",
    "EvaluationSettings": "settings",
    "evaluate": "scores",
    "read_predictions": "predictions",
    "write_predictions": "predictions",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'xclare.evaluation' has no attribute {name!r}")
    return getattr(importlib.import_module(f"xclare.evaluation.{_HOMES[name]}"), name)
