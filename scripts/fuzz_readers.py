"""Feeds damaged files to every reader and counts what is no error of the project's own.

    python scripts/fuzz_readers.py --cases 200000 --seed 0 [--reader NAME] [--record]

A case takes a good example of a layout and damages one of its files: flipped, cut, repeated or swapped bytes, pieces
that parsers stumble over, or a file of bytes drawn at random. The reader must return data or raise `XclareError`, and
do so within seconds. Case `n` of a seed is always the same: `--seed S --case N` runs it alone and shows what happens.
Another reader is one more entry of `readers()`."""

from __future__ import annotations

import argparse
import gzip
import io
import json
import random
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

from xclare import Dataset
from xclare.data import attention_xml, ready_features, xc_repository, xc_sparse
from xclare.data.files import Findings
from xclare.data.formats.npz import read_csr
from xclare.data.settings import DataSettings
from xclare.errors import XclareError
from xclare.evaluation.predictions import read_predictions, write_predictions
from xclare.progress import SILENT
from xclare.sparse import csr_from_pairs

MOST_SECONDS = 10.0
RESULTS = Path(__file__).parent.parent / "benchmarks" / "results"

TRN = b"""{"uid": "a", "title": "red roses", "content": "x", "target_ind": [0, 2], "target_rel": [1.0, 0.5]}
{"uid": "b", "title": "gr\\u00fcn \\ud83d\\ude00", "content": null, "target_ind": [1]}
{"title": "caf\xc3\xa9 \xf0\x9f\x98\x80", "target_ind": []}
"""
LBL = b'{"uid": "0", "title": "rose"}\n{"uid": "1", "title": "gras"}\n{"uid": "2", "title": "blau"}\n'
PAIRS = b"0 1\n1 2\n"
FEATURES = b"3 5\n0:0.5 3:1.25 \n\n4:1e-05 2:-3.125\n"
TARGETS = b"3 3\n1:1.0 \n0:1 2:2.5\n\n"

STUMBLES = [
    b'"', b"\\", b"\\u", b"\\ud800", b"{", b"}", b"[", b"]", b"[" * 3000, b"{}\n", b",", b":", b"::", b"\n", b"\n\n",
    b"\r\n", b"\r", b"\t", b" ", b"  ", b"\0", b"\x1f\x8b", b"\xef\xbb\xbf", b"\xff", b"\xed\xa0\x80", b"\xc3",
    b"\xe2\x80\xa8",
    b"nan", b"NaN", b"inf", b"-Infinity", b"null", b"true", b"-1", b"-0", b"0", b"00", b"1.", b".5", b"1e400",
    b"1e-400", b"1e39", b"99999999", b"999999999", b"2147483647", b"4294967296", b"99999999999999999999", b"9" * 400,
    b"1_0", b"+1", "²".encode(), "٣".encode(), b"target_ind", b"title", b"labels", b"3 5", b"3 5 7", b"1,2 ", b"0:1 ",
    b'"x":"y",', b"|", b";",
]  # fmt: skip


@dataclass(frozen=True)
class Reader:
    """A good example, as file names and contents, and how to read the folder that holds it."""

    files: dict[str, bytes]
    read: Callable[[Path], Any]


def readers() -> dict[str, Reader]:
    """Every reader with an example."""
    text = ["red roses", "café 😀", "", "red"]
    data = Dataset.from_lists(text, [["rose", "flower"], ["drink"], [], ["rose"]])
    made: dict[str, Reader] = {
        "xc_repository": _folder(
            xc_repository.load, {"trn.json": TRN, "tst.json": TRN, "lbl.json": LBL, "filter_labels_train.txt": PAIRS}
        ),
        "xc_repository, gzipped": _folder(xc_repository.load, {"trn.json": gzip.compress(TRN), "lbl.json": LBL}),
        "xc_sparse": _folder(
            xc_sparse.load,
            {
                "trn_X_Xf.txt": FEATURES,
                "trn_X_Y.txt": TARGETS,
                "lbl_X_Xf.txt": FEATURES,
                "filter_labels_train.txt": PAIRS,
            },
        ),
        "xc_sparse, no headers": _folder(xc_sparse.load, {"trn_X_Xf.txt": FEATURES[4:], "trn_X_Y.txt": b"1,2\n\n0\n"}),
        "xc_sparse, one file": _folder(xc_sparse.load, {"train.txt": b"3 5 4\n1,3 0:0.5 4:1\n 2:1\n0\n"}),
        "xc_sparse, npz": _folder(xc_sparse.load, {"X.trn.npz": _npz(""), "Y.trn.npz": _npz("")}),
        "attention_xml": _folder(
            attention_xml.load,
            {"train_texts.txt": "\n".join(text).encode(), "train_labels.txt": b"rose leaf\nrose\n\nleaf\n"},
        ),
        "attention_xml, numbers": _folder(
            attention_xml.load,
            {
                "train_texts.txt": b"a\nb\nc\n",
                "train_labels.txt": b"1 0\n\n2\n",
                "label_texts.txt": b"x\ny z\n\xc3\xa9\n",
            },
        ),
        "attention_xml, sparse labels": _folder(
            attention_xml.load, {"trn_X.txt": b"a\nb\nc\n", "trn_X_Y.txt": TARGETS, "Y.txt": b"x\ny\nz\n"}
        ),
        "ready_features": Reader({"f.npz": _npz("trn_x_")}, lambda folder: _apply_features(data, folder / "f.npz")),
        "npz": Reader({"p.npz": _npz("")}, lambda folder: read_csr(folder / "p.npz")),
    }
    return made | _row_readers(data) | _prediction_readers(data)


def _prediction_readers(data: Dataset) -> dict[str, Reader]:
    """Any system's predictions, in the three formats that `xclare evaluate` reads."""
    scores = csr_from_pairs([0, 0, 1, 3], [0, 2, 1, 0], (4, 3), [0.5, -1.25, 3.0, 1e-3])
    made = {}
    for kind in ("npz", "jsonl", "trec"):
        with tempfile.TemporaryDirectory() as place:
            path = Path(place) / f"p.{kind}"
            write_predictions(path, scores, data.train, kind)
            files = {path.name: path.read_bytes()}
        made[f"predictions, {kind}"] = Reader(
            files,
            lambda folder, kind=kind: read_predictions(folder / f"p.{kind}", data.train),  # type: ignore[misc]
        )
    return made


def _row_readers(data: Dataset) -> dict[str, Reader]:
    """Records and logs: a single file that `Dataset.load` tells from its content, with examples as we write them."""
    made = {}
    for layout in ("jsonl", "csv", "tsv", "parquet", "log-jsonl", "log-csv", "log-tsv", "log-parquet"):
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place) / "data"
            data.save(folder, layout)
            files = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
        made[layout] = Reader(files, Dataset.load)
    for name, content in (
        ("one.jsonl", b'{"id": 1, "text": "a", "labels": ["x", "y"]}\n{"id": 2, "text": "b", "labels": []}\n'),
        ("one.csv", b'text,labels\n"a, ""b""\nc",x|y\nd,\n'),
        ("one.tsv", b"query\titem\tclicks\ttime\na\tx\t3\t2024-01-31\nb\ty\t1\t2024-02-01\n"),
    ):
        made[name] = Reader({name: content}, lambda folder, name=name: Dataset.load(folder / name))  # type: ignore[misc]
    return made


def _folder(load: Callable[..., Dataset], files: dict[str, bytes]) -> Reader:
    return Reader(files, lambda folder: load(folder, DataSettings(), Findings(), SILENT))


def _apply_features(data: Dataset, path: Path) -> Dataset:
    return ready_features.apply(data, path, Findings())


def _npz(prefix: str) -> bytes:
    """A csr of 4 rows as `.npz`."""
    file = io.BytesIO()
    arrays = {"data": np.ones(3, np.float32), "indices": np.array([0, 4, 2]), "indptr": np.array([0, 2, 2, 3, 3])}
    named = {f"{prefix}{name}": array for name, array in {**arrays, "shape": np.array([4, 5])}.items()}
    np.savez(file, **named)  # type: ignore[arg-type]
    return file.getvalue()


def damaged(data: bytes, draw: random.Random) -> bytes:
    """`data` after one to four damages, or bytes that have nothing to do with it."""
    if draw.random() < 0.05:
        return draw.randbytes(draw.randrange(200))
    for _ in range(draw.choice((1, 1, 1, 2, 2, 3, 4))):
        data = draw.choice(DAMAGES)(data, draw)
    if draw.random() < 0.03:
        data = gzip.compress(data)
    return data


def _span(data: bytes, draw: random.Random) -> tuple[int, int]:
    start = draw.randrange(len(data) + 1)
    return start, min(len(data), start + draw.choice((0, 1, 1, 2, 4, 16, 64)))


def _replace(data: bytes, draw: random.Random) -> bytes:
    start, end = _span(data, draw)
    return data[:start] + draw.choice(STUMBLES) + data[end:]


def _flip(data: bytes, draw: random.Random) -> bytes:
    start, _ = _span(data, draw)
    return data[:start] + bytes(byte ^ (1 << draw.randrange(8)) for byte in data[start : start + 1]) + data[start + 1 :]


def _noise(data: bytes, draw: random.Random) -> bytes:
    start, end = _span(data, draw)
    return data[:start] + draw.randbytes(end - start) + data[end:]


def _repeat(data: bytes, draw: random.Random) -> bytes:
    start, end = _span(data, draw)
    return data[:end] + data[start:end] * draw.randint(1, 3) + data[end:]


def _cut(data: bytes, draw: random.Random) -> bytes:
    start, end = _span(data, draw)
    return data[:start] if draw.random() < 0.2 else data[:start] + data[end:]


def _swap_lines(data: bytes, draw: random.Random) -> bytes:
    lines = data.split(b"\n")
    draw.shuffle(lines)
    return b"\n".join(lines)


DAMAGES: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    _replace,
    _replace,
    _flip,
    _noise,
    _repeat,
    _cut,
    _swap_lines,
)


class TookTooLong(BaseException):
    """A reader ran longer than it may. No `Exception`, so that no reader can catch it."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raises `TookTooLong` in the block after a while."""

    def stop(signal_number: int, frame: FrameType | None) -> None:
        raise TookTooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class Fuzzer:
    """Runs cases in one folder a reader, where only the damaged file is written anew."""

    def __init__(self, place: Path, seed: int, only: str | None = None) -> None:
        self.seed = seed
        self.readers = {name: reader for name, reader in readers().items() if only in (None, name)}
        if not self.readers:
            raise SystemExit(f"no reader {only!r}; there are: {', '.join(readers())}")
        self.folders = {name: place / str(number) for number, name in enumerate(self.readers)}
        for name, folder in self.folders.items():
            folder.mkdir()
            for file, data in self.readers[name].files.items():
                (folder / file).write_bytes(data)
            self.readers[name].read(folder)  # the examples themselves are good
        self.outcomes: Counter[str] = Counter()
        self.failures: list[dict[str, Any]] = []

    def run(self, case: int) -> None:
        """One case; a failure is kept with what it takes to see it again."""
        draw = random.Random(f"{self.seed}:{case}")
        name = draw.choice(list(self.readers))
        file = draw.choice(list(self.readers[name].files))
        path = self.folders[name] / file
        _write(path, damaged(self.readers[name].files[file], draw))
        try:
            with time_limit(MOST_SECONDS):
                self.readers[name].read(self.folders[name])
            self.outcomes["read"] += 1
        except XclareError:
            self.outcomes["refused"] += 1
        except (Exception, TookTooLong) as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            self.failures.append(
                {
                    "case": case,
                    "reader": name,
                    "file": file,
                    "error": f"{type(error).__name__}: {error}"[:300],
                    "at": f"{Path(where.filename).name}:{where.lineno}",
                    "bytes": path.read_bytes()[:400].hex(),
                    "traceback": "".join(traceback.format_exception(error))[-3000:],
                }
            )
        _write(path, self.readers[name].files[file])


def _write(path: Path, data: bytes) -> None:
    """Writes a new file. Some file systems wait for the disk where an old one is cut to nothing and written again."""
    path.unlink(missing_ok=True)
    path.write_bytes(data)


def main() -> int:
    """Runs the cases asked for, prints the count and the failures, and returns 1 where there are any."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--cases", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--case", type=int, help="this case alone")
    parser.add_argument("--reader", help="this reader alone (cases then differ from those over all readers)")
    parser.add_argument("--record", action="store_true", help="write benchmarks/results/fuzz_readers.json")
    options = parser.parse_args()
    cases = range(options.cases) if options.case is None else [options.case]
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as place:
        fuzzer = Fuzzer(Path(place), options.seed, options.reader)
        for number, case in enumerate(cases, 1):
            fuzzer.run(case)
            if number % 10_000 == 0:
                print(f"{number} cases, {len(fuzzer.failures)} failures", file=sys.stderr)
    seconds = round(time.monotonic() - start, 1)
    for failure in fuzzer.failures[:20]:
        print(f"--seed {options.seed} --case {failure['case']}: {failure['reader']}: {failure['error']}")
        print(failure["traceback"] if options.case is not None else f"    at {failure['at']}")
    print(f"{len(cases)} cases in {seconds} s: {dict(fuzzer.outcomes)}, {len(fuzzer.failures)} failures")
    if options.record:
        summary = {"cases": len(cases), "seed": options.seed, "seconds": seconds, **fuzzer.outcomes}
        summary |= {"readers": list(fuzzer.readers), "failures": fuzzer.failures}
        (RESULTS / "fuzz_readers.json").write_text(json.dumps(summary, indent=2) + "\n", encoding="utf-8")
    return 1 if fuzzer.failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
