from __future__ import annotations

import csv
import datetime
import gzip
import io
import sys
from contextlib import contextmanager
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from row_data import texts
from xclare.data.files import BLANK_LINES, BYTE_ORDER_MARKS, WINDOWS_LINE_ENDS, Findings
from xclare.data.formats.columns import Column
from xclare.data.formats.tables import JSON_LINES, PARQUET, kind_of_table, read_head, read_table, write_table
from xclare.errors import InputError, MissingExtraError
from xclare.progress import Progress

KNOWN = {"title", "labels", "label", "text"}
KIND_OF = {"jsonl": JSON_LINES, "csv": ",", "tsv": "\t", "parquet": PARQUET, "csv.gz": ",", "jsonl.gz": JSON_LINES}


def write(path, content):
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def cells(table):
    return {name: column.cells(0, len(table)) for name, column in table.columns.items()}


@pytest.mark.parametrize("extension", list(KIND_OF))
@settings(deadline=None, max_examples=40)
@given(
    rows=st.lists(st.tuples(texts, st.lists(texts, max_size=3), st.lists(st.integers(-9, 9), max_size=2)), min_size=1),
    numbers=st.booleans(),
)
def test_a_table_is_read_as_it_was_written(tmp_path_factory, extension, rows, numbers):
    path = tmp_path_factory.mktemp("table") / f"t.{extension}"
    columns = {"title": Column.of([row[0] for row in rows]), "labels": Column.of([row[1] for row in rows])}
    if numbers:
        columns["numbers"] = Column.of([row[2] for row in rows])
    write_table(path, columns)
    assert kind_of_table(path, KNOWN) == KIND_OF[extension]
    got = cells(read_table(path, KIND_OF[extension], Findings()))
    assert got["title"] == [row[0] for row in rows]
    if extension in ("jsonl", "parquet", "jsonl.gz"):
        assert got["labels"] == [row[1] for row in rows]
        assert not numbers or got["numbers"] == [row[2] for row in rows]


@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
@settings(deadline=None, max_examples=100)
@given(
    rows=st.lists(st.tuples(texts, texts), min_size=1, max_size=9),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
)
def test_csv_is_read_as_the_csv_module_reads_it(tmp_path_factory, delimiter, rows, quoting):
    path = tmp_path_factory.mktemp("csv") / "t"
    buffer, starts = io.StringIO(newline=""), []
    writer = csv.writer(buffer, delimiter=delimiter, quoting=quoting, lineterminator="\n" if len(rows) % 2 else "\r\n")
    for row in [("title", "labels"), *rows]:
        starts.append(buffer.getvalue().count("\n") + 1)
        writer.writerow([cell.replace("\r", "") for cell in row])  # the writer of Python 3.11 forgets to quote these
    path.write_text(buffer.getvalue(), encoding="utf-8", newline="")
    expected = list(csv.reader(io.StringIO(buffer.getvalue(), newline=""), delimiter=delimiter))[1:]
    table = read_table(path, delimiter, Findings())
    got = cells(table)
    assert [list(row) for row in zip(got["title"], got["labels"], strict=True)] == expected
    assert table.lines.tolist() == starts[1:]


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ("title,labels\n", ","),
        ("title\tlabels\na,b\tc\n", "\t"),
        ("title;labels\na;b\n", ";"),
        ("the title, all of it\tlabels\n", "\t"),
        ("a,b\nc,d\n", ","),
        ("a,b\nc\n", None),
        ("one cell\n", None),
        ("", None),
        ("\n\n", None),
        ('{"title": "a"}', JSON_LINES),
        ("\n  {broken", JSON_LINES),
        ('[{"title": "a"}]', None),
        ("PAR1", PARQUET),
        (gzip.compress(b"title,labels\n", mtime=0), ","),
        (b"\xef\xbb\xbftitle,labels\n", ","),
        (b"\xff\xfe\x00", None),
    ],
)
def test_the_kind_of_a_file_is_seen_in_its_content(tmp_path, content, kind):
    for name in ("t.csv", "t.jsonl", "t"):
        if name != "t.csv" or kind is not None:
            assert kind_of_table(write(tmp_path / name, content), KNOWN) == kind


def test_only_a_known_name_or_the_files_own_tells_a_table_for_sure(tmp_path):
    assert kind_of_table(write(tmp_path / "t.txt", "cats, dogs\nmice, rats\n"), KNOWN, sure=True) is None
    assert kind_of_table(write(tmp_path / "t.txt", "cats,title\n"), KNOWN, sure=True) == ","
    assert kind_of_table(write(tmp_path / "t.tsv", "cats\n"), KNOWN, sure=True) == "\t"


def test_lines_are_counted_through_blank_lines_and_quoted_newlines(tmp_path):
    findings = Findings()
    path = write(tmp_path / "t", b'\xef\xbb\xbf\r\ntitle,labels\r\n"a\r\nb\nc",x\r\n\r\n\r\nd,y\r\n,"\n"\r\ne,z')
    table = read_table(path, ",", findings)
    assert table.lines.tolist() == [3, 8, 9, 11]
    assert cells(table)["title"] == ["a\r\nb\nc", "d", "", "e"]
    assert findings == {BLANK_LINES: 2, WINDOWS_LINE_ENDS: 1, BYTE_ORDER_MARKS: 1}


def test_many_rows_are_read_in_batches_with_right_lines_and_progress(tmp_path):
    path = write(tmp_path / "t", "title,labels\n" + "".join(f"t{i},l\n" for i in range(20_000)))
    seen = []

    class Heard(Progress):
        @contextmanager
        def task(self, what, total):
            seen.append((what, total))
            yield lambda steps: seen.append(steps)

    table = read_table(path, ",", Findings(), Heard())
    assert table.lines.tolist() == list(range(2, 20_002))
    assert cells(table)["title"][-1] == "t19999"
    assert seen[0] == ("reading t", path.stat().st_size)
    assert sum(seen[1:]) == path.stat().st_size
    assert 0 < len(read_head(path, ",")) < 20_000


def test_long_cells_are_read_and_the_csv_modules_own_limit_is_left_alone(tmp_path):
    before = csv.field_size_limit()
    path = write(tmp_path / "t", "title,labels\n" + "x" * 300_000 + ",y\n")
    assert len(cells(read_table(path, ",", Findings()))["title"][0]) == 300_000
    assert csv.field_size_limit() == before


@pytest.mark.parametrize("rows", [0, 3])
def test_columns_of_other_programs_parquet_are_read(tmp_path, rows):
    import pyarrow as pa
    import pyarrow.parquet as pq

    day = datetime.datetime(2024, 1, 31, 12, tzinfo=datetime.UTC)
    arrays = {
        "plain": pa.array(["a", None, "é"]),
        "large": pa.array(["a", "b", ""], pa.large_string()),
        "bytes": pa.array([b"a", b"b", b"c"]),
        "coded": pa.array(["a", "b", "a"]).dictionary_encode(),
        "small": pa.array([1, None, 3], pa.int8()),
        "single": pa.array([0.5, 1, 2], pa.float32()),
        "exact": pa.array([Decimal("1.5"), Decimal("2.5"), None]),
        "moment": pa.array([day, day, None], pa.timestamp("ms", tz="UTC")),
        "day": pa.array([day.date()] * 3),
        "lists": pa.array([["a", "b"], None, []]),
        "large_lists": pa.array([[1], [2, 3], []], pa.large_list(pa.int32())),
        "nothing": pa.nulls(3),
        "truth": pa.array([True, False, None]),
        "objects": pa.array([{"a": 1}] * 3),
        "holes": pa.array([["a", None], [], ["b"]]),
    }
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table(arrays).slice(0, rows), path, row_group_size=2)
    table = read_table(path, PARQUET, Findings())
    assert len(table) == rows
    assert list(table.columns) == list(arrays)
    if not rows:
        return
    noon = day.timestamp()
    expected = {
        "plain": ["a", "", "é"], "large": ["a", "b", ""], "bytes": ["a", "b", "c"], "coded": ["a", "b", "a"],
        "small": [1, 0, 3], "single": [0.5, 1, 2], "exact": [1.5, 2.5, 0], "moment": [noon, noon, 0],
        "day": [noon - 12 * 3600] * 3, "lists": [["a", "b"], [], []], "large_lists": [[1], [2, 3], []],
        "nothing": ["", "", ""],
    }  # fmt: skip
    got = cells(table)
    assert {name: got[name] for name in expected} == expected
    assert table.columns["plain"].missing.tolist() == [False, True, False]
    assert table.columns["lists"].missing.tolist() == [False, True, False]
    assert table.columns["nothing"].is_blank
    assert table.columns["truth"].odd == (0, "values of the type bool")
    assert table.columns["objects"].odd is not None
    assert table.columns["holes"].odd == (0, "null in a list")


def test_parquet_text_that_is_not_utf8_is_refused_at_its_row(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = tmp_path / "t.parquet"
    wrong = pa.StringArray.from_buffers(3, pa.py_buffer(np.array([0, 1, 2, 3], np.int32)), pa.py_buffer(b"a\xc3\xa9"))
    pq.write_table(pa.table({"title": wrong}), path)
    with pytest.raises(
        InputError, match=r"t.parquet, row 2: found the bytes b'\\xc3' in the column 'title', expected UTF-8"
    ):
        read_table(path, PARQUET, Findings())
    lists = pa.ListArray.from_arrays(pa.array([0, 0, 1, 3], pa.int32()), pa.array([b"a", b"b", b"\xff"]))
    pq.write_table(pa.table({"labels": lists}), path)
    with pytest.raises(InputError, match=r"row 3: found the bytes b'\\xff' in the column 'labels'"):
        read_table(path, PARQUET, Findings())


def test_a_cell_of_a_parquet_file_is_named_by_its_row(tmp_path):
    write_table(tmp_path / "t.parquet", {"title": Column.of(["a", "b"])})
    table = read_table(tmp_path / "t.parquet", PARQUET, Findings())
    assert "t.parquet, row 2: found x in the column 'title'" in str(table.refuse(1, "title", found="x", expected="y"))


def test_without_pyarrow_the_message_says_what_to_install(tmp_path, monkeypatch):
    write_table(tmp_path / "t.parquet", {"title": Column.of(["a"])})
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(MissingExtraError, match=r'pip install "xclare\[parquet\]"'):
        read_table(tmp_path / "t.parquet", PARQUET, Findings())
    with pytest.raises(MissingExtraError):
        write_table(tmp_path / "u.parquet", {"title": Column.of(["a"])})
    assert [path.name for path in tmp_path.iterdir()] == ["t.parquet"]


def test_a_name_that_json_lines_cannot_hold_is_refused_before_anything_is_written(tmp_path):
    with pytest.raises(InputError, match="cannot be a key of JSON lines"):
        write_table(tmp_path / "t.jsonl", {'a"b': Column.of(["a"])})
    assert list(tmp_path.iterdir()) == []
