"""Label centroids, augmented by the label graph: what labels are clustered by.

    c_l = Σ_{i: y_il = 1} x_i        ĉ_l = Σ_j G_lj c_j

with x_i the features of training document i, rows of length 1, and G the normalised label graph (the paper prints c_l
in the second sum, which would augment nothing). Augmented centroids are wide, up to thousands of features a label. So
they are projected: all of this is linear, hence the documents are multiplied by a matrix of random signs first, which
keeps cosines up to about 1 / √dimensions. Or they stay sparse, with their largest features.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from xclare.arrays import Array, csr_product, drawn, keys, moved, namespace
from xclare.progress import SILENT, Progress
from xclare.sparse import Csr, row_blocks, row_counts, top_k
from xclare.threads import worker_count

COLUMNS_AT_ONCE = 64
"""Dimensions projected in one go, each by one of 64 random bits."""
PRODUCTS_AT_ONCE = 1 << 22
"""Multiplications of one block of rows of a sparse product."""


def projected_centroids(
    features: Csr,
    targets: Csr,
    graph: Csr | None,
    dimensions: int,
    seed: int,
    device: str = "cpu",
    progress: Progress = SILENT,
) -> Array:
    """(labels, dimensions) float32: the centroids c_l = Σ_{i: y_il = 1} x_i, augmented where there is a `graph` (labels
    x labels), ĉ_l = Σ_j G_lj c_j, and projected.

    Memory, in numbers of 4 bytes: labels x dimensions for the result, (documents + 2 labels) x 64 on the way, and the
    matrices given.
    """
    matrices = _steps(features, targets, graph)
    none = moved(np.empty(0, np.float32), device)
    found = namespace(none).empty((targets.shape[1], dimensions), dtype=none.dtype, device=none.device)
    with progress.task("label centroids", dimensions) as advance:
        for start in range(0, dimensions, COLUMNS_AT_ONCE):
            width = min(COLUMNS_AT_ONCE, dimensions - start)
            rows: Array = moved(random_signs(features.shape[1], start // COLUMNS_AT_ONCE, seed)[:, :width], device)
            for matrix in matrices:
                rows = csr_product(matrix, rows)
            found[:, start : start + width] = rows
            advance(width)
    return found


def sparse_centroids(features: Csr, targets: Csr, graph: Csr | None, top: int, progress: Progress = SILENT) -> Csr:
    """(labels x vocabulary) The centroids, cut to their `top` largest features; augmented where there is a `graph`, and
    cut again.

    Memory: 16 bytes for each of at most labels x `top` entries, and the matrices given.
    """
    documents, *others = _steps(features, targets, graph)
    centroids = documents
    for matrix in others:
        centroids = _cut_product(matrix, centroids, top, progress)
    return centroids


def random_signs(rows: int, word: int, seed: int) -> NDArray[np.float32]:
    """(rows, 64) +1 or -1 by the bits of each row's random number `word`: the same everywhere, for any `rows`."""
    bits = drawn(keys(seed, np.arange(rows)), word)
    signs: NDArray[np.float32] = ((bits[:, None] >> np.arange(64)) & 1).astype(np.float32) * 2 - 1
    return signs


def _steps(features: Csr, targets: Csr, graph: Csr | None) -> list[Csr]:
    """The factors of the centroids from right to left: X, the pairs transposed (labels x documents, ones), and G."""
    pairs = csr_array((np.ones(targets.nnz, np.float32), targets.indices, targets.indptr), shape=targets.shape)
    return [features, pairs.T.tocsr()] + ([] if graph is None else [graph])


def _cut_product(matrix: Csr, other: Csr, top: int, progress: Progress) -> Csr:
    """The product in float32, with the `top` largest entries of every row, block by block."""
    sizes = np.concatenate([[0], np.cumsum(row_counts(other)[matrix.indices])])
    work = np.diff(sizes[matrix.indptr])

    def block(rows: slice) -> Csr:
        product = csr_array(matrix[rows] @ other).astype(np.float32)
        product.sort_indices()
        return top_k(product, top)

    parts = []
    with progress.task("label centroids", matrix.shape[0]) as advance, ThreadPoolExecutor(worker_count()) as pool:
        for part in pool.map(block, row_blocks(work, PRODUCTS_AT_ONCE)):
            parts.append(part)
            advance(part.shape[0])
    return csr_array(vstack(parts, format="csr")) if parts else csr_array((0, other.shape[1]), dtype=np.float32)
