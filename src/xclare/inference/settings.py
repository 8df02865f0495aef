"""Settings of the shortlister (section `game`) and of prediction (section `predict`)."""

from __future__ import annotations

from dataclasses import dataclass

from xclare.settings import check_choice, check_range

EXACT_BELOW = 30_000


@dataclass(frozen=True)
class GameSettings:
    """How many meta-labels are shortlisted, and how their graph re-ranks them: in training, where shortlists give the
    negatives, and in prediction."""

    beam: int = 0
    """B, the meta-labels of a document that are scored further. 0: as many as hold 200 labels, at least 20."""

    mix: float = 1.0
    """Share of GAME in the score of a meta-label: (1 - mix) p~ + mix G_M p~. 0: no GAME."""

    keep: int = 1
    """Meta-labels that are kept after GAME, in beams."""

    orientation: str = "rows"
    """`rows`: G p, as the paper multiplies; `columns`: p G, as the authors' program does. For labels too."""

    def __post_init__(self) -> None:
        check_range("game.beam", self.beam, 0, 1 << 20)
        check_range("game.mix", self.mix, 0, 1)
        check_range("game.keep", self.keep, 1, 10)
        check_choice("game.orientation", self.orientation, ("rows", "columns"))

    def beam_for(self, labels: int, clusters: int) -> int:
        """B for a model of so many labels in so many clusters."""
        if self.beam:
            return min(self.beam, clusters)
        return min(max(20, -(-200 * clusters // max(labels, 1))), clusters)


@dataclass(frozen=True)
class PredictSettings:
    """From a document's embeddings to its labels."""

    search: str = "auto"
    """`shortlist`: the labels of the shortlisted meta-labels are scored; `exact`: all labels are, and the
    meta-labels are left out; `auto`: exact where the model has fewer than 30 thousand labels. What `auto` became is
    saved with the model."""

    candidates: int = 200
    """Labels of a document that an exact search goes on with."""

    game: str = "before_product"
    """When the label graph re-ranks labels: `before_product`, before their scores are multiplied with those of their
    meta-labels, as the paper says; `after_product`, as the authors' program does, on the `game.beam` best."""

    mix: float = 0.0
    """Share of GAME in the score of a label: (1 - mix) r~ + mix G r~. 0: no GAME; 1: the paper's."""

    outside_shortlist: bool = False
    """Whether labels may be predicted that were not shortlisted but are neighbours of such."""

    cluster_scores: bool = False
    """Whether a label's score is multiplied with that of its meta-label, as the paper says."""

    weights: str = "float32"
    """How large weights are stored in the model folder: `float32`, or `float16`, in half the space. They are float32
    again when the model is loaded."""

    def __post_init__(self) -> None:
        check_choice("predict.weights", self.weights, ("float32", "float16"))
        check_choice("predict.search", self.search, ("auto", "shortlist", "exact"))
        check_range("predict.candidates", self.candidates, 1)
        check_choice("predict.game", self.game, ("before_product", "after_product"))
        check_range("predict.mix", self.mix, 0, 1)

    def search_for(self, labels: int) -> str:
        """How a model of so many labels is searched."""
        if self.search != "auto":
            return self.search
        return "exact" if labels < EXACT_BELOW else "shortlist"
