"""Time of all metrics on 100 thousand and on a million documents x top 100, against napkinxc in the same run.

    python benchmarks/metrics.py

Ours are P, PSP, nDCG, PSnDCG and coverage at 1, 3, 5, R at 5, 10, 100, and the frequency bins, with the filter applied
in the time. napkinxc computes P@5, PSP@5, nDCG@5 and R@100 on matrices filtered beforehand. Both must agree."""

from __future__ import annotations

from typing import Any

import numpy as np
from napkinxc import metrics as napkin
from numpy.typing import NDArray
from scipy.sparse import csr_array, csr_matrix

from machine import best_of, describe, peak_memory, write_results
from xclare.data.dataset import Documents, Labels
from xclare.evaluation import Evaluation, evaluate

LABELS = 131_072
TOP = 100
TRAINING_DOCUMENTS = 300_000
ROWS_AT_ONCE = 50_000


def main() -> None:
    """Runs everything and writes the results."""
    results = {**small(), **large(), "machine": describe("napkinxc")}
    ours, theirs, million = (results[f"seconds_{name}"] for name in ("100k", "100k_napkinxc", "1m"))
    results |= {"times_faster": theirs / ours, "times_100k": million / ours}
    memory, held = results["peak_memory_1m_bytes"] / 2**20, results["predictions_1m_bytes"] / 2**20
    rows = [
        ("100 thousand documents, all metrics", f"{ours:.2f} s"),
        ("the same, rows stored by falling score", f"{results['seconds_100k_rows_stored_by_score']:.2f} s"),
        ("the same, with 1,000 bootstrap samples", f"{results['seconds_100k_with_1000_bootstrap_samples']:.2f} s"),
        ("napkinxc: P@5, PSP@5, nDCG@5, R@100", f"{theirs:.2f} s, {theirs / ours:.0f} times ours"),
        ("largest difference from napkinxc", f"{results['largest_difference_from_napkinxc']:.1e}"),
        ("1 million documents, all metrics", f"{million:.2f} s, {million / ours:.1f} times 100 thousand"),
        ("peak memory beside the 1 million predictions", f"{memory:.0f} MiB beside {held:.0f}"),
    ]
    write_results("metrics", results, "Metrics of predictions x top 100 over 131,072 labels", rows)
    assert theirs >= 10 * ours, "all metrics take more than a tenth of napkinxc's four"
    assert million <= 13 * ours, "a million documents take more than 13 times as long as 100 thousand"


def small() -> dict[str, Any]:
    """100 thousand documents, ours and napkinxc."""
    predictions, documents, train = generate(100_000)
    ours, found = best_of(3, lambda: evaluate(predictions, documents, train))
    by_score = rows_by_score(predictions)
    ours_by_score, same = best_of(3, lambda: evaluate(by_score, documents, train))
    assert same == found, "the order in which entries are stored changed a metric"
    theirs, difference = against_napkin(predictions, documents, train, found)
    with_intervals, _ = best_of(1, lambda: evaluate(predictions, documents, train, bootstrap=1000))
    return {
        "seconds_100k": ours,
        "seconds_100k_rows_stored_by_score": ours_by_score,
        "seconds_100k_with_1000_bootstrap_samples": with_intervals,
        "seconds_100k_napkinxc": theirs,
        "largest_difference_from_napkinxc": difference,
        "metrics_100k": found.metrics,
    }


def large() -> dict[str, Any]:
    """A million documents, ours."""
    predictions, documents, train = generate(1_000_000)
    seconds, _ = best_of(3, lambda: evaluate(predictions, documents, train))
    memory = peak_memory(lambda: evaluate(predictions, documents, train))
    held = sum(array.nbytes for array in (predictions.data, predictions.indices, predictions.indptr))
    return {"seconds_1m": seconds, "peak_memory_1m_bytes": memory, "predictions_1m_bytes": held}


def generate(count: int) -> tuple[csr_array, Documents, csr_array]:
    """Predictions without ties, documents with 2.9 labels on average of which some 40 % are predicted, mostly high; a
    filter pair on three documents in ten; and training targets with popular and rare labels."""
    rng = np.random.default_rng(0)
    columns, scores = np.empty((count, TOP), np.int32), np.empty((count, TOP), np.float32)
    for start in range(0, count, ROWS_AT_ONCE):
        part = slice(start, start + ROWS_AT_ONCE)
        shape = columns[part].shape
        # A column in each of 100 ranges: ascending without sorting. A score in each of 100 ranges: no two are equal.
        columns[part] = np.arange(TOP) * (LABELS // TOP) + rng.integers(0, LABELS // TOP, shape)
        scores[part] = (rng.permuted(np.tile(np.arange(TOP), (shape[0], 1)), axis=1) + 0.9 * rng.random(shape)) / TOP
    row = np.repeat(np.arange(count), 1 + rng.poisson(1.9, count))
    tried = rng.integers(0, TOP, (len(row), 8))
    place = np.take_along_axis(tried, np.argmax(scores[row[:, None], tried], axis=1)[:, None], axis=1)[:, 0]
    label = np.where(rng.random(len(row)) < 0.4, columns[row, place], rng.integers(0, LABELS, len(row)))
    out = np.flatnonzero(rng.random(count) < 0.3)
    indptr = np.arange(count + 1, dtype=np.int32) * TOP
    predictions = csr_array((scores.ravel(), columns.ravel(), indptr), shape=(count, LABELS))
    documents = Documents(
        count=count,
        targets=_pairs(row, label, count),
        excluded=_pairs(out, columns[out, rng.integers(0, TOP, len(out))], count),
        labels=Labels(count=LABELS),
    )
    popular = np.minimum(rng.zipf(1.2, 3 * TRAINING_DOCUMENTS) - 1, LABELS - 1)
    train = _pairs(rng.integers(0, TRAINING_DOCUMENTS, len(popular)), popular, TRAINING_DOCUMENTS)
    return predictions, documents, train


def rows_by_score(predictions: csr_array) -> csr_array:
    """The same entries, each row's best first, as many systems store them."""
    order = np.argsort(-predictions.data.reshape(-1, TOP), axis=1) + predictions.indptr[:-1, None]
    flat = order.ravel()
    return csr_array((predictions.data[flat], predictions.indices[flat], predictions.indptr), shape=predictions.shape)


def against_napkin(
    predictions: csr_array, documents: Documents, train: csr_array, found: Evaluation
) -> tuple[float, float]:
    """The other library's seconds, and the largest difference between its metrics and ours, from 0 to 1."""
    assert documents.excluded is not None
    truth, left = _without(documents.targets, documents.excluded), _without(predictions, documents.excluded)
    inverse = napkin.Jain_et_al_inverse_propensity(csr_matrix(train))

    def metrics() -> dict[str, Any]:
        return {
            "P": napkin.precision_at_k(truth, left, 5),
            "PSP": napkin.psprecision_at_k(truth, left, inverse, 5),
            "nDCG": napkin.ndcg_at_k(truth, left, 5),
            "R": napkin.recall_at_k(truth, left, 100),
        }

    seconds, theirs = best_of(1, metrics)
    theirs["PSnDCG"] = napkin.psndcg_at_k(truth, left, inverse, 5)
    theirs["coverage"] = napkin.coverage_at_k(truth, left, 5)
    pairs = [(name.split("@"), value / 100) for name, value in found.metrics.items()]
    difference = max(abs(value - float(theirs[metric][int(k) - 1])) for (metric, k), value in pairs)
    assert difference <= 1e-6, f"metrics differ from napkinxc's by up to {difference}"
    return seconds, difference


def _pairs(rows: NDArray[Any], columns: NDArray[Any], count: int) -> csr_array:
    """Ones at some (row, column), each once."""
    csr = csr_array((np.ones(len(rows), np.float32), (rows, columns)), shape=(count, LABELS))
    csr.data[:] = 1
    return csr


def _without(matrix: csr_array, excluded: csr_array) -> csr_matrix:
    """The matrix without the excluded entries."""
    left = ~np.isin(_keys(matrix), _keys(excluded))
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    return csr_matrix((matrix.data[left], (rows[left], matrix.indices[left])), shape=matrix.shape)


def _keys(csr: csr_array) -> NDArray[np.int64]:
    """Every entry's row and column as one number."""
    keys: NDArray[np.int64] = np.repeat(np.arange(csr.shape[0]), np.diff(csr.indptr)) * LABELS + csr.indices
    return keys


if __name__ == "__main__":
    main()
