"""Opening what users have: plain or gzipped by content, in chunks of whole lines, with every error at its place."""

from __future__ import annotations

import gzip
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

import numpy as np

from xclare.errors import InputError, shown
from xclare.progress import SILENT, Progress

CHUNK_BYTES = 1 << 18
"""What is read at once: so little that a chunk and what is made of it stay in the processor's cache."""

LONGEST_LINE = 1 << 26
GZIP_MAGIC = b"\x1f\x8b"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"

Findings = Counter[str]
"""What a reader met and handled in its documented way, counted: `xclare stats` prints it."""

WINDOWS_LINE_ENDS = "files with Windows line ends, read as plain ones"
BYTE_ORDER_MARKS = "files that begin with a byte order mark, skipped"
BLANK_LINES = "blank lines, skipped"
ZERO_WEIGHTS = "pairs of weight 0, dropped"
REPEATED_LABELS = "labels named twice in one document, kept once"


@dataclass(frozen=True)
class Chunk:
    """Whole lines of a file, without carriage returns; the last one may lack its newline at the end of the file."""

    data: bytes
    first_line: int  # the number of its first line, from 1

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Line numbers and lines, without their ends. For slow paths and small files."""
        yield from enumerate(self.data.removesuffix(b"\n").split(b"\n"), self.first_line)


def open_binary(path: str | Path) -> IO[bytes]:
    """The file's bytes, unpacked where its content is gzip, whatever its name says."""
    try:
        raw = Path(path).open("rb")  # noqa: SIM115 - handed to the caller
        magic = raw.read(2)
        raw.seek(0)
    except FileNotFoundError:
        raise InputError(f"{path} does not exist. Check the name, or give the folder's full path.") from None
    except IsADirectoryError:
        raise InputError(f"{path} is a folder; expected a file.") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from error
    if magic != GZIP_MAGIC:
        return raw
    raw.close()
    return cast(IO[bytes], gzip.open(path, "rb"))


def read_chunks(
    path: str | Path, findings: Findings, progress: Progress = SILENT, *, plain_line_ends: bool = True
) -> Iterator[Chunk]:
    """The file in chunks of whole lines. A byte order mark is skipped and Windows line ends become plain; both are
    counted. `plain_line_ends` False leaves them to the caller: in a table they may stand inside a cell."""
    source = Path(path)
    first_line, rest, marked = 1, b"", False
    with open_binary(source) as file, progress.task(f"reading {source.name}", source.stat().st_size) as advance:
        raw = getattr(file, "fileobj", file)
        seen = 0
        while True:
            block = _read(file, source, max(CHUNK_BYTES, len(rest)))  # growing: a long line is not copied often
            advance(raw.tell() - seen)
            seen = raw.tell()
            if first_line == 1 and not rest and block.startswith(BYTE_ORDER_MARK):
                findings[BYTE_ORDER_MARKS] += 1
                block = block[len(BYTE_ORDER_MARK) :]
            data, rest = _cut(rest + block, at_end=not block)
            if len(rest) > LONGEST_LINE:
                raise InputError.at(
                    source,
                    line=first_line + data.count(b"\n"),
                    found=f"a line of more than {LONGEST_LINE >> 20} MiB",
                    expected="one document a line",
                )
            if plain_line_ends and b"\r" in data and b"\r\n" in data:  # the first test is many times as fast
                data = data.replace(b"\r\n", b"\n")
                findings[WINDOWS_LINE_ENDS] += not marked
                marked = True
            if data:
                yield Chunk(data, first_line)
                first_line += int(np.count_nonzero(np.frombuffer(data, np.uint8) == 10))  # several times bytes.count
            if not block:
                return


def _read(file: IO[bytes], source: Path, size: int) -> bytes:
    try:
        return file.read(size)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{source} is a damaged gzip file ({error}). Copy or download it again.") from error
    except OSError as error:
        raise InputError(f"{source} cannot be read: {error.strerror or error}.") from error


def _cut(data: bytes, *, at_end: bool) -> tuple[bytes, bytes]:
    """Splits after the last newline; at the end of the file everything is whole."""
    if at_end:
        return data, b""
    end = data.rfind(b"\n") + 1
    return data[:end], data[end:]


def decode(data: bytes, source: str | Path, line: int, column: int = 1) -> str:
    """UTF-8 text, or an error at the byte that is not."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start]
        row = line + before.count(b"\n")
        start = before.rfind(b"\n") + 1
        raise InputError.at(
            source,
            line=row,
            column=error.start - start + (column if row == line else 1),
            found=f"the bytes {shown(data[error.start : error.start + 4])}",
            expected="UTF-8 text",
            hint=f"Convert the file first, for instance: iconv -f latin1 -t utf-8 {Path(source).name}",
        ) from None


def first_existing(folder: Path, *names: str) -> Path | None:
    """The first of `names`, plain or with `.gz`, that stands in the folder."""
    for name in names:
        for path in (folder / name, folder / f"{name}.gz"):
            if path.is_file():
                return path
    return None
