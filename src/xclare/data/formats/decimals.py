"""Decimal numbers as bytes, many at a time: read to the last bit as `float` reads them, written as short as float32
allows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

PADDING = 16
"""Bytes that must stand before the first number of a buffer: up to 16 digits are read backwards from a number's end."""

_MASKS = np.array([0] + [(1 << 64) - (1 << 8 * (8 - kept)) for kept in range(1, 9)], np.uint64)
_POWERS = 10.0 ** np.arange(23)  # exact in float64
_WHOLE_POWERS = np.array([10**power for power in range(19)], np.uint64)
EXACT = 1 << 53

POINT_COLUMN = 7
DECIMAL_WIDTH = POINT_COLUMN + 1 + 13
"""A sign, 6 digits, a point and 13 digits: what every float32 in [1e-5, 1e6) needs at most."""


def read_digits(buffer: bytes, ends: NDArray[Any], lengths: NDArray[Any]) -> NDArray[np.uint64]:
    """The whole numbers of `lengths` (0 to 8) digits that end before the positions `ends` of the buffer.

    The 8 bytes before an end are taken as one word, those that are not of the number become 0, and neighbouring digits
    are added up in three steps: pairs, fours, eights.
    """
    windows: NDArray[np.uint64] = np.ndarray((len(buffer) - 7,), "<u8", buffer=buffer, strides=(1,))
    word: NDArray[np.uint64] = windows[ends - 8] & _MASKS[lengths] & np.uint64(0x0F0F0F0F0F0F0F0F)
    word = (word * np.uint64(2561)) >> np.uint64(8) & np.uint64(0x00FF00FF00FF00FF)
    word = (word * np.uint64(6553601)) >> np.uint64(16) & np.uint64(0x0000FFFF0000FFFF)
    return (word * np.uint64(42949672960001)) >> np.uint64(32)


def read_decimals(
    buffer: bytes, points: NDArray[Any], ends: NDArray[Any], whole: NDArray[Any], fraction: NDArray[Any]
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """The numbers whose point stands at `points` (without a fraction: where they end) and whose last digit stands
    before `ends`, of `whole` (0 to 8) and `fraction` (0 to 16, 18 with `whole`) digits; and a mask of those whose last
    bit is not certain."""
    mantissa = read_digits(buffer, points, whole) * _WHOLE_POWERS[fraction]
    mantissa += read_digits(buffer, ends, np.minimum(fraction, 8))
    long = np.flatnonzero(fraction > 8)
    if len(long):
        mantissa[long] += read_digits(buffer, ends[long] - 8, fraction[long] - 8) * np.uint64(10**8)
    values = mantissa / _POWERS[fraction]  # one rounding where the mantissa is exact: what `float` returns
    return values.astype(np.float32), (mantissa > EXACT) & _near_tie(values)


def _near_tie(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """True where an error of a few units in the last place of float64 could change the nearest float32."""
    tail = (values.view(np.uint64) & np.uint64((1 << 29) - 1)).astype(np.int64)  # what float32 cuts off
    return (np.abs(tail - (1 << 28)) <= 8) | (values < 2.0**-120)


def shortest_decimals(values: NDArray[np.float32]) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.bool_]]:
    """The decimals m / 10^k of the fewest digits that read back as `values`: m, k, and a mask of those that have none
    (outside [1e-5, 1e6), which is for the caller to write otherwise)."""
    size = np.abs(values.astype(np.float64))
    plain = (size >= 1e-5) & (size < 1e6)
    size = np.where(plain, size, 1)
    # Digits before the point, less one; a hair off at powers of ten, where one digit more or less does no harm.
    magnitude = np.floor(np.log10(size)).astype(np.int64)
    mantissa, places = np.zeros(len(size), np.uint64), np.zeros(len(size), np.int64)
    open_ = np.arange(len(size))
    for digits in (6, 7, 8, 9):  # 9 digits tell any two float32 apart
        k = digits - 1 - magnitude[open_]
        m = np.rint(size[open_] * _POWERS[k])
        done = (m / _POWERS[k]).astype(np.float32) == size[open_].astype(np.float32)
        mantissa[open_[done]], places[open_[done]] = m[done], k[done]
        open_ = open_[~done]
    plain[open_] = False
    _strip_zeros(mantissa, places)
    return mantissa, places, ~plain


def _strip_zeros(mantissa: NDArray[np.uint64], places: NDArray[np.int64]) -> None:
    """Takes zeros off the end of the fraction, in place."""
    rows = np.flatnonzero(places > 0)
    while len(rows):
        rows = rows[(mantissa[rows] % np.uint64(10) == 0) & (places[rows] > 0)]
        mantissa[rows] //= np.uint64(10)
        places[rows] -= 1


def write_digits(into: NDArray[np.uint8], numbers: NDArray[Any]) -> None:
    """Writes whole numbers right-aligned into the columns of `into` (numbers x width); before them stays 0."""
    rest, last = numbers, into.shape[1] - 1
    for column in range(last, -1, -1):
        above, digit = np.divmod(rest, rest.dtype.type(10))
        character = digit.astype(np.uint8) + np.uint8(48)
        into[:, column] = character if column == last else character * (rest > 0)
        rest = above


def write_decimals(into: NDArray[np.uint8], values: NDArray[np.float32]) -> None:
    """Writes each value in the fewest digits that read back as it into a row of `into` (values x `DECIMAL_WIDTH`), with
    zeros between and around the characters."""
    mantissa, places, other = shortest_decimals(values)
    into[:, 0] = (values < 0) * np.uint8(ord("-"))
    whole = mantissa // _WHOLE_POWERS[places]
    write_digits(into[:, 1:POINT_COLUMN], whole.astype(np.uint32))
    into[:, POINT_COLUMN] = (places > 0) * np.uint8(ord("."))
    most = int(places.max(initial=0))
    fraction = (mantissa - whole * _WHOLE_POWERS[places]) * _WHOLE_POWERS[most - places]
    _write_fraction(into[:, POINT_COLUMN + 1 :], fraction if most > 9 else fraction.astype(np.uint32), places, most)
    for row in np.flatnonzero(other).tolist():  # very small, very large: rare
        text = str(values[row]).encode()
        into[row, : len(text)] = np.frombuffer(text, np.uint8)
        into[row, len(text) :] = 0


def _write_fraction(into: NDArray[np.uint8], fraction: NDArray[Any], places: NDArray[np.int64], most: int) -> None:
    """The fraction's `places` digits, leading zeros included; `fraction` counts units of the `most`-th place."""
    into[:, most:] = 0
    for column in range(most - 1, -1, -1):
        fraction, digit = np.divmod(fraction, fraction.dtype.type(10))
        into[:, column] = (digit.astype(np.uint8) + np.uint8(48)) * (column < places)
