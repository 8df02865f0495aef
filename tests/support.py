"""Assertions and data that several tests share."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from hypothesis import strategies as st

from xclare.data.dataset import Dataset, Documents, Items, Labels
from xclare.sparse import Csr, csr_from_pairs
from xclare.strings import Strings


def assert_same_matrix(a: Csr | None, b: Csr | None, what: str) -> None:
    """Equal shape, places and values, and both canonical. No matrix and one without entries are the same."""
    if a is None or b is None:
        entries = [0 if matrix is None else matrix.nnz for matrix in (a, b)]
        assert entries == [0, 0], f"{what}: only one of the two is there"
        return
    assert a.shape == b.shape, f"{what}: shapes {a.shape} and {b.shape}"
    for matrix in (a, b):
        assert matrix.has_canonical_format, f"{what} is not canonical"
        assert matrix.dtype == np.float32, f"{what} holds {matrix.dtype}"
    np.testing.assert_array_equal(a.indptr, b.indptr, err_msg=f"{what}: entries a row")
    np.testing.assert_array_equal(a.indices, b.indices, err_msg=f"{what}: columns")
    np.testing.assert_array_equal(a.data, b.data, err_msg=f"{what}: values")


def assert_same_items(a: Items, b: Items, what: str, *, ignoring: Collection[str] = ()) -> None:
    """Equal counts, ids, fields, texts and features."""
    assert a.count == b.count, f"{what}: {a.count} and {b.count} items"
    if "ids" not in ignoring:
        assert _listed(a.ids) == _listed(b.ids), f"{what}: ids"
    if "fields" not in ignoring and a.count:
        assert {k: list(v) for k, v in a.fields.items()} == {k: list(v) for k, v in b.fields.items()}, f"{what}: fields"
    if "texts" not in ignoring:
        assert list(a.texts) == list(b.texts), f"{what}: texts"
    if "features" not in ignoring:
        assert (a.features is None) == (b.features is None), f"{what}: only one of the two has features"
        assert_same_matrix(a.features, b.features, f"{what}: features")


def assert_same_data(a: Dataset, b: Dataset, *, ignoring: Collection[str] = ()) -> None:
    """Equal labels, documents, targets and excluded pairs. `ignoring` takes any of `ids`, `fields`, `texts`,
    `features`, `weights` (targets are then compared as relevant or not), `excluded`, `label_texts` (all of the labels
    but their count), `test`."""
    unknown = set(ignoring) - {"ids", "fields", "texts", "features", "weights", "excluded", "label_texts", "test"}
    assert not unknown, f"assert_same_data cannot ignore {unknown}"
    if "label_texts" in ignoring:
        assert a.labels.count == b.labels.count
    else:
        assert_same_items(a.labels, b.labels, "labels", ignoring=ignoring)
    parts = [name for name in a.parts() if not (name == "test" and "test" in ignoring)]
    assert parts == [name for name in b.parts() if name in parts or "test" not in ignoring], "parts"
    for name in parts:
        one, other = a.parts()[name], b.parts()[name]
        assert_same_items(one, other, name, ignoring=ignoring)
        assert_same_matrix(_targets(one.targets, ignoring), _targets(other.targets, ignoring), f"{name}: targets")
        if "excluded" not in ignoring:
            assert_same_matrix(one.excluded, other.excluded, f"{name}: excluded pairs")


def _listed(strings: Any) -> list[str] | None:
    return None if strings is None else list(strings)


def _targets(targets: Csr, ignoring: Collection[str]) -> Csr:
    if "weights" not in ignoring:
        return targets
    relevant = targets.copy()
    relevant.data[:] = 1
    return relevant


def arbitrary_csr(draw: st.DrawFn, rows: int, columns: int, values: st.SearchStrategy[float]) -> Csr:
    """A canonical csr of any shape of rows, empty ones too."""
    if not rows or not columns:
        return csr_from_pairs([], [], (rows, columns), [])
    places = st.tuples(st.integers(0, rows - 1), st.integers(0, columns - 1))
    entries = draw(st.dictionaries(places, values, max_size=12))
    return csr_from_pairs([i for i, _ in entries], [j for _, j in entries], (rows, columns), list(entries.values()))


WEIGHTS = st.one_of(st.just(1.0), st.floats(0, 2.0**100, width=32, exclude_min=True))
VALUES = st.floats(-(2.0**100), 2.0**100, width=32).filter(bool)


@st.composite
def datasets(
    draw: st.DrawFn,
    *,
    text: st.SearchStrategy[str] | None = None,
    label_text: st.SearchStrategy[str] | None = None,
    fields: tuple[str, ...] = ("title",),
    ids: bool = False,
    features: bool = False,
    weights: bool = True,
) -> Dataset:
    """Any data: one to five documents and labels, perhaps a test set, perhaps excluded pairs. Without `text` there are
    no fields; the first of `fields` is the text."""
    label_count, vocabulary = draw(st.integers(1, 5)), draw(st.integers(1, 12))

    def items(count: int, texts: st.SearchStrategy[str] | None) -> dict[str, Any]:
        def column(strings: st.SearchStrategy[str]) -> Strings:
            return Strings.of(draw(st.lists(strings, min_size=count, max_size=count)))

        named = {} if texts is None else {name: column(texts) for name in fields}
        matrix = arbitrary_csr(draw, count, vocabulary, VALUES) if features else None
        known = column(st.text(max_size=4)) if ids else None
        return {"count": count, "ids": known, "fields": named, "text_fields": tuple(named)[:1], "features": matrix}

    labels = Labels(**items(label_count, label_text or text))

    def documents() -> Documents:
        count = draw(st.integers(1, 5))
        targets = arbitrary_csr(draw, count, label_count, WEIGHTS if weights else st.just(1.0))
        excluded = arbitrary_csr(draw, count, label_count, st.just(1.0)) if draw(st.booleans()) else None
        return Documents(**items(count, text), targets=targets, labels=labels, excluded=excluded)

    return Dataset(documents(), documents() if draw(st.booleans()) else None)
