"""The labels' own file: a table with ids and texts, or plain lines of text."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from xclare.data.dataset import MAIN_FIELDS, Items, Labels, main_fields
from xclare.data.files import Findings, decode, read_chunks
from xclare.data.formats.columns import Column, Values
from xclare.data.formats.tables import Table, kind_of_table, read_table
from xclare.data.label_index import repeated
from xclare.data.settings import DataSettings
from xclare.errors import shown
from xclare.progress import SILENT, Progress
from xclare.strings import Strings

LABEL_ID = "id"
LABEL_ID_NAMES = (LABEL_ID, "uid", "label_id")
LABEL_TEXT_NAMES = ("label", "name")
"""Texts of labels where neither a setting nor one of the names that documents use tells."""
LEFT_OUT = "columns that hold no text, not kept"


def read_labels(path: Path, settings: DataSettings, findings: Findings, progress: Progress = SILENT) -> Labels:
    """The label set of a file of its own: a table with an id, texts, or both; or plain lines, one label text each."""
    wanted = settings.text_fields
    known = {*wanted, *MAIN_FIELDS, *LABEL_TEXT_NAMES, *LABEL_ID_NAMES, settings.id_field}
    kind = kind_of_table(path, known, sure=True)
    if kind is None:
        texts = _lines_of(path, findings, progress)
        return Labels(len(texts), None, {"title": texts}, ("title",))
    table = read_table(path, kind, findings, progress)
    name = next((name for name in (settings.id_field, *LABEL_ID_NAMES) if name and name in table.columns), None)
    ids = None if name is None else table.ids(name)
    if ids is not None and name is not None and len(set(ids)) < len(ids):
        _, second = repeated(ids)
        raise table.refuse(second, name, found=f"{shown(ids[second])} for the second time", expected="ids that differ")
    fields = text_columns(table, {name}, findings)
    return Labels(len(table), ids, fields, _text_fields(fields, wanted))


def _text_fields(there: Iterable[str], wanted: tuple[str, ...]) -> tuple[str, ...]:
    """Those wanted that are there, else the first well-known one."""
    present = list(there)
    chosen = tuple(name for name in wanted if name in present) or main_fields(present, ())
    return chosen or tuple([name for name in LABEL_TEXT_NAMES if name in present][:1])


def text_columns(table: Table, skip: Iterable[str | None], findings: Findings) -> dict[str, Strings]:
    """All columns of texts but those to skip; others cannot be kept, and are counted."""
    left = {name: column for name, column in table.columns.items() if name not in set(skip)}
    if others := sum(not column.is_text for column in left.values()):
        findings[LEFT_OUT] += others
    return {name: table.texts(name, findings) for name, column in left.items() if column.is_text}


def _lines_of(path: Path, findings: Findings, progress: Progress) -> Strings:
    parts = [
        Strings.of(decode(chunk.data, path, chunk.first_line).removesuffix("\n").split("\n"))
        for chunk in read_chunks(path, findings, progress)
    ]
    return Strings.joined(parts) if parts else Strings.empty()


def label_columns(labels: Labels) -> tuple[Values, dict[str, Column], list[str]]:
    """How each label is named in the documents' files (by its id, else by its row number), the columns of the labels'
    file, and a sentence for everything that these cannot carry."""
    rows, ids = np.arange(labels.count), labels.ids
    lost = []
    if ids is not None and len(set(ids)) < labels.count:
        ids = None
        lost.append("The labels' ids are not carried: some of them are equal. Row numbers stand for labels.")
    reserved = LABEL_ID_NAMES if ids is None else (LABEL_ID,)
    fields, sentences = carried_fields(labels, "labels", reserved)
    if ids is None and not fields:
        lost.append("The labels have neither ids nor texts: their row numbers are written as ids.")
        ids = Strings.of(list(map(str, rows.tolist())))
    if labels.features is not None:
        lost.append("The labels' ready-made features are not carried.")
    if _text_fields(fields, ()) != labels.text_fields and fields:
        lost.append(text_fields_note("labels", labels))
    columns = {} if ids is None else {LABEL_ID: Column(ids)}
    return (rows if ids is None else ids), {**columns, **fields}, lost + sentences


def carried_fields(items: Items, what: str, reserved: Iterable[str]) -> tuple[dict[str, Column], list[str]]:
    """The fields as columns, and a sentence for those whose name means something else in this layout."""
    names = set(reserved)
    lost = [
        f"The field {shown(name)} of the {what} is not carried: a column of this name is read as something else."
        for name in items.fields
        if name in names
    ]
    return {name: Column(texts) for name, texts in items.fields.items() if name not in names}, lost


def text_fields_note(what: str, items: Items) -> str:
    """How to read the same text again."""
    chosen = ",".join(items.text_fields) or "(none)"
    return (
        f"Which fields are the text of the {what} is not carried: to read them again, set data.text_fields to {chosen}."
    )
