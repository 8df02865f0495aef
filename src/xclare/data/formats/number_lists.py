"""Lists of numbers as JSON writes them, `[3, 17]` and `[1.0, 0.5]`, many at a time: all lists of a batch are parsed as
one text, without a Python object a number. Lists that are not plain are decoded one by one."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from xclare.data.formats.decimals import PADDING, read_decimals, read_digits
from xclare.data.formats.json_lines import Batch, flatten
from xclare.errors import shown

LARGEST_FLOAT32 = 3.4028234663852886e38
LARGEST_INDEX = 2**31 - 3
INDICES = list[Annotated[int, msgspec.Meta(ge=0, le=LARGEST_INDEX)]] | None
WEIGHTS = list[Annotated[float, msgspec.Meta(ge=0, le=LARGEST_FLOAT32)]] | None

LONGEST_OF_ONES = 1000
PLAIN = b"0123456789[], \n"
OPEN, ZERO, NEWLINE, POINT = b"[0\n."


def read_number_lists(batch: Batch, key: str, kind: Any) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[Any]]:
    """The lists under a key that was read as `msgspec.Raw`, of `kind` `INDICES` or `WEIGHTS`: which rows have one, how
    many numbers each has, and all numbers, one row after the other (int32 or float32)."""
    lists: list[Any] = batch.columns[key]
    given = np.ones(len(lists), bool)
    try:
        text = b"\n".join(lists)
    except TypeError:  # a row without the key
        given = np.fromiter((row is not None for row in lists), bool, len(lists))
        text = b"\n".join([b"[]" if row is None else row for row in lists])
    parsed = _parse_indices(text) if kind is INDICES else _parse_weights(text)
    if parsed is not None:
        return given, *parsed
    dtype = np.int32 if kind is INDICES else np.float32
    values = [None if row is None else _decoded(batch, number, key, row, kind) for number, row in enumerate(lists)]
    given = np.fromiter((row is not None for row in values), bool, len(values))
    return given, *flatten(values, dtype)


def are_all_one(lists: list[Any], counts: NDArray[np.int64]) -> bool:
    """Whether list i is `[1.0, 1.0, …]`, `counts[i]` times: the usual case, known without parsing."""
    longest = int(counts.max(initial=0))
    if longest > LONGEST_OF_ONES:
        return False
    ones = [b"[" + b", ".join([b"1.0"] * count) + b"]" for count in range(longest + 1)]
    try:
        return b"\n".join(lists) == b"\n".join([ones[count] for count in counts.tolist()])
    except TypeError:  # a row without weights
        return False


# What msgspec hands over raw is valid JSON. Of that, text of digits, commas, spaces and brackets alone, whose every
# line begins with its only opening bracket, is a list of whole numbers a line; with points as well, of decimals.


def _parse_indices(text: bytes) -> tuple[NDArray[np.int64], NDArray[np.int32]] | None:
    """Counts and numbers of the lists, one a line; None where any is not plain, or a number long."""
    if text.translate(None, PLAIN):
        return None
    buffer, data = _padded(text)
    breaks = _breaks(data)
    if breaks is None:
        return None
    at = _marks(data)
    begin = np.flatnonzero(np.diff(at) > 1)  # the mark before each number, as a position among the marks
    stop = at[begin + 1]
    lengths = stop - at[begin] - 1
    if lengths.max(initial=0) > 8:
        return None
    return np.diff(np.searchsorted(stop, breaks)), read_digits(buffer, stop, lengths).astype(np.int32)


def _parse_weights(text: bytes) -> tuple[NDArray[np.int64], NDArray[np.float32]] | None:
    """The same for decimals; None also where one has to be read more exactly."""
    if text.translate(None, PLAIN + b"."):
        return None
    buffer, data = _padded(text)
    breaks = _breaks(data)
    if breaks is None:
        return None
    at = _marks(data)
    pointed = data[at] == POINT
    begin = np.flatnonzero((np.diff(at) > 1) & ~pointed[:-1])
    has_point = pointed[begin + 1]
    point, stop = at[begin + 1], at[begin + 1 + has_point]
    whole, fraction = point - at[begin] - 1, stop - point - has_point
    if whole.max(initial=0) > 8 or fraction.max(initial=0) > 10:
        return None
    values, unsure = read_decimals(buffer, point, stop, whole, fraction)
    return None if unsure.any() else (np.diff(np.searchsorted(stop, breaks)), values)


def _padded(text: bytes) -> tuple[bytes, NDArray[np.uint8]]:
    """The text between line breaks, with room in front; as bytes and as an array."""
    buffer = b"".join((bytes(PADDING - 1), b"\n", text, b"\n"))
    return buffer, np.frombuffer(buffer, np.uint8)


def _breaks(data: NDArray[np.uint8]) -> NDArray[np.int64] | None:
    """Where lines end, the one in front included; None unless every line begins with its only opening bracket."""
    breaks = np.flatnonzero(data == NEWLINE)
    opened = np.count_nonzero(data == OPEN) == len(breaks) - 1 and (data[breaks[:-1] + 1] == OPEN).all()
    return breaks if opened else None


def _marks(data: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Where bytes stand that are no digits, from the line break in front on."""
    return np.flatnonzero(data[PADDING - 1 :] - np.uint8(ZERO) > 9) + (PADDING - 1)


def _decoded(batch: Batch, row: int, key: str, raw: msgspec.Raw, kind: Any) -> list[Any] | None:
    """One list; refuses what is none of the right numbers, with its place."""
    try:
        decoded: list[Any] | None = msgspec.json.decode(raw, type=kind)
    except msgspec.ValidationError as error:
        what, _, place = str(error).partition(" - at `$[")
        position = int(place.rstrip("]`")) if place else None
        path = (key,) if position is None else (key, position)
        expected, _, found = what.removeprefix("Expected ").replace("`", "").partition(", got ")
        if "out of range" in expected:
            expected = "a number within the range of its type"
        if position is not None and not found:
            found = _element(raw, position)
        name = key if position is None else f"{key}[{position}]"
        raise batch.refuse(row, path, found=found, expected=f"{expected} as `{name}`") from error
    return decoded


def _element(raw: msgspec.Raw, position: int) -> str:
    return shown(bytes(msgspec.json.decode(raw, type=list[msgspec.Raw])[position]).decode(), 24)
