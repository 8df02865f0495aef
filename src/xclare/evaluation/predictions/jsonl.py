"""Predictions as JSON lines, one a document."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from xclare.data.dataset import Documents, Labels
from xclare.data.files import Chunk, decode, read_chunks
from xclare.errors import InputError, shown
from xclare.evaluation.predictions.names import UNKNOWN, Names, first_repeated, ranked_entries
from xclare.persistence.atomic import atomic_file
from xclare.progress import Progress
from xclare.sparse import Csr, row_blocks, row_counts

ENTRIES_AT_ONCE = 1 << 17
EXPECTED = 'an object such as {"text": "…", "predictions": [{"id": "…", "label": "…", "score": 0.9}]}'


class _Prediction(msgspec.Struct):
    score: float
    id: str | int | None = None
    label: str | None = None


class _Line(msgspec.Struct):
    predictions: list[_Prediction]
    uid: str | int | None = None
    id: str | int | None = None


@dataclass(frozen=True, eq=False)
class _Part:
    """What stands in one chunk of the file."""

    names: list[str | int | None]  # a document each
    lines: NDArray[np.int64]  # a document each: the number of its line
    counts: NDArray[np.int64]  # a document each: its predictions
    columns: NDArray[np.int64]  # a prediction each
    scores: NDArray[np.float64]  # a prediction each


def read_jsonl(path: Path, documents: Documents, progress: Progress) -> Csr:
    """Reads one line a document. Where the lines' `uid` or `id` are ids of the documents, these say which line is
    whose; where none is, the lines are in the order of the documents. A label is known by its `id` (the id, or its row
    number where labels have no ids, or equal ones), else by its text in `label`. Blank lines are skipped."""
    find = _LabelFinder(documents.labels)
    parts = [_parse(path, chunk, find) for chunk in read_chunks(path, Counter(), progress)]
    lines = np.concatenate([np.empty(0, np.int64), *(part.lines for part in parts)])
    names = [name for part in parts for name in part.names]
    counts = np.concatenate([np.empty(0, np.int64), *(part.counts for part in parts)])
    rows = np.repeat(_document_rows(path, names, lines, documents), counts)
    columns = np.concatenate([np.empty(0, np.int64), *(part.columns for part in parts)])
    scores = np.concatenate([np.empty(0), *(part.scores for part in parts)])
    return csr_array((scores, (rows, columns)), shape=(documents.count, documents.labels.count))


def write_jsonl(path: Path, predictions: Csr, documents: Documents) -> None:
    """Writes one line a document, in their order, best label first; with its `id` where documents have ids."""
    if not np.isfinite(predictions.data).all():
        raise InputError(f"{path} was not written: JSON has no infinite numbers, and a score is one. Write npz.")
    with atomic_file(path) as file:
        file.writelines(encoded_lines(predictions, documents))


def encoded_lines(predictions: Csr, documents: Documents) -> Iterator[bytes]:
    """The lines of predictions with finite scores, some documents at a time."""
    encoder = msgspec.json.Encoder()
    for lines in _lines(predictions, documents):
        yield encoder.encode_lines(lines)


def _lines(predictions: Csr, documents: Documents) -> Iterator[list[dict[str, Any]]]:
    """The objects to write, some documents at a time."""
    document_names, label_names = Names(documents), Names(documents.labels)
    texts, label_texts = documents.texts, documents.labels.texts
    for rows in row_blocks(row_counts(predictions), ENTRIES_AT_ONCE):
        block = predictions[rows]
        order, _, _ = ranked_entries(block)
        columns = block.indices[order].astype(np.int64)
        pairs = zip(label_names.names(columns), label_texts.take(columns), block.data[order].tolist(), strict=True)
        ranked = [{"id": name, "label": label, "score": score} for name, label, score in pairs]
        ids = document_names.names(np.arange(rows.start, rows.stop)) if document_names.ids is not None else None
        yield [
            ({"id": ids[row]} if ids is not None else {})
            | {"text": text, "predictions": ranked[block.indptr[row] : block.indptr[row + 1]]}
            for row, text in enumerate(texts[rows])
        ]


class _LabelFinder:
    """Finds labels by what a prediction calls them."""

    def __init__(self, labels: Labels) -> None:
        self.names = Names(labels)
        self._labels = labels
        self._row_of_text: dict[str, int] | None = None

    def columns(self, predictions: list[_Prediction]) -> NDArray[np.int64]:
        """The label of every prediction, or UNKNOWN."""
        columns = self.names.rows([prediction.id for prediction in predictions])
        for i in np.flatnonzero(columns == UNKNOWN):
            prediction = predictions[i]
            if prediction.id is None and prediction.label is not None:
                columns[i] = self._texts().get(prediction.label, UNKNOWN)
        return columns

    def _texts(self) -> dict[str, int]:
        """The labels by text; of a text that two labels have, none."""
        if self._row_of_text is None:
            texts = list(self._labels.texts) if self._labels.has_text else []
            self._row_of_text = dict(zip(texts, range(len(texts)), strict=True))
            if len(self._row_of_text) < len(texts):
                self._row_of_text |= {text: UNKNOWN for text, times in Counter(texts).items() if times > 1}
        return self._row_of_text

    def expected(self, prediction: _Prediction) -> str:
        """What the prediction should have called its label."""
        if prediction.id is not None:
            return f"as the id of a label {self.names.kind}"
        return "the text of exactly one label" if prediction.label is not None else 'a label\'s "id" or "label"'


def _parse(path: Path, chunk: Chunk, find: _LabelFinder) -> _Part:
    """Decodes a chunk at once; an error is then looked for line by line."""
    numbered = [(number, line) for number, line in chunk.lines() if line and not line.isspace()]
    decoder = msgspec.json.Decoder(_Line)
    try:
        lines = [decoder.decode(line) for _, line in numbered]
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise _malformed(path, numbered, decoder) from None
    numbers = np.array([number for number, _ in numbered], np.int64)
    counts = np.array([len(line.predictions) for line in lines], np.int64)
    predictions = [prediction for line in lines for prediction in line.predictions]
    columns = find.columns(predictions)
    scores = np.array([prediction.score for prediction in predictions], np.float64)
    of_line = np.repeat(numbers, counts)
    _check(path, predictions, columns, scores, of_line, find)
    _check_repeats(path, columns, of_line, find)
    return _Part([line.id if line.uid is None else line.uid for line in lines], numbers, counts, columns, scores)


def _check(
    path: Path,
    predictions: list[_Prediction],
    columns: NDArray[np.int64],
    scores: NDArray[np.float64],
    of_line: NDArray[np.int64],
    find: _LabelFinder,
) -> None:
    """Refuses the first prediction with an unknown label or a score that is no finite number."""
    wrong = np.flatnonzero((columns == UNKNOWN) | ~np.isfinite(scores))
    if not len(wrong):
        return
    prediction, line = predictions[wrong[0]], int(of_line[wrong[0]])
    if columns[wrong[0]] != UNKNOWN:
        raise InputError.at(path, line=line, found=f"the score {prediction.score}", expected="a finite number")
    name = prediction.label if prediction.id is None else prediction.id
    found = "a prediction without a label" if name is None else f"the label {shown(name)}"
    raise InputError.at(path, line=line, found=found, expected=find.expected(prediction))


def _check_repeats(path: Path, columns: NDArray[np.int64], of_line: NDArray[np.int64], find: _LabelFinder) -> None:
    """Refuses a line that names a label twice."""
    order = np.lexsort((columns, of_line))
    if ((np.diff(columns[order]) == 0) & (np.diff(of_line[order]) == 0)).any():
        i = first_repeated(of_line, columns)
        found = f"the label {shown(find.names.names(columns[[i]])[0])} a second time"
        raise InputError.at(path, line=int(of_line[i]), found=found, expected="each label once in a document")


def _malformed(path: Path, numbered: list[tuple[int, bytes]], decoder: msgspec.json.Decoder[_Line]) -> InputError:
    """The error of the first line that cannot be decoded."""
    for number, line in numbered:
        try:
            decode(line, path, number)
            decoder.decode(line)
        except InputError as error:
            return error
        except (msgspec.MsgspecError, RecursionError) as error:
            byte = re.search(r"\(byte (\d+)\)", str(error))
            column = int(byte.group(1)) + 1 if byte else None
            found = f"{shown(decode(line, path, number))} ({error})"
            return InputError.at(path, line=number, column=column, found=found, expected=EXPECTED)
    raise AssertionError("a line that failed in its chunk was decoded alone")


def _document_rows(
    path: Path, names: list[str | int | None], lines: NDArray[np.int64], documents: Documents
) -> NDArray[np.int64]:
    """The document of every line."""
    if len(names) != documents.count:
        expected = f"one line for each of the {documents.count} documents"
        raise InputError.at(path, found=f"{len(names)} lines", expected=expected)
    in_order = np.arange(documents.count)
    known = Names(documents)
    if known.ids is None:
        return in_order
    rows = known.rows(names)
    unknown = rows == UNKNOWN
    if unknown.all():
        return in_order
    if unknown.any():
        i = int(np.argmax(unknown))
        found = f"the document {shown(names[i])}" if names[i] is not None else "a document without an id"
        hint = "Other lines have ids of the documents, so all must."
        raise InputError.at(path, line=int(lines[i]), found=found, expected=known.kind, hint=hint)
    if (np.bincount(rows, minlength=documents.count) > 1).any():
        i = first_repeated(np.zeros_like(rows), rows)
        found = f"the document {shown(names[i])} a second time"
        raise InputError.at(path, line=int(lines[i]), found=found, expected="each document once")
    return rows
