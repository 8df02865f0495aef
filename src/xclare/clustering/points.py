"""What balanced 2-means needs of the points of many nodes, dense or sparse, and nothing more.

Two-means looks at no coordinate. It asks, node by node, for X Xᵀ w: with weights w that are 1 on some points of a node
and 0 on the others, the product of every point of the node with the sum of those.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from array_api_compat import device
from numpy.typing import NDArray
from scipy.sparse import csr_array

from xclare.arrays import Array, as_numpy, namespace
from xclare.sparse import Csr, row_l2_normalized

ROWS_AT_ONCE = 1 << 14


class Points(Protocol):
    """The points of the nodes of one level, those of a node side by side."""

    @property
    def values(self) -> int:
        """How many numbers are held."""

    def numbers(self) -> Array:
        """(points,) 0, 1, 2, …, where the points are."""

    def nodes(self, rows: slice, size: int) -> NodePoints:
        """The points at `rows`, as nodes of `size` points each."""

    def take(self, rows: Array, branch: Array) -> Points:
        """The points at `rows`, in this order. `branch` is 0 or 1: those that shared a node share one further on where
        their branches agree."""

    def cut(self, rows: slice) -> Points:
        """The points at `rows`, which are all those of some nodes."""


class NodePoints(Protocol):
    """The points of m nodes with s points each."""

    def products(self, weights: Array) -> Array:
        """(m, s) X Xᵀ w of every node, for its weights w (m, s) float32."""


@dataclass(frozen=True, eq=False)
class DensePoints:
    """Points as rows of a float32 matrix, in numpy or torch, on any device."""

    array: Array

    @property
    def values(self) -> int:
        """Points x dimensions."""
        return int(self.array.shape[0] * self.array.shape[1])

    def numbers(self) -> Array:
        """On the points' device."""
        return namespace(self.array).arange(self.array.shape[0], device=device(self.array))

    def nodes(self, rows: slice, size: int) -> DenseNodes:
        """A view of the points."""
        points = self.array[rows]
        return DenseNodes(points.reshape(points.shape[0] // size, size, points.shape[1]))

    def take(self, rows: Array, branch: Array) -> DensePoints:
        """A copy of the points; the branches do not matter."""
        return DensePoints(namespace(self.array).take(self.array, rows, axis=0))

    def cut(self, rows: slice) -> DensePoints:
        """A view of the points."""
        return DensePoints(self.array[rows])


@dataclass(frozen=True, eq=False)
class DenseNodes:
    """(m, s, dimensions) Dense points."""

    array: Array

    def products(self, weights: Array) -> Array:
        """Sums first, products then. Not as matrix products: BLAS adds in an order that depends on its threads."""
        xp = namespace(self.array)
        sums = xp.einsum("ms,msd->md", weights, self.array)
        return xp.einsum("md,msd->ms", sums, self.array)


@dataclass(frozen=True, eq=False)
class SparsePoints:
    """Points as a csr (points x slots), on the CPU. A slot is a feature within a node, so that nodes share none, and
    the sums of all nodes are one vector no longer than the entries are many."""

    csr: Csr

    @property
    def values(self) -> int:
        """Stored entries, each a value and an index."""
        return 2 * int(self.csr.nnz)

    def numbers(self) -> Array:
        """On the CPU."""
        return np.arange(self.csr.shape[0])

    def nodes(self, rows: slice, size: int) -> SparseNodes:
        """A copy of the points."""
        return SparseNodes(self.csr[rows], size)

    def take(self, rows: Array, branch: Array) -> SparsePoints:
        """A copy of the points, with every slot parted in two where both branches use it."""
        taken = self.csr[as_numpy(rows)]
        indices = 2 * taken.indices.astype(np.int64) + np.repeat(as_numpy(branch), np.diff(taken.indptr))
        return SparsePoints(_with_used_columns(taken, indices, 2 * taken.shape[1]))

    def cut(self, rows: slice) -> SparsePoints:
        """A copy of the points, with the slots that they use."""
        part = self.csr[rows]
        return SparsePoints(_with_used_columns(part, part.indices, part.shape[1]))


@dataclass(frozen=True, eq=False)
class SparseNodes:
    """(m · s x slots) Sparse points."""

    csr: Csr
    size: int

    def products(self, weights: Array) -> Array:
        """Sums first, products then, for all nodes at once."""
        sums = self.csr.T @ weights.reshape(-1)
        return (self.csr @ sums).reshape(weights.shape)


def points_of(rows: Csr | Array, members: NDArray[np.int64]) -> DensePoints | SparsePoints:
    """The rows at `members`, dense or sparse, each divided by its length; a row of zeros stays one."""
    if isinstance(rows, csr_array):
        return SparsePoints(row_l2_normalized(rows[members]))
    xp = namespace(rows)
    taken = xp.empty((len(members), rows.shape[1]), dtype=rows.dtype, device=device(rows))
    for start in range(0, len(members), ROWS_AT_ONCE):
        block = slice(start, start + ROWS_AT_ONCE)
        part = rows[xp.asarray(members[block], device=device(rows))]
        lengths = xp.sqrt(xp.einsum("nd,nd->n", part, part))
        taken[block] = part / xp.where(lengths > 0, lengths, xp.ones_like(lengths))[:, None]
    return DensePoints(taken)


def _with_used_columns(csr: Csr, indices: NDArray[Any], columns: int) -> Csr:
    """`csr` with other column indices, of which those that occur are numbered anew, in their order."""
    occurs = np.zeros(columns, np.bool_)
    occurs[indices] = True
    numbers = np.cumsum(occurs, dtype=np.int64) - 1
    used = int(numbers[-1]) + 1 if columns else 0
    kind = csr.indices.dtype if used < 2**31 else np.int64
    renumbered = numbers[indices].astype(kind)
    return csr_array((csr.data, renumbered, csr.indptr), shape=(csr.shape[0], used))
