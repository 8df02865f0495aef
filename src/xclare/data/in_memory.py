"""Data that is given as Python lists or arrays: checked, with errors that name the argument and the position."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xclare.data.dataset import Labels
from xclare.data.formats.columns import offsets_of
from xclare.data.label_index import Mentions, Refuse
from xclare.errors import InputError, shown
from xclare.strings import Strings

TITLE = "title"
"""The field that texts given in memory go to."""


def refuse_in(argument: str) -> Refuse:
    """Makes errors about one position of an argument."""

    def refuse(position: int, *, found: str, expected: str, hint: str = "") -> InputError:
        return InputError.at(f"{argument}[{position}]", found=found, expected=expected, hint=hint)

    return refuse


def text_column(argument: str, texts: Sequence[str]) -> Strings:
    """Texts, packed; refuses what is no text."""
    if isinstance(texts, (str, bytes)):
        raise InputError.at(argument, found="one text", expected="a list of texts")
    rows = texts if isinstance(texts, Strings) else list(texts)
    try:
        return Strings.of(rows)
    except (TypeError, UnicodeEncodeError):
        pass
    position = next(i for i, text in enumerate(rows) if not _can_be_packed(text))
    wrong = rows[position]
    if isinstance(wrong, str):
        raise refuse_in(argument)(
            position, found=f"half a surrogate pair in {shown(wrong)}", expected="whole characters"
        )
    raise refuse_in(argument)(position, found=shown(wrong), expected="a text (str)")


def label_set(label_texts: Sequence[str] | None) -> Labels | None:
    """The labels that `label_texts` names, if given."""
    if label_texts is None:
        return None
    texts = text_column("label_texts", label_texts)
    return Labels(len(texts), None, {TITLE: texts}, (TITLE,))


def check_length(argument: str, values: Sequence[Any] | NDArray[Any], count: int, of: str) -> None:
    """Refuses an argument that has not one entry for each of another."""
    if len(values) != count:
        raise InputError.at(argument, found=f"{len(values)} entries", expected=f"{count}, one for each of {of}")


def listed_mentions(
    argument: str, lists: Sequence[Iterable[int | str]] | None, count: int, of: str
) -> tuple[NDArray[np.int64], Mentions]:
    """Where the list of every document begins and ends, and all labels, one list after the other."""
    if lists is None:
        raise InputError.at(argument, found="nothing", expected=f"a list of labels for each of {of}")
    check_length(argument, lists, count, of)
    rows = [row if type(row) is list else _listed(argument, position, row) for position, row in enumerate(lists)]
    offsets = offsets_of(np.fromiter(map(len, rows), np.int64, len(rows)))

    def refuse(position: int, **message: str) -> InputError:
        return refuse_in(argument)(int(np.searchsorted(offsets, position, side="right")) - 1, **message)

    return offsets, mentions_of(list(chain.from_iterable(rows)), refuse)


def _listed(argument: str, position: int, row: Iterable[int | str]) -> list[int | str]:
    if isinstance(row, Iterable) and not isinstance(row, (str, bytes)):
        return list(row)
    hint = f"A document with one label has a list of one: [{shown(row)}]."
    raise refuse_in(argument)(position, found=shown(row), expected="a list of labels", hint=hint)


def mentions_of(labels: Sequence[int | str] | NDArray[Any], refuse: Refuse) -> Mentions:
    """Labels in memory: all numbers, or all texts."""
    if isinstance(labels, np.ndarray):
        if labels.dtype.kind in "iu":
            return Mentions(labels.astype(np.int64), refuse)
        labels = labels.tolist()
    kinds = set(map(type, labels))
    if all(issubclass(kind, str) for kind in kinds):
        return Mentions(_texts(labels, refuse), refuse)
    if all(issubclass(kind, (int, np.integer)) and kind is not bool for kind in kinds):
        try:
            return Mentions(np.fromiter(labels, np.int64, len(labels)), refuse)
        except OverflowError:
            position = next(i for i, label in enumerate(labels) if not -(2**63) <= int(label) < 2**63)
            raise refuse(position, found=shown(labels[position]), expected="a number of at most 64 bits") from None
    is_text = isinstance(labels[0], str)
    for position, label in enumerate(labels):
        if (
            isinstance(label, str) is not is_text
            or isinstance(label, bool)
            or not isinstance(label, (str, int, np.integer))
        ):
            expected = "a text, as for the labels before" if is_text else "a whole number, as for the labels before"
            expected = expected if position else "a text or a whole number"
            raise refuse(position, found=shown(label), expected=expected)
    raise AssertionError("the labels are neither of one kind nor of several")


def _texts(labels: Any, refuse: Refuse) -> Strings:
    try:
        return Strings.of(list(labels))
    except UnicodeEncodeError:
        position = next(i for i, label in enumerate(labels) if not _can_be_packed(label))
        found = f"half a surrogate pair in {shown(labels[position])}"
        raise refuse(position, found=found, expected="whole characters") from None


def _can_be_packed(text: Any) -> bool:
    try:
        Strings.of([text])
    except (TypeError, UnicodeEncodeError):
        return False
    return True
