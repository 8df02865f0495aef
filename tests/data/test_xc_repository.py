import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support import assert_same_data, datasets
from xclare.data import ready_features, xc_repository
from xclare.data.files import BLANK_LINES, REPEATED_LABELS, WINDOWS_LINE_ENDS, ZERO_WEIGHTS, Findings
from xclare.data.formats.text_columns import NOT_TEXT
from xclare.data.settings import DataSettings
from xclare.errors import InputError
from xclare.progress import SILENT
from xclare.strings import Strings

LABELS = ["red", "green", "blue"]


def write(folder, name, rows):
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))


def load(folder, findings=None, **chosen):
    return xc_repository.load(folder, DataSettings(**chosen), Findings() if findings is None else findings, SILENT)


@pytest.fixture
def folder(tmp_path):
    write(tmp_path, "lbl.json", [{"uid": str(i), "title": text} for i, text in enumerate(LABELS)])
    write(
        tmp_path,
        "trn.json",
        [
            {"uid": "a", "title": "roses", "content": "are", "target_ind": [2, 0], "target_rel": [0.5, 2.0]},
            {"uid": "b", "title": "grass", "content": "is", "target_ind": [1]},
            {"uid": "c", "title": "", "content": "", "target_ind": []},
        ],
    )
    write(tmp_path, "tst.json", [{"uid": "d", "title": "sky", "target_ind": [2], "target_rel": [1.0]}])
    return tmp_path


@pytest.fixture
def refused(folder):
    """Writes the lines as training documents and gives the message they are refused with."""

    def message(*lines):
        (folder / "trn.json").write_bytes(b"\n".join(lines) + b"\n")
        with pytest.raises(InputError) as error:
            load(folder)
        return str(error.value)

    return message


class TestReading:
    def test_texts_targets_and_weights_stand_where_the_files_say(self, folder):
        data = load(folder)
        assert data.train.targets.toarray().tolist() == [[2, 0, 0.5], [0, 1, 0], [0, 0, 0]]
        assert data.test.targets.toarray().tolist() == [[0, 0, 1]]
        assert list(data.train.texts) == ["roses", "grass", ""]
        assert list(data.train.fields["content"]) == ["are", "is", ""]
        assert list(data.train.ids) == ["a", "b", "c"]
        assert list(data.labels.texts) == LABELS

    def test_text_fields_are_joined_where_the_settings_name_several(self, folder):
        data = load(folder, text_fields=("title", "content"))
        assert list(data.train.texts) == ["roses are", "grass is", ""]
        assert list(data.test.texts) == ["sky"]
        assert list(data.labels.texts) == LABELS

    def test_a_text_field_that_is_not_there_is_refused(self, folder):
        with pytest.raises(InputError, match=r"'body'.*title, content"):
            load(folder, text_fields=("body",))

    def test_without_test_and_label_files_the_labels_are_counted(self, folder):
        (folder / "tst.json").unlink()
        (folder / "lbl.json").unlink()
        findings = Findings()
        data = load(folder, findings)
        assert data.test is None
        assert data.labels.count == 3
        assert not data.labels.has_text
        assert findings == {xc_repository.NO_LABEL_FILE: 1}

    def test_what_is_handled_is_counted(self, folder):
        lines = (
            b'{"uid": "a", "title": null, "target_ind": [1, 1, 0], "target_rel": [2, 3, 0], "size": 5}\r\n'
            b"\r\n"
            b'{"title": "x", "target_ind": null}\r\n'
        )
        (folder / "trn.json").write_bytes(lines)
        findings = Findings()
        data = load(folder, findings)
        assert data.train.targets.toarray().tolist() == [[0, 3, 0], [0, 0, 0]]
        assert list(data.train.ids) == ["a", ""]
        assert findings == {
            BLANK_LINES: 1,
            WINDOWS_LINE_ENDS: 1,
            ZERO_WEIGHTS: 1,
            REPEATED_LABELS: 1,
            NOT_TEXT: 1,
            xc_repository.NO_TARGETS: 1,
            "missing or null values of `title`, read as empty text": 1,
        }

    def test_a_key_that_comes_up_late_is_kept(self, folder):
        rows = [{"title": f"t{i}", "target_ind": []} for i in range(20_000)]
        rows[19_990]["note"] = "late"
        write(folder, "trn.json", rows)
        findings = Findings()
        notes = list(load(folder, findings).train.fields["note"])
        assert notes.index("late") == 19_990
        assert notes.count("") == 19_999
        assert findings["missing or null values of `note`, read as empty text"] == 19_999

    def test_numbers_serve_as_ids(self, folder):
        write(folder, "trn.json", [{"uid": 7, "title": "x", "target_ind": [0]}])
        assert list(load(folder).train.ids) == ["7"]

    def test_features_in_the_folder_are_read_only_where_there_is_no_text(self, folder):
        data = load(folder)
        features = data.train.targets, data.test.targets
        labels = replace(data.labels, features=None)
        ready = replace(
            data,
            train=replace(data.train, features=features[0], labels=labels),
            test=replace(data.test, features=features[1], labels=labels),
        )
        ready_features.save(ready, folder / "features.npz")
        assert not load(folder).has_features
        write(folder, "trn.json", [{"target_ind": [0]}] * 3)
        assert load(folder).has_features


class TestRefusing:
    good = b'{"title": "x", "target_ind": [0]}'

    def test_a_label_out_of_range(self, refused):
        message = refused(self.good, b'{"title": "y", "target_ind": [0,3]}')
        assert "trn.json, line 2, column 33: found 3, expected a label below 3" in message

    def test_a_negative_label(self, refused):
        message = refused(self.good, b"", b'{"target_ind": [-1]}')
        assert "line 3, column 17: found '-1" in message
        assert "`target_ind[0]`" in message

    def test_weights_that_are_not_as_many_as_labels(self, refused):
        message = refused(self.good, b'{"target_ind": [0, 1], "target_rel": [1.0]}')
        assert "line 2, column 38: found 1 weights, expected 2" in message

    @pytest.mark.parametrize("weight", [b"NaN", b"Infinity", b"-1", b"1e39", b"1e400", b'"1"', b"null"])
    def test_weights_that_are_no_finite_numbers(self, refused, weight):
        message = refused(self.good, b'{"target_ind": [0], "target_rel": [%s]}' % weight)
        assert "line 2, column 3" in message

    def test_a_text_that_is_no_text_names_its_place(self, refused):
        assert "line 1, column 16: found str" in refused(b'{"target_ind": "0"}')

    def test_broken_utf8(self, refused):
        message = refused(self.good, b'{"title": "caf\xe9", "target_ind": [0]}')
        assert "line 2, column 15" in message
        assert "UTF-8" in message

    @pytest.mark.parametrize("escape", [rb"\ud800", rb"\udc00", rb"\ud800\u0041", rb"x\ud83d"])
    def test_half_a_surrogate_pair(self, refused, escape):
        message = refused(self.good, b'{"title": "%s"}' % escape)
        assert f"line 2, column {12 + escape.index(92)}: found half a surrogate pair" in message

    def test_one_big_list_with_a_hint(self, refused):
        message = refused(b"[" + self.good + b",", self.good + b"]")
        assert "line 1" in message
        assert "jq -c '.[]'" in message

    def test_objects_over_several_lines_with_a_hint(self, refused):
        message = refused(b"{", b'"title": "x"', b"}")
        assert "line 1" in message
        assert "jq -c ." in message

    def test_two_objects_on_a_line(self, refused):
        assert "line 2, column 36" in refused(self.good, self.good + b" " + self.good)

    def test_an_object_that_crosses_lines_even_where_the_counts_fit(self, refused):
        assert "line 1, column 13" in refused(b'{"title":1}{"title":', b'"x"}')

    def test_a_line_cut_short(self, refused):
        assert "line 2, column 10: found the end of the line" in refused(self.good, b'{"title": ')

    def test_nesting_without_end(self, refused):
        assert "line 2: found JSON nested too deeply" in refused(self.good, b'{"x":' + b"[" * 100_000 + b"}")

    def test_ever_new_keys(self, refused):
        assert "different keys" in refused(*(b'{"k%d": "x"}' % number for number in range(2000)))

    def test_a_damaged_gzip_file(self, folder):
        (folder / "lbl.json").write_bytes(b"\x1f\x8b\x08\x00broken")
        with pytest.raises(InputError, match=r"lbl\.json is a damaged gzip file"):
            load(folder)


class TestReciprocalPairs:
    def test_they_are_excluded_and_stay_targets(self, folder):
        (folder / "filter_labels_train.txt").write_text("0 2\n1 0\n")
        (folder / "filter_labels_test.txt").write_text("0 1\n")
        data = load(folder)
        assert data.train.excluded.toarray().tolist() == [[0, 0, 1], [1, 0, 0], [0, 0, 0]]
        assert data.test.excluded.toarray().tolist() == [[0, 1, 0]]
        assert data.train.targets.nnz == 3

    def test_they_leave_the_training_targets_where_asked(self, folder):
        (folder / "filter_labels_train.txt").write_text("0 2\n1 0\n")
        data = load(folder, drop_reciprocal_training_pairs=True)
        assert data.train.targets.toarray().tolist() == [[2, 0, 0], [0, 1, 0], [0, 0, 0]]


class TestWriting:
    @given(
        data=datasets(text=st.text(max_size=8), fields=("title", "content", "so ö:'"), ids=True, features=True),
        gz=st.booleans(),
    )
    @settings(max_examples=60, deadline=None)
    def test_reads_back_the_same(self, tmp_path_factory, data, gz):
        folder = tmp_path_factory.mktemp("raw")
        lost = xc_repository.save(data, folder, SILENT, gz=gz)
        again = ready_features.apply(load(folder), folder / "features.npz", Findings())
        assert_same_data(data, again)
        assert len(lost) == 1
        assert "--features" in lost[0]

    @given(data=datasets())
    @settings(max_examples=20, deadline=None)
    def test_data_without_any_text_keeps_its_targets(self, tmp_path_factory, data):
        folder = tmp_path_factory.mktemp("raw")
        assert xc_repository.save(data, folder, SILENT) == []
        assert_same_data(data, load(folder))

    def test_says_what_it_renames_and_leaves_out(self, tmp_path, folder):
        data = load(folder)
        fields = {"query": data.train.fields["title"], "uid": data.train.fields["content"]}
        labels = data.labels
        train = replace(data.train, fields=fields, text_fields=("query",), labels=labels)
        target = tmp_path / "again"
        target.mkdir()
        lost = xc_repository.save(replace(data, train=train, test=None), target, SILENT)
        assert len(lost) == 2
        assert "'uid'" in lost[0]
        assert "`query`: it is written as `title`" in lost[1]
        assert list(load(target).train.fields) == ["title"]
        assert load(target).train.texts == Strings.of(["roses", "grass", ""])


FIGURES = {  # of the table in the data sets' own README
    "docs-seealso-titles-100k": (140_536, 56_005, 94_296, 2.61, 3.89, 82.5),
    "debian-deps-25k": (34_906, 14_642, 23_519, 5.06, 7.52, 81.3),
}


@pytest.mark.data
@pytest.mark.parametrize("name", FIGURES)
def test_real_data_has_its_published_figures_and_survives_a_round_trip(name, tmp_path):
    if not os.environ.get("XCLARE_DATA"):
        pytest.skip("XCLARE_DATA is not set: it names the folder with the real data sets")
    source = Path(os.environ["XCLARE_DATA"]) / name
    data = ready_features.apply(load(source), source / "features.npz", Findings())
    targets = data.train.targets
    counts = targets.sum(axis=0, dtype=int)
    train, test, labels, labels_a_document, documents_a_label, rare = FIGURES[name]
    assert (data.train.count, data.test.count, data.labels.count) == (train, test, labels)
    assert targets.nnz / train == pytest.approx(labels_a_document, abs=0.005)
    assert targets.nnz / labels == pytest.approx(documents_a_label, abs=0.005)
    assert 100 * (counts < 5).mean() == pytest.approx(rare, abs=0.05)
    lines = (source / "filter_labels_train.txt").read_bytes().count(b"\n")
    assert data.train.excluded.nnz == lines
    xc_repository.save(data, tmp_path, SILENT, gz=False)
    assert_same_data(data, ready_features.apply(load(tmp_path), tmp_path / "features.npz", Findings()))
