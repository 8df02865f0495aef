"""Plain text files, an item a line, whole or cut into words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from xclare.data.files import BYTE_ORDER_MARK, Chunk, Findings, decode, read_chunks
from xclare.errors import InputError
from xclare.persistence.atomic import atomic_file
from xclare.progress import SILENT, Progress
from xclare.strings import ROWS_AT_ONCE, Strings

SPACE, TAB, NEWLINE, RETURN = b" \t\n\r"


@dataclass(frozen=True)
class Words:
    """The words of a file: `counts[i]` of them in line i, one line after the other."""

    source: Path
    counts: NDArray[np.int64]
    words: Strings

    def refuse(self, position: int, *, found: str, expected: str, hint: str = "") -> InputError:
        """The error for the word at a position, with its line and column."""
        ends = np.cumsum(self.counts)
        row = int(np.searchsorted(ends, position, side="right"))
        word = position - int(ends[row] - self.counts[row])
        column = None
        for chunk in read_chunks(self.source, Findings()):
            line = dict(chunk.lines()).get(row + 1)
            if line is not None:
                column = int(_words(np.frombuffer(line + b"\n", np.uint8))[0][word]) + 1
                break
        return InputError.at(self.source, line=row + 1, column=column, found=found, expected=expected, hint=hint)


def read_lines(path: Path, findings: Findings, progress: Progress = SILENT) -> Strings:
    """Every line of the file, blank ones too."""
    parts = [Strings.empty()]
    for text, _ in _texts(path, findings, progress):
        ends = np.flatnonzero(text == NEWLINE)
        offsets = np.concatenate([np.zeros(1, np.int64), ends - np.arange(len(ends))])
        parts.append(Strings(text[text != NEWLINE], offsets))
    return Strings.joined(parts)


def read_words(path: Path, findings: Findings, progress: Progress = SILENT) -> Words:
    """The words of every line; spaces and tabs stand between them."""
    parts, counts = [Strings.empty()], [np.zeros(0, np.int64)]
    for text, _ in _texts(path, findings, progress):
        begins, ends = _words(text)
        lengths = ends - begins
        inside = (text != SPACE) & (text != TAB) & (text != NEWLINE)
        parts.append(Strings(text[inside], np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])))
        breaks = np.flatnonzero(text == NEWLINE)
        counts.append(np.diff(np.searchsorted(begins, breaks), prepend=0))
    return Words(path, np.concatenate(counts), Strings.joined(parts))


def write_lines(path: Path, strings: Strings, progress: Progress = SILENT) -> bool:
    """Writes a string a line; line breaks inside of one become spaces. True where there were any."""
    broken = False
    with atomic_file(path) as file, progress.task(f"writing {path.name}", len(strings)) as advance:
        if strings.blob[:3].tobytes() == BYTE_ORDER_MARK and strings.offsets[1] > 0:
            file.write(BYTE_ORDER_MARK)  # readers take the first one for a mark of the file, which leaves the second
        for start in range(0, len(strings), ROWS_AT_ONCE):
            part = strings[start : start + ROWS_AT_ONCE]
            breaks = (part.blob == NEWLINE) | (part.blob == RETURN)
            broken = broken or bool(breaks.any())
            text = np.where(breaks, np.uint8(SPACE), part.blob)
            file.write(np.insert(text, part.offsets[1:], np.uint8(NEWLINE)).tobytes())
            advance(len(part))
    return broken


def _texts(path: Path, findings: Findings, progress: Progress) -> Iterator[tuple[NDArray[np.uint8], Chunk]]:
    """The file's chunks as bytes, each ending in a line break, all of it UTF-8."""
    for chunk in read_chunks(path, findings, progress):
        if not chunk.data.isascii():
            decode(chunk.data, path, chunk.first_line)
        data = chunk.data if chunk.data.endswith(b"\n") else chunk.data + b"\n"
        yield np.frombuffer(data, np.uint8), chunk


def _words(text: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where words begin and end; the text ends in a line break."""
    outside = np.concatenate([[True], (text == SPACE) | (text == TAB) | (text == NEWLINE)])
    edges = np.flatnonzero(outside[1:] != outside[:-1])
    return edges[::2], edges[1::2]
