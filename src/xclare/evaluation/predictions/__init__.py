"""Predictions of any system as files: read from what others write, written for others to read.

    npz    a sparse matrix (documents x labels) as `scipy.sparse.save_npz` writes it
    jsonl  a line a document: {"text": …, "predictions": [{"id": …, "label": …, "score": …}, …]}
    trec   a line a prediction: document Q0 label rank score tag; documents without predictions have no line

In every format a stored pair is a prediction, and its score alone decides its rank. The format of a file is seen from
its content; any may be gzipped."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from xclare.data.dataset import Documents
from xclare.data.files import BYTE_ORDER_MARK, open_binary
from xclare.errors import InputError
from xclare.evaluation.hits import as_scores, canonical, checked
from xclare.evaluation.predictions.jsonl import read_jsonl, write_jsonl
from xclare.evaluation.predictions.npz import read_npz, write_npz
from xclare.evaluation.predictions.trec import read_trec, write_trec
from xclare.progress import SILENT, Progress
from xclare.sparse import Csr

_WRITERS = {"npz": write_npz, "jsonl": write_jsonl, "trec": write_trec}
FORMATS = tuple(_WRITERS)

_SUFFIXES = {".npz": "npz", ".jsonl": "jsonl", ".json": "jsonl", ".ndjson": "jsonl", ".trec": "trec", ".run": "trec"}


def read_predictions(path: str | Path, documents: Documents, progress: Progress = SILENT) -> Csr:
    """The predictions in a file as a canonical csr (documents x labels), scores in the precision they were written
    in: float64 from text."""
    source = Path(path)
    head = _head(source)
    if head.startswith(b"PK"):
        return read_npz(source, documents)
    start = head.removeprefix(BYTE_ORDER_MARK).lstrip()
    if not start and documents.count:
        raise InputError.at(source, found="no content", expected="predictions (npz, JSON lines, or a TREC run)")
    return read_jsonl(source, documents, progress) if start[:1] == b"{" else read_trec(source, documents, progress)


def write_predictions(path: str | Path, predictions: Any, documents: Documents, format: str) -> None:  # noqa: A002
    """Writes predictions, a scipy sparse matrix (documents x labels), as `npz`, `jsonl` or `trec`; gzipped where the
    name ends in `.gz`. The file appears whole or not at all."""
    if format not in _WRITERS:
        raise InputError(f"format = {format!r}: expected one of {', '.join(FORMATS)}.")
    csr = canonical(checked(predictions, (documents.count, documents.labels.count)))
    csr = csr_array((as_scores(csr.data), csr.indices, csr.indptr), shape=csr.shape)
    if np.isnan(csr.data).any():
        raise InputError(f"{path} was not written: a score is NaN. Leave such predictions out.")
    _WRITERS[format](Path(path), csr, documents)


def format_of(path: str | Path) -> str:
    """The format that a name to write to asks for; `.gz` behind it changes nothing."""
    name = Path(path).name.lower().removesuffix(".gz")
    format = _SUFFIXES.get(Path(name).suffix)  # noqa: A001
    if format is None:
        raise InputError(f"{path}: expected a name that ends in {', '.join(_SUFFIXES)} (or one of these and .gz).")
    return format


def _head(path: Path) -> bytes:
    """The first bytes of the content."""
    with open_binary(path) as file:
        try:
            return file.read(4096)
        except (EOFError, OSError, zlib.error) as error:
            raise InputError(f"{path} cannot be read ({error}). Copy or download it again.") from error
