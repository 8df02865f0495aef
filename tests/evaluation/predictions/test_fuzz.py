"""No bytes at all may end in anything but predictions or the project's own error. `XCLARE_FUZZ_EXAMPLES` sets how many
cases are tried in each test."""

import gzip
import io
import os

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from xclare.errors import XclareError
from xclare.evaluation import read_predictions, write_predictions
from xclare.evaluation.predictions import FORMATS

fuzz = settings(
    max_examples=int(os.environ.get("XCLARE_FUZZ_EXAMPLES", "200")),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    deadline=None,
)
HEADS = [b"", b"PK\x03\x04", b"{", b'{"predictions": [', b"\x1f\x8b\x08", b"\xef\xbb\xbf{", b"d0 Q0 l0 1 "]
PIECES = st.sampled_from(
    [b"\n", b"\0", b" ", b"\xff", b"1e999", b"nan", b'"', b"{}", b"[", b"9" * 25, b"-1", b"9" * 5000]
)


@pytest.fixture(scope="module")
def documents(make_documents):
    return make_documents(3, 4, ids=["d0", "d1", "d2"], label_texts=["l0", "l1", "l2", "l3"])


def attempt(path, content, documents):
    path.write_bytes(content)
    try:
        found = read_predictions(path, documents)
    except XclareError:
        return
    assert found.shape == (3, 4)
    found.check_format(full_check=True)
    assert found.has_canonical_format
    assert not np.isnan(found.data).any()


@fuzz
@given(head=st.sampled_from(HEADS), rest=st.binary(max_size=200))
def test_arbitrary_bytes(tmp_path, documents, head, rest):
    attempt(tmp_path / "p", head + rest, documents)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("layout", FORMATS)
@fuzz
@given(data=st.data())
def test_files_with_bytes_changed_inserted_or_cut_out(tmp_path, documents, layout, packed, data):
    predictions = csr_array(([0.5, 0.1, -3.0, 0.0], ([0, 0, 1, 2], [1, 2, 0, 3])), shape=(3, 4))
    write_predictions(tmp_path / "good", predictions, documents, layout)
    content = bytearray((tmp_path / "good").read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(content)))
        stop = min(len(content), start + data.draw(st.integers(0, 8)))
        content[start:stop] = data.draw(st.binary(max_size=8) | PIECES)
    attempt(tmp_path / "bad", gzip.compress(content, 1) if packed else bytes(content), documents)


numbers = st.integers(-2, 6) | st.sampled_from([-(2**63), 2**31, 2**62, 2**63 - 1])
index_array = st.lists(numbers, max_size=6).map(lambda values: np.array(values, np.int64))
data_array = st.lists(st.floats(), max_size=6).map(np.array) | st.just(np.ones((2, 4))) | st.just(np.ones((2, 1, 2)))


@fuzz
@given(
    format=st.sampled_from(["csr", "csc", "coo", "bsr", "dia", "dok"]),
    arrays=st.fixed_dictionaries(
        {"data": data_array},
        optional=dict.fromkeys(("indices", "indptr", "row", "col", "offsets", "coords"), index_array),
    ),
    shape=st.just([3, 4]) | index_array,
)
def test_matrices_whose_arrays_contradict_each_other(tmp_path, documents, format, arrays, shape):  # noqa: A002
    content = io.BytesIO()
    np.savez(content, format=format, shape=shape, **arrays)
    attempt(tmp_path / "p", content.getvalue(), documents)
