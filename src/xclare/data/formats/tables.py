"""Files of rows (JSON lines, CSV, TSV, Parquet) as columns. What a file is is decided by its content, and every cell
keeps its place for error messages."""

from __future__ import annotations

import difflib
import gzip
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from xclare.data.files import Findings, open_binary, read_chunks
from xclare.data.formats.columns import Column
from xclare.data.formats.delimited import DELIMITERS, header_of, read_delimited, write_delimited
from xclare.data.formats.json_lines import UNUSABLE_KEY, read_json_lines
from xclare.data.formats.parquet import PARQUET_MAGIC, read_parquet, write_parquet
from xclare.data.split import parse_time
from xclare.errors import InputError, shown
from xclare.persistence.atomic import atomic_file
from xclare.progress import SILENT, Progress
from xclare.strings import Strings

JSON_LINES, PARQUET = "jsonl", "parquet"
ROWS_AT_ONCE = 16_384

Batch: TypeAlias = tuple[Sequence[int] | NDArray[np.int64], dict[str, Column]]
"""Some rows of a file: the line each begins on, and their columns."""


@dataclass(frozen=True, eq=False)
class Table:
    """The columns of a file, of equal length."""

    path: Path
    columns: Mapping[str, Column]
    lines: NDArray[np.int64]
    """(rows,) The line on which each row begins, from 1. For Parquet, which has none: the number of the row."""
    kind: str
    """`jsonl`, `parquet`, or the delimiter."""

    def __len__(self) -> int:
        return len(self.lines)

    @property
    def has_types(self) -> bool:
        """Whether texts are surely texts: in CSV, digits may also be a number."""
        return self.kind in (JSON_LINES, PARQUET)

    def refuse(self, row: int, name: str, *, found: str, expected: str, hint: str = "") -> InputError:
        """The error that says what is wrong with a cell."""
        found = f"{found} in the column {name!r}"
        if self.kind == PARQUET:
            source = f"{self.path}, row {self.lines[row]}"
            return InputError.at(source, found=found, expected=expected, hint=hint)
        return InputError.at(self.path, line=int(self.lines[row]), found=found, expected=expected, hint=hint)

    def column(self, name: str, expected: str) -> Column:
        """A column whose cells are all of one kind."""
        column = self.columns[name]
        if column.odd is not None:
            raise self.refuse(column.odd.row, name, found=column.odd.found, expected=expected)
        return column

    def texts(self, name: str, findings: Findings) -> Strings:
        """A column of texts. Missing ones are read as empty, and counted."""
        column = self.column(name, "a text")
        if not column.is_text:
            raise self.refuse(0, name, found=shown(column.cells(0, 1)[0], 40), expected="a text")
        assert isinstance(column.values, Strings)
        if column.missing is not None and column.missing.any():
            findings[f"missing or null values of `{name}`, read as empty text"] += int(column.missing.sum())
        return column.values

    def ids(self, name: str) -> Strings:
        """A column of ids: texts, or whole numbers. None may be missing."""
        column = self.scalars(name, "an id, as a text or a whole number")
        if isinstance(column.values, Strings):
            return column.values
        if column.values.dtype != np.int64:
            row = int(np.argmax(column.values != np.floor(column.values)))
            raise self.refuse(row, name, found=f"the number {column.values[row]}", expected="a text or a whole number")
        return Strings.of(list(map(str, column.values.tolist())))

    def scalars(self, name: str, expected: str) -> Column:
        """A column without lists and without missing cells."""
        column = self.column(name, expected)
        if column.offsets is not None:
            raise self.refuse(0, name, found="a list", expected=expected)
        if column.missing is not None and column.missing.any():
            raise self.refuse(int(column.missing.argmax()), name, found="no value", expected=expected)
        return column

    def numbers(self, name: str, expected: str) -> NDArray[np.float64]:
        """A column of numbers, also where they are written as texts."""
        column = self.scalars(name, expected)
        if not isinstance(column.values, Strings):
            return column.values.astype(np.float64)
        try:
            return np.fromiter(map(float, column.values), np.float64, len(self))
        except ValueError:
            row = next(i for i, text in enumerate(column.values) if not _parses(float, text))
            raise self.refuse(row, name, found=shown(column.values[row]), expected=expected) from None

    def times(self, name: str) -> NDArray[np.float64]:
        """A column of moments, in seconds since 1970 where they are dates."""
        expected = "a time: a number, or a date such as 2024-01-31 or 2024-01-31T08:00:00Z"
        column = self.scalars(name, expected)
        if not isinstance(column.values, Strings):
            wrong = ~np.isfinite(column.values)
            if wrong.any():
                raise self.refuse(int(wrong.argmax()), name, found="a number that is not finite", expected=expected)
            return column.values.astype(np.float64)
        try:
            return np.fromiter(map(parse_time, column.values), np.float64, len(self))
        except ValueError:
            row = next(i for i, text in enumerate(column.values) if not _parses(parse_time, text))
            raise self.refuse(row, name, found=shown(column.values[row]), expected=expected) from None


def _parses(read: Callable[[str], float], text: str) -> bool:
    try:
        read(text)
    except ValueError:
        return False
    return True


def kind_of_table(path: Path, known: Collection[str], *, sure: bool = False) -> str | None:
    """`jsonl`, `parquet` or the delimiter of a file of rows, by its content; None where it is none. Of several possible
    delimiters the one that finds most of the `known` column names in the first row is right. `sure` asks for one
    such name, or for a file's name in `.csv` or `.tsv`: lines of prose hold commas too."""
    with open_binary(path) as file:
        if not isinstance(cast(object, file), gzip.GzipFile) and file.read(len(PARQUET_MAGIC)) == PARQUET_MAGIC:
            return PARQUET
    start = next((chunk.data for chunk in read_chunks(path, Findings()) if chunk.data.strip()), b"").lstrip()
    if start.startswith(b"{"):
        return JSON_LINES
    if start.startswith(b"["):  # a JSON list, whose commas are no table's
        return None
    usual = {".csv": ",", ".tsv": "\t"}.get(Path(path.name.removesuffix(".gz")).suffix, "")
    best: tuple[Any, ...] = (0, False, 0, "")
    for delimiter in DELIMITERS:
        names, regular = header_of(start, delimiter)
        score = len(set(names) & set(known))
        if score or (names and delimiter == usual) or (len(names) > 1 and regular and not sure):
            best = max(best, (score, delimiter == usual, len(names), delimiter))
    return best[-1] or None


def batches(path: Path, kind: str, findings: Findings, progress: Progress = SILENT) -> Generator[Batch, None, None]:
    """The rows of a file, some at a time."""
    if kind == PARQUET:
        yield from read_parquet(path, progress)
    elif kind == JSON_LINES:
        for batch in read_json_lines(path, {}, findings, progress):
            yield batch.line_numbers, {name: Column.of(cells) for name, cells in batch.columns.items()}
    else:
        yield from read_delimited(path, kind, findings, progress)


def read_table(path: Path, kind: str, findings: Findings, progress: Progress = SILENT) -> Table:
    """A whole file of rows."""
    return _joined(path, kind, list(batches(path, kind, findings, progress)))


def read_head(path: Path, kind: str) -> Table:
    """The first rows of a file, enough to see what its columns hold."""
    with closing(batches(path, kind, Findings())) as rows:
        return _joined(path, kind, [batch for batch, _ in zip(rows, range(1), strict=False)])


def _joined(path: Path, kind: str, parts: Sequence[Batch]) -> Table:
    lines = [np.asarray(lines, np.int64) for lines, _ in parts]
    names = dict.fromkeys(name for _, columns in parts for name in columns)
    columns = {
        name: Column.joined([part[name] if name in part else Column.blank(len(rows)) for rows, part in parts])
        for name in names
    }
    numbers = np.concatenate(lines) if lines else np.empty(0, np.int64)
    if not len(numbers):  # a column without cells is of any kind, also in a Parquet file that says otherwise
        columns = {name: Column.blank(0) for name in names}
    return Table(path, columns, numbers, kind)


def missing_column(table: Table, wanted: Sequence[str], role: str, setting: str) -> InputError:
    """The error for a table in which no column can be the one wanted."""
    there = list(table.columns)
    close = [name for word in wanted for name in difflib.get_close_matches(word, there, 1, 0.7)]
    names = ", ".join(map(shown, there[:20])) + (", …" if len(there) > 20 else "")
    return InputError.at(
        table.path,
        line=None if table.kind == PARQUET else 1,
        found=f"the columns {names}" if there else "no columns",
        expected=f"one with {role} ({', '.join(wanted)})",
        hint=f"Name it with --set {setting}={close[0] if close else 'COLUMN'}"
        + ("." if table.kind in (PARQUET, JSON_LINES) else "; if the file has no header line, add one."),
    )


def write_table(path: Path, columns: Mapping[str, Column], progress: Progress = SILENT) -> None:
    """Writes columns of equal length; the name says the format: `.jsonl`, `.csv`, `.tsv` (also with `.gz`),
    `.parquet`."""
    count = len(next(iter(columns.values())))
    with atomic_file(path) as file, progress.task(f"writing {path.name}", count) as advance:
        suffix = Path(path.name.removesuffix(".gz")).suffix
        if suffix == ".parquet":
            write_parquet(file, columns, advance)
        elif suffix == ".jsonl":
            if unusable := next(filter(UNUSABLE_KEY.search, columns), None):
                raise InputError(f"The field {shown(unusable)} cannot be a key of JSON lines. Rename it, or write CSV.")
            encoder = msgspec.json.Encoder()
            for rows in _rows_of(columns, count):
                file.write(encoder.encode_lines([dict(zip(columns, row, strict=True)) for row in rows]))
                advance(len(rows))
        else:
            write_delimited(file, columns, "\t" if suffix == ".tsv" else ",", _rows_of(columns, count), advance)


def _rows_of(columns: Mapping[str, Column], count: int) -> Iterator[list[tuple[Any, ...]]]:
    for start in range(0, count, ROWS_AT_ONCE):
        stop = min(start + ROWS_AT_ONCE, count)
        yield list(zip(*(column.cells(start, stop) for column in columns.values()), strict=True))
