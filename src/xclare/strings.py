"""Many strings in two arrays: one UTF-8 blob and its offsets. Ten million label texts cost their bytes and 8 more each,
load by mapping a file, and are cut, joined and compared without a Python object a string."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

ROWS_AT_ONCE = 65_536


class Strings(Sequence[str]):
    """An immutable sequence of strings: string i is `blob[offsets[i]:offsets[i + 1]]`, decoded."""

    __slots__ = ("blob", "offsets")

    def __init__(self, blob: NDArray[np.uint8], offsets: NDArray[np.int64]) -> None:
        self.blob = blob  # (bytes,)
        self.offsets = offsets  # (strings + 1,), from 0 to len(blob), never falling

    @classmethod
    def of(cls, strings: Iterable[str]) -> Strings:
        """Packs `strings`, a chunk at a time where there are many."""
        if isinstance(strings, Strings):
            return strings
        rows = strings if isinstance(strings, list) else list(strings)
        return cls.joined([_pack(rows[i : i + ROWS_AT_ONCE]) for i in range(0, len(rows), ROWS_AT_ONCE)])

    @classmethod
    def empty(cls, count: int = 0) -> Strings:
        """`count` empty strings."""
        return cls(np.empty(0, np.uint8), np.zeros(count + 1, np.int64))

    @classmethod
    def joined(cls, parts: Sequence[Strings]) -> Strings:
        """The strings of all parts, one after the other."""
        if len(parts) == 1:
            return parts[0]
        starts = np.cumsum([0] + [len(part.blob) for part in parts])
        offsets = [part.offsets[:-1] + start for part, start in zip(parts, starts[:-1], strict=True)]
        blobs = [part.blob for part in parts]
        return cls(
            np.concatenate(blobs) if blobs else np.empty(0, np.uint8),
            np.concatenate([*offsets, starts[-1:]]).astype(np.int64, copy=False),
        )

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Strings: ...
    def __getitem__(self, index: int | slice) -> str | Strings:
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step != 1:
                return self.take(np.arange(start, stop, step))
            stop = max(start, stop)
            begin, end = self.offsets[start], self.offsets[stop]
            return Strings(self.blob[begin:end], self.offsets[start : stop + 1] - begin)
        position = range(len(self))[index]  # negative indices and IndexError as in any sequence
        return self.blob[self.offsets[position] : self.offsets[position + 1]].tobytes().decode()

    def take(self, rows: NDArray[Any]) -> Strings:
        """The strings at `rows` (positions, or a mask), in that order."""
        if rows.dtype == bool:
            rows = np.flatnonzero(rows)
        begins, lengths = self.offsets[:-1][rows], self.lengths[rows]
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
        # Byte j of the result stands in row r = the one it falls in, at begins[r] + (j - offsets[r]) of the blob.
        source = np.arange(offsets[-1]) + np.repeat(begins - offsets[:-1], lengths)
        return Strings(self.blob[source], offsets)

    def __iter__(self) -> Iterator[str]:
        for start in range(0, len(self), ROWS_AT_ONCE):
            part = self[start : start + ROWS_AT_ONCE]
            data, offsets = part.blob.tobytes(), part.offsets.tolist()
            if data.isascii():
                text = data.decode("ascii")
                yield from (text[i:j] for i, j in itertools.pairwise(offsets))
            else:
                yield from (data[i:j].decode() for i, j in itertools.pairwise(offsets))

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Bytes of every string."""
        return np.diff(self.offsets)

    @property
    def nbytes(self) -> int:
        """Memory of both arrays."""
        return self.blob.nbytes + self.offsets.nbytes

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Strings):
            return NotImplemented
        return np.array_equal(self.offsets, other.offsets) and np.array_equal(self.blob, other.blob)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = ", ".join(repr(self[i]) for i in range(min(3, len(self))))
        return f"Strings({len(self)}: {shown}{', …' if len(self) > 3 else ''})"


def _pack(rows: list[str]) -> Strings:
    """One chunk of strings, encoded in one call: they are joined by NUL, whose places are the offsets."""
    if not rows:
        return Strings.empty()
    blob = np.frombuffer("\0".join(rows).encode(), np.uint8)
    kept = blob != 0
    separators = np.flatnonzero(~kept)
    if len(separators) != len(rows) - 1:  # a string holds a NUL of its own
        encoded = [row.encode() for row in rows]
        offsets = np.cumsum([0] + [len(row) for row in encoded])
        return Strings(np.frombuffer(b"".join(encoded), np.uint8), offsets)
    offsets = np.concatenate([[0], separators - np.arange(len(separators)), [len(blob) - len(separators)]])
    return Strings(blob[kept], offsets.astype(np.int64, copy=False))
