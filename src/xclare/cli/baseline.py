"""`xclare baseline`: the three baselines anyone should beat."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from xclare.cli import options
from xclare.cli.terminal import print_json, print_table, verb


@verb
def baseline(
    name: Annotated[str, typer.Argument(metavar="NAME", help="`popularity`, `nearest-label` or `nearest-document`.")],
    data: options.Data,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Write the predictions too (.npz, .jsonl, .trec, also .gz)."),
    ] = None,
    top_k: Annotated[int | None, typer.Option("--top-k", min=1, help="Labels predicted for a document.")] = None,
    *,
    common: options.Reading,
) -> None:
    """Predicts the test documents' labels with a baseline and scores them."""
    from xclare.baselines import predict_baseline
    from xclare.evaluation import evaluate
    from xclare.evaluation.predictions import format_of, write_predictions
    from xclare.report.tables import metrics_table
    from xclare.text.features import with_features

    config = common.config(baselines__top_k=top_k)
    wanted_format = None if out is None else format_of(out)
    with common.at_work() as progress:
        dataset = common.load(data, config, progress)
        documents = dataset.test_or_refuse()
        if name != "popularity":
            dataset = with_features(dataset, config.text, progress)
        predictions = predict_baseline(name, dataset, config.baselines, progress)
        if out is not None and wanted_format is not None:
            write_predictions(out, predictions, documents, wanted_format)
        evaluation = evaluate(predictions, documents, dataset.train, settings=config.evaluation)
    if common.json:
        print_json({"baseline": name, **evaluation.as_dict()})
    else:
        print_table(metrics_table({name: evaluation}, title=f"{dataset.name}: {len(documents):,} test documents"))
