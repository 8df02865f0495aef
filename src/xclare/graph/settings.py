"""Settings of the label graph (section `graph`)."""

from __future__ import annotations

from dataclasses import dataclass

from xclare.settings import check_choice, check_range

METHODS = ("walk", "exact", "cooccurrence", "ppr")
NORMALIZATIONS = ("symmetric", "perron")
KEEP_ALL_BELOW, THIRTY_BELOW = 200_000, 2_000_000


@dataclass(frozen=True)
class GraphSettings:
    """How the label correlation graph is built. The defaults are the paper's."""

    method: str = "walk"
    """`walk`: random walks with restart (Algorithm 1); `exact`: the visits those walks expect, without sampling;
    `cooccurrence`: documents that two labels share; `ppr`: personalised PageRank over the same steps."""

    walk_length: int = 400
    """Steps of the walk from every label (omega)."""

    restart: float = 0.8
    """Probability of going back to the start before a step (p)."""

    head_threshold: int = 500
    """A label with more training documents than this is a head label: no walk crosses it, and it is only its own
    neighbour."""

    weighted: bool = False
    """Choose documents and labels by the weight of their pair instead of evenly."""

    ppr_restart: float = 0.15
    """Probability of going back to the start in personalised PageRank."""

    prune_mass: float = 1e-6
    """Entries of an exact or PageRank row below this share of a step's probability are dropped on the way."""

    max_edges: int = -1
    """Most neighbours of a label, besides itself: those visited most often, ties to the lower label id. 0: all; -1: all
    below 200 thousand labels, 30 below 2 million, else 10."""

    normalize: str = "symmetric"
    """`symmetric`: count / sqrt(row sum x column sum); `perron`: by the stationary distribution of the walk."""

    perron_teleport: float = 0.05
    """Probability of a jump to any label, which makes the walk of `perron` irreducible."""

    prune_below_cosine: float = -1.0
    """Edges between labels whose text vectors have a lower cosine than this are removed; -1 removes none."""

    own_share: float = 1.0
    """Where a graph of one's own is given: its share in the result, the inferred graph's is the rest."""

    def __post_init__(self) -> None:
        check_choice("graph.method", self.method, METHODS)
        check_choice("graph.normalize", self.normalize, NORMALIZATIONS)
        check_range("graph.walk_length", self.walk_length, 1, 65_535)
        check_range("graph.head_threshold", self.head_threshold, 0)
        check_range("graph.max_edges", self.max_edges, -1)
        check_range("graph.prune_below_cosine", self.prune_below_cosine, -1, 1)
        for name in ("restart", "own_share"):
            check_range(f"graph.{name}", getattr(self, name), 0, 1)
        for name in ("ppr_restart", "perron_teleport"):
            check_range(f"graph.{name}", getattr(self, name), 1e-6, 1)
        check_range("graph.prune_mass", self.prune_mass, 0, 0.1)

    def edges_kept(self, labels: int) -> int:
        """Most neighbours of a label in a graph of `labels`; 0 means all."""
        if self.max_edges >= 0:
            return self.max_edges
        return 0 if labels < KEEP_ALL_BELOW else 30 if labels < THIRTY_BELOW else 10
