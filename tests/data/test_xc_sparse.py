import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings

from support import assert_same_data, datasets
from xclare.data import xc_sparse
from xclare.data.canonical_rows import REPEATED_FEATURES, ZERO_FEATURES
from xclare.data.files import BLANK_LINES, REPEATED_LABELS, ZERO_WEIGHTS, Findings
from xclare.data.formats.sparse_text import read_sparse_text
from xclare.data.settings import DataSettings
from xclare.errors import InputError
from xclare.progress import SILENT

FEATURES = "3 4\n0:0.5 3:1.25\n\n1:2\n"
TARGETS = "3 2\n1:1.0 \n0:1 1:2\n\n"


def load(folder, findings=None):
    return xc_sparse.load(folder, DataSettings(), Findings() if findings is None else findings, SILENT)


def put(folder, **files):
    for name, text in files.items():
        data = text if isinstance(text, bytes) else text.encode()
        (folder / f"{name}.txt").write_bytes(data)


@pytest.fixture
def refused(tmp_path):
    def message(**files):
        put(tmp_path, **{"trn_X_Xf": FEATURES, "trn_X_Y": TARGETS, **files})
        with pytest.raises(InputError) as error:
            load(tmp_path)
        return str(error.value).removeprefix(f"{tmp_path}/")

    return message


class TestReading:
    def test_rows_stand_where_the_files_say(self, tmp_path):
        put(
            tmp_path,
            trn_X_Xf=FEATURES,
            trn_X_Y=TARGETS,
            lbl_X_Xf="2 4\n2:1\n\n",
            tst_X_Xf="1 4\n0:1\n",
            tst_X_Y="1 2\n0:1",
        )
        data = load(tmp_path)
        assert data.train.features.toarray().tolist() == [[0.5, 0, 0, 1.25], [0, 0, 0, 0], [0, 2, 0, 0]]
        assert data.train.targets.toarray().tolist() == [[0, 1], [1, 2], [0, 0]]
        assert data.labels.features.toarray().tolist() == [[0, 0, 1, 0], [0, 0, 0, 0]]
        assert data.test.targets.toarray().tolist() == [[1, 0]]
        assert not data.train.has_text

    def test_without_headers_the_largest_index_of_any_file_counts(self, tmp_path):
        put(tmp_path, trn_X_Xf="0:1\n", trn_X_Y="1:1\n", tst_X_Xf="6:1\n\n", tst_X_Y="3:1\n\n")
        data = load(tmp_path)
        assert data.train.features.shape == (1, 7)
        assert data.test.targets.shape == (2, 4)

    def test_the_older_form_has_labels_and_features_on_one_line(self, tmp_path):
        put(tmp_path, train="3 5 4\n1,3 0:0.5 4:1\n 2:1\n0\n", test="2,1\t1:1\n")
        data = load(tmp_path)
        assert data.train.targets.toarray().tolist() == [[0, 1, 0, 1], [0, 0, 0, 0], [1, 0, 0, 0]]
        assert data.train.features.toarray().tolist() == [[0.5, 0, 0, 0, 1], [0, 0, 1, 0, 0], [0] * 5]
        assert data.test.targets.toarray().tolist() == [[0, 1, 1, 0]]

    def test_the_older_form_is_known_by_its_first_line(self, tmp_path):
        put(tmp_path, eurlex_train="1,2 0:1\n")
        assert xc_sparse.matches(tmp_path)
        put(tmp_path, eurlex_train="a text, and nothing else\n")
        assert not xc_sparse.matches(tmp_path)

    def test_labels_may_come_without_weights(self, tmp_path):
        put(tmp_path, trn_X_Xf=FEATURES, trn_X_Y="3 9\n1,8\n\n0\n")
        assert load(tmp_path).train.targets.nonzero()[1].tolist() == [1, 8, 0]

    def test_numbers_of_every_form_are_read(self, tmp_path):
        put(tmp_path, trn_X_Xf="0:1e-05 1:-2.5 2:+3 3:.5 4:5. 5:1E3 123456789:1\n", trn_X_Y="0:1\n")
        row = load(tmp_path).train.features
        assert row.data.tolist() == np.array([1e-5, -2.5, 3, 0.5, 5, 1000, 1], np.float32).tolist()
        assert row.shape[1] == 123_456_790

    def test_what_is_handled_is_counted(self, tmp_path):
        put(tmp_path, trn_X_Xf="2 9\n3:1 1:0 3:2.0 2:4\n0:1\n\n", trn_X_Y="1:0 0:3 0:2\n\n")
        findings = Findings()
        data = load(tmp_path, findings)
        assert data.train.features.toarray()[0].tolist() == [0, 0, 4, 2, 0, 0, 0, 0, 0]
        assert data.train.targets.toarray().tolist() == [[3, 0], [0, 0]]
        assert findings == {ZERO_FEATURES: 1, REPEATED_FEATURES: 1, BLANK_LINES: 1, ZERO_WEIGHTS: 1, REPEATED_LABELS: 1}

    def test_narrower_headers_are_widened_and_counted(self, tmp_path):
        put(tmp_path, trn_X_Xf=FEATURES, trn_X_Y=TARGETS, tst_X_Xf="1 9\n8:1\n", tst_X_Y="1 2\n0:1\n")
        findings = Findings()
        assert load(tmp_path, findings).train.features.shape == (3, 9)
        assert findings == {xc_sparse.WIDENED: 1}

    def test_numpy_files_are_read_like_text(self, tmp_path):
        targets = scipy.sparse.coo_array(([1.0, 2.0], ([0, 2], [1, 0])), shape=(3, 2))
        features = scipy.sparse.random_array((3, 6), density=0.5, format="csc", rng=np.random.default_rng(0))
        scipy.sparse.save_npz(tmp_path / "Y.trn.npz", targets)
        scipy.sparse.save_npz(tmp_path / "X.trn.npz", features)
        data = load(tmp_path)
        np.testing.assert_array_equal(data.train.targets.toarray(), targets.toarray())
        np.testing.assert_array_equal(data.train.features.toarray(), features.toarray().astype(np.float32))

    def test_files_in_the_form_of_libsvm_are_read(self, tmp_path):
        random = np.random.default_rng(3)
        matrix = scipy.sparse.random_array((400, 50), density=0.2, format="csr", rng=random)
        rows = [matrix[[row]] for row in range(400)]
        entries = [zip(row.indices, row.data, strict=True) for row in rows]
        put(tmp_path, x="".join("0 " + " ".join(f"{i}:{v:.16g}" for i, v in row) + "\n" for row in entries))
        text = read_sparse_text(tmp_path / "x.txt", "both", Findings())
        np.testing.assert_array_equal(text.rows.values, matrix.data.astype(np.float32))
        np.testing.assert_array_equal(text.rows.indices, matrix.indices)
        np.testing.assert_array_equal(text.rows.counts, np.diff(matrix.indptr))


class TestRefusing:
    @pytest.mark.parametrize(
        ("line", "place"),
        [
            ("0:0.5 3", "line 3, column 7: found '3', expected `index:value`"),
            ("0:0.5 x:1", "line 3, column 7: found 'x', expected a whole number"),
            ("0:0.5 -1:1", "line 3, column 7: found '-1', expected a whole number"),
            ("0:0.5 :1", "line 3, column 7: found nothing, expected a whole number"),
            ("0:0.5 1:", "line 3, column 9: found nothing, expected a finite number"),
            ("0:0.5 1:nan", "line 3, column 9: found 'nan', expected a finite number"),
            ("0:0.5 1:-inf", "line 3, column 9: found '-inf', expected a finite number"),
            ("0:0.5 1:1_0", "line 3, column 9: found '1_0', expected a finite number"),
            ("0:0.5 1:1e39", "line 3, column 9: found '1e39', expected a number within the range of float32"),
            ("0:0.5 1:2:3", "line 3, column 9: found '2:3', expected a finite number"),
            ("0:0.5  3:1 99999999999:1", "line 3, column 12: found '99999999999', expected a number of at most"),
            ("0:0.5 4:1", "line 3, column 7: found 4, expected an index below 4"),
            ("1,2 0:0.5", "line 3, column 1: found '1,2', expected `index:value`"),
            ("\xa0", "line 3, column 1: found"),
        ],
    )
    def test_a_bad_entry_with_its_place(self, refused, line, place):
        assert refused(trn_X_Xf=f"3 4\n0:1\n{line}\n\n").startswith(f"trn_X_Xf.txt, {place}")

    @pytest.mark.parametrize(
        ("lines", "place"),
        [
            ("1,,2", "line 2, column 3: found nothing, expected a label's number"),
            ("1,2 3", "line 2, column 5: found '3', expected `index:value`"),
            ("1 0:1", "line 2, column 3: found '0:1', expected either labels as"),
            ("0:-1", "line 2, column 1: found -1.0, expected a weight of at least 0"),
            ("5", "line 2, column 1: found 5, expected an index below 2"),
        ],
    )
    def test_bad_labels_with_their_place(self, refused, lines, place):
        assert refused(trn_X_Y=f"3 2\n{lines}\n\n\n").startswith(f"trn_X_Y.txt, {place}")

    def test_fewer_rows_than_the_header_says(self, refused):
        assert refused(trn_X_Xf="4 4\n0:1\n1:1\n2:1\n").startswith(
            "trn_X_Xf.txt, line 4: found 3 rows after the header"
        )

    def test_more_rows_than_the_header_says(self, refused):
        assert refused(trn_X_Xf="2 4\n0:1\n1:1\n2:1\n").startswith("trn_X_Xf.txt, line 4: found a row more")

    def test_a_header_of_the_wrong_form(self, refused):
        assert refused(trn_X_Xf="3 4 5\n\n\n\n").startswith(
            "trn_X_Xf.txt, line 1, column 1: found a header of 3 numbers"
        )

    def test_labels_and_features_of_different_lengths(self, refused):
        assert "found 3 rows, expected 2, the rows of trn_X_Y.txt" in refused(trn_X_Y="0:1\n\n")

    def test_more_labels_than_label_features(self, refused):
        assert refused(trn_X_Y="3 2\n0:1\n1:1\n\n", lbl_X_Xf="1 4\n0:1\n").startswith(
            "trn_X_Y.txt, line 3, column 1: found 1"
        )

    def test_features_without_labels(self, tmp_path):
        put(tmp_path, trn_X_Xf=FEATURES)
        with pytest.raises(InputError, match=r"no trn_X_Y\.txt beside it"):
            load(tmp_path)

    def test_a_numpy_file_that_holds_objects_is_never_unpickled(self, tmp_path):
        np.savez(tmp_path / "Y.trn.npz", data=np.array([{}], object), indices=[0], indptr=[0, 1], shape=[1, 1])
        with pytest.raises(InputError, match="array of object"):
            load(tmp_path)

    @pytest.mark.parametrize(
        ("array", "value", "what"),
        [
            ("indices", [0, 7], r"`indices\[1\]`: found 7"),
            ("indices", [0, -1], r"`indices\[1\]`: found -1"),
            ("indptr", [0, 2, 1], "offsets that do not cut"),
            ("indptr", [0, 2], "offsets that do not cut"),
            ("data", [1.0, np.nan], r"`data\[1\]`: found nan"),
            ("data", [1.0], "found 1 values"),
            ("shape", [2, -1], "`shape`: found 2 x -1"),
            ("shape", [2.0, 3.0], "`shape`"),
        ],
    )
    def test_a_numpy_matrix_that_is_none(self, tmp_path, array, value, what):
        arrays = {"data": [1.0, 2.0], "indices": [0, 1], "indptr": [0, 1, 2], "shape": [2, 3], array: value}
        np.savez(tmp_path / "Y.trn.npz", **arrays)
        with pytest.raises(InputError, match=what):
            load(tmp_path)


class TestWriting:
    @pytest.mark.parametrize("npz", [False, True])
    @given(data=datasets(features=True))
    @settings(max_examples=40, deadline=None)
    def test_reads_back_the_same(self, tmp_path_factory, data, npz):
        folder = tmp_path_factory.mktemp("sparse")
        assert xc_sparse.save(data, folder, SILENT, npz=npz) == []
        assert_same_data(data, load(folder))

    def test_many_rows_read_back_the_same(self, tmp_path):
        from xclare.data.formats.sparse_text_writer import write_sparse_text

        random = np.random.default_rng(5)
        matrix = scipy.sparse.random_array((20_000, 1000), density=0.005, format="csr", dtype=np.float32, rng=random)
        write_sparse_text(matrix, tmp_path / "x.txt")
        text = read_sparse_text(tmp_path / "x.txt", "entries", Findings())
        for one, other in zip(text.rows[1:3], (matrix.indices, matrix.data), strict=True):
            np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(text.rows.counts, np.diff(matrix.indptr))

    def test_says_what_it_cannot_carry(self, tmp_path):
        data = datasets(text=None)
        from xclare import Dataset

        data = Dataset.from_lists(["a", "b"], [["x"], ["y"]])
        lost = xc_sparse.save(data, tmp_path, SILENT)
        assert any("texts of the documents" in sentence for sentence in lost)
        assert any("texts of the labels" in sentence for sentence in lost)
        assert any("no features were written" in sentence for sentence in lost)
        assert_same_data(data, load(tmp_path), ignoring={"ids", "fields", "texts", "features"})
