"""Extreme classification of short texts. Importing this loads nothing heavy: every name is imported when first used."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from xclare.version import __version__

if TYPE_CHECKING:
    from xclare.config import Config
    from xclare.data.dataset import Dataset
    from xclare.estimator import Eclare
    from xclare.evaluation import evaluate
    from xclare.graph.label_graph import LabelGraph

__all__ = ["Config", "Dataset", "Eclare", "LabelGraph", "__version__", "evaluate"]

_HOMES = {
    "Config": "xclare.config",
    "Dataset": "xclare.data.dataset",
    "Eclare": "xclare.estimator",
    "LabelGraph": "xclare.graph.label_graph",
    "evaluate": "xclare.evaluation",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'xclare' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
