"""Results as tables for a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rich import box
from rich.table import Table

from xclare.data.statistics import Statistics

if TYPE_CHECKING:
    from xclare.diagnosis import Diagnosis
    from xclare.evaluation import Evaluation


def _table(title: str, *headings: str) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="left" if number == 0 else "right", no_wrap=number > 0)
    return table


def statistics_table(statistics: Statistics) -> Table:
    """One line a number, and below them what is odd."""
    table = _table(f"Data set {statistics.name}", "", "")
    for what, number in (
        ("training documents", f"{statistics.train_documents:,}"),
        ("test documents", f"{statistics.test_documents:,}"),
        ("labels", f"{statistics.labels:,}"),
        ("vocabulary", f"{statistics.vocabulary:,}"),
        ("labels a document", f"{statistics.labels_per_document:.2f}"),
        ("training documents a label", f"{statistics.documents_per_label:.2f}"),
        ("tokens a document", f"{statistics.tokens_per_document:.2f}"),
        ("tokens a label", f"{statistics.tokens_per_label:.2f}"),
        ("labels seen fewer than 5 times", f"{100 * statistics.share_of_labels_under_5:.1f} %"),
    ):
        table.add_row(what, number)
    if statistics.oddities:
        table.add_section()
    for what, count in statistics.oddities.items():
        table.add_row(what, f"{count:,}")
    return table


def metrics_table(evaluations: Mapping[str, Evaluation], title: str) -> Table:
    """A row a system, a column a metric; with the 95 % interval below a number where there is one."""
    names = list(next(iter(evaluations.values())).metrics)
    table = _table(title, "", *names)
    for system, evaluation in evaluations.items():
        table.add_row(system, *(f"{evaluation.metrics[name]:.2f}" for name in names))
        if evaluation.intervals:
            spans = (evaluation.intervals.get(name) for name in names)
            table.add_row("  95 %", *("" if span is None else f"{span[0]:.1f}–{span[1]:.1f}" for span in spans))
    return table


def bins_table(evaluations: Mapping[str, Evaluation]) -> Table:
    """What each of the five label-frequency bins contributes to P@k, from the rarest labels to the most popular."""
    bins = next(iter(evaluations.values())).bins
    headings = [f"{part.number}: {part.labels:,} labels" for part in bins]
    table = _table("Contributions to P@k, from the rarest labels (1) to the most popular (5)", "", *headings, "sum")
    for system, evaluation in evaluations.items():
        for name in evaluation.bins[0].contributions:
            shares = [part.contributions[name] for part in evaluation.bins]
            table.add_row(f"{system} {name}", *(f"{share:.2f}" for share in shares), f"{sum(shares):.2f}")
    return table


def diagnosis_table(diagnosis: Diagnosis) -> Table:
    """What is there, and the line that installs what is not."""
    table = _table(f"xclare {diagnosis.xclare}", "", "", "to install it")
    memory = "unknown" if diagnosis.memory_gib is None else f"{diagnosis.memory_gib} GiB"
    for what, value in (
        ("Python", f"{diagnosis.python} on {diagnosis.system}"),
        ("threads by default", str(diagnosis.cores)),
        ("memory", memory),
        ("XCLARE_DATA", diagnosis.data_folder or "not set"),
    ):
        table.add_row(what, value, "")
    table.add_section()
    for package in diagnosis.packages:
        table.add_row(package.name, package.version or "missing", package.install)
    return table
