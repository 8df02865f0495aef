"""The rank of every relevant pair: all that the metrics depend on.

A relevant pair (document, label) that was predicted is a hit. Its rank is 1 + the number of the document's predictions
with a higher score, or with the same score and a lower label id. So no prediction has to be sorted: the few hits are
looked up, and what stands ahead of each is counted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from xclare.errors import InputError
from xclare.sparse import Csr, row_blocks, row_counts, row_of_entry

MISSED = np.iinfo(np.int64).max
"""The rank of a relevant pair that was not predicted."""

ENTRIES_AT_ONCE = 1 << 17
"""Predictions that are looked at in one step: their temporary arrays stay in a core's cache."""

Integers = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Hits:
    """Every relevant pair that the filter leaves, ordered by document and label, and the rank it was predicted at."""

    documents: int
    labels: int
    document: Integers  # (pairs,)
    label: Integers  # (pairs,)
    rank: NDArray[np.int64]  # (pairs,) from 1, or MISSED

    @cached_property
    def truth_counts(self) -> NDArray[np.int64]:
        """(documents,) Relevant labels of every document, 0 where the filter left none."""
        counts: NDArray[np.int64] = np.bincount(self.document, minlength=self.documents)
        return counts

    def sums(self, k: int, weight: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """(documents,) The sum over a document's hits within the top k of `weight` (pairs,), by default 1."""
        within = self.rank <= k
        weights = None if weight is None else weight[within]
        return np.bincount(self.document[within], weights, minlength=self.documents).astype(np.float64, copy=False)

    def ideal(self, value: NDArray[np.float64]) -> Hits:
        """The same pairs as the best possible system ranks them: by falling `value` (labels,) of their label."""
        place = np.empty(self.labels, np.int64)
        place[np.argsort(-value, kind="stable")] = np.arange(self.labels)
        order = np.argsort(self.document * np.int64(self.labels) + place[self.label])
        first = np.cumsum(self.truth_counts) - self.truth_counts
        rank = np.arange(1, len(order) + 1) - first[self.document]  # sorting moves no pair to another document
        return Hits(self.documents, self.labels, self.document, self.label[order], rank)


def hit_ranks(predictions: Any, truth: Csr, excluded: Csr | None = None) -> Hits:
    """Ranks the relevant pairs. All three are (documents x labels); every stored entry of `predictions` is a prediction
    (a score of 0 or below too), every stored entry of `truth` a relevant pair, and the pairs of `excluded` are
    taken out of both. Scores keep the precision they come in, in any order; the scores of a pair stored twice are
    added, as everywhere in scipy. NaN is refused."""
    predictions, truth = checked(predictions, truth.shape), canonical(truth)
    excluded = None if excluded is None else canonical(excluded)
    document, label = row_of_entry(truth), truth.indices
    if excluded is not None and excluded.nnz:
        left = ~_stored(excluded, document, label, lower_bound(excluded, document, label))
        document, label = document[left], label[left]
    rank = np.full(len(document), MISSED)
    for rows in row_blocks(row_counts(predictions), ENTRIES_AT_ONCE):
        pairs = slice(*np.searchsorted(document, [rows.start, rows.stop]))
        block = _block(predictions, rows)
        taken_out = None if excluded is None else _common(block, _block(excluded, rows))
        rank[pairs] = _ranks(block, document[pairs] - rows.start, label[pairs], taken_out)
    return Hits(truth.shape[0], truth.shape[1], document, label, rank)


def checked(predictions: Any, shape: tuple[int, int]) -> Csr:
    """Predictions of any sparse format as a csr, which shares their memory where they are one; refused where they are
    no numbers or not of this shape (documents, labels)."""
    if not issparse(predictions):
        raise InputError(f"Predictions are a {type(predictions).__name__}: expected a scipy sparse matrix or array.")
    if predictions.shape != shape:
        raise InputError(f"Predictions have the shape {predictions.shape}: expected documents x labels, {shape}.")
    if predictions.dtype.kind not in "biuf":
        raise InputError(f"Predictions hold values of type {predictions.dtype}: expected numbers.")
    return csr_array(predictions)


def as_scores(values: NDArray[Any]) -> NDArray[Any]:
    """Scores as float32 or float64: as they are if they are either, so that rounding creates no ties."""
    return values if values.dtype in (np.float32, np.float64) else values.astype(np.float64)


def canonical(matrix: Csr) -> Csr:
    """The same entries with ascending columns and none twice; the values keep their type and the input stays as
    it is."""
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return matrix


def lower_bound(csr: Csr, rows: Integers, columns: Integers) -> NDArray[np.int64]:
    """For every (row, column) the position in a canonical csr of the row's first entry with at least this column; the
    row's end where there is none. All binary searches advance together."""
    low: NDArray[np.int64]
    low, high = csr.indptr[rows].astype(np.int64), csr.indptr[1:][rows].astype(np.int64)
    longest = int((high - low).max(initial=0))
    for _ in range(longest.bit_length()):
        middle = (low + high) >> 1
        # An ended search (low = high) may point behind the last entry; it reads any entry and is left alone.
        below = (csr.indices.take(middle, mode="clip") < columns) & (low < high)
        low, high = np.where(below, middle + 1, low), np.where(below, high, middle)
    return low


def _block(csr: Csr, rows: slice) -> Csr:
    """Some rows as a canonical csr of float32 or float64; only copied where something has to change."""
    begin, end = csr.indptr[rows.start], csr.indptr[rows.stop]
    arrays = (as_scores(csr.data[begin:end]), csr.indices[begin:end], csr.indptr[rows.start : rows.stop + 1] - begin)
    return canonical(csr_array(arrays, shape=(rows.stop - rows.start, csr.shape[1])))


def _stored(csr: Csr, rows: Integers, columns: Integers, position: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which (row, column) are stored, given their `lower_bound`."""
    if not csr.nnz:
        return np.zeros(len(rows), np.bool_)
    there: NDArray[np.bool_] = csr.indices.take(position, mode="clip") == columns
    there &= position < csr.indptr[1:][rows]
    return there


def _common(predictions: Csr, excluded: Csr) -> Csr:
    """The predictions that are excluded, with their scores."""
    row, column = row_of_entry(excluded), excluded.indices
    position = lower_bound(predictions, row, column)
    found = _stored(predictions, row, column, position)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(row[found], minlength=predictions.shape[0]))])
    return csr_array((predictions.data[position[found]], column[found], indptr), shape=predictions.shape)


def _ranks(predictions: Csr, row: Integers, label: Integers, taken_out: Csr | None) -> NDArray[np.int64]:
    """The rank of every (row, label) in a block: 1 + what stands ahead - what of it is taken out."""
    if np.isnan(predictions.data.min(initial=0)):  # the least of anything and NaN is NaN
        raise InputError("Predictions hold a score that is NaN: expected numbers. Leave such predictions out.")
    position = lower_bound(predictions, row, label)
    found = _stored(predictions, row, label, position)
    row, label, position = row[found], label[found], position[found]
    scores = predictions.data[position]
    ahead = _count_ahead(predictions, row, position, scores)
    if taken_out is not None and taken_out.nnz:
        ahead -= _count_ahead(taken_out, row, lower_bound(taken_out, row, label), scores)
    ranks = np.full(len(found), MISSED)
    ranks[found] = 1 + ahead
    return ranks


def _count_ahead(csr: Csr, row: Integers, split: Integers, scores: NDArray[Any]) -> NDArray[np.int64]:
    """For every (row, score) how many entries of the row stand ahead of it: before the position `split` those with at
    least this score, from there on those with a higher one. Labels ascend in a row, so `split`, the lower bound of a
    label, settles ties in favour of lower labels."""
    begin, end = csr.indptr[row].astype(np.int64), csr.indptr[1:][row].astype(np.int64)
    higher = np.nextafter(scores, np.asarray(np.inf, scores.dtype))  # at least this = more than the score
    higher[scores == np.inf] = np.nan  # nothing is higher, and no comparison with NaN holds
    counts = np.zeros(len(row), np.int64)
    for part in row_blocks(end - begin, ENTRIES_AT_ONCE):
        lengths = end[part] - begin[part]
        starts = np.cumsum(lengths) - lengths  # where each row's entries begin in this step's arrays
        entry = np.arange(lengths.sum()) + np.repeat(begin[part] - starts, lengths)
        thresholds = np.stack([scores[part], higher[part]], axis=1).ravel()
        needed = np.repeat(thresholds, np.stack([split[part] - begin[part], end[part] - split[part]], axis=1).ravel())
        is_ahead = np.concatenate([[0], np.cumsum(csr.data[entry] >= needed)])
        counts[part] = is_ahead[starts + lengths] - is_ahead[starts]
    return counts
