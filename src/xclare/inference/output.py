"""Predictions written for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from xclare.data.dataset import Documents
from xclare.errors import InputError
from xclare.evaluation.predictions import FORMATS
from xclare.inference.predictor import Predictor, ranked_row
from xclare.sparse import Csr


def check_output(format: str, out: Path | None) -> None:  # noqa: A002
    """Refuses a format that is unknown, or that needs a file."""
    if format not in ("text", *FORMATS):
        raise InputError(f"--format {format}: expected one of text, {', '.join(FORMATS)}.")
    if out is None and format not in ("text", "jsonl"):
        raise InputError(f"--format {format} needs a file: name it with --out FILE.")


def text_lines(predictor: Predictor, documents: Documents, scores: Csr) -> Iterator[str]:
    """For every document its text on a line, then a line for every label: score, tab, label."""
    for row in range(documents.count):
        yield documents.name_of(row)
        yield from (f"  {score:.4f}\t{predictor.name_of(label)}" for label, score in ranked_row(scores, row))
