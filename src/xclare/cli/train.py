"""`xclare train`: Modules I to IV."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from xclare.cli import options
from xclare.cli.terminal import print_json, print_remark, print_table, print_text, verb


@verb
def train(
    data: options.Data,
    model: Annotated[Path, typer.Option("--model", metavar="FOLDER", help="Where the model will be.")],
    graph: Annotated[
        Path | None,
        typer.Option(
            "--graph", metavar="FILE", help="A graph of your own: .npz, or a table `source`, `target`, `weight`."
        ),
    ] = None,
    validation: Annotated[
        float | None,
        typer.Option(
            "--validation", metavar="SHARE", help="Hold out this share of the training documents, and score it."
        ),
    ] = None,
    stop_after: Annotated[
        int | None, typer.Option("--stop-after", min=1, max=4, help="Stop after this module; run again to go on.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a model that is there, once done.")] = False,
    seed: options.Seed = 0,
    device: options.Device = "auto",
    *,
    common: options.Reading,
) -> None:
    """Trains a model: token embeddings, shortlister, initialisation, classifiers.

    The results of finished modules are kept beside the model until it is done: a run that was interrupted goes on after
    them when it is started again with the same data, settings and seed.
    """
    from xclare.estimator import plan, prepare, refuse_place, save_model, work_folder
    from xclare.estimator import train as fit
    from xclare.graph.own_graph import read_own_graph
    from xclare.report.model_tables import metrics_of_parts, model_table, plan_table

    config = common.config(training__validation=validation, training__stop_after=stop_after)
    refuse_place(model, overwrite=overwrite)
    workspace = work_folder(model)
    with common.at_work() as progress:
        dataset = common.load(data, config, progress)
        own = None if graph is None else read_own_graph(graph, dataset.labels, progress)
        prepared = prepare(dataset, config, seed=seed, device=device, own_graph=own, progress=progress)
        if not common.quiet:
            print_remark(plan_table(plan(prepared), model))
        made = fit(prepared, workspace, progress)
        if made is not None:
            save_model(made, model, overwrite=overwrite, workspace=workspace)
    if made is None:
        stopped = f"Stopped after Module {config.training.stop_after}; its result is in {workspace}."
        if common.json:
            print_json({"model": None, "workspace": str(workspace), "finished": config.training.stop_after})
        else:
            print_text(f"{stopped} Run the command again without --stop-after to go on.")
        return
    if common.json:
        print_json({"model": str(model), "about": dict(made.about), "metrics": dict(made.metrics)})
        return
    print_table(model_table(made), *metrics_of_parts(made))
    print_text(f"Wrote {model}. Try: xclare predict {model}")
