"""The cells of a column of labels (or of their weights) as lists: JSON lists, or texts cut at a separator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np

from xclare.data.files import Findings
from xclare.data.formats.columns import Column, offsets_of
from xclare.data.formats.tables import JSON_LINES, Table
from xclare.errors import shown
from xclare.strings import ROWS_AT_ONCE, Strings

SEPARATORS = ("|", ";")
NO_LABELS = "rows without a value for their labels, read as documents without labels"
_JSON_LISTS = msgspec.json.Decoder(list[list[str | int | float]])
_JSON_LIST = msgspec.json.Decoder(list[str | int | float])


def separator_of(columns: Sequence[tuple[Table, str]], setting: str) -> str:
    """The separator of a data set: the one set, else the first of `SEPARATORS` that any cell holds; empty for none.
    In JSON lines a text is one label unless a separator is set."""
    if setting != "auto":
        return setting
    texts = [
        table.columns[name].values
        for table, name in columns
        if table.kind != JSON_LINES and table.columns[name].is_text and len(table)
    ]
    blobs = [values.blob for values in texts if isinstance(values, Strings)]
    return next((mark for mark in SEPARATORS if any((blob == ord(mark)).any() for blob in blobs)), "")


def label_lists(table: Table, name: str, separator: str, *, auto: bool, findings: Findings) -> tuple[Column, bool]:
    """A column of labels as lists, and whether its texts are surely texts (in a table's plain cells, digits may also be
    numbers). `auto`: a cell that begins with `[` is a JSON list."""
    column = table.column(name, "labels: a list of texts or of whole numbers")
    if column.missing is not None and column.missing.any():
        findings[NO_LABELS] += int(column.missing.sum())
    typed, is_cell = table.has_types, table.kind != JSON_LINES
    if column.offsets is None and isinstance(column.values, Strings) and (separator or is_cell):
        column, only_json = _cut(table, name, column, separator, json=auto and is_cell)
        typed = typed or only_json
    elif column.offsets is None:
        column = _one_each(column)
    if not isinstance(column.values, Strings) and column.values.dtype != np.int64:
        position = int(np.argmax(column.values != np.floor(column.values))) if len(column.values) else 0
        found = f"the label {column.values[position]}"
        raise table.refuse(column.row_of_value(position), name, found=found, expected="a text or a whole number")
    return column, typed


def holds_lists(column: Column) -> bool:
    """Whether every cell is a list: as such, or as JSON in a text."""
    if column.offsets is not None or not column.is_text or not len(column):
        return column.offsets is not None
    assert isinstance(column.values, Strings)
    begins = column.values.offsets[:-1][column.values.lengths > 0]
    return bool(len(begins)) and bool((column.values.blob[begins] == ord("[")).all())


def json_lists(table: Table, name: str) -> Column:
    """A column that `holds_lists`."""
    column = table.column(name, "a list")
    return column if column.offsets is not None else _cut(table, name, column, "", json=True)[0]


def _one_each(column: Column) -> Column:
    """Every cell as a list of one; a missing one as an empty list."""
    if column.missing is None:
        return Column(column.values, np.arange(len(column) + 1))
    there = ~column.missing
    values = column.values.take(there) if isinstance(column.values, Strings) else column.values[there]
    return Column(values, offsets_of(there))


def _cut(table: Table, name: str, column: Column, separator: str, *, json: bool) -> tuple[Column, bool]:
    """Cuts cells of text, a chunk at a time. The second result: whether all of them were JSON (or empty)."""
    parts, only_json = [], True
    for start in range(0, len(column), ROWS_AT_ONCE):
        cells = column.cells(start, start + ROWS_AT_ONCE)
        lists: list[list[Any]] = [[]] * len(cells)
        brackets = [row for row, cell in enumerate(cells) if json and cell.startswith("[")]
        for row, parsed in zip(
            brackets, _parsed(table, name, [(start + row, cells[row]) for row in brackets]), strict=True
        ):
            lists[row] = parsed
        if len(brackets) < len(cells):
            json_rows = set(brackets)
            for row, cell in enumerate(cells):
                if cell and row not in json_rows:
                    only_json = False
                    lists[row] = [p for part in cell.split(separator) if (p := part.strip())] if separator else [cell]
        parts.append(Column.of(lists))
    column = Column.joined(parts) if parts else Column.lists_of_nothing()
    if column.odd is not None:
        found = f"{column.odd.found} among labels of another kind"
        raise table.refuse(column.odd.row, name, found=found, expected="only texts, or only whole numbers")
    return column, only_json


def _parsed(table: Table, name: str, cells: list[tuple[int, str]]) -> list[list[Any]]:
    """JSON lists, parsed in one call; where that fails, one by one, to find the one that is wrong."""
    try:
        lists = _JSON_LISTS.decode("[" + ",".join(cell for _, cell in cells) + "]")
        if len(lists) == len(cells):
            return lists
    except (msgspec.DecodeError, RecursionError):
        pass
    for row, cell in cells:
        try:
            _JSON_LIST.decode(cell)
        except (msgspec.DecodeError, RecursionError):
            hint = "If this is one label's text, say what separates labels with --set data.label_separator."
            raise table.refuse(
                row, name, found=shown(cell), expected="a JSON list of texts or numbers", hint=hint
            ) from None
    return [_JSON_LIST.decode(cell) for _, cell in cells]
