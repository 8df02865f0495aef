"""`xclare graph`: the label correlation graph alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from xclare.cli import options
from xclare.cli.terminal import print_json, print_table, print_text, verb


@verb
def graph(
    data: options.Data,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Save it (.npz, a csr).")] = None,
    counts: Annotated[bool, typer.Option("--counts", help="Save raw counts in place of the normalised graph.")] = False,
    method: Annotated[
        str | None, typer.Option("--method", help="`walk`, `exact`, `cooccurrence` or `ppr`. Default: walk.")
    ] = None,
    normalize: Annotated[
        str | None, typer.Option("--normalize", help="`symmetric` or `perron`. Default: symmetric.")
    ] = None,
    own: Annotated[
        Path | None,
        typer.Option(
            "--graph", metavar="FILE", help="A graph of your own: .npz, or a table `source`, `target`, `weight`."
        ),
    ] = None,
    show: Annotated[
        str | None, typer.Option("--show", metavar="LABEL", help="Print the neighbours of a label, by text or id.")
    ] = None,
    top_k: Annotated[int, typer.Option("--top-k", min=1, help="Neighbours to show.")] = 10,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw the label's neighbourhood (needs --show).")
    ] = None,
    seed: options.Seed = 0,
    device: options.Device = "cpu",
    *,
    common: options.Reading,
) -> None:
    """Infers the label graph from the training documents; saves it, describes it, shows a label's neighbours."""
    from xclare.errors import InputError
    from xclare.graph.label_graph import LabelGraph, find_label
    from xclare.graph.neighbourhood import neighbourhood
    from xclare.graph.own_graph import read_own_graph
    from xclare.report.graph_figure import neighbourhood_figure
    from xclare.report.graph_tables import graph_statistics_table, neighbours_table
    from xclare.report.plots import save_figure
    from xclare.text.features import with_features

    config = common.config(graph__method=method, graph__normalize=normalize)
    if plot is not None and show is None:
        raise InputError("--plot draws the neighbourhood of one label: name it with --show LABEL.")
    with common.at_work() as progress:
        dataset = common.load(data, config, progress)
        label = None if show is None else find_label(dataset.labels, show)
        vectors = None
        if config.graph.prune_below_cosine > -1:
            vectors = with_features(dataset, config.text, progress).labels.features
        built = LabelGraph.build(
            dataset,
            config.graph,
            seed=seed,
            device=options.device_of(device),
            label_vectors=vectors,
            own=None if own is None else read_own_graph(own, dataset.labels, progress),
            progress=progress,
        )
        if out is not None:
            built.save(out, counts=counts)
        if plot is not None and label is not None:
            around = neighbourhood(dataset.train.targets, label, config.graph, seed)
            shown = [dataset.labels.name_of(row) for row in around.labels.tolist()]
            save_figure(neighbourhood_figure(around, shown), plot)
    if common.json:
        found = [] if label is None else built.neighbours(label, top_k)
        names = [{"label": dataset.labels.name_of(at), "row": at, "weight": weight} for at, weight in found]
        print_json(built.statistics(dataset).as_dict() | ({} if label is None else {"neighbours": names}))
    elif label is not None:
        print_table(neighbours_table(built, dataset.labels, label, top_k))
    else:
        print_table(graph_statistics_table(built.statistics(dataset), dataset.name))
    if out is not None and not common.json:
        print_text(f"Wrote {out}.")
