"""JSON lines, a chunk at a time, into columns: one object a line, each key a list of values. A chunk is decoded whole;
where that fails, its lines are decoded one by one to say which is wrong and where in it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from xclare.data.files import BLANK_LINES, Chunk, Findings, read_chunks
from xclare.data.formats.json_places import ONE_OBJECT_A_LINE, KeyPath, column_of, invalid, malformed, unreadable
from xclare.errors import InputError, shown
from xclare.progress import SILENT, Progress

MOST_KEYS = 1000
NEWLINE, OPEN, CLOSE = b"\n{}"
UNUSABLE_KEY = re.compile(r'["\\\x00-\x1f]')
"""Characters that msgspec takes in no field's name."""


@dataclass(frozen=True)
class Batch:
    """The objects of one chunk, as columns."""

    source: Path
    columns: dict[str, list[Any]]
    """The values of every key met so far, None in a row that lacks it; keys in the order in which they came up."""
    lines: Lines

    def __len__(self) -> int:
        return len(self.lines.numbers)

    @property
    def line_numbers(self) -> Sequence[int]:
        """The line at which each row stands."""
        return self.lines.numbers

    def refuse(self, row: int, path: KeyPath, *, found: str, expected: str, hint: str = "") -> InputError:
        """The error that says what is wrong with the value at `path` in `row`, with its line and column."""
        column = column_of(self.lines.texts[row], path)
        line = self.lines.numbers[row]
        return InputError.at(self.source, line=line, column=column, found=found, expected=expected, hint=hint)


def read_json_lines(
    source: str | Path,
    types: Mapping[str, Any],
    findings: Findings,
    progress: Progress = SILENT,
    *,
    required: Collection[str] = (),
) -> Iterator[Batch]:
    """The file's objects, batch by batch. `types` gives the msgspec type of every key whose values are checked (None in
    a row without the key, so a type should allow `None` only where the file may say `null`); a row that lacks
    a `required` key is refused. Other keys are kept whatever they hold, also when they come up late in the file."""
    rows = _Rows(Path(source), dict(types), frozenset(required))
    for chunk in read_chunks(source, findings, progress):
        batch = rows.read(chunk, findings)
        if len(batch):
            yield batch
        del batch  # so that the next takes its memory, still in the processor's cache


def flatten(lists: Sequence[Sequence[Any] | None], dtype: Any) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """How many values every list holds (None: none), and all their values, one after the other."""
    try:
        counts = np.fromiter(map(len, lists), np.int64, len(lists))  # type: ignore[arg-type]
    except TypeError:
        return flatten([row or () for row in lists], dtype)
    values = itertools.chain.from_iterable(lists)  # type: ignore[arg-type]
    return counts, np.fromiter(values, dtype, int(counts.sum()))


class _Rows:
    """Decodes chunks; learns the keys that `types` does not name as they come up."""

    def __init__(self, source: Path, types: dict[str, Any], required: frozenset[str]) -> None:
        self.source, self.types, self.required = source, types, required
        self.keys: list[str] = list(types)
        self._build()

    def _build(self) -> None:
        """A struct of all keys known so far. It refuses unknown ones, which is how they are noticed."""
        names = [f"k{number}" for number in range(len(self.keys))]
        fields: list[Any] = []
        for name, key in zip(names, self.keys, strict=True):
            kind = self.types.get(key, Any)
            fields.append((name, kind) if key in self.required else (name, kind, None))
        struct = msgspec.defstruct(
            "Row",
            fields,
            rename=dict(zip(names, self.keys, strict=True)),
            forbid_unknown_fields=True,
            kw_only=True,
            gc=False,
        )
        self.decoder = msgspec.json.Decoder(struct)
        self.getters: list[Callable[[Any], Any]] = [attrgetter(name) for name in names]

    def read(self, chunk: Chunk, findings: Findings) -> Batch:
        part = Lines(chunk)
        findings.update({BLANK_LINES: part.blank} if part.blank else {})
        rows = self._decode(part)
        columns = {key: list(map(get, rows)) for key, get in zip(self.keys, self.getters, strict=True)}
        return Batch(self.source, columns, part)

    def _decode(self, part: Lines) -> list[Any]:
        if not part.clean:
            raise self._explain(part)
        try:
            rows = self.decoder.decode_lines(part.data)
        except msgspec.ValidationError as error:
            if not self._learn(part):
                raise self._explain(part) from error
            return self._decode(part)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise self._explain(part) from error
        if len(rows) != len(part.numbers):  # two objects on one line
            raise self._explain(part)
        return rows

    def _learn(self, part: Lines) -> bool:
        """Adds the keys of the part that are not known yet; False where there are none."""
        try:
            objects = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode_lines(part.data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return False
        known = set(self.keys)
        new = [key for key in dict.fromkeys(itertools.chain.from_iterable(objects)) if key not in known]
        if len(known) + len(new) > MOST_KEYS:
            raise InputError.at(
                self.source,
                line=part.numbers[0],
                found=f"more than {MOST_KEYS} different keys from here on",
                expected="objects with the same few keys on every line",
            )
        if unusable := next(filter(UNUSABLE_KEY.search, new), None):
            lines = zip(part.numbers, objects, strict=False)  # two objects may stand on one line
            raise InputError.at(
                self.source,
                line=next((number for number, row in lines if unusable in row), part.numbers[-1]),
                found=f"the key {shown(unusable)}",
                expected="keys without quotes, backslashes and control characters",
            )
        self.keys += new
        self._build()
        return bool(new)

    def _explain(self, part: Lines) -> InputError:
        """Decodes line by line to find what is wrong."""
        for number, line in zip(part.numbers, part.texts, strict=True):
            try:
                self._decode_line(line)
            except UnicodeDecodeError:
                return unreadable(self.source, number, line)
            except RecursionError:
                return InputError.at(
                    self.source, line=number, found="JSON nested too deeply", expected=ONE_OBJECT_A_LINE
                )
            except msgspec.ValidationError as error:
                return invalid(self.source, number, line, str(error), self.types)
            except msgspec.DecodeError as error:
                return malformed(self.source, number, line, str(error))
        return InputError.at(
            self.source, line=part.numbers[0], found="JSON objects that cross lines", expected=ONE_OBJECT_A_LINE
        )

    def _decode_line(self, line: bytes) -> None:
        """Raises what is wrong with a line. At an unknown key the decoder stops before that."""
        try:
            self.decoder.decode(line)
        except msgspec.ValidationError as error:
            if "unknown field" not in str(error):
                raise
            msgspec.json.decode(line)


class Lines:
    """A chunk without its blank lines: its bytes, and their numbers in the file. `clean` says that every line begins
    and ends as an object does."""

    def __init__(self, chunk: Chunk) -> None:
        self.data = chunk.data
        body = np.frombuffer(chunk.data, np.uint8)[: -1 if chunk.data.endswith(b"\n") else None]
        breaks = np.flatnonzero(body == NEWLINE)
        self.numbers: Sequence[int] = range(chunk.first_line, chunk.first_line + len(breaks) + 1)
        self.blank = 0
        self.clean = _objects_end_lines(body, breaks)
        if not self.clean:
            numbered = [(number, line.strip(b" \t\r")) for number, line in chunk.lines()]
            self.numbers = [number for number, line in numbered if line]
            self.blank = len(numbered) - len(self.numbers)
            lines = [line for _, line in numbered if line]
            self.data = b"\n".join(lines)
            self.clean = all(line[:1] == b"{" and line[-1:] == b"}" for line in lines)

    @cached_property
    def texts(self) -> list[bytes]:
        """Every line; cut only where an error has to be shown."""
        return self.data.removesuffix(b"\n").split(b"\n") if self.data else []


def _objects_end_lines(body: NDArray[np.uint8], breaks: NDArray[np.int64]) -> bool:
    """Whether every line begins with "{" and ends with "}". Between these two a line ends only outside of all objects,
    so none of them crosses a line."""
    if not len(body) or body[0] != OPEN or body[-1] != CLOSE:
        return False
    return bool((body[breaks - 1] == CLOSE).all() and (body[breaks + 1] == OPEN).all())
