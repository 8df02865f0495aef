"""The text fields of a file of JSON lines, gathered batch by batch."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from xclare.data.files import Findings
from xclare.data.formats.json_lines import Batch
from xclare.strings import Strings

NOT_TEXT = "values of other keys that are no text, not kept"


class TextColumns:
    """Gathers the text fields of a file from its batches. A field is a key that holds a string in any row; it is empty
    in the rows that lack it or hold null, and these are counted."""

    def __init__(self) -> None:
        self.rows = 0
        self._parts: dict[str, list[Strings]] = {}
        self._filled: dict[str, int] = {}  # rows that a field has so far
        self._present: dict[str, int] = {}
        self._not_text = 0

    def add(self, batch: Batch, *, skip: Collection[str]) -> None:
        """Takes every column of a batch but those of the keys in `skip`."""
        for key, values in batch.columns.items():
            if key not in skip:
                self._add_column(key, values)
        self.rows += len(batch)

    def _add_column(self, key: str, values: list[Any]) -> None:
        present = len(values)
        try:
            column = Strings.of(values)
        except TypeError:  # something here is no string
            column = Strings.of([value if isinstance(value, str) else "" for value in values])
            present = sum(isinstance(value, str) for value in values)
            self._not_text += len(values) - values.count(None) - present
        if present or key in self._parts:
            self._fill(key, self.rows)
            self._parts[key].append(column)
            self._filled[key] += len(column)
            self._present[key] = self._present.get(key, 0) + present

    def _fill(self, key: str, rows: int) -> None:
        """Empty texts in the rows before that lack the field."""
        missing = rows - self._filled.get(key, 0)
        self._parts.setdefault(key, []).extend([Strings.empty(missing)] if missing else [])
        self._filled[key] = rows

    def finish(self, findings: Findings) -> dict[str, Strings]:
        """All fields, each with a string a row."""
        fields = {}
        for key in list(self._parts):
            self._fill(key, self.rows)
            fields[key] = Strings.joined(self._parts.pop(key))
            if missing := self.rows - self._present[key]:
                findings[f"missing or null values of `{key}`, read as empty text"] += missing
        if self._not_text:
            findings[NOT_TEXT] += self._not_text
        return fields
