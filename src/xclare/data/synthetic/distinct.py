"""Rows of different numbers, exactly as many as were asked for."""

from __future__ import annotations

import numpy as np

from xclare.data.synthetic.randomness import Hashes, Ints, below, mixed, salts

ROUNDS = 16
COLUMN_BITS = 32
CELLS_AT_ONCE = 1 << 24


def distinct_rows(
    rows: Ints,
    columns: Ints,
    counts: Ints,
    width: int,
    hashes: Hashes,
) -> Ints:
    """The columns of row 0, 1, …, ascending within each, with those that stood twice in a row replaced by others below
    `width`, so that row r has `counts[r]` of them. Replacements are drawn with the row's hash; where that does not come
    to an end (rows that fill most of the width), the first free columns are taken."""
    entries = np.sort((rows << COLUMN_BITS) | columns)
    for attempt in range(ROUNDS + 1):
        fresh = np.ones(len(entries), bool)
        np.not_equal(entries[1:], entries[:-1], out=fresh[1:])
        if fresh.all() and len(entries) == counts.sum():
            break
        entries = entries[fresh]
        missing = counts - np.bincount(entries >> COLUMN_BITS, minlength=len(counts))
        more = _drawn(missing, width, hashes, attempt) if attempt < ROUNDS else _first_free(entries, missing, width)
        entries = np.sort(np.concatenate([entries, more]))
    found: Ints = entries & (2**COLUMN_BITS - 1)
    return found


def _drawn(missing: Ints, width: int, hashes: Hashes, attempt: int) -> Ints:
    """`missing[r]` columns for every row r, each from the row's hash, the attempt and its place among them."""
    rows = np.repeat(np.arange(len(missing)), missing)
    place = np.arange(len(rows)) - np.repeat(np.cumsum(missing) - missing, missing)
    salt = salts(attempt, int(missing.max(initial=0)))
    return (rows << COLUMN_BITS) | below(mixed(hashes[rows] + salt[place]), width)


def _first_free(entries: Ints, missing: Ints, width: int) -> Ints:
    """The lowest columns that the rows do not hold yet. Only rows that are nearly full come here, so that a dense row
    is not much longer than what it holds."""
    short = np.flatnonzero(missing)
    parts = []
    for start in range(0, len(short), max(1, CELLS_AT_ONCE // width)):
        rows = short[start : start + max(1, CELLS_AT_ONCE // width)]
        place = np.searchsorted(rows, entries >> COLUMN_BITS)
        held = place < len(rows)
        held[held] = rows[place[held]] == entries[held] >> COLUMN_BITS
        free = np.ones((len(rows), width), bool)
        free[place[held], entries[held] & (2**COLUMN_BITS - 1)] = False
        row, column = np.nonzero(free & (np.cumsum(free, axis=1) <= missing[rows, None]))
        parts.append((rows[row] << COLUMN_BITS) | column)
    return np.concatenate(parts)
