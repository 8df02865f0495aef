"""AttentionXML's text files and their relatives: a document's text a line, and its labels a line of another file, as
words (`train_texts.txt`, `train_labels.txt`; LightXML too), or as a sparse matrix (`trn_X.txt` with `trn_X_Y.txt`;
X-Transformer and PECOS: `X.trn.txt` with `Y.trn.npz`). Label texts stand in a file of their own, or are the words
themselves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xclare.data import ready_features
from xclare.data.canonical_rows import targets_from_rows
from xclare.data.dataset import Dataset, Documents, Labels
from xclare.data.files import Findings, first_existing
from xclare.data.formats.text_lines import Words, read_lines, read_words, write_lines
from xclare.data.label_index import Mentions, resolve
from xclare.data.reciprocal_pairs import save_pairs, with_pairs
from xclare.data.settings import DataSettings
from xclare.data.xc_sparse import TARGETS, Matrix, read_matrix, widest
from xclare.errors import InputError
from xclare.progress import Progress
from xclare.strings import Strings

TEXTS = {
    "train": ("train_raw_texts.txt", "train_texts.txt", "trn_X.txt", "X.trn.txt"),
    "test": ("test_raw_texts.txt", "test_texts.txt", "tst_X.txt", "X.tst.txt"),
}
"""Where raw texts stand beside tokenized ones, they are read."""
WORDS = {"train": ("train_labels.txt",), "test": ("test_labels.txt",)}
MATRICES = {"train": (*TARGETS["train"], "Y.trn.txt"), "test": (*TARGETS["test"], "Y.tst.txt")}
LABEL_TEXTS = ("label_texts.txt", "labels.txt", "output-items.txt", "label_map.txt", "Y.txt")
FIELD = "title"


def matches(folder: Path) -> bool:
    """Whether the folder holds training texts and their labels in this layout."""
    labels = first_existing(folder, *WORDS["train"], *MATRICES["train"])
    return first_existing(folder, *TEXTS["train"]) is not None and labels is not None


def load(folder: Path, settings: DataSettings, findings: Findings, progress: Progress) -> Dataset:
    """Reads the folder. Labels that are all whole numbers are rows of the file of label texts, where there is one;
    others are texts from it. Without it, words are the labels' own texts, and numbers their ids."""
    texts = {
        name: read_lines(path, findings, progress)
        for name in ("train", "test")
        if (path := first_existing(folder, *TEXTS[name])) is not None
    }
    if "train" not in texts:
        raise InputError(f"{folder} holds no {TEXTS['train'][1]}: expected the texts of the training documents.")
    mentioned = {name: _read_targets(folder, name, len(texts[name]), findings, progress) for name in texts}
    labels, rows = _label_set(folder, list(mentioned.values()), findings, progress)
    parts = {}
    for (name, found), row in zip(mentioned.items(), rows, strict=True):
        weights = found.values if isinstance(found, Matrix) else None
        targets = targets_from_rows(found.counts, row, weights, labels.count, findings)
        part = Documents(len(texts[name]), None, {FIELD: texts[name]}, (FIELD,), targets=targets, labels=labels)
        parts[name] = with_pairs(part, name, folder, settings, findings)
    return Dataset(parts["train"], parts.get("test"), name=folder.resolve().name, findings=findings)


def save(dataset: Dataset, folder: Path, progress: Progress) -> list[str]:
    """Writes `train_texts.txt`, `train_labels.txt`, … and `label_texts.txt` into an existing folder. Returns what they
    cannot carry."""
    labels = dataset.labels
    lost = list(_lost(dataset))
    names = _names(labels)
    for name, part in dataset.parts().items():
        if write_lines(folder / f"{name}_texts.txt", part.texts, progress):
            lost.append(f"line breaks in the texts of the {name} documents: each became a space")
        write_lines(folder / f"{name}_labels.txt", _label_lines(part, names), progress)
    if write_lines(folder / LABEL_TEXTS[0], labels.texts, progress):
        lost.append("line breaks in the texts of labels: each became a space")
    save_pairs(dataset, folder)
    if ready_features.has_any(dataset):
        ready_features.save(dataset, folder / ready_features.FILE_NAME)
    return lost


def _read_targets(folder: Path, name: str, rows: int, findings: Findings, progress: Progress) -> Words | Matrix:
    path = first_existing(folder, *WORDS[name])
    found: Words | Matrix
    if path is not None:
        found = read_words(path, findings, progress)
    else:
        path = first_existing(folder, *MATRICES[name])
        if path is None:
            raise InputError(f"{folder} holds no {WORDS[name][0]}: expected the labels of the {name} documents.")
        found = read_matrix(path, "labels", findings, progress)
        found.refuse(found.values < 0, found.values, "a weight of at least 0")
    if len(found.counts) != rows:
        expected = f"{rows}, as many as there are texts"
        raise InputError.at(path, found=f"the labels of {len(found.counts)} documents", expected=expected)
    return found


def _label_set(
    folder: Path, mentioned: list[Words | Matrix], findings: Findings, progress: Progress
) -> tuple[Labels, list[NDArray[Any]]]:
    """The labels, and the row of each one mentioned."""
    path = first_existing(folder, *LABEL_TEXTS)
    labels = None if path is None else _with_texts(read_lines(path, findings, progress))
    words = [found for found in mentioned if isinstance(found, Words)]
    matrices = [found for found in mentioned if isinstance(found, Matrix)]
    if words and matrices:
        raise InputError(f"{folder}: found labels both as {words[0].source.name} and as {matrices[0].source.name}.")
    if words:
        mentions = [Mentions(found.words, found.refuse, typed=False) for found in words]
        return resolve(mentions, labels, findings, str(path))
    if labels is None:
        labels = Labels(widest(matrices, findings))
    for matrix in matrices:
        expected = f"a label below {labels.count}, the lines of {path}"
        matrix.refuse(matrix.indices >= labels.count, matrix.indices, expected)
    return labels, [matrix.indices for matrix in matrices]


def _with_texts(texts: Strings) -> Labels:
    """The labels of a file of texts; if all of its lines are blank, it only says how many there are."""
    if not len(texts.blob):
        return Labels(len(texts))
    return Labels(len(texts), None, {FIELD: texts}, (FIELD,))


def _names(labels: Labels) -> Strings:
    """What stands for each label in the documents' files: its text where that tells it apart and is one word that is no
    number, else its row number."""
    texts = labels.texts
    usable = labels.has_text and bool((texts.lengths > 0).all()) and not np.isin(texts.blob, list(b" \t\n\r")).any()
    listed = list(texts) if usable else []
    usable = usable and len(set(listed)) == labels.count
    if usable and not any(text.isdigit() or "\ufeff" in text for text in listed):
        return texts
    return Strings.of(map(str, range(labels.count)))


def _label_lines(part: Documents, names: Strings) -> Strings:
    """The names of each document's labels, with a space between two."""
    words = names.take(part.targets.indices)
    spaced = np.insert(words.blob, words.offsets[1:], np.uint8(ord(" ")))
    ends = words.offsets + np.arange(len(words) + 1)  # a space more for every word before
    # A row's line runs from its first word to just before the space after its last one.
    first, last = ends[part.targets.indptr[:-1]], ends[part.targets.indptr[1:]]
    lengths = np.maximum(last - first - 1, 0)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    keep = np.ones(len(spaced), bool)
    keep[last[last > first] - 1] = False
    return Strings(spaced[keep], offsets)


def _lost(dataset: Dataset) -> Iterator[str]:
    groups: dict[str, list[Any]] = {"documents": list(dataset.parts().values()), "labels": [dataset.labels]}
    for kind, items in groups.items():
        if any(item.ids is not None for item in items):
            yield f"ids of the {kind}"
        if others := dict.fromkeys(name for item in items for name in item.fields if name not in item.text_fields):
            yield f"fields of the {kind} that are not their text ({', '.join(others)})"
        for names in dict.fromkeys(item.text_fields for item in items if item.text_fields not in ((), (FIELD,))):
            yield f"names of the text fields of the {kind} ({', '.join(names)}): their text becomes the field `{FIELD}`"
    if any((part.targets.data != 1).any() for part in dataset.parts().values()):
        yield "weights of labels: all become 1"
    if not dataset.labels.has_text:
        yield "the labels have no texts: their row numbers stand for them"
    if ready_features.has_any(dataset):
        name = ready_features.FILE_NAME
        yield f"ready-made features: they stand in {name}, which is read only with --features {name}"
