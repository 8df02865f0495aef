import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xclare.data import files
from xclare.data.files import BLANK_LINES, Findings
from xclare.data.formats.json_lines import flatten, read_json_lines
from xclare.data.formats.json_places import column_of
from xclare.data.formats.text_columns import NOT_TEXT, TextColumns
from xclare.errors import InputError

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
USUAL_KEYS = st.sampled_from(["a", "b", "ö", "class", "", "with space", "$.x[0]", "`"])
ROWS = st.lists(st.dictionaries(USUAL_KEYS, JSON, max_size=4), max_size=12)


def read(path, data, types=None, **options):
    path.write_bytes(data)
    batches = list(read_json_lines(path, types or {}, Findings(), **options))
    columns = {}
    for batch in batches:
        for key, values in batch.columns.items():
            columns.setdefault(key, []).extend(values)
    return batches, columns


def refusal(path, data, types=None, **options):
    with pytest.raises(InputError) as error:
        read(path, data, types, **options)
    return str(error.value).removeprefix(f"{path}, ")


@given(rows=ROWS, ascii_only=st.booleans(), chunk=st.sampled_from([40, 1 << 18]))
@settings(max_examples=150, deadline=None)
def test_every_value_of_every_key_is_read(tmp_path_factory, rows, ascii_only, chunk):
    path = tmp_path_factory.mktemp("json") / "x.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=ascii_only) + "\n" for row in rows), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "CHUNK_BYTES", chunk)
        batches = list(read_json_lines(path, {}, Findings()))
    read_rows = []
    for batch in batches:
        rows_of_batch = zip(*batch.columns.values(), strict=True) if batch.columns else [()] * len(batch)
        read_rows += [dict(zip(batch.columns, row, strict=True)) for row in rows_of_batch]
    assert [{key: value for key, value in row.items() if value is not None} for row in read_rows] == [
        {key: value for key, value in row.items() if value is not None} for row in rows
    ]


@given(row=st.dictionaries(st.text(max_size=3), JSON, min_size=1, max_size=4), spaces=st.booleans(), data=st.data())
@settings(max_examples=150)
def test_the_column_of_a_value_is_where_it_begins(row, spaces, data):
    line = json.dumps(row, ensure_ascii=False, separators=None if spaces else (",", ":")).encode()
    path, value = [], row
    while isinstance(value, (dict, list)) and value and (not path or data.draw(st.booleans())):
        step = data.draw(st.sampled_from(list(value) if isinstance(value, dict) else list(range(len(value)))))
        path.append(step)
        value = value[step]
    found, _ = json.JSONDecoder().raw_decode(line[column_of(line, tuple(path)) - 1 :].decode())
    assert found == value


def test_keys_with_types_are_checked_and_default_to_none(tmp_path):
    _, columns = read(tmp_path / "x", b'{"n": 1, "s": "a"}\n{"s": "b"}\n', {"n": int})
    assert columns == {"n": [1, None], "s": ["a", "b"]}


def test_a_value_of_another_type_is_shown_with_its_place(tmp_path):
    message = refusal(tmp_path / "x", b'{"l": [1]}\n{"other": "x", "l": [2, "two"]}\n', {"l": list[int]})
    assert message == "line 2, column 25: found str, expected int as `l[1]`."


def test_a_required_key_that_is_missing_is_named(tmp_path):
    message = refusal(tmp_path / "x", b'{"s": "a"}\n{"t": "b"}\n', {"s": str}, required=["s"])
    assert message.startswith("line 2, column 1: found an object without it, expected the key 's'")


def test_an_error_behind_an_unknown_key_is_found(tmp_path):
    assert refusal(tmp_path / "x", b'{"new": nul}\n').startswith("line 1, column")


def test_blank_lines_and_space_around_objects_do_not_shift_line_numbers(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b'\n  {"a": 1}\n\t\n{"a": 2}  \n\n{"a": 3}\n')
    findings = Findings()
    (batch,) = read_json_lines(path, {}, findings)
    assert batch.columns == {"a": [1, 2, 3]}
    assert list(batch.line_numbers) == [2, 4, 6]
    assert findings == {BLANK_LINES: 3}
    assert "line 6, column 7" in str(batch.refuse(2, ("a",), found="3", expected="4"))


def test_flattening_takes_missing_lists_for_empty_ones():
    counts, values = flatten([[1, 2], None, [], [3]], np.int32)
    assert counts.tolist() == [2, 0, 0, 1]
    assert values.tolist() == [1, 2, 3]
    assert values.dtype == np.int32


def test_text_columns_keep_strings_and_count_the_rest(tmp_path):
    path = tmp_path / "x"
    rows = [{"t": "a", "n": 1}, {"t": 5}, {"late": "z", "t": None}, {"skipped": "s"}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    texts, findings = TextColumns(), Findings()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "CHUNK_BYTES", 8)
        for batch in read_json_lines(path, {}, findings):
            texts.add(batch, skip=["skipped"])
    fields = {name: list(column) for name, column in texts.finish(findings).items()}
    assert fields == {"t": ["a", "", "", ""], "late": ["", "", "z", ""]}
    assert findings == {
        NOT_TEXT: 2,
        "missing or null values of `t`, read as empty text": 3,
        "missing or null values of `late`, read as empty text": 3,
    }
