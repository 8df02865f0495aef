"""Tokens counted: texts to a sparse matrix, in chunks that bound memory, on all cores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from xclare.progress import SILENT, Progress
from xclare.sparse import Csr, csr_from_rows, row_blocks
from xclare.strings import Strings

BYTES_AT_ONCE = 1 << 21


def token_ids(
    tokenizer: Tokenizer, texts: Strings, progress: Progress = SILENT, what: str = "tokenising"
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """For one chunk of texts after the other: the ids of all its tokens in order, and the number of each text's."""
    with progress.task(what, len(texts)) as advance:
        for rows in row_blocks(texts.lengths, BYTES_AT_ONCE):
            encodings = tokenizer.encode_batch_fast(list(texts[rows]), add_special_tokens=False)
            counts = np.fromiter(map(len, encodings), np.int64, count=len(encodings))
            ids = chain.from_iterable(encoding.ids for encoding in encodings)
            yield np.fromiter(ids, np.int64, count=int(counts.sum())), counts
            advance(len(encodings))


def count_tokens(tokenizer: Tokenizer, texts: Strings, columns: int, progress: Progress = SILENT) -> Csr:
    """(texts x columns) How often each token stands in each text. Ids from `columns` on (`[UNK]`) are left out."""
    return counts_of_cells(_cells(tokenizer, texts, columns, progress), columns)


def _cells(
    tokenizer: Tokenizer, texts: Strings, columns: int, progress: Progress
) -> Iterator[tuple[NDArray[np.int64], int]]:
    for ids, counts in token_ids(tokenizer, texts, progress):
        row = np.repeat(np.arange(len(counts)), counts)
        known = ids < columns
        yield row[known] * columns + ids[known], len(counts)


def counts_of_cells(chunks: Iterable[tuple[NDArray[np.int64], int]], columns: int) -> Csr:
    """(rows x columns) How often every cell is named. A chunk is row * columns + column of each token, rows counted
    from the chunk's first, and its number of rows."""
    indices, data, sizes = [np.zeros(0, np.int32)], [np.zeros(0, np.float32)], [np.zeros(1, np.int64)]
    for cell, rows in chunks:
        places, times = np.unique(cell, return_counts=True)  # ascending: row after row, columns sorted
        row, column = np.divmod(places, max(columns, 1))
        indices.append(column.astype(np.int32))
        data.append(times.astype(np.float32))
        sizes.append(np.bincount(row, minlength=rows))
    return csr_from_rows(np.cumsum(np.concatenate(sizes)), np.concatenate(indices), np.concatenate(data), columns)
