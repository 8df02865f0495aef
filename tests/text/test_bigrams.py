from collections import Counter
from itertools import pairwise

import numpy as np

from xclare.strings import Strings
from xclare.text.bigrams import Bigrams
from xclare.text.settings import TextSettings
from xclare.text.vocabulary import learn_word_pieces


def learn(texts, **settings):
    wanted = TextSettings(bigrams=True, **settings)
    parts = [Strings.of(texts[::2]), Strings.of(texts[1::2])]
    return Bigrams.learn(parts, learn_word_pieces(parts, 200, wanted), wanted)


def named(bigrams):
    words = list(bigrams.words)
    return [(words[first], words[second]) for first, second in zip(*np.divmod(bigrams.pairs, len(words)), strict=True)]


def test_pairs_of_adjacent_words_in_at_least_two_texts():
    bigrams = learn(["New York city", "new york, city", "york new york", "old"])
    assert named(bigrams) == [("new", "york"), ("york", "city")]


def test_punctuation_is_passed_over_and_an_unknown_word_is_not():
    bigrams = learn(["store.class", "store class"])
    counts = bigrams.count(Strings.of(["Store(Class)", "store unheard class", "class store", ""]))
    assert counts.toarray().tolist() == [[1], [0], [0], [0]]


def test_stop_words_are_passed_over():
    bigrams = learn(["bank of england", "bank of england"], stop_words="english")
    assert named(bigrams) == [("bank", "england")]


def test_a_pair_repeated_in_one_text_is_in_one_text_and_counts_twice():
    assert named(learn(["a b a b a b", "c d", "c d"])) == [("c", "d")]
    bigrams = learn(["a b", "a b"])
    assert bigrams.count(Strings.of(["a b a b"])).toarray().tolist() == [[2]]


def test_of_too_many_those_in_most_texts_stay_then_the_first():
    bigrams = learn(["x y", "c d", "a b", "x y", "c d", "a b", "x y"], max_bigrams=2)
    assert named(bigrams) == [("a", "b"), ("x", "y")]


def test_texts_without_a_pair_give_no_columns():
    bigrams = learn(["a", "b"])
    assert len(bigrams) == 0
    assert bigrams.count(Strings.of(["a b", "a"])).shape == (2, 0)


def test_it_agrees_with_counting_one_pair_after_the_other(corpus):
    texts = [text for text in corpus if text.isascii()]
    bigrams = learn(texts)
    rows = [Counter(pairwise(text.split())) for text in texts]
    in_texts = Counter(pair for row in rows for pair in row)
    assert named(bigrams) == sorted(pair for pair, count in in_texts.items() if count >= 2)
    columns = {pair: column for column, pair in enumerate(named(bigrams))}
    counts = bigrams.count(Strings.of(texts)).toarray()
    for row, expected in enumerate(rows):
        found = {pair: int(counts[row, column]) for pair, column in columns.items() if counts[row, column]}
        assert found == {pair: count for pair, count in expected.items() if pair in columns}
