"""Sparse matrices as text: a row a line, `column:value` each entry, perhaps labels `3,17,8` before them, and
a header or none."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xclare.data.files import BLANK_LINES, Chunk, Findings, read_chunks
from xclare.data.formats.sparse_rows import MOST_COLUMNS, Form, Rows, parse_rows
from xclare.errors import InputError
from xclare.progress import SILENT, Progress

HEADER = re.compile(rb"[ \t]*\d{1,18}(?:[ \t]+\d{1,18}){1,2}[ \t]*")


@dataclass(frozen=True)
class SparseText:
    """A file of sparse text, parsed. Nothing is sorted, merged or dropped yet."""

    source: Path
    header: tuple[int, ...] | None
    rows: Rows

    def __len__(self) -> int:
        return len(self.rows.counts)

    def columns(self) -> int:
        """The columns that the header names, else one more than the largest index."""
        return self.header[1] if self.header is not None else int(self.rows.indices.max(initial=-1)) + 1

    def label_columns(self) -> int:
        """The same for labels that stand before the entries."""
        return self.header[2] if self.header is not None else int(self.rows.labels.max(initial=-1)) + 1

    def refuse(self, row: int, index: int, *, found: str, expected: str, hint: str = "") -> InputError:
        """The error for what is said of `index` in a row, with the line and column where the index stands."""
        line, column = row + 1 + (self.header is not None), None
        for chunk in read_chunks(self.source, Findings()):
            text = dict(chunk.lines()).get(line)
            if text is not None:
                match = re.search(rb"(?<![\d:.+-])0*%d(?![\d.])" % index, text)
                column = match.start() + 1 if match else None
                break
        return InputError.at(self.source, line=line, column=column, found=found, expected=expected, hint=hint)


def read_sparse_text(source: str | Path, form: Form, findings: Findings, progress: Progress = SILENT) -> SparseText:
    """Reads a file of `form`, with or without a header line (`rows columns`, of form `both` `rows columns labels`).
    A blank line is a row without entries. Indices count from 0. Where a header says how many rows there are, blank
    lines after the last one are skipped."""
    path = Path(source)
    header: tuple[int, ...] | None = None
    parts: list[Rows] = []
    for chunk in read_chunks(path, findings, progress):
        if chunk.first_line == 1:
            header, chunk = _header(path, chunk, form)
        if chunk.data:
            parts.append(parse_rows(chunk, form, path))
    text = SparseText(path, header, _joined(parts))
    return text if header is None else _as_the_header_says(text, header, findings)


def _header(source: Path, chunk: Chunk, form: Form) -> tuple[tuple[int, ...] | None, Chunk]:
    """The header, if the first line is one, and the rest. A line of numbers with spaces between them can be nothing
    else."""
    line, _, rest = chunk.data.partition(b"\n")
    if not HEADER.fullmatch(line):
        return None, chunk
    numbers = tuple(int(number) for number in line.split())
    names = ("rows", "columns", "labels") if form == "both" else ("rows", "columns")
    if len(numbers) != len(names):
        found = f"a header of {len(numbers)} numbers"
        raise InputError.at(source, line=1, column=1, found=found, expected=f"`{' '.join(names)}`")
    if max(numbers[1:]) > MOST_COLUMNS:
        raise InputError.at(source, line=1, found=f"{max(numbers)} columns", expected=f"at most {MOST_COLUMNS}")
    return numbers, Chunk(rest, 2)


def _joined(parts: list[Rows]) -> Rows:
    """All parts as one; each list of parts is let go of as soon as it is joined."""
    if not parts:
        parts = [_empty()]
    columns = [list(column) for column in zip(*parts, strict=True)]
    parts.clear()
    joined: list[Any] = []
    for number in range(len(columns)):
        joined.append(np.concatenate(columns[number]))
        columns[number].clear()
    return Rows(*joined)


def _empty() -> Rows:
    integers, indices = np.zeros(0, np.int64), np.zeros(0, np.int32)
    return Rows(integers, indices, np.zeros(0, np.float32), integers, indices)


def _as_the_header_says(text: SparseText, header: tuple[int, ...], findings: Findings) -> SparseText:
    """Checks the counts of the header, and takes off blank lines after the last row that it counts."""
    rows, said = text.rows, header[0]
    entries = rows.counts + rows.label_counts
    if len(text) > said and not entries[said:].any():
        findings[BLANK_LINES] += len(text) - said
        rows = rows._replace(counts=rows.counts[:said], label_counts=rows.label_counts[:said])
        text = SparseText(text.source, header, rows)
    if len(text) != said:
        what = f"{len(text)} rows after the header" if len(text) < said else "a row more than the header counts"
        line = len(text) + 1 if len(text) < said else said + 2
        raise InputError.at(text.source, line=line, found=what, expected=f"{said}, as the header in line 1 says")
    _check(text, rows.counts, rows.indices, header[1])
    _check(text, rows.label_counts, rows.labels, header[-1])
    return text


def _check(text: SparseText, counts: NDArray[np.int64], indices: NDArray[np.int32], limit: int) -> None:
    """Refuses the first index that is not below the limit of the header."""
    if len(indices) and int(indices.max()) >= limit:
        entry = int(np.argmax(indices >= limit))
        row = int(np.searchsorted(np.cumsum(counts), entry, side="right"))
        expected = f"an index below {limit}, as the header in line 1 says; indices count from 0"
        raise text.refuse(row, int(indices[entry]), found=str(indices[entry]), expected=expected)
