"""Predictions as a run file of the Text Retrieval Conference, one line a prediction."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from xclare.data.dataset import Documents
from xclare.data.files import Chunk, decode, read_chunks
from xclare.errors import InputError, shown
from xclare.evaluation.predictions.names import UNKNOWN, Names, first_repeated, ranked_entries
from xclare.persistence.atomic import atomic_file
from xclare.progress import Progress
from xclare.sparse import Csr, row_blocks, row_counts

ENTRIES_AT_ONCE = 1 << 17
TAG = "xclare"
FIELDS = 6
EXPECTED = "six fields: document Q0 label rank score tag"


@dataclass(frozen=True, eq=False)
class _Part:
    """What stands in one chunk of the file, a prediction each."""

    lines: NDArray[np.int64]
    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    scores: NDArray[np.float64]


def read_trec(path: Path, documents: Documents, progress: Progress) -> Csr:
    """Reads `document Q0 label rank score tag`. Documents and labels are named by their ids, if all are words and no
    two are equal, else by their row numbers from 0. Ranks, tags and the order of the lines are ignored: the scores
    decide. Documents without a line have no predictions. Blank lines are skipped."""
    document_names, label_names = (Names(items, as_words=True) for items in (documents, documents.labels))
    parts = [_parse(path, chunk, document_names, label_names) for chunk in read_chunks(path, Counter(), progress)]
    if not parts:
        return csr_array((documents.count, documents.labels.count), dtype=np.float64)
    rows, columns, scores, lines = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("rows", "columns", "scores", "lines")
    )
    csr = csr_array((scores, (rows, columns)), shape=(documents.count, documents.labels.count))
    if csr.nnz < len(rows):  # scipy has added up what stood twice
        i = first_repeated(rows, columns)
        document, label = document_names.names(rows[[i]])[0], label_names.names(columns[[i]])[0]
        found = f"the document {shown(document)} with the label {shown(label)} a second time"
        raise InputError.at(path, line=int(lines[i]), found=found, expected="each document and label once")
    return csr


def write_trec(path: Path, predictions: Csr, documents: Documents) -> None:
    """Writes a line a prediction, documents in their order, best label first."""
    if documents.count and not predictions.nnz:
        raise InputError(f"{path} was not written: without any prediction a run file has no content. Write npz.")
    document_names, label_names = (Names(items, as_words=True) for items in (documents, documents.labels))
    with atomic_file(path) as file:
        for rows in row_blocks(row_counts(predictions), ENTRIES_AT_ONCE):
            block = predictions[rows]
            order, row, rank = ranked_entries(block)
            fields = zip(
                document_names.names(row + rows.start),
                repeat("Q0"),
                label_names.names(block.indices[order].astype(np.int64)),
                map(str, rank.tolist()),
                map(repr, block.data[order].tolist()),
                repeat(TAG),
                strict=False,
            )
            file.write("".join(f"{line}\n" for line in map(" ".join, fields)).encode())


def _parse(path: Path, chunk: Chunk, documents: Names, labels: Names) -> _Part:
    """Reads a chunk by whole columns; where they are not as expected, line by line."""
    text = decode(chunk.data, path, chunk.first_line)
    columns = _columns(text)
    lines = np.arange(chunk.first_line, chunk.first_line + len(columns[0])) if columns else None
    if columns is None or lines is None:
        numbers, columns = _columns_line_by_line(path, chunk.first_line, text)
        lines = np.array(numbers, np.int64)
    names, label_names, scores = columns
    rows, label_rows = documents.rows(names), labels.rows(label_names)
    values = _scores(scores)
    wrong = np.flatnonzero((rows == UNKNOWN) | (label_rows == UNKNOWN) | np.isnan(values))
    if len(wrong):
        i = int(wrong[0])
        if rows[i] == UNKNOWN:
            found, expected = f"the document {shown(names[i])}", documents.kind
        elif label_rows[i] == UNKNOWN:
            found, expected = f"the label {shown(label_names[i])}", labels.kind
        else:
            found, expected = f"the score {shown(scores[i])}", "a number"
        raise InputError.at(path, line=int(lines[i]), found=found, expected=expected)
    return _Part(lines, rows, label_rows, values)


def _columns(text: str) -> tuple[list[str], list[str], list[str]] | None:
    """Documents, labels and scores of all lines at once, or None where a line may not have six fields."""
    if "\0" in text:
        return None
    count = text.count("\n") + (not text.endswith("\n"))
    # A NUL marks the end of every line, so it must stand after each six fields and nowhere else.
    fields = text.removesuffix("\n").replace("\n", " \0 ").split()
    fields.append("\0")
    if len(fields) != (FIELDS + 1) * count or fields[FIELDS :: FIELDS + 1].count("\0") != count:
        return None
    return fields[0 :: FIELDS + 1], fields[2 :: FIELDS + 1], fields[4 :: FIELDS + 1]


def _columns_line_by_line(
    path: Path, first_line: int, text: str
) -> tuple[list[int], tuple[list[str], list[str], list[str]]]:
    """The same with the lines' numbers, without blank lines; refuses the first that does not have six fields."""
    numbers: list[int] = []
    columns: tuple[list[str], list[str], list[str]] = ([], [], [])
    for number, line in enumerate(text.split("\n"), first_line):
        fields = line.split()
        if not fields:
            continue
        if len(fields) != FIELDS:
            found = f"{len(fields)} fields in {shown(line)}"
            raise InputError.at(path, line=number, found=found, expected=EXPECTED)
        numbers.append(number)
        for column, field in zip(columns, (fields[0], fields[2], fields[4]), strict=True):
            column.append(field)
    return numbers, columns


def _scores(texts: list[str]) -> NDArray[np.float64]:
    """The scores as numbers; NaN for what is none."""
    try:
        if not any("_" in text for text in texts):  # Python reads 1_0 as 10; no one else does
            return np.array(list(map(float, texts)), np.float64)
    except ValueError:
        pass
    return np.array([_score(text) for text in texts], np.float64)


def _score(text: str) -> float:
    try:
        return float(text) if "_" not in text else float("nan")
    except ValueError:
        return float("nan")
