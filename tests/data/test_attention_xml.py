import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from support import assert_same_data, datasets
from xclare.data import attention_xml
from xclare.data.files import Findings
from xclare.data.settings import DataSettings
from xclare.errors import InputError
from xclare.progress import SILENT

LINE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r"), max_size=8)


def load(folder):
    return attention_xml.load(folder, DataSettings(), Findings(), SILENT)


def put(folder, **files):
    for name, text in files.items():
        (folder / f"{name}.txt").write_text(text)


class TestReading:
    def test_words_are_the_labels_own_texts(self, tmp_path):
        put(tmp_path, train_texts="a b\n\nc", train_labels="x_1 y\n\ny", test_texts="d\n", test_labels=" z\tx_1 \n")
        data = load(tmp_path)
        assert list(data.train.texts) == ["a b", "", "c"]
        assert list(data.labels.texts) == ["x_1", "y", "z"]
        assert data.train.targets.toarray().tolist() == [[1, 1, 0], [0, 0, 0], [0, 1, 0]]
        assert data.test.targets.toarray().tolist() == [[1, 0, 1]]

    def test_raw_texts_are_taken_where_tokenized_ones_stand_beside_them(self, tmp_path):
        put(tmp_path, train_texts="a tokenized , text\n", train_raw_texts="A tokenized, text\n", train_labels="x\n")
        assert list(load(tmp_path).train.texts) == ["A tokenized, text"]

    @pytest.mark.parametrize("name", ["label_texts", "labels", "output-items", "label_map", "Y"])
    def test_numbers_are_rows_of_the_label_texts(self, tmp_path, name):
        put(tmp_path, train_texts="a\nb\n", train_labels="2 0\n1\n", **{name: "red\ngreen\ndark blue\n"})
        data = load(tmp_path)
        assert list(data.labels.texts) == ["red", "green", "dark blue"]
        assert data.train.targets.toarray().tolist() == [[1, 0, 1], [0, 1, 0]]

    def test_words_are_found_among_the_label_texts(self, tmp_path):
        put(tmp_path, train_texts="a\n", train_labels="green\n", labels="red\ngreen\n")
        assert load(tmp_path).train.targets.toarray().tolist() == [[0, 1]]

    def test_sparse_labels_serve_as_well(self, tmp_path):
        put(tmp_path, trn_X="a\nb\n", trn_X_Y="2 2\n1:1\n0:0.5\n", Y="red\ngreen\n")
        put(tmp_path, trn_filter_labels="0 1\n")
        data = load(tmp_path)
        assert data.train.targets.toarray().tolist() == [[0, 1], [0.5, 0]]
        assert data.train.excluded.toarray().tolist() == [[0, 1], [0, 0]]

    def test_pecos_folders_are_read(self, tmp_path):
        (tmp_path / "X.trn.txt").write_text("a\nb\n")
        (tmp_path / "output-items.txt").write_text("red\ngreen\n")
        scipy.sparse.save_npz(tmp_path / "Y.trn.npz", scipy.sparse.csr_array(np.array([[0, 1], [1, 0]], np.float32)))
        assert attention_xml.matches(tmp_path)
        assert load(tmp_path).train.targets.toarray().tolist() == [[0, 1], [1, 0]]


class TestRefusing:
    def test_a_word_that_is_no_label(self, tmp_path):
        put(tmp_path, train_texts="a\nb\n", train_labels="red\ngreen  pink\n", labels="red\ngreen\n")
        with pytest.raises(InputError, match=r"train_labels\.txt, line 2, column 8: found the label 'pink'"):
            load(tmp_path)

    def test_a_number_out_of_range(self, tmp_path):
        put(tmp_path, train_texts="a\n", train_labels="0 2\n", labels="red\ngreen\n")
        with pytest.raises(InputError, match=r"train_labels\.txt, line 1, column 3: found 2"):
            load(tmp_path)

    def test_a_number_out_of_range_in_a_matrix(self, tmp_path):
        put(tmp_path, trn_X="a\n", trn_X_Y="1:1 2:1\n", Y="red\ngreen\n")
        with pytest.raises(InputError, match=r"trn_X_Y\.txt, line 1, column 5: found 2, expected a label below 2"):
            load(tmp_path)

    def test_texts_and_labels_of_different_lengths(self, tmp_path):
        put(tmp_path, train_texts="a\nb\n", train_labels="x\n")
        with pytest.raises(InputError, match=r"train_labels\.txt: found the labels of 1 documents, expected 2"):
            load(tmp_path)

    def test_broken_utf8(self, tmp_path):
        put(tmp_path, train_labels="x\nx\n")
        (tmp_path / "train_texts.txt").write_bytes(b"good\nba\xffd\n")
        with pytest.raises(InputError, match=r"train_texts\.txt, line 2, column 3"):
            load(tmp_path)


class TestWriting:
    @given(data=datasets(text=LINE, weights=False))
    @settings(max_examples=60, deadline=None)
    def test_reads_back_the_same(self, tmp_path_factory, data):
        folder = tmp_path_factory.mktemp("lines")
        assert attention_xml.save(data, folder, SILENT) == []
        again = load(folder)
        blank = not any(data.labels.texts)  # label texts that are all empty are the same as none
        assert_same_data(data, again, ignoring={"label_texts"} if blank else ())

    @given(data=datasets(weights=False))
    @settings(max_examples=20, deadline=None)
    def test_labels_without_texts_keep_their_rows(self, tmp_path_factory, data):
        folder = tmp_path_factory.mktemp("lines")
        assert attention_xml.save(data, folder, SILENT) == [
            "the labels have no texts: their row numbers stand for them"
        ]
        assert_same_data(data, load(folder), ignoring={"fields"})

    def test_labels_that_are_words_are_written_as_words(self, tmp_path):
        put(tmp_path, train_texts="a\nb\n", train_labels="x y\n\n")
        target = tmp_path / "again"
        target.mkdir()
        attention_xml.save(load(tmp_path), target, SILENT)
        assert (target / "train_labels.txt").read_text() == "x y\n\n"
        assert (target / "label_texts.txt").read_text() == "x\ny\n"

    def test_says_what_it_cannot_carry(self, tmp_path):
        from dataclasses import replace

        from xclare.sparse import csr_from_pairs
        from xclare.strings import Strings

        put(tmp_path, train_texts="a\nb\n", train_labels="x y\n\n")
        data = load(tmp_path)
        fields = {"query": Strings.of(["a\nb", "c"]), "note": Strings.of(["", "n"])}
        targets = csr_from_pairs([0], [1], (2, 2), [0.5])
        ids = Strings.of(["i", "j"])
        train = replace(data.train, ids=ids, fields=fields, text_fields=("query",), targets=targets)
        target = tmp_path / "again"
        target.mkdir()
        lost = attention_xml.save(replace(data, train=train), target, SILENT)
        assert [sentence.split(":")[0].split(" (")[0] for sentence in lost] == [
            "ids of the documents",
            "fields of the documents that are not their text",
            "names of the text fields of the documents",
            "weights of labels",
            "line breaks in the texts of the train documents",
        ]
        assert list(load(target).train.texts) == ["a b", "c"]
