"""Writing sparse matrices and pairs of numbers as text: the characters of many entries at once, as a matrix of bytes
whose zeros are left out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xclare.data.formats.decimals import DECIMAL_WIDTH, write_decimals, write_digits
from xclare.persistence.atomic import atomic_file
from xclare.progress import SILENT, Progress
from xclare.sparse import Csr, row_blocks, row_counts, row_of_entry

ENTRIES_AT_ONCE = 1 << 15
INDEX_WIDTH = 10
SPACE, NEWLINE, COLON = b" \n:"


def write_sparse_text(matrix: Csr, path: Path, progress: Progress = SILENT) -> None:
    """Writes `rows columns` and then a line of `column:value` a row; the values read back as the same float32."""
    counts = row_counts(matrix)
    with atomic_file(path) as file, progress.task(f"writing {path.name}", matrix.shape[0]) as advance:
        file.write(f"{matrix.shape[0]} {matrix.shape[1]}\n".encode())
        for block in row_blocks(counts, ENTRIES_AT_ONCE):
            entries = slice(int(matrix.indptr[block.start]), int(matrix.indptr[block.stop]))
            file.write(_rows_as_text(counts[block], matrix.indices[entries], matrix.data[entries]))
            advance(block.stop - block.start)


def _rows_as_text(counts: NDArray[Any], indices: NDArray[Any], values: NDArray[np.float32]) -> bytes:
    text = np.empty((len(indices), INDEX_WIDTH + 1 + DECIMAL_WIDTH + 1), np.uint8)
    write_digits(text[:, :INDEX_WIDTH], indices.astype(np.uint32))
    text[:, INDEX_WIDTH] = COLON
    write_decimals(text[:, INDEX_WIDTH + 1 : -1], values)
    ends = np.cumsum(counts)  # entries up to the end of each row
    text[:, -1] = SPACE
    text[ends[counts > 0] - 1, -1] = NEWLINE
    shown = text != 0
    flat = text[shown]
    empty = counts == 0
    if empty.any():
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(shown.sum(axis=1))])
        flat = np.insert(flat, offsets[ends[empty]], NEWLINE)
    return bytes(flat.tobytes())


def write_pairs(pairs: Csr, path: Path) -> None:
    """Writes `row column` a line for every stored entry."""
    rows, columns = row_of_entry(pairs), pairs.indices
    with atomic_file(path) as file:
        for start in range(0, len(rows), ENTRIES_AT_ONCE):
            block = slice(start, start + ENTRIES_AT_ONCE)
            text = np.empty((len(rows[block]), 2 * INDEX_WIDTH + 2), np.uint8)
            write_digits(text[:, :INDEX_WIDTH], rows[block].astype(np.uint32))
            text[:, INDEX_WIDTH] = SPACE
            write_digits(text[:, INDEX_WIDTH + 1 : -1], columns[block].astype(np.uint32))
            text[:, -1] = NEWLINE
            file.write(text[text != 0].tobytes())
