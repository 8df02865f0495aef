"""What a run keeps between modules: the finished result of each, placed whole, and what it belongs to."""

from __future__ import annotations

import hashlib
import json
import logging
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from xclare.errors import InputError
from xclare.persistence.atomic import atomic_file
from xclare.persistence.tensors import read_tensor_file, write_tensor_file
from xclare.sparse import Csr
from xclare.training.start import TrainingData
from xclare.version import __version__

if TYPE_CHECKING:
    from xclare.config import Config

log = logging.getLogger(__name__)

FINGERPRINT_FILE, LOG_FILE = "fingerprint.json", "training.jsonl"
NOT_TRAINED_BY = ("predict", "evaluation", "baselines", "data")
"""Sections of the settings that no module reads."""


class Workspace:
    """A folder beside the model to be: `module_1.safetensors`, … of one run. Results of other data, settings or seeds
    are removed when it is opened."""

    def __init__(self, folder: Path, fingerprint: str) -> None:
        self.folder = folder
        self.fresh = self._recorded() != fingerprint
        if self.fresh:
            _refuse_other(folder)
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            with atomic_file(folder / FINGERPRINT_FILE) as file:
                file.write(json.dumps({"fingerprint": fingerprint}).encode())

    @property
    def log_file(self) -> Path:
        """Where the run's log goes."""
        return self.folder / LOG_FILE

    def finished(self, module: int) -> dict[str, Tensor] | None:
        """The result of a module, where it is there and whole."""
        path = self._path(module)
        if not path.exists():
            return None
        try:
            return {name: torch.from_numpy(array.copy()) for name, array in read_tensor_file(path).items()}
        except InputError as error:
            log.warning("%s The module is run again.", error)
            return None

    def finish(self, module: int, arrays: dict[str, Tensor]) -> None:
        """Places the result of a module."""
        write_tensor_file(self._path(module), {name: array.detach().cpu().numpy() for name, array in arrays.items()})

    def _path(self, module: int) -> Path:
        return self.folder / f"module_{module}.safetensors"

    def _recorded(self) -> Any:
        try:
            return json.loads((self.folder / FINGERPRINT_FILE).read_text(encoding="utf-8"))["fingerprint"]
        except (OSError, ValueError, KeyError, TypeError):
            return None


def _refuse_other(folder: Path) -> None:
    """Refuses a place where something is that is no run's: nothing else is ever removed."""
    ours = folder.is_dir() and (
        (folder / FINGERPRINT_FILE).exists() or all(path.name.startswith(".") for path in folder.iterdir())
    )
    if folder.exists() and not ours:
        raise InputError(
            f"{folder}, where the modules' results would be kept, holds something else. Choose another name for the "
            "model, or remove it first."
        )


def fingerprint_of(data: TrainingData, own_graph: Csr | None, config: Config, seed: int) -> str:
    """A hash of everything that the modules' results follow from: data, settings, seed, version."""
    found = hashlib.sha256()
    tree = {name: part for name, part in config.to_dict().items() if name not in NOT_TRAINED_BY}
    tree["training"] = {name: value for name, value in tree["training"].items() if name != "stop_after"}
    found.update(json.dumps([tree, seed, __version__], sort_keys=True).encode())
    own = () if own_graph is None else (own_graph,)
    for matrix in (data.features, data.targets, data.label_features, *own):
        found.update(str(matrix.shape).encode())
        for array in (matrix.indptr, matrix.indices, matrix.data):
            found.update(array.tobytes())
    return found.hexdigest()
