"""Predictions as a sparse matrix in scipy's `.npz`."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from xclare.data.dataset import Documents
from xclare.data.files import open_binary
from xclare.errors import InputError, shown
from xclare.evaluation.hits import as_scores
from xclare.persistence.atomic import atomic_file
from xclare.sparse import Csr, row_of_entry

_INDEX_ARRAYS = {
    "csr": ("indices", "indptr"),
    "csc": ("indices", "indptr"),
    "bsr": ("indices", "indptr"),
    "coo": ("row", "col"),
    "dia": ("offsets",),
}
_DATA_DIMENSIONS = {"csr": 1, "csc": 1, "coo": 1, "dia": 2, "bsr": 3}
_MEMBERS = {"format", "shape", "data", "coords", *(name for names in _INDEX_ARRAYS.values() for name in names)}


def read_npz(path: Path, documents: Documents) -> Csr:
    """Reads what `scipy.sparse.save_npz` writes, in any of its formats. The zeros that fill up `bsr` and `dia` are no
    predictions; stored zeros of the other formats are. Nothing in the file is executed, and every index is checked."""
    csr = _to_csr(path, _matrix(path, documents))
    csr.sort_indices()
    repeated = (np.diff(csr.indices) == 0) & (np.diff(row_of_entry(csr)) == 0)
    if repeated.any():
        place = _place(csr, documents, int(np.argmax(repeated)))
        raise InputError.at(path, found=f"two scores for {place}", expected="each document and label once")
    missing = np.isnan(csr.data)
    if missing.any():
        place = _place(csr, documents, int(np.argmax(missing)))
        raise InputError.at(path, found=f"the score NaN for {place}", expected="a number")
    return csr


def write_npz(path: Path, predictions: Csr, documents: Documents) -> None:
    """Writes a canonical csr, uncompressed: scores compress badly."""
    with atomic_file(path) as file:
        if path.suffix != ".gz":
            sparse.save_npz(file, predictions, compressed=False)
            return
        packed = io.BytesIO()  # zip files are written with going back, which gzip cannot
        sparse.save_npz(packed, predictions, compressed=False)
        file.write(packed.getbuffer())


def _matrix(path: Path, documents: Documents) -> Any:
    """The matrix as it is stored, its arrays checked one by one and against each other."""
    arrays = _arrays(path)
    kind = _format(path, arrays)
    shape = arrays.get("shape", np.empty(0))
    expected = (documents.count, documents.labels.count)
    if shape.dtype.kind not in "iu" or shape.shape != (2,) or tuple(shape.tolist()) != expected:
        found = f"a matrix of the shape {shown(shape.tolist())}"
        raise InputError.at(path, found=found, expected=f"documents x labels, {expected}")
    if "coords" in arrays and arrays["coords"].ndim == 2 and len(arrays["coords"]) == 2:
        arrays["row"], arrays["col"] = arrays["coords"]
    data = _array(path, arrays, "data", "biuf", _DATA_DIMENSIONS[kind])
    indices = [_array(path, arrays, name, "iu", 1).astype(np.int64, copy=False) for name in _INDEX_ARRAYS[kind]]
    content = (as_scores(data), *indices) if kind != "coo" else (as_scores(data), tuple(indices))
    try:
        matrix = getattr(sparse, f"{kind}_array")(content, shape=expected)
        if kind in ("csr", "csc", "bsr"):
            matrix.check_format(full_check=True)  # before any of scipy's compiled code follows an index
    except (ValueError, IndexError, TypeError, OverflowError) as error:
        raise InputError.at(path, found=f"arrays that make no matrix ({error})", expected=f"a {kind} matrix") from error
    return matrix


def _arrays(path: Path) -> dict[str, NDArray[Any]]:
    """The arrays in the file that can belong to a matrix; pickled objects are refused."""
    with open_binary(path) as file:
        try:
            # Unpacking by the way would begin anew whenever the zip reader goes back.
            content = io.BytesIO(file.read()) if hasattr(file, "fileobj") else file
            with np.load(content, allow_pickle=False) as archive:
                arrays = {name: archive[name] for name in archive.files if name in _MEMBERS}
        except Exception as error:  # a damaged archive fails in many ways of zipfile's, zlib's and numpy's
            raise InputError(f"{path} cannot be read as an npz file ({error}). Write it again.") from error
    return {
        name: array for name, array in arrays.items() if isinstance(array, np.ndarray)
    }  # not members of other kinds


def _format(path: Path, arrays: dict[str, NDArray[Any]]) -> str:
    stored = arrays.get("format", np.empty(0))
    name = stored.reshape(-1)[0] if stored.size == 1 and stored.dtype.kind in "SU" else ""
    kind = name.decode("latin1") if isinstance(name, bytes) else str(name)
    if kind not in _INDEX_ARRAYS:
        found = f"the format {shown(kind)}" if kind else "no sparse matrix"
        raise InputError.at(path, found=found, expected="what scipy.sparse.save_npz writes")
    return kind


def _array(path: Path, arrays: dict[str, NDArray[Any]], name: str, kinds: str, dimensions: int) -> NDArray[Any]:
    """One array of the matrix, of one of numpy's kinds of numbers and so many dimensions."""
    array = arrays.get(name)
    if array is None or array.dtype.kind not in kinds or array.ndim != dimensions:
        found = "none" if array is None else f"one of {array.dtype} in {array.ndim} dimensions"
        numbers = "numbers" if "f" in kinds else "whole numbers"
        expected = f"one of {numbers} in {dimensions}"
        raise InputError.at(path, found=f"for the array {name!r} {found}", expected=expected)
    return array


def _to_csr(path: Path, matrix: Any) -> Csr:
    """The matrix as a csr that still has the pairs stored twice, but for `coo`, where they are refused here."""
    csr = sparse.csr_array(matrix)
    if matrix.format in ("bsr", "dia"):
        csr.eliminate_zeros()
    elif csr.nnz != matrix.nnz:  # scipy adds up a coo's
        found = f"{matrix.nnz - csr.nnz} pairs of document and label more than once"
        raise InputError.at(path, found=found, expected="each document and label once")
    return csr


def _place(csr: Csr, documents: Documents, entry: int) -> str:
    """Names the pair of a stored entry by its row numbers and ids."""
    row = int(np.searchsorted(csr.indptr, entry, side="right")) - 1
    column = int(csr.indices[entry])
    document, label = documents.name_of(row), documents.labels.name_of(column)
    return f"document {row} ({shown(document)}) and label {column} ({shown(label)})"
