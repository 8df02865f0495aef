"""Text features: what the training texts taught, and texts turned into rows of weights with it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack
from tokenizers import Tokenizer

from xclare.data.dataset import Dataset
from xclare.data.in_memory import text_column
from xclare.errors import InputError
from xclare.persistence.atomic import atomic_file
from xclare.progress import SILENT, Progress
from xclare.sparse import Csr, column_counts
from xclare.strings import Strings
from xclare.text.bigrams import Bigrams
from xclare.text.settings import TextSettings
from xclare.text.storage import read_arrays, read_tokenizer
from xclare.text.tfidf import inverse_document_frequencies, tf_idf
from xclare.text.token_counts import count_tokens
from xclare.text.vocabulary import character_of, learn_word_pieces, pieces_of, with_pieces

TOKENIZER_FILE = "tokenizer.json"
ARRAYS_FILE = "text.npz"


@dataclass(frozen=True, eq=False)
class TextFeatures:
    """WordPieces (columns 0 to `pieces` - 1, the tokenizer's ids), after them perhaps pairs of words, and their idf.
    One vocabulary for documents and labels."""

    tokenizer: Tokenizer
    pieces: int
    idf: NDArray[np.float32]
    """(columns,) idf of every piece, then of every pair of words."""
    bigrams: Bigrams | None = None

    @classmethod
    def fit(
        cls,
        texts: Sequence[str],
        label_texts: Sequence[str],
        settings: TextSettings | None = None,
        progress: Progress = SILENT,
    ) -> TextFeatures:
        """Learns from the training documents' and the labels' texts; equal texts give equal features, in every process
        and on any number of threads."""
        return cls.fit_transform(texts, label_texts, settings, progress)[0]

    @classmethod
    def fit_transform(
        cls,
        texts: Sequence[str],
        label_texts: Sequence[str],
        settings: TextSettings | None = None,
        progress: Progress = SILENT,
    ) -> tuple[TextFeatures, Csr, Csr]:
        """What `fit` gives, and the features of the documents and of the labels, with nothing tokenised twice."""
        wanted = settings or TextSettings()
        parts = [text_column("texts", texts), text_column("label_texts", label_texts)]
        tokenizer = learn_word_pieces(parts, wanted.vocabulary_size_for(len(parts[1])), wanted, progress)
        tokenizer, counts = _without_unused(tokenizer, parts, progress)
        pieces = counts[0].shape[1]
        if not any(part.nnz for part in counts):
            raise InputError(
                "The training documents and the labels have no text with a word in it, so there is nothing to learn. "
                "Name the fields that hold the text with --set data.text_fields=FIELD, or check text.stop_words."
            )
        bigrams = Bigrams.learn(parts, tokenizer, wanted, progress) if wanted.bigrams else None
        if bigrams is not None:
            counts = [
                _side_by_side(part, bigrams.count(text, progress)) for part, text in zip(counts, parts, strict=True)
            ]
        idf = inverse_document_frequencies(counts)
        documents, labels = (tf_idf(part, idf) for part in counts)
        return cls(tokenizer, pieces, idf, bigrams), documents, labels

    @property
    def vocabulary_size(self) -> int:
        """The number of columns."""
        return len(self.idf)

    def transform(self, texts: Sequence[str] | str, progress: Progress = SILENT) -> Csr:
        """(texts x columns) The features of each text, the same whatever texts stand around it. A text without a known
        token has an empty row."""
        packed = text_column("texts", [texts] if isinstance(texts, str) else texts)
        counts = count_tokens(self.tokenizer, packed, self.pieces, progress)
        if self.bigrams is not None:
            counts = _side_by_side(counts, self.bigrams.count(packed, progress))
        return tf_idf(counts, self.idf)

    def save(self, folder: str | Path) -> None:
        """Writes `tokenizer.json` and `text.npz` into an existing folder."""
        arrays: dict[str, Any] = {"idf": self.idf}
        if self.bigrams is not None:
            words = self.bigrams.words
            arrays |= {"words": words.blob, "word_offsets": words.offsets, "pairs": self.bigrams.pairs}
        with atomic_file(Path(folder) / TOKENIZER_FILE) as file:
            file.write(self.tokenizer.to_str(pretty=True).encode())
        with atomic_file(Path(folder) / ARRAYS_FILE) as file:
            np.savez(file, **arrays)

    @classmethod
    def load(cls, folder: str | Path) -> TextFeatures:
        """Reads what `save` wrote; refuses files that do not belong together."""
        tokenizer = read_tokenizer(Path(folder) / TOKENIZER_FILE)
        path = Path(folder) / ARRAYS_FILE
        arrays = read_arrays(path)
        bigrams = None
        if "pairs" in arrays:
            words = Strings(arrays["words"], arrays["word_offsets"])
            bigrams = Bigrams.of(words, arrays["pairs"], tokenizer)
        pieces = len(pieces_of(tokenizer))
        columns = pieces + (0 if bigrams is None else len(bigrams))
        if arrays["idf"].shape != (columns,):
            raise InputError.at(
                path,
                found=f"idf of the shape {arrays['idf'].shape}",
                expected=f"({columns},), a weight for every piece and pair",
                hint=f"It does not belong to the {TOKENIZER_FILE} beside it: save the features again.",
            )
        return cls(tokenizer, pieces, arrays["idf"], bigrams)


def with_features(dataset: Dataset, settings: TextSettings | None = None, progress: Progress = SILENT) -> Dataset:
    """The data set with features for documents and labels: as it is where its documents have ready-made ones, else
    learnt from its training documents' and labels' texts, never from the test documents'."""
    return learn_features(dataset, settings, progress)[0]


def learn_features(
    dataset: Dataset, settings: TextSettings | None = None, progress: Progress = SILENT
) -> tuple[Dataset, TextFeatures | None]:
    """What `with_features` gives, and what was learnt for it: nothing where features are ready-made."""
    if dataset.has_features:
        return dataset, None
    if not dataset.train.has_text:
        raise InputError(
            f"{dataset.name} has neither text nor ready-made features. Name the fields that hold the text with "
            "--set data.text_fields=FIELD, or give features with --features FILE."
        )
    if dataset.labels.features is not None:
        raise InputError(
            f"{dataset.name} has ready-made features for its labels but none for its documents, which therefore cannot "
            "share a vocabulary. Give both, or none."
        )
    train_texts, label_texts = dataset.train.texts, dataset.labels.texts
    learnt, documents, of_labels = TextFeatures.fit_transform(train_texts, label_texts, settings, progress)
    labels = dataclasses.replace(dataset.labels, features=of_labels)
    train = dataclasses.replace(dataset.train, features=documents, labels=labels)
    if dataset.test is None:
        return dataclasses.replace(dataset, train=train), learnt
    of_test = learnt.transform(dataset.test.texts, progress)
    test = dataclasses.replace(dataset.test, features=of_test, labels=labels)
    return dataclasses.replace(dataset, train=train, test=test), learnt


def _without_unused(tokenizer: Tokenizer, parts: list[Strings], progress: Progress) -> tuple[Tokenizer, list[Csr]]:
    """The tokenizer without the pieces that none of the texts uses (stages on the way to longer pieces), and the counts
    of the others. Characters always stay, so that no word becomes unknown. The texts' own pieces do not change by it:
    the longest match never was one of those that go."""
    pieces = pieces_of(tokenizer)
    counts = [count_tokens(tokenizer, part, len(pieces), progress) for part in parts]
    used = np.sum([column_counts(part) for part in counts], axis=0) > 0
    kept = np.flatnonzero(used | np.fromiter((len(character_of(piece)) == 1 for piece in pieces), bool, len(pieces)))
    new_column = np.full(len(pieces), -1, np.int32)
    new_column[kept] = np.arange(len(kept))
    return with_pieces(tokenizer, [pieces[piece] for piece in kept]), [
        csr_array((part.data, new_column[part.indices], part.indptr), shape=(part.shape[0], len(kept)))
        for part in counts
    ]


def _side_by_side(left: Csr, right: Csr) -> Csr:
    return csr_array(hstack([left, right], format="csr", dtype=np.float32))
