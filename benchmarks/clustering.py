"""Meta-labels: centroids and clusters on two real sets and on the shape of LF-AmazonTitles-1.3M, their time and memory,
the table of lost mutual information, and the quality of the clusters against the node-by-node oracle of the tests.

    XCLARE_DATA=... python benchmarks/clustering.py [--large]

Without `--large` only the real sets. Seconds are of processor time, which other work on the machine does not change,
over all threads; the seconds that passed stand beside. An accelerator, where torch finds one, is timed as well."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from machine import RESULTS, describe, peak_memory, write_results
from xclare.arrays import Array
from xclare.clustering.comparison import Comparison
from xclare.clustering.label_centroids import COLUMNS_AT_ONCE, projected_centroids
from xclare.clustering.meta_labels import cluster_labels
from xclare.clustering.points import DensePoints, points_of
from xclare.clustering.settings import ClusteringSettings
from xclare.data.dataset import Dataset, Documents
from xclare.data.synthetic import SHAPES, generate
from xclare.data.synthetic.shapes import scaled
from xclare.graph.label_graph import LabelGraph
from xclare.sparse import Csr, column_counts
from xclare.text.features import with_features

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "clustering"))
from node_by_node import mean_cosine, node_by_node  # type: ignore[import-not-found]

SMALL, REAL = "docs-seealso-titles-100k", {"debian-deps-25k": (10, 13), "docs-seealso-titles-100k": (13, 15)}
LARGE, LARGEST = "LF-AmazonTitles-1.3M", "LF-P2PTitles-10M"
SCALES = (1 / 16, 1 / 4, 1 / 2, 1)
HEADS = 500
SETTINGS = ClusteringSettings()
GIB = 2**30

T = TypeVar("T")


def main() -> None:
    """Runs everything and writes the results."""
    results: dict[str, Any] = {name: real(name, powers) for name, powers in REAL.items()}
    rows = [row for name in REAL for row in described_real(name, results[name])]
    if "--large" in sys.argv:
        sizes = {scale: large(scale) for scale in SCALES}
        whole, reference = sizes[1], results[SMALL]
        results[LARGE] = {str(scale): found for scale, found in sizes.items()}
        results["ratio_centroids"] = whole["seconds_a_non_zero"] / reference["seconds_a_non_zero"]
        results["ratio_clusters"] = whole["seconds_a_label_and_level"] / reference["seconds_a_label_and_level"]
        results["slope"] = slope([(found["labels"], found["clusters"]) for found in sizes.values()])
        results["planned_gib_10M"] = planned() / GIB
        rows += described_large(results, sizes)
    results["machine"] = describe()
    write_results("clustering", results, "Meta-labels", rows)
    check(results)


def real(name: str, powers: tuple[int, int]) -> dict[str, Any]:
    """One real set: times, LMI as the mean of three seeds, and quality against the oracle."""
    train = with_features(Dataset.load(Path(os.environ["XCLARE_DATA"]) / name)).train
    graph = LabelGraph.build(train).matrix
    found = timed(train, graph, times=3)
    table: dict[str, list[float]] = {}
    for seed in range(3):
        fanouts = [2**power for power in powers]
        for row in Comparison(train, graph, SETTINGS, HEADS, seed).table(fanouts):
            table.setdefault(f"{row.method} 2^{row.clusters.bit_length() - 1}", []).append(row.documents)
            table.setdefault(f"{row.method} 2^{row.clusters.bit_length() - 1}, tokens", []).append(row.tokens)
    assert train.features is not None
    centroids = projected_centroids(train.features, train.targets, graph, SETTINGS.dimensions, 0)
    return {**found, "lmi": {key: float(np.mean(values)) for key, values in table.items()}, **quality(centroids)}


def quality(centroids: Array) -> dict[str, Any]:
    """Mean cosine of a label to its cluster's centroid, ours and the oracle's, over three seeds; heads among the rest,
    as the oracle has it."""
    labels = len(centroids)
    points = points_of(centroids, np.arange(labels))
    assert isinstance(points, DensePoints)
    unit = points.array
    frequencies, clusters = np.zeros(labels, np.int64), SETTINGS.clusters_for(labels)
    ours, theirs, seconds = [], [], []
    for seed in range(3):
        found = cluster_labels(centroids, frequencies, SETTINGS, head_threshold=HEADS, seed=seed)
        ours.append(mean_cosine(unit, found.cluster_of_label))
        (used, passed), by_oracle = clock(lambda seed=seed: node_by_node(unit, clusters, seed))  # type: ignore[misc]
        theirs.append(mean_cosine(unit, by_oracle))
        seconds.append((used, passed))
    return {"cosine": float(np.mean(ours)), "cosine_oracle": float(np.mean(theirs)), "oracle": min(seconds)}


def timed(train: Documents, graph: Csr | None, times: int) -> dict[str, Any]:
    """Seconds of processor time and seconds passed, for centroids and clusters; and what they come to a piece."""
    assert train.features is not None
    features, targets, labels = train.features, train.targets, train.targets.shape[1]
    frequencies = column_counts(targets)
    entries = features.nnz + targets.nnz + (0 if graph is None else graph.nnz)

    def centroids() -> Array:
        return projected_centroids(features, targets, graph, SETTINGS.dimensions, 0)

    of_centroids, rows = best(times, centroids)
    of_clusters, found = best(times, lambda: cluster_labels(rows, frequencies, SETTINGS, head_threshold=HEADS, seed=0))
    levels = found.tail_clusters.bit_length() - 1
    accelerated = on_accelerator(train, graph, frequencies)
    return {
        "labels": labels,
        "entries": entries,
        "tail_clusters": found.tail_clusters,
        "centroids": of_centroids,
        "clusters": of_clusters,
        "seconds_a_non_zero": of_centroids[0] / entries,
        "seconds_a_label_and_level": of_clusters[0] / labels / levels,
        **accelerated,
    }


def on_accelerator(train: Documents, graph: Csr | None, frequencies: Any) -> dict[str, Any]:
    """The seconds that centroids and clusters take together on torch's first device, if there is one."""
    try:
        import torch
    except ImportError:
        return {}
    if not torch.cuda.is_available():
        return {}
    assert train.features is not None

    def work() -> None:
        rows = projected_centroids(train.features, train.targets, graph, SETTINGS.dimensions, 0, "cuda")
        cluster_labels(rows, frequencies, SETTINGS, head_threshold=HEADS, seed=0)  # ends with a copy to the CPU

    work()
    return {"accelerator": torch.cuda.get_device_name(), "accelerator_seconds": clock(work)[0][1]}


def large(scale: float) -> dict[str, Any]:
    """The large shape at some scale: times and memory, each beside the bytes that the formulas say."""
    train = generate(scaled(SHAPES[LARGE], scale), text=False).dataset.train
    graph = LabelGraph.build(train).matrix
    found = timed(train, graph, times=2)
    assert train.features is not None
    features, targets, labels = train.features, train.targets, found["labels"]
    held: list[Array] = []
    used = peak_memory(lambda: held.append(projected_centroids(features, targets, graph, SETTINGS.dimensions, 0)))
    used_by_clusters = peak_memory(
        lambda: cluster_labels(held[0], column_counts(targets), SETTINGS, head_threshold=HEADS, seed=0)
    )
    found |= {"centroids_bytes": used, "clusters_bytes": used_by_clusters, "graph_entries": int(graph.nnz)}
    found["centroids_bytes_planned"] = bytes_of_centroids(labels, len(train), targets.nnz)
    found["clusters_bytes_planned"] = bytes_of_clusters(labels)
    print(scale, found, flush=True)
    return found


def bytes_of_centroids(labels: int, documents: int, pairs: int) -> int:
    """Two projections at a time, of documents and labels or of labels before and after the graph; and the pairs as
    ones and transposed."""
    assert SETTINGS.dimensions <= COLUMNS_AT_ONCE
    return 4 * SETTINGS.dimensions * (labels + max(labels, documents)) + 12 * pairs


def bytes_of_clusters(labels: int) -> int:
    """Beside the centroids: the points, and twice in copies, at most, those of the level in work."""
    return 3 * 4 * labels * SETTINGS.dimensions + 64 * labels


def planned() -> int:
    """Bytes for the 10M shape: what clusters take at their peak, the centroids, and everything that went into these."""
    shape = SHAPES[LARGEST]
    pairs, edges = round(shape.train_documents * 10), shape.labels * 11
    inputs = 8 * (round(shape.train_documents * 9) + pairs + edges) + 8 * (2 * shape.train_documents + shape.labels)
    on_the_way = bytes_of_centroids(shape.labels, shape.train_documents, pairs)
    after = 4 * shape.labels * SETTINGS.dimensions + bytes_of_clusters(shape.labels)
    return inputs + max(on_the_way, after)


def slope(times: list[tuple[int, tuple[float, float]]]) -> float:
    """Log-log slope, in the number of labels, of the processor time of clusters over L log L; drawn as well."""
    labels = np.array([count for count, _ in times])
    per_unit = np.array([used for _, (used, _) in times]) / (labels * np.log2(labels))
    found = float(np.polyfit(np.log(labels), np.log(per_unit), 1)[0])
    draw(labels, per_unit, found)
    return found


def draw(labels: Any, per_unit: Any, found: float) -> None:
    """The points of the fit, as a picture."""
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(5, 3.2), layout="constrained")
    axes.loglog(labels, per_unit * 1e9, "o-", color="#1f5f8b")
    axes.set(xlabel="labels", ylabel="nanoseconds / (L log₂ L)", title=f"Clustering: slope {found:.2f}")
    axes.set_ylim(per_unit.min() * 1e9 / 3, per_unit.max() * 1e9 * 3)
    figure.savefig(RESULTS / "clustering.svg", metadata={"Date": None})
    plt.close(figure)


def clock(work: Callable[[], T]) -> tuple[tuple[float, float], T]:
    """((processor seconds, seconds passed), result)."""
    passed, used = time.perf_counter(), time.process_time()
    result = work()
    return (time.process_time() - used, time.perf_counter() - passed), result


def best(times: int, work: Callable[[], T]) -> tuple[tuple[float, float], T]:
    """The least of several."""
    runs = [clock(work) for _ in range(times)]
    return min((seconds for seconds, _ in runs)), runs[-1][1]


def described_real(name: str, found: dict[str, Any]) -> list[tuple[str, str]]:
    """The rows of one real set."""
    ratio = found["cosine"] / found["cosine_oracle"]
    clusters, oracle = found["clusters"], found["oracle"]
    return [
        (f"{name}: centroids", f"{shown(found['centroids'])}, {found['seconds_a_non_zero'] * 1e9:.0f} ns a non-zero"),
        (f"{name}: {found['tail_clusters']} clusters", f"{shown(clusters)}; oracle {shown(oracle)}"),
        (f"{name}: mean cosine", f"{found['cosine']:.4f}, {ratio:.4f} of the oracle's (must: 0.995)"),
        *((f"{name}: LMI {key}", f"{value:.3f} bits") for key, value in found["lmi"].items()),
    ]


def described_large(results: dict[str, Any], sizes: dict[float, dict[str, Any]]) -> list[tuple[str, str]]:
    """The rows of the large shape."""
    rows = [
        (
            f"{found['labels']:,} labels",
            f"centroids {shown(found['centroids'])}, {memory(found, 'centroids')}; "
            f"{found['tail_clusters']} clusters {shown(found['clusters'])}, {memory(found, 'clusters')}",
        )
        for found in sizes.values()
    ]
    return [
        *rows,
        ("centroids, time a non-zero against docs-seealso", f"{results['ratio_centroids']:.2f} (must: 2)"),
        ("clusters, time a label and level against docs-seealso", f"{results['ratio_clusters']:.2f} (must: 2)"),
        ("slope of time over L log L", f"{results['slope']:.2f} (must: 0.15)"),
        ("10 million labels, planned", f"{results['planned_gib_10M']:.1f} GiB (must: 60)"),
    ]


def shown(seconds: tuple[float, float]) -> str:
    return f"{seconds[0]:.2f} s ({seconds[1]:.2f} passed)"


def memory(found: dict[str, Any], what: str) -> str:
    return f"{found[f'{what}_bytes'] / GIB:.2f} GiB (planned {found[f'{what}_bytes_planned'] / GIB:.2f})"


def check(results: dict[str, Any]) -> None:
    """What must hold."""
    for name, powers in REAL.items():
        found = results[name]
        assert found["cosine"] >= 0.995 * found["cosine_oracle"], f"{name}: clusters are worse than the oracle's"
        assert found["clusters"][0] <= found["oracle"][0], f"{name}: slower than the oracle"
        for power in powers:
            augmented, *others = (found["lmi"][f"{method} 2^{power}"] for method in ("augmented", "plain", "random"))
            assert augmented < min(others), f"{name}: augmentation did not help"
    if LARGE in results:
        whole = results[LARGE]["1"]
        assert max(results["ratio_centroids"], results["ratio_clusters"]) <= 2, "the large shape is too slow"
        assert max(whole["centroids_bytes"], whole["clusters_bytes"]) <= 16 * GIB, (
            "the large shape takes too much memory"
        )
        assert results["slope"] <= 0.15, "time grows faster than L log L"
        assert results["planned_gib_10M"] <= 60, "10 million labels do not fit"
        for found in results[LARGE].values():
            for what in ("centroids", "clusters"):
                assert found[f"{what}_bytes"] <= 1.1 * found[f"{what}_bytes_planned"] + GIB / 4, f"{what}: {found}"


if __name__ == "__main__":
    main()
