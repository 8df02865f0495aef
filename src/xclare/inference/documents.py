"""What a model is asked about: texts from lines, tables or standard input, or rows of features."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from xclare.data.dataset import MAIN_FIELDS, Documents, Labels, main_fields
from xclare.data.files import BYTE_ORDER_MARK, decode, open_binary
from xclare.data.formats.npz import read_csr
from xclare.data.formats.tables import kind_of_table, missing_column, read_table
from xclare.data.roles import ID_NAMES, find
from xclare.data.settings import DataSettings
from xclare.errors import InputError
from xclare.inference.model_folder import SavedModel
from xclare.progress import SILENT, Progress
from xclare.sparse import Csr
from xclare.strings import Strings

log = logging.getLogger(__name__)

ZIP_MAGIC = b"PK"


def labels_of(model: SavedModel) -> Labels:
    """The labels of a model."""
    texts = {} if model.label_texts is None else {"title": model.label_texts}
    return Labels(count=model.labels, ids=model.label_ids, fields=texts, text_fields=tuple(texts))


def documents_from_texts(texts: Sequence[str] | Strings, model: SavedModel, ids: Strings | None = None) -> Documents:
    """Documents to predict for, without known labels."""
    column = Strings.of(texts)
    return Documents(
        count=len(column),
        ids=ids,
        fields={"text": column},
        text_fields=("text",),
        targets=csr_array((len(column), model.labels), dtype=np.float32),
        labels=labels_of(model),
    )


def read_documents(
    source: Path | None, stdin: IO[bytes], model: SavedModel, settings: DataSettings, progress: Progress = SILENT
) -> Documents:
    """The documents of a file: a csr of features (`.npz`), a table with a column of texts (JSON lines, CSV, TSV,
    Parquet), or lines of text. Without a file: lines from standard input."""
    if source is None:
        return documents_from_texts(_lines(stdin.read(), "standard input"), model)
    with open_binary(source) as file:
        is_matrix = file.read(len(ZIP_MAGIC)) == ZIP_MAGIC
    if is_matrix:
        return _from_features(read_csr(source), model)
    kind = kind_of_table(source, {*MAIN_FIELDS, *settings.text_fields, *ID_NAMES})
    if kind is None:
        with open_binary(source) as file:
            return documents_from_texts(_lines(file.read(), str(source)), model)
    table, findings = read_table(source, kind, Counter(), progress), Counter[str]()
    names = main_fields(table.columns, settings.text_fields)
    for name in names or MAIN_FIELDS[:1]:
        if name not in table.columns:
            raise missing_column(table, settings.text_fields or MAIN_FIELDS, "the text", "data.text_fields")
    id_name = find(list(table.columns), settings.id_field, ID_NAMES, names)
    columns = [table.texts(name, findings) for name in names]
    texts = (
        columns[0]
        if len(columns) == 1
        else Strings.of(" ".join(filter(None, row)) for row in zip(*columns, strict=True))
    )
    for what, count in findings.items():
        log.info("%s: %d", what, count)
    return documents_from_texts(texts, model, table.ids(id_name) if id_name else None)


def rows_of_labels(names: Iterable[str], model: SavedModel, source: str | Path) -> NDArray[np.int64]:
    """The labels that lines name by text or id, all of them where several have the same; by number where labels have
    no ids. An unknown one is refused."""
    wanted = list(names)
    places = [_places(column, set(wanted)) for column in (model.label_texts, model.label_ids) if column is not None]
    if model.label_ids is None:
        places.append({str(row): [row] for row in range(model.labels)} if wanted else {})
    rows: list[int] = []
    for number, name in enumerate(wanted, 1):
        found = next((part[name] for part in places if name in part), None)
        if found is None:
            raise InputError.at(
                source, line=number, found=repr(name), expected="the text or id of a label of the model"
            )
        rows += found
    return np.array(rows, np.int64)


def _places(column: Strings, wanted: set[str]) -> dict[str, list[int]]:
    """The rows of wanted names."""
    places: dict[str, list[int]] = {}
    for row, name in enumerate(column):
        if name and name in wanted:
            places.setdefault(name, []).append(row)
    return places


def read_label_rows(source: Path, model: SavedModel) -> NDArray[np.int64]:
    """The labels named in a file, a line each."""
    with open_binary(source) as file:
        return rows_of_labels(_lines(file.read(), str(source)), model, source)


def _from_features(features: Csr, model: SavedModel) -> Documents:
    targets = csr_array((features.shape[0], model.labels), dtype=np.float32)
    return Documents(count=features.shape[0], features=features, targets=targets, labels=labels_of(model))


def _lines(data: bytes, source: str) -> list[str]:
    """The lines of UTF-8 text, without their ends."""
    lines = data.removeprefix(BYTE_ORDER_MARK).split(b"\n")
    if lines and not lines[-1]:
        lines.pop()
    return [decode(line.removesuffix(b"\r"), source, number) for number, line in enumerate(lines, 1)]
