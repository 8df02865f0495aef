"""Which column of a table is what: text, id, labels, weight, time. By the settings, else by well-known names."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from xclare.data.dataset import MAIN_FIELDS, main_fields
from xclare.data.formats.tables import Table, missing_column
from xclare.data.settings import DataSettings

ID_NAMES = ("uid", "id", "docid", "doc_id")
LABEL_NAMES = ("labels", "tags", "label", "tag", "label_ids", "categories", "category", "item", "target")
ONE_LABEL_NAMES = ("label", "tag", "item", "target", "category")
WEIGHT_NAMES = ("weight", "clicks", "count")
TIME_NAMES = ("time", "timestamp", "date")


@dataclass(frozen=True)
class Roles:
    """The columns of a table by what they are for; empty where there is none."""

    texts: tuple[str, ...]
    labels: str
    id: str
    weight: str
    time: str

    @classmethod
    def of(cls, table: Table, settings: DataSettings) -> Roles:
        """Finds the columns; refuses a table without text or labels, or without a column that the settings name."""
        there = list(table.columns)
        texts = main_fields(there, settings.text_fields)
        for name in texts or MAIN_FIELDS[:1]:
            if name not in table.columns:
                wanted = settings.text_fields or MAIN_FIELDS
                raise missing_column(table, wanted, "the text of a document", "data.text_fields")
        labels = find(there, settings.label_field, LABEL_NAMES, texts)
        if not labels:
            wanted = (settings.label_field,) if settings.label_field else LABEL_NAMES
            raise missing_column(table, wanted, "the labels", "data.label_field")
        taken = (*texts, labels)
        found = {}
        for role, wanted_name, names in (
            ("id", settings.id_field, ID_NAMES),
            ("weight", settings.weight_field, WEIGHT_NAMES),
            ("time", settings.time_field, TIME_NAMES),
        ):
            found[role] = find(there, wanted_name, names, taken)
            if wanted_name and not found[role]:
                raise missing_column(table, (wanted_name,), f"the {role}", f"data.{role}_field")
        return cls(texts, labels, found["id"], found["weight"], found["time"])


def find(there: Collection[str], wanted: str, known: Iterable[str], taken: Collection[str] = ()) -> str:
    """The column wanted, else the first known one that is not taken; empty where there is none."""
    if wanted:
        return wanted if wanted in there else ""
    return next((name for name in known if name in there and name not in taken), "")


def known_names(settings: DataSettings) -> set[str]:
    """All column names that say what a table is."""
    wanted = (settings.id_field, settings.label_field, settings.weight_field, settings.time_field)
    well_known = (*MAIN_FIELDS, *ID_NAMES, *LABEL_NAMES, *WEIGHT_NAMES, *TIME_NAMES)
    return {name for name in (*settings.text_fields, *wanted, *well_known) if name}
