"""GAME, graph-assisted multi-label expansion: scores passed along the edges of a graph, of clusters or of labels."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from xclare.sparse import Csr, top_k


def passing(graph: Csr, orientation: str) -> Csr:
    """(n x n) What rows of scores are multiplied by, to be made once for a graph: G transposed for `rows`, so that
    scores pass as in p = G p~ (what is linked to high scores scores high); G for `columns`, p = G^T p~, as the authors'
    program multiplies (what high scores link to). The two differ where G is not symmetric."""
    return csr_array(graph.T.tocsr()) if orientation == "rows" else graph


def game(scores: Csr, passes: Csr) -> Csr:
    """(documents x n) Scores passed along a graph, every row p~ of `scores` (documents x n) by itself; `passes` is what
    `passing` makes of the graph.

    p = G p~
    """
    passed = csr_array(scores @ passes).astype(np.float32, copy=False)
    passed.sort_indices()
    return passed


def mixed_game(scores: Csr, passes: Csr, *, mix: float, most: int = 0) -> Csr:
    """(documents x n) Scores and what GAME makes of them, of which only the `most` largest of a document count (0:
    all).

    (1 - mix) p~ + mix top(G p~)
    """
    if mix == 0:
        return scores
    passed = game(scores, passes)
    passed = top_k(passed, most) if most else passed
    if mix == 1:
        return passed
    return csr_array(np.float32(1 - mix) * scores + np.float32(mix) * passed)
