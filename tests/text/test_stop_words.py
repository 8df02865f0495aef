import pytest

from xclare.errors import InputError, SettingError
from xclare.text.stop_words import LANGUAGES, stop_words


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_a_short_list_without_repetition(language):
    words = stop_words(language)
    assert 60 <= len(words) <= 140
    assert len(set(words)) == len(words)
    assert all(word == word.lower().strip() for word in words)


def test_none_is_an_empty_list():
    assert stop_words("none") == []


def test_a_file_has_one_word_a_line(tmp_path):
    file = tmp_path / "words.txt"
    file.write_bytes(b"\xef\xbb\xbfof\r\n\r\n  Caf\xc3\xa9 \nlast")
    assert stop_words(str(file)) == ["of", "Café", "last"]


def test_a_misspelt_language_is_refused_with_the_nearest():
    with pytest.raises(SettingError, match=r"'englsh' is neither .* did you mean 'english'\?"):
        stop_words("englsh")


def test_a_file_that_is_not_utf_8_is_refused_with_its_line(tmp_path):
    file = tmp_path / "words.txt"
    file.write_bytes(b"of\ncaf\xe9\n")
    with pytest.raises(InputError, match="line 2, column 4"):
        stop_words(str(file))
