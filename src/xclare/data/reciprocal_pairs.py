"""Pairs left out when documents are scored: `filter_labels_test.txt` and `filter_labels_train.txt`, a document's row
and a label a line, both counted from 0. They mark a document as its own label, and pairs that stand in training the
other way round."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from xclare.data.dataset import Dataset, Documents
from xclare.data.files import BLANK_LINES, Chunk, Findings, first_existing, read_chunks
from xclare.data.formats.decimals import PADDING, read_digits
from xclare.data.formats.sparse_rows import TOKEN
from xclare.data.formats.sparse_text_writer import write_pairs
from xclare.data.settings import DataSettings
from xclare.errors import InputError, shown
from xclare.sparse import Csr, csr_from_pairs, csr_from_rows, row_of_entry

FILE_NAMES = {
    "train": ("filter_labels_train.txt", "trn_filter_labels.txt"),
    "test": ("filter_labels_test.txt", "tst_filter_labels.txt"),
}
REMOVED = "reciprocal pairs, removed from the training targets"
SPACE, TAB, NEWLINE = b" \t\n"


def with_pairs(part: Documents, name: str, folder: Path, settings: DataSettings, findings: Findings) -> Documents:
    """The documents with the excluded pairs that the folder names for this part (`train` or `test`), if any. Training
    targets lose them only where `settings.drop_reciprocal_training_pairs` asks for it."""
    path = first_existing(folder, *FILE_NAMES[name])
    if path is None:
        return part
    excluded = read_pairs(path, part.targets.shape, findings)
    part = dataclasses.replace(part, excluded=excluded)
    if name == "train" and settings.drop_reciprocal_training_pairs:
        targets = without(part.targets, excluded)
        findings[REMOVED] += part.targets.nnz - targets.nnz
        part = dataclasses.replace(part, targets=targets)
    return part


def save_pairs(dataset: Dataset, folder: Path) -> None:
    """Writes the excluded pairs of both parts, where there are any."""
    for name, part in dataset.parts().items():
        if part.excluded is not None:
            write_pairs(part.excluded, folder / FILE_NAMES[name][0])


def read_pairs(path: Path, shape: tuple[int, int], findings: Findings) -> Csr:
    """(documents x labels) The pairs of the file, each as 1. Refuses what is no pair within `shape`."""
    rows, columns = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for chunk in read_chunks(path, findings):
        pairs = _parse_fast(chunk.data, findings)
        if pairs is None or (pairs >= shape).any():
            pairs = _parse_lines(chunk, path, shape)
        rows.append(pairs[:, 0])
        columns.append(pairs[:, 1])
    return csr_from_pairs(np.concatenate(rows), np.concatenate(columns), shape)


def without(targets: Csr, excluded: Csr) -> Csr:
    """`targets` less the pairs of `excluded`."""
    width = np.int64(targets.shape[1])
    pairs, dropped = (row_of_entry(matrix) * width + matrix.indices for matrix in (targets, excluded))
    kept = ~np.isin(pairs, dropped, assume_unique=True)
    indptr = np.concatenate([np.zeros(1, np.int64), np.cumsum(kept)])[targets.indptr]
    return csr_from_rows(indptr, targets.indices[kept], targets.data[kept], targets.shape[1])


def _parse_fast(data: bytes, findings: Findings) -> NDArray[np.int64] | None:
    """(pairs x 2) The numbers of whole lines; None where a line is not two numbers, or a number is long."""
    buffer = b"".join((bytes(PADDING - 1), b"\n", data, b"" if data.endswith(b"\n") else b"\n"))
    text = np.frombuffer(buffer, np.uint8)
    at = np.flatnonzero(text[PADDING - 1 :] - np.uint8(48) > 9) + (PADDING - 1)
    mark = text[at]
    lengths = np.diff(at) - 1  # of what stands before every mark but the first
    token = np.flatnonzero(lengths)
    a_line = np.diff(np.searchsorted(token + 1, np.flatnonzero(mark == NEWLINE), side="right"))
    plain = ((mark == SPACE) | (mark == TAB) | (mark == NEWLINE)).all() and (lengths <= 8).all()
    if not plain or not ((a_line == 2) | (a_line == 0)).all():
        return None
    if blank := int((a_line == 0).sum()):
        findings[BLANK_LINES] += blank
    return read_digits(buffer, at[token + 1], lengths[token]).astype(np.int64).reshape(-1, 2)


def _parse_lines(chunk: Chunk, path: Path, shape: tuple[int, int]) -> NDArray[np.int64]:
    """The same, line by line, with the place of what is wrong."""
    pairs = []
    limits = (("a document's row", shape[0]), ("a label", shape[1]))
    for number, line in chunk.lines():
        tokens = list(TOKEN.finditer(line))
        if tokens and len(tokens) != 2:
            found = f"{len(tokens)} words"
            raise InputError.at(path, line=number, found=found, expected="a document's row and a label")
        for token, (what, limit) in zip(tokens, limits, strict=False):
            digits = token[0].lstrip(b"0") or b"0"
            if not digits.isdigit() or len(digits) > 18 or int(digits) >= limit:
                found = shown(token[0].decode(errors="replace"))
                expected = f"{what}, a number from 0 and below {limit}"
                raise InputError.at(path, line=number, column=token.start() + 1, found=found, expected=expected)
        pairs += [[int(token[0]) for token in tokens]] if tokens else []
    return np.array(pairs, np.int64).reshape(-1, 2)
