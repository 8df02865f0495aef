"""Tables as text (CSV, TSV, with semicolons): RFC 4180, as Python's csv module reads it, with a header line."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import IO, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from xclare.data.files import BLANK_LINES, LONGEST_LINE, WINDOWS_LINE_ENDS, Findings, decode, read_chunks
from xclare.data.formats.columns import Column
from xclare.errors import InputError, shown
from xclare.progress import SILENT, Progress
from xclare.strings import Strings

DELIMITERS = {"\t": "tabs", ",": "commas", ";": "semicolons"}
ROWS_AT_ONCE = 4096
"""Rows parsed before they are packed: so few that Python's cells stay in the processor's cache."""

PLAIN_NAME = re.compile(r"[\w -]+")


def header_of(start: bytes, delimiter: str) -> tuple[list[str], bool]:
    """The cells of the first row of a file that begins with `start`, none where it cannot be read; and whether they
    look like a header: they differ, and the next row, if there is one, has as many."""
    reader = csv.reader(_lines(start.decode(errors="replace")), delimiter=delimiter, strict=True)
    names: list[str] = []
    try:
        with _long_fields():
            names = next(reader, [])
            alike = len(next(reader, names)) == len(names)
    except csv.Error:
        return names, False
    return names, alike and len(set(names)) == len(names)


def read_delimited(
    path: Path, delimiter: str, findings: Findings, progress: Progress = SILENT
) -> Iterator[tuple[NDArray[np.int64], dict[str, Column]]]:
    """The rows after the header, some at a time: the lines they begin on, and their columns. There is at least one
    batch, perhaps of no row."""
    chunks = read_chunks(path, findings, progress, plain_line_ends=False)
    lines = (line for chunk in chunks for line in _lines(decode(chunk.data, path, chunk.first_line)))
    source = _Rows(path, lines, delimiter)
    header: list[str] = []
    while not header:
        _, rows = source.read(1)
        if not rows:
            raise InputError.at(path, found="an empty file", expected="a table with a header line")
        header = rows[0]
    _check_header(path, header, source)
    if source.windows:
        findings[WINDOWS_LINE_ENDS] += 1
    while True:
        starts, rows = source.read(ROWS_AT_ONCE)
        blank = rows.count([])
        if blank:
            findings[BLANK_LINES] += blank
            starts, rows = starts[np.fromiter(map(bool, rows), bool, len(rows))], [row for row in rows if row]
        _check_widths(path, starts, rows, header, delimiter)
        cells: Iterable[Sequence[str]] = zip(*rows, strict=True) if rows else [()] * len(header)
        yield starts, {name: Column(Strings.of(list(cell))) for name, cell in zip(header, cells, strict=True)}
        if source.ended:
            return


class _Rows:
    """csv.reader with the line number of every row, and errors at their place."""

    def __init__(self, path: Path, lines: Iterator[str], delimiter: str) -> None:
        self.path, self.delimiter = path, delimiter
        self.ended = self.windows = False
        self.recent: list[str] = []  # the lines read for the rows at hand, to find errors in
        self.reader = csv.reader(self._remembered(lines), delimiter=delimiter, strict=True)

    def _remembered(self, lines: Iterator[str]) -> Iterator[str]:
        for line in lines:
            self.recent.append(line)
            yield line

    def read(self, count: int) -> tuple[NDArray[np.int64], list[list[str]]]:
        """The next rows, at most `count`, and the line on which each begins."""
        before = self.reader.line_num
        self.recent.clear()
        try:
            with _long_fields():
                rows = list(islice(self.reader, count))
        except csv.Error as error:
            raise self._at_place(before, str(error)) from None
        self.ended = len(rows) < count
        self.windows |= bool(self.recent) and self.recent[0].endswith("\r\n")
        if self.reader.line_num - before == len(rows):
            return np.arange(before + 1, before + 1 + len(rows)), rows
        heights = [1 + sum(cell.count("\n") for cell in row) for row in rows]
        return before + 1 + np.cumsum([0, *heights[:-1]]), rows

    def _at_place(self, before: int, message: str) -> InputError:
        """Reads the recent lines again, row by row, to the one that fails."""
        again = csv.reader(iter(self.recent), delimiter=self.delimiter, strict=True)
        start = 0
        try:
            with _long_fields():
                for _ in again:
                    start = again.line_num
        except csv.Error:
            pass
        found, hint = f"a row that is no CSV ({message})", "A quote inside a quoted cell is written twice."
        if "unexpected end" in message:
            found, hint = (
                "a quoted cell that never ends",
                'A cell that begins with " ends with it: write "" for one " in it.',
            )
        elif "new-line" in message:
            found, hint = "a carriage return inside a cell", "Put the cell into quotes."
        return InputError.at(
            self.path,
            line=before + start + 1,
            found=found,
            expected=f"cells between {DELIMITERS[self.delimiter]}",
            hint=hint,
        )


def _lines(text: str) -> io.StringIO:
    """Iterates lines with their ends as they are; only a newline ends one."""
    return io.StringIO(text, newline="\n")


@contextmanager
def _long_fields() -> Iterator[None]:
    """Lifts the csv module's limit of 128 KiB a cell, which is one for the whole process, while rows are parsed."""
    before = csv.field_size_limit(LONGEST_LINE)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _check_header(path: Path, header: list[str], source: _Rows) -> None:
    repeated = next((name for i, name in enumerate(header) if name in header[:i]), None)
    if repeated is not None:
        raise InputError.at(
            path,
            line=source.reader.line_num,
            found=f"two columns named {shown(repeated)}",
            expected="a header line with a different name for each column",
        )


def _check_widths(
    path: Path, starts: NDArray[np.int64], rows: Collection[list[str]], header: list[str], delimiter: str
) -> None:
    if set(map(len, rows)) <= {len(header)}:
        return
    number, row = next((i, row) for i, row in enumerate(rows) if len(row) != len(header))
    hint = f"Cells that hold the delimiter or a newline stand in quotes; cells are cut at {DELIMITERS[delimiter]} here."
    raise InputError.at(
        path,
        line=int(starts[number]),
        found=f"{len(row)} cell{'s' if len(row) != 1 else ''}",
        expected=f"{len(header)}, as in the header",
        hint=hint if len(row) > len(header) else "",
    )


def write_delimited(
    file: IO[bytes],
    columns: Mapping[str, Column],
    delimiter: str,
    rows: Iterable[list[tuple[Any, ...]]],
    advance: Callable[[int], None],
) -> None:
    """Writes a header line and the rows. Lists are written as JSON in their cell."""
    # A name that is not plain stands in quotes, so that no other delimiter finds a header of its own in this line.
    names = [name if PLAIN_NAME.fullmatch(name) else _quoted(name) for name in columns]
    file.write((delimiter.join(names) + "\n").encode())
    special = re.compile(f'[{delimiter}"\r\n]')
    write = [_writer(column, special, alone=len(columns) == 1) for column in columns.values()]
    for part in rows:
        cells = [list(map(put, column)) for put, column in zip(write, zip(*part, strict=True), strict=True)]
        file.write("".join([delimiter.join(row) + "\n" for row in zip(*cells, strict=True)]).encode())
        advance(len(part))


def _writer(column: Column, special: re.Pattern[str], *, alone: bool) -> Callable[[Any], str]:
    """How a cell of this column is written."""
    if column.offsets is not None:
        encode = msgspec.json.Encoder().encode
        return lambda cell: _quoted(text) if special.search(text := encode(cell).decode()) else text
    if not isinstance(column.values, Strings):
        return repr
    if alone:  # an empty line would be no row
        return lambda cell: _quoted(cell) if not cell or special.search(cell) else cell
    return lambda cell: _quoted(cell) if special.search(cell) else cell


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"'
