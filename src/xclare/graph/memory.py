"""How much memory building the graph takes, before it is built."""

from __future__ import annotations

from xclare.graph.random_walk import LABELS_AT_ONCE
from xclare.graph.settings import GraphSettings

BYTES_TO_SPLIT_OFF_HEADS = 26
BYTES_BOTH_WAYS = 16
BYTES_A_ROW = 32
BYTES_A_STEP = 28
BYTES_GATHERED = 16
BYTES_NORMALISED = 56


def peak_bytes(documents: int, labels: int, pairs: int, settings: GraphSettings, workers: int = 1) -> int:
    """Bytes that `LabelGraph.build` by walks needs at its peak, beyond the targets that are given.

    The largest of

    - 26 a training pair: masks and sums while head labels are split off;
    - 16 a pair for both directions, 32 a document or label for where each begins, 28 a step of the walks that advance
      together in each worker, and 16 an edge while the chunks' rows are gathered;
    - 56 an edge: counts, filled diagonal, and the factors of the normalisation in float64.

    Edges are at most `edges_kept` + 1 a label; where all are kept, at most one a step.
    """
    most = settings.edges_kept(labels)
    edges = labels * min(labels, settings.walk_length, most + 1 if most else settings.walk_length)
    steps = workers * settings.walk_length * min(labels, LABELS_AT_ONCE)
    walking = BYTES_BOTH_WAYS * pairs + BYTES_A_ROW * (documents + labels) + BYTES_A_STEP * steps
    return max(BYTES_TO_SPLIT_OFF_HEADS * pairs, walking + BYTES_GATHERED * edges, BYTES_NORMALISED * edges)
