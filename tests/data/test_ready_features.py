from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support import assert_same_data, datasets
from xclare.data import ready_features
from xclare.data.canonical_rows import ZERO_FEATURES
from xclare.data.files import Findings
from xclare.data.formats.npz import csr_as_arrays, read_csr, read_npz, write_csr
from xclare.errors import InputError
from xclare.sparse import csr_from_pairs


@given(data=datasets(text=st.text(max_size=3), features=True))
@settings(max_examples=40, deadline=None)
def test_features_read_back_the_same(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("features") / "features.npz"
    ready_features.save(data, path)
    labels = replace(data.labels, features=None)
    bare = {name: replace(part, features=None, labels=labels) for name, part in data.parts().items()}
    assert_same_data(data, ready_features.apply(replace(data, **bare), path, Findings()))


@pytest.fixture
def arrays():
    def of(rows, columns=4, **changed):
        matrix = csr_from_pairs(range(rows), [0] * rows, (rows, columns))
        return {**csr_as_arrays(matrix), **changed}

    return of


def prefixed(**matrices):
    return {f"{prefix}_x_{name}": array for prefix, parts in matrices.items() for name, array in parts.items()}


@pytest.fixture
def data(tmp_path):
    from xclare import Dataset

    return Dataset.from_lists(["a", "b"], [["x"], ["y"]], test_texts=["c"], test_labels=[["x"]])


def test_label_features_may_be_missing(tmp_path, data, arrays):
    np.savez(tmp_path / "f.npz", **prefixed(trn=arrays(2), tst=arrays(1)))
    ready = ready_features.apply(data, tmp_path / "f.npz", Findings())
    assert ready.has_features
    assert ready.labels.features is None


def test_zeros_are_dropped_and_counted(tmp_path, data, arrays):
    np.savez(tmp_path / "f.npz", **prefixed(trn=arrays(2, data=np.array([0.0, 1.0])), tst=arrays(1)))
    findings = Findings()
    assert ready_features.apply(data, tmp_path / "f.npz", findings).train.features.nnz == 1
    assert findings == {ZERO_FEATURES: 1}


def test_rows_that_are_not_as_many_as_documents_are_refused(tmp_path, data, arrays):
    np.savez(tmp_path / "f.npz", **prefixed(trn=arrays(3), tst=arrays(1)))
    with pytest.raises(InputError, match="3 rows of features for the 2 train documents"):
        ready_features.apply(data, tmp_path / "f.npz", Findings())


def test_different_vocabularies_are_refused(tmp_path, data, arrays):
    np.savez(tmp_path / "f.npz", **prefixed(trn=arrays(2), tst=arrays(1, columns=5)))
    with pytest.raises(InputError, match="one vocabulary"):
        ready_features.apply(data, tmp_path / "f.npz", Findings())


def test_missing_matrices_are_named(tmp_path, data, arrays):
    np.savez(tmp_path / "f.npz", **prefixed(trn=arrays(2)))
    with pytest.raises(InputError, match="expected tst_x_data"):
        ready_features.apply(data, tmp_path / "f.npz", Findings())


def test_a_file_that_is_no_archive_is_refused(tmp_path):
    (tmp_path / "f.npz").write_text("nothing")
    with pytest.raises(InputError, match=r"no readable \.npz file"):
        read_npz(tmp_path / "f.npz")


def test_an_array_larger_than_its_file_is_refused_without_making_room_for_it(tmp_path):
    import io
    import zipfile

    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f4", "fortran_order": False, "shape": (10**15,)})
    with zipfile.ZipFile(tmp_path / "f.npz", "w") as archive:
        archive.writestr("data.npy", header.getvalue())
    with pytest.raises(InputError, match="expected all of it"):
        read_npz(tmp_path / "f.npz")


def test_entries_that_stand_twice_are_added_up(tmp_path):
    arrays = {"data": [1.0, 2.0], "indices": [1, 1], "indptr": [0, 2], "shape": [1, 3]}
    np.savez(tmp_path / "f.npz", **arrays)
    assert read_csr(tmp_path / "f.npz").toarray().tolist() == [[0, 3, 0]]


def test_scipy_reads_what_is_written(tmp_path):
    import scipy.sparse

    matrix = csr_from_pairs([0, 1], [2, 0], (2, 3), [0.5, 2])
    write_csr(tmp_path / "f.npz", matrix)
    np.testing.assert_array_equal(scipy.sparse.load_npz(tmp_path / "f.npz").toarray(), matrix.toarray())
