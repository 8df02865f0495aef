"""Learning WordPieces: the same in every process, for the same texts and settings.

The library's trainer is not deterministic by itself: it numbers the characters that continue a word (`##a`) as it meets
them in a hash map, and among equally frequent pairs the one of lower numbers is merged first; limiting the alphabet
breaks ties the same way. So the alphabet is found first (as a set it is certain), and given to the trainer sorted, as
its first tokens; nothing is left to number by chance. Their being special tokens there has no meaning here: the
tokenizer is built anew from the plain vocabulary.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from tokenizers import Tokenizer, models, normalizers, trainers

from xclare.progress import SILENT, Progress
from xclare.strings import Strings
from xclare.text.normalization import LONGEST_WORD, normalizer, splitter, words_of
from xclare.text.settings import TextSettings
from xclare.text.stop_words import stop_words

UNKNOWN = "[UNK]"
CONTINUES = "##"
TEXTS_AT_ONCE = 4096


def learn_word_pieces(
    parts: Sequence[Strings], size: int, settings: TextSettings, progress: Progress = SILENT
) -> Tokenizer:
    """A tokenizer of at most `size` WordPieces learnt from the texts of all parts. Piece i has the id i: first the
    alphabet, then the merged pieces, the most frequent first. The last id is `[UNK]`, for words with a character that
    is not in the alphabet."""
    normalize = normalizer(settings.strip_accents)
    dropped = words_of(stop_words(settings.stop_words), normalize)
    learner = Tokenizer(models.WordPiece(unk_token=UNKNOWN))
    learner.normalizer = normalize
    learner.pre_tokenizer = splitter(dropped, longest=LONGEST_WORD)
    alphabet = _train(learner, parts, progress, "reading the alphabet", vocab_size=0)
    if len(alphabet) > size // 2:
        alphabet = _most_frequent(alphabet, size // 2, parts, normalize)
    pieces = _train(
        learner,
        parts,
        progress,
        "learning WordPieces",
        vocab_size=size,
        min_frequency=settings.min_frequency,
        special_tokens=sorted(alphabet, key=lambda piece: (is_continuing(piece), piece)),
        limit_alphabet=0,  # no characters but those given
    )
    tokenizer = Tokenizer(models.WordPiece())
    tokenizer.normalizer = normalize
    tokenizer.pre_tokenizer = splitter(dropped)
    return with_pieces(tokenizer, pieces)


def with_pieces(tokenizer: Tokenizer, pieces: Sequence[str]) -> Tokenizer:
    """The same normalisation and splitting with another list of pieces: piece i gets the id i, `[UNK]` the last."""
    vocabulary = {piece: number for number, piece in enumerate([*pieces, UNKNOWN])}
    result = Tokenizer(models.WordPiece(vocabulary, unk_token=UNKNOWN, max_input_chars_per_word=LONGEST_WORD))
    result.normalizer, result.pre_tokenizer = tokenizer.normalizer, tokenizer.pre_tokenizer
    return result


def pieces_of(tokenizer: Tokenizer) -> list[str]:
    """The pieces by their ids, without `[UNK]`."""
    vocabulary = tokenizer.get_vocab()
    return sorted(vocabulary.keys() - {UNKNOWN}, key=vocabulary.__getitem__)


def is_continuing(piece: str) -> bool:
    """Whether a piece stands within a word, not at its beginning; `#` is punctuation, so never part of a word."""
    return piece.startswith(CONTINUES) and len(piece) > len(CONTINUES)


def character_of(piece: str) -> str:
    """A piece without its `##`."""
    return piece[len(CONTINUES) :] if is_continuing(piece) else piece


def _train(learner: Tokenizer, parts: Sequence[Strings], progress: Progress, what: str, **options: Any) -> list[str]:
    """The vocabulary that the library's trainer learns, by its ids."""
    trainer = trainers.WordPieceTrainer(show_progress=False, continuing_subword_prefix=CONTINUES, **options)
    fresh = Tokenizer(models.WordPiece(unk_token=UNKNOWN))
    fresh.normalizer, fresh.pre_tokenizer = learner.normalizer, learner.pre_tokenizer
    with progress.task(what, sum(map(len, parts))) as advance:
        fresh.train_from_iterator(batches(parts, advance), trainer)
    return pieces_of(fresh)


def batches(parts: Sequence[Strings], advance: Callable[[int], None]) -> Iterator[list[str]]:
    """The texts of all parts, some thousand at a time."""
    for texts in parts:
        for start in range(0, len(texts), TEXTS_AT_ONCE):
            batch = list(texts[start : start + TEXTS_AT_ONCE])
            yield batch
            advance(len(batch))


def _most_frequent(
    alphabet: list[str], size: int, parts: Sequence[Strings], normalize: normalizers.Normalizer
) -> list[str]:
    """As many pieces of the alphabet as `size` allows, both forms of a character together: the most frequent
    characters, of equal ones those of lower code point."""
    counts = np.zeros(0x110000, np.int64)
    for batch in batches(parts, lambda steps: None):
        text = normalize.normalize_str("\n".join(batch))
        counts += np.bincount(np.frombuffer(text.encode("utf-32-le"), np.uint32), minlength=len(counts))
    forms = Counter(map(character_of, alphabet))
    by_frequency = sorted(forms, key=lambda character: (-counts[ord(character)], character))
    room = np.cumsum([forms[character] for character in by_frequency]) <= size
    kept = set(itertools.compress(by_frequency, room))
    return [piece for piece in alphabet if character_of(piece) in kept]
