"""Sparse times dense, with gradients: constant rows of weights times a trained matrix, as weighted sums of its rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import embedding_bag

from xclare.sparse import Csr


@dataclass(frozen=True, eq=False)
class Bags:
    """A csr on a device: row i takes the rows `columns[ends[i]:ends[i+1]]` with their weights."""

    ends: Tensor  # (rows + 1,) int64
    columns: Tensor  # (entries,) int64
    weights: Tensor  # (entries,) float32
    width: int

    @classmethod
    def of(cls, matrix: Csr, device: torch.device) -> Bags:
        """The bags of a csr."""
        ends, columns = (torch.from_numpy(array.astype("int64")) for array in (matrix.indptr, matrix.indices))
        weights = torch.from_numpy(matrix.data.astype("float32"))
        return cls(ends.to(device), columns.to(device), weights.to(device), matrix.shape[1])

    def __len__(self) -> int:
        return len(self.ends) - 1

    def take(self, rows: Tensor) -> Bags:
        """The bags at `rows`, in that order."""
        starts, lengths = self.ends[rows], self.ends[rows + 1] - self.ends[rows]
        ends = torch.zeros(len(rows) + 1, dtype=torch.int64, device=rows.device)
        torch.cumsum(lengths, 0, out=ends[1:])
        total = int(ends[-1])
        entries = torch.repeat_interleave(starts - ends[:-1], lengths, output_size=total)
        entries += torch.arange(total, device=rows.device)
        return Bags(ends, self.columns[entries], self.weights[entries], self.width)

    def row_of_entry(self) -> Tensor:
        """(entries,) The row of every entry."""
        return torch.repeat_interleave(
            torch.arange(len(self), device=self.ends.device),
            self.ends[1:] - self.ends[:-1],
            output_size=len(self.columns),
        )

    def transposed(self) -> tuple[Bags, Tensor]:
        """Columns as rows, and for every entry of the result where it stood before."""
        order = torch.argsort(self.columns, stable=True)
        ends = torch.zeros(self.width + 1, dtype=torch.int64, device=self.ends.device)
        torch.cumsum(torch.bincount(self.columns, minlength=self.width), 0, out=ends[1:])
        return Bags(ends, self.row_of_entry()[order], self.weights[order], len(self)), order

    def of_rows(self, table: Tensor) -> Tensor:
        """(rows, D) The weighted sums of the rows of `table` (width, D), in its precision."""
        weights = self.weights.to(table.dtype)
        return embedding_bag(self.columns, table, self.ends[:-1], mode="sum", per_sample_weights=weights)


class _WeightedSum(torch.autograd.Function):
    """Bags times table; backwards the transposed bags times the gradient."""

    @staticmethod
    def forward(context: Any, table: Tensor, bags: Bags, transposed: Bags) -> Tensor:
        context.transposed = transposed
        return bags.of_rows(table)

    @staticmethod
    def backward(context: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        return context.transposed.of_rows(gradient.contiguous()), None, None


def weighted_sum_of_rows(table: Tensor, bags: Bags, transposed: Bags | None = None) -> Tensor:
    """(rows, D) `bags` times `table`, through which gradients flow into the table. `transposed` are the bags' own,
    where they are known already."""
    product: Tensor = _WeightedSum.apply(table, bags, transposed or bags.transposed()[0])  # type: ignore[no-untyped-call]
    return product
