"""Arbitrary data sets with texts, for the tests of records and logs."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from scipy.sparse import csr_array

from xclare.data.dataset import Dataset, Documents, Labels
from xclare.sparse import as_csr
from xclare.strings import Strings

TEXT_FIELDS = ("title", "query", "my text", "na,me\t;")
OTHER_FIELDS = ("content", "abstract", "", "{odd}", "two\nlines", "price", "time", "label", "id", "uid", "weights")
SPECIAL = "aé\U0001f600 ,;|\t\n\r\"'[]{}\\\0\u2028#0123456789"

texts = st.one_of(
    st.text(max_size=6),
    st.text(SPECIAL, max_size=6),
    st.sampled_from(["", "\r\n", '"', '""', "[1]", "[", "12", "nan", "a\r\nb", "null", " padded "]),
)
weights = st.one_of(st.integers(1, 9), st.floats(min_value=2.0**-100, max_value=2.0**100, width=32))


def columns(names: list[str], count: int) -> st.SearchStrategy[dict[str, Strings]]:
    column = st.lists(texts, min_size=count, max_size=count).map(Strings.of)
    return st.fixed_dictionaries(dict.fromkeys(names, column))


@st.composite
def matrices(draw, rows: int, width: int, values=weights):
    dense = np.zeros((rows, width), np.float32)
    if rows:
        for row, column in draw(st.sets(st.tuples(st.integers(0, rows - 1), st.integers(0, width - 1)), max_size=12)):
            dense[row, column] = draw(values)
    return as_csr(csr_array(dense))


@st.composite
def label_sets(draw) -> Labels:
    count = draw(st.integers(1, 5))
    ids = draw(st.none() | st.lists(texts, min_size=count, max_size=count, unique=True).map(Strings.of))
    names = draw(st.lists(st.sampled_from(["title", "content", "name", "x"]), unique=True, max_size=3))
    fields = draw(columns(names, count))
    return Labels(count, ids, fields, ("title",) if "title" in names else ())


@st.composite
def datasets(draw) -> Dataset:
    labels = draw(label_sets())
    text_fields = draw(st.lists(st.sampled_from(TEXT_FIELDS), min_size=1, max_size=2, unique=True))
    others = draw(st.lists(st.sampled_from(OTHER_FIELDS), max_size=3, unique=True))
    names = draw(st.permutations(text_fields + others))
    with_ids, with_excluded = draw(st.booleans()), draw(st.booleans())
    weight = draw(st.sampled_from([weights, st.just(1)]))

    def documents(count: int) -> Documents:
        return Documents(
            count,
            draw(st.lists(texts, min_size=count, max_size=count).map(Strings.of)) if with_ids else None,
            draw(columns(names, count)),
            tuple(text_fields),
            targets=draw(matrices(count, labels.count, weight)),
            labels=labels,
            excluded=draw(matrices(count, labels.count, st.just(1))) if with_excluded else None,
        )

    train = documents(draw(st.integers(1, 6)))
    test = documents(draw(st.integers(0, 4))) if draw(st.booleans()) else None
    return Dataset(train, test)
