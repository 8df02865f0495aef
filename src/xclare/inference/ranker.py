"""The ranker: Module IV's model. From a document and its shortlist to scores of labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from array_api_compat import device
from numpy.typing import NDArray
from scipy.sparse import csr_array

from xclare.arrays import Array, as_numpy, largest, namespace, pair_products, sigmoid
from xclare.equations.embedding_block import Residual, document_embedding
from xclare.equations.game import mixed_game
from xclare.inference.settings import PredictSettings
from xclare.sparse import Csr, csr_from_rows, row_of_entry, top_k


@dataclass(frozen=True, eq=False)
class Ranker:
    """R = {W}, with the document block it was learnt with, and the label graph."""

    residual: Residual
    classifiers: Array
    """W (labels, D)."""
    bias: Array | None
    """(labels,)"""
    passes: Csr | None
    """What scores of labels are multiplied by (`passing` of G); None where there is no GAME."""
    beam: int
    """Labels of a document that go into GAME where it comes after the product."""
    settings: PredictSettings

    def scores(self, initial: Array, shortlists: Csr) -> Csr:
        """(documents x labels) Joint scores of shortlisted labels, from the documents' E x (documents, D) and their
        `shortlists` (documents x labels) with the clusters' scores p_m.

            s_l = r_l p_m, r = G r~, r~_l = sigma(<w_l, x^>) for the labels l of shortlisted clusters m
        """
        ranks = self._of_pairs(document_embedding(initial, self.residual), shortlists)
        if self.settings.game == "before_product":
            return self._times_clusters(mixed_game(ranks, self._passes(), mix=self._mix), shortlists)
        joint = top_k(self._times_clusters(ranks, shortlists), self.beam)
        return self._within(self._after(joint, self.beam), shortlists)

    def exact(self, initial: Array, chosen: NDArray[np.bool_] | None = None) -> Csr:
        """(documents x labels) Scores by all labels' classifiers, without a shortlist: the best
        `predict.candidates` of a document, re-ranked by the label graph. Labels that are not `chosen` score 0."""
        scores = document_embedding(initial, self.residual) @ self.classifiers.T
        scores = scores if self.bias is None else scores + self.bias
        if chosen is not None:
            scores[:, ~chosen] = -np.inf
        best, columns = largest(scores, min(self.settings.candidates, scores.shape[1]))
        indptr = np.arange(len(best) + 1) * best.shape[1]
        values = as_numpy(sigmoid(best))
        found = csr_from_rows(indptr, as_numpy(columns).ravel(), values.ravel(), scores.shape[1])
        return self._within(self._after(found, 0), found)

    @property
    def _mix(self) -> float:
        return 0.0 if self.passes is None else self.settings.mix

    def _passes(self) -> Csr:
        return self.passes if self.passes is not None else csr_array((0, 0))

    def _after(self, scores: Csr, most: int) -> Csr:
        return mixed_game(scores, self._passes(), mix=self._mix, most=most)

    def _of_pairs(self, embedded: Array, shortlists: Csr) -> Csr:
        """sigma(<w_l, x^>) of every document and label of a shortlist."""
        xp, place = namespace(embedded), device(embedded)
        rows, columns = (xp.asarray(part, device=place) for part in (row_of_entry(shortlists), shortlists.indices))
        found = pair_products(embedded, self.classifiers, rows, columns)
        found = found if self.bias is None else found + xp.take(self.bias, columns, axis=0)
        return _like(shortlists, as_numpy(sigmoid(found)))

    def _times_clusters(self, ranks: Csr, shortlists: Csr) -> Csr:
        """r_l p_m for shortlisted labels; r_l alone where clusters' scores are not wanted."""
        if not self.settings.cluster_scores:
            return self._restricted(ranks, shortlists)
        joint = csr_array(ranks.multiply(shortlists)).astype(np.float32, copy=False)
        joint.sort_indices()
        return joint

    def _within(self, scores: Csr, shortlists: Csr) -> Csr:
        return scores if self.settings.outside_shortlist else self._restricted(scores, shortlists)

    @staticmethod
    def _restricted(scores: Csr, shortlists: Csr) -> Csr:
        """The scores of shortlisted labels."""
        kept = csr_array(scores.multiply(_like(shortlists, np.ones(shortlists.nnz, np.float32))))
        kept.sort_indices()
        return kept


def _like(matrix: Csr, values: NDArray[np.float32]) -> Csr:
    """A csr with the same places and other values."""
    return csr_array((values.astype(np.float32, copy=False), matrix.indices, matrix.indptr), shape=matrix.shape)
