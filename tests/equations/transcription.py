# ruff: noqa: N803, N806 - the paper's symbols are capitals
"""The paper's formulas, one label and one document at a time, in the paper's own symbols: the oracle of the equations.
Nothing here is fast, and nothing comes from the package."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[Any]


class Block(NamedTuple):
    """The parameters of an embedding block; b is not the paper's."""

    R: Matrix
    lam: float
    b: Matrix | None = None


class Attention(NamedTuple):
    """The parameters of the attention block; the shift is not the paper's, nor is leaving the sigmoid out."""

    T: Matrix
    A: Matrix
    shift: Matrix | None = None
    has_sigmoid: bool = True


def relu(x: Matrix) -> Matrix:
    return np.array([max(value, 0.0) for value in x])


def sigma(value: float) -> float:
    return 1 / (1 + math.exp(-value))


def embed(x: Matrix, block: Block) -> Matrix:
    """The block of the figure: x, plus lambda times R ReLU(x)."""
    moved = block.R @ relu(x)
    return x + block.lam * (moved if block.b is None else moved + block.b)


def embedded_document(x: Matrix, E: Matrix, block: Block) -> Matrix:
    """x^ of a document: E x, through the block, and a ReLU."""
    return relu(embed(E @ x, block))


def components(
    label: int, Z: Matrix, E: Matrix, G: Matrix, lte: Block | None, gale: list[Block], refinement: Matrix | None
) -> list[Matrix]:
    """z^1_l, ..., z^(k+2)_l. `Z` is V x L: a column a label."""
    labels = Z.shape[1]
    z0 = [E @ Z[:, m] for m in range(labels)]
    found = [] if lte is None else [embed(z0[label], lte)]
    G_kappa = np.eye(labels)
    for block in gale:
        G_kappa = G_kappa @ G
        convolved = np.zeros(len(E))
        for m in range(labels):
            convolved += G_kappa[label, m] * z0[m]
        found.append(embed(convolved, block))
    if refinement is not None:
        found.append(refinement[label])
    return found


def attention_weights(parts: list[Matrix], attention: Attention) -> Matrix:
    """alpha^1_l, ..., of the components of one label."""
    transformed = []
    for part in parts:
        t = attention.T @ relu(part)
        t = t if attention.shift is None else t + attention.shift
        transformed.append(np.array([sigma(value) for value in t]) if attention.has_sigmoid else t)
    q = np.concatenate(transformed)
    exponentials = np.exp(attention.A @ q)
    return exponentials / np.abs(exponentials).sum()


def classifier(parts: list[Matrix], attention: Attention | None) -> Matrix:
    """w_l of the components of one label."""
    weights = np.ones(len(parts)) if attention is None else attention_weights(parts, attention)
    w = np.zeros(len(parts[0]))
    for weight, part in zip(weights, parts, strict=True):
        w += weight * part
    return w


def best(scores: dict[int, float], most: int) -> set[int]:
    """The `most` keys of the highest scores."""
    return set(sorted(scores, key=lambda key: -scores[key])[:most])


def induced_graph(M: Matrix, G: Matrix) -> Matrix:
    """G_M = M^T G M, the columns of M normalised to sum to unity. `M` is L x K."""
    normalised = np.zeros(M.shape)
    for m in range(M.shape[1]):
        normalised[:, m] = M[:, m] / M[:, m].sum()
    return normalised.T @ G @ normalised


def shortlist(x_hat: Matrix, H: Matrix, G_M: Matrix, M: Matrix, B: int) -> tuple[dict[int, float], dict[int, float]]:
    """The three steps of the shortlister for one document: p of the shortlisted clusters, and of their labels. `H` is
    K x D, a row a cluster."""
    inner = {m: float(H[m] @ x_hat) for m in range(len(H))}
    top = best(inner, B)
    p_tilde = np.array([sigma(inner[m]) if m in top else 0.0 for m in range(len(H))])
    p = G_M @ p_tilde
    kept = best({m: p[m] for m in range(len(H)) if p[m]}, B)
    clusters = {m: float(p[m]) for m in kept}
    labels = {label: clusters[m] for m in kept for label in range(len(M)) if M[label, m]}
    return clusters, labels
