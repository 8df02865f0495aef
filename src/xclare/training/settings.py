"""Settings of training (section `training`)."""

from __future__ import annotations

from dataclasses import dataclass

from xclare.settings import check_choice, check_range

SCHEDULES = ("halving", "cosine", "constant")
NEGATIVES = ("auto", "shortlist", "shortlist+graph", "all")


@dataclass(frozen=True)
class TrainingSettings:
    """How Modules I, II and IV are trained. The defaults are those of `auto`."""

    epochs_1: int = 8
    """Epochs of Module I (token embeddings)."""

    epochs_2: int = 4
    """Epochs of Module II (shortlister)."""

    epochs_4: int = 15
    """Epochs of Module IV (classifiers)."""

    batch_size: int = 0
    """Documents a step. 0: the power of two nearest to a 32nd of the documents, from 256 to 4096."""

    learning_rate_1: float = 0.0
    """Highest learning rate of Module I. 0: 0.01, or what the preset's table says for the number of labels."""

    learning_rate_2: float = 0.0
    """Highest learning rate of Module II. 0: 0.008, or by the preset's table."""

    learning_rate_4: float = 0.0
    """Highest learning rate of Module IV. 0: 0.006, or by the preset's table."""

    schedule: str = "cosine"
    """How the learning rate falls: `halving`, after half of the epochs and then after half as many again, as the
    authors' program does; `cosine`, to zero; `constant`."""

    warmup: float = 0.05
    """Share of a module's steps in which the learning rate rises from zero."""

    epsilon: float = 1e-8
    """Adam's epsilon, below which a mean gradient no longer makes full steps."""

    beta_1: float = 0.9
    """How much of its first moment, the mean gradient, Adam keeps from step to step."""

    beta_2: float = 0.999
    """How much of its second moment, the mean squared gradient, Adam keeps. Without biases the first gradients are many
    times as large as later ones and slow down all steps until they are forgotten: with k times the documents a step,
    and so 1 / k of the steps, 1 - k (1 - beta_2) forgets them as soon."""

    loss: str = "sum"
    """Binary cross entropy, added up over the labels of a document and averaged over documents (`sum`), or averaged
    over all of both (`mean`), whose gradients are so small that Adam's epsilon counts."""

    optimizer: str = "adam"
    """For refinement vectors and biases: `adam`, or `row_adam`, which leaves alone the labels that a step does not
    touch, where it touches less than 60 % of them (less work where steps touch few)."""

    negatives: str = "auto"
    """Labels that a document is trained to reject in Module IV: `shortlist`, those shortlisted for it;
    `shortlist+graph`, and their neighbours in the label graph; `all`; `auto`, all below 200 thousand labels, else the
    shortlisted."""

    refinement_start: str = "graph"
    """What refinement vectors begin as: `graph`, G E Z, the texts of a label's neighbours; `text`, E z_l; `zero`."""

    refinement_in_module_1: bool = False
    """Whether Module I has refinement vectors too. Where a model has nothing else, it does."""

    fine_tune: bool = True
    """Whether Module II goes on from Module I's document encoder, embedding blocks and attention, or begins anew."""

    token_embeddings: str = "frozen"
    """E after Module I: `frozen`, or `learned`, trained on in Module II; Module IV takes it as Module II left it."""

    precision: str = "auto"
    """`float32`, `bf16` for products of matrices and all that is as large as labels x D, or `auto`: bf16 where the CPU
    (avx512_bf16, amx_bf16) or the GPU has it. What `auto` became is saved with the model."""

    validation: float = 0.0
    """Share of the training documents that are held out and only watched: they enter neither vocabulary, graph,
    centroids nor propensities."""

    stop_after: int = 4
    """The last module to run; the run goes on after it when it is started again with 4."""

    def __post_init__(self) -> None:
        for name in ("epochs_1", "epochs_2", "epochs_4"):
            check_range(f"training.{name}", getattr(self, name), 0, 10_000)
        check_range("training.batch_size", self.batch_size, 0, 1 << 20)
        for name in ("learning_rate_1", "learning_rate_2", "learning_rate_4"):
            check_range(f"training.{name}", getattr(self, name), 0, 10)
        check_choice("training.schedule", self.schedule, SCHEDULES)
        check_range("training.warmup", self.warmup, 0, 1)
        check_range("training.epsilon", self.epsilon, 0, 1)
        check_range("training.beta_1", self.beta_1, 0, 0.9999)
        check_range("training.beta_2", self.beta_2, 0, 0.99999)
        check_choice("training.loss", self.loss, ("sum", "mean"))
        check_choice("training.optimizer", self.optimizer, ("adam", "row_adam"))
        check_choice("training.negatives", self.negatives, NEGATIVES)
        check_choice("training.refinement_start", self.refinement_start, ("graph", "text", "zero"))
        check_choice("training.token_embeddings", self.token_embeddings, ("frozen", "learned"))
        check_choice("training.precision", self.precision, ("auto", "float32", "bf16"))
        check_range("training.validation", self.validation, 0, 0.9)
        check_range("training.stop_after", self.stop_after, 1, 4)

    def epochs(self, module: int) -> int:
        """Epochs of a module."""
        return int(getattr(self, f"epochs_{module}"))

    def learning_rate(self, module: int) -> float:
        """Learning rate of a module."""
        return float(getattr(self, f"learning_rate_{module}"))
