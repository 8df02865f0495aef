"""Tables about models: what is about to be trained, what a model is, what its classifiers are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table

from xclare.inference.model_folder import SavedModel
from xclare.inference.strengths import Strengths
from xclare.report.tables import plain_table

if TYPE_CHECKING:
    from xclare.training.plan import Plan


def plan_table(plan: Plan, model: Path) -> Table:
    """What a run is about to do, and where its result will be."""
    table = plain_table(f"About to train on {plan.data}", "", "")
    held_out = f", {plan.held_out:,} held out" if plan.held_out else ""
    epochs = " / ".join(map(str, plan.epochs))
    for what, value in (
        ("preset, seed", f"{plan.preset}, {plan.seed}"),
        ("device, precision", f"{plan.device}, {plan.precision}"),
        ("training documents", f"{plan.documents:,}{held_out}"),
        ("labels, meta-labels", f"{plan.labels:,}, {plan.clusters:,}"),
        ("tokens x dimension", f"{plan.tokens:,} x {plan.dimension}"),
        ("batch size, negatives", f"{plan.batch_size:,}, {plan.negatives}"),
        ("epochs of Modules I / II / IV", epochs),
        ("expected memory", f"{plan.memory_gib:.1f} GiB"),
        ("the model will be", str(model)),
    ):
        table.add_row(what, value)
    return table


def model_table(model: SavedModel) -> Table:
    """What a model was made of and with."""
    about, config = model.about, model.config
    table = plain_table(f"A model for {about['data']}", "", "")
    for what, count in about["sizes"].items():
        table.add_row(what.replace("_", " "), f"{count:,}")
    table.add_row("dimension", str(config["model"]["dimension"]))
    table.add_row("preset, seed", f"{config['preset']}, {about['seed']}")
    table.add_row("search", config["predict"]["search"])
    table.add_row("reads", "ready-made features" if model.text is None else "text")
    table.add_row("trained by", f"xclare {about['xclare']}, torch {about['torch']}, {config['training']['precision']}")
    return table


def strengths_table(rows: Sequence[Strengths]) -> Table:
    """Attention weight times norm of every component, from the rarest labels to the most popular."""
    names = list(rows[0].components) if rows else []
    table = plain_table(
        "Attention weight x norm, from the rarest labels (1) to the most popular (5)", "", "labels", *names
    )
    for row in rows:
        table.add_row(str(row.bin), f"{row.labels:,}", *(f"{value:.3f}" for value in row.components.values()))
    return table


def metrics_of_parts(model: SavedModel) -> list[Table]:
    """The metrics that are saved with a model, a table for each part of the data."""
    tables = []
    for part, metrics in model.metrics.items():
        table = plain_table(f"{part.capitalize()} documents, in percent", "", "")
        for name, value in metrics.items():
            if "@" in name:
                table.add_row(name, f"{value:.2f}")
        tables.append(table)
    return tables


def settings_table(model: SavedModel) -> Table:
    """Every setting of a model."""
    table = plain_table("Settings", "", "")
    for section, values in model.config.items():
        for name, value in values.items() if isinstance(values, dict) else ():
            table.add_row(f"{section}.{name}", str(value))
    return table


def examples_table(examples: Mapping[str, Sequence[tuple[str, float]]]) -> Table:
    """Texts with their predicted labels."""
    table = plain_table("Predictions", "text", "score", "label")
    table.columns[2].justify = "left"
    for text, found in examples.items():
        for number, (label, score) in enumerate(found):
            table.add_row("" if number else text, f"{score:.3f}", label)
    return table
