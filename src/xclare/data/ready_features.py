"""Ready-made features beside the text: a `.npz` file with the csr matrices `trn_x`, `tst_x` and `lbl_x`, each as
`_data`, `_indices`, `_indptr` and `_shape`."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from xclare.data.canonical_rows import ZERO_FEATURES
from xclare.data.dataset import Dataset, Items
from xclare.data.files import Findings
from xclare.data.formats.npz import csr_as_arrays, csr_from_arrays, has_csr, read_npz, write_npz
from xclare.errors import InputError

FILE_NAME = "features.npz"
PREFIXES = {"train": "trn_x_", "test": "tst_x_", "labels": "lbl_x_"}


def apply(dataset: Dataset, path: str | Path, findings: Findings) -> Dataset:
    """The data with the file's features, to be used in place of the text's. Rows must be as many as documents and
    labels; the label features may be missing."""
    arrays = read_npz(path)
    labels = _with_features(dataset.labels, "labels", arrays, path, findings)
    parts: dict[str, Any] = {}
    for name, part in dataset.parts().items():
        features = _with_features(part, name, arrays, path, findings)
        parts[name] = dataclasses.replace(features, labels=labels)
    return dataclasses.replace(dataset, **parts)


def save(dataset: Dataset, path: str | Path) -> None:
    """Writes the features of documents and labels, where there are any."""
    arrays: dict[str, NDArray[Any]] = {}
    for name, items in {"labels": dataset.labels, **dataset.parts()}.items():
        if items.features is not None:
            arrays |= csr_as_arrays(items.features, PREFIXES[name])
    write_npz(path, arrays)


def has_any(dataset: Dataset) -> bool:
    """Whether documents or labels have ready-made features."""
    return any(items.features is not None for items in (dataset.labels, *dataset.parts().values()))


def _with_features(items: Any, name: str, arrays: dict[str, Any], path: str | Path, findings: Findings) -> Any:
    prefix = PREFIXES[name]
    if not has_csr(arrays, prefix):
        if name == "labels":
            return dataclasses.replace(items, features=None)
        there = ", ".join(sorted(arrays)) or "nothing"
        raise InputError(
            f"{path} holds {there}: expected {prefix}data, {prefix}indices, {prefix}indptr, {prefix}shape."
        )
    features = csr_from_arrays(arrays, path, prefix)
    _check_rows(features.shape[0], items, name, path)
    if zeros := int((features.data == 0).sum()):
        findings[ZERO_FEATURES] += zeros
        features.eliminate_zeros()
    return dataclasses.replace(items, features=features)


def _check_rows(rows: int, items: Items, name: str, path: str | Path) -> None:
    if rows != items.count:
        what = "labels" if name == "labels" else f"{name} documents"
        raise InputError(f"{path}: found {rows} rows of features for the {items.count} {what}, expected one each.")
