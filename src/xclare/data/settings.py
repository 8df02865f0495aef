"""Settings of reading data (section `data`)."""

from __future__ import annotations

from dataclasses import dataclass

from xclare.data.split import parse_split
from xclare.errors import SettingError
from xclare.settings import check_choice


@dataclass(frozen=True)
class DataSettings:
    """How data is read: which fields and columns, and how a single file is split."""

    text_fields: tuple[str, ...] = ()
    """Fields (JSON keys, table columns) whose texts, joined by a space, are the text of a document and of a label.
    Empty: the first of `title`, `text`, `query`, `document`, `sentence` that is there."""

    id_field: str = ""
    """Field with the id of a document. Empty: the first of `uid`, `id`, `docid`, `doc_id` that is there, if any."""

    label_field: str = ""
    """Field with the labels of a document (records) or the label of a pair (logs), as ids or as texts. Empty: the first
    of `labels`, `tags`, `label`, `tag`, `label_ids`, `categories`, `category`, `item`, `target` that is there."""

    label_separator: str = "auto"
    """What stands between the labels in one cell of a table, as one or more characters. `auto`: a JSON list where the
    cell begins with `[`, else `|` where any cell holds one, else `;`, else the whole cell is one label."""

    weight_field: str = ""
    """Field of a log with the weight of a pair. Empty: the first of `weight`, `clicks`, `count` that is there,
    else all 1."""

    time_field: str = ""
    """Field with the time of a document or pair (a number, or ISO 8601). Empty: the first of `time`, `timestamp`,
    `date` that is there, if any. Only a split by time reads it; a document of a log has its earliest pair's time."""

    rows: str = "auto"
    """What a row of a table is: `documents`, each with a list of labels, or `pairs` of a text and one label (a log).
    `auto`: pairs where no row has several labels, and there is a column of weights or of times or the labels' column
    is called `label`, `tag`, `item`, `target` or `category`; else documents."""

    split: str = "hash:0.2"
    """How a single file is split into training and test documents: `none`, `hash:SHARE` (by a hash of
    the document's text: stable when documents are added), `time:SHARE` (the latest share is the test set),
    `time:MOMENT` (from then on)."""

    drop_reciprocal_training_pairs: bool = False
    """Remove the pairs of `filter_labels_train.txt` from the training targets. Off, as in the paper's data sets: they
    are only left out of predictions and truth when documents held out of training are scored."""

    def __post_init__(self) -> None:
        parse_split(self.split)
        check_choice("data.rows", self.rows, ("auto", "documents", "pairs"))
        if not self.label_separator:
            raise SettingError("data.label_separator is empty: expected `auto` or the characters between two labels.")
