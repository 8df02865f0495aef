"""Lines of sparse text, parsed: a whole chunk at once as arrays where it is plain, and otherwise line by line, to say
what is wrong where."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from xclare.data.files import Chunk
from xclare.data.formats.decimals import PADDING, read_decimals, read_digits
from xclare.errors import InputError, shown

Form: TypeAlias = Literal["entries", "labels", "both"]
"""What a line holds: entries `7:0.5`; labels `3,17` or `3:1 17:1`; or labels `3,17` and then entries."""

MOST_COLUMNS = 2**31 - 2
COLON, COMMA, POINT, SPACE, TAB, NEWLINE = b":,. \t\n"
NUMBER = re.compile(rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
TOKEN = re.compile(rb"[^ \t]+")


class Rows(NamedTuple):
    """Lines, parsed: row i has `counts[i]` entries and `label_counts[i]` labels, one row after the other."""

    counts: NDArray[np.int64]
    indices: NDArray[np.int32]
    values: NDArray[np.float32]
    label_counts: NDArray[np.int64]
    labels: NDArray[np.int32]


def parse_rows(chunk: Chunk, form: Form, source: Path) -> Rows:
    """The lines of a chunk; refuses what is not of the form, with its place."""
    rows = _parse_fast(chunk.data)
    if rows is not None and _fits(rows, form):
        return _as_entries(rows) if form == "labels" and len(rows.labels) else rows
    return _parse_lines(chunk, form, source)


def _fits(rows: Rows, form: Form) -> bool:
    if form == "both":
        return True
    return not len(rows.labels) or (form == "labels" and not len(rows.values))


def _as_entries(rows: Rows) -> Rows:
    """Labels without weights as entries of value 1."""
    ones = np.ones(len(rows.labels), np.float32)
    return Rows(rows.label_counts, rows.labels, ones, np.zeros_like(rows.label_counts), rows.labels[:0])


# The fast way. Every byte that is no digit is a mark; the marks alone say whether the piece is plain.


def _parse_fast(data: bytes) -> Rows | None:
    """Parses a piece whose every entry is digits, a colon, and digits with at most one point; other numbers in it are
    read one by one. None where anything is not as it should be."""
    end = b"" if data.endswith(b"\n") else b"\n"
    buffer = b"".join((bytes(PADDING - 1), b"\n", data, end))  # the line break in front is the first mark
    text = np.frombuffer(buffer, np.uint8)
    at = np.flatnonzero(text[PADDING - 1 :] - np.uint8(48) > 9) + (PADDING - 1)  # where marks stand
    mark = text[at]
    colon = np.flatnonzero(mark == COLON)  # as positions among the marks, like everything below
    separator = (mark == SPACE) | (mark == NEWLINE) | (mark == TAB)
    after = colon + 1
    stop = after + (mark[after] == POINT)
    places = at[colon]
    index_length = places - at[colon - 1] - 1
    if not (separator[colon - 1].all() and (index_length > 0).all() and (index_length <= 8).all()):
        return None
    whole, fraction = at[after] - places - 1, at[stop] - at[after] - (stop > after)
    odd = ~separator[stop] | (whole > 8) | (fraction > 16) | (whole + fraction > 18) | (whole + fraction == 0)
    known = np.zeros(len(mark), bool)
    known[0] = True
    plain = slice(None) if not odd.any() else ~odd
    for marks in (colon, after[plain], stop[plain]):
        known[marks] = True
    values = _values(buffer, at, (colon, after, stop), (whole, fraction), odd, separator, known)
    labels = _labels(at, mark, separator, known)
    if values is None or labels is None:
        return None
    breaks = np.flatnonzero(mark == NEWLINE)
    label_at = at[labels]
    return Rows(
        np.diff(np.searchsorted(colon, breaks)),
        read_digits(buffer, places, index_length).astype(np.int32),
        values,
        np.diff(np.searchsorted(labels - 1, breaks)),
        read_digits(buffer, label_at, label_at - at[labels - 1] - 1).astype(np.int32),
    )


def _values(
    buffer: bytes,
    at: NDArray[np.int64],
    marks: tuple[NDArray[np.int64], ...],
    lengths: tuple[NDArray[np.int64], ...],
    odd: NDArray[np.bool_],
    separator: NDArray[np.bool_],
    known: NDArray[np.bool_],
) -> NDArray[np.float32] | None:
    """The values of all entries. Those that are odd, or whose last bit is not certain, are read by `float`."""
    colon, after, stop = marks
    whole, fraction = lengths
    any_odd = bool(odd.any())
    if any_odd:
        whole, fraction = np.where(odd, 0, whole), np.where(odd, 0, fraction)
    values, unsure = read_decimals(buffer, at[after], at[stop], whole, fraction)
    slow = np.flatnonzero(odd | unsure) if any_odd else np.flatnonzero(unsure)
    if len(slow):
        ends = np.flatnonzero(separator)
        ends = ends[np.searchsorted(ends, colon[slow])]
        for entry, first, last in zip(slow.tolist(), colon[slow].tolist(), ends.tolist(), strict=True):
            token = buffer[at[first] + 1 : at[last]]
            if not NUMBER.fullmatch(token):
                return None
            values[entry] = _to_float32(token)
            known[first : last + 1] = True
    return values if np.isfinite(values).all() else None


def _to_float32(token: bytes) -> float:
    """The number as float32 holds it; infinite where it is too large."""
    with np.errstate(over="ignore", under="ignore"):
        return float(np.float32(float(token)))


def _labels(
    at: NDArray[np.int64], mark: NDArray[np.uint8], separator: NDArray[np.bool_], known: NDArray[np.bool_]
) -> NDArray[np.int64] | None:
    """The marks that end labels: all that belong to no entry and end no empty token. None where one is neither."""
    rest = np.flatnonzero(~known)
    if not len(rest):
        return rest
    length, before = at[rest] - at[rest - 1] - 1, mark[rest - 1]
    empty = (length == 0) & separator[rest] & separator[rest - 1]
    label = (length > 0) & (length <= 8) & ((before == NEWLINE) | (before == COMMA))
    label &= (mark[rest] == COMMA) | separator[rest]
    return rest[label] if (empty | label).all() else None


# The slow way: the same, one token at a time, with the place of whatever is wrong.


def _parse_lines(chunk: Chunk, form: Form, source: Path) -> Rows:
    counts: list[int] = []
    label_counts: list[int] = []
    entries: list[tuple[int, float]] = []
    labels: list[int] = []
    for number, line in chunk.lines():
        found_labels, found_entries = _parse_line(line, form, _refuser(source, number))
        if form == "labels":
            found_entries += [(label, 1.0) for label in found_labels]
            found_labels = []
        counts.append(len(found_entries))
        label_counts.append(len(found_labels))
        entries += found_entries
        labels += found_labels
    return Rows(
        np.array(counts, np.int64),
        np.array([index for index, _ in entries], np.int32),
        np.array([value for _, value in entries], np.float32),
        np.array(label_counts, np.int64),
        np.array(labels, np.int32),
    )


Refuser: TypeAlias = Callable[[int, bytes | str, str], InputError]


def _refuser(source: Path, line: int) -> Refuser:
    def refuse(column: int, found: bytes | str, expected: str) -> InputError:
        what = found if isinstance(found, str) else shown(found.decode(errors="replace"), 40)
        return InputError.at(source, line=line, column=column + 1, found=what, expected=expected)

    return refuse


def _parse_line(line: bytes, form: Form, refuse: Refuser) -> tuple[list[int], list[tuple[int, float]]]:
    labels: list[int] = []
    entries = []
    for token in TOKEN.finditer(line):
        if b":" in token[0]:
            if labels and form == "labels":
                raise refuse(token.start(), token[0], "either labels as `3,17` or as `3:1 17:1` in one line")
            entries.append(_entry(token[0], token.start(), refuse))
        elif form == "entries" or token.start() > 0:
            raise refuse(token.start(), token[0], "`index:value`")
        else:
            labels = list(_label_list(token[0], refuse))
    return labels, entries


def _label_list(token: bytes, refuse: Refuser) -> Iterator[int]:
    column = 0
    for part in token.split(b","):
        yield _index(part, column, refuse, "a label's number, counted from 0")
        column += len(part) + 1


def _entry(token: bytes, column: int, refuse: Refuser) -> tuple[int, float]:
    left, _, right = token.partition(b":")
    index = _index(left, column, refuse, "a whole number, counted from 0, before the colon")
    column += len(left) + 1
    if not NUMBER.fullmatch(right):
        expected = "a finite number after the colon"
        raise refuse(column, right or "nothing", expected)
    value = _to_float32(right)
    if not math.isfinite(value):
        raise refuse(column, right, "a number within the range of float32")
    return index, value


def _index(token: bytes, column: int, refuse: Refuser, expected: str) -> int:
    digits = token.lstrip(b"0") or token[-1:]
    if not (digits.isdigit() and digits.isascii()):
        raise refuse(column, token or "nothing", expected)
    if len(digits) > 10 or int(digits) > MOST_COLUMNS:
        raise refuse(column, token, f"a number of at most {MOST_COLUMNS}")
    return int(digits)
