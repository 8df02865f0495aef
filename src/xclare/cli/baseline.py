"""`xclare baseline`: the three baselines anyone should beat."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from xclare.cli import options
from xclare.cli.terminal import print_json, print_table, remarks_and_progress, verb


@verb
def baseline(
    name: Annotated[str, typer.Argument(metavar="NAME", help="`popularity`, `nearest-label` or `nearest-document`.")],
    data: options.Data,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Write the predictions too (.npz, .jsonl, .trec, also .gz)."),
    ] = None,
    top_k: Annotated[int | None, typer.Option("--top-k", min=1, help="Labels predicted for a document.")] = None,
    features: options.Features = None,
    label_texts: options.LabelTexts = None,
    split: options.Split = None,
    preset: options.Preset = "auto",
    settings: options.Set = None,
    threads: options.Threads = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Predicts the test documents' labels with a baseline and scores them."""
    from xclare.baselines import predict_baseline
    from xclare.data.dataset import Dataset
    from xclare.evaluation import evaluate
    from xclare.evaluation.predictions import format_of, write_predictions
    from xclare.report.tables import metrics_table
    from xclare.text.features import with_features
    from xclare.threads import threads as limited_to

    config = options.config_of(preset, settings, split)
    if top_k is not None:
        config = config.replaced("baselines.top_k", top_k)
    wanted_format = None if out is None else format_of(out)
    with remarks_and_progress(quiet) as progress, limited_to(threads):
        dataset = Dataset.load(
            data, settings=config.data, features=features, label_texts=label_texts, progress=progress
        )
        documents = dataset.test_or_refuse()
        if name != "popularity":
            dataset = with_features(dataset, config.text, progress)
        predictions = predict_baseline(name, dataset, config.baselines, progress)
        if out is not None and wanted_format is not None:
            write_predictions(out, predictions, documents, wanted_format)
        evaluation = evaluate(predictions, documents, dataset.train, settings=config.evaluation)
    if json:
        print_json({"baseline": name, **evaluation.as_dict()})
    else:
        print_table(metrics_table({name: evaluation}, title=f"{dataset.name}: {len(documents):,} test documents"))
