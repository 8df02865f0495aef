"""`xclare predict`: labels for texts."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from xclare.cli import options
from xclare.cli.terminal import print_text, verb


@verb
def predict(
    model: options.Model,
    source: Annotated[
        Path | None,
        typer.Argument(
            metavar="INPUT",
            help="Lines of text, a table with a column of texts, or a csr of features (.npz). Default: standard input.",
            show_default=False,
        ),
    ] = None,
    top_k: Annotated[int, typer.Option("--top-k", "-k", min=1, help="Labels of a document.")] = 5,
    format: Annotated[str, typer.Option("--format", help="`text`, `jsonl`, `npz` or `trec`.")] = "text",  # noqa: A002
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write to a file.")] = None,
    threshold: Annotated[float, typer.Option("--threshold", help="Leave out labels that score lower.")] = 0.0,
    allow: Annotated[
        Path | None, typer.Option("--allow", metavar="FILE", help="Only labels of this file: texts or ids, one a line.")
    ] = None,
    deny: Annotated[Path | None, typer.Option("--deny", metavar="FILE", help="No labels of this file.")] = None,
    search: options.Search = None,
    *,
    common: options.Common,
) -> None:
    """Predicts the labels of texts, best first, each with its score."""
    from xclare.evaluation.predictions import write_predictions
    from xclare.evaluation.predictions.jsonl import encoded_lines
    from xclare.inference.documents import read_documents, read_label_rows
    from xclare.inference.output import check_output, text_lines
    from xclare.persistence.atomic import atomic_file

    config = common.config()
    format = "jsonl" if common.json else format  # noqa: A001
    check_output(format, out)
    with common.at_work() as progress:
        predictor = common.predictor(model)
        saved = predictor.model
        documents = read_documents(source, sys.stdin.buffer, saved, config.data, progress)
        chosen = predictor.chosen_labels(
            None if allow is None else read_label_rows(allow, saved),
            None if deny is None else read_label_rows(deny, saved),
        )
        features = predictor.features_of(documents, progress)
        scores = predictor.scores(features, top_k, search=search, chosen=chosen, threshold=threshold, progress=progress)
        if format == "text":
            lines = text_lines(predictor, documents, scores)
            if out is None:
                for line in lines:
                    print_text(line)
            else:
                with atomic_file(out) as file:
                    file.writelines(f"{line}\n".encode() for line in lines)
        elif out is None:
            sys.stdout.buffer.writelines(encoded_lines(scores, documents))
            sys.stdout.buffer.flush()
        else:
            write_predictions(out, scores, documents, format)
