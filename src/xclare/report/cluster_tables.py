"""Clusters of labels as tables for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from xclare.clustering.comparison import LmiRow, SampleCluster
from xclare.clustering.meta_labels import MetaLabels
from xclare.report.tables import plain_table

MOST_NAMES = 8


def clusters_table(made: MetaLabels, name: str) -> Table:
    """How many clusters, and of what sizes."""
    table = plain_table(f"Clusters of the labels of {name}", "", "")
    sizes = made.sizes()
    for what, part in (("labels", sizes[: made.tail_clusters]), ("head labels", sizes[made.tail_clusters :])):
        table.add_row(f"clusters of {what}", f"{len(part):,}")
        if len(part):
            table.add_row(f"{what} a cluster", f"{part.min()} to {part.max()}")
    return table


def lmi_table(rows: Sequence[LmiRow]) -> Table:
    """The paper's table of lost mutual information: lower is better."""
    table = plain_table("Loss of mutual information in bits (lower is better)", "clusters", "of", "documents", "tokens")
    for row in rows:
        table.add_row(f"{row.clusters:,}", row.method, f"{row.documents:.3f}", f"{row.tokens:.3f}")
    return table


def sample_table(samples: Sequence[SampleCluster]) -> Table:
    """The clusters of some labels side by side, like the paper's figure of clusters."""
    table = plain_table("Sample clusters", "label", "clustered with, augmented by the graph", "clustered with, plain")
    for column in table.columns:
        column.no_wrap, column.justify, column.overflow = False, "left", "fold"
    for sample in samples:
        table.add_row(sample.label, _listed(sample.augmented), _listed(sample.plain))
        table.add_section()
    return table


def _listed(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMES
    return "\n".join([*names[:MOST_NAMES], *([f"and {more} more"] if more > 0 else [])])
