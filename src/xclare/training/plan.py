"""What a run is about to do, before it does it: sizes, memory, place."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from xclare.clustering.meta_labels import head_clusters_for
from xclare.sparse import column_counts
from xclare.training.prepared import Prepared
from xclare.training.step import labels_at_once

BASE_BYTES = 600 << 20
"""Python, PyTorch and what both allocate in passing."""


@dataclass(frozen=True)
class Plan:
    """What a run is about to do."""

    data: str
    preset: str
    seed: int
    device: str
    precision: str
    documents: int
    held_out: int
    labels: int
    tokens: int
    dimension: int
    clusters: int
    batch_size: int
    epochs: tuple[int, int, int]
    negatives: str
    memory_gib: float
    """Expected at the peak; an upper estimate."""

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return dataclasses.asdict(self)


def plan_of(prepared: Prepared) -> Plan:
    """The plan of what was prepared."""
    config, data = prepared.config, prepared.data
    heads = int((column_counts(data.targets) > config.graph.head_threshold).sum())
    labels, wanted = len(prepared.train.labels), config.clustering.clusters
    clusters = min(wanted, labels - heads) + head_clusters_for(labels, heads, wanted)
    return Plan(
        data=prepared.name,
        preset=config.preset,
        seed=prepared.seed,
        device=str(prepared.device),
        precision=config.training.precision,
        documents=len(prepared.train),
        held_out=0 if prepared.held_out is None else len(prepared.held_out),
        labels=labels,
        tokens=data.features.shape[1],
        dimension=config.model.dimension,
        clusters=clusters,
        batch_size=config.training.batch_size,
        epochs=(config.training.epochs_1, config.training.epochs_2, config.training.epochs_4),
        negatives=config.training.negatives,
        memory_gib=round(expected_bytes(prepared, clusters) / 2**30, 1),
    )


def expected_bytes(prepared: Prepared, clusters: int) -> int:
    """Memory at the peak: the larger of Module I's (token embeddings with gradient and moments, meta-labels) and Module
    IV's (documents, label inputs, refinement vectors with moments, lists), both with what stays."""
    config, data = prepared.config, prepared.data
    documents, tokens = data.features.shape
    labels, dimension = data.targets.shape[1], config.model.dimension
    small = 2 if config.training.precision == "bf16" else 4
    inputs = int(config.model.label_text) + config.model.order
    edges = labels * (config.graph.max_edges or 60)
    matrices = 12 * (data.features.nnz + data.targets.nnz + data.label_features.nnz + edges)
    chunk = labels_at_once(labels, config.training.batch_size, prepared.device)
    step = chunk * small * (config.training.batch_size + 40 * dimension) + config.training.batch_size * dimension * 20
    table = 4 * tokens * dimension
    first = 5 * table + clusters * dimension * small * 4 * max(inputs, 1) + 28 * data.features.nnz
    listed = data.targets.nnz
    if config.training.negatives != "all":
        of_document = config.game.keep * config.game.beam * labels / clusters
        of_document *= 11 if config.training.negatives == "shortlist+graph" else 1
        listed += int(documents * min(of_document, labels))
    last = table + documents * dimension * (4 + small) + labels * dimension * (inputs * (4 + small) + 24) + 28 * listed
    return int(BASE_BYTES + matrices + step + max(first, last))
