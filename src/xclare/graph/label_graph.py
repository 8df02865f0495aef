"""`LabelGraph`: building, saving, loading, asking."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from xclare.data.dataset import Dataset, Documents, Labels
from xclare.data.formats.npz import csr_as_arrays, csr_from_arrays, read_npz, write_npz
from xclare.errors import InputError
from xclare.graph.bipartite import head_labels, without_heads
from xclare.graph.co_occurrence import co_occurrence
from xclare.graph.exact_walk import exact_walk, personalised_pagerank
from xclare.graph.normalization import perron_normalization, symmetric_normalization, with_diagonal
from xclare.graph.pruning import agreeing_edges, strongest_edges
from xclare.graph.random_walk import random_walk
from xclare.graph.settings import GraphSettings
from xclare.progress import SILENT, Progress
from xclare.sparse import Csr, row_of_entry

SETTINGS = "xclare"
"""The name of the array that holds settings and seed in a saved graph; scipy's `load_npz` ignores it."""


@dataclass(frozen=True, eq=False)
class LabelGraph:
    """Which labels belong together, and how strongly."""

    matrix: Csr
    """G (labels x labels), normalised; the diagonal is always there."""
    counts: Csr
    """G^c (labels x labels) before the missing diagonal was filled in: visits, or what the method counts."""
    settings: GraphSettings
    seed: int

    @classmethod
    def build(
        cls,
        train: Dataset | Documents | Csr,
        settings: GraphSettings | None = None,
        *,
        seed: int = 0,
        device: str = "cpu",
        label_vectors: Any = None,
        own: Csr | None = None,
        progress: Progress = SILENT,
    ) -> LabelGraph:
        """Infers the graph from training documents. `own` is a graph of one's own, mixed in by `graph.own_share`;
        `label_vectors` (labels x anything) are what `graph.prune_below_cosine` compares."""
        settings = settings or GraphSettings()
        targets = _targets(train)
        if settings.prune_below_cosine > -1:
            if label_vectors is None:
                raise InputError("graph.prune_below_cosine needs vectors of the labels: give label_vectors.")
            # Edges that go are no rivals of those that stay, so the strongest are taken afterwards.
            counts = _counted(targets, dataclasses.replace(settings, max_edges=0), seed, device, progress)
            counts = agreeing_edges(counts, label_vectors, settings.prune_below_cosine)
            counts = strongest_edges(counts, np.arange(counts.shape[0]), settings.edges_kept(counts.shape[0]))
        else:
            counts = _counted(targets, settings, seed, device, progress)
        matrix = _normalised(with_diagonal(counts), settings)
        if own is not None:
            matrix = _mixed(matrix, own, settings)
        return cls(matrix, counts, settings, seed)

    def __len__(self) -> int:
        return int(self.matrix.shape[0])

    def neighbours(self, label: int, k: int = 10) -> list[tuple[int, float]]:
        """The `k` labels with the strongest edges from `label`, with their weight in G; ties to the lower label id. The
        label itself is not among them."""
        begin, end = self.matrix.indptr[label : label + 2]
        labels, weights = self.matrix.indices[begin:end], self.matrix.data[begin:end]
        order = [i for i in np.argsort(-weights, kind="stable") if labels[i] != label][:k]
        return [(int(labels[i]), float(weights[i])) for i in order]

    def statistics(self, train: Dataset | Documents | Csr) -> GraphStatistics:
        """What kind of graph it is, compared with the co-occurrence graph of the documents it was inferred from."""
        return statistics_of(self, _targets(train))

    def save(self, path: str | Path, *, counts: bool = False) -> None:
        """Writes G, or with `counts` the raw counts, for `scipy.sparse.load_npz`; settings and seed stand in the same
        file."""
        about = {"settings": dataclasses.asdict(self.settings), "seed": self.seed, "counts": counts}
        arrays = csr_as_arrays(self.counts if counts else self.matrix)
        write_npz(path, {**arrays, "format": np.array(b"csr"), SETTINGS: np.array(json.dumps(about))})

    @classmethod
    def load(cls, path: str | Path) -> LabelGraph:
        """Reads what `save` wrote, without counts."""
        arrays = read_npz(path)
        if SETTINGS not in arrays:
            raise InputError(f"{path} holds no graph of xclare's: give it as one's own graph instead (--graph).")
        about = json.loads(str(arrays[SETTINGS]))
        matrix = csr_from_arrays(arrays, path)
        if about["counts"]:
            raise InputError(f"{path} holds raw counts: expected a graph saved without --counts.")
        return cls(matrix, csr_array(matrix.shape, dtype=np.float32), GraphSettings(**about["settings"]), about["seed"])


def find_label(labels: Labels, wanted: str) -> int:
    """The label with this text or id, else with this row number; an error names the nearest texts."""
    import difflib

    for names in (labels.texts if labels.has_text else None, labels.ids):
        if names is not None:
            rows = [row for row, name in enumerate(names) if name == wanted]
            if rows:
                return rows[0]
    if wanted.isdecimal() and int(wanted) < len(labels):
        return int(wanted)
    close: Sequence[str] = difflib.get_close_matches(wanted, list(labels.texts), n=3) if labels.has_text else ()
    hint = f" Did you mean {' or '.join(map(repr, close))}?" if close else ""
    raise InputError(f"No label has the text or id {wanted!r}.{hint}")


@dataclass(frozen=True)
class GraphStatistics:
    """What kind of graph it is. Edges are counted without the diagonal."""

    labels: int
    edges: int
    head_labels: int
    isolated_labels: int
    """Labels without an edge to or from any other label, heads included."""
    degree_mean: float
    degree_quantiles: dict[str, int]
    """Edges from a label: the 0.1, 0.5, 0.9 and 0.99 quantile, and the most."""
    share_not_co_occurring: float
    """Edges between labels that share no training document, from 0 to 1: what the walks inferred."""
    components: int
    largest_component: int

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return dataclasses.asdict(self)


def statistics_of(graph: LabelGraph, targets: Csr) -> GraphStatistics:
    """Counts the graph against the co-occurrences in `targets`."""
    matrix = graph.matrix
    row = row_of_entry(matrix)
    others = row != matrix.indices
    degrees = np.bincount(row[others], minlength=len(graph))
    touched = degrees.astype(bool)
    touched[matrix.indices[others]] = True
    components, member = connected_components(matrix, directed=False)
    heads = head_labels(targets, graph.settings.head_threshold)
    quantiles = {f"{q:g}": int(np.quantile(degrees, q, method="lower")) for q in (0.1, 0.5, 0.9, 0.99)}
    return GraphStatistics(
        labels=len(graph),
        edges=int(others.sum()),
        head_labels=int(heads.sum()),
        isolated_labels=int((~touched).sum()),
        degree_mean=float(degrees.mean()),
        degree_quantiles=quantiles | {"1": int(degrees.max(initial=0))},
        share_not_co_occurring=_share_inferred(matrix, targets, graph.settings),
        components=int(components),
        largest_component=int(np.bincount(member).max()),
    )


def _share_inferred(matrix: Csr, targets: Csr, settings: GraphSettings) -> float:
    """The share of edges whose labels share no document; looked up chunk by chunk."""
    pairs = without_heads(targets, settings.head_threshold).astype(bool)
    of_label = pairs.T.tocsr()
    edges, direct = 0, 0
    for start in range(0, matrix.shape[0], 1 << 14):
        part = matrix[start : start + (1 << 14)]
        others = part.indices != row_of_entry(part) + start
        shared = (of_label[start : start + (1 << 14)] @ pairs).astype(bool)
        both = part.astype(bool).multiply(shared).tocsr()
        edges += int(others.sum())
        direct += int((both.indices != row_of_entry(both) + start).sum())
    return 1 - direct / edges if edges else 0.0


def _targets(train: Dataset | Documents | Csr) -> Csr:
    if isinstance(train, Dataset):
        return train.train.targets
    return train.targets if isinstance(train, Documents) else train


def _counted(targets: Csr, settings: GraphSettings, seed: int, device: str, progress: Progress) -> Csr:
    if settings.method == "walk":
        return random_walk(targets, settings, seed, device=device, progress=progress)
    if settings.method == "exact":
        return exact_walk(targets, settings, progress=progress)
    if settings.method == "ppr":
        return personalised_pagerank(targets, settings, progress=progress)
    return co_occurrence(targets, settings)


def _normalised(counts: Csr, settings: GraphSettings) -> Csr:
    if settings.normalize == "perron":
        return perron_normalization(counts, settings.perron_teleport)
    return symmetric_normalization(counts)


def _mixed(matrix: Csr, own: Csr, settings: GraphSettings) -> Csr:
    """(1 - share) G + share O, O one's own graph normalised like G."""
    if own.shape != matrix.shape:
        raise InputError(f"The own graph has the shape {own.shape}: expected labels x labels, {matrix.shape}.")
    ours = _normalised(with_diagonal(own), settings)
    share = np.float32(settings.own_share)
    mixed = csr_array((1 - share) * matrix + share * ours)
    mixed.eliminate_zeros()
    mixed.sort_indices()
    return mixed
