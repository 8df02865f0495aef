import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xclare.data import files
from xclare.data.files import Findings
from xclare.data.formats.text_lines import read_lines, read_words, write_lines
from xclare.strings import Strings

LINES = st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r"), max_size=8), max_size=10)


@given(lines=LINES, chunk=st.sampled_from([5, 1 << 18]))
@settings(max_examples=100, deadline=None)
def test_lines_read_back_as_written(tmp_path_factory, lines, chunk):
    path = tmp_path_factory.mktemp("lines") / "x.txt"
    assert not write_lines(path, Strings.of(lines))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "CHUNK_BYTES", chunk)
        assert list(read_lines(path, Findings())) == lines


@given(lines=st.lists(st.text("ab ö\t", max_size=8), max_size=10), chunk=st.sampled_from([5, 1 << 18]))
@settings(max_examples=100, deadline=None)
def test_words_are_what_stands_between_spaces(tmp_path_factory, lines, chunk):
    path = tmp_path_factory.mktemp("words") / "x.txt"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "CHUNK_BYTES", chunk)
        found = read_words(path, Findings())
    assert list(found.words) == [word for line in lines for word in line.split()]
    assert found.counts.tolist() == [len(line.split()) for line in lines]


def test_line_breaks_inside_a_string_become_spaces(tmp_path):
    assert write_lines(tmp_path / "x", Strings.of(["a\nb", "c\r", "\r\nd"]))
    assert list(read_lines(tmp_path / "x", Findings())) == ["a b", "c ", "  d"]


def test_a_word_is_refused_at_its_line_and_column(tmp_path):
    path = tmp_path / "x"
    path.write_text("ä b\n\n  c  dd\n", encoding="utf-8")
    words = read_words(path, Findings())
    for position, place in enumerate(["line 1, column 1", "line 1, column 4", "line 3, column 3", "line 3, column 6"]):
        assert f"{path}, {place}:" in str(words.refuse(position, found="it", expected="another"))
