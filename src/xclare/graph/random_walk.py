"""Random walks with restart over the training pairs (Algorithm 1), from all labels of a chunk at once.

Randomness is counter-based: what a label's walk does at a step is a hash of seed, label and step. So the visit counts
are the same, to the bit, in numpy and torch, on CPU and GPU, for any number of threads and any chunking.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from xclare.arrays import Array, as_numpy, moved, namespace
from xclare.graph.bipartite import Bipartite, Steps, bipartite, without_heads
from xclare.graph.pruning import strongest_edges
from xclare.graph.settings import GraphSettings
from xclare.progress import SILENT, Progress
from xclare.randomness import LOW_32_BITS, chosen, drawn, keys
from xclare.sparse import Csr, csr_from_row_blocks
from xclare.threads import worker_count

LABELS_AT_ONCE = 1 << 14
"""Walks that advance together: what they read and write at a step stays in a core's cache."""

COUNTED_AT_ONCE = 1 << 11
"""Walks whose visits are sorted and counted together, for the same reason."""

DRAWS_A_STEP = 3


class Visits(NamedTuple):
    """Visit counts of some rows, as the arrays of a csr."""

    counts: NDArray[np.float32]
    labels: NDArray[np.int32]
    ends: NDArray[np.int64]  # (rows + 1,)


def random_walk(
    targets: Csr,
    settings: GraphSettings,
    seed: int,
    *,
    labels: NDArray[Any] | None = None,
    device: str = "cpu",
    progress: Progress = SILENT,
) -> Csr:
    """G^c (labels x labels): G^c_lm is how often the walk from l visits m in `walk_length` steps. At every step it
    restarts from l with probability p, goes to a relevant document of the label it stands on, then to a relevant
    label of that document: v[lambda]++ (Algorithm 1, WalkFrom; the start itself is never counted).

    Head labels are never crossed: their row and column are empty, as are the rows of labels without documents. At most
    `settings.edges_kept` neighbours are kept, and the label itself. `labels` restricts the walks to these starts.
    """
    pairs = bipartite(without_heads(targets, settings.head_threshold), weighted=settings.weighted)
    live = np.flatnonzero(pairs.to_document.degree)
    live = live if labels is None else np.intersect1d(live, labels)
    place, most = pairs.on(device), settings.edges_kept(targets.shape[1])
    chunks = [live[start : start + LABELS_AT_ONCE] for start in range(0, len(live), LABELS_AT_ONCE)]

    def walked(chunk: NDArray[np.int64]) -> list[Csr]:
        visited, _ = walk(place, moved(chunk, device), settings.walk_length, settings.restart, seed)
        parts = []
        for start in range(0, len(chunk), COUNTED_AT_ONCE):
            starts = chunk[start : start + COUNTED_AT_ONCE]
            rows = counted(visited[:, start : start + COUNTED_AT_ONCE])
            counts = csr_array((rows.counts, rows.labels, rows.ends), shape=(len(starts), targets.shape[1]))
            parts.append(strongest_edges(counts, starts, most))
        return parts

    workers = worker_count() if device == "cpu" else 1
    with ThreadPoolExecutor(workers) as pool, progress.task("random walks", len(live)) as advance:
        parts: list[Csr] = []
        for chunk, part in zip(chunks, pool.map(walked, chunks), strict=True):
            parts += part
            advance(len(chunk))
    return csr_from_row_blocks(parts, live, targets.shape[1])


def walk(pairs: Bipartite, start: Array, length: int, restart: float, seed: int) -> tuple[Array, Array]:
    """The labels visited from every `start` (n,), step by step, (length, n) int32, and whether the walk restarted
    before the step, (length, n) bool. Every start has at least one document."""
    xp = namespace(start)
    stream, label = keys(seed, start), start
    restarts_below = round(restart * 2**32)
    visited, restarted = [], []
    for step in range(length):
        decide, to_document, to_label = (drawn(stream, DRAWS_A_STEP * step + draw) for draw in range(DRAWS_A_STEP))
        restarts = (decide & LOW_32_BITS) < restarts_below
        label = xp.where(restarts, start, label)
        document = _stepped(pairs.to_document, label, to_document)
        label = xp.astype(_stepped(pairs.to_label, document, to_label), xp.int64)
        visited.append(xp.astype(label, xp.int32))
        restarted.append(restarts)
    return xp.stack(visited), xp.stack(restarted)


def _stepped(steps: Steps, row: Array, bits: Array) -> Array:
    """One neighbour of every row, chosen evenly or by weight."""
    xp = namespace(row)
    begin = xp.take(steps.begin, row)
    if steps.weight_before is None:
        return xp.take(steps.neighbour, begin + chosen(bits, xp.take(steps.degree, row)))
    low = xp.take(steps.weight_before, begin)
    high = xp.take(steps.weight_before, begin + xp.take(steps.degree, row))
    # A row's weights may add up to more than 2^32: the choice is made in units of 2^20, then within one.
    aim = low + _chosen_wide(bits, high - low)
    return xp.take(steps.neighbour, xp.searchsorted(steps.weight_before, aim, side="right") - 1)


def _chosen_wide(bits: Array, count: Array) -> Array:
    """A whole number from 0 to `count` - 1, for counts up to 2^62: the halves of the product, each exact."""
    low_bits = bits & LOW_32_BITS
    return low_bits * (count >> 32) + (low_bits * (count & LOW_32_BITS) >> 32)


def counted(visited: Array) -> Visits:
    """How often every walk visited every label: (length, n) labels to n rows of counts, labels ascending."""
    xp = namespace(visited)
    length, walks = visited.shape
    by_walk = xp.reshape(xp.reshape(visited.T, (-1,)), (walks, length))  # a copy, each walk in one piece
    ordered = xp.reshape(xp.sort(by_walk, axis=1, stable=False), (-1,))
    ends_run = ordered[1:] != ordered[:-1]
    ends_run[length - 1 :: length] = True  # every walk ends a run
    (last,) = xp.nonzero(ends_run)  # of all runs but the very last
    ends = np.concatenate([as_numpy(last).astype(np.int64), [length * walks - 1]])
    counts = np.diff(ends, prepend=-1).astype(np.float32)
    rows = np.searchsorted(ends, np.arange(walks + 1) * length - 1, side="right")
    return Visits(counts, as_numpy(ordered)[ends], rows)
