"""The files of a data set whose documents are rows (records and logs): finding, reading and writing them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from xclare.data.dataset import Dataset, Documents, Labels
from xclare.data.files import Findings, first_existing
from xclare.data.formats.columns import Column, Values
from xclare.data.formats.tables import JSON_LINES, Table, kind_of_table, read_head, read_table, write_table
from xclare.data.label_file import label_columns, read_labels
from xclare.data.roles import ONE_LABEL_NAMES, Roles, known_names
from xclare.data.settings import DataSettings
from xclare.errors import InputError
from xclare.persistence.atomic import atomic_folder
from xclare.progress import SILENT, Progress
from xclare.strings import Strings

FORMATS = ("jsonl", "csv", "tsv", "parquet")
WRITTEN_FORMATS = (*FORMATS, *(f"{name}.gz" for name in FORMATS[:3]))


@dataclass(frozen=True)
class Parts:
    """The files of a data set: one, or those of a folder."""

    train: Path
    test: Path | None = None
    labels: Path | None = None
    split: bool = True
    """Whether `train` is a single file that is still to be split."""


def parts_of(path: Path) -> Parts | None:
    """The file itself, or what stands in a folder: `train.EXT`, perhaps `test.EXT` and `labels.EXT`, where EXT is
    jsonl, csv, tsv or parquet (or, but for Parquet, these with .gz). None where there is no such thing."""
    if not path.is_dir():
        return Parts(path)
    train, test, labels = (
        first_existing(path, *(f"{part}.{extension}" for extension in FORMATS)) for part in ("train", "test", "labels")
    )
    labels = labels or first_existing(path, "labels.txt")
    return Parts(train, test, labels, split=False) if train is not None else None


def rows_are(path: Path, settings: DataSettings) -> str:
    """What a row of the file or folder is, by its first rows: `documents` (records), `pairs` (a log), or nothing where
    it is no table. Rows are pairs where no cell of the labels is a list, and there is a column of weights or of
    times, or the labels' column has a name in the singular."""
    parts = parts_of(path)
    kind = kind_of_table(parts.train, known_names(settings)) if parts is not None else None
    if parts is None or kind is None:
        return ""
    if settings.rows != "auto":
        return settings.rows
    with suppress(InputError):  # broken files are refused when they are read, at the right place
        table = read_head(parts.train, kind)
        roles = Roles.of(table, settings)
        column = table.columns[roles.labels]
        listed = _has_lists(column, settings, by_bar=not roles.weight, typed=kind == JSON_LINES)
        if not listed and (roles.weight or roles.time or roles.labels in ONE_LABEL_NAMES):
            return "pairs"
    return "documents"


def _has_lists(column: Column, settings: DataSettings, *, by_bar: bool, typed: bool) -> bool:
    """Whether any cell of a column of labels is a list, or a text that `label_separator` cuts. In a column beside
    weights (not `by_bar`) only JSON lists are cut by `auto`: there, a label's own text may hold a bar."""
    if column.offsets is not None:
        return True
    if not isinstance(column.values, Strings):
        return False
    cells = list(column.values)
    if settings.label_separator != "auto":
        return any(settings.label_separator in cell for cell in cells)
    if typed:
        return False
    marks = "|;" if by_bar else ""
    return any(cell.startswith("[") or any(mark in cell for mark in marks) for cell in cells)


@dataclass(frozen=True)
class RowFiles:
    """The tables of a data set, read."""

    tables: tuple[tuple[Table, Roles], ...]
    """Of the training and, where there is one, of the test documents; or of the one file that is to be split."""
    labels: Labels | None
    labels_path: Path | None
    split: bool

    @property
    def labels_source(self) -> str:
        """The file of labels, for messages."""
        return self.labels_path.name if self.labels_path is not None else ""


def read_row_files(
    path: Path, settings: DataSettings, findings: Findings, progress: Progress, label_texts: Path | None
) -> RowFiles:
    """Reads everything that belongs to `path`. `label_texts` is used in place of a folder's own file of labels."""
    parts = parts_of(path)
    if parts is None:
        raise InputError(f"{path} holds no train.EXT, where EXT is one of {', '.join(FORMATS)}. Name the file itself.")
    known = known_names(settings)
    tables: list[tuple[Table, Roles]] = []
    for file in filter(None, (parts.train, parts.test)):
        kind = kind_of_table(file, known)
        if kind is None and file == parts.train:
            raise InputError.at(file, found="no rows", expected="JSON lines, Parquet, or a table with a header line")
        table = read_table(file, kind or JSON_LINES, findings, progress)
        if not table.columns and tables:  # no line, so no names either
            table = replace(table, columns={name: Column.blank(0) for name in tables[0][0].columns})
        tables.append((table, Roles.of(table, settings)))
    labels_path = label_texts or parts.labels
    labels = read_labels(labels_path, settings, findings, progress) if labels_path is not None else None
    return RowFiles(tuple(tables), labels, labels_path, parts.split)


def name_of(path: Path) -> str:
    """A name for the data set: the file's or folder's, without the endings that say its format."""
    name = path.name or "data"
    for ending in (".gz", *(f".{extension}" for extension in FORMATS)):
        name = name.removesuffix(ending) or name
    return name


ColumnsOf = Callable[[Documents, Values], Mapping[str, Column]]
"""The columns that hold some documents, given how each label is named in them."""


def write_row_files(
    data: Dataset, path: Path, extension: str, columns_of: ColumnsOf, progress: Progress = SILENT
) -> list[str]:
    """Writes `train.EXT`, `test.EXT` and `labels.EXT` into a new folder. Returns a sentence for everything about
    the labels that cannot be carried."""
    if extension not in WRITTEN_FORMATS:
        raise InputError(f"{extension!r} is no format of rows: expected one of {', '.join(WRITTEN_FORMATS)}.")
    names, labels, lost = label_columns(data.labels)
    with atomic_folder(path) as folder:
        for part, documents in data.parts().items():
            write_table(folder / f"{part}.{extension}", columns_of(documents, names), progress)
        write_table(folder / f"labels.{extension}", labels, progress)
    return lost
