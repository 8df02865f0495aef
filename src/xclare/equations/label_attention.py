"""The attention block: how much of each of its components a label's classifier takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xclare.arrays import Array, relu, sigmoid, softmax
from xclare.equations.embedding_block import Dropout, no_dropout


class Attention(NamedTuple):
    """The arrays of an attention block over n components of dimension D."""

    transform: Array
    """(D, D) T."""
    layer: Array
    """(n, n D) A."""
    shift: Array | None = None
    """(D,) Added to T ReLU(x); the paper has none."""
    has_sigmoid: bool = True
    """Whether t ends in a sigmoid, as in the paper; the authors' program leaves it out."""


def attention_weights(components: Sequence[Array], attention: Attention, dropout: Dropout = no_dropout) -> Array:
    """(labels, n) The weights alpha of the n components, each (labels, D).

        t(x) = sigma(T ReLU(x))        q_l = [t(z^1_l); ...; t(z^n_l)]        alpha_l = softmax(A q_l)

    q is never formed: A q = A_1 t(z^1) + ... + A_n t(z^n), and where t has no sigmoid, A_i (T x) = (A_i T) x spares
    the product of every label with T.
    """
    dimension = attention.transform.shape[0]
    logits: Array = 0
    for number, component in enumerate(components):
        part = attention.layer[:, number * dimension : (number + 1) * dimension]  # A_i (n, D)
        hidden = dropout(relu(component))
        if attention.has_sigmoid:
            transformed = hidden @ attention.transform.T
            transformed = sigmoid(transformed if attention.shift is None else transformed + attention.shift)
            logits = logits + transformed @ part.T
        else:
            logits = logits + hidden @ (part @ attention.transform).T
            logits = logits if attention.shift is None else logits + part @ attention.shift
    return softmax(logits)


def weighted_sum(components: Sequence[Array], weights: Array | None) -> Array:
    """(labels, D) The classifiers from their components and the `weights` (labels, n); None weighs all alike, with 1.

    w_l = alpha^1_l z^1_l + ... + alpha^n_l z^n_l
    """
    parts = components if weights is None else [weights[:, i, None] * z for i, z in enumerate(components)]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total
