"""`xclare stats`: the row of the paper's Table 1 for any data set, and everything odd about it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from xclare.cli import options
from xclare.cli.terminal import print_json, print_table, verb


@verb
def stats(
    data: options.Data,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw the label-frequency figure (.svg, .png, .pdf).")
    ] = None,
    *,
    common: options.Reading,
) -> None:
    """The size and shape of a data set, what is odd about it, and the label-frequency figure."""
    from xclare.data.statistics import statistics_of
    from xclare.report.plots import label_frequency_figure, save_figure
    from xclare.report.tables import statistics_table
    from xclare.sparse import column_counts
    from xclare.text.features import with_features

    config = common.config()
    with common.at_work() as progress:
        dataset = common.load(data, config, progress)
        if plot is not None:
            save_figure(label_frequency_figure({dataset.name: column_counts(dataset.train.targets)}), plot)
        statistics = statistics_of(with_features(dataset, config.text, progress))
    if common.json:
        print_json(statistics.as_dict())
    else:
        print_table(statistics_table(statistics))
