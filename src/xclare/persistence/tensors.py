"""Arrays on disk: safetensors files of bounded size and an index of them; read by mapping, nothing executed."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save

from xclare.errors import InputError
from xclare.persistence.atomic import atomic_file

INDEX_FILE = "weights.json"
MOST_BYTES = 2_000_000_000
"""Of one file: some file systems, hubs and tools refuse more."""
LONGEST_HEADER = 1 << 26
_KINDS = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "U8": "|u1", "BOOL": "|b1"}

_DAMAGE = (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError)
"""What reading JSON, and using it for what it is not, may raise."""

Arrays = dict[str, NDArray[Any]]


def write_tensors(folder: Path, arrays: Mapping[str, NDArray[Any]], most_bytes: int = MOST_BYTES) -> None:
    """Writes the arrays to `weights-1.safetensors`, …, each of at most `most_bytes`, and what stands where. An array
    that is larger is cut between rows."""
    index: dict[str, list[str]] = {}
    for number, shard in enumerate(_shards(arrays, most_bytes), 1):
        name = f"weights-{number}.safetensors"
        write_tensor_file(folder / name, shard)
        for key in shard:
            index.setdefault(key, []).append(name)
    with atomic_file(folder / INDEX_FILE) as file:
        file.write(json.dumps(index, indent=1).encode())


def read_tensors(folder: Path) -> Arrays:
    """What `write_tensors` wrote, mapped from the files; an array in several files is copied into memory."""
    path = folder / INDEX_FILE
    try:
        index = json.loads(path.read_text(encoding="utf-8"))
        files = {
            name: read_tensor_file(folder / name) for name in sorted({n for names in index.values() for n in names})
        }
        parts = {key: [files[name][key] for name in names] for key, names in index.items()}
        return {key: found[0] if len(found) == 1 else np.concatenate(found) for key, found in parts.items()}
    except FileNotFoundError as error:
        raise InputError(f"{error.filename} does not exist: the model folder is not whole. Copy it again.") from None
    except _DAMAGE as error:
        hint = "Copy the model folder again."
        raise InputError.at(
            path, found=f"no index ({error!r})", expected="the one that was saved", hint=hint
        ) from error


def write_tensor_file(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """One safetensors file; it appears whole or not at all."""
    with atomic_file(path) as file:
        file.write(save({key: np.asarray(array, order="C") for key, array in arrays.items()}))


def read_tensor_file(path: Path) -> Arrays:
    """The arrays of a safetensors file, mapped read-only; its header is checked against the size of the file."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            if length > min(LONGEST_HEADER, size):
                raise ValueError("its header is longer than the file")
            header = json.loads(file.read(length))
        return {key: _mapped(path, 8 + length, size, about) for key, about in header.items() if key != "__metadata__"}
    except FileNotFoundError:
        raise InputError(f"{path} does not exist: the folder it belongs to is not whole. Copy it again.") from None
    except _DAMAGE as error:
        hint = "Copy the folder again."
        raise InputError.at(path, found=f"no arrays ({error})", expected="a safetensors file", hint=hint) from error


def _mapped(path: Path, begin: int, size: int, about: Any) -> NDArray[Any]:
    kind, shape = np.dtype(_KINDS[about["dtype"]]), tuple(int(length) for length in about["shape"])
    start, stop = (int(offset) for offset in about["data_offsets"])
    if min(shape, default=0) < 0 or stop - start != math.prod(shape) * kind.itemsize or not 0 <= start <= stop:
        raise ValueError("an array's shape and bytes do not agree")
    if begin + stop > size:
        raise ValueError("the file ends before its arrays do")
    if stop == start:
        return np.zeros(shape, kind)
    return np.memmap(path, kind, "r", begin + start, shape)


def _shards(arrays: Mapping[str, NDArray[Any]], most_bytes: int) -> Iterator[Arrays]:
    shard: Arrays = {}
    free = most_bytes
    for key, array in arrays.items():
        for part in _pieces(array, most_bytes):
            if shard and (part.nbytes > free or key in shard):
                yield shard
                shard, free = {}, most_bytes
            shard[key] = part
            free -= part.nbytes
    if shard:
        yield shard


def _pieces(array: NDArray[Any], most_bytes: int) -> Iterator[NDArray[Any]]:
    if array.nbytes <= most_bytes or not array.ndim:
        yield array
        return
    rows = max(1, most_bytes // max(1, array.nbytes // len(array)))
    yield from (array[start : start + rows] for start in range(0, len(array), rows))
