"""The data in memory: documents with their targets, and labels, each with texts or ready-made features, or both."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from xclare.errors import InputError
from xclare.progress import SILENT, Progress
from xclare.sparse import Csr
from xclare.strings import Strings

if TYPE_CHECKING:
    from xclare.data.settings import DataSettings

MAIN_FIELDS = ("title", "text", "query", "document", "sentence")
"""Where `data.text_fields` names none, the first of these that is there is the text."""


@dataclass(frozen=True, eq=False)
class Items:
    """Things that have a text: documents, or labels. Row i of everything belongs to item i."""

    count: int
    ids: Strings | None = None
    fields: Mapping[str, Strings] = field(default_factory=dict)
    """Texts by field name (`title`, `content`, …), in the order they were found."""
    text_fields: tuple[str, ...] = ()
    """The fields that make up the text; the others are only kept for conversion."""
    features: Csr | None = None
    """Ready-made features (items x vocabulary). Where they are present, they are used in place of the text's."""

    def __post_init__(self) -> None:
        columns: dict[str, Any] = {**self.fields, "ids": self.ids}
        for name, column in columns.items():
            if column is not None and len(column) != self.count:
                raise InputError(f"{len(column)} {name} were given for {self.count} items: expected one each.")
        if self.features is not None and self.features.shape[0] != self.count:
            raise InputError(f"{self.features.shape[0]} rows of features were given for {self.count} items.")
        for name in self.text_fields:
            if name not in self.fields:
                there = ", ".join(self.fields) or "no text field at all"
                raise InputError(f"data.text_fields names {name!r}, but there is {there}.")

    def __len__(self) -> int:
        return self.count

    @property
    def has_text(self) -> bool:
        """Whether there is any text field to read."""
        return bool(self.text_fields)

    @property
    def texts(self) -> Strings:
        """The text of every item: its text fields joined by a space; empty where there are none."""
        if not self.text_fields:
            return Strings.empty(self.count)
        if len(self.text_fields) == 1:
            return self.fields[self.text_fields[0]]
        columns = [self.fields[name] for name in self.text_fields]
        return Strings.of(" ".join(part for part in row if part) for row in zip(*columns, strict=True))

    def name_of(self, row: int) -> str:
        """How to show an item: its text, else its id, else its number."""
        text = " ".join(self.fields[name][row] for name in self.text_fields)
        return text or (self.ids[row] if self.ids is not None else "") or f"#{row}"

    def id_of(self, row: int) -> str:
        """The item's id, or its number where there are no ids."""
        return self.ids[row] if self.ids is not None else str(row)

    def _rows(self, rows: NDArray[Any]) -> dict[str, Any]:
        return {
            "count": int(rows.sum()) if rows.dtype == bool else len(rows),
            "ids": None if self.ids is None else self.ids.take(rows),
            "fields": {name: column.take(rows) for name, column in self.fields.items()},
            "features": None if self.features is None else self.features[rows],
        }


@dataclass(frozen=True, eq=False)
class Labels(Items):
    """The label set; label l is row l, and column l of every targets matrix."""

    def take(self, rows: NDArray[Any]) -> Labels:
        """The labels at `rows` (positions, or a mask), in that order, with everything that belongs to them."""
        return dataclasses.replace(self, **self._rows(rows))


@dataclass(frozen=True, eq=False, kw_only=True)
class Documents(Items):
    """Documents with the labels that are right for them."""

    targets: Csr
    """(documents x labels) The weight of every relevant pair, above 0; 1 where nothing else was given."""
    labels: Labels
    excluded: Csr | None = None
    """(documents x labels) Pairs left out of predictions and truth when these documents are scored."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, matrix in (("targets", self.targets), ("excluded", self.excluded)):
            if matrix is not None and matrix.shape != (self.count, self.labels.count):
                shape = (self.count, self.labels.count)
                raise InputError(f"{name} have the shape {matrix.shape}: expected documents x labels, {shape}.")

    def take(self, rows: NDArray[Any]) -> Documents:
        """The documents at `rows` (positions, or a mask), in that order, with everything that belongs to them."""
        excluded = None if self.excluded is None else self.excluded[rows]
        return dataclasses.replace(self, **self._rows(rows), targets=self.targets[rows], excluded=excluded)


@dataclass(frozen=True, eq=False)
class Dataset:
    """A training set, perhaps a test set, and their labels."""

    train: Documents
    test: Documents | None = None
    name: str = "data"
    findings: Mapping[str, int] = field(default_factory=dict)
    """What the reader met and handled in its documented way, counted (zero weights, blank lines, …)."""

    def __post_init__(self) -> None:
        if self.test is not None and self.test.labels is not self.train.labels:
            raise InputError("The training and the test documents have different label sets: expected the same object.")
        parts = [self.labels, *self.parts().values()]
        shapes = {part.features.shape[1] for part in parts if part.features is not None}
        if len(shapes) > 1:
            raise InputError(f"Features of {sorted(shapes)} columns: expected one vocabulary for documents and labels.")

    @property
    def labels(self) -> Labels:
        """The label set that training and test documents share."""
        return self.train.labels

    @property
    def has_features(self) -> bool:
        """Whether ready-made features are there for the documents, to be used in place of their text's."""
        return self.train.features is not None

    def test_or_refuse(self) -> Documents:
        """The test documents, or an error that says how to get some."""
        if self.test is None or not len(self.test):
            raise InputError(
                f"{self.name} has no test documents. Add a test file, or let a single file be split: --split hash:0.2"
            )
        return self.test

    def parts(self) -> dict[str, Documents]:
        """The parts that are there, by name: `train`, `test`."""
        return {"train": self.train} if self.test is None else {"train": self.train, "test": self.test}

    @classmethod
    def load(
        cls,
        source: str | Path,
        *,
        settings: DataSettings | None = None,
        features: str | Path | None = None,
        label_texts: str | Path | None = None,
        progress: Progress = SILENT,
    ) -> Dataset:
        """Reads any layout of `docs/data_layouts.md`: a folder, a file, `related-packages`, `shape:NAME[:SCALE]`, or
        the name of a folder below `$XCLARE_DATA`. `features` (`.npz`) takes ready-made features in place of the text's;
        `label_texts` is the second file of a records or log file: the text of every label id."""
        from xclare.data.layouts import load

        return load(source, settings=settings, features=features, label_texts=label_texts, progress=progress)

    @classmethod
    def from_lists(
        cls,
        texts: Sequence[str],
        labels: Sequence[Iterable[int | str]],
        label_texts: Sequence[str] | None = None,
        *,
        test_texts: Sequence[str] | None = None,
        test_labels: Sequence[Iterable[int | str]] | None = None,
        settings: DataSettings | None = None,
        name: str = "lists",
    ) -> Dataset:
        """Data in memory: a text and some labels each. Labels are numbers (rows of `label_texts`), or their own texts.
        Without `test_texts` there is no test set."""
        from xclare.data.records import dataset_from_lists

        tests = None if test_texts is None else (test_texts, test_labels)
        return dataset_from_lists(texts, labels, label_texts, tests=tests, settings=settings, name=name)

    @classmethod
    def from_pairs(
        cls,
        texts: Sequence[str],
        labels: Sequence[int | str],
        weights: Sequence[float] | NDArray[Any] | None = None,
        label_texts: Sequence[str] | None = None,
        *,
        times: Sequence[float | str] | NDArray[Any] | None = None,
        settings: DataSettings | None = None,
        name: str = "pairs",
    ) -> Dataset:
        """A log in memory: one (text, label[, weight][, time]) a row, aggregated to documents, split as
        `settings.split` says (by default a fifth of the documents, by the hash of their text)."""
        from xclare.data.logs import dataset_from_pairs

        return dataset_from_pairs(texts, labels, weights, label_texts, times=times, settings=settings, name=name)

    def save(self, path: str | Path, layout: str, *, progress: Progress = SILENT) -> list[str]:
        """Writes the data in a layout (`xclare convert --help` lists them). Returns a sentence for everything that this
        layout cannot carry."""
        from xclare.data.layouts import save

        return save(self, path, layout, progress=progress)


def main_fields(there: Iterable[str], wanted: tuple[str, ...]) -> tuple[str, ...]:
    """The text fields: those wanted, else the first well-known one that is there."""
    present = list(there)
    return wanted or tuple([name for name in MAIN_FIELDS if name in present][:1])
