"""`xclare evaluate`: scores a model, or any system's output."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from xclare.cli import options
from xclare.cli.terminal import print_json, print_table, verb


@verb
def evaluate(
    data: options.Data,
    predictions: Annotated[
        Path | None,
        typer.Option(
            "--predictions", metavar="FILE", help="A csr (.npz), JSON lines, or a TREC run file; gzipped or not."
        ),
    ] = None,
    model: Annotated[
        Path | None, typer.Option("--model", metavar="FOLDER", help="A model to predict the test documents with.")
    ] = None,
    bootstrap: Annotated[
        int, typer.Option("--bootstrap", min=0, help="Resamplings for 95 % intervals over documents, e.g. 1000.")
    ] = 0,
    propensity_a: Annotated[
        float | None, typer.Option("--propensity-a", help="A of the propensity model. Default: 0.55.")
    ] = None,
    propensity_b: Annotated[
        float | None, typer.Option("--propensity-b", help="B of the propensity model. Default: 1.5.")
    ] = None,
    search: options.Search = None,
    seed: options.Seed = 0,
    *,
    common: options.Reading,
) -> None:
    """Precision, propensity-scored precision, nDCG, recall and coverage of a model, or of any system's predictions, on
    the test documents."""
    from xclare.errors import InputError
    from xclare.evaluation import evaluate as score
    from xclare.evaluation.predictions import read_predictions
    from xclare.inference.scoring import predictions_of_model
    from xclare.report.tables import bins_table, metrics_table

    config = common.config(evaluation__propensity_a=propensity_a, evaluation__propensity_b=propensity_b)
    if (predictions is None) == (model is None):
        raise InputError("Give what is to be scored: --model FOLDER or --predictions FILE, one of them.")
    if search is not None and model is None:
        raise InputError("--search is for a model: give --model FOLDER.")
    with common.at_work() as progress:
        dataset = common.load(data, config, progress)
        documents = dataset.test_or_refuse()
        if model is not None:
            name, scores = (
                model.name,
                predictions_of_model(common.predictor(model), documents, search=search, progress=progress),
            )
        elif predictions is not None:
            name, scores = predictions.name, read_predictions(predictions, documents, progress)
        evaluation = score(scores, documents, dataset.train, settings=config.evaluation, bootstrap=bootstrap, seed=seed)
    if common.json:
        print_json(evaluation.as_dict())
        return
    title = f"{dataset.name}: {len(documents):,} test documents"
    print_table(metrics_table({name: evaluation}, title=title), bins_table({name: evaluation}))
