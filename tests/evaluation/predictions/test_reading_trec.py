import math

import pytest

from xclare.errors import InputError
from xclare.evaluation import read_predictions


@pytest.fixture
def read(tmp_path):
    def reading(documents, text):
        path = tmp_path / "p.run"
        path.write_bytes(text.encode())
        return read_predictions(path, documents)

    return reading


@pytest.fixture
def documents(make_documents):
    return make_documents(3, 3, ids=["q1", "q2", "q3"], label_ids=["a", "b", "c"])


def test_scores_decide_and_not_ranks_or_the_order_of_lines(read, documents):
    found = read(documents, "q3 Q0 b 1 0.5 tag\nq1 Q0 c 1 -1 x\nq3\tQ0\ta  7 2e1 tag")
    assert found.toarray().tolist() == [[0, 0, -1], [0, 0, 0], [20, 0.5, 0]]


def test_blank_lines_and_windows_line_ends_are_read_over(read, documents):
    found = read(documents, "\r\nq1 Q0 c 1 1 x\r\n\r\n  \r\nq2 Q0 c 1 inf x\r\n")
    assert found.toarray().tolist() == [[0, 0, 1], [0, 0, math.inf], [0, 0, 0]]


@pytest.mark.parametrize("ids", [None, ["x", "x"], ["a b", "c"], ["", "y"], ["{", "z"]])
def test_where_ids_are_no_distinct_words_row_numbers_are_the_names(read, make_documents, ids):
    documents = make_documents(2, 2, ids=ids, label_ids=ids)
    assert read(documents, "1 Q0 0 1 0.5 tag\n").toarray().tolist() == [[0, 0], [0.5, 0]]
    with pytest.raises(InputError, match="found the label '2', expected a row number from 0 to 1"):
        read(documents, "1 Q0 2 1 0.5 tag\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q1 Q0 a 1 1 t\nq1 Q0 b 1 t\n", r"line 2: found 5 fields in 'q1 Q0 b 1 t', expected six fields"),
        ("q1 Q0 a 1 1\nx q1 Q0 b 2 1 t\n", r"line 1: found 5 fields"),
        ("q1 Q0 a 1 1 t\n\nq9 Q0 b 1 1 t\n", r"line 3: found the document 'q9', expected one of the 3 ids"),
        ("q1 Q0 z 1 1 t\n", r"line 1: found the label 'z', expected one of the 3 ids"),
        ("q1 Q0 a 1 nan t\n", r"line 1: found the score 'nan', expected a number"),
        ("q1 Q0 a 1 high t\n", r"found the score 'high', expected a number"),
        ("q1 Q0 a 1 1_0 t\n", r"found the score '1_0', expected a number"),
        (
            "q1 Q0 a 1 1 t\nq2 Q0 a 1 1 t\nq1 Q0 a 2 0 t\n",
            r"line 3: found the document 'q1' with the label 'a' a second",
        ),
        ("q1 Q0 \0 1 1 \0\n", r"line 1: found the label '\\x00'"),
        ("", r"found no content"),
        (" \n\n", r"found no content"),
    ],
)
def test_malformed_lines_are_refused_at_their_place(read, documents, text, message):
    with pytest.raises(InputError, match=message):
        read(documents, text)


def test_broken_utf_8_is_refused_at_its_byte(tmp_path, documents):
    path = tmp_path / "p"
    path.write_bytes(b"q1 Q0 a 1 1 t\nq1 Q0 \xff 1 1 t\n")
    with pytest.raises(InputError, match="line 2, column 7"):
        read_predictions(path, documents)
