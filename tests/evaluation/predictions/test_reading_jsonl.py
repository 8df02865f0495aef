import json

import pytest

from xclare.errors import InputError
from xclare.evaluation import read_predictions


def line(*predictions, **more):
    return json.dumps({"text": "t", **more, "predictions": list(predictions)})


@pytest.fixture
def read(tmp_path):
    def reading(documents, *lines):
        path = tmp_path / "p.jsonl"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return read_predictions(path, documents)

    return reading


@pytest.fixture
def documents(make_documents):
    return make_documents(
        2, 4, ids=["d0", "7"], label_ids=["a", "b", "c", "5"], label_texts=["Same", "Other", "Same", "Fünf"]
    )


def test_labels_are_known_by_id_or_by_text(read, documents):
    found = read(
        documents,
        line({"id": "b", "label": "whatever", "score": 0.5}, {"id": 5, "score": 1}),
        line({"label": "Fünf", "score": -0.5}, {"id": None, "label": "Other", "score": 0}),
    )
    assert found.toarray().tolist() == [[0, 0.5, 0, 1], [0, 0, 0, -0.5]]
    assert found.nnz == 4


def test_labels_without_ids_are_known_by_row_number(read, make_documents):
    found = read(make_documents(1, 3), line({"id": "2", "score": 1}, {"id": 0, "score": 2}))
    assert found.toarray().tolist() == [[2, 0, 1]]
    for wrong in ("02", "3", -1, "+1", "1_0", "٢", ""):
        with pytest.raises(InputError, match="expected as the id of a label a row number from 0 to 2"):
            read(make_documents(1, 3), line({"id": wrong, "score": 1}))


@pytest.mark.parametrize("key", ["id", "uid"])
def test_lines_with_ids_of_documents_may_stand_in_any_order(read, documents, key):
    found = read(documents, line(**{key: 7}), line({"id": "a", "score": 1}, **{key: "d0"}))
    assert found.toarray().tolist() == [[1, 0, 0, 0], [0, 0, 0, 0]]


def test_lines_without_ids_or_with_others_stand_in_the_order_of_the_documents(read, documents):
    for ids in ({}, {"id": "some number of theirs"}):
        found = read(documents, "", line(**ids), "  ", line({"id": "a", "score": 1}, **ids))
        assert found.toarray().tolist() == [[0, 0, 0, 0], [1, 0, 0, 0]]


ONE = {"id": "a", "score": 1}


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            [line(), line(ONE, {"id": "x", "score": 1})],
            r"line 2: found the label 'x', expected as the id of a label one",
        ),
        (
            [line(), "", line({"label": "Same", "score": 1})],
            r"line 3: found the label 'Same', expected the text of exac",
        ),
        ([line({"score": 1})], r"line 1: found a prediction without a label"),
        ([line(ONE, ONE), line()], r"line 1: found the label 'a' a second time, expected each label once"),
        ([line({"label": "Fünf", "score": 1}, {"id": 5, "score": 2})], r"found the label '5' a second time"),
        ([line({"id": "a"})], r"line 1: found .* \(Object missing required field `score`"),
        ([line({"id": "a", "score": "1"})], r"line 1: .*Expected `float`, got `str`"),
        ([line(), '{"predictions": [{"id": "a", "score": NaN}]}'], r"line 2, column 39: found .*malformed"),
        ([line(), '{"predictions": [{"id": "a", "score": 1e999}]}'], r"line 2"),
        ([line(), line()[:-3]], r"line 2: found .*truncated"),
        ([line(), "[]"], r"line 2: .*Expected `object`, got `array`"),
        ([line()], r"found 1 lines, expected one line for each of the 2 documents"),
        ([line(), line(), line()], r"found 3 lines"),
        ([line(id="d0"), line(id="d0")], r"line 2: found the document 'd0' a second time"),
        ([line(id="d0"), line(id="d1")], r"line 2: found the document 'd1', expected one of the 2 ids. Other lines"),
        ([line(id="d0"), line()], r"line 2: found a document without an id"),
        (['{"predictions": ' + "[" * 100_000], r"line 1"),
    ],
)
def test_malformed_lines_are_refused_at_their_place(read, documents, lines, message):
    with pytest.raises(InputError, match=message):
        read(documents, *lines)


def test_broken_utf_8_is_refused_at_its_byte(tmp_path, documents):
    path = tmp_path / "p"
    path.write_bytes(line().encode() + b'\n{"text": "\xff"}')
    with pytest.raises(InputError, match=r"line 2, column 11: found the bytes"):
        read_predictions(path, documents)


def test_a_byte_order_mark_and_windows_line_ends_are_read_over(tmp_path, documents):
    path = tmp_path / "p"
    path.write_bytes(b"\xef\xbb\xbf" + line(ONE).encode() + b"\r\n" + line().encode() + b"\r\n")
    assert read_predictions(path, documents).toarray().tolist() == [[1, 0, 0, 0], [0, 0, 0, 0]]
