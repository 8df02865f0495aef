"""The k most similar items for every query, by the cosine of sparse features: exact, and in bounded memory.

Most of the work of a sparse product goes into a handful of columns that nearly everything has (`(`, `class`, `for`),
and these hardly change who is nearest. So they are left out at first: score = rare part + common part, where by
Cauchy-Schwarz 0 ≤ common part ≤ |q_common| · |d_common|. Items whose rare part with this bound reaches the k-th best
rare part get their exact score. A query is done when its k-th score lies above what an item without any rare column
could reach; the others are searched again with fewer columns left out, and at last with none, for items that reach the
k-th score found so far.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from xclare.data.dataset import Items
from xclare.errors import InputError
from xclare.progress import SILENT, Progress
from xclare.sparse import (
    Csr,
    column_counts,
    csr_from_rows,
    row_blocks,
    row_counts,
    row_l2_normalized,
    top_k,
)
from xclare.threads import worker_count

COMMON_COLUMNS = (8, 4, 2, 0)
"""Columns left out in one search after the other."""
FEW_PRODUCTS = 50_000_000
"""Multiplications below which nothing is left out: the whole product takes no second."""
PRODUCTS_AT_ONCE = 1 << 20
"""Multiplications of one block of queries, so at most as many scores in memory for each worker."""
RECTANGLE = 1 << 17
"""Scores among which the k-th of their rows are found at a time: few enough for the cache."""
DENSE_VALUES = 1 << 26
"""At most so many values (items x common columns) are held densely."""
ROUNDING = 1e-6
"""More than float32 rounding can move a score."""


def most_similar(queries: Csr, items: Csr, k: int, progress: Progress = SILENT, what: str = "comparing") -> Csr:
    """(queries x items) The cosines of the k most similar items of every query, those above 0; of equal ones those with
    the lower numbers. Both have one vocabulary; rows without entries are similar to nothing."""
    query_rows, item_rows = row_l2_normalized(queries, np.float64), row_l2_normalized(items, np.float64)
    found: list[tuple[NDArray[np.int64], Csr]] = []
    waiting, reached = np.arange(queries.shape[0]), np.zeros(queries.shape[0])
    with progress.task(what, queries.shape[0]) as advance:
        for common in _columns_left_out(query_rows, item_rows):
            search = _Search.without(common, item_rows, k)
            for rows, result in _run(search, query_rows[waiting], reached[waiting]):
                done = np.flatnonzero(result.certain)
                found.append((waiting[rows][done], result.scores[done]))
                reached[waiting[rows]] = np.where(result.certain, np.inf, result.worst)
                advance(len(done))
            waiting = np.flatnonzero(reached < np.inf)
            waiting = waiting[np.argsort(reached[waiting] == 0, kind="stable")]  # those without a k-th score together
            if not len(waiting):
                break
    return _in_order(found, (queries.shape[0], items.shape[0]))


def features_of(items: Items, what: str) -> Csr:
    """The items' features, or an error that says how to get some."""
    if items.features is None:
        raise InputError(
            f"The {what} have no features, which this baseline compares. Give texts for documents and labels, "
            "or ready-made features of both with --features FILE."
        )
    return items.features


def _columns_left_out(queries: Csr, items: Csr) -> Iterator[NDArray[np.int64]]:
    """The columns each search leaves out: those that cost most. The bound above needs features of at least 0."""
    cost = column_counts(queries) * column_counts(items)
    nonnegative = all(len(part.data) == 0 or part.data.min() >= 0 for part in (queries, items))
    by_cost = np.argsort(-cost, kind="stable")
    for count in COMMON_COLUMNS:
        fits = count * items.shape[0] <= DENSE_VALUES
        if count == 0 or (nonnegative and fits and cost.sum() > FEW_PRODUCTS):
            yield by_cost[:count]


@dataclass(frozen=True)
class _Found:
    """What a search found for a block of queries."""

    scores: Csr
    """(block x items) The k best of those it looked at."""
    worst: NDArray[np.float64]
    """(block,) The k-th score, 0 where there are fewer."""
    certain: NDArray[np.bool_]
    """(block,) Whether no other item can be among the k best."""


@dataclass(frozen=True)
class _Search:
    """One search through all items, with some columns kept apart."""

    k: int
    common: NDArray[np.int64]
    rare_columns: NDArray[np.float64]
    """(columns,) 1 for the columns in the product, 0 for the common ones."""
    rare: Csr
    """(columns x items) The items' features, transposed, without the common columns."""
    dense: NDArray[np.float64]
    """(items, common) Their common columns."""
    norms: NDArray[np.float64]
    """(items,) The norms of these."""
    longest: float
    """The largest of the norms."""
    highest: NDArray[np.float64]
    """(common,) The largest value of every common column."""

    @classmethod
    def without(cls, common: NDArray[np.int64], items: Csr, k: int) -> _Search:
        rare_columns = np.ones(items.shape[1])
        rare_columns[common] = 0
        dense = items[:, common].toarray() if len(common) else np.zeros((items.shape[0], 0))
        norms = np.sqrt(np.square(dense).sum(axis=1))
        return cls(
            k=k,
            common=common,
            rare_columns=rare_columns,
            rare=_masked(items, rare_columns).T.tocsr(),
            dense=dense,
            norms=norms,
            longest=norms.max(initial=0),
            highest=dense.max(axis=0, initial=0),
        )

    def work(self, queries: Csr) -> NDArray[np.int64]:
        """Multiplications that each query takes."""
        sizes = row_counts(self.rare)[queries.indices] * self.rare_columns[queries.indices]
        work: NDArray[np.int64] = np.diff(np.concatenate([[0.0], np.cumsum(sizes)])[queries.indptr]).astype(np.int64)
        return work

    def __call__(self, queries: Csr, reached: NDArray[np.float64]) -> _Found:
        """The best items of a block of queries, whose k-th scores are at least `reached` (0: not known)."""
        product = _masked(queries, self.rare_columns) @ self.rare  # (block x items), columns not sorted
        dense = queries[:, self.common].toarray() if len(self.common) else np.zeros((queries.shape[0], 0))
        norms = np.sqrt(np.square(dense).sum(axis=1))
        floor = (reached if reached.all() else np.maximum(reached, _kth_largest(product, self.k))) - ROUNDING
        row, item, score = _reaching(product, floor - norms * self.longest)
        kept = np.flatnonzero(score + norms[row] * self.norms[item] >= floor[row])
        row, item, score = row[kept], item[kept], score[kept]
        for column in range(len(self.common)):
            score = score + dense[row, column] * self.dense[item, column]
        kept = np.flatnonzero(score > 0)
        indptr = np.searchsorted(row[kept], np.arange(queries.shape[0] + 1))
        best = top_k(csr_from_rows(indptr, item[kept], score[kept], product.shape[1]), self.k)
        worst = _kth_largest(best, self.k)
        # What an item may reach that shares only common columns with the query:
        reach = np.minimum(norms * self.longest, dense @ self.highest)
        return _Found(best, worst, (norms == 0) | (worst > reach + ROUNDING))


def _kth_largest(csr: Csr, k: int) -> NDArray[np.float64]:
    """The k-th largest entry of every row; 0 where there are fewer."""
    counts = row_counts(csr)
    kth = np.zeros(csr.shape[0])
    long = np.flatnonzero(counts >= k)
    long = long[np.argsort(counts[long], kind="stable")]  # rows of like length share a rectangle
    for block in row_blocks(counts[long], RECTANGLE):
        rows = long[block]
        place = np.arange(counts[rows[-1]])
        entries = csr.indptr[rows].astype(np.int64)[:, None] + place  # (rows, longest)
        values = np.where(place < counts[rows][:, None], csr.data.take(entries, mode="clip"), -np.inf)
        kth[rows] = np.partition(values, -k, axis=1)[:, -k]
    return kth


def _reaching(csr: Csr, floor: NDArray[np.float64]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Row, column and value of the entries that are at least their row's floor."""
    kept = np.flatnonzero(csr.data >= np.repeat(floor, np.diff(csr.indptr)))
    row = np.searchsorted(csr.indptr, kept, side="right") - 1
    return row, csr.indices[kept], csr.data[kept]


def _masked(csr: Csr, columns: NDArray[np.float64]) -> Csr:
    """`csr` with the columns of value 0 left out (the shape stays)."""
    kept = columns[csr.indices] > 0
    indptr = np.concatenate([[0], np.cumsum(kept)])[csr.indptr]
    return csr_array((csr.data[kept], csr.indices[kept], indptr), shape=csr.shape)


def _run(search: _Search, queries: Csr, reached: NDArray[np.float64]) -> Iterator[tuple[slice, _Found]]:
    """The search over all queries, block by block in order, a few blocks at a time: scipy's product and numpy's sorting
    let other threads run."""
    blocks = list(row_blocks(search.work(queries), PRODUCTS_AT_ONCE))
    pool = ThreadPoolExecutor(worker_count())
    try:
        yield from zip(blocks, pool.map(lambda rows: search(queries[rows], reached[rows]), blocks), strict=True)
    finally:
        pool.shutdown(cancel_futures=True)  # an interrupt does not wait for the blocks that have not begun


def _in_order(found: list[tuple[NDArray[np.int64], Csr]], shape: tuple[int, int]) -> Csr:
    """The parts' rows, put where they belong."""
    if not found:
        return csr_array(shape, dtype=np.float32)
    rows = np.concatenate([rows for rows, _ in found])
    together = csr_array(vstack([scores for _, scores in found], format="csr"))
    return together[np.argsort(rows)]
