"""`xclare inspect`: what a model is."""

from __future__ import annotations

from xclare.cli import options
from xclare.cli.terminal import print_json, print_table, verb


@verb
def inspect(model: options.Model, settings: options.Settings = False, json: options.Json = False) -> None:
    """Sizes, settings and metrics of a model, and how its classifiers weigh their components by label popularity."""
    from xclare.inference.model_folder import SavedModel
    from xclare.inference.strengths import strengths_by_popularity
    from xclare.report.model_tables import metrics_of_parts, model_table, settings_table, strengths_table

    saved = SavedModel.load(model)
    rows = strengths_by_popularity(saved)
    if json:
        about = {"about": dict(saved.about), "config": dict(saved.config), "metrics": dict(saved.metrics)}
        print_json(about | {"components": [row.as_dict() for row in rows]})
        return
    shown = [settings_table(saved)] if settings else []
    print_table(model_table(saved), strengths_table(rows), *metrics_of_parts(saved), *shown)
