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


WIDEST_TITLE = 78


def plain_table(title: str, *headings: str) -> Table:
    """An empty table in the style of all tables; without headings it has no head."""
    table = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        min_width=min(len(title), WIDEST_TITLE),
        show_header=any(headings),
    )
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="left" if number == 0 else "right", no_wrap=number > 0)
    return table


def statistics_table(statistics: Statistics) -> Table:
    """One line a number, and below them what is odd."""
    table = plain_table(f"Data set {statistics.name}", "", "")
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
    """A row a metric, a column a system; the 95 % interval behind a number where there is one."""
    table = plain_table(title, "", *evaluations)
    family = None
    for name in next(iter(evaluations.values())).metrics:
        if family not in (None, name.partition("@")[0]):
            table.add_section()
        family = name.partition("@")[0]
        table.add_row(name, *(_with_interval(evaluation, name) for evaluation in evaluations.values()))
    return table


def _with_interval(evaluation: Evaluation, name: str) -> str:
    number = f"{evaluation.metrics[name]:.2f}"
    if name not in evaluation.intervals:
        return number
    low, high = evaluation.intervals[name]
    return f"{number} ({low:.2f} to {high:.2f})"


def bins_table(evaluations: Mapping[str, Evaluation]) -> Table:
    """What each of the five label-frequency bins contributes to P@k, from the rarest labels to the most popular."""
    bins = next(iter(evaluations.values())).bins
    headings = [f"{part.number}: {part.labels:,} labels" for part in bins]
    table = plain_table(
        "Contributions to P@k, from the rarest labels (1) to the most popular (5)", "", *headings, "sum"
    )
    for system, evaluation in evaluations.items():
        for name in evaluation.bins[0].contributions:
            shares = [part.contributions[name] for part in evaluation.bins]
            table.add_row(f"{system} {name}", *(f"{share:.2f}" for share in shares), f"{sum(shares):.2f}")
    return table


def diagnosis_table(diagnosis: Diagnosis) -> Table:
    """What is there, and the line that installs what is not."""
    table = plain_table(f"xclare {diagnosis.xclare}", "", "", "to install it")
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
