"""How a text is cleaned and cut into words, before words are cut into WordPieces. Both steps are part of
`tokenizer.json`, so whoever loads that file gets the same words."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tokenizers import Regex, normalizers, pre_tokenizers

LONGEST_WORD = 100
"""Characters. A longer word is unknown, so it gives no feature; nothing is learnt from it either."""

ACCENTS = "[\u0300-\u036f]"  # combining diacritical marks: accents of Latin, Greek and Cyrillic letters, nothing else


def normalizer(strip_accents: bool) -> normalizers.Normalizer:
    """Unicode NFKC; control characters dropped and every space a plain one; blanks around each CJK character; lower
    case; accents taken off by option (letters are taken apart, the accents removed, the rest joined again)."""
    steps = [
        normalizers.NFKC(),
        normalizers.BertNormalizer(clean_text=True, handle_chinese_chars=True, strip_accents=False, lowercase=True),
    ]
    if strip_accents:
        steps += [normalizers.NFD(), normalizers.Replace(Regex(ACCENTS), ""), normalizers.NFC()]
    return normalizers.Sequence(steps)


def words_of(stop_words: Iterable[str], normalize: normalizers.Normalizer) -> list[str]:
    """Stop words as they stand in a normalised text, sorted. A stop word with punctuation in it is several words there
    (`don't`: don, t), each of which is dropped."""
    split = pre_tokenizers.BertPreTokenizer()
    parts = {part for word in stop_words for part, _ in split.pre_tokenize_str(normalize.normalize_str(word))}
    return sorted(part for part in parts if any(character.isalnum() for character in part))


def splitter(stop_words: Iterable[str] = (), *, longest: int | None = None) -> pre_tokenizers.PreTokenizer:
    """Cuts a normalised text at blanks and around every punctuation character; drops the stop words, and words of more
    than `longest` characters."""
    steps: list[pre_tokenizers.PreTokenizer] = [pre_tokenizers.BertPreTokenizer()]
    dropped = [re.escape(word) for word in stop_words] + ([rf"\S{{{longest + 1},}}"] if longest else [])
    if dropped:
        steps.append(pre_tokenizers.Split(Regex(rf"\A(?:{'|'.join(dropped)})\z"), "removed"))
    return pre_tokenizers.Sequence(steps)


def without_punctuation(split: pre_tokenizers.PreTokenizer) -> pre_tokenizers.PreTokenizer:
    """The same words without the punctuation between them."""
    return pre_tokenizers.Sequence([split, pre_tokenizers.Punctuation("removed")])
