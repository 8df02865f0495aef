"""Every layout there is: which one a place holds, by looking at it, and which one to write."""

from __future__ import annotations

import dataclasses
import difflib
import logging
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import cast

from xclare.data import (
    attention_xml,
    logs,
    ready_features,
    records,
    related_packages,
    synthetic,
    xc_repository,
    xc_sparse,
)
from xclare.data.dataset import Dataset
from xclare.data.files import Findings
from xclare.data.settings import DataSettings
from xclare.errors import InputError
from xclare.persistence.atomic import atomic_folder
from xclare.progress import SILENT, Progress

DATA_FOLDER = "XCLARE_DATA"
"""The environment variable that names a folder of data sets."""

SYNTHETIC_NAME = "shape:"

_log = logging.getLogger(__name__)

Save = Callable[[Dataset, Path, Progress], list[str]]


@dataclass(frozen=True)
class Layout:
    """A way to write data into a folder."""

    save: Save
    """Writes into an existing folder; returns a sentence for everything it cannot carry."""
    features_only: bool = False
    """Whether it holds features in place of texts."""


def _rows(save: Callable[[Dataset, Path, str, Progress], list[str]], extension: str) -> Layout:
    return Layout(lambda dataset, folder, progress: save(dataset, folder, extension, progress))


def _layouts() -> dict[str, Layout]:
    layouts = {
        "xc-raw": Layout(partial(xc_repository.save, gz=False)),
        "xc-raw.gz": Layout(partial(xc_repository.save, gz=True)),
        "xc-sparse": Layout(xc_sparse.save, features_only=True),
        "xc-npz": Layout(partial(xc_sparse.save, npz=True), features_only=True),
        "attention-xml": Layout(attention_xml.save),
    }
    for kind in ("jsonl", "csv", "tsv"):
        for extension in (kind, f"{kind}.gz"):
            layouts[extension] = _rows(records.save, extension)
            layouts[f"log-{extension}"] = _rows(logs.save, extension)
    return layouts | {"parquet": _rows(records.save, "parquet"), "log-parquet": _rows(logs.save, "parquet")}


LAYOUTS = _layouts()
"""All layouts that can be written, by name."""


def layout_of(name: str) -> Layout:
    """The layout of this name, or an error that names the nearest."""
    if name in LAYOUTS:
        return LAYOUTS[name]
    close = difflib.get_close_matches(name, LAYOUTS, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"expected one of {', '.join(LAYOUTS)}."
    raise InputError(f"layout {name!r} is unknown; {hint}")


def save(dataset: Dataset, path: str | Path, layout: str, *, progress: Progress = SILENT) -> list[str]:
    """Writes the data into a new folder, whole or not at all. Returns a sentence for everything that is not carried."""
    chosen = layout_of(layout)
    if chosen.features_only and not dataset.has_features:
        raise InputError(
            f"The layout {layout} holds features, and {dataset.name} has none yet. "
            "Make them from its text first: xclare.text.features.with_features(dataset)."
        )
    with atomic_folder(path) as folder:
        return chosen.save(dataset, folder, progress)


def load(
    source: str | Path,
    *,
    settings: DataSettings | None = None,
    features: str | Path | None = None,
    label_texts: str | Path | None = None,
    progress: Progress = SILENT,
) -> Dataset:
    """Reads data of any layout, known by its content. See `Dataset.load`."""
    settings, findings = settings or DataSettings(), Findings()
    second_file = None if label_texts is None else Path(label_texts)
    dataset = _load(source, settings, findings, second_file, progress)
    if features is not None:
        dataset = ready_features.apply(dataset, features, findings)
    return dataclasses.replace(dataset, findings={**dataset.findings, **findings})


def _load(
    source: str | Path, settings: DataSettings, findings: Findings, label_texts: Path | None, progress: Progress
) -> Dataset:
    name = str(source)
    if name.startswith(SYNTHETIC_NAME):
        return synthetic.load(name, settings, progress)
    path = _found(name)
    if path is None and name == related_packages.NAME:
        return related_packages.load(settings, findings, progress)
    if path is None:
        raise InputError(_not_found(name))
    if path.is_dir():
        return _load_folder(path, settings, findings, label_texts, progress)
    read = logs.load if logs.matches(path, settings) else records.load
    return read(path, settings, findings, progress, label_texts)


def _load_folder(
    folder: Path, settings: DataSettings, findings: Findings, label_texts: Path | None, progress: Progress
) -> Dataset:
    """The first layout that the folder holds; text before features, as it stands beside them in the XC repository."""
    folders = [part for part in (xc_repository, attention_xml, xc_sparse) if part.matches(folder)]
    if folders and folders[0] is not xc_sparse and xc_sparse in folders:
        _log.info("%s holds texts and ready-made features: the texts are read.", folder)
    if folders:
        if label_texts is not None:
            raise InputError("--label-texts goes with records and logs: this layout has a file of its own for labels.")
        return cast(Dataset, folders[0].load(folder, settings, findings, progress))
    for rows in (logs, records):
        if rows.matches(folder, settings):
            return cast(Dataset, rows.load(folder, settings, findings, progress, label_texts))
    there = ", ".join(sorted(path.name for path in folder.iterdir())[:8]) or "nothing"
    raise InputError(
        f"{folder} holds no layout that xclare knows (it holds {there}). Expected one of: trn.json; trn_X_Xf.txt and "
        "trn_X_Y.txt; train.txt; train_texts.txt and train_labels.txt; train.jsonl, .csv, .tsv or .parquet; "
        "each may end in .gz. A single file of records or a log is given by its own name."
    )


def _found(name: str) -> Path | None:
    """The place a name means: as it stands, else below `$XCLARE_DATA`."""
    if name and Path(name).exists():
        return Path(name)
    folder = os.environ.get(DATA_FOLDER)
    if folder and name and (Path(folder) / name).exists():
        return Path(folder) / name
    return None


def _not_found(name: str) -> str:
    folder = os.environ.get(DATA_FOLDER)
    below = f"nor below {DATA_FOLDER} ({folder})" if folder else f"({DATA_FOLDER} is not set)"
    known = [related_packages.NAME, *(SYNTHETIC_NAME + shape for shape in synthetic.SHAPES)]
    close = difflib.get_close_matches(name, known, n=1)
    hint = f"Did you mean {close[0]!r}?" if close else f"Expected a folder, a file, or one of {', '.join(known)}."
    return f"There is nothing named {name!r} here {below}. {hint}"
