"""Documents and labels with all kinds of names, and predictions for them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from scipy.sparse import csr_array

from xclare.data.dataset import Documents, Labels
from xclare.strings import Strings


def documents_of(
    count: int,
    labels: int,
    *,
    ids: list[str] | None = None,
    label_ids: list[str] | None = None,
    label_texts: list[str] | None = None,
) -> Documents:
    fields = {} if label_texts is None else {"title": Strings.of(label_texts)}
    label_set = Labels(
        count=labels,
        ids=None if label_ids is None else Strings.of(label_ids),
        fields=fields,
        text_fields=tuple(fields),
    )
    texts = {"title": Strings.of(f"text {i}" for i in range(count))}
    return Documents(
        count=count,
        ids=None if ids is None else Strings.of(ids),
        fields=texts,
        text_fields=("title",),
        targets=csr_array((count, labels), dtype=np.float32),
        labels=label_set,
    )


@pytest.fixture(scope="session")
def make_documents() -> Callable[..., Documents]:
    """Documents, labels and their names."""
    return documents_of


@pytest.fixture(scope="session")
def predicted() -> st.SearchStrategy[tuple[csr_array, Documents]]:
    """Arbitrary predictions for documents and labels with or without ids, of any characters, also equal ones."""
    text = st.text(max_size=4) | st.sampled_from(
        ["", "0", "1", "01", " ", "{", "\ufeff", "a b", "a\nb", "\u2028", "\0"]
    )

    @st.composite
    def draw(draw: Any) -> tuple[csr_array, Documents]:
        count, labels = draw(st.integers(0, 5)), draw(st.integers(0, 6))
        names = [draw(st.none() | st.lists(text, min_size=n, max_size=n)) for n in (count, labels, labels)]
        documents = documents_of(count, labels, ids=names[0], label_ids=names[1], label_texts=names[2])
        kind = draw(st.sampled_from([np.float32, np.float64]))
        score = st.floats(allow_nan=False, width=32 if kind == np.float32 else 64) | st.sampled_from(
            [0.0, 1.0, math.inf]
        )
        cell = st.tuples(st.integers(0, max(count - 1, 0)), st.integers(0, max(labels - 1, 0)))
        entries = draw(st.dictionaries(cell, score)) if count and labels else {}
        rows, columns = ([pair[side] for pair in entries] for side in (0, 1))
        data = np.array(list(entries.values()), kind)
        return csr_array((data, (np.array(rows, int), np.array(columns, int))), shape=(count, labels)), documents

    return draw()
