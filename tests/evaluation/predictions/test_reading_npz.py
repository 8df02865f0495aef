import gzip
import io
import zipfile

import numpy as np
import pytest
from scipy import sparse

from xclare.errors import InputError
from xclare.evaluation import read_predictions

DENSE = np.array([[0.0, 1.0, -2.0, 0.0], [0.0, 0.0, 0.0, 0.5]])


@pytest.fixture
def documents(make_documents):
    return make_documents(2, 4, label_texts=["A", "B", "C", "D"])


@pytest.fixture
def read(tmp_path, documents):
    def reading(**arrays):
        np.savez(tmp_path / "p.npz", **arrays)
        return read_predictions(tmp_path / "p.npz", documents)

    return reading


@pytest.mark.parametrize("kind", ["csr_array", "csr_matrix", "csc_array", "coo_matrix", "dia_array", "bsr_matrix"])
@pytest.mark.parametrize("compressed", [True, False])
def test_every_format_that_scipy_writes_is_read(tmp_path, documents, kind, compressed):
    sparse.save_npz(tmp_path / "p.npz", getattr(sparse, kind)(DENSE), compressed=compressed)
    found = read_predictions(tmp_path / "p.npz", documents)
    assert isinstance(found, sparse.csr_array)
    np.testing.assert_array_equal(found.toarray(), DENSE)
    assert found.nnz == 3
    packed = tmp_path / "p.npz.gz"
    packed.write_bytes(gzip.compress((tmp_path / "p.npz").read_bytes()))
    assert (read_predictions(packed, documents) != found).nnz == 0


def test_stored_zeros_are_predictions_and_rows_need_not_be_sorted(read):
    found = read(format=b"csr", shape=[2, 4], data=[0.0, 5.0], indices=[3, 1], indptr=[0, 2, 2])
    assert found.indices.tolist() == [1, 3]
    assert found.data.tolist() == [5.0, 0.0]
    found = read(format=b"coo", shape=[2, 4], data=[0.0], row=[1], col=[1])
    assert found.nnz == 1


@pytest.mark.parametrize(
    ("kind", "read_as"), [(np.float32, np.float32), (np.float16, np.float64), (np.int8, np.float64)]
)
def test_scores_keep_their_precision(read, kind, read_as):
    found = read(format=b"csr", shape=[2, 4], data=np.array([1, 2], kind), indices=[0, 1], indptr=[0, 1, 2])
    assert found.dtype == read_as


def csr(**changes):
    good = {"format": b"csr", "shape": [2, 4], "data": [1.0, 2.0], "indices": [1, 3], "indptr": [0, 1, 2]}
    return {name: value for name, value in (good | changes).items() if value is not None}


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"scores": DENSE}, "found no sparse matrix, expected what scipy.sparse.save_npz writes"),
        (csr(format=b"lil"), "found the format 'lil'"),
        (csr(format=[b"csr", b"csr"]), "found no sparse matrix"),
        (csr(shape=[4, 2]), r"found a matrix of the shape \[4, 2\], expected documents x labels, \(2, 4\)"),
        (csr(shape=[2.0, 4.0]), "found a matrix of the shape"),
        (csr(shape=None), "found a matrix of the shape"),
        (csr(data=None), "found for the array 'data' none, expected one of numbers in 1"),
        (csr(data=[1j, 1.0]), "found for the array 'data' one of complex128 in 1 dimensions"),
        (csr(data=[[1.0, 2.0]]), "one of float64 in 2 dimensions"),
        (csr(indices=[1.0, 3.0]), "'indices' one of float64 in 1 dimensions, expected one of whole numbers in 1"),
        (csr(indices=[1, 4]), "arrays that make no matrix"),
        (csr(indices=[-1, 3]), "arrays that make no matrix"),
        (csr(indices=np.array([1, 2**64 - 1], np.uint64)), "arrays that make no matrix"),
        (csr(indptr=[0, 9, 2]), "arrays that make no matrix"),
        (csr(indptr=[0, 2, 1]), "arrays that make no matrix"),
        (csr(indptr=[1, 1, 2]), "arrays that make no matrix"),
        (csr(indptr=[0, 2]), "arrays that make no matrix"),
        (csr(format=b"csc", indices=[0, 2**40], indptr=[0, 1, 2, 2, 2]), "arrays that make no matrix"),
        (csr(format=b"coo", row=[0, 2], col=[0, 1]), "arrays that make no matrix"),
        (csr(format=b"coo", row=[0, -1], col=[0, 1]), "arrays that make no matrix"),
        (csr(format=b"coo", row=[0, 0], col=[1, 1]), "found 1 pairs of document and label more than once"),
        (csr(format=b"bsr", data=[[[1.0]]], indices=[7], indptr=[0, 1, 1]), "arrays that make no matrix"),
        (csr(indices=[3, 3], indptr=[0, 0, 2]), r"two scores for document 1 \('text 1'\) and label 3 \('D'\)"),
        (csr(data=[1.0, np.nan]), r"the score NaN for document 1 \('text 1'\) and label 3 \('D'\)"),
    ],
)
def test_what_is_no_matrix_of_predictions_is_refused(read, arrays, message):
    with pytest.raises(InputError, match=message):
        read(**arrays)


def test_pickled_objects_are_never_loaded(tmp_path, documents):
    arrays = csr(data=None, format=np.array(["csr"], object))
    np.savez(tmp_path / "p.npz", **arrays, allow_pickle=True)
    with pytest.raises(InputError, match="allow_pickle=False"):
        read_predictions(tmp_path / "p.npz", documents)


def test_damaged_archives_are_refused(tmp_path, documents):
    whole = io.BytesIO()
    np.savez(whole, **csr())
    path = tmp_path / "p.npz"
    for length in (3, 40, 300, len(whole.getvalue()) - 1):
        path.write_bytes(whole.getvalue()[:length])
        with pytest.raises(InputError, match="cannot be read as an npz file"):
            read_predictions(path, documents)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("format.npy", b"not an array")
    with pytest.raises(InputError, match="found no sparse matrix"):
        read_predictions(path, documents)


def test_a_file_that_is_not_there_is_named(tmp_path, documents):
    with pytest.raises(InputError, match=r"nothing\.npz does not exist"):
        read_predictions(tmp_path / "nothing.npz", documents)
