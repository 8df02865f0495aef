"""Arguments and options that mean the same in every verb. Importing this is cheap: the verbs load their work late."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from xclare.config import Config

Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="A folder or file in any supported layout, `related-packages`, or `shape:NAME[:SCALE]`.",
        show_default=False,
    ),
]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="SECTION.KEY=VALUE", help="Change one setting; may be repeated.", show_default=False),
]
Preset = Annotated[str, typer.Option("--preset", help="Named differences from the default settings.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no remarks, only results and errors.")]
Threads = Annotated[int | None, typer.Option("--threads", min=1, help="CPU threads to use. Default: all cores.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Everything random follows from it.")]
Device = Annotated[str, typer.Option("--device", help="`auto`, `cpu` or `cuda`; `cuda` needs PyTorch.")]
Split = Annotated[
    str | None,
    typer.Option(
        "--split", metavar="HOW", help="How a single file is split: `none`, `hash:0.2`, `time:0.2`, `time:DAY`."
    ),
]
Features = Annotated[
    Path | None,
    typer.Option("--features", metavar="FILE", help="Ready-made features (.npz) in place of the text's."),
]
LabelTexts = Annotated[
    Path | None,
    typer.Option("--label-texts", metavar="FILE", help="The texts of the labels, where the data names only ids."),
]


def device_of(name: str) -> str:
    """The device meant by `--device`: `auto` is the CPU, which nothing here is slower on than a copy to another."""
    from xclare.settings import check_choice

    check_choice("--device", name, ("auto", "cpu", "cuda"))
    return "cpu" if name == "auto" else name


def config_of(preset: str, assignments: list[str] | None, split: str | None = None) -> Config:
    """The settings of `--preset`, `--set` and `--split`."""
    from xclare.config import Config

    extra = [] if split is None else [f"data.split={split}"]
    return Config.of_preset(preset).with_assignments([*(assignments or []), *extra])
