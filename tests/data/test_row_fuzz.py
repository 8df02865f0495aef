"""No bytes whatever may bring the readers of rows down with anything but the project's own error."""

from __future__ import annotations

import gzip
import io
import os
from contextlib import suppress

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xclare.data import logs, records
from xclare.data.files import Findings
from xclare.data.settings import DataSettings
from xclare.errors import XclareError

EXAMPLES = int(os.environ.get("XCLARE_FUZZ_EXAMPLES", "150"))


def _parquet(**columns) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer, compression="none")
    return buffer.getvalue()


VALID = [
    b'uid,title,labels,weights,excluded\n1,"a\n""b""","[1,2]","[0.5,2]",[]\n2,\xc3\xa9,[3],[1],"[1]"\n',
    b"text\tlabel\tclicks\ttime\na\tx\t1\t2024-01-31\nb\ty\t2.5\t2024-01-31T10:00:00Z\n",
    b"title;tags\r\na;x|y\r\n\r\nb;z\r\n",
    b'{"title":"a","labels":["x","y"],"weights":[1,2]}\n{"title":"b","labels":["z"],"uid":3}\n',
    b'{"text":"a","label":7,"weight":1e3}\n{"text":"\\u00e9","label":8}\n',
    b"id,title\n7,seven\n8,eight\n",
    _parquet(title=["a", "b\xe9", None], labels=[["x"], [], ["y", "z"]], weights=[[1.0], [], [2.0, 0.5]]),
    _parquet(text=["a", "b"], label=[3, 4], time=pa.array([1, 2], pa.timestamp("s"))),
]
PIECES = [b",", b"\t", b";", b"\n", b"\r", b'"', b"{", b"}", b"[", b"]", b"[1,2]", b'["x"]', b"\x00", b"\xff", b"\xc3",
          b"\\ud800", b"nan", b"-1", b"1e999", b"null", b"title", b"labels", b"weight", b"PAR1", b"\xef\xbb\xbf",
          b"99999999999999999999", b"|", b":", b"true", b"2024-01-31", b"[" * 2000]  # fmt: skip


@st.composite
def mutated(draw) -> bytes:
    """A valid file with some bytes changed, cut, doubled or put in."""
    data = bytearray(draw(st.sampled_from(VALID)))
    for _ in range(draw(st.integers(0, 6))):
        place = draw(st.integers(0, len(data)))
        how = draw(st.sampled_from(["put in", "overwrite", "cut", "double", "flip"]))
        if how == "put in":
            data[place:place] = draw(st.sampled_from(PIECES) | st.binary(max_size=4))
        elif how == "overwrite":
            data[place : place + 1] = draw(st.binary(min_size=1, max_size=1))
        elif how == "cut":
            del data[place : place + draw(st.integers(1, 20))]
        elif how == "double":
            data[place:place] = data[place : place + draw(st.integers(1, 40))]
        elif place < len(data):
            data[place] ^= 1 << draw(st.integers(0, 7))
    return bytes(data)


built = st.lists(st.sampled_from(PIECES), max_size=25).map(b"".join)
contents = st.one_of(mutated(), mutated(), built, st.binary(max_size=60), mutated().map(gzip.compress))
damaged = mutated().map(lambda data: gzip.compress(data)[:-9])


@pytest.mark.parametrize("reader", [records, logs])
@settings(deadline=None, max_examples=EXAMPLES)
@given(content=contents | damaged, labels=st.none() | contents, split=st.sampled_from(["none", "hash:0.5", "time:0.5"]),
       separator=st.sampled_from(["auto", "x"]))  # fmt: skip
def test_any_bytes_are_read_or_refused(tmp_path_factory, reader, content, labels, split, separator):
    folder = tmp_path_factory.mktemp("fuzz")
    (folder / "data").write_bytes(content)
    chosen = DataSettings(split=split, label_separator=separator)
    with suppress(XclareError):
        reader.matches(folder / "data", chosen)
    if labels is not None:
        (folder / "labels").write_bytes(labels)
    with suppress(XclareError):
        data = reader.load(
            folder / "data", chosen, Findings(), label_texts=folder / "labels" if labels is not None else None
        )
        for documents in data.parts().values():  # what was read is whole
            assert documents.targets.has_canonical_format
            assert not documents.targets.nnz or documents.targets.data.min() > 0
            assert list(documents.texts) is not None
            assert documents.targets.shape == (len(documents), data.labels.count)
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
