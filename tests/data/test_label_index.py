from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from xclare.data.dataset import Labels
from xclare.data.files import Findings
from xclare.data.in_memory import refuse_in
from xclare.data.label_file import label_columns, read_labels
from xclare.data.label_index import NO_TEXTS, Index, Mentions, repeated, resolve
from xclare.data.settings import DataSettings
from xclare.errors import InputError
from xclare.strings import Strings


def mention(values, *, typed=True, argument="labels"):
    packed = Strings.of(values) if values and isinstance(values[0], str) else np.array(values, np.int64)
    return Mentions(packed, refuse_in(argument), typed)


def resolved(mentions, labels=None):
    findings = Findings()
    found, rows = resolve(mentions, labels, findings, "labels.csv")
    return found, [row.tolist() for row in rows], findings


@given(st.lists(st.lists(st.text(max_size=2), max_size=6), min_size=1, max_size=4))
def test_texts_are_numbered_as_they_come_up(parts):
    seen = list(dict.fromkeys(text for part in parts for text in part))
    labels, rows, _ = resolved([mention(part) for part in parts])
    if seen:
        assert list(labels.texts) == seen
        assert rows == [[seen.index(text) for text in part] for part in parts]
    else:
        assert labels.count == 0


@given(st.lists(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=6), min_size=1, max_size=4))
def test_numbers_without_a_file_become_ids_in_their_order(parts):
    distinct = sorted({number for part in parts for number in part})
    labels, rows, findings = resolved([mention(part) for part in parts])
    if distinct:
        assert list(labels.ids) == list(map(str, distinct))
        assert rows == [[distinct.index(number) for number in part] for part in parts]
        assert findings[NO_TEXTS] == 1


IDS = Labels(3, Strings.of(["7", "x", "007"]), {"title": Strings.of(["a", "b", "7"])}, ("title",))
TEXTS = Labels(3, None, {"title": Strings.of(["a", "b", "12"])}, ("title",))


@pytest.mark.parametrize(
    ("labels", "values", "typed", "rows"),
    [
        (IDS, ["007", "x", "7"], False, [2, 1, 0]),
        (IDS, [7, 7], True, [0, 0]),
        (TEXTS, [2, 0], True, [2, 0]),
        (TEXTS, ["2", "0"], False, [2, 0]),
        (TEXTS, ["b", "12"], False, [1, 2]),
        (TEXTS, ["12"], True, [2]),
    ],
)
def test_a_label_set_says_what_a_name_means(labels, values, typed, rows):
    found, got, _ = resolved([mention(values, typed=typed)], labels)
    assert found is labels
    assert got == [rows]


@pytest.mark.parametrize(
    ("labels", "values", "typed", "message"),
    [
        (IDS, ["7", "y"], True, r"labels\[1\]: found the label 'y', expected the id of a label in labels.csv"),
        (IDS, [8], True, r"labels\[0\]: found the label 8, expected the id"),
        (TEXTS, [0, -1], True, r"labels\[1\]: found -1, expected a row of labels.csv, 0 to 2"),
        (TEXTS, ["3"], False, r"labels\[0\]: found 3, expected a row of labels.csv, 0 to 2"),
        (TEXTS, ["3"], True, r"labels\[0\]: found the label '3', expected the text of a label"),
    ],
)
def test_a_name_without_a_label_is_refused(labels, values, typed, message):
    with pytest.raises(InputError, match=message):
        resolved([mention(values, typed=typed)], labels)


def test_texts_and_numbers_do_not_mix_across_files():
    with pytest.raises(
        InputError, match=r"test\[0\]: found the label 'x', expected a number, as for the labels before"
    ):
        resolved([mention([1]), mention([]), mention(["x"], argument="test")])
    with pytest.raises(InputError, match=r"test\[0\]: found the label 1, expected a text, as for the labels before"):
        resolved([mention(["x"]), mention([1], argument="test")])


@given(st.lists(st.text(max_size=1)))
def test_an_index_numbers_strings_in_the_order_of_first_use(strings):
    index = Index()
    numbers = index.number(strings, len(strings))
    assert [list(index)[number] for number in numbers.tolist()] == strings
    assert list(index) == list(dict.fromkeys(strings))


def test_the_first_repetition_is_found():
    assert repeated(Strings.of(["a", "b", "c", "b", "a"])) == (1, 3)


def read(path, content, settings=None):
    path.write_bytes(content.encode())
    return read_labels(path, settings or DataSettings(), Findings())


@pytest.mark.parametrize(
    ("name", "content", "ids", "texts"),
    [
        ("l.txt", "zero\n\ntitle of two, and more\n", None, ["zero", "", "title of two, and more"]),
        ("l", "a\r\nb", None, ["a", "b"]),
        ("l", "title\na\n", None, ["a"]),
        ("l", "id,name\n1,one\n2,two\n", ["1", "2"], ["one", "two"]),
        ("l", "label_id\tlabel\n1\tone\n", ["1"], ["one"]),
        ("l", '{"uid":1,"title":"one"}\n{"uid":2}\n', ["1", "2"], ["one", ""]),
        ("l.csv", "code\n1\n2\n", None, ["", ""]),
        ("l", "", None, []),
    ],
)
def test_a_file_of_labels_is_a_table_or_lines(tmp_path, name, content, ids, texts):
    labels = read(tmp_path / name, content)
    assert (None if labels.ids is None else list(labels.ids)) == ids
    assert list(labels.texts) == texts


def test_the_settings_name_the_columns_of_labels_too(tmp_path):
    settings = DataSettings(text_fields=("name", "more", "absent"), id_field="key")
    labels = read(tmp_path / "l", "key;id;name;more\nk;9;a;b\n", settings)
    assert list(labels.ids) == ["k"]
    assert list(labels.texts) == ["a b"]
    assert list(labels.fields) == ["id", "name", "more"]


def test_labels_whose_fields_have_other_meanings_are_written_without_them():
    fields = {"uid": Strings.of(["u"]), "title": Strings.of(["t"])}
    names, columns, lost = label_columns(Labels(1, None, fields, ("title",)))
    assert names.tolist() == [0]
    assert list(columns) == ["title"]
    assert lost == ["The field 'uid' of the labels is not carried: a column of this name is read as something else."]
    names, columns, lost = label_columns(Labels(1, Strings.of(["i"]), fields, ("title",)))
    assert (list(names), list(columns), lost) == (["i"], ["id", "uid", "title"], [])
    assert "set data.text_fields to uid" in label_columns(Labels(1, Strings.of(["i"]), fields, ("uid",)))[2][0]
