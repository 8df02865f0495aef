import dataclasses
import gzip
import io
from types import SimpleNamespace

import numpy as np
import pytest

from xclare.data.formats.npz import write_csr
from xclare.data.settings import DataSettings
from xclare.errors import InputError
from xclare.inference.documents import read_documents, read_label_rows, rows_of_labels
from xclare.inference.output import check_output, text_lines
from xclare.sparse import csr_from_pairs
from xclare.strings import Strings


def model_of(texts=None, ids=None, count=4):
    """Of a model only its labels."""
    return SimpleNamespace(
        labels=count,
        label_texts=None if texts is None else Strings.of(texts),
        label_ids=None if ids is None else Strings.of(ids),
    )


MODEL = model_of(["apple", "pear", "apple", "7"], ["a", "b", "c", "pear"])


def read(tmp_path, name, data, **settings):
    (tmp_path / name).write_bytes(data if isinstance(data, bytes) else data.encode())
    return read_documents(tmp_path / name, io.BytesIO(), MODEL, DataSettings(**settings))


@pytest.mark.parametrize(
    ("data", "texts"),
    [
        (b"", []),
        (b"one", ["one"]),
        (b"one\ntwo\n", ["one", "two"]),
        (b"one\r\n\r\ntwo\r\n", ["one", "", "two"]),
        (b"\xef\xbb\xbfone\n", ["one"]),
        ("grün\n".encode(), ["grün"]),
    ],
)
def test_lines_of_standard_input_are_texts(data, texts):
    found = read_documents(None, io.BytesIO(data), MODEL, DataSettings())
    assert list(found.texts) == texts
    assert found.targets.shape == (len(texts), 4)


def test_lines_of_a_file_are_texts(tmp_path):
    assert list(read(tmp_path, "x.txt", "one\ntwo").texts) == ["one", "two"]
    assert list(read(tmp_path, "x.txt.gz", gzip.compress(b"one\n")).texts) == ["one"]


def test_a_line_that_is_no_utf_8_is_named(tmp_path):
    with pytest.raises(InputError, match=r"x\.txt, line 2"):
        read(tmp_path, "x.txt", b"one\n\xff\n")
    with pytest.raises(InputError, match="standard input, line 1"):
        read_documents(None, io.BytesIO(b"\xff"), MODEL, DataSettings())


def test_a_table_has_a_column_of_texts_and_perhaps_of_ids(tmp_path):
    found = read(tmp_path, "x.jsonl", '{"id": "d1", "text": "one"}\n{"id": "d2", "text": "two"}\n')
    assert (list(found.texts), list(found.ids)) == (["one", "two"], ["d1", "d2"])
    found = read(tmp_path, "x.csv", 'title,price\n"one, or two",3\nthree,4\n')
    assert (list(found.texts), found.ids) == (["one, or two", "three"], None)
    found = read(tmp_path, "x.tsv", "uid\tquery\n1\tone\n")
    assert (list(found.texts), list(found.ids)) == (["one"], ["1"])


def test_texts_of_several_columns_are_joined(tmp_path):
    found = read(tmp_path, "x.csv", "a,b\none,two\n,three\n", text_fields=("a", "b"))
    assert list(found.texts) == ["one two", "three"]


def test_a_table_without_the_column_that_was_named_is_refused(tmp_path):
    with pytest.raises(InputError, match="body"):
        read(tmp_path, "x.jsonl", '{"text": "one"}\n', text_fields=("body",))


def test_a_csr_holds_features(tmp_path):
    write_csr(tmp_path / "x.npz", csr_from_pairs([0, 2], [1, 0], (3, 5)))
    found = read_documents(tmp_path / "x.npz", io.BytesIO(), MODEL, DataSettings())
    assert found.features.shape == (3, 5)
    assert not found.has_text
    assert found.targets.shape == (3, 4)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match=r"nothing\.txt does not exist"):
        read_documents(tmp_path / "nothing.txt", io.BytesIO(), MODEL, DataSettings())


def test_labels_are_named_by_text_or_id_and_all_of_a_name_are_meant(tmp_path):
    assert rows_of_labels(["apple", "b"], MODEL, "x").tolist() == [0, 2, 1]
    assert rows_of_labels(["pear"], MODEL, "x").tolist() == [1], "a text goes before an id"
    assert rows_of_labels(["7"], MODEL, "x").tolist() == [3]
    (tmp_path / "names").write_text("c\r\napple\n")
    assert read_label_rows(tmp_path / "names", MODEL).tolist() == [2, 0, 2]
    assert rows_of_labels([], MODEL, "x").tolist() == []


def test_labels_without_ids_are_named_by_number_too():
    assert rows_of_labels(["3", "0"], model_of(), "x").tolist() == [3, 0]
    assert rows_of_labels(["apple", "3"], model_of(["apple", "pear", "a", "b"]), "x").tolist() == [0, 3]


@pytest.mark.parametrize("name", ["plum", "", "4", "-1", "0"])
def test_an_unknown_label_is_refused_with_its_line(tmp_path, name):
    (tmp_path / "names").write_text(f"apple\n{name}\n")
    with pytest.raises(InputError, match=r"names, line 2: found .*, expected the text or id of a label of the model"):
        read_label_rows(tmp_path / "names", MODEL)


@pytest.mark.parametrize(
    ("name", "out", "message"),
    [
        ("xml", None, "--format xml: expected one of text, npz, jsonl, trec"),
        ("npz", None, "--format npz needs a file: name it with --out FILE"),
        ("trec", None, "--format trec needs a file"),
    ],
)
def test_a_format_that_cannot_be_is_refused(name, out, message):
    with pytest.raises(InputError, match=message):
        check_output(name, out)


def test_text_output_has_a_line_for_every_document_and_label():
    documents = read_documents(None, io.BytesIO(b"one\n\n"), MODEL, DataSettings())
    scores = csr_from_pairs([0, 0], [1, 3], (2, 4), [0.25, 0.75])
    predictor = SimpleNamespace(name_of=lambda label: f"label {label}")
    assert list(text_lines(predictor, documents, scores)) == ["one", "  0.7500\tlabel 3", "  0.2500\tlabel 1", "#1"]
    unnamed = dataclasses.replace(documents, fields={}, text_fields=())
    assert next(text_lines(predictor, unnamed, scores)) == "#0"
    assert np.isfinite(scores.data).all()
