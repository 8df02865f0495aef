import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xclare.data import files
from xclare.data.files import Findings, decode, open_binary, read_chunks
from xclare.errors import InputError


def contents(path, findings=None):
    return b"".join(chunk.data for chunk in read_chunks(path, Findings() if findings is None else findings))


@given(data=st.binary(max_size=200).filter(lambda data: not data.startswith(files.GZIP_MAGIC)))
def test_chunks_are_whole_lines_and_together_the_file(data, tmp_path_factory):
    path = tmp_path_factory.mktemp("chunks") / "file"
    path.write_bytes(data)
    expected = data.removeprefix(files.BYTE_ORDER_MARK).replace(b"\r\n", b"\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "CHUNK_BYTES", 7)
        chunks = list(read_chunks(path, Findings()))
    assert b"".join(chunk.data for chunk in chunks) == expected
    assert all(chunk.data.endswith(b"\n") for chunk in chunks[:-1])
    line = 1
    for chunk in chunks:
        assert chunk.first_line == line
        line += chunk.data.count(b"\n")


def test_gzip_is_known_by_its_content_and_not_by_its_name(tmp_path):
    (tmp_path / "plain.gz").write_bytes(b"a\nb\n")
    (tmp_path / "packed").write_bytes(gzip.compress(b"a\nb\n"))
    assert contents(tmp_path / "plain.gz") == contents(tmp_path / "packed") == b"a\nb\n"


def test_windows_line_ends_and_the_byte_order_mark_are_read_over_and_counted(tmp_path):
    path, findings = tmp_path / "file", Findings()
    path.write_bytes(b"\xef\xbb\xbfa\r\nb\r\n")
    assert contents(path, findings) == b"a\nb\n"
    assert findings == {files.WINDOWS_LINE_ENDS: 1, files.BYTE_ORDER_MARKS: 1}


@pytest.mark.parametrize("cut", [5, 15, 25])
def test_a_damaged_gzip_file_is_an_error_that_names_it(cut, tmp_path):
    path = tmp_path / "trn.json.gz"
    path.write_bytes(gzip.compress(b"some text, and more of it\n" * 3)[:cut])
    with pytest.raises(InputError, match=r"trn\.json\.gz is a damaged gzip file"):
        contents(path)


def test_a_missing_file_and_a_folder_are_errors_that_name_them(tmp_path):
    with pytest.raises(InputError, match="nothing does not exist"):
        open_binary(tmp_path / "nothing")
    with pytest.raises(InputError, match="is a folder"):
        open_binary(tmp_path)


def test_a_line_without_end_is_refused_before_it_fills_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "CHUNK_BYTES", 10)
    monkeypatch.setattr(files, "LONGEST_LINE", 100)
    (tmp_path / "file").write_bytes(b"a\n" + b"x" * 200)
    with pytest.raises(InputError, match="line 2: found a line of more than"):
        contents(tmp_path / "file")


def test_broken_text_is_an_error_at_its_line_and_column():
    with pytest.raises(
        InputError, match=r"file, line 8, column 3: found the bytes b'\\xff', expected UTF-8 text"
    ) as error:
        decode(b"abc\nde\xff", "file", line=7)
    assert "iconv" in str(error.value)
    with pytest.raises(InputError, match="line 7, column 12"):
        decode(b"a\xff", "file", line=7, column=11)
