"""Arrays from `.npz` files, without trust: no pickles, no array larger than its bytes in the file, and every sparse
matrix checked before anything uses it."""

from __future__ import annotations

import math
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from xclare.errors import InputError
from xclare.persistence.atomic import atomic_file
from xclare.sparse import Csr, as_csr, csr_from_rows

MOST_COLUMNS = 2**31 - 2
NUMBERS, WORDS = "biuf", "biufSU"


def read_npz(path: str | Path) -> dict[str, NDArray[Any]]:
    """All arrays of numbers or words in the file, by name."""
    arrays = {}
    try:
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                if member.filename.endswith(".npy"):
                    with archive.open(member) as file:
                        arrays[member.filename.removesuffix(".npy")] = _read_array(file, member.file_size)
    except FileNotFoundError:
        raise InputError(f"{path} does not exist. Check the name.") from None
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    except Exception as error:
        # A damaged file makes zipfile, zlib and numpy's header parser raise a dozen unrelated types.
        raise InputError(f"{path} is no readable .npz file ({error}). Copy or write it again.") from error
    return arrays


def _read_array(file: IO[bytes], size: int) -> NDArray[Any]:
    """One array; its header may promise no more than the `size` bytes that the file holds of it."""
    version = np.lib.format.read_magic(file)
    read_header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, fortran_order, dtype = read_header(file)
    if dtype.kind not in WORDS or dtype.hasobject:
        raise InputError(f"found an array of {dtype}, expected numbers.")
    count = math.prod(shape)
    if count * dtype.itemsize > size:
        raise InputError(f"found an array of the shape {shape} in {size} bytes, expected all of it.")
    data = file.read(count * dtype.itemsize)
    if dtype.itemsize == 0:
        return np.zeros(shape, dtype)
    array = np.frombuffer(data, dtype, count)
    return array.reshape(shape[::-1]).T if fortran_order else array.reshape(shape)


def read_csr(path: str | Path) -> Csr:
    """A matrix written by `scipy.sparse.save_npz` (csr, csc or coo), canonical and of finite values."""
    arrays = read_npz(path)
    kind = _word(arrays.get("format"))
    if kind == "coo" and {"row", "col", "data", "shape"} <= arrays.keys():
        return _from_coo(arrays, path)
    if kind not in ("csr", "csc", "") or not has_csr(arrays):
        raise InputError(f"{path} holds {', '.join(arrays) or 'nothing'}: expected what scipy.sparse.save_npz writes.")
    if kind == "csc":
        rows, columns = _shape(arrays["shape"], path)
        flipped = {**arrays, "shape": np.array([columns, rows])}
        return as_csr(csr_from_arrays(flipped, path).T.tocsr())
    return csr_from_arrays(arrays, path)


def has_csr(arrays: Mapping[str, Any], prefix: str = "") -> bool:
    """Whether the four arrays of a csr are there."""
    return all(f"{prefix}{name}" in arrays for name in ("data", "indices", "indptr", "shape"))


def csr_from_arrays(arrays: Mapping[str, NDArray[Any]], path: str | Path, prefix: str = "") -> Csr:
    """A csr from the arrays `{prefix}data`, `…indices`, `…indptr`, `…shape`, each checked. Entries that stand twice are
    added up."""
    data, indices, indptr = (arrays[f"{prefix}{name}"] for name in ("data", "indices", "indptr"))
    rows, columns = _shape(arrays[f"{prefix}shape"], path)
    for name, array, kinds in (("data", data, NUMBERS), ("indices", indices, "iu"), ("indptr", indptr, "iu")):
        if array.ndim != 1 or array.dtype.kind not in kinds:
            raise _refused(path, f"{prefix}{name}", f"{array.dtype} of the shape {array.shape}", "one row of numbers")
    if len(indptr) != rows + 1 or indptr[0] != 0 or indptr[-1] != len(indices) or (indptr[1:] < indptr[:-1]).any():
        raise _refused(path, f"{prefix}indptr", "offsets that do not cut the entries into rows", f"{rows} rows")
    if len(data) != len(indices):
        raise _refused(path, f"{prefix}data", f"{len(data)} values", f"one for each of the {len(indices)} indices")
    values = _finite(data, path, f"{prefix}data")
    _check_indices(indices, columns, path, f"{prefix}indices")
    return as_csr(csr_from_rows(indptr, indices, values, columns))


def csr_as_arrays(matrix: Csr, prefix: str = "") -> dict[str, NDArray[Any]]:
    """The four arrays by which `csr_from_arrays` finds the matrix again."""
    arrays = {name: getattr(matrix, name) for name in ("data", "indices", "indptr")}
    return {f"{prefix}{name}": array for name, array in {**arrays, "shape": np.array(matrix.shape)}.items()}


def write_npz(path: str | Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Writes the arrays, compressed; the file appears whole or not at all."""
    with atomic_file(path) as file:
        np.savez_compressed(file, **arrays)  # type: ignore[arg-type]


def write_csr(path: str | Path, matrix: Csr) -> None:
    """Writes the matrix as `scipy.sparse.save_npz` does."""
    write_npz(path, {**csr_as_arrays(matrix), "format": np.array(b"csr")})


def _from_coo(arrays: Mapping[str, NDArray[Any]], path: str | Path) -> Csr:
    shape = _shape(arrays["shape"], path)
    row, column, data = arrays["row"], arrays["col"], arrays["data"]
    if not (row.shape == column.shape == data.shape == (data.size,)) or {row.dtype.kind, column.dtype.kind} - set("iu"):
        raise _refused(path, "row, col and data", "different lengths or types", "one of each an entry")
    _check_indices(row, shape[0], path, "row")
    _check_indices(column, shape[1], path, "col")
    order = np.argsort(row, kind="stable")
    counts = np.bincount(row.astype(np.int64), minlength=shape[0])
    indptr = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    return as_csr(csr_from_rows(indptr, column[order], _finite(data, path, "data")[order], shape[1]))


def _finite(data: NDArray[Any], path: str | Path, name: str) -> NDArray[np.float32]:
    if data.dtype.kind not in NUMBERS:
        raise _refused(path, name, f"values of type {data.dtype}", "numbers")
    with np.errstate(over="ignore"):
        values = data.astype(np.float32, copy=False)
    if not np.isfinite(values).all():
        place = int(np.argmin(np.isfinite(values)))
        raise _refused(path, f"{name}[{place}]", str(data[place]), "a finite number within the range of float32")
    return values


def _check_indices(indices: NDArray[Any], limit: int, path: str | Path, name: str) -> None:
    if not len(indices):
        return
    wrong = (indices < 0) | (indices >= limit)
    if wrong.any():
        place = int(np.argmax(wrong))
        raise _refused(path, f"{name}[{place}]", str(indices[place]), f"an index from 0 and below {limit}")


def _shape(array: NDArray[Any], path: str | Path) -> tuple[int, int]:
    if array.shape != (2,) or array.dtype.kind not in "iu":
        raise _refused(path, "shape", f"{array.dtype} of the shape {array.shape}", "rows and columns")
    rows, columns = int(array[0]), int(array[1])
    if not (0 <= rows <= MOST_COLUMNS and 0 <= columns <= MOST_COLUMNS):
        raise _refused(path, "shape", f"{rows} x {columns}", f"numbers from 0 to {MOST_COLUMNS}")
    return rows, columns


def _word(array: NDArray[Any] | None) -> str:
    if array is None or array.size != 1:
        return ""
    word = array.reshape(-1)[0]
    return word.decode("ascii", "replace") if isinstance(word, bytes) else str(word)


def _refused(path: str | Path, what: str, found: str, expected: str) -> InputError:
    return InputError(f"{path}, array `{what}`: found {found}, expected {expected}.")
