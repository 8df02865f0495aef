"""The shortlister: Module II's model, frozen. From a document to its meta-labels, and to their labels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xclare.arrays import Array
from xclare.equations.embedding_block import Residual, document_embedding
from xclare.equations.shortlist import shortlist, shortlisted_clusters, top_clusters
from xclare.sparse import Csr


@dataclass(frozen=True, eq=False)
class Shortlister:
    """S = {C, H}, with the document block that H was learnt against."""

    residual: Residual
    classifiers: Array
    """H (clusters, D)."""
    bias: Array | None
    """(clusters,)"""
    members: Csr
    """M transposed (clusters x labels), ones."""
    passes: Csr | None
    """What scores of meta-labels are multiplied by (`passing` of G_M); None where there is no GAME."""
    beam: int
    keep: int
    mix: float

    def clusters(self, initial: Array) -> Csr:
        """(documents x clusters) p of documents by their E x (documents, D)."""
        embedded = document_embedding(initial, self.residual)
        scores = top_clusters(embedded, self.classifiers, self.bias, self.beam)
        return shortlisted_clusters(scores, self.passes, beam=self.beam, keep=self.keep, mix=self.mix)

    def labels(self, initial: Array) -> Csr:
        """(documents x labels) The shortlists, every label with the score of its cluster."""
        return shortlist(self.clusters(initial), self.members)

    def map(self, change: Callable[[Array], Array]) -> Shortlister:
        """The same with every dense array changed."""
        shift = None if self.residual.shift is None else change(self.residual.shift)
        residual = Residual(change(self.residual.matrix), shift)
        bias = None if self.bias is None else change(self.bias)
        return Shortlister(
            residual, change(self.classifiers), bias, self.members, self.passes, self.beam, self.keep, self.mix
        )
