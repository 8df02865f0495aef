"""From the names of labels in a file or a list (ids, texts, or row numbers) to rows of the label set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xclare.data.dataset import Labels
from xclare.data.files import Findings
from xclare.errors import InputError, shown
from xclare.strings import Strings

NO_TEXTS = "numbered labels without a file of labels: their numbers are kept as ids, texts they have none"


class Index(dict[str, int]):
    """Numbers strings in the order in which they are first asked for."""

    def __missing__(self, string: str) -> int:
        self[string] = number = len(self)
        return number

    def number(self, strings: Iterable[str], count: int) -> NDArray[np.int64]:
        """The number of every string; new ones get the next."""
        return np.fromiter(map(self.__getitem__, strings), np.int64, count)


Refuse = Callable[..., InputError]
"""Makes the error for an entry: `refuse(position, found=…, expected=…, hint=…)`."""


@dataclass(frozen=True)
class Mentions:
    """Labels as something names them, and how to say that one of them is wrong."""

    values: Strings | NDArray[np.int64]
    refuse: Refuse
    typed: bool = True
    """Whether texts are surely texts. In the cells of a CSV file digits may also be a number."""

    def __len__(self) -> int:
        return len(self.values)


def resolve(
    mentions: Sequence[Mentions], labels: Labels | None, findings: Findings, source: str = "the file of labels"
) -> tuple[Labels, list[NDArray[np.int64]]]:
    """The label set, and the row of every mention.

    With `labels`: all are ids where the labels have ids; else numbers are rows, and texts are the texts of labels.
    Without: texts are the labels' own, in the order in which they come up; numbers become ids, in ascending order."""
    if labels is not None and labels.ids is not None:
        return labels, _rows_by_name(mentions, labels.ids, "id", source)
    mentions = _numbers_if_all_are(mentions)
    numbered = _are_numbers(mentions)
    if labels is not None:
        if numbered:
            return labels, [_checked_rows(mention, labels.count, source) for mention in mentions]
        return labels, _rows_by_name(mentions, labels.texts, "text", source)
    if numbered:
        findings[NO_TEXTS] += 1
        return _collected_numbers(mentions)
    index = Index()
    rows = [index.number(mention.values, len(mention)) for mention in mentions]
    return Labels(len(index), None, {"title": Strings.of(index)}, ("title",)), rows


def _are_numbers(mentions: Sequence[Mentions]) -> bool:
    """Whether all mentions are numbers, and not texts; refuses a mixture."""
    numbered: bool | None = None
    for mention in mentions:
        is_numbers = not isinstance(mention.values, Strings)
        if len(mention) and numbered not in (None, is_numbers):
            first = mention.values[0]
            kinds = ("a number", "a text")[:: 1 if numbered else -1]
            raise mention.refuse(
                0, found=f"the label {shown(_plain(first))}", expected=f"{kinds[0]}, as for the labels before"
            )
        numbered = is_numbers if len(mention) else numbered
    return bool(numbered)


def _numbers_if_all_are(mentions: Sequence[Mentions]) -> Sequence[Mentions]:
    """Untyped texts as numbers, where all of them are whole numbers in their shortest form."""
    texts = [mention.values for mention in mentions if isinstance(mention.values, Strings) and len(mention)]
    if any(mention.typed for mention in mentions if len(mention)) or not all(map(_whole_numbers, texts)):
        return mentions
    return [
        Mentions(np.fromiter(map(int, mention.values), np.int64, len(mention)), mention.refuse) for mention in mentions
    ]


def _whole_numbers(texts: Strings) -> bool:
    """Whether every text is `0` or digits without a leading zero, few enough for 64 bits."""
    lengths = texts.lengths
    digits = bool(((texts.blob >= ord("0")) & (texts.blob <= ord("9"))).all())
    if not digits or lengths.min() == 0 or lengths.max() > 18:
        return False
    return not bool(((texts.blob[texts.offsets[:-1]] == ord("0")) & (lengths > 1)).any())


def _rows_by_name(mentions: Sequence[Mentions], names: Strings, what: str, source: str) -> list[NDArray[np.int64]]:
    """Looks every mention up among the labels' ids or texts."""
    index = dict(zip(names, range(len(names)), strict=True))
    row_of_name = np.fromiter(map(index.__getitem__, names), np.int64, len(names))
    ambiguous = np.unique(row_of_name[row_of_name != np.arange(len(names))])
    rows = []
    for mention in mentions:
        texts = mention.values if isinstance(mention.values, Strings) else map(str, mention.values.tolist())
        row = np.fromiter(map(index.get, texts, repeat(-1)), np.int64, len(mention))
        for wrong, expected in (
            (row < 0, f"the {what} of a label in {source}"),
            (np.isin(row, ambiguous), f"a {what} that only one label in {source} has"),
        ):
            if wrong.any():
                position = int(wrong.argmax())
                found = f"the label {shown(_plain(mention.values[position]))}"
                raise mention.refuse(position, found=found, expected=expected)
        rows.append(row)
    return rows


def _checked_rows(mention: Mentions, count: int, source: str) -> NDArray[np.int64]:
    numbers = _numbers_of(mention)
    wrong = (numbers < 0) | (numbers >= count)
    if wrong.any():
        position = int(wrong.argmax())
        bounds = f", 0 to {count - 1}" if count else ", which is empty"
        raise mention.refuse(position, found=str(numbers[position]), expected=f"a row of {source}{bounds}")
    return numbers


def _numbers_of(mention: Mentions) -> NDArray[np.int64]:
    """The numbers mentioned; where nothing is, the kind of nothing does not matter."""
    return np.empty(0, np.int64) if isinstance(mention.values, Strings) else mention.values


def _collected_numbers(mentions: Sequence[Mentions]) -> tuple[Labels, list[NDArray[np.int64]]]:
    numbers = [_numbers_of(mention) for mention in mentions]
    distinct = np.unique(np.concatenate(numbers))
    ids = Strings.of(list(map(str, distinct.tolist())))
    return Labels(len(distinct), ids), [np.searchsorted(distinct, number) for number in numbers]


def repeated(strings: Strings) -> tuple[int, int]:
    """The positions of the first string that came before, and where it did."""
    first: dict[str, int] = {}
    for position, string in enumerate(strings):
        if first.setdefault(string, position) < position:
            return first[string], position
    raise ValueError("no string is repeated")


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
