"""The classifier of a label, from its text, its neighbours in the label graph, and a free vector."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from xclare.arrays import Array
from xclare.equations.embedding_block import Dropout, Residual, embedding_block, no_dropout
from xclare.equations.label_attention import Attention, attention_weights, weighted_sum


class LabelSide(NamedTuple):
    """Everything that all labels share: the embedding blocks of LTE and GALE, and the attention block."""

    blocks: tuple[Residual, ...]
    """E_L where label text is used, then E_G for every order of the graph."""
    attention: Attention | None
    """None: components are added up."""

    def map(self, change: Callable[[Array], Array]) -> LabelSide:
        """The same with every array changed."""

        def changed(array: Array | None) -> Array | None:
            return None if array is None else change(array)

        blocks = tuple(Residual(change(block.matrix), changed(block.shift)) for block in self.blocks)
        attention = self.attention
        if attention is not None:
            arrays = (change(attention.transform), change(attention.layer), changed(attention.shift))
            attention = Attention(*arrays, attention.has_sigmoid)
        return LabelSide(blocks, attention)

    def arrays(self) -> list[Array]:
        """Every array, in one order."""
        found: list[Array] = []
        self.map(lambda array: found.append(array) or array)  # type: ignore[func-returns-value]
        return found


def label_inputs(
    initial: Array, convolve: Callable[[Array], Array], *, label_text: bool, order: int
) -> tuple[Array, ...]:
    """What the blocks of the label side are given, each (labels, D): the initial representations z^0 = E z of the
    labels' texts, and for every order up to k those of their neighbours. `convolve` multiplies by G.

    z~^2_l = Σ_m G_lm z^0_m, and for orders kappa = 1, ..., k: Σ_m G^kappa_lm z^0_m
    """
    inputs = [initial] if label_text else []
    for _ in range(order):
        initial = convolve(initial)
        inputs.append(initial)
    return tuple(inputs)


def label_components(
    inputs: Sequence[Array], refinement: Array | None, side: LabelSide, dropout: Dropout = no_dropout
) -> list[Array]:
    """The components of the classifiers, each (labels, D): LTE, GALE of every order, refinement vectors where there
    are any.

    z^1_l = E_L(z^0_l), z^2_l = E_G(z~^2_l), z^(k+2)_l free; for orders kappa = 1, ..., k
    z^(kappa+1)_l = E^kappa_G(Σ_m G^kappa_lm z^0_m)
    """
    components = [embedding_block(x, block, dropout) for x, block in zip(inputs, side.blocks, strict=True)]
    return components if refinement is None else [*components, refinement]


def label_classifiers(
    inputs: Sequence[Array], refinement: Array | None, side: LabelSide, dropout: Dropout = no_dropout
) -> Array:
    """(labels, D) One classifier a label, w_l = Σ_i alpha^i_l z^i_l (`label_components`, `attention_weights`)."""
    components = label_components(inputs, refinement, side, dropout)
    if side.attention is None:
        return weighted_sum(components, None)
    return weighted_sum(components, attention_weights(components, side.attention, dropout))
