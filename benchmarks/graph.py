"""The label graph at the size of LF-AmazonTitles-1.3M: walks against the bare random reads they need, and memory
against its formula at three sizes.

    python benchmarks/graph.py

A step of a walk reads the begin and the degree of a label, one of its documents, the begin and the degree of that, and
one of its labels: six reads at places nobody can foresee. The bare reads are as many, from arrays of the same sizes, in
as many threads and in pieces of the same length."""

from __future__ import annotations

import multiprocessing
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from machine import describe, peak_memory, write_results
from xclare.data.synthetic import parse_shape
from xclare.data.synthetic.planted import generate
from xclare.graph.bipartite import Bipartite, bipartite, without_heads
from xclare.graph.label_graph import LabelGraph
from xclare.graph.memory import peak_bytes
from xclare.graph.random_walk import LABELS_AT_ONCE, random_walk
from xclare.graph.settings import GraphSettings
from xclare.sparse import Csr
from xclare.threads import usable_cores

SHAPE = "shape:LF-AmazonTitles-1.3M"
SCALES = (0.1, 0.3, 1.0)
SETTINGS = GraphSettings(max_edges=30)
GIB = 2**30
TEN_MILLION = {"documents": 6_849_451, "labels": 9_550_772, "pairs": 68_494_510}


def main() -> None:
    """Runs everything and writes the results."""
    sizes = [in_own_process(size, scale) for scale in SCALES]
    walks = in_own_process(walks_against_reads, SCALES[-1])
    planned = peak_bytes(**TEN_MILLION, settings=GraphSettings(max_edges=10), workers=usable_cores())
    results = {"sizes": sizes, "walks": walks, "planned_10M_gib": planned / GIB, "machine": describe()}
    rows = [
        ("walks, 1.3M labels, 400 steps", f"{walks['walk_seconds']:.1f} s, {walks['steps'] / 1e6:,.0f} M steps"),
        ("as many bare reads (six a step)", f"{walks['read_seconds']:.1f} s"),
        ("walks to bare reads", f"{walks['ratio']:.2f} (must: 4)"),
        *((f"{size['labels']:,} labels, {size['edges']:,} edges", _described(size)) for size in sizes),
        ("10M labels, planned by the formula", f"{planned / GIB:.1f} GiB (must: 60)"),
    ]
    write_results("graph", results, "The label graph", rows)
    assert walks["ratio"] <= 4, "the walks take more than four times their bare reads"
    assert sizes[-1]["peak_gib"] <= 16, "the graph takes more than 16 GiB"
    assert all(size["peak_gib"] <= 1.1 * size["planned_gib"] for size in sizes), "the formula promises too little"


def _described(size: dict[str, Any]) -> str:
    return f"{size['seconds']:.1f} s, peak {size['peak_gib']:.2f} GiB, planned {size['planned_gib']:.2f} GiB"


def in_own_process(work: Any, scale: float) -> Any:
    """Memory and caches begin anew."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(work, (scale,))


def targets_of(scale: float) -> Csr:
    """The training targets of the shape at a scale."""
    return generate(parse_shape(f"{SHAPE}:{scale}"), text=False).dataset.train.targets


def size(scale: float) -> dict[str, Any]:
    """Builds the whole graph: walks, pruning, normalisation."""
    targets = targets_of(scale)
    built: list[LabelGraph] = []
    begin = time.perf_counter()
    peak = peak_memory(lambda: built.append(LabelGraph.build(targets, SETTINGS)))
    documents, labels = targets.shape
    return {
        "labels": labels,
        "pairs": int(targets.nnz),
        "edges": int(built[0].matrix.nnz),
        "seconds": time.perf_counter() - begin,
        "peak_gib": peak / GIB,
        "planned_gib": peak_bytes(documents, labels, targets.nnz, SETTINGS, usable_cores()) / GIB,
    }


def walks_against_reads(scale: float) -> dict[str, Any]:
    """The walks alone, and the reads alone."""
    targets = targets_of(scale)
    begin = time.perf_counter()
    random_walk(targets, SETTINGS, 0)
    walked = time.perf_counter() - begin
    pairs = bipartite(without_heads(targets, SETTINGS.head_threshold))
    live = int(np.count_nonzero(pairs.to_document.degree))
    read = seconds_of_reads(pairs, live)
    return {
        "steps": live * SETTINGS.walk_length,
        "walk_seconds": walked,
        "read_seconds": read,
        "ratio": walked / read,
    }


def seconds_of_reads(pairs: Bipartite, live: int) -> float:
    """As many indexed reads as the walks of `live` labels need, without anything else."""
    rng = np.random.default_rng(0)
    pieces = -(-live // LABELS_AT_ONCE)

    def places(array: Any) -> Any:
        return rng.integers(0, len(array), (SETTINGS.walk_length, LABELS_AT_ONCE))

    arrays = [part for way in pairs for part in (way.begin, way.degree, way.neighbour)]
    at = [places(array) for array in arrays]

    def piece(_: int) -> None:
        for step in range(SETTINGS.walk_length):
            for array, rows in zip(arrays, at, strict=True):
                array.take(rows[step % len(rows)])

    begin = time.perf_counter()
    with ThreadPoolExecutor(usable_cores()) as pool:
        list(pool.map(piece, range(pieces)))
    return time.perf_counter() - begin


if __name__ == "__main__":
    main()
