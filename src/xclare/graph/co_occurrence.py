"""The co-occurrence graph: labels that share documents, and nothing inferred."""

from __future__ import annotations

import numpy as np

from xclare.graph.bipartite import without_heads
from xclare.graph.pruning import strongest_edges
from xclare.graph.settings import GraphSettings
from xclare.sparse import Csr, csr_from_row_blocks

LABELS_AT_ONCE = 1 << 15


def co_occurrence(targets: Csr, settings: GraphSettings) -> Csr:
    """Y^T Y (labels x labels): the documents that two labels share, on the diagonal those of the label itself. Heads
    are left out, and edges pruned, as by `random_walk`."""
    pairs = without_heads(targets, settings.head_threshold).copy()
    if not settings.weighted:
        pairs.data[:] = 1
    of_label = pairs.T.tocsr()
    labels, most = targets.shape[1], settings.edges_kept(targets.shape[1])
    parts = []
    for start in range(0, labels, LABELS_AT_ONCE):
        chunk = np.arange(start, min(start + LABELS_AT_ONCE, labels))
        shared = of_label[chunk] @ pairs
        shared.sort_indices()
        parts.append(strongest_edges(shared, chunk, most))
    return csr_from_row_blocks(parts, np.arange(labels), labels)
