import pytest

from xclare.text.normalization import normalizer, splitter, without_punctuation, words_of


def words(text, *, strip_accents=True, stop_words=(), **options):
    split = splitter(stop_words, **options)
    return [word for word, _ in split.pre_tokenize_str(normalizer(strip_accents).normalize_str(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The QUICK Fox", ["the", "quick", "fox"]),
        ("ＡＢＣ ﬁne ①", ["abc", "fine", "1"]),  # NFKC
        ("C99/C++ (x86-64)", ["c99", "/", "c", "+", "+", "(", "x86", "-", "64", ")"]),
        ("日本語text", ["日", "本", "語", "text"]),
        ("a\tb\u00a0c\u200bd\r\n", ["a", "b", "cd"]),  # every blank is one; control and format characters go
        ("Größe café Ångström ёлка", ["große", "cafe", "angstrom", "елка"]),
        ("हिन्दी", ["हिन्दी"]),  # vowel signs are no accents
        ("한국어 が", ["한국어", "が"]),
        ("İstanbul", ["istanbul"]),
        ("", []),
        (" \n ", []),
    ],
)
def test_texts_are_cleaned_and_cut_into_words(text, expected):
    assert words(text) == expected


def test_accents_stay_by_option():
    assert words("Größe café", strip_accents=False) == ["größe", "café"]


def test_stop_words_are_dropped_as_whole_words_only():
    stop = words_of(["The", "of", "DÉJÀ"], normalizer(True))
    assert stop == ["deja", "of", "the"]
    assert words("The theory of déjà-vu, offset", stop_words=stop) == ["theory", "-", "vu", ",", "offset"]


def test_a_stop_word_with_punctuation_in_it_is_the_words_it_is_cut_into():
    assert words_of(["don't", "--"], normalizer(True)) == ["don", "t"]


def test_stop_words_are_no_patterns():
    assert words("a.c abc c++", stop_words=["a.c", "c+"]) == ["a", ".", "c", "abc", "c", "+", "+"]


def test_words_longer_than_a_limit_are_dropped():
    assert words(f"{'x' * 100} {'y' * 101} z", longest=100) == ["x" * 100, "z"]


def test_punctuation_can_be_left_out_between_words():
    assert [word for word, _ in without_punctuation(splitter()).pre_tokenize_str("a-b (c) ...")] == ["a", "b", "c"]
