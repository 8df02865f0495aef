import os
import subprocess
import sys
from pathlib import Path

import pytest

from xclare.strings import Strings
from xclare.text.settings import TextSettings
from xclare.text.vocabulary import UNKNOWN, character_of, is_continuing, learn_word_pieces, pieces_of, with_pieces


def learn(texts, size=200, **settings):
    return learn_word_pieces([Strings.of(texts)], size, TextSettings(**settings))


def tokens(tokenizer, text):
    return tokenizer.encode(text).tokens


def test_pieces_are_learnt_from_what_stands_together_often():
    tokenizer = learn(["low lower lowest"] * 3 + ["new newer newest"] * 3)
    assert tokens(tokenizer, "Low newest") == ["low", "newest"]
    assert tokens(tokenizer, "lowew") == ["low", "##e", "##w"]


def test_the_alphabet_comes_first_and_unknown_last():
    tokenizer = learn(["ab ba"] * 3)
    assert pieces_of(tokenizer) == ["a", "b", "##a", "##b", "ab", "ba"]
    assert tokenizer.get_vocab()[UNKNOWN] == 6


def test_pairs_seen_less_often_than_min_frequency_are_not_joined():
    assert "xyz" in pieces_of(learn(["xyz", "xyz", "qrs"]))
    assert "qrs" not in pieces_of(learn(["xyz", "xyz", "qrs"]))
    assert "qrs" in pieces_of(learn(["xyz", "xyz", "qrs"], min_frequency=1))


def test_a_character_never_seen_makes_its_word_unknown_and_no_other():
    assert tokens(learn(["ab ab"] * 3), "ab aXb ab") == ["ab", UNKNOWN, "ab"]


def test_the_text_of_a_special_token_is_plain_text():
    tokenizer = learn(["[UNK] ## #a unk"] * 3)
    assert tokens(tokenizer, "[UNK]") == ["[", "unk", "]"]
    assert tokens(tokenizer, "##a") == ["#", "#", "a"]


def test_the_size_is_kept(corpus):
    for size in (100, 150, 300):
        tokenizer = learn(corpus, size)
        assert len(pieces_of(tokenizer)) <= size
    assert len(pieces_of(learn(corpus, 300))) == 300


def test_an_alphabet_larger_than_half_the_size_keeps_its_most_frequent_characters():
    rare = [chr(0x4E00 + number) for number in range(500)]
    tokenizer = learn([*rare, *["aa bb"] * 3, *[rare[7], rare[400]] * 2], 100)
    pieces = pieces_of(tokenizer)
    assert len(pieces) == 52  # a, ##a, b, ##b and 46 others; then aa and bb
    assert {"a", "##a", "b", "##b", rare[7], rare[400], rare[0], rare[1]} <= set(pieces)
    assert rare[300] not in pieces


def test_nothing_is_learnt_from_endless_words_and_they_are_unknown():
    endless = "ab" * 2_000_000
    tokenizer = learn(["cd cd", f"{endless} cd"])
    assert pieces_of(tokenizer) == ["c", "d", "##d", "cd"]
    assert tokens(tokenizer, f"cd {'c' * 101} cd") == ["cd", UNKNOWN, "cd"]


def test_no_text_gives_an_empty_vocabulary():
    assert pieces_of(learn(["", "  "])) == []
    assert pieces_of(learn([])) == []


def test_stop_words_are_not_learnt_from():
    assert "the" in pieces_of(learn(["the rst"] * 4))
    assert pieces_of(learn(["the rst"] * 4, stop_words="english")) == ["r", "s", "t", "##s", "##t", "rs", "rst"]


def test_pieces_can_be_replaced():
    tokenizer = with_pieces(learn(["ab ba"] * 3), ["a", "b", "##b", "##a"])
    assert tokens(tokenizer, "AB") == ["a", "##b"]
    assert pieces_of(tokenizer) == ["a", "b", "##b", "##a"]


def test_what_continues_a_word_is_told_from_punctuation():
    assert [is_continuing(piece) for piece in ("##a", "#", "##", "a")] == [True, False, False, False]
    assert [character_of(piece) for piece in ("##a", "#", "a")] == ["a", "#", "a"]


LEARN_IN_A_FRESH_PROCESS = """
import hashlib, sys, tempfile
from pathlib import Path
from conftest import corpus_of
from xclare.text.features import TextFeatures
from xclare.text.settings import TextSettings

cases = [
    (corpus_of(600), TextSettings(vocabulary_size=700)),
    (corpus_of(600), TextSettings(vocabulary_size=120, bigrams=True, max_bigrams=50)),
    (corpus_of(12), TextSettings(vocabulary_size=300, min_frequency=1)),
    ([chr(0x4E00 + n % 400) + chr(0xAC00 + n % 300) + "ab" for n in range(900)], TextSettings(vocabulary_size=200)),
    (["Wel come to the Tok en izers libr ary."], TextSettings(min_frequency=1, stop_words="english")),
]
with tempfile.TemporaryDirectory() as folder:
    for texts, settings in cases:
        TextFeatures.fit(texts, texts[:10], settings).save(folder)
        files = sorted(Path(folder).iterdir())
        print(hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest())
"""


def learnt_in_a_fresh_process(number):
    environment = {
        **os.environ,
        "PYTHONHASHSEED": str(number),
        "RAYON_NUM_THREADS": str(1 + number % 4),
        "PYTHONPATH": str(Path(__file__).parent),
    }
    done = subprocess.run(
        [sys.executable, "-c", LEARN_IN_A_FRESH_PROCESS], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.timeout(120)
def test_every_process_learns_the_same():
    first = learnt_in_a_fresh_process(0)
    assert len(set(first)) == 5
    assert all(learnt_in_a_fresh_process(number) == first for number in range(1, 8))
