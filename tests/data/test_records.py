from __future__ import annotations

import dataclasses
import gzip
import json
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from row_data import datasets
from support import assert_same_data
from xclare.data import logs, records
from xclare.data.dataset import Dataset, Documents, Items
from xclare.data.files import REPEATED_LABELS, ZERO_WEIGHTS, Findings
from xclare.data.label_cells import NO_LABELS
from xclare.data.label_index import NO_TEXTS
from xclare.data.settings import DataSettings
from xclare.errors import InputError
from xclare.strings import Strings

UNSPLIT = DataSettings(split="none")
FORMATS = ["jsonl", "csv", "tsv", "parquet", "csv.gz", "jsonl.gz"]


def load(path: Path, settings: DataSettings = UNSPLIT, **kwargs) -> Dataset:
    return records.load(path, settings, Findings(), **kwargs)


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def rows(data: Dataset, part: str = "train") -> list[tuple[str, dict[str, float]]]:
    """What a data set says, as plain Python: (text, weight by label name) of every document."""
    documents = data.parts()[part]
    dense = documents.targets.toarray()
    return [
        (text, {data.labels.name_of(label): weight for label, weight in enumerate(row.tolist()) if weight})
        for text, row in zip(documents.texts, dense, strict=True)
    ]


def carried_by_records(data: Dataset) -> Dataset:
    """What records keep of a data set: all but fields with the name of another column, and labels get row numbers
    as ids where they have nothing else."""
    labels = data.labels
    reserved = {"id"} if labels.ids is not None else {"id", "uid", "label_id"}
    assert not reserved & set(labels.fields)
    if labels.ids is None and not labels.fields:
        labels = dataclasses.replace(labels, ids=Strings.of(list(map(str, range(labels.count)))))

    def documents(part: Documents) -> Documents:
        taken = {"labels", "weights", "excluded"} | (
            {"uid"} if part.ids is not None else {"uid", "id", "docid", "doc_id"}
        )
        fields = {name: column for name, column in part.fields.items() if name not in taken}
        return dataclasses.replace(part, fields=fields, labels=labels)

    return Dataset(documents(data.train), None if data.test is None else documents(data.test))


@pytest.mark.parametrize("extension", FORMATS)
@settings(deadline=None, max_examples=40)
@given(data=datasets())
def test_reading_what_was_written_gives_the_same_data(tmp_path_factory, extension, data):
    assume("jsonl" not in extension or not any(set(name) & set("\t\n") for name in data.train.fields))
    folder = tmp_path_factory.mktemp("records") / "data"
    lost = records.save(data, folder, extension)
    chosen = DataSettings(text_fields=data.train.text_fields, rows="documents")
    again = records.load(folder, chosen, Findings())
    expected = carried_by_records(data)
    assert_same_data(expected, again, ignoring={"texts"})
    assert list(again.train.texts) == list(expected.train.texts)
    dropped = set(data.train.fields) - set(expected.train.fields)
    assert all(any(repr(name) in sentence for sentence in lost) for name in dropped)
    assert sum("is not carried: a column of this name" in sentence for sentence in lost) == len(dropped) * len(
        data.parts()
    )
    assert ("row numbers are written as ids" in " ".join(lost)) == (
        again.labels.ids is not None and data.labels.ids is None
    )


def test_a_saved_folder_is_recognised_and_holds_readable_rows(tmp_path):
    data = Dataset.from_lists(["a b", "c"], [["x", "y"], ["y"]], test_texts=["d"], test_labels=[["x"]])
    assert records.save(data, tmp_path / "out", "jsonl") == []
    assert records.matches(tmp_path / "out")
    assert not logs.matches(tmp_path / "out")
    assert (
        tmp_path / "out" / "train.jsonl"
    ).read_text() == '{"title":"a b","labels":[0,1]}\n{"title":"c","labels":[1]}\n'
    assert (tmp_path / "out" / "labels.jsonl").read_text() == '{"title":"x"}\n{"title":"y"}\n'
    assert_same_data(load(tmp_path / "out", DataSettings()), data)


def test_labels_given_as_texts_are_collected_in_the_order_of_train_then_test(tmp_path):
    write(tmp_path / "train.jsonl", '{"title": "a", "labels": ["z", "y"]}\n{"title": "b", "labels": []}\n')
    write(tmp_path / "test.jsonl", '{"title": "c", "labels": ["x", "z"]}\n')
    data = load(tmp_path, DataSettings())
    assert list(data.labels.texts) == ["z", "y", "x"]
    assert data.labels.ids is None
    assert rows(data) == [("a", {"z": 1, "y": 1}), ("b", {})]
    assert rows(data, "test") == [("c", {"x": 1, "z": 1})]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("l.csv", "id,title\n7,seven\nx,ex\n9,nine\n"),
        ("l.jsonl", '{"id": 7, "title": "seven"}\n{"id": "x", "title": "ex"}\n{"id": 9, "title": "nine"}\n'),
        ("l.tsv", "label_id\tname\n7\tseven\nx\tex\n9\tnine\n"),
    ],
)
def test_labels_given_as_ids_find_their_texts_in_a_second_file(tmp_path, name, content):
    if name == "l.jsonl":
        content = content.replace('"id": 7', '"id": "7"').replace('"id": 9', '"id": "9"')
    source = write(tmp_path / "d.jsonl", '{"title": "a", "labels": [7, 7]}\n{"title": "b", "labels": [9]}\n')
    data = load(source, label_texts=write(tmp_path / name, content))
    assert list(data.labels.texts) == ["seven", "ex", "nine"]
    assert list(data.labels.ids) == ["7", "x", "9"]
    assert rows(data) == [("a", {"seven": 1}), ("b", {"nine": 1})]
    assert data.findings[REPEATED_LABELS] == 1


def test_numbers_are_rows_of_a_label_file_without_ids(tmp_path):
    source = write(tmp_path / "d.csv", "text,labels\na,0|2\nb,1\n")
    data = load(source, label_texts=write(tmp_path / "labels.txt", "zero, and more\none\ntwo\nthree\n"))
    assert list(data.labels.texts) == ["zero, and more", "one", "two", "three"]
    assert rows(data) == [("a", {"zero, and more": 1, "two": 1}), ("b", {"one": 1})]


def test_texts_are_found_in_a_label_file_without_ids(tmp_path):
    source = write(tmp_path / "d.csv", "text,labels\na,two|zero\n")
    data = load(source, label_texts=write(tmp_path / "labels.txt", "zero\none\ntwo\n"))
    assert rows(data) == [("a", {"zero": 1, "two": 1})]


def test_numbers_without_a_label_file_become_ids_in_ascending_order(tmp_path):
    for content in ("text,labels\na,30|7\nb,100\n", 'text,labels\na,"[30, 7]"\nb,[100]\n'):
        data = load(write(tmp_path / "d.csv", content))
        assert list(data.labels.ids) == ["7", "30", "100"]
        assert not data.labels.has_text
        assert data.findings[NO_TEXTS] == 1
        assert data.train.targets.toarray().tolist() == [[1, 1, 0], [0, 0, 1]]


def test_digits_with_a_leading_zero_are_texts(tmp_path):
    data = load(write(tmp_path / "d.csv", "text,labels\na,007|12\n"))
    assert list(data.labels.texts) == ["007", "12"]


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["x|y", "z;w"], [["x", "y"], ["z;w"]]),
        (["x; y ;", "z"], [["x", "y"], ["z"]]),
        (["x", "y z"], [["x"], ["y z"]]),
        (['["p|q", "r"]', "x|y"], [["p|q", "r"], ["x", "y"]]),
        (["", "x"], [[], ["x"]]),
    ],
)
def test_cells_are_cut_as_the_setting_says(tmp_path, cells, expected):
    lines = ["text\tlabels", *(f"{i}\t" + '"' + cell.replace('"', '""') + '"' for i, cell in enumerate(cells))]
    data = load(write(tmp_path / "d.tsv", "\n".join(lines)))
    assert [list(labels) for _, labels in rows(data)] == expected


def test_a_separator_of_ones_own_cuts_everything_else_not(tmp_path):
    chosen = DataSettings(split="none", label_separator="::")
    data = load(write(tmp_path / "d.csv", "text,labels\na,x|1::[y]\n"), chosen)
    assert [list(labels) for _, labels in rows(data)] == [["x|1", "[y]"]]


def test_weights_stand_beside_their_labels(tmp_path):
    source = write(tmp_path / "d.jsonl", '{"title":"a","labels":["x","y","z"],"weights":[2,0,0.5]}\n')
    data = load(source)
    assert rows(data) == [("a", {"x": 2, "z": 0.5})]
    assert data.findings[ZERO_WEIGHTS] == 1


def test_what_is_missing_is_empty_and_counted(tmp_path):
    source = write(
        tmp_path / "d.jsonl", '{"title":"a","labels":["x"],"more":"m"}\n{"title":null}\n{"labels":null,"price":3}\n'
    )
    data = load(source)
    assert rows(data) == [("a", {"x": 1}), ("", {}), ("", {})]
    assert list(data.train.fields["more"]) == ["m", "", ""]
    assert data.findings[NO_LABELS] == 2
    assert data.findings["missing or null values of `title`, read as empty text"] == 2
    assert data.findings["columns that hold no text, not kept"] == 1


def test_windows_line_ends_a_mark_and_quoted_newlines_are_read(tmp_path):
    content = b'\xef\xbb\xbftitle;labels\r\n"one\r\ntwo; three";x\r\n\r\nfour;y\r\n'
    data = load(write(tmp_path / "d.csv", content))
    assert list(data.train.texts) == ["one\r\ntwo; three", "four"]
    assert len(data.findings) == 3
    zipped = load(write(tmp_path / "d", gzip.compress(content)))
    assert_same_data(data, zipped)


def test_one_file_is_split_by_its_texts_and_carries_everything_along(tmp_path):
    lines = [json.dumps({"uid": i, "title": f"t{i}", "labels": [i], "excluded": [i]}) for i in range(200)]
    whole = load(write(tmp_path / "d.jsonl", "\n".join(lines)))
    data = load(tmp_path / "d.jsonl", DataSettings(split="hash:0.3"))
    assert data.test is not None
    assert 30 < len(data.test) < 90
    for part in data.parts().values():
        numbers = [int(uid) for uid in part.ids]
        assert numbers == sorted(numbers)
        assert_same_data(Dataset(part), Dataset(whole.train.take(part.targets.indices)))
        assert (part.targets != part.excluded).nnz == 0


def test_one_file_is_split_by_time(tmp_path):
    source = write(
        tmp_path / "d.csv", "title,date,labels\nnew,2024-02-01,x\nold,2023-02-01,x\nnow,2024-01-31T23:59,x\n"
    )
    data = load(source, DataSettings(split="time:2024-02-01"))
    assert list(data.test.texts) == ["new"]
    assert list(data.train.fields) == ["title", "date"]
    data = load(source, DataSettings(split="time:0.5"))
    assert list(data.train.texts) == ["old", "now"]


def test_a_folder_is_not_split_again(tmp_path):
    write(tmp_path / "train.csv", "title,labels\n" + "".join(f"t{i},x\n" for i in range(50)))
    data = load(tmp_path, DataSettings(split="hash:0.5"))
    assert len(data.train) == 50
    assert data.test is None


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "text,labels\na,x,y\n", r"line 2: found 3 cells, expected 2, as in the header\. Cells that hold"),
        ("a.csv", "text,labels\na,x\n\n\nb\n", "line 5: found 1 cell, expected 2"),
        ("a.csv", 'text,labels\n"a\nb",x\n"c,x\n', "line 4: found a quoted cell that never ends"),
        ("a.csv", 'text,labels\na,x\n"a"b,x\n', "line 3: found a row that is no CSV"),
        ("a.csv", "text,labels\na\rb,x\n", "line 2: found a carriage return inside a cell"),
        ("a.csv", b"text,labels\na,x\nb\xff,x\n", r"line 3, column 2: found the bytes b'\\xff,x\\n', expected UTF-8"),
        ("a.csv", b"text,labels\na,x\nb\xed\xa0\x80,x\n", "line 3, column 2: found the bytes"),
        ("a.csv", "text,text\na,x\n", "line 1: found two columns named 'text', expected a header"),
        ("a.csv", "titel,labels\na,x\n", "found the columns 'titel', 'labels', expected one with the text of a document.*"  # noqa: E501
         r"--set data.text_fields=titel; if the file has no header line, add one"),
        ("a.csv", "red shoes,x\nblue shoes,y\n", r"--set data.text_fields=COLUMN; if the file has no header"),
        ("a.csv", "text,lables\na,x\n", "expected one with the labels.*--set data.label_field=lables"),
        ("a.csv", "text,labels\na,[x]\n", "line 2: found '.x.' in the column 'labels', expected a JSON list"),
        ("a.csv", 'text,labels\na,"[""x""]"\nb,[1]\n', "line 3: found 1 among labels of another kind"),
        ("a.csv", 'text,labels,weights\na,x|y,[1]\n', "line 2: found 1 weights in the column 'weights', expected 2"),
        ("a.csv", 'text,labels,weights\na,x|y,"[1,-1]"\n', "line 2: found the weight -1 in the column 'weights'"),
        ("a.csv", 'text,labels,weights\na,x,"[""?""]"\n', "line 2: found '.' in the column 'weights', expected a weight"),  # noqa: E501
        ("a.jsonl", '{"title":"a","labels":["x"]}\n{"title":"b","labels":[1]}\n', "line 2: found 1 in the column 'labels'"),  # noqa: E501
        ("a.jsonl", '{"title":"a","labels":["x"]}\n{"title":"b","labels":["y"', "line 2, column"),
        ("a.jsonl", '{"title":"a","labels":["x"]}\n{"title":"b","labels":"y"}\n', "line 2: found 'y' in the column 'labels'"),  # noqa: E501
        ("a.jsonl", '{"title":"a","labels":[true]}\n', r"line 1: found True in the column 'labels'"),
        ("a.jsonl", '{"title":"a","labels":[1.5]}\n', r"line 1: found the label 1.5 in the column 'labels'"),
        ("a.jsonl", '{"title":"a","labels":[["x"]]}\n', r"line 1: found a list in a list in the column 'labels'"),
        ("a.jsonl", '{"title":"a","labels":[]}\n{"title":"a","labels":["x",null]}\n', "line 2: found null in a list"),
        ("a.jsonl", '{"title":"a","labels":[]}\n{"title":1984,"labels":[]}\n', "line 2: found 1984 in the column 'title'"),  # noqa: E501
        ("a.jsonl", '{"title":"a\\ud800","labels":[]}\n', "line 1, column"),
        ("a.jsonl", '{"title":"a","uid":null,"labels":[]}\n', "line 1: found no value in the column 'uid'"),
        ("a.jsonl", '{"title":"a","labels":[99999999999999999999]}\n', "line 1: found the number 9999"),
        ("a.jsonl", "", "found no rows"),
        ("a.parquet", b"PAR1 and nothing else", "is a damaged Parquet file"),
        ("a.csv", b"\x1f\x8b\x08\x00", "damaged gzip"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_at_its_place(tmp_path, name, content, message):
    source = write(tmp_path / name, content)
    with pytest.raises(InputError, match=message) as caught:
        load(source)
    assert str(source) in str(caught.value)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (
            "id,title\n7,seven\n8,eight\n7,again\n",
            "labels.csv, line 4: found '7' for the second time in the column 'id'",
        ),
        (
            "id,title\n8,eight\n",
            "a.csv, line 3: found the label 7 in the column 'labels', expected the id of a label in labels",
        ),
        ("title\nzero\none\n", "a.csv, line 3: found 7 in the column 'labels', expected a row of labels.csv, 0 to 1"),
        ("title\n", "expected a row of labels.csv, which is empty"),
    ],
)
def test_labels_that_the_second_file_does_not_know_are_refused(tmp_path, labels, message):
    source = write(tmp_path / "a.csv", "title,labels\na,[]\nb,[7]\n")
    with pytest.raises(InputError, match=message):
        load(source, label_texts=write(tmp_path / "labels.csv", labels))


def test_a_text_that_two_labels_have_cannot_name_one(tmp_path):
    labels = write(tmp_path / "labels.txt", "y\nx\nx\n")
    source = write(tmp_path / "a.csv", "title,labels\na,y\n")
    assert rows(load(source, label_texts=labels)) == [("a", {"y": 1})]
    write(source, "title,labels\na,y\nb,x\n")
    with pytest.raises(
        InputError, match=r"line 3: found the label 'x'.*expected a text that only one label in labels.txt has"
    ):
        load(source, label_texts=labels)


def test_what_records_cannot_carry_is_said_or_refused(tmp_path):
    data = Dataset.from_lists(["a"], [["x"]])
    equal_ids = dataclasses.replace(data.labels, ids=Strings.of(["same"]))
    assert "ids are not carried" not in " ".join(
        records.save(Dataset(dataclasses.replace(data.train, labels=equal_ids)), tmp_path / "one")
    )
    numbers = Dataset.from_lists(["a"], [["x", "y"]])
    same = dataclasses.replace(numbers.labels, ids=Strings.of(["same", "same"]))
    lost = records.save(Dataset(dataclasses.replace(numbers.train, labels=same)), tmp_path / "two")
    assert lost == ["The labels' ids are not carried: some of them are equal. Row numbers stand for labels."]
    assert load(tmp_path / "two").labels.ids is None
    bare = dataclasses.replace(data.train, fields={}, text_fields=(), features=data.train.targets)
    with pytest.raises(InputError, match="have no text"):
        records.save(Dataset(bare), tmp_path / "three")
    assert not (tmp_path / "three").exists()
    featured = dataclasses.replace(data.train, features=data.train.targets)
    assert records.save(Dataset(featured), tmp_path / "four") == [
        "The ready-made features of the train documents are not carried."
    ]
    odd = dataclasses.replace(data.train, fields={"labels": data.train.texts}, text_fields=("labels",))
    with pytest.raises(InputError, match="a name that means something else"):
        records.save(Dataset(odd), tmp_path / "five")
    with pytest.raises(InputError, match="'xml' is no format of rows: expected one of jsonl"):
        records.save(data, tmp_path / "six", "xml")


def test_a_table_without_rows_is_no_documents(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    lists = pa.array([["x"]])
    table = pa.table({"title": ["a"], "labels": lists, "weights": lists, "time": lists})
    pq.write_table(table.slice(0, 0), tmp_path / "empty.parquet")
    write(tmp_path / "empty.csv", "title,labels,weights,time\n")
    for name in ("empty.parquet", "empty.csv"):
        for chosen in (UNSPLIT, DataSettings(split="time:0.5", weight_field="weights")):
            for part in (records, logs):
                data = part.load(tmp_path / name, chosen, Findings())
                assert (len(data.train), data.labels.count) == (0, 0)


def test_lists_are_data_as_they_stand():
    data = Dataset.from_lists(["a", "b"], [[2, 0], []], ["zero", "one", "two"], test_texts=["c"], test_labels=[(1,)])
    assert rows(data) == [("a", {"zero": 1, "two": 1}), ("b", {})]
    assert rows(data, "test") == [("c", {"one": 1})]
    assert isinstance(data.labels, Items)
    assert data.labels.ids is None


def test_lists_of_texts_are_found_or_collected():
    found = Dataset.from_lists(["a"], [["y", "x", "x"]], ["x", "y", "z"])
    assert rows(found) == [("a", {"x": 1, "y": 1})]
    assert found.labels.count == 3
    assert found.findings[REPEATED_LABELS] == 1
    collected = Dataset.from_lists(["a", "b"], [["y"], {"x"}])
    assert list(collected.labels.texts) == ["y", "x"]


def test_lists_of_numbers_without_texts_are_ids():
    data = Dataset.from_lists(["a", "b"], [[5, 0], [1]])
    assert list(data.labels.ids) == ["0", "1", "5"]
    assert data.train.targets.toarray().tolist() == [[1, 0, 1], [0, 1, 0]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((["a"] * 4, [[1], [2], [3], [12]], list("abcdefghij")),
         r"^labels\[3\]: found 12, expected a row of label_texts, 0 to 9\.$"),
        ((["a", "b"], [[1]]), "^labels: found 1 entries, expected 2, one for each of texts"),
        ((["a"], ["xy"]), r"^labels\[0\]: found 'xy', expected a list of labels\. .*\['xy'\]"),
        ((["a"], [3]), r"^labels\[0\]: found 3, expected a list of labels"),
        ((["a", "b"], [["x"], [1]]), r"^labels\[1\]: found 1, expected a text"),
        ((["a", "b"], [[1], ["x"]]), r"^labels\[1\]: found 'x', expected a whole number"),
        ((["a"], [[1.5]]), r"^labels\[0\]: found 1.5, expected a text or a whole number"),
        ((["a"], [[True]]), r"^labels\[0\]: found True, expected a text or a whole number"),
        ((["a"], [[2**70]]), r"^labels\[0\]: found 1180591620717411303424"),
        ((["a"], [["q"]], ["x"]), r"^labels\[0\]: found the label 'q', expected the text of a label in label_texts"),
        ((["a"], [["x"]], ["x", "x"]), r"^labels\[0\]: found the label 'x', expected a text that only one"),
        ((["a", 3], [[], []]), r"^texts\[1\]: found 3, expected a text"),
        (("ab", [[], []]), r"^texts: found one text, expected a list"),
        ((["a", "\ud800"], [[], []]), r"^texts\[1\]: found half a surrogate pair"),
        ((["a"], [["\ud800"]]), r"^labels\[0\]: found half a surrogate pair"),
        ((["a"], [[0]], [None]), r"^label_texts\[0\]: found None, expected a text"),
    ],
)  # fmt: skip
def test_wrong_lists_are_refused_by_argument_and_position(arguments, message):
    with pytest.raises(InputError, match=message):
        Dataset.from_lists(*arguments)


def test_wrong_test_lists_are_refused_by_their_own_name():
    with pytest.raises(InputError, match=r"^test_labels\[0\]: found 4"):
        Dataset.from_lists(["a"], [[0]], ["x"], test_texts=["b"], test_labels=[[4]])
    with pytest.raises(InputError, match=r"^test_labels: found nothing"):
        Dataset.from_lists(["a"], [[0]], ["x"], test_texts=["b"])
    with pytest.raises(InputError, match=r"^test_labels\[0\]: found the label 'x', expected a number"):
        Dataset.from_lists(["a"], [[0]], test_texts=["b"], test_labels=[["x"]])


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.text(max_size=4), st.lists(st.integers(0, 4), max_size=4)), min_size=1, max_size=8))
def test_lists_and_their_file_are_the_same_data(tmp_path_factory, documents):
    names = ["v", "w", "x", "y", "z"]
    data = Dataset.from_lists([text for text, _ in documents], [labels for _, labels in documents], names)
    folder = tmp_path_factory.mktemp("lists")
    lines = [json.dumps({"title": text, "labels": labels}) + "\n" for text, labels in documents]
    write(folder / "d.jsonl", "".join(lines))
    write(folder / "l.txt", "\n".join(names))
    assert_same_data(load(folder / "d.jsonl", label_texts=folder / "l.txt"), data)
