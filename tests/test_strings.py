import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from xclare.strings import Strings

texts = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=8), max_size=30)


@given(texts)
def test_packing_and_iterating_is_the_identity(rows):
    packed = Strings.of(rows)
    assert list(packed) == rows
    assert [packed[i] for i in range(len(rows))] == rows
    assert packed.lengths.tolist() == [len(row.encode()) for row in rows]


@given(texts, st.data())
def test_taking_rows_is_taking_from_the_list(rows, data):
    places = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=10)) if rows else []
    assert list(Strings.of(rows).take(np.array(places, np.int64))) == [rows[i] for i in places]


@given(texts, st.slices(30))
def test_slices_are_those_of_the_list(rows, part):
    assert list(Strings.of(rows)[part]) == rows[part]


@given(st.lists(texts, max_size=4))
def test_joining_is_concatenation(parts):
    assert list(Strings.joined([Strings.of(part) for part in parts])) == [row for part in parts for row in part]


@given(texts, texts)
def test_equality_is_that_of_the_lists(left, right):
    assert (Strings.of(left) == Strings.of(right)) == (left == right)


def test_a_mask_takes_the_rows_where_it_is_true():
    assert list(Strings.of(["a", "bb", "", "c"]).take(np.array([True, False, True, True]))) == ["a", "", "c"]


def test_strings_may_hold_nul_characters_of_their_own():
    rows = ["\0", "", "a\0b", "\0\0"]
    assert list(Strings.of(rows)) == rows


def test_more_rows_than_a_chunk_keep_their_order():
    rows = [str(number) for number in range(150_000)]
    packed = Strings.of(iter(rows))
    assert list(packed) == rows
    assert packed[-1] == "149999"


def test_an_index_out_of_range_is_an_index_error():
    with pytest.raises(IndexError):
        Strings.of(["a"])[1]


def test_representation_shows_the_first_strings():
    assert repr(Strings.of(["a", "b", "c", "d"])) == "Strings(4: 'a', 'b', 'c', …)"
