import json

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xclare.data.files import Findings
from xclare.data.formats.json_lines import read_json_lines
from xclare.data.formats.number_lists import INDICES, WEIGHTS, are_all_one, read_number_lists
from xclare.errors import InputError

NUMBERS = st.sampled_from(
    ["0", "1", "7", "12345678", "123456789", "2147483645", "0.5", "1.0", "0.30000001192092896", "16777217.0", "1e-3",
     "12345678.0123456789", "-1", "-0", "2147483646", "1e39", "1e-60", "1.5", "null", "true", '"1"', "[1]", "[]", "{}"]
)  # fmt: skip
LISTS = st.one_of(
    st.lists(NUMBERS, max_size=4).flatmap(
        lambda row: st.sampled_from([", ", ",", " , "]).map(lambda gap: f"[{gap.join(row)}]")
    ),
    NUMBERS,
    st.none(),
)


def read(path, lists, kind):
    lines = ["{}" if row is None else f'{{"l": {row}}}' for row in lists]
    path.write_text("".join(line + "\n" for line in lines))
    (batch,) = read_json_lines(path, {"l": msgspec.Raw}, Findings())
    return read_number_lists(batch, "l", kind)


@pytest.mark.parametrize("kind", [INDICES, WEIGHTS])
@given(lists=st.lists(LISTS, min_size=1, max_size=6))
@settings(max_examples=250, deadline=None)
def test_lists_are_read_as_msgspec_reads_each(tmp_path_factory, lists, kind):
    path = tmp_path_factory.mktemp("lists") / "x.jsonl"
    try:
        expected = [None if row is None else msgspec.json.decode(row, type=kind) for row in lists]
    except msgspec.ValidationError:
        with pytest.raises(InputError, match=r"line \d+, column \d+: found"):
            read(path, lists, kind)
        return
    given_rows, counts, values = read(path, lists, kind)
    assert given_rows.tolist() == [row is not None for row in expected]
    assert counts.tolist() == [len(row or ()) for row in expected]
    dtype = np.int32 if kind is INDICES else np.float32
    assert values.dtype == dtype
    assert values.tolist() == np.array([value for row in expected for value in row or ()], dtype).tolist()


@given(st.lists(st.lists(st.floats(0, 2.0**100, width=32), max_size=5), min_size=1, max_size=20))
@settings(max_examples=100, deadline=None)
def test_weights_are_read_to_the_last_bit(tmp_path_factory, lists):
    path = tmp_path_factory.mktemp("lists") / "x.jsonl"
    _, counts, values = read(path, [json.dumps(row) for row in lists], WEIGHTS)
    assert counts.tolist() == [len(row) for row in lists]
    assert values.tolist() == [value for row in lists for value in row]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("[1, -2]", "line 2, column 11: found '-2', expected int >= 0 as `l[1]`"),
        ("[1, 2.5]", "line 2, column 11: found float, expected int as `l[1]`"),
        ("7", "line 2, column 7: found int, expected array | null as `l`"),
        (
            "[99999999999999999999999]",
            "line 2, column 8: found '9999999999999999999999…, expected int <= 2147483645 as `l[0]`",
        ),
    ],
)
def test_what_is_no_index_is_refused_with_its_place(tmp_path, row, message):
    with pytest.raises(InputError) as error:
        read(tmp_path / "x", ["[3]", row], INDICES)
    assert message in str(error.value)


def test_lists_of_ones_are_known_without_parsing():
    lists = [b"[1.0, 1.0]", b"[]", b"[1.0]"]
    assert are_all_one(lists, np.array([2, 0, 1]))
    assert not are_all_one(lists, np.array([2, 1, 0]))
    assert not are_all_one([*lists, b"[2.0]"], np.array([2, 0, 1, 1]))
    assert not are_all_one([*lists, None], np.array([2, 0, 1, 0]))
