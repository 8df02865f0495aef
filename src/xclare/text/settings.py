"""Settings of the text features (section `text`)."""

from __future__ import annotations

from dataclasses import dataclass

from xclare.errors import SettingError
from xclare.settings import check_range

SMALLEST_VOCABULARY = 100
PAPER_SIZES = ((20_000, 12_000), (50_000, 20_000), (400_000, 40_000), (1_000_000, 80_000), (5_000_000, 128_000))
"""(labels, WordPieces): below so many labels, so many WordPieces, as in the paper's data sets."""
LARGEST_PAPER_SIZE = 256_000


@dataclass(frozen=True)
class TextSettings:
    """How texts become features. All of it is learnt from the training documents and the label texts."""

    vocabulary_size: int = 0
    """WordPieces to learn, at most; pieces that no training text uses are dropped afterwards. 0: by the number of
    labels, as in the paper's data sets (12 thousand below 20 thousand labels, 20 below 50, 40 below 400, 80 below a
    million, 128 below 5 million, else 256 thousand)."""

    min_frequency: int = 2
    """Two pieces become one only where they stand together at least so often."""

    strip_accents: bool = True
    """Take the accents off letters (é becomes e). Marks that are no accents, as in Hindi or Thai, always stay."""

    stop_words: str = "none"
    """Words that are dropped: `none`, those of `english`, `german`, `french`, `spanish`, `italian`, `portuguese` or
    `dutch`, or those of a UTF-8 file with one word a line."""

    bigrams: bool = False
    """Further features after the WordPieces: pairs of adjacent words (punctuation between them is passed over)."""

    bigram_min_documents: int = 2
    """Pairs of words in fewer texts than this are no features."""

    max_bigrams: int = 500_000
    """At most so many pairs of words, those in most texts."""

    def __post_init__(self) -> None:
        if self.vocabulary_size:
            check_range("text.vocabulary_size", self.vocabulary_size, SMALLEST_VOCABULARY, 2**31 - 2)
        check_range("text.min_frequency", self.min_frequency, 1)
        check_range("text.bigram_min_documents", self.bigram_min_documents, 1)
        check_range("text.max_bigrams", self.max_bigrams, 1, 2**30)
        if not self.stop_words:
            raise SettingError("text.stop_words is empty: expected `none`, a language, or the name of a file.")

    def vocabulary_size_for(self, labels: int) -> int:
        """The number of WordPieces to learn for a data set of so many labels."""
        if self.vocabulary_size:
            return self.vocabulary_size
        return next((size for below, size in PAPER_SIZES if labels < below), LARGEST_PAPER_SIZE)
