"""Time and memory of reading, from file to arrays, on one core: sparse text against scikit-learn's
`load_svmlight_file`, raw JSON lines against a loop of the standard library's `json.loads`, each over the same lines and
in the same run.

    python benchmarks/readers.py

The data is made here: 350 thousand documents of 10 features each, and 200 thousand titles with their labels. Where
`XCLARE_DATA` is set, the titles of docs-seealso-titles-100k are read as well. Peak memory is what reading needs at
most, as a multiple of the arrays that it keeps; it is taken in a process of its own. Times are those of the processor,
so that other work on the machine counts little: all of this runs in one thread, on files that are in memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import msgspec
import numpy as np
from sklearn.datasets import load_svmlight_file

from machine import describe, peak_memory, write_results
from xclare.data import xc_repository
from xclare.data.canonical_rows import features_from_rows
from xclare.data.dataset import Dataset
from xclare.data.files import Findings, open_binary
from xclare.data.formats.sparse_text import read_sparse_text
from xclare.data.settings import DataSettings
from xclare.progress import SILENT
from xclare.sparse import Csr

TIMES = 3
SPARSE_ROWS, FEATURES_A_ROW, VOCABULARY = 350_000, 10, 40_000
TITLES, LABELS, WORDS = 200_000, 100_000, 20_000
REAL_DATA = "docs-seealso-titles-100k"
LEAST_TIMES_AS_FAST, MOST_TIMES_ARRAYS = {"sparse": 2.5, "raw": 2.0}, 3.0

T = TypeVar("T")


def main() -> None:
    """Runs everything and writes the results; with two arguments, takes the peak memory of one reading."""
    if len(sys.argv) == 3:
        print(json.dumps(memory(sys.argv[1], Path(sys.argv[2]))))
        return
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        sparse = make_sparse(folder / "x.txt")
        titles = folder / "titles"
        titles.mkdir()
        make_titles(titles)
        results = {"sparse_text": measure_sparse(sparse), "raw_json": measure_json(titles)}
        if os.environ.get("XCLARE_DATA"):
            real = folder / REAL_DATA
            real.mkdir()
            for name in ("trn", "lbl"):
                source = Path(os.environ["XCLARE_DATA"]) / REAL_DATA / f"{name}.json.gz"
                with open_binary(source) as file:
                    (real / f"{name}.json").write_bytes(file.read())
            results[f"raw_json_{REAL_DATA}"] = measure_json(real)
        else:
            print(f"XCLARE_DATA is not set: {REAL_DATA} is left out", file=sys.stderr)
    rows = [line for name, numbers in results.items() for line in as_rows(name, numbers)]
    summary = {**results, "machine": describe("scikit-learn")}
    write_results("readers", summary, "Reading, from file to arrays: processor time, one core, best of three", rows)
    for name, numbers in results.items():
        wanted = LEAST_TIMES_AS_FAST["sparse" if name.startswith("sparse") else "raw"]
        assert numbers["times_as_fast"] >= wanted, f"{name} is read too slowly"
        assert numbers["peak_memory_times_arrays"] <= MOST_TIMES_ARRAYS, f"{name} takes too much memory"


def as_rows(name: str, numbers: dict[str, float]) -> list[tuple[str, str]]:
    """The table's lines for one comparison."""
    what = name.replace("_", " ")
    times, memory_times = numbers["times_as_fast"], numbers["peak_memory_times_arrays"]
    return [
        (f"{what}, {numbers['megabytes']:.0f} MB", f"{numbers['seconds']:.2f} s"),
        (f"{what}, {numbers['rival']}", f"{numbers['rival_seconds']:.2f} s, ours is {times:.1f} times as fast"),
        (f"{what}, peak memory", f"{memory_times:.2f} times the {numbers['arrays_megabytes']:.0f} MB of arrays kept"),
    ]


def make_sparse(path: Path) -> Path:
    """Rows of TF-IDF-like features in the usual six decimals, and beside them the same as SVMlight wants it."""
    random = np.random.default_rng(0)
    steps = random.integers(1, 2 * VOCABULARY // (FEATURES_A_ROW + 1), (SPARSE_ROWS, FEATURES_A_ROW))
    indices = np.cumsum(steps, axis=1) % VOCABULARY
    indices.sort(axis=1)
    indices += np.arange(FEATURES_A_ROW)  # no index stands twice in a row
    values = random.uniform(0.001, 1, (SPARSE_ROWS, FEATURES_A_ROW))
    columns = VOCABULARY + FEATURES_A_ROW
    form = " ".join(["%d:%.6f"] * FEATURES_A_ROW)
    mixed = np.empty((SPARSE_ROWS, 2 * FEATURES_A_ROW), object)
    mixed[:, ::2], mixed[:, 1::2] = indices, values
    lines = [form % tuple(row) for row in mixed]
    path.write_text(f"{SPARSE_ROWS} {columns}\n" + "\n".join(lines) + "\n")
    path.with_suffix(".svm").write_text("".join(f"0 {line}\n" for line in lines))
    return path


def make_titles(folder: Path) -> None:
    """Titles of 3 to 12 made-up words, 1 to 5 labels each, the popular ones often; and as many label texts."""
    random = np.random.default_rng(1)
    words = np.array(["".join(random.choice(list("etaoinshrdlu"), length)) for length in random.integers(2, 9, WORDS)])

    def titles(count: int) -> list[str]:
        drawn = [words[random.zipf(1.3, length) % WORDS] for length in random.integers(3, 13, count)]
        return [" ".join(row) for row in drawn]

    documents = []
    for number, title in enumerate(titles(TITLES)):
        labels = np.unique(random.zipf(1.2, random.integers(1, 6)) % LABELS).tolist()
        document = {"uid": f"B{number:07d}", "title": title, "target_ind": labels, "target_rel": [1.0] * len(labels)}
        documents.append(document)
    encoder = msgspec.json.Encoder()
    (folder / "trn.json").write_bytes(encoder.encode_lines(documents).replace(b'":', b'": ').replace(b",", b", "))
    labels_file = [{"uid": str(number), "title": title} for number, title in enumerate(titles(LABELS))]
    (folder / "lbl.json").write_bytes(encoder.encode_lines(labels_file))


def best_of(times: int, work: Callable[[], T]) -> tuple[float, T]:
    """The least of several processor times in seconds, and the work's last result."""
    seconds = []
    for _ in range(times):
        start = time.process_time()
        result = work()
        seconds.append(time.process_time() - start)
    return min(seconds), result


def read_sparse(path: Path) -> Csr:
    """A file of sparse text as a canonical csr."""
    text = read_sparse_text(path, "entries", Findings())
    return features_from_rows(text.rows.counts, text.rows.indices, text.rows.values, text.columns(), Findings())


def read_json(folder: Path) -> Dataset:
    """Documents and labels as texts, ids and targets."""
    return xc_repository.load(folder, DataSettings(), Findings(), SILENT)


def measure_sparse(path: Path) -> dict[str, Any]:
    """Ours against scikit-learn's; both must find the same."""
    ours, found = best_of(TIMES, lambda: read_sparse(path))
    columns = found.shape[1]
    theirs, (same, _) = best_of(
        TIMES,
        lambda: load_svmlight_file(path.with_suffix(".svm"), n_features=columns, dtype=np.float32, zero_based=True),
    )
    np.testing.assert_array_equal(found.indices, same.indices)
    np.testing.assert_array_equal(found.data, same.data)
    return compared(path.stat().st_size, ours, theirs, "load_svmlight_file", "sparse", path)


def measure_json(folder: Path) -> dict[str, Any]:
    """Ours, to finished arrays, against `json.loads` of every line alone."""

    def loop() -> int:
        rows = 0
        for name in ("trn.json", "lbl.json"):
            with (folder / name).open("rb") as file:
                for line in file:
                    json.loads(line)
                    rows += 1
        return rows

    ours, found = best_of(TIMES, lambda: read_json(folder))
    theirs, rows = best_of(TIMES, loop)
    assert rows == found.train.count + found.labels.count
    size = sum(path.stat().st_size for path in folder.iterdir())
    return compared(size, ours, theirs, "json.loads alone", "json", folder)


def compared(size: int, ours: float, theirs: float, rival: str, kind: str, path: Path) -> dict[str, Any]:
    """The numbers of one comparison, with the memory taken in another process."""
    command = [sys.executable, __file__, kind, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    kept, peak = json.loads(done.stdout)
    return {
        "megabytes": size / 1e6,
        "seconds": ours,
        "rival": rival,
        "rival_seconds": theirs,
        "times_as_fast": theirs / ours,
        "arrays_megabytes": kept / 1e6,
        "peak_memory_times_arrays": peak / kept,
    }


def memory(kind: str, path: Path) -> tuple[int, int]:
    """Bytes of the arrays that a reading keeps, and bytes at its peak."""
    kept: list[int] = []

    def work() -> None:
        kept.append(bytes_of_csr(read_sparse(path)) if kind == "sparse" else bytes_of(read_json(path)))

    peak = peak_memory(work)
    return kept[0], peak


def bytes_of_csr(matrix: Csr) -> int:
    """Bytes of a csr's arrays."""
    return int(matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes)


def bytes_of(data: Dataset) -> int:
    """Bytes of texts, ids and targets."""
    total = bytes_of_csr(data.train.targets)
    for items in (data.train, data.labels):
        total += sum(column.nbytes for column in items.fields.values())
        total += items.ids.nbytes if items.ids is not None else 0
    return total


if __name__ == "__main__":
    main()
