"""The label graph as tables for a terminal."""

from __future__ import annotations

from rich.table import Table

from xclare.data.dataset import Labels
from xclare.graph.label_graph import GraphStatistics, LabelGraph
from xclare.report.tables import plain_table


def graph_statistics_table(statistics: GraphStatistics, name: str) -> Table:
    """One line a number."""
    quantiles = ", ".join(f"{q}: {degree}" for q, degree in statistics.degree_quantiles.items())
    table = plain_table(f"Label graph of {name}", "", "")
    for what, number in (
        ("labels", f"{statistics.labels:,}"),
        ("head labels, cut off", f"{statistics.head_labels:,}"),
        ("labels without neighbours", f"{statistics.isolated_labels:,}"),
        ("edges", f"{statistics.edges:,}"),
        ("edges from a label", f"{statistics.degree_mean:.1f}"),
        ("edges from a label, quantiles", quantiles),
        ("edges between labels that share no document", f"{100 * statistics.share_not_co_occurring:.1f} %"),
        ("components", f"{statistics.components:,}"),
        ("labels in the largest component", f"{statistics.largest_component:,}"),
    ):
        table.add_row(what, number)
    return table


def neighbours_table(graph: LabelGraph, labels: Labels, label: int, shown: int) -> Table:
    """The strongest neighbours of a label, with their weight in G and the visits behind it."""
    row = graph.counts[[label]].toarray().ravel() if graph.counts.nnz else None
    table = plain_table(f"Neighbours of {labels.name_of(label)}", "", "weight in G", "visits")
    for neighbour, weight in graph.neighbours(label, shown):
        visits = "" if row is None else f"{row[neighbour]:,.0f}"
        table.add_row(labels.name_of(neighbour), f"{weight:.4f}", visits)
    if not table.row_count:
        table.add_row("none: it is a head label, or shares no document with another label", "", "")
    return table
