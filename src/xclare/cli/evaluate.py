"""`xclare evaluate`: scores any system's output."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from xclare.cli import options
from xclare.cli.terminal import print_json, print_table, remarks_and_progress, verb


@verb
def evaluate(
    data: options.Data,
    predictions: Annotated[
        Path,
        typer.Option(
            "--predictions", metavar="FILE", help="A csr (.npz), JSON lines, or a TREC run file; gzipped or not."
        ),
    ],
    bootstrap: Annotated[
        int, typer.Option("--bootstrap", min=0, help="Resamplings for 95 % intervals over documents, e.g. 1000.")
    ] = 0,
    propensity_a: Annotated[
        float | None, typer.Option("--propensity-a", help="A of the propensity model. Default: 0.55.")
    ] = None,
    propensity_b: Annotated[
        float | None, typer.Option("--propensity-b", help="B of the propensity model. Default: 1.5.")
    ] = None,
    features: options.Features = None,
    label_texts: options.LabelTexts = None,
    split: options.Split = None,
    preset: options.Preset = "auto",
    settings: options.Set = None,
    seed: options.Seed = 0,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Precision, propensity-scored precision, nDCG, recall and coverage of predictions for the test documents."""
    from xclare.data.dataset import Dataset
    from xclare.evaluation import evaluate as score
    from xclare.evaluation.predictions import read_predictions
    from xclare.report.tables import bins_table, metrics_table

    config = options.config_of(preset, settings, split)
    for key, value in (("propensity_a", propensity_a), ("propensity_b", propensity_b)):
        if value is not None:
            config = config.replaced(f"evaluation.{key}", value)
    with remarks_and_progress(quiet) as progress:
        dataset = Dataset.load(
            data, settings=config.data, features=features, label_texts=label_texts, progress=progress
        )
        documents = dataset.test_or_refuse()
        scores = read_predictions(predictions, documents, progress)
        evaluation = score(scores, documents, dataset.train, settings=config.evaluation, bootstrap=bootstrap, seed=seed)
    if json:
        print_json(evaluation.as_dict())
        return
    title = f"{dataset.name}: {len(documents):,} test documents"
    print_table(metrics_table({predictions.name: evaluation}, title=title), bins_table({predictions.name: evaluation}))
