"""Pairs of adjacent words as features, beside the WordPieces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer, models, trainers

from xclare.progress import SILENT, Progress
from xclare.sparse import Csr
from xclare.strings import Strings
from xclare.text.normalization import without_punctuation
from xclare.text.settings import TextSettings
from xclare.text.token_counts import counts_of_cells, token_ids
from xclare.text.vocabulary import UNKNOWN, batches, pieces_of

PAIRS_AT_ONCE = 1 << 24


@dataclass(frozen=True, eq=False)
class Bigrams:
    """The pairs that are features. Words are those of the WordPiece tokenizer's normalised text, stop words dropped;
    punctuation between two words is passed over, an unknown word stands between its neighbours."""

    tokenizer: Tokenizer
    """Texts to word numbers; the last number is `[UNK]`."""
    words: Strings
    """The words of all pairs, sorted."""
    pairs: NDArray[np.int64]
    """(bigrams,) first word * words + second word, ascending."""

    @classmethod
    def of(cls, words: Strings, pairs: NDArray[np.int64], pieces: Tokenizer) -> Bigrams:
        """The bigrams with the normalisation and the splitting of the WordPiece tokenizer `pieces`."""
        return cls(_word_tokenizer(list(words), pieces), words, pairs)

    @classmethod
    def learn(
        cls, parts: Sequence[Strings], pieces: Tokenizer, settings: TextSettings, progress: Progress = SILENT
    ) -> Bigrams:
        """Those in at least `bigram_min_documents` texts, of these the `max_bigrams` in most; of equal ones, the first
        by their words."""
        words = _frequent_words(parts, pieces, settings.bigram_min_documents, progress)
        tokenizer, pairs, texts = _word_tokenizer(words, pieces), np.zeros(0, np.int64), np.zeros(0, np.int64)
        for part in parts:
            pairs, texts = _counted(tokenizer, part, len(words), (pairs, texts), progress)
        pairs, texts = pairs[texts >= settings.bigram_min_documents], texts[texts >= settings.bigram_min_documents]
        best = np.sort(np.lexsort((pairs, -texts))[: settings.max_bigrams])
        first, second = np.divmod(pairs[best], max(len(words), 1))
        used = np.union1d(first, second)  # (words in pairs,) sorted, so pairs stay in their order when renumbered
        renumbered = np.searchsorted(used, first) * len(used) + np.searchsorted(used, second)
        return cls.of(Strings.of([words[word] for word in used]), renumbered, pieces)

    def __len__(self) -> int:
        return len(self.pairs)

    def count(self, texts: Strings, progress: Progress = SILENT) -> Csr:
        """(texts x bigrams) How often each bigram stands in each text."""
        return counts_of_cells(self._cells(texts, progress), len(self))

    def _cells(self, texts: Strings, progress: Progress) -> Iterator[tuple[NDArray[np.int64], int]]:
        for row, pair, rows in _adjacent(self.tokenizer, texts, len(self.words), progress):
            place = np.searchsorted(self.pairs, pair)
            known = place < len(self)
            known[known] = self.pairs[place[known]] == pair[known]
            yield row[known] * len(self) + place[known], rows


def _frequent_words(parts: Sequence[Strings], pieces: Tokenizer, times: int, progress: Progress) -> list[str]:
    """The words that stand at least `times` times in the texts, sorted: a pair in so many texts has no others."""
    learner = _word_tokenizer([], pieces)
    trainer = trainers.WordLevelTrainer(vocab_size=2**31, min_frequency=times, show_progress=False)
    with progress.task("learning words", sum(map(len, parts))) as advance:
        learner.train_from_iterator(batches(parts, advance), trainer)
    return sorted(pieces_of(learner))


def _word_tokenizer(words: Sequence[str], pieces: Tokenizer) -> Tokenizer:
    """Texts to numbers of `words`; every other word has the number after the last."""
    numbers = {word: number for number, word in enumerate([*words, UNKNOWN])}
    tokenizer = Tokenizer(models.WordLevel(numbers, unk_token=UNKNOWN))
    tokenizer.normalizer, tokenizer.pre_tokenizer = pieces.normalizer, without_punctuation(pieces.pre_tokenizer)
    return tokenizer


def _adjacent(
    tokenizer: Tokenizer, texts: Strings, words: int, progress: Progress
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], int]]:
    """For one chunk of texts after the other: row and code of every pair of adjacent known words, and the number of
    rows."""
    for word, counts in token_ids(tokenizer, texts, progress, "pairing words"):
        row = np.repeat(np.arange(len(counts)), counts)
        pair = (row[:-1] == row[1:]) & (word[:-1] < words) & (word[1:] < words)
        yield row[:-1][pair], word[:-1][pair] * words + word[1:][pair], len(counts)


def _counted(
    tokenizer: Tokenizer,
    texts: Strings,
    words: int,
    known: tuple[NDArray[np.int64], NDArray[np.int64]],
    progress: Progress,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """`known` pairs and the numbers of texts they stand in, with those of `texts` added."""
    waiting, count = [known], 0
    for row, pair, _ in _adjacent(tokenizer, texts, words, progress):
        order = np.lexsort((pair, row))
        row, pair = row[order], pair[order]
        new = np.ones(len(pair), bool)
        new[1:] = (row[1:] != row[:-1]) | (pair[1:] != pair[:-1])  # a pair counts once in a text
        waiting.append(np.unique(pair[new], return_counts=True))
        count += len(waiting[-1][0])
        if count > PAIRS_AT_ONCE:
            waiting, count = [_summed(waiting)], 0
    return _summed(waiting)


def _summed(parts: list[tuple[NDArray[np.int64], NDArray[np.int64]]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pairs and their counts, each pair once, ascending."""
    pairs, place = np.unique(np.concatenate([pair for pair, _ in parts]), return_inverse=True)
    counts = np.bincount(place, weights=np.concatenate([count for _, count in parts]), minlength=len(pairs))
    return pairs, counts.astype(np.int64)
