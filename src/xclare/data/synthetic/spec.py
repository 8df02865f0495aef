"""What a synthetic set is like: its sizes, and how strongly its hidden structure shows."""

from __future__ import annotations

import math
from dataclasses import dataclass

from xclare.errors import SettingError
from xclare.settings import check_range

MOST_LABELS = 2**26
MOST_TOKENS = 2**24
MOST_PER_ROW = 500


@dataclass(frozen=True)
class SyntheticSpec:
    """The sizes of a synthetic set, met exactly (counts) or within a few per cent (averages), and the shape of the
    hidden structure. The defaults are calibrated (see `benchmarks/synthetic.py`) and do not change: results on
    synthetic sets stay comparable."""

    train_documents: int = 45_000
    """Training documents (N)."""

    test_documents: int = 15_000
    """Test documents; 0 makes no test set. They depend neither on N nor on each other's number."""

    labels: int = 20_000
    """Labels (L)."""

    vocabulary: int = 25_000
    """Tokens (V). Not every one of them need occur."""

    labels_per_document: float = 3.2
    """Average number of labels of a document; each has at least one."""

    tokens_per_document: float = 7.0
    """Average number of different tokens of a document; each has at least one."""

    tokens_per_label: float = 6.0
    """Average number of different tokens of a label's text; each has at least one."""

    popularity_exponent: float = 1.8
    """Exponent of the two power laws, of the topics and of the labels in a topic, that make some labels popular.
    0: none is."""

    even_anchors: float = 0.5
    """Share of the documents that are about any label, all in turn; the others are about popular ones. The larger, the
    fewer labels without documents."""

    labels_per_topic: float = 32.0
    """Average number of labels in a topic; the largest topics have four times as many as the smallest."""

    topics_per_theme: float = 16.0
    """Average number of topics in a theme; they share a third of their words."""

    words_per_topic: int = 30
    """Tokens that a topic has; a text of the topic shows a few of them."""

    anchor_weight: float = 1.5
    """How likely the label is that a document is about: its weight, where all its other candidates together weigh
    `labels_per_document`."""

    companion_weight: float = 0.5
    """Weight added, on the same scale, to the candidate that a document's text mentions beside its anchor."""

    complement_share: float = 0.25
    """Share of the other candidates' weight for labels of the linked topic, whose words are others: text does not lead
    there, the label graph does."""

    theme_share: float = 0.05
    """Share of the other candidates' weight for labels from topics of the same theme."""

    noise_share: float = 0.1
    """Share of the other candidates' weight for labels from anywhere: neither text nor graph foretells them."""

    own_tokens: int = 3
    """Tokens that belong to one label: its name, which tells it from the others of its topic."""

    anchor_token_share: float = 0.32
    """Share of the name of its anchor among a document's tokens. This and the next ones are weights of tokens drawn
    without replacement, so that large shares come out smaller."""

    companion_token_share: float = 0.1
    """Share of the name of its companion among a document's tokens."""

    topic_token_share: float = 0.45
    """Share of the words of its topic among a document's tokens. What remains is background: tokens by Zipf's law."""

    name_token_share: float = 0.5
    """Share of the label's name among the tokens of its text."""

    label_topic_token_share: float = 0.35
    """Share of the words of its topic among the tokens of a label's text; what remains is background."""

    vague_documents: float = 0.1
    """Share of the documents whose text says little about their labels."""

    opaque_labels: float = 0.15
    """Share of the labels whose text says nothing about them: only documents and graph do."""

    seed: int = 0
    """Everything is drawn from it: the same specification gives the same set on every machine."""

    def __post_init__(self) -> None:
        for name, low, high in _RANGES:
            check_range(f"synthetic.{name}", getattr(self, name), low, high)
        for name, whole in (("labels_per_document", "labels"), ("tokens_per_document", "vocabulary")):
            self._check_fits(name, whole)
        self._check_fits("tokens_per_label", "vocabulary")
        for names in (_LABEL_SHARES, _DOCUMENT_TOKEN_SHARES, _LABEL_TOKEN_SHARES):
            if math.fsum(getattr(self, name) for name in names) > 1:
                raise SettingError(f"synthetic.{' + '.join(names)} is more than 1: expected shares of one whole.")

    def _check_fits(self, name: str, whole: str) -> None:
        if getattr(self, name) > getattr(self, whole):
            raise SettingError(
                f"synthetic.{name} = {getattr(self, name)!r}: expected no more than {whole} = {getattr(self, whole)}."
            )


_LABEL_SHARES = ("complement_share", "theme_share", "noise_share")
_DOCUMENT_TOKEN_SHARES = ("anchor_token_share", "companion_token_share", "topic_token_share")
_LABEL_TOKEN_SHARES = ("name_token_share", "label_topic_token_share")
_RANGES: tuple[tuple[str, float, float], ...] = (
    ("train_documents", 1, 2**31),
    ("test_documents", 0, 2**31),
    ("labels", 1, MOST_LABELS),
    ("vocabulary", 1, MOST_TOKENS),
    ("labels_per_document", 1, MOST_PER_ROW),
    ("tokens_per_document", 1, MOST_PER_ROW),
    ("tokens_per_label", 1, MOST_PER_ROW),
    ("popularity_exponent", 0, 3),
    ("even_anchors", 0, 1),
    ("labels_per_topic", 1, 4096),
    ("topics_per_theme", 1, 4096),
    ("words_per_topic", 1, 4096),
    ("anchor_weight", 0.01, 10),
    ("companion_weight", 0, 10),
    ("own_tokens", 1, 16),
    *((name, 0.0, 1.0) for name in (*_LABEL_SHARES, *_DOCUMENT_TOKEN_SHARES, *_LABEL_TOKEN_SHARES)),
    ("vague_documents", 0, 1),
    ("opaque_labels", 0, 1),
    ("seed", 0, 2**63 - 1),
)
