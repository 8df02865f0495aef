from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from xclare.data import split as splitting
from xclare.data.dataset import Dataset
from xclare.data.split import Split, hash_of_text, hashes_of_texts, parse_split, parse_time
from xclare.errors import InputError, SettingError
from xclare.strings import Strings


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("none", Split("none")),
        ("hash:0.2", Split("hash", share=0.2)),
        ("time:0.25", Split("time", share=0.25)),
        ("time:1700000000", Split("time", moment=1.7e9)),
        ("time:2024-01-31", Split("time", moment=datetime(2024, 1, 31, tzinfo=UTC).timestamp())),
        ("time:2024-01-31T12:00:00+02:00", Split("time", moment=datetime(2024, 1, 31, 10, tzinfo=UTC).timestamp())),
    ],
)
def test_a_split_is_read(text, expected):
    assert parse_split(text) == expected


@pytest.mark.parametrize("text", ["", "hash", "hash:", "hash:0", "hash:1", "hash:x", "hash:nan", "time:", "time:soon",
                                  "none:0.2", "time:inf", "random:0.2"])  # fmt: skip
def test_anything_else_is_refused_with_an_example(text):
    with pytest.raises(SettingError, match=r"for instance `hash:0.2` or `time:2024-01-31`"):
        parse_split(text)


def test_a_time_is_a_number_or_a_date():
    assert parse_time("12.5") == 12.5
    assert parse_time(7) == 7
    assert parse_time("1970-01-02") == 86400
    assert parse_time(" 1970-01-01T00:00:01Z ") == 1
    for wrong in ("", "nan", "inf", "yesterday", "2024-02-30"):
        with pytest.raises(ValueError):  # noqa: PT011 - any message will do, the caller writes its own
            parse_time(wrong)


def test_the_hash_of_a_text_never_changes():
    """Against `printf %s TEXT | b2sum -l 32`; a change would move documents between the sets of everybody."""
    digests = ["1271cf25", "dca2e0b1", "954544c2"]
    expected = [int.from_bytes(bytes.fromhex(digest), "little") for digest in digests]
    assert [hash_of_text(text) for text in ("", "tibetan terrier", "é")] == expected
    code = "from xclare.data.split import hash_of_text; print(hash_of_text('tibetan terrier'))"
    again = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert again.stdout == f"{expected[1]}\n"


@given(st.lists(st.text(max_size=5), max_size=20))
def test_many_hashes_are_those_of_each_text(texts):
    expected = [hash_of_text(text) for text in texts]
    assert hashes_of_texts(texts).tolist() == expected
    assert hashes_of_texts(Strings.of(texts)).tolist() == expected


@given(st.lists(st.text(max_size=5)), st.lists(st.text(max_size=5)), st.floats(0.01, 0.99))
def test_a_hash_split_is_stable_when_documents_are_added(texts, more, share):
    before = splitting.test_mask(Split("hash", share=share), texts, None, "data")
    mixed = more[::2] + texts + more[1::2]
    after = splitting.test_mask(Split("hash", share=share), mixed, None, "data")
    start = len(more[::2])
    assert after[start : start + len(texts)].tolist() == before.tolist()
    sides = dict(zip(mixed, after.tolist(), strict=True))
    assert [sides[text] for text in mixed] == after.tolist()


@given(st.lists(st.text(max_size=5)), st.floats(0.01, 0.98))
def test_a_larger_share_of_a_hash_split_holds_the_smaller(texts, share):
    small = splitting.test_mask(Split("hash", share=share), texts, None, "data")
    large = splitting.test_mask(Split("hash", share=share + 0.01), texts, None, "data")
    assert (large | ~small).all()


def test_a_hash_split_has_about_the_share_asked_for():
    texts = [f"document {i}" for i in range(20_000)]
    for share in (0.1, 0.2, 0.5):
        mask = splitting.test_mask(Split("hash", share=share), texts, None, "data")
        assert abs(mask.mean() - share) < 4 * np.sqrt(share * (1 - share) / len(texts))


@given(st.lists(st.integers(0, 30), min_size=1), st.floats(0.01, 0.99))
def test_a_split_by_time_takes_the_latest_and_keeps_equal_times_together(times, share):
    moments = np.array(times, float)
    mask = splitting.test_mask(Split("time", share=share), [""] * len(times), moments, "data")
    if mask.any():
        assert moments[mask].min() > moments[~mask].max()
    assert mask.sum() <= np.ceil(share * len(times))
    if len(set(times)) == len(times) > 1:
        assert abs(mask.sum() - share * len(times)) <= 1


def test_a_moment_itself_belongs_to_the_test_set():
    mask = splitting.test_mask(Split("time", moment=2), [""] * 3, np.array([1.0, 2.0, 3.0]), "data")
    assert mask.tolist() == [False, True, True]


def test_a_split_by_time_needs_times():
    with pytest.raises(InputError, match=r"data: data.split asks for a split by time.*--set data.time_field=COLUMN"):
        splitting.test_mask(Split("time", share=0.2), ["a"], None, "data")


def test_documents_are_split_with_all_that_is_theirs():
    documents = Dataset.from_lists(["a", "b", "c"], [["x"], ["y"], ["x", "y"]]).train
    train, test = splitting.split_documents(documents, Split("time", moment=2), np.array([2.0, 1.0, 3.0]), "data")
    assert list(train.texts) == ["b"]
    assert list(test.texts) == ["a", "c"]
    assert test.targets.toarray().tolist() == [[1, 0], [1, 1]]
    assert test.labels is train.labels
    assert splitting.split_documents(documents, Split("none"), None, "data") == (documents, None)
