"""The XC repository's sparse files: `trn_X_Xf` (features), `trn_X_Y` (labels), `tst_…`, `lbl_X_Xf` or `Yf` (label
features), as text or `.npz`; and the older `train.txt` and `test.txt`, with labels and features on one line. Nothing in
them is text, so documents and labels have features alone."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xclare.data.canonical_rows import features_from_rows, targets_from_rows
from xclare.data.dataset import Dataset, Documents, Items, Labels
from xclare.data.files import BYTE_ORDER_MARK, Findings, first_existing, open_binary
from xclare.data.formats.npz import read_csr, write_csr
from xclare.data.formats.sparse_rows import Form
from xclare.data.formats.sparse_text import SparseText, read_sparse_text
from xclare.data.formats.sparse_text_writer import write_sparse_text
from xclare.data.reciprocal_pairs import save_pairs, with_pairs
from xclare.data.settings import DataSettings
from xclare.errors import InputError
from xclare.progress import Progress
from xclare.sparse import row_counts

FEATURES = {
    "train": ("trn_X_Xf.txt", "trn_X_Xf.npz", "X.trn.npz"),
    "test": ("tst_X_Xf.txt", "tst_X_Xf.npz", "X.tst.npz"),
    "labels": ("lbl_X_Xf.txt", "Yf.txt", "lbl_X_Xf.npz", "Yf.npz"),
}
TARGETS = {
    "train": ("trn_X_Y.txt", "trn_X_Y.npz", "Y.trn.npz"),
    "test": ("tst_X_Y.txt", "tst_X_Y.npz", "Y.tst.npz"),
}
ONE_FILE = {"train": "train.txt", "test": "test.txt"}
FIRST_LINE = re.compile(rb"[ \t]*\d+(?:[ \t]+\d+){2}[ \t\r]*(?:\n|\Z)|\d*(?:,\d+)*[ \t]+\d+:[-+.\d]")
WIDENED = "headers that name fewer columns than another file of the folder, widened"


@dataclass(frozen=True)
class Matrix:
    """Rows of a file before they are checked against the other files."""

    source: Path
    counts: NDArray[np.int64]
    indices: NDArray[Any]
    values: NDArray[Any]
    columns: int
    """What the header or the shape says, else one more than the largest index."""
    said: bool
    """Whether a header or a shape says so."""
    text: SparseText | None = None
    """The file, where it is text and can say at which line something stands."""

    def refuse(self, wrong: NDArray[np.bool_], found: NDArray[Any], expected: str) -> None:
        """Refuses the first entry of a mask, if any, showing what was found there."""
        if wrong.any():
            entry = int(np.argmax(wrong))
            row = int(np.searchsorted(np.cumsum(self.counts), entry, side="right"))
            if self.text is not None:
                raise self.text.refuse(row, int(self.indices[entry]), found=str(found[entry]), expected=expected)
            raise InputError(f"{self.source}, row {row}: found {found[entry]}, expected {expected}.")


def matches(folder: Path) -> bool:
    """Whether the folder holds training documents of this layout."""
    names = (*FEATURES["train"], *TARGETS["train"])
    return first_existing(folder, *names) is not None or _one_file(folder, "train") is not None


def load(folder: Path, settings: DataSettings, findings: Findings, progress: Progress) -> Dataset:
    """Reads the folder. The files that are there must agree on the number of rows; columns without a header are as many
    as the largest index needs, in any of the files. Without label features the labels have only their number."""
    features: dict[str, Matrix] = {}
    targets: dict[str, Matrix] = {}
    for name in ("train", "test"):
        _read_part(folder, name, (features, targets), findings, progress)
    if (path := first_existing(folder, *FEATURES["labels"])) is not None:
        features["labels"] = read_matrix(path, "entries", findings, progress)
    if "train" not in targets:
        there = f"no {TARGETS['train'][0]} and no {ONE_FILE['train']}"
        raise InputError(f"{folder} holds {there}: expected the labels of the training documents.")
    label_count = _labels(features.get("labels"), targets, findings)
    documents = _documents(features, targets, label_count, findings)
    parts = {name: with_pairs(part, name, folder, settings, findings) for name, part in documents.items()}
    return Dataset(parts["train"], parts.get("test"), name=folder.resolve().name, findings=findings)


def save(dataset: Dataset, folder: Path, progress: Progress, *, npz: bool = False) -> list[str]:
    """Writes the layout into an existing folder, as text or as `.npz`. Returns what it cannot carry."""
    for name, items in {**dataset.parts(), "labels": dataset.labels}.items():
        matrices = [(FEATURES[name], items.features)]
        if isinstance(items, Documents):
            matrices.append((TARGETS[name], items.targets))
        for names, matrix in matrices:
            if matrix is not None and npz:
                write_csr(folder / Path(names[0]).with_suffix(".npz"), matrix)
            elif matrix is not None:
                write_sparse_text(matrix, folder / names[0], progress)
    save_pairs(dataset, folder)
    return list(_lost(dataset))


def _one_file(folder: Path, name: str) -> Path | None:
    """`train.txt` or `test.txt`, or the only file whose name ends like that (`eurlex_train.txt`), if its first line is
    of the older form."""
    path = first_existing(folder, ONE_FILE[name])
    if path is None and folder.is_dir():
        ends = (f"_{ONE_FILE[name]}", f"_{ONE_FILE[name]}.gz")
        found = [file for file in folder.iterdir() if file.name.endswith(ends) and "filter_labels" not in file.name]
        path = found[0] if len(found) == 1 else None
    if path is None:
        return None
    try:
        with open_binary(path) as file:
            return path if FIRST_LINE.match(file.read(1 << 16).removeprefix(BYTE_ORDER_MARK)) else None
    except (InputError, OSError, EOFError, zlib.error):
        return path  # reading it says what is wrong


def _read_part(
    folder: Path,
    name: str,
    found: tuple[dict[str, Matrix], dict[str, Matrix]],
    findings: Findings,
    progress: Progress,
) -> None:
    """Adds the features and targets of `name` to what was found, if they are there."""
    features, targets = found
    paths = [first_existing(folder, *names[name]) for names in (FEATURES, TARGETS)]
    if paths[1] is not None:
        targets[name] = read_matrix(paths[1], "labels", findings, progress)
    elif paths[0] is not None:
        raise InputError(f"{paths[0]} has no {TARGETS[name][0]} beside it: expected the labels of the documents.")
    elif (path := _one_file(folder, name)) is not None:
        text = read_sparse_text(path, "both", findings, progress)
        said, rows = text.header is not None, text.rows
        features[name] = Matrix(path, rows.counts, rows.indices, rows.values, text.columns(), said, text)
        ones = np.ones(len(rows.labels), np.float32)
        targets[name] = Matrix(path, rows.label_counts, rows.labels, ones, text.label_columns(), said, text)
    if paths[0] is not None:
        features[name] = read_matrix(paths[0], "entries", findings, progress)


def read_matrix(path: Path, form: Form, findings: Findings, progress: Progress) -> Matrix:
    """One file, as text of `form` or as `.npz`."""
    if path.suffix == ".npz":
        csr = read_csr(path)
        return Matrix(path, row_counts(csr), csr.indices, csr.data, csr.shape[1], True)
    text = read_sparse_text(path, form, findings, progress)
    rows = text.rows
    return Matrix(path, rows.counts, rows.indices, rows.values, text.columns(), text.header is not None, text)


def _labels(features: Matrix | None, targets: Mapping[str, Matrix], findings: Findings) -> int:
    """The number of labels: the rows of their features, else the columns of the targets."""
    if features is None:
        return widest(targets.values(), findings)
    count = len(features.counts)
    for matrix in targets.values():
        matrix.refuse(matrix.indices >= count, matrix.indices, f"a label below {count}, the rows of {features.source}")
        if matrix.said and matrix.columns > count:
            found = f"{matrix.columns} labels for the {count} rows of {features.source.name}"
            raise InputError.at(matrix.source, line=1, found=found, expected="the same number")
        findings.update({WIDENED: 1} if matrix.said and matrix.columns < count else {})
    return count


def widest(matrices: Iterable[Matrix], findings: Findings) -> int:
    """The largest number of columns; headers that name fewer are counted."""
    matrices = list(matrices)
    most = max((matrix.columns for matrix in matrices), default=0)
    if narrower := sum(matrix.said and matrix.columns < most for matrix in matrices):
        findings[WIDENED] += narrower
    return most


def _documents(
    features: dict[str, Matrix], targets: dict[str, Matrix], label_count: int, findings: Findings
) -> dict[str, Documents]:
    """Training and test documents, over one vocabulary and one label set."""
    vocabulary = widest(features.values(), findings)
    ready = {}
    for name in list(features):
        matrix = features.pop(name)
        if name in targets and len(targets[name].counts) != len(matrix.counts):
            expected = f"{len(targets[name].counts)}, the rows of {targets[name].source.name}"
            raise InputError.at(matrix.source, found=f"{len(matrix.counts)} rows", expected=expected)
        ready[name] = features_from_rows(matrix.counts, matrix.indices, matrix.values, vocabulary, findings)
    labels = Labels(label_count, features=ready.get("labels"))
    documents = {}
    for name, matrix in targets.items():
        matrix.refuse(matrix.values < 0, matrix.values, "a weight of at least 0")
        csr = targets_from_rows(matrix.counts, matrix.indices, matrix.values, label_count, findings)
        documents[name] = Documents(csr.shape[0], features=ready.get(name), targets=csr, labels=labels)
    return documents


def _lost(dataset: Dataset) -> Iterator[str]:
    """A sentence for everything that sparse files cannot hold."""
    kinds: dict[str, Iterable[Items]] = {"documents": dataset.parts().values(), "labels": [dataset.labels]}
    for kind, groups in kinds.items():
        names = dict.fromkeys(name for items in groups for name in items.fields)
        if names:
            yield f"texts of the {kind} ({', '.join(names)}): sparse files hold no text"
        if any(items.ids is not None for items in groups):
            yield f"ids of the {kind}: a row is known by its number alone"
    if not dataset.has_features:
        yield "no features were written, as the data has none: only the labels of the documents"
