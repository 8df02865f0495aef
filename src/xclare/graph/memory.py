"""How much memory building the graph takes, before it is built."""

from __future__ import annotations

from xclare.graph.random_walk import COUNTED_AT_ONCE, LABELS_AT_ONCE
from xclare.graph.settings import GraphSettings

BYTES_TO_SPLIT_OFF_HEADS = 26
BYTES_BOTH_WAYS = 16
BYTES_A_ROW = 32
BYTES_A_STEP, BYTES_A_STEP_KEPT, BYTES_A_STEP_COUNTED = 14, 5, 28
BYTES_GATHERED = 16
BYTES_NORMALISED = 56


def peak_bytes(documents: int, labels: int, pairs: int, settings: GraphSettings, workers: int = 1) -> int:
    """Bytes that `LabelGraph.build` by walks needs at its peak, beyond the targets that are given.

    The largest of

    - 26 a training pair: masks and sums while head labels are split off;
    - 16 a pair for both directions, 32 a document or label for where each begins, in each worker 14 a step of the walks
      that advance together (or 5 once they have, and 28 of those counted together), and 16 an edge while the chunks'
      rows are gathered;
    - 56 an edge: counts, filled diagonal, and the factors of the normalisation in float64.

    Edges are at most `edges_kept` + 1 a label; where all are kept, at most one a step.
    """
    most = settings.edges_kept(labels)
    edges = labels * min(labels, settings.walk_length, most + 1 if most else settings.walk_length)
    together, counted = min(labels, LABELS_AT_ONCE), min(labels, COUNTED_AT_ONCE)
    a_step = max(BYTES_A_STEP * together, BYTES_A_STEP_KEPT * together + BYTES_A_STEP_COUNTED * counted)
    walking = BYTES_BOTH_WAYS * pairs + BYTES_A_ROW * (documents + labels) + workers * settings.walk_length * a_step
    return max(BYTES_TO_SPLIT_OFF_HEADS * pairs, walking + BYTES_GATHERED * edges, BYTES_NORMALISED * edges)
