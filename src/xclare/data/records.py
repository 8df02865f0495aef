"""Records: documents with a list of labels each, as JSON lines, CSV, TSV or Parquet. One file, or a folder of
`train.EXT`, `test.EXT`, `labels.EXT`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from xclare.data.canonical_rows import targets_from_rows
from xclare.data.dataset import Dataset, Documents, Labels, main_fields
from xclare.data.files import Findings
from xclare.data.formats.columns import Column, Values
from xclare.data.formats.tables import Table
from xclare.data.in_memory import TITLE, label_set, listed_mentions, text_column
from xclare.data.label_cells import holds_lists, json_lists, label_lists, separator_of
from xclare.data.label_file import carried_fields, text_columns, text_fields_note
from xclare.data.label_index import Mentions, resolve
from xclare.data.roles import ID_NAMES, Roles
from xclare.data.row_files import name_of, read_row_files, rows_are, write_row_files
from xclare.data.settings import DataSettings
from xclare.data.split import parse_split, split_documents
from xclare.data.weights import WEIGHT, checked_weights
from xclare.errors import InputError, shown
from xclare.progress import SILENT, Progress
from xclare.sparse import Csr
from xclare.strings import Strings

LABELS, WEIGHTS, EXCLUDED, DOCUMENT_ID = "labels", "weights", "excluded", "uid"


def matches(path: Path, settings: DataSettings | None = None) -> bool:
    """Whether a file, or a folder's `train.EXT`, holds a document a row, by its content."""
    return rows_are(path, settings or DataSettings()) == "documents"


def load(
    path: Path,
    settings: DataSettings,
    findings: Findings,
    progress: Progress = SILENT,
    label_texts: Path | None = None,
) -> Dataset:
    """Reads records. A single file is split by `settings.split`; a folder's files are already."""
    files = read_row_files(path, settings, findings, progress, label_texts)
    separator = separator_of([(table, roles.labels) for table, roles in files.tables], settings.label_separator)
    readers = [_Reader(table, roles, separator, settings, findings) for table, roles in files.tables]
    mentions = [mention for reader in readers for mention in reader.mentions]
    # Labels are numbered by their documents; those that are only excluded come last.
    order = sorted(range(len(mentions)), key=lambda i: i % 2)
    labels, rows = resolve([mentions[i] for i in order], files.labels, findings, files.labels_source)
    rows = [row for _, row in sorted(zip(order, rows, strict=True), key=lambda pair: pair[0])]
    parts = [
        reader.documents(labels, own, excluded)
        for reader, own, excluded in zip(readers, rows[::2], rows[1::2], strict=True)
    ]
    train, test = parts[0], parts[1] if len(parts) > 1 else None
    if files.split:
        split = parse_split(settings.split)
        times = readers[0].times() if split.by == "time" else None
        train, test = split_documents(train, split, times, str(path))
    return Dataset(train, test, name_of(path), findings)


class _Reader:
    """One table of documents, read in two steps: the labels it mentions, and, when these have rows, the documents."""

    def __init__(self, table: Table, roles: Roles, separator: str, settings: DataSettings, findings: Findings) -> None:
        self.table, self.roles, self.findings = table, roles, findings
        auto = settings.label_separator == "auto"
        self.labels, typed = label_lists(table, roles.labels, separator, auto=auto, findings=findings)
        self.excluded = json_lists(table, EXCLUDED) if self._holds_lists(EXCLUDED) else None
        weights = settings.weight_field or WEIGHTS
        self.weights = weights if settings.weight_field or self._holds_lists(WEIGHTS) else ""
        self.mentions = [
            self._mentions(self.labels, roles.labels, typed),
            self._mentions(self.excluded or Column.lists_of_nothing(), EXCLUDED, typed=True),
        ]

    def _holds_lists(self, name: str) -> bool:
        return name in self.table.columns and holds_lists(self.table.columns[name])

    def _mentions(self, lists: Column, name: str, typed: bool) -> Mentions:
        def refuse(position: int, **message: str) -> InputError:
            return self.table.refuse(lists.row_of_value(position), name, **message)

        values = lists.values
        return Mentions(values if isinstance(values, Strings) else values.astype(np.int64), refuse, typed)

    def documents(self, labels: Labels, rows: NDArray[np.int64], excluded: NDArray[np.int64]) -> Documents:
        """The documents, given the row of every label mentioned."""
        table, roles = self.table, self.roles
        used = {name for name in (roles.labels, roles.id, self.weights, EXCLUDED if self.excluded else "") if name}
        fields = text_columns(table, used, self.findings)
        for name in roles.texts:  # refuses a text column that holds no texts
            table.texts(name, Findings())
        return Documents(
            len(table),
            ids=table.ids(roles.id) if roles.id else None,
            fields=fields,
            text_fields=roles.texts,
            targets=_matrix(self.labels, rows, self._weights(), labels.count, self.findings),
            labels=labels,
            excluded=_matrix(self.excluded, excluded, None, labels.count, Findings()) if self.excluded else None,
        )

    def _weights(self) -> NDArray[np.float32] | None:
        """The weight of every label mentioned."""
        if not self.weights or not len(self.table):
            return None
        table, name = self.table, self.weights
        if not holds_lists(table.columns[name]):
            hint = "If a row is a pair of a text and one label, say so with --set data.rows=pairs."
            raise table.refuse(0, name, found="no list", expected="a list of weights, one for each label", hint=hint)
        lists = json_lists(table, name)
        counts, expected_counts = lists.lengths, self.labels.lengths
        wrong = counts != expected_counts
        if wrong.any():
            row = int(wrong.argmax())
            expected = f"{expected_counts[row]}, one for each label"
            raise table.refuse(row, name, found=f"{counts[row]} weights", expected=expected)
        if isinstance(lists.values, Strings) and len(lists.values):
            raise table.refuse(lists.row_of_value(0), name, found=shown(lists.values[0]), expected=WEIGHT)
        values = np.empty(0) if isinstance(lists.values, Strings) else lists.values
        return checked_weights(values, lambda i, **message: table.refuse(lists.row_of_value(i), name, **message))

    def times(self) -> NDArray[np.float64] | None:
        """The time of every document, where there is a column of times."""
        return self.table.times(self.roles.time) if self.roles.time else None


def _matrix(
    lists: Column, rows: NDArray[np.int64], weights: NDArray[np.float32] | None, columns: int, findings: Findings
) -> Csr:
    return targets_from_rows(lists.lengths, rows, weights, columns, findings)


def save(data: Dataset, path: Path, extension: str = "jsonl", progress: Progress = SILENT) -> list[str]:
    """Writes a folder `train.EXT`, `test.EXT`, `labels.EXT` (`extension`: jsonl, csv, tsv, parquet, jsonl.gz, …).
    Returns a sentence for everything that these cannot carry."""
    if not len(data.train):
        raise InputError("There are no training documents to write.")
    lost: dict[str, None] = {}
    for name, documents in data.parts().items():
        lost |= dict.fromkeys(_not_carried(documents, f"{name} documents"))
    columns_of = partial(
        _document_columns, weighted=any((part.targets.data != 1).any() for part in data.parts().values())
    )
    return [*lost, *write_row_files(data, Path(path), extension, columns_of, progress)]


def _reserved(documents: Documents) -> set[str]:
    """Names of fields that would be read as something else."""
    ids = [name for name in ID_NAMES if name not in documents.text_fields] if documents.ids is None else [DOCUMENT_ID]
    return {LABELS, WEIGHTS, EXCLUDED, *ids}


def _not_carried(documents: Documents, what: str) -> list[str]:
    if not documents.has_text:
        raise InputError(f"The {what} have no text, so they cannot be written as records. Choose a sparse layout.")
    reserved = _reserved(documents)
    if clash := next((name for name in documents.text_fields if name in reserved), None):
        raise InputError(f"The text of the {what} is the field {clash!r}, a name that means something else in records.")
    fields, lost = carried_fields(documents, what, reserved)
    if main_fields(fields, ()) != documents.text_fields:
        lost.append(text_fields_note(what, documents))
    if documents.features is not None:
        lost.append(f"The ready-made features of the {what} are not carried.")
    return lost


def _document_columns(documents: Documents, names: Values, *, weighted: bool) -> dict[str, Column]:
    """The columns of some documents; `names` are the labels' ids or row numbers."""
    columns = {} if documents.ids is None else {DOCUMENT_ID: Column(documents.ids)}
    columns |= carried_fields(documents, "", _reserved(documents))[0]
    columns[LABELS] = _named(documents.targets, names)
    if weighted:
        columns[WEIGHTS] = Column(documents.targets.data.astype(np.float64), _offsets(documents.targets))
    if documents.excluded is not None:
        columns[EXCLUDED] = _named(documents.excluded, names)
    return columns


def _named(matrix: Csr, names: Values) -> Column:
    """The columns of every row of a matrix, by their names."""
    values = names.take(matrix.indices) if isinstance(names, Strings) else names[matrix.indices]
    return Column(values, _offsets(matrix))


def _offsets(matrix: Csr) -> NDArray[np.int64]:
    return np.asarray(matrix.indptr, np.int64)


def dataset_from_lists(
    texts: Sequence[str],
    labels: Sequence[Iterable[int | str]],
    label_texts: Sequence[str] | None,
    *,
    tests: tuple[Sequence[str], Sequence[Iterable[int | str]] | None] | None,
    settings: DataSettings | None = None,
    name: str = "lists",
) -> Dataset:
    """`Dataset.from_lists`. Labels are numbers (rows of `label_texts`; without these, their own ids), or texts (found
    in `label_texts`; without these, collected in their order). Nothing is split."""
    findings = Findings()
    given: list[tuple[str, Sequence[str], Sequence[Iterable[int | str]] | None]] = [("", texts, labels)]
    if tests is not None:
        given.append(("test_", *tests))
    columns = [text_column(f"{part}texts", column) for part, column, _ in given]
    mentions, lists = [], []
    for (part, _, rows), column in zip(given, columns, strict=True):
        offsets, mention = listed_mentions(f"{part}labels", rows, len(column), f"{part}texts")
        mentions.append(mention)
        lists.append(Column(mention.values, offsets))
    known, rows_of_labels = resolve(mentions, label_set(label_texts), findings, "label_texts")
    parts = [
        Documents(
            len(column),
            fields={TITLE: column},
            text_fields=(TITLE,),
            targets=_matrix(listed, row, None, known.count, findings),
            labels=known,
        )
        for column, listed, row in zip(columns, lists, rows_of_labels, strict=True)
    ]
    return Dataset(parts[0], parts[1] if len(parts) > 1 else None, name, findings)
