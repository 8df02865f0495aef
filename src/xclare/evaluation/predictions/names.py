"""What files of predictions call documents and labels: their ids, or their row numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from xclare.data.dataset import Items
from xclare.sparse import Csr
from xclare.strings import Strings

UNKNOWN = -1
_NOT_IN_A_WORD = re.compile(r"[\s\x00-\x1f\x7f\ufeff]")

Name = str | int | None


class Names:
    """Items by name. Their ids are their names if no two are equal; else (or where there are none) their row numbers
    from 0. With `as_words`, for formats that separate names by spaces, ids must also be words, all of them."""

    def __init__(self, items: Items, *, as_words: bool = False) -> None:
        self.count = items.count
        self.ids = items.ids if items.ids is not None and not (as_words and not _are_words(items.ids)) else None
        self._row_of: dict[str, int] = {}
        if self.ids is not None:
            self._row_of = dict(zip(self.ids, range(self.count), strict=True))
            if len(self._row_of) < self.count:
                self.ids, self._row_of = None, {}

    @property
    def kind(self) -> str:
        """What a name is, for messages."""
        return f"one of the {self.count} ids" if self.ids is not None else f"a row number from 0 to {self.count - 1}"

    def rows(self, names: Sequence[Name]) -> NDArray[np.int64]:
        """The row of every name (JSON may hold numbers as such), or UNKNOWN."""
        if self.ids is None:
            return self._numbers(names)
        get = self._row_of.get
        rows = np.array([get(name, UNKNOWN) for name in names], np.int64)  # type: ignore[arg-type]
        for i in np.flatnonzero(rows == UNKNOWN).tolist():
            name = names[i]
            if isinstance(name, int):
                rows[i] = get(str(name), UNKNOWN)
        return rows

    def names(self, rows: NDArray[np.int64]) -> list[str]:
        """The names of rows."""
        return list(self.ids.take(rows)) if self.ids is not None else list(map(str, rows.tolist()))

    def _numbers(self, names: Sequence[Name]) -> NDArray[np.int64]:
        """Row numbers, written the one way that `str` writes them."""
        try:
            numbers = list(map(int, names))  # type: ignore[arg-type]
            if " ".join(map(str, names)) == " ".join(map(str, numbers)):
                rows = np.array(numbers, np.int64)
                return np.where((rows >= 0) & (rows < self.count), rows, UNKNOWN)
        except (ValueError, TypeError, OverflowError):
            pass  # a name is no number: look at each
        return np.array([self._number(name) for name in names], np.int64)

    def _number(self, name: Name) -> int:
        text = "" if name is None else str(name)
        if len(text) > 19 or not (text.isascii() and text.isdigit()) or (text[0] == "0" and text != "0"):
            return UNKNOWN
        return int(text) if int(text) < self.count else UNKNOWN


def ranked_entries(block: Csr) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The entries of a canonical csr as rankings: (order, row, rank). Entry `order[j]` has rank `rank[j]`, from 1, in
    row `row[j]`; rows ascend, scores fall, equal ones stand by label id."""
    counts = np.diff(block.indptr).astype(np.int64)
    row = np.repeat(np.arange(block.shape[0]), counts)
    order = np.lexsort((-block.data, row))  # stable: entries of equal score stay in the order of their labels
    return order, row, np.arange(1, len(row) + 1) - np.repeat(block.indptr[:-1], counts)


def first_repeated(rows: NDArray[np.int64], columns: NDArray[np.int64]) -> int:
    """The first position at which a (row, column) stands that stood before; there must be one."""
    order = np.lexsort((columns, rows))  # stable
    same = (np.diff(rows[order]) == 0) & (np.diff(columns[order]) == 0)
    return int(order[1:][same].min())


def _are_words(ids: Strings) -> bool:
    """Whether every id can stand between spaces and none makes the file look like JSON."""
    if not len(ids):
        return True
    if ids.lengths.min() == 0 or (ids.blob[ids.offsets[:-1]] == ord("{")).any():
        return False
    return _NOT_IN_A_WORD.search(ids.blob.tobytes().decode()) is None
