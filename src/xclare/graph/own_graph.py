"""A graph of one's own: a saved sparse matrix, or a list of edges with label ids or texts."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np

from xclare.data.dataset import Labels
from xclare.data.files import Findings, open_binary
from xclare.data.formats.npz import read_csr
from xclare.data.formats.tables import Table, kind_of_table, read_table
from xclare.data.label_index import Mentions, resolve
from xclare.errors import InputError
from xclare.progress import SILENT, Progress
from xclare.sparse import Csr, csr_from_pairs

SOURCES = ("source", "from", "label", "label_1", "a")
TARGETS = ("target", "to", "neighbour", "neighbor", "label_2", "b")
WEIGHTS = ("weight", "count", "score")
ZIP_MAGIC = b"PK"


def read_own_graph(path: str | Path, labels: Labels, progress: Progress = SILENT) -> Csr:
    """(labels x labels) Edges from a csr (`.npz`, by `scipy.sparse.save_npz`), or from a table (CSV, TSV, JSON lines,
    Parquet) with a column `source`, a column `target` and perhaps a column `weight`: ids, texts or row numbers of
    labels. An edge leads one way; weights of an edge named twice are added."""
    source = Path(path)
    with open_binary(source) as file:
        is_matrix = file.read(len(ZIP_MAGIC)) == ZIP_MAGIC
    graph = read_csr(source) if is_matrix else _edges(source, labels, progress)
    if graph.shape != (len(labels), len(labels)):
        raise InputError(f"{path} has the shape {graph.shape}: expected labels x labels, {(len(labels), len(labels))}.")
    if graph.nnz and float(graph.data.min()) < 0:
        raise InputError(f"{path} holds a negative weight: expected weights of at least 0.")
    return graph


def _edges(path: Path, labels: Labels, progress: Progress) -> Csr:
    kind = kind_of_table(path, {*SOURCES, *TARGETS, *WEIGHTS})
    if kind is None:
        raise InputError(f"{path} is no table: expected a sparse matrix (.npz), or columns `source` and `target`.")
    table = read_table(path, kind, Findings(), progress)
    ends = [_mentions(table, names) for names in (SOURCES, TARGETS)]
    _, rows = resolve(ends, _named_as(labels, ends), Findings(), "the data set")
    name = next((name for name in WEIGHTS if name in table.columns), None)
    weights = np.ones(len(table)) if name is None else table.numbers(name, "the weight of an edge")
    source, target = rows
    return csr_from_pairs(source, target, (len(labels), len(labels)), weights)


def _mentions(table: Table, names: tuple[str, ...]) -> Mentions:
    name = next((name for name in names if name in table.columns), None)
    if name is None:
        there = ", ".join(table.columns) or "no columns"
        raise InputError.at(table.path, found=f"the columns {there}", expected=f"one end of an edge in one of {names}")
    column = table.scalars(name, "a label")

    def refuse(position: int, *, found: str, expected: str, hint: str = "") -> InputError:
        return table.refuse(position, name, found=found, expected=expected, hint=hint)

    return Mentions(column.values, refuse, typed=table.has_types)


def _named_as(labels: Labels, ends: list[Mentions]) -> Labels:
    """The labels as the edges name them: by their ids where the first edge's end is one, else by their texts."""
    if labels.ids is None or not len(ends[0]) or str(ends[0].values[0]) in set(labels.ids):
        return labels
    return dataclasses.replace(labels, ids=None)
