from __future__ import annotations

import csv
import dataclasses
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from row_data import datasets, texts
from support import assert_same_data
from xclare.data import logs, records
from xclare.data.dataset import Dataset, Documents
from xclare.data.files import ZERO_WEIGHTS, Findings
from xclare.data.label_index import NO_TEXTS
from xclare.data.settings import DataSettings
from xclare.errors import InputError

UNSPLIT = DataSettings(split="none", rows="pairs")
FORMATS = ["jsonl", "csv", "tsv", "parquet", "tsv.gz"]


def load(path: Path, settings: DataSettings = UNSPLIT, **kwargs) -> Dataset:
    return logs.load(path, settings, Findings(), **kwargs)


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def weight_of(documents: Documents) -> dict[str, dict[int, float]]:
    """The weight of every label of every text."""
    dense = documents.targets.toarray()
    return {
        text: {label: weight for label, weight in enumerate(row.tolist()) if weight}
        for text, row in zip(documents.texts, dense, strict=True)
    }


def added(documents: Documents) -> dict[tuple[str, ...], dict[int, float]]:
    """What a log of some documents says: the sum of every pair's weights, documents without labels left out."""
    told: dict[tuple[str, ...], dict[int, float]] = {}
    columns = [list(documents.fields[name]) for name in documents.text_fields]
    for row, key in enumerate(zip(*columns, strict=True)):
        for label, weight in enumerate(documents.targets[[row]].toarray()[0].astype(float).tolist()):
            if weight:
                told.setdefault(key, {}).setdefault(label, 0.0)
                told[key][label] += weight
    return told


@pytest.mark.parametrize("extension", FORMATS)
@settings(deadline=None, max_examples=40)
@given(data=datasets())
def test_reading_what_was_written_gives_the_pairs(tmp_path_factory, extension, data):
    assume(data.train.targets.nnz)
    assume("jsonl" not in extension or not any(set(name) & set("\t\n") for name in data.train.text_fields))
    folder = tmp_path_factory.mktemp("logs") / "data"
    lost = logs.save(data, folder, extension)
    again = load(folder, DataSettings(text_fields=data.train.text_fields, rows="pairs"))
    if data.labels.ids is not None or data.labels.fields:
        ids = [None if labels.ids is None else list(labels.ids) for labels in (again.labels, data.labels)]
        assert ids[0] == ids[1]
        fields = [
            {name: list(column) for name, column in labels.fields.items()} for labels in (again.labels, data.labels)
        ]
        assert fields[0] == fields[1]
    for name, part in data.parts().items():
        expected, got = added(part), added(again.parts()[name])
        assert list(got) == list(expected)
        assert got == {key: {label: float(np.float32(w)) for label, w in row.items()} for key, row in expected.items()}
        left_out = set(part.fields) - set(part.text_fields)
        told = " ".join(sentence for sentence in lost if name in sentence)
        assert all(repr(field) in told for field in left_out)
        assert ("ids of the" in told) == (part.ids is not None)
        assert ("excluded pairs" in told) == (part.excluded is not None and part.excluded.nnz > 0)
        assert ("have no label" in told) == bool((np.diff(part.targets.indptr) == 0).any())
    assert logs.matches(folder) or any("data.rows" in sentence or "data.text_fields" in sentence for sentence in lost)


def test_a_saved_log_is_recognised_and_readable(tmp_path):
    data = Dataset.from_lists(["a b", "c"], [["x", "y"], ["y"]], test_texts=["d"], test_labels=[["x"]])
    assert logs.save(data, tmp_path / "out") == []
    assert logs.matches(tmp_path / "out")
    assert not records.matches(tmp_path / "out")
    assert (tmp_path / "out" / "train.tsv").read_text() == "title\tlabel\tweight\na b\t0\t1\na b\t1\t1\nc\t1\t1\n"
    assert (tmp_path / "out" / "labels.tsv").read_text() == "title\nx\ny\n"
    assert_same_data(load(tmp_path / "out", DataSettings()), data)


rows = st.lists(st.tuples(texts, st.sampled_from(["x", "y", "z"]), st.integers(0, 3)), min_size=1, max_size=12)


@settings(deadline=None, max_examples=150)
@given(rows=rows)
def test_equal_texts_become_one_document_and_equal_pairs_are_added(tmp_path_factory, rows):
    """Against a dictionary filled row by row."""
    expected: dict[str, dict[str, float]] = {}
    for text, label, weight in rows:
        labels = expected.setdefault(text, {})
        if weight:
            labels[label] = labels.get(label, 0) + weight
    path = tmp_path_factory.mktemp("log") / "log.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerows([("query", "item", "clicks"), *rows])
    data = load(path)
    names = list(dict.fromkeys(label for _, label, _ in rows))
    assert list(data.labels.texts) == names
    assert list(data.train.texts) == list(expected)
    assert weight_of(data.train) == {
        text: {names.index(label): weight for label, weight in labels.items()} for text, labels in expected.items()
    }
    assert data.findings.get(ZERO_WEIGHTS, 0) == sum(weight == 0 for _, _, weight in rows)
    given_rows = [list(column) for column in zip(*rows, strict=True)]
    assert_same_data(Dataset.from_pairs(*given_rows, settings=UNSPLIT), data, ignoring={"fields"})


def test_rows_without_weights_count_one_each(tmp_path):
    data = load(write(tmp_path / "log.tsv", "text\tlabel\na\tx\nb\tx\na\tx\n"))
    assert weight_of(data.train) == {"a": {0: 2}, "b": {0: 1}}


def test_more_clicks_than_float32_counts_one_by_one_are_added_exactly():
    weights = np.ones(2**24 + 2, np.float32)
    documents = logs._Pairs(  # from_pairs would take seconds for as many texts
        {"title": Dataset.from_lists(["a"], [["x"]]).train.texts}, np.zeros(1, np.int64), None
    )
    documents.document, documents.labels = np.zeros((2, len(weights)), np.int64)
    documents.weights = weights
    assert documents._targets((1, 1), Findings()).data.tolist() == [2**24 + 2]


@pytest.mark.parametrize(
    ("name", "content", "is_log"),
    [
        ("weights", "text,labels,weight\na,x,1\n", True),
        ("weights beside texts with bars", "text,label,clicks\na,x|y,1\n", True),
        ("weights beside lists", 'text,labels,count\na,"[""x""]",1\n', False),
        ("times", "text,labels,timestamp\na,x,1\n", True),
        ("times beside lists", "text,labels,timestamp\na,x|y,1\n", False),
        ("a singular name", "text,category\na,x\n", True),
        ("a singular name with lists", "text,category\na,x;y\n", False),
        ("a plural name", "text,tags\na,x\n", False),
        ("json scalars", '{"text":"a","label":"x|y"}\n', True),
        ("json numbers", '{"text":"a","item":3}\n', True),
        ("json lists", '{"text":"a","label":["x"]}\n', False),
        ("json plural", '{"text":"a","labels":"x"}\n', False),
        ("json weights", '{"text":"a","labels":"x","weight":2}\n', True),
        ("json weights beside lists", '{"text":"a","labels":["x"],"weight":2}\n', False),
    ],
)
def test_a_log_is_told_from_records_by_its_content(tmp_path, name, content, is_log):
    path = write(tmp_path / "data", content)
    assert logs.matches(path) is is_log
    assert records.matches(path) is not is_log
    for rows in ("pairs", "documents"):
        assert logs.matches(path, DataSettings(rows=rows)) is (rows == "pairs")
        assert records.matches(path, DataSettings(rows=rows)) is (rows == "documents")


@pytest.mark.parametrize("content", [b"", b"just a line of prose", b"2 5 3\n0 1:2\n", b"\x00\x01\x02", b"[1, 2]"])
def test_what_is_no_table_is_neither(tmp_path, content):
    path = write(tmp_path / "data", content)
    assert not logs.matches(path)
    assert not records.matches(path)
    assert not records.matches(tmp_path)


def test_a_single_log_is_split_into_whole_documents(tmp_path):
    lines = [f"t{i % 100}\tl{i % 7}" for i in range(1000)]
    path = write(tmp_path / "log.tsv", "text\tlabel\n" + "\n".join(lines))
    data = load(path, DataSettings(split="hash:0.3"))
    train, test = set(data.train.texts), set(data.test.texts)
    assert len(train) + len(test) == 100
    assert not train & test
    assert 10 < len(test) < 50


def test_a_document_has_the_time_of_its_earliest_pair(tmp_path):
    lines = ["early,x,2024-01-05", "late,x,2024-01-04", "early,y,2024-01-01", "late,y,2024-01-03T12:00:00+02:00"]
    path = write(tmp_path / "log.csv", "text,label,time\n" + "\n".join(lines))
    data = load(path, DataSettings(split="time:2024-01-02"))
    assert weight_of(data.train) == {"early": {0: 1, 1: 1}}
    assert weight_of(data.test) == {"late": {0: 1, 1: 1}}
    at_noon = load(path, DataSettings(split="time:2024-01-03T10:00:00"))
    assert list(at_noon.test.texts) == ["late"]
    later = load(path, DataSettings(split="time:2024-01-03T10:00:01"))
    assert len(later.test) == 0


def test_documents_are_told_apart_by_all_text_fields(tmp_path):
    path = write(tmp_path / "log.csv", "title,body,label\na,b,x\na,,x\na,b,y\n,a,x\n")
    data = load(path, DataSettings(text_fields=("title", "body"), split="none"))
    assert list(data.train.fields["title"]) == ["a", "a", ""]
    assert list(data.train.fields["body"]) == ["b", "", "a"]
    assert data.train.targets.toarray().tolist() == [[1, 1], [1, 0], [1, 0]]


def test_ids_of_labels_find_their_texts_in_a_second_file(tmp_path):
    path = write(tmp_path / "log.csv", "text,item,session\na,7,s1\nb,9,s2\n")
    labels = write(tmp_path / "labels.jsonl", '{"id":9,"title":"nine"}\n{"id":7,"title":"seven"}\n')
    data = load(path, label_texts=labels)
    assert list(data.labels.texts) == ["nine", "seven"]
    assert data.train.targets.toarray().tolist() == [[0, 1], [1, 0]]
    assert data.findings[logs.OTHER_COLUMNS] == 1
    without = load(path)
    assert list(without.labels.ids) == ["7", "9"]
    assert without.findings[NO_TEXTS] == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("text,label,weight\na,x,1\nb,y,-2\n", "log, line 3: found the weight -2.0 in the column 'weight', expected a weight"),  # noqa: E501
        ("text,label,weight\na,x,nan\n", "line 2: found the weight nan in the column 'weight'"),
        ("text,label,weight\na,x,inf\n", "line 2: found the weight inf"),
        ("text,label,weight\na,x,1e39\n", r"line 2: found the weight 1e\+39"),
        ("text,label,weight\na,x,1\nb,x,\n", "line 3: found '' in the column 'weight', expected a weight"),
        ('text,label,weight\n"a\n",x,1\nb,x,many\n', "line 4: found 'many' in the column 'weight'"),
        ('{"text":"a","label":"x","weight":"many"}\n', "line 1: found 'many'"),
        ('{"text":"a","label":"x","weight":1}\n{"text":"a","label":"x","weight":true}\n', "line 2: found True"),
        ('{"text":"a","label":"x","weight":1}\n{"text":"a","label":"x"}\n', "line 2: found no value in the column 'weight'"),  # noqa: E501
        ('{"text":"a","label":"x","weight":1}\n{"text":"a","weight":1}\n', "line 2: found no value in the column 'label'"),  # noqa: E501
        ('{"text":"a","label":["x"],"weight":1}\n', "line 1: found a list in the column 'label', expected one label"),
        ('{"text":"a","label":1.5}\n', "line 1: found the number 1.5 in the column 'label'"),
        ("text,label,date\na,x,2024-01-01\nb,x,yesterday\n", "line 3: found 'yesterday' in the column 'date', expected a time"),  # noqa: E501
        ('{"text":"a","label":"x","time":"2024-13-01"}\n', "line 1: found '2024-13-01' in the column 'time'"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_at_its_place(tmp_path, content, message):
    with pytest.raises(InputError, match=message):
        load(write(tmp_path / "log", content), DataSettings(split="time:0.5", rows="pairs"))


def test_a_column_that_a_setting_names_must_be_there(tmp_path):
    path = write(tmp_path / "log.csv", "text,label,clicks\na,x,1\n")
    with pytest.raises(InputError, match=r"expected one with the weight \(klicks\).*--set data.weight_field=clicks"):
        load(path, DataSettings(weight_field="klicks"))
    with pytest.raises(InputError, match=r"no column or argument with times.*data.time_field"):
        load(path, DataSettings(split="time:0.5"))
    with pytest.raises(InputError, match=r"holds no train.EXT"):
        load(tmp_path)
    with pytest.raises(InputError, match="does not exist"):
        load(tmp_path / "none.csv")


def test_what_a_log_cannot_carry_is_said_or_refused(tmp_path):
    data = Dataset.from_lists(["a", "a", "b"], [["x"], ["x"], []])
    assert logs.save(data, tmp_path / "one") == [
        "1 of the train documents have no label, so they have no row in a log.",
        "1 of the train documents have the text of another one: these become one document.",
    ]
    bracket = Dataset.from_lists(["a"], [["[x]"]])
    ids = dataclasses.replace(bracket.labels, ids=bracket.labels.texts, fields={}, text_fields=())
    lost = logs.save(Dataset(dataclasses.replace(bracket.train, labels=ids)), tmp_path / "two")
    assert lost == ["That a row is a pair cannot be seen in these files: to read them again, set data.rows to pairs."]
    named = dataclasses.replace(data.train, fields={"weight": data.train.texts}, text_fields=("weight",))
    with pytest.raises(InputError, match="a name that means something else"):
        logs.save(Dataset(named), tmp_path / "three")
    with pytest.raises(InputError, match="a log of them would be empty"):
        logs.save(Dataset.from_lists(["a"], [[]], ["x"]), tmp_path / "none")
    bare = dataclasses.replace(data.train, fields={}, text_fields=())
    with pytest.raises(InputError, match="have no text"):
        logs.save(Dataset(bare), tmp_path / "four")


def test_pairs_in_memory_are_split_by_hash_or_time():
    names = [f"t{i}" for i in range(100)]
    data = Dataset.from_pairs(names, [0] * 100, label_texts=["x"])
    assert 8 < len(data.test) < 35
    split = DataSettings(split="time:0.5")
    by_time = Dataset.from_pairs(
        ["a", "b", "a"], ["x", "x", "y"], times=["2024-01-03", "2024-01-02", 5], settings=split
    )
    assert list(by_time.train.texts) == ["a"]
    assert list(by_time.test.texts) == ["b"]
    assert weight_of(by_time.train) == {"a": {0: 1, 1: 1}}
    arrays = Dataset.from_pairs(names, np.arange(100), np.arange(100.0), times=np.arange(100), settings=split)
    assert list(arrays.test.texts) == names[50:]
    assert list(arrays.labels.ids) == [str(i) for i in range(100)]
    assert arrays.findings[ZERO_WEIGHTS] == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((["a", "b"], [0]), "^labels: found 1 entries, expected 2, one for each of texts"),
        ((["a", "b"], [0, 1], [1]), "^weights: found 1 entries"),
        ((["a", "b"], [0, 1], [1, -1]), r"^weights\[1\]: found the weight -1.0, expected a weight"),
        ((["a", "b"], [0, 1], [1, "x"]), r"^weights\[1\]: found 'x', expected a weight"),
        ((["a", "b"], [0, 1], np.array([1, np.nan])), r"^weights\[1\]: found the weight nan"),
        ((["a", "b"], [0, 2], None, ["x"]), r"^labels\[1\]: found 2, expected a row of label_texts, 0 to 0"),
        ((["a", "b"], ["x", None]), r"^labels\[1\]: found None, expected a text"),
        ((["a", "b"], ["x", ["y"]]), r"^labels\[1\]: found \['y'\], expected a text"),
        ((["a", "b"], np.array([0.5, 1])), r"^labels\[0\]: found 0.5, expected a text or a whole number"),
        ((["a", b"b"], [0, 1]), r"^texts\[1\]: found b'b', expected a text"),
    ],
)  # fmt: skip
def test_wrong_pairs_are_refused_by_argument_and_position(arguments, message):
    with pytest.raises(InputError, match=message):
        Dataset.from_pairs(*arguments)


def test_wrong_times_are_refused_by_position():
    with pytest.raises(InputError, match=r"^times\[1\]: found 'soon', expected a time: a number, or a date"):
        Dataset.from_pairs(["a", "b"], [0, 1], times=[1, "soon"], settings=DataSettings(split="time:0.5"))
    with pytest.raises(InputError, match=r"^times\[0\]: found nan"):
        Dataset.from_pairs(["a", "b"], [0, 1], times=np.array([np.nan, 1]), settings=DataSettings(split="time:0.5"))
