"""Logs: a row is a pair of a text and one label, perhaps with a weight and a time. Rows of equal text become one
document; the weights of equal pairs are added."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array

from xclare.data.dataset import Dataset, Documents, Labels, main_fields
from xclare.data.files import ZERO_WEIGHTS, Findings
from xclare.data.formats.columns import Column, Values
from xclare.data.formats.tables import Table
from xclare.data.in_memory import TITLE, check_length, label_set, mentions_of, refuse_in, text_column
from xclare.data.label_file import text_fields_note
from xclare.data.label_index import Index, Mentions, Refuse, resolve
from xclare.data.roles import Roles
from xclare.data.row_files import name_of, read_row_files, rows_are, write_row_files
from xclare.data.settings import DataSettings
from xclare.data.split import parse_split, parse_time, split_documents
from xclare.data.weights import WEIGHT, checked_weights
from xclare.errors import InputError, shown
from xclare.progress import SILENT, Progress
from xclare.sparse import Csr, as_csr, row_counts, row_of_entry
from xclare.strings import Strings

LABEL, WEIGHT_COLUMN = "label", "weight"
OTHER_COLUMNS = "columns of a log that are neither text, label, weight nor time, not kept"
ONE_LABEL = "one label: a text, or a whole number"
TIME = "a time: a number, or a date such as 2024-01-31"


def matches(path: Path, settings: DataSettings | None = None) -> bool:
    """Whether a file, or a folder's `train.EXT`, holds one pair a row, by its content."""
    return rows_are(path, settings or DataSettings()) == "pairs"


def load(
    path: Path,
    settings: DataSettings,
    findings: Findings,
    progress: Progress = SILENT,
    label_texts: Path | None = None,
) -> Dataset:
    """Reads a log. A single file is split by `settings.split` into whole documents, of which each has the time of its
    earliest pair; a folder's files are split already."""
    files = read_row_files(path, settings, findings, progress, label_texts)
    mentions = [_mentions(table, roles) for table, roles in files.tables]
    labels, rows = resolve(mentions, files.labels, findings, files.labels_source)
    split = parse_split(settings.split if files.split else "none")
    parts, times = [], None
    for (table, roles), row in zip(files.tables, rows, strict=True):
        used = {*roles.texts, *filter(None, (roles.labels, roles.weight, roles.time))}
        if others := len(set(table.columns) - used):
            findings[OTHER_COLUMNS] += others
        fields = {name: table.texts(name, findings) for name in roles.texts}
        pairs = _Pairs(fields, row, _weights(table, roles))
        parts.append(pairs.documents(labels, findings))
        times = pairs.earliest(table.times(roles.time)) if split.by == "time" and roles.time else None
    train, test = parts[0], parts[1] if len(parts) > 1 else None
    if files.split:
        train, test = split_documents(train, split, times, str(path))
    return Dataset(train, test, name_of(path), findings)


def _mentions(table: Table, roles: Roles) -> Mentions:
    """The label of every row."""
    name = roles.labels
    column = table.scalars(name, ONE_LABEL)
    values = column.values
    if not isinstance(values, Strings) and values.dtype != np.int64:
        values = table.ids(name)  # refuses them

    def refuse(position: int, **message: str) -> InputError:
        return table.refuse(position, name, **message)

    return Mentions(values, refuse, typed=table.has_types)


def _weights(table: Table, roles: Roles) -> NDArray[np.float32] | None:
    """The weight of every row, where there is a column of weights."""
    if not roles.weight:
        return None
    weights = table.numbers(roles.weight, WEIGHT)
    return checked_weights(weights, lambda position, **message: table.refuse(position, roles.weight, **message))


class _Pairs:
    """The rows of a log, and which document each belongs to."""

    def __init__(
        self, fields: Mapping[str, Strings], labels: NDArray[np.int64], weights: NDArray[np.float32] | None
    ) -> None:
        self.fields, self.labels, self.weights = fields, labels, weights
        self.document, self.first = _documents_of(list(fields.values()))

    def documents(self, labels: Labels, findings: Findings) -> Documents:
        """The documents in the order in which they come up, with their labels."""
        return Documents(
            len(self.first),
            fields={name: column.take(self.first) for name, column in self.fields.items()},
            text_fields=tuple(self.fields),
            targets=self._targets((len(self.first), labels.count), findings),
            labels=labels,
        )

    def _targets(self, shape: tuple[int, int], findings: Findings) -> Csr:
        """The sum of the weights of every pair, taken in float64: float32 cannot count many millions."""
        document, label = self.document, self.labels
        weights = np.ones(len(label)) if self.weights is None else self.weights.astype(np.float64)
        kept = weights > 0
        if not kept.all():
            findings[ZERO_WEIGHTS] += int(len(kept) - kept.sum())
            document, label, weights = document[kept], label[kept], weights[kept]
        sums = coo_array((weights, (document, label)), shape=shape).tocsr()
        np.minimum(sums.data, np.finfo(np.float32).max, out=sums.data)
        return as_csr(sums)

    def earliest(self, times: NDArray[np.float64]) -> NDArray[np.float64]:
        """The time of the earliest pair of every document."""
        earliest = np.full(len(self.first), np.inf)
        np.minimum.at(earliest, self.document, times)
        return earliest


def _documents_of(columns: Sequence[Strings]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The document of every row, numbered in the order in which they come up, and the first row of every document. Rows
    are of one document where they are equal in all columns."""
    document = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        index = Index()
        number = index.number(column, len(column))
        if len(columns) == 1:
            document = number
            break
        _, document = np.unique(document * max(1, len(index)) + number, return_inverse=True)
    _, first, document = np.unique(document, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return rank[document], first[order]


def save(data: Dataset, path: Path, extension: str = "tsv", progress: Progress = SILENT) -> list[str]:
    """Writes a folder `train.EXT`, `test.EXT`, `labels.EXT` (`extension`: tsv, csv, jsonl, parquet, tsv.gz, …), a pair
    a row. Returns a sentence for everything that these cannot carry."""
    if not data.train.targets.nnz:
        raise InputError(
            "The training documents have no labels, so a log of them would be empty. Write records instead."
        )
    lost: dict[str, None] = {}
    for name, documents in data.parts().items():
        lost |= dict.fromkeys(_not_carried(documents, f"{name} documents"))
    lost |= dict.fromkeys(write_row_files(data, Path(path), extension, _pair_columns, progress))
    if not matches(Path(path)):
        lost["That a row is a pair cannot be seen in these files: to read them again, set data.rows to pairs."] = None
    return list(lost)


def _not_carried(documents: Documents, what: str) -> list[str]:
    if not documents.has_text:
        raise InputError(f"The {what} have no text, so they cannot be written as a log. Choose a sparse layout.")
    if clash := next((name for name in documents.text_fields if name in (LABEL, WEIGHT_COLUMN)), None):
        raise InputError(f"The text of the {what} is the field {clash!r}, a name that means something else in a log.")
    lost = []
    others = [name for name in documents.fields if name not in documents.text_fields]
    if others:
        lost.append(f"Of the {what}, only the text is carried, not the fields {', '.join(map(shown, others))}.")
    if main_fields(documents.text_fields, ()) != documents.text_fields:
        lost.append(text_fields_note(what, documents))
    for name, there in (("ids", documents.ids), ("ready-made features", documents.features)):
        if there is not None:
            lost.append(f"The {name} of the {what} are not carried.")
    if documents.excluded is not None and documents.excluded.nnz:
        lost.append(f"The {documents.excluded.nnz} excluded pairs of the {what} are not carried.")
    if without := int((row_counts(documents.targets) == 0).sum()):
        lost.append(f"{without} of the {what} have no label, so they have no row in a log.")
    columns = [documents.fields[name] for name in documents.text_fields]
    if again := len(documents) - len(_documents_of(columns)[1]):
        lost.append(f"{again} of the {what} have the text of another one: these become one document.")
    return lost


def _pair_columns(documents: Documents, names: Values) -> dict[str, Column]:
    """The columns of a log; `names` are the labels' ids or row numbers."""
    targets, weights = documents.targets, documents.targets.data.astype(np.float64)
    row = row_of_entry(targets)
    whole = (weights == np.floor(weights)).all() and (weights < 2**53).all()
    columns = {name: Column(documents.fields[name].take(row)) for name in documents.text_fields}
    columns[LABEL] = Column(names.take(targets.indices) if isinstance(names, Strings) else names[targets.indices])
    columns[WEIGHT_COLUMN] = Column(weights.astype(np.int64) if whole else weights)
    return columns


def dataset_from_pairs(
    texts: Sequence[str],
    labels: Sequence[int | str],
    weights: Sequence[float] | NDArray[Any] | None,
    label_texts: Sequence[str] | None,
    *,
    times: Sequence[float | str] | NDArray[Any] | None,
    settings: DataSettings | None = None,
    name: str = "pairs",
) -> Dataset:
    """`Dataset.from_pairs`: a log in memory, read as `load` reads a file."""
    findings, column = Findings(), text_column("texts", texts)
    for argument, values in (("labels", labels), ("weights", weights), ("times", times)):
        if values is not None:
            check_length(argument, values, len(column), "texts")
    mentions = mentions_of(labels, refuse_in("labels"))
    known, (rows,) = resolve([mentions], label_set(label_texts), findings, "label_texts")
    numbers = None
    if weights is not None:
        numbers = checked_weights(_floats("weights", weights, float, WEIGHT), refuse_in("weights"))
    pairs = _Pairs({TITLE: column}, rows, numbers)
    split = parse_split((settings or DataSettings()).split)
    moments = None
    if times is not None and split.by == "time":
        moments = _floats("times", times, parse_time, TIME)
        if not (finite := np.isfinite(moments)).all():
            position = int(finite.argmin())
            raise refuse_in("times")(position, found=str(moments[position]), expected=TIME)
        moments = pairs.earliest(moments)
    train, test = split_documents(pairs.documents(known, findings), split, moments, name)
    return Dataset(train, test, name, findings)


def _floats(argument: str, values: Any, read: Any, expected: str) -> NDArray[np.float64]:
    """Numbers given in memory."""
    refuse: Refuse = refuse_in(argument)
    if isinstance(values, np.ndarray) and values.dtype.kind in "iuf":
        return values.astype(np.float64)
    numbers = np.empty(len(values))
    for position, value in enumerate(values):
        try:
            numbers[position] = read(value)
        except (ValueError, TypeError, OverflowError):
            raise refuse(position, found=shown(value), expected=expected) from None
    return numbers
