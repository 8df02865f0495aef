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

from xclare.arrays import Array, csr_product, moved, namespace
from xclare.progress import SILENT, Progress
from xclare.randomness import drawn, keys
from xclare.sparse import Csr, row_blocks, row_counts, top_k
from xclare.threads import worker_count

COLUMNS_AT_ONCE = 256
"""Dimensions projected in one go: a multiple of 64, the random bits drawn at once."""
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

    Memory, in numbers of 4 bytes, up to 256 dimensions: dimensions x labels twice, or once and x documents once,
    whichever is more, and the matrices given. For more dimensions, the result comes on top, and once more at the end.
    """
    steps = _steps(features, targets, graph)
    parts = []
    with progress.task("label centroids", dimensions) as advance:
        for start in range(0, dimensions, COLUMNS_AT_ONCE):
            columns = range(start, min(start + COLUMNS_AT_ONCE, dimensions))
            rows: Array = moved(random_signs(features.shape[1], columns, seed), device)
            for matrix in steps:
                rows = csr_product(matrix, rows)
            parts.append(rows)
            advance(len(columns))
    return parts[0] if len(parts) == 1 else namespace(parts[0]).concat(parts, axis=1)


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


def embedded_centroids(vectors: Array, targets: Csr, graph: Csr | None) -> Array:
    """(labels, D) The centroids by documents' embeddings, rows E x_i of `vectors` (documents, D), in place of their
    features: c_l = Σ_{i: y_il = 1} E x_i, augmented where there is a `graph`. As in the authors' program, documents and
    centroids are brought to length 1 before they are added up; what is clustered is brought there anyway."""
    _, pairs, *others = _steps(targets, targets, graph)
    centroids = _unit_rows(csr_product(pairs, _unit_rows(vectors)))
    for matrix in others:
        centroids = csr_product(matrix, centroids)
    return centroids


def _unit_rows(vectors: Array) -> Array:
    xp = namespace(vectors)
    lengths = xp.sqrt(xp.einsum("nd,nd->n", vectors, vectors))
    return vectors / xp.where(lengths > 0, lengths, xp.ones_like(lengths))[:, None]


def random_signs(rows: int, columns: range, seed: int) -> NDArray[np.float32]:
    """(rows, columns) +1 or -1 by the bits of random numbers, 64 a number: the same everywhere, for any `rows` and
    however the columns are cut. The first column is a multiple of 64."""
    stream = keys(seed, np.arange(rows))
    signs = np.empty((rows, len(columns)), np.float32)
    for start in range(0, len(columns), 64):
        part = signs[:, start : start + 64]
        bits = drawn(stream, (columns.start + start) // 64)
        part[:] = ((bits[:, None] >> np.arange(part.shape[1])) & 1) * 2 - 1
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
