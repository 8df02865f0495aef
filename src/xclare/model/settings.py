"""Settings of the model's shape (section `model`)."""

from __future__ import annotations

from dataclasses import dataclass

from xclare.errors import SettingError
from xclare.settings import check_choice, check_range

COMBINATIONS = ("attention", "sum")


@dataclass(frozen=True)
class ModelSettings:
    """What a document and a label are made of."""

    dimension: int = 0
    """D, the length of all embeddings. 0: 300 below 400 thousand labels, else 512."""

    label_text: bool = True
    """Whether the embedding of its own text (LTE) is a component of a label's classifier."""

    order: int = 1
    """Orders of the label graph whose embeddings (GALE) are components of a label's classifier: k of the paper. 0:
    none."""

    refinement: bool = True
    """Whether a free vector is a component of a label's classifier."""

    combination: str = "attention"
    """How the components become a classifier: `attention`, weighted by the attention block; `sum`, added up."""

    attention_sigmoid: bool = False
    """Whether what attention looks at is passed through a sigmoid, as the paper says: t(x) = sigma(T ReLU(x)). Without,
    as in the authors' program, Module I learns in far fewer steps, and a step is shorter."""

    attention_layer_normalized: bool = False
    """Whether the attention layer A is spectrally normalised too, not only T."""

    attention_shift: bool = False
    """Whether a vector is added to T ReLU(x)."""

    block_shift: bool = False
    """Whether an embedding block has a vector b: x + lambda (R ReLU(x) + b)."""

    residual_start: float = 1.0
    """lambda of every embedding block before training. At 1 a block begins as x + ReLU(x), at 0 as the identity."""

    dropout: float = 0.2
    """Share of numbers that are set to zero behind every ReLU while training."""

    label_bias: bool = True
    """Whether every classifier has a bias, which begins as the log odds of its label."""

    def __post_init__(self) -> None:
        check_range("model.dimension", self.dimension, 0, 1 << 14)
        check_range("model.order", self.order, 0, 4)
        check_choice("model.combination", self.combination, COMBINATIONS)
        check_range("model.residual_start", self.residual_start, -10, 10)
        check_range("model.dropout", self.dropout, 0, 0.95)
        if not (self.label_text or self.order or self.refinement):
            raise SettingError(
                "model.label_text, model.order and model.refinement are all off: a classifier needs a component."
            )
