"""The XC repository's raw text: `trn.json`, `tst.json`, `lbl.json`, plain or gzipped, one JSON object a line with
`uid`, `title`, `content`, `target_ind` and `target_rel`, and `filter_labels_*.txt`."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from xclare.data import ready_features
from xclare.data.canonical_rows import targets_from_rows
from xclare.data.dataset import Dataset, Documents, Items, Labels, main_fields
from xclare.data.files import Findings, first_existing
from xclare.data.formats.json_lines import UNUSABLE_KEY, Batch, read_json_lines
from xclare.data.formats.number_lists import INDICES, WEIGHTS, are_all_one, read_number_lists
from xclare.data.formats.text_columns import TextColumns
from xclare.data.reciprocal_pairs import save_pairs, with_pairs
from xclare.data.settings import DataSettings
from xclare.errors import InputError, shown
from xclare.persistence.atomic import atomic_file
from xclare.progress import Progress
from xclare.strings import Strings

FILE_NAMES = {"train": "trn.json", "test": "tst.json", "labels": "lbl.json"}
NO_TARGETS = "documents without `target_ind`, read as having no labels"
NO_LABEL_FILE = "label files missing: as many labels as the largest index needs, without texts"
TYPES: dict[str, Any] = {"uid": str | int | None, "target_ind": msgspec.Raw, "target_rel": msgspec.Raw}
ROWS_AT_ONCE = 1 << 14


def matches(folder: Path) -> bool:
    """Whether the folder holds training documents of this layout."""
    return first_existing(folder, FILE_NAMES["train"]) is not None


def load(folder: Path, settings: DataSettings, findings: Findings, progress: Progress) -> Dataset:
    """Reads the folder. Without `tst.json` there is no test set; without `lbl.json` the labels have no texts."""
    files = {name: first_existing(folder, file) for name, file in FILE_NAMES.items()}
    parts = {
        name: _DocumentFile(path, findings, progress) for name in ("train", "test") if (path := files[name]) is not None
    }
    if "train" not in parts:
        raise InputError(f"{folder} holds no trn.json or trn.json.gz: expected the training documents.")
    text_fields = parts["train"].text_fields(settings)
    if files["labels"] is None:
        findings[NO_LABEL_FILE] += 1
        labels = Labels(1 + max(int(part.labels.max(initial=-1)) for part in parts.values()))
    else:
        part = _File(files["labels"], findings, progress)
        there = tuple(name for name in text_fields if name in part.fields) or main_fields(part.fields, ())
        labels = Labels(**part.items(there))
    documents = {name: part.documents(labels, text_fields, findings) for name, part in parts.items()}
    documents = {name: with_pairs(part, name, folder, settings, findings) for name, part in documents.items()}
    dataset = Dataset(documents["train"], documents.get("test"), name=folder.resolve().name, findings=findings)
    features = folder / ready_features.FILE_NAME
    if not text_fields and features.is_file():  # where there is text, it wins unless `--features` asks for these
        return ready_features.apply(dataset, features, findings)
    return dataset


def save(dataset: Dataset, folder: Path, progress: Progress, *, gz: bool = True) -> list[str]:
    """Writes the layout into an existing folder, gzipped by default. Returns what it cannot carry."""
    lost: dict[str, None] = {}
    for name, items in {**dataset.parts(), "labels": dataset.labels}.items():
        path = folder / f"{FILE_NAMES[name]}{'.gz' if gz else ''}"
        fields = _named_as_here(items, lost)
        with atomic_file(path) as file, progress.task(f"writing {path.name}", len(items)) as advance:
            for start in range(0, len(items), ROWS_AT_ONCE):
                rows = _rows(items, fields, start, min(start + ROWS_AT_ONCE, len(items)))
                file.write(msgspec.json.Encoder().encode_lines(rows))
                advance(len(rows))
    save_pairs(dataset, folder)
    if ready_features.has_any(dataset):
        ready_features.save(dataset, folder / ready_features.FILE_NAME)
        if dataset.train.has_text:
            file_name = ready_features.FILE_NAME
            lost[f"ready-made features: they stand in {file_name}, which is read only with --features {file_name}"] = (
                None
            )
    return list(lost)


def _named_as_here(items: Items, lost: dict[str, None]) -> dict[str, Strings]:
    """The fields under the keys they get: a single text field becomes `title`, as the XC repository's tools expect."""
    fields, text_fields = dict(items.fields), items.text_fields
    for name in [name for name in fields if name in TYPES or UNUSABLE_KEY.search(name)]:
        lost[f"the field {shown(name)}: the name means something else in this layout, or is no key it can have"] = None
        del fields[name]
    if len(text_fields) == 1 and "title" not in fields and text_fields[0] in fields:
        fields = {"title" if name == text_fields[0] else name: column for name, column in fields.items()}
        lost[f"the name of the text field `{text_fields[0]}`: it is written as `title`"] = None
        text_fields = ("title",)
    if items.count and main_fields(fields, ()) != text_fields:
        chosen = ",".join(text_fields)
        lost[f"which fields are the text: read it with --set data.text_fields={chosen or '(none)'}"] = None
    return fields


def _rows(items: Items, fields: dict[str, Strings], start: int, stop: int) -> list[dict[str, Any]]:
    """The objects of some rows."""
    columns: dict[str, Any] = {} if items.ids is None else {"uid": items.ids[start:stop]}
    columns |= {name: column[start:stop] for name, column in fields.items()}
    if isinstance(items, Documents):
        targets = items.targets[start:stop]
        ends = targets.indptr.tolist()
        for name, values in (("target_ind", targets.indices.tolist()), ("target_rel", targets.data.tolist())):
            columns[name] = [values[i:j] for i, j in itertools.pairwise(ends)]
    if not columns:
        return [{}] * (stop - start)
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


class _File:
    """One of the files, read: its ids and text fields."""

    types: Mapping[str, Any] = {"uid": TYPES["uid"]}

    def __init__(self, path: Path, findings: Findings, progress: Progress) -> None:
        self.path = path
        texts, ids = TextColumns(), _Ids()
        for batch in read_json_lines(path, self.types, findings, progress):
            texts.add(batch, skip=self.types)
            ids.add(batch.columns["uid"])
            self._take(batch)
            del batch  # before the next is made: keeping it costs half as much time again
        self.rows, self.ids, self.fields = texts.rows, ids.finish(), texts.finish(findings)

    def _take(self, batch: Batch) -> None:
        """What else there is to read."""

    def items(self, text_fields: tuple[str, ...]) -> dict[str, Any]:
        """What documents and labels have in common. A text field that no line holds is empty."""
        fields = {**self.fields, **{name: Strings.empty(self.rows) for name in text_fields if name not in self.fields}}
        return {"count": self.rows, "ids": self.ids, "fields": fields, "text_fields": text_fields}


class _DocumentFile(_File):
    """A file of documents: the labels of each as well."""

    types = TYPES

    def __init__(self, path: Path, findings: Findings, progress: Progress) -> None:
        self._counts, self._labels = [np.zeros(0, np.int64)], [np.zeros(0, np.int32)]
        self._weights = [np.zeros(0, np.float32)]
        self._without_targets = 0
        super().__init__(path, findings, progress)
        self.counts, self.labels = np.concatenate(self._counts), np.concatenate(self._labels)
        self.weights = np.concatenate(self._weights)
        del self._counts, self._labels, self._weights

    def _take(self, batch: Batch) -> None:
        missing, counts, labels, weights = _targets(batch)
        self._without_targets += missing
        self._counts.append(counts)
        self._labels.append(labels)
        self._weights.append(weights)

    def text_fields(self, settings: DataSettings) -> tuple[str, ...]:
        """The text fields of training documents: those that the settings name must be there."""
        for name in settings.text_fields:
            if self.rows and name not in self.fields:
                there = ", ".join(self.fields) or "no text field at all"
                raise InputError(f"data.text_fields names {name!r}, but {self.path} has {there}.")
        return main_fields(self.fields, settings.text_fields)

    def documents(self, labels: Labels, text_fields: tuple[str, ...], findings: Findings) -> Documents:
        if self._without_targets:
            findings[NO_TARGETS] += self._without_targets
        if int(self.labels.max(initial=-1)) >= labels.count:
            raise self._out_of_range(labels.count)
        targets = targets_from_rows(self.counts, self.labels, self.weights, labels.count, findings)
        return Documents(**self.items(text_fields), targets=targets, labels=labels)

    def _out_of_range(self, limit: int) -> InputError:
        """Reads the file again to say where the first label stands that is out of range."""
        for batch in read_json_lines(self.path, TYPES, Findings()):
            _, counts, labels = read_number_lists(batch, "target_ind", INDICES)
            if len(labels) and labels.max() >= limit:
                entry = int(np.argmax(labels >= limit))
                ends = np.cumsum(counts)
                row = int(np.searchsorted(ends, entry, side="right"))
                place = entry - int(ends[row] - counts[row])
                expected = f"a label below {limit}, the number of labels"
                return batch.refuse(row, ("target_ind", place), found=str(labels[entry]), expected=expected)
        return InputError(f"{self.path} changed while it was read. Read it again when it is complete.")


class _Ids:
    """Gathers the ids; there are none where no row has one."""

    def __init__(self) -> None:
        self.parts = [Strings.empty()]
        self.any = False

    def add(self, values: list[str | int | None]) -> None:
        try:
            self.parts.append(Strings.of(values))  # type: ignore[arg-type]
            self.any = True
        except TypeError:  # numbers, or rows without
            self.parts.append(Strings.of("" if value is None else str(value) for value in values))
            self.any = self.any or any(value is not None for value in values)

    def finish(self) -> Strings | None:
        return Strings.joined(self.parts) if self.any else None


def _targets(batch: Batch) -> tuple[int, NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]:
    """How many rows have no list of labels, how many labels each row has, the labels, and their weights: `target_rel`,
    or 1 where a row has none."""
    labelled, counts, labels = read_number_lists(batch, "target_ind", INDICES)
    if are_all_one(batch.columns["target_rel"], counts):
        return int(len(labelled) - labelled.sum()), counts, labels, np.ones(len(labels), np.float32)
    given, weight_counts, weights = read_number_lists(batch, "target_rel", WEIGHTS)
    wrong = given & (counts != weight_counts)
    if wrong.any():
        row = int(np.argmax(wrong))
        found, expected = f"{weight_counts[row]} weights", f"{counts[row]}, one for each label in `target_ind`"
        raise batch.refuse(row, ("target_rel",), found=found, expected=expected)
    missing = int(len(labelled) - labelled.sum())
    if given.all():
        return missing, counts, labels, weights
    all_weights = np.ones(len(labels), np.float32)
    all_weights[np.repeat(given, counts)] = weights
    return missing, counts, labels, all_weights
