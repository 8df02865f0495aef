"""`xclare stats`: the row of the paper's Table 1 for any data set, and everything odd about it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from xclare.cli import options
from xclare.cli.terminal import print_json, print_table, remarks_and_progress, verb


@verb
def stats(
    data: options.Data,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw the label-frequency figure (.svg, .png, .pdf).")
    ] = None,
    features: options.Features = None,
    label_texts: options.LabelTexts = None,
    split: options.Split = None,
    preset: options.Preset = "auto",
    settings: options.Set = None,
    threads: options.Threads = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """The size and shape of a data set, what is odd about it, and the label-frequency figure."""
    from xclare.data.dataset import Dataset
    from xclare.data.statistics import statistics_of
    from xclare.report.plots import label_frequency_figure, save_figure
    from xclare.report.tables import statistics_table
    from xclare.sparse import column_counts
    from xclare.text.features import with_features
    from xclare.threads import threads as limited_to

    config = options.config_of(preset, settings, split)
    with remarks_and_progress(quiet) as progress, limited_to(threads):
        dataset = Dataset.load(
            data, settings=config.data, features=features, label_texts=label_texts, progress=progress
        )
        if plot is not None:
            save_figure(label_frequency_figure({dataset.name: column_counts(dataset.train.targets)}), plot)
        statistics = statistics_of(with_features(dataset, config.text, progress))
    if json:
        print_json(statistics.as_dict())
    else:
        print_table(statistics_table(statistics))
