"""The shortlister: from the scores of meta-labels to a few labels a document."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from xclare.arrays import Array, as_numpy, largest, sigmoid
from xclare.equations.game import mixed_game
from xclare.sparse import Csr, csr_from_rows, top_k


def top_clusters(embeddings: Array, classifiers: Array, bias: Array | None, beam: int) -> Csr:
    """(documents x clusters) p~: the scores of the `beam` best meta-labels of every document.

    p~_m = sigma(<h_m, x^>) for the B clusters of the highest <h_m, x^>, else 0
    """
    scores = embeddings @ classifiers.T  # (documents, clusters)
    scores = scores if bias is None else scores + bias
    best, columns = largest(scores, min(beam, classifiers.shape[0]))
    values = as_numpy(sigmoid(best)).astype(np.float32, copy=False)
    indptr = np.arange(len(values) + 1) * values.shape[1]
    return csr_from_rows(indptr, as_numpy(columns).ravel(), values.ravel(), classifiers.shape[0])


def shortlisted_clusters(scores: Csr, passes: Csr | None, *, beam: int, keep: int, mix: float) -> Csr:
    """(documents x clusters) p: the clusters that are shortlisted after GAME on the meta-labels' graph, at most `keep`
    times `beam` of a document, with their scores. `passes` is what `passing` makes of G_M; None: no GAME.

    p = G_M p~, of which the B clusters with the highest p_m stay (mix = 1, keep = 1)
    """
    if passes is None or mix == 0:
        return scores
    return top_k(mixed_game(scores, passes, mix=mix, most=beam), keep * beam)


def shortlist(clusters: Csr, members: Csr) -> Csr:
    """(documents x labels) The labels of the shortlisted `clusters` (documents x clusters), each with its cluster's
    score; `members` is M transposed (clusters x labels), ones.

    S(x^) = the labels of C_m for the shortlisted m: of balanced clusters, L B / K labels
    """
    labels = csr_array(clusters @ members).astype(np.float32, copy=False)
    labels.sort_indices()
    return labels
