"""`xclare clusters`: the labels in balanced clusters, and how much they lose."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from xclare.cli import options
from xclare.cli.terminal import print_json, print_table, print_text, verb


@verb
def clusters(
    data: options.Data,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Save `cluster_of_label` (.npz).")] = None,
    samples: Annotated[int, typer.Option("--samples", min=0, help="Sample clusters to show side by side.")] = 3,
    compare: Annotated[
        bool, typer.Option("--compare/--no-compare", help="The table of lost mutual information, at two fan-outs.")
    ] = True,
    graph: Annotated[
        Path | None, typer.Option("--graph", metavar="FILE", help="A label graph saved by `xclare graph --out`.")
    ] = None,
    seed: options.Seed = 0,
    device: options.Device = "cpu",
    *,
    common: options.Reading,
) -> None:
    """Makes meta-labels, and compares graph-augmented, plain and random clusters by lost mutual information."""
    from dataclasses import asdict

    from xclare.clustering.comparison import Comparison, fan_outs
    from xclare.graph.label_graph import LabelGraph
    from xclare.report.cluster_tables import clusters_table, lmi_table, sample_table
    from xclare.text.features import with_features

    config = common.config()
    place = options.device_of(device)
    with common.at_work() as progress:
        dataset = common.load(data, config, progress)
        train = with_features(dataset, config.text, progress).train
        if graph is None:
            built = LabelGraph.build(train, config.graph, seed=seed, device=place, progress=progress)
        else:
            built = LabelGraph.load(graph)
        comparison = Comparison(
            train, built.matrix, config.clustering, config.graph.head_threshold, seed, place, progress
        )
        made = comparison.clusters(config.clustering.method, config.clustering.clusters)
        if out is not None:
            made.save(out, config.clustering, seed)
        rows = comparison.table(fan_outs(config.clustering, len(dataset.labels))) if compare else []
        shown = comparison.samples(samples) if samples else []
    if common.json:
        sizes = {"tail_clusters": made.tail_clusters, "head_clusters": made.head_clusters}
        print_json(sizes | {"lmi": [asdict(row) for row in rows], "samples": [asdict(pair) for pair in shown]})
        return
    print_table(clusters_table(made, dataset.name))
    if rows:
        print_table(lmi_table(rows))
    if shown:
        print_table(sample_table(shown))
    if out is not None:
        print_text(f"Wrote {out}.")
