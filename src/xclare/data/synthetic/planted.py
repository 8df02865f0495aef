"""Makes a synthetic set from its specification."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from xclare.data.dataset import Dataset, Documents, Labels
from xclare.data.settings import DataSettings
from xclare.data.synthetic.candidates import Candidates
from xclare.data.synthetic.oracle import oracle_predictions
from xclare.data.synthetic.randomness import Ints
from xclare.data.synthetic.shapes import PREFIX, parse_shape
from xclare.data.synthetic.spec import SyntheticSpec
from xclare.data.synthetic.tokens import Tokens
from xclare.data.synthetic.words import texts, word_table
from xclare.errors import InputError
from xclare.progress import SILENT, Progress
from xclare.sparse import Csr, csr_from_rows

CELLS_AT_ONCE = 1 << 18  # (rows x slots): bounds memory and stays in the cache; the set does not depend on it
FIELD = "title"

Counted: TypeAlias = tuple[Ints, Ints]
"""How many entries each row has, and the entries row after row."""
Rows: TypeAlias = tuple[Ints, NDArray[np.int32]]
"""The same with running sums in place of counts: `indptr` and `indices` of a csr."""
Describe: TypeAlias = Callable[[Rows], dict[str, Any]]
"""What makes items readable, from their tokens: the fields of `Items`."""


@dataclass(frozen=True, eq=False)
class Planted:
    """A synthetic set, and the truth it was made from."""

    spec: SyntheticSpec
    dataset: Dataset
    candidates: Candidates
    """The hidden structure, and the hidden state of every document."""

    def oracle_predictions(self, k: int) -> Csr:
        """(test documents x labels) The k labels of every test document that are most likely to who knows its hidden
        state, but not which labels were drawn: see `xclare.data.synthetic.oracle`."""
        return oracle_predictions(self.candidates, self.spec.test_documents, k)


def generate(
    spec: SyntheticSpec, *, text: bool = True, name: str = "synthetic", progress: Progress = SILENT
) -> Planted:
    """The set that `spec` describes: as titles, or (without `text`) as token features, L2-normalised TF-IDF rows. Time
    and memory are linear in the number of labels and tokens drawn."""
    candidates = Candidates(spec)
    tokens = Tokens(spec, candidates)
    with progress.task("making a synthetic set", spec.train_documents + spec.test_documents + spec.labels) as advance:
        made = {
            part: _documents(candidates, tokens, part, count, advance)
            for part, count in (("train", spec.train_documents), ("test", spec.test_documents))
            if count
        }
        (label_tokens,) = _rows(spec.labels, tokens.labels.slots, lambda *rows: (tokens.of_labels(*rows),), advance)
    describe = _titles(spec) if text else _features(spec, made["train"][1])
    labels = Labels(spec.labels, **describe(label_tokens))
    documents = {
        part: Documents(
            len(targets[0]) - 1, targets=csr_from_rows(*targets, None, spec.labels), labels=labels, **describe(said)
        )
        for part, (targets, said) in made.items()
    }
    return Planted(spec, Dataset(documents["train"], documents.get("test"), name=name), candidates)


def load(name: str, settings: DataSettings | None = None, progress: Progress = SILENT) -> Dataset:
    """The set of the shape called `shape:NAME[:SCALE]`, as titles."""
    wanted = settings.text_fields if settings else ()
    if wanted not in ((), (FIELD,)):
        raise InputError(f"data.text_fields names {', '.join(wanted)}, but synthetic sets have {FIELD!r} alone.")
    return generate(parse_shape(name), name=name.removeprefix(PREFIX), progress=progress).dataset


def _documents(
    candidates: Candidates, tokens: Tokens, part: str, count: int, advance: Callable[[int], None]
) -> list[Rows]:
    """Labels and tokens of the documents of a part."""

    def draw(start: int, stop: int) -> tuple[Counted, Counted]:
        hidden = candidates.hidden(part, start, stop)
        return candidates.draw_labels(hidden, start), tokens.of_documents(hidden, part, start)

    return _rows(count, max(candidates.slots, tokens.documents.slots), draw, advance)


def _rows(
    count: int, slots: int, draw: Callable[[int, int], tuple[Counted, ...]], advance: Callable[[int], None]
) -> list[Rows]:
    """Every kind of rows that `draw` makes, from chunks of rows with so many slots."""
    chunks = []
    at_once = max(1, CELLS_AT_ONCE // slots)
    for start in range(0, count, at_once):
        stop = min(start + at_once, count)
        chunks.append([(lengths, entries.astype(np.int32)) for lengths, entries in draw(start, stop)])
        advance(stop - start)
    kinds = [[np.concatenate(arrays) for arrays in zip(*kind, strict=True)] for kind in zip(*chunks, strict=True)]
    return [(np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)]), entries) for lengths, entries in kinds]


def _titles(spec: SyntheticSpec) -> Describe:
    """Tokens as words of a title."""
    words = word_table(spec.vocabulary)
    return lambda rows: {"fields": {FIELD: texts(*rows, words)}, "text_fields": (FIELD,)}


def _features(spec: SyntheticSpec, train: Rows) -> Describe:
    """Tokens as TF-IDF features: ln((1 + N) / (1 + training documents with the token)) + 1, for no token stands twice
    in a text; then the row divided by its L2 norm."""
    frequency = np.bincount(train[1], minlength=spec.vocabulary)
    idf = (np.log((1 + spec.train_documents) / (1 + frequency)) + 1).astype(np.float32)

    def describe(rows: Rows) -> dict[str, Any]:
        indptr, tokens = rows
        weights = idf[tokens]
        norms = np.sqrt(np.add.reduceat(weights * weights, indptr[:-1]))  # no row is empty
        weights /= np.repeat(norms, np.diff(indptr))
        return {"features": csr_from_rows(indptr, tokens, weights, spec.vocabulary)}

    return describe
