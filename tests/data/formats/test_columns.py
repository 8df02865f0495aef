from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from xclare.data.formats.columns import Column, offsets_of
from xclare.strings import Strings

integers = st.integers(-(2**63), 2**63 - 1)
kinds = st.sampled_from(
    [
        st.text(max_size=3),
        integers,
        st.floats(allow_nan=False),
        st.lists(st.text(max_size=3), max_size=3),
        st.lists(integers, max_size=3),
    ]
)
cells_of_one_kind = kinds.flatmap(lambda kind: st.lists(kind, max_size=12))
cuts = st.lists(st.integers(0, 12), max_size=3).map(sorted)


@given(cells_of_one_kind)
def test_a_column_holds_what_was_put_in(cells):
    column = Column.of(cells)
    assert column.odd is None
    assert len(column) == len(cells)
    assert column.cells(0, len(cells)) == cells
    assert column.cells(1, 3) == cells[1:3]


def pieces(cells, cuts):
    ends = [0, *[min(cut, len(cells)) for cut in cuts], len(cells)]
    return [cells[i:j] for i, j in itertools.pairwise(ends)]


@given(kinds.flatmap(lambda kind: st.lists(st.none() | kind, max_size=12)), cuts)
def test_joining_parts_gives_the_column_of_the_whole(cells, cuts):
    whole = Column.of(cells)
    joined = Column.joined([Column.of(piece) for piece in pieces(cells, cuts)])
    missing = [cell is None for cell in cells]
    assert len(joined) == len(cells)
    for column in (whole, joined):
        assert (np.zeros(len(cells), bool) if column.missing is None else column.missing).tolist() == missing
    assert joined.cells(0, len(cells)) == whole.cells(0, len(cells))
    assert [cell for cell, gone in zip(whole.cells(0, len(cells)), missing, strict=True) if not gone] == [
        cell for cell in cells if cell is not None
    ]


anything = st.one_of(
    st.none(), st.booleans(), st.text(max_size=2), st.integers(), st.floats(allow_nan=False), st.just({}),
    st.lists(st.one_of(st.text(max_size=2), st.integers(), st.none(), st.just([])), max_size=3),
)  # fmt: skip


def accepts(cells) -> bool:
    """Whether the cells are all of one kind, by its definition."""

    def kind(values):
        return {
            str if type(v) is str else float if type(v) in (int, float) else list if type(v) is list else object
            for v in values
        }

    there = [cell for cell in cells if cell is not None]
    if kind(there) == {list}:
        there = [value for cell in there for value in cell]
        if list in kind(there):
            return False
    if not kind(there) <= {str} and not kind(there) <= {float}:
        return False
    numbers = [value for value in there if type(value) is int]
    return not numbers or float in map(type, there) or all(-(2**63) <= number < 2**63 for number in numbers)


@given(st.lists(anything, max_size=6), cuts)
def test_cells_of_several_kinds_are_noted_and_do_not_fail(cells, cuts):
    whole = Column.of(cells)
    joined = Column.joined([Column.of(piece) for piece in pieces(cells, cuts)])
    assert len(whole) == len(joined) == len(cells)
    assert (whole.odd is None) == accepts(cells)
    if whole.odd is not None:
        assert 0 <= whole.odd.row < len(cells)
    if joined.odd is not None:
        assert 0 <= joined.odd.row < len(cells)


@pytest.mark.parametrize(
    ("cells", "row", "found"),
    [
        (["a", None, 3, "b"], 2, "3"),
        ([1, 2.5, "x"], 2, "'x'"),
        ([["a"], ["b", 3]], 1, "3"),
        ([["a"], None, [None]], 2, "null in a list"),
        ([[], [[]]], 1, "a list in a list"),
        ([["a"], "a"], 1, "'a'"),
        ([True, True], 0, "True"),
        ([1, 2**70], 1, "the number 1180591620717411303424"),
        ([{"a": 1}], 0, "{'a': 1}"),
    ],
)  # fmt: skip
def test_the_first_odd_cell_is_named(cells, row, found):
    assert Column.of(cells).odd == (row, found)
    assert Column.joined([Column.of([cell]) for cell in cells]).odd == (row, found)


def test_rows_are_found_by_the_values_in_them():
    column = Column(Strings.of(["a", "b", "c"]), offsets_of(np.array([1, 0, 2])))
    assert [column.row_of_value(position) for position in range(3)] == [0, 2, 2]
    assert column.lengths.tolist() == [1, 0, 2]
    assert Column(Strings.of(["a", "b"])).row_of_value(1) == 1
