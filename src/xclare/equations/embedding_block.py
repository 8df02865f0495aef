"""The embedding block: what turns the sum of a text's token vectors into the embedding of a document or a label."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from xclare.arrays import Array, relu

Dropout = Callable[[Array], Array]


class Residual(NamedTuple):
    """The two arrays of an embedding block, with its scalar weight multiplied in."""

    matrix: Array
    """(D, D) lambda R."""
    shift: Array | None = None
    """(D,) lambda b; the paper's block has none."""


def no_dropout(x: Array) -> Array:
    """What stands for dropout when nothing is trained."""
    return x


def embedding_block(x: Array, residual: Residual, dropout: Dropout = no_dropout) -> Array:
    """(rows, D) A residual layer on rows of (rows, D).

    E(x) = x + lambda (R drop(ReLU(x)) + b)
    """
    moved = dropout(relu(x)) @ residual.matrix.T
    return x + (moved if residual.shift is None else moved + residual.shift)


def document_embedding(initial: Array, residual: Residual, dropout: Dropout = no_dropout) -> Array:
    """(documents, D) The embedding of documents from their `initial` representations E x, rows of (documents, D).

    x^ = ReLU(E_D(x^0)), x^0 = E x
    """
    return dropout(relu(embedding_block(initial, residual, dropout)))
