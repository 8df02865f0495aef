"""A column of a table: a cell a row, and every cell a text, a number, or a list of texts or of numbers. Two or three
arrays hold all cells, so that a million of them cost no Python object each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from xclare.errors import shown
from xclare.strings import Strings

Values: TypeAlias = Strings | NDArray[Any]


class Odd(NamedTuple):
    """The first cell that keeps a column from being read, for the error message of whoever needs the column."""

    row: int
    found: str


@dataclass(frozen=True, eq=False)
class Column:
    """The cells of one column."""

    values: Values
    """Texts, or int64 or float64 numbers: one a cell or, where the cells are lists, those of all lists."""
    offsets: NDArray[np.int64] | None = None
    """(rows + 1,) Where the cells are lists: cell r holds `values[offsets[r]:offsets[r + 1]]`."""
    missing: NDArray[np.bool_] | None = None
    """(rows,) True where there is no value, and "", 0 or an empty list stands for it. None: no value is missing."""
    odd: Odd | None = None
    """Set where the cells are not all of one of these kinds; nothing but their number is right then."""

    def __len__(self) -> int:
        return len(self.values) if self.offsets is None else len(self.offsets) - 1

    @property
    def is_text(self) -> bool:
        """Whether every cell is a text (or missing)."""
        return self.odd is None and self.offsets is None and isinstance(self.values, Strings)

    @property
    def is_blank(self) -> bool:
        """Whether no cell has a value, so that the column may be of any kind."""
        return self.odd is None and bool(self.missing.all() if self.missing is not None else not len(self))

    @classmethod
    def blank(cls, rows: int) -> Column:
        """A column without any value."""
        return cls(Strings.empty(rows), missing=np.ones(rows, bool))

    @classmethod
    def lists_of_nothing(cls) -> Column:
        """A column of lists without any row."""
        return cls(Strings.empty(), np.zeros(1, np.int64))

    @classmethod
    def unreadable(cls, rows: int, odd: Odd) -> Column:
        """A column whose cells cannot be read."""
        return cls(Strings.empty(rows), odd=odd)

    @classmethod
    def of(cls, cells: Sequence[Any]) -> Column:
        """A column from parsed JSON: str, int, float, None, or lists of these."""
        kinds = set(map(type, cells))
        if kinds == {str}:
            return cls(Strings.of(cells))
        missing = None
        if type(None) in kinds:
            missing = np.fromiter((cell is None for cell in cells), bool, len(cells))
            kinds.discard(type(None))
        if not kinds or kinds == {str}:
            return cls(Strings.of([cell or "" for cell in cells]), missing=missing)
        if kinds == {list}:
            return _lists([cell or () for cell in cells], missing)
        if kinds <= {int, float}:
            return _numbers(cells, missing, np.float64 if float in kinds else np.int64)
        return cls.unreadable(len(cells), _odd(cells))

    @classmethod
    def joined(cls, parts: Sequence[Column]) -> Column:
        """The cells of all parts, one after the other. A part without any value takes the kind of the others."""
        if len(parts) == 1:
            return parts[0]
        starts = np.cumsum([0] + [len(part) for part in parts])
        filled = [(int(start), part) for start, part in zip(starts[:-1], parts, strict=True) if not part.is_blank]
        odd = _disagreement(filled)
        if odd is not None:
            return cls.unreadable(int(starts[-1]), odd)
        if not filled:
            return cls.blank(int(starts[-1]))
        listed = filled[0][1].offsets is not None
        like = next((part.values for _, part in filled if len(part.values)), filled[0][1].values)
        values = [
            part.values if len(part.values) and not part.is_blank else _filler(like, 0 if listed else len(part))
            for part in parts
        ]
        missing = [part.missing if part.missing is not None else np.zeros(len(part), bool) for part in parts]
        return cls(
            _concatenated(values),
            _joined_offsets(parts) if listed else None,
            np.concatenate(missing) if any(part.missing is not None for part in parts) else None,
        )

    def cells(self, start: int, stop: int) -> list[Any]:
        """The cells of the rows from `start` to `stop` as Python objects: str, int, float, or lists of these."""
        if self.offsets is None:
            return _plain(self.values[start:stop])
        cuts = self.offsets[start : stop + 1]
        flat = _plain(self.values[int(cuts[0]) : int(cuts[-1])])
        return [flat[i:j] for i, j in pairwise((cuts - cuts[0]).tolist())]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """How many values each cell holds."""
        return np.ones(len(self), np.int64) if self.offsets is None else np.diff(self.offsets)

    def row_of_value(self, position: int) -> int:
        """The row whose cell holds the value at `position`."""
        return position if self.offsets is None else int(np.searchsorted(self.offsets, position, side="right")) - 1


def offsets_of(lengths: NDArray[Any]) -> NDArray[np.int64]:
    """Where lists of these lengths begin and end when they stand one after the other: (lists + 1,)."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])


def _lists(cells: Sequence[Sequence[Any]], missing: NDArray[np.bool_] | None) -> Column:
    offsets = offsets_of(np.fromiter(map(len, cells), np.int64, len(cells)))
    inner = Column.of(list(chain.from_iterable(cells)))
    odd = inner.odd
    if inner.missing is not None and len(inner):
        odd = Odd(int(inner.missing.argmax()), "null in a list")
    elif inner.offsets is not None:
        odd = Odd(0, "a list in a list")
    column = Column(inner.values, offsets, missing)
    return column if odd is None else Column.unreadable(len(cells), Odd(column.row_of_value(odd.row), odd.found))


def _numbers(cells: Sequence[Any], missing: NDArray[np.bool_] | None, dtype: type[Any]) -> Column:
    try:
        return Column(np.array(cells if missing is None else [cell or 0 for cell in cells], dtype), missing=missing)
    except OverflowError:
        row = next(i for i, cell in enumerate(cells) if cell is not None and abs(cell) >= 2**63)
        return Column.unreadable(len(cells), Odd(row, f"the number {shown(cells[row], 40)}"))


def _odd(cells: Sequence[Any]) -> Odd:
    """The first cell of a kind that no column has, else the first of another kind than the cells before."""
    first = next(type(cell) for cell in cells if cell is not None)
    kinds = (int, float) if first in (int, float) else (first,) if first in (str, list) else ()
    row = next(i for i, cell in enumerate(cells) if cell is not None and type(cell) not in kinds)
    return Odd(row, shown(cells[row], 40))


def _disagreement(filled: Sequence[tuple[int, Column]]) -> Odd | None:
    """The first cell that cannot stand in one column with those before it; `filled` are parts and their first rows."""
    listed = texts = None
    for start, part in filled:
        if part.odd is not None:
            return Odd(start + part.odd.row, part.odd.found)
        has_text = isinstance(part.values, Strings) if len(part.values) else texts
        agrees = listed in (None, part.offsets is not None) and (texts is None or texts == has_text)
        if not agrees:
            row = 0 if part.missing is None else int(np.argmin(part.missing))
            if part.offsets is not None and listed and len(part.values):
                row = part.row_of_value(0)
            return Odd(start + row, shown(part.cells(row, row + 1)[0], 40))
        listed, texts = part.offsets is not None, has_text
    return None


def _filler(like: Values, count: int) -> Values:
    return Strings.empty(count) if isinstance(like, Strings) else np.zeros(count, like.dtype)


def _concatenated(parts: Sequence[Values]) -> Values:
    if isinstance(parts[0], Strings):
        return Strings.joined([part for part in parts if isinstance(part, Strings)])
    return np.concatenate([part for part in parts if not isinstance(part, Strings)])


def _joined_offsets(parts: Sequence[Column]) -> NDArray[np.int64]:
    lengths = [np.diff(part.offsets) if part.offsets is not None else np.zeros(len(part), np.int64) for part in parts]
    return offsets_of(np.concatenate(lengths))


def _plain(values: Values) -> list[Any]:
    return list(values) if isinstance(values, Strings) else values.tolist()
