"""Splitting one file of documents into training and test set: by a hash of the text, or by time."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from xclare.errors import InputError, SettingError
from xclare.strings import ROWS_AT_ONCE

if TYPE_CHECKING:
    from xclare.data.dataset import Documents

HASH_BYTES = 4
HASH_RANGE = 2**32


@dataclass(frozen=True)
class Split:
    """A parsed `data.split`."""

    by: Literal["none", "hash", "time"]
    share: float | None = None
    """Share of the documents that go to the test set."""
    moment: float | None = None
    """Documents of this time (seconds since 1970, UTC) or later go to the test set."""


def parse_split(text: str) -> Split:
    """Reads `none`, `hash:SHARE`, `time:SHARE` or `time:MOMENT`."""
    by, _, value = text.partition(":")
    if by == "none" and not value:
        return Split("none")
    if by in ("hash", "time"):
        share = _share(value)
        if share is not None:
            return Split("hash" if by == "hash" else "time", share=share)
        if by == "time" and value:
            try:
                return Split("time", moment=parse_time(value))
            except ValueError:
                pass
    raise SettingError(
        f"data.split = {text!r}: expected `none`, `hash:SHARE` or `time:SHARE` with a share between 0 and 1, or "
        "`time:MOMENT` with an ISO 8601 date or a number; for instance `hash:0.2` or `time:2024-01-31`."
    )


def _share(value: str) -> float | None:
    try:
        share = float(value)
    except ValueError:
        return None
    return share if 0 < share < 1 else None


def parse_time(value: str | float) -> float:
    """A number as it stands, or an ISO 8601 date or time as seconds since 1970 (UTC where it names no zone)."""
    try:
        number = float(value)
    except ValueError:
        moment = datetime.fromisoformat(str(value).strip())
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    if not math.isfinite(number):
        raise ValueError(f"not a time: {value!r}")
    return number


def hash_of_text(text: str) -> int:
    """A hash in [0, 2^32) that depends on nothing but the text: the same in every process, version and machine."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=HASH_BYTES).digest(), "little")


def hashes_of_texts(texts: Iterable[str]) -> NDArray[np.uint32]:
    """`hash_of_text` of every text."""
    blake2b = hashlib.blake2b
    rows, parts = iter(texts), [b""]
    while part := list(islice(rows, ROWS_AT_ONCE)):
        parts.append(b"".join([blake2b(text.encode(), digest_size=HASH_BYTES).digest() for text in part]))
    return np.frombuffer(b"".join(parts), "<u4").astype(np.uint32, copy=False)


def test_mask(split: Split, texts: Iterable[str], times: NDArray[np.float64] | None, source: str) -> NDArray[np.bool_]:
    """True where a document goes to the test set. Documents of equal text always go to the same side of a hash split;
    documents of equal time to the same side of a split by time. `source` names the data in an error."""
    if split.by == "hash":
        assert split.share is not None
        return hashes_of_texts(texts) < round(split.share * HASH_RANGE)
    if split.by == "none":
        return np.fromiter((False for _ in texts), bool)
    if times is None:
        raise InputError(
            f"{source}: data.split asks for a split by time, but there is no column or argument with times. "
            "Name the column with --set data.time_field=COLUMN, or split by hash:SHARE."
        )
    if split.moment is not None:
        return times >= split.moment
    assert split.share is not None
    return times > np.quantile(times, 1 - split.share, method="lower") if len(times) else np.zeros(0, bool)


def split_documents(
    documents: Documents, split: Split, times: NDArray[np.float64] | None, source: str
) -> tuple[Documents, Documents | None]:
    """The training and the test documents, each in their order; no test documents where nothing is to be split."""
    if split.by == "none":
        return documents, None
    mask = test_mask(split, documents.texts, times, source)
    return documents.take(~mask), documents.take(mask)
