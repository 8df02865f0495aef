"""`xclare convert`: from any layout to any other."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from xclare.cli import options
from xclare.cli.terminal import print_json, print_text, verb


@verb
def convert(
    source: Annotated[str, typer.Argument(metavar="SRC", help="The data: whatever `xclare stats` reads.")],
    target: Annotated[Path, typer.Argument(metavar="DST", help="A new folder.")],
    to: Annotated[
        str,
        typer.Option(
            "--to",
            help="Layout to write: `xc-raw`, `xc-sparse`, `xc-npz`, `attention-xml`; records as `jsonl`, `csv`, `tsv`, "
            "`parquet`; logs as `log-jsonl`, `log-csv`, `log-tsv`, `log-parquet`. `.gz` behind xc-raw, jsonl, csv, tsv "
            "packs the files.",
        ),
    ] = "xc-raw",
    *,
    common: options.Reading,
) -> None:
    """Converts data between all supported layouts, and says what the new one cannot carry.

    A layout of features (xc-sparse, xc-npz) gets them made from the text where there are none yet.
    """
    from xclare.data.layouts import layout_of
    from xclare.text.features import with_features

    config = common.config()
    layout = layout_of(to)
    with common.at_work() as progress:
        dataset = common.load(source, config, progress)
        if layout.features_only:
            dataset = with_features(dataset, config.text, progress)
        lost = dataset.save(target, to, progress=progress)
    if common.json:
        print_json({"written": str(target), "layout": to, "not_carried": lost})
        return
    print_text(f"Wrote {target} ({to}): {len(dataset.train)} training documents, {len(dataset.labels)} labels.")
    for sentence in lost:
        print_text(f"Not carried: {sentence}")
