import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xclare.data.files import Chunk
from xclare.data.formats.decimals import DECIMAL_WIDTH, write_decimals
from xclare.data.formats.sparse_rows import _parse_fast, _parse_lines

FLOATS = st.floats(width=32, allow_nan=False, allow_infinity=False).filter(bool)
DECIMALS = st.from_regex(r"[0-9]{0,9}\.?[0-9]{1,18}(e-?[0-9]{1,2})?", fullmatch=True)


def written(values):
    text = np.empty((len(values), DECIMAL_WIDTH), np.uint8)
    write_decimals(text, np.asarray(values, np.float32))
    return [row[row != 0].tobytes().decode() for row in text]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1, "1"), (0.5, "0.5"), (0.1, "0.1"), (100, "100"), (-2.25, "-2.25"), (123456, "123456"), (0.00002, "0.00002"),
        (0.333333343, "0.33333334"), (999999.9, "999999.9"), (1e-6, "1e-06"), (1e6, "1e+06"), (1e30, "1e+30"),
    ],
)  # fmt: skip
def test_a_value_is_written_in_its_fewest_digits(value, text):
    assert written([value]) == [text]


@given(st.lists(FLOATS, min_size=1, max_size=20))
@settings(max_examples=200)
def test_what_is_written_reads_back_as_the_same_float32(values):
    assert np.array(written(values), np.float32).tolist() == values


@given(st.lists(FLOATS, min_size=1, max_size=20))
@settings(max_examples=200)
def test_no_more_digits_are_written_than_numpy_needs(values):
    def digits(text):
        return len(text.split("e")[0].replace(".", "").replace("-", "").strip("0"))

    for value, text in zip(values, written(values), strict=True):
        assert digits(text) <= digits(np.format_float_positional(np.float32(value), unique=True, trim="-"))


def read(tokens):
    return _parse_fast(b"".join(b"0:%s\n" % token.encode() for token in tokens))


@given(st.lists(DECIMALS, min_size=1, max_size=20))
@settings(max_examples=150)
def test_numbers_are_read_as_float_reads_them(tokens):
    expected = np.array([float(token) for token in tokens])
    with np.errstate(over="ignore"):
        expected = expected.astype(np.float32)
    rows = read(tokens)
    if np.isfinite(expected).all():
        assert rows.values.tolist() == expected.tolist()
    else:
        assert rows is None


@pytest.mark.parametrize(
    "token",
    [
        "1.00000005960464477539", "1.000000059604644776", "1.00000005960464477", "0.1", "16777217", "33554433.0",
        "0.000000000000000001", "12345678.0123456789", "0.9999999999999999", ".5", "5.", "0.30000001192092896",
    ],
)  # fmt: skip
def test_numbers_between_two_float32_are_read_to_the_last_bit(token):
    assert read([token]).values.tolist() == [float(np.float32(float(token)))]


def test_a_million_printed_values_are_read_to_the_last_bit():
    random = np.random.default_rng(7)
    values = random.random(100_000)
    for form in ("%.6f", "%.9g", "%.16g", "%.17g"):
        tokens = [form % value for value in values[: 20_000 if form == "%.17g" else None]]
        expected = np.array([float(token) for token in tokens]).astype(np.float32)
        np.testing.assert_array_equal(read(tokens).values, expected)


LINES = st.lists(
    st.sampled_from([b"1", b"23", b":", b" ", b"\n", b",", b".", b"0.5", b"7:0.25", b"e-3", b"-", b"\t", b"nan", b"x"]),
    max_size=25,
).map(b"".join)


@given(LINES)
@settings(max_examples=700)
def test_the_fast_way_accepts_only_what_the_slow_way_accepts_and_finds_the_same(data):
    from pathlib import Path

    fast = _parse_fast(data) if data else None
    if fast is not None:
        slow = _parse_lines(Chunk(data, 1), "both", Path("x"))
        for one, other in zip(fast, slow, strict=True):
            np.testing.assert_array_equal(one, other)
