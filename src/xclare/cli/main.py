"""The command `xclare`: its verbs, and nothing else."""

from __future__ import annotations

from typing import Annotated

import typer

from xclare.cli.baseline import baseline
from xclare.cli.clusters import clusters
from xclare.cli.convert import convert
from xclare.cli.demo import demo
from xclare.cli.doctor import doctor
from xclare.cli.evaluate import evaluate
from xclare.cli.graph import graph
from xclare.cli.inspect import inspect
from xclare.cli.predict import predict
from xclare.cli.stats import stats
from xclare.cli.terminal import print_text
from xclare.cli.train import train
from xclare.version import __version__

app = typer.Typer(
    name="xclare",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Extreme classification of short texts: a title or query in, the few right labels out of millions.",
    epilog="Example: xclare demo",
)

for function, example in (
    (demo, "xclare demo"),
    (stats, "xclare stats related-packages"),
    (convert, "xclare convert queries.csv folder/ --to xc-raw"),
    (baseline, "xclare baseline nearest-label related-packages --out predictions.npz"),
    (evaluate, "xclare evaluate related-packages --predictions predictions.npz"),
    (graph, "xclare graph related-packages --show vim"),
    (clusters, "xclare clusters related-packages --out clusters.npz"),
    (train, "xclare train related-packages --model my-model"),
    (predict, "echo 'text editor' | xclare predict my-model"),
    (inspect, "xclare inspect my-model"),
    (doctor, "xclare doctor"),
):
    app.command(epilog=f"Example: {example}", no_args_is_help=function not in (demo, doctor))(function)


def _version(wanted: bool) -> None:
    if wanted:
        print_text(__version__)
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    pass


def run() -> None:
    """Runs the command line; the entry point of the command `xclare`."""
    app(prog_name="xclare")
