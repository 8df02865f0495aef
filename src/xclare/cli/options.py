"""Arguments and options that mean the same in every verb. Importing this is cheap: the verbs load their work late."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xclare.cli.terminal import remarks_and_progress

if TYPE_CHECKING:
    from xclare.config import Config
    from xclare.data.dataset import Dataset
    from xclare.inference.predictor import Predictor
    from xclare.progress import Progress

Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="A folder or file in any supported layout, `related-packages`, or `shape:NAME[:SCALE]`.",
        show_default=False,
    ),
]
Model = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A model folder, as `xclare train` writes it.", show_default=False)
]
Search = Annotated[
    str | None,
    typer.Option("--search", help="`shortlist` or `exact`, in place of the model's own.", show_default=False),
]
Settings = Annotated[bool, typer.Option("--settings", help="Show every setting too.")]
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
    """Where kernels run: `auto` is the CPU, since walks and clusters take seconds there and torch may be missing."""
    from xclare.settings import check_choice

    check_choice("--device", name, ("auto", "cpu", "cuda"))
    return "cpu" if name == "auto" else name


@dataclass(frozen=True, kw_only=True)
class Common:
    """Options of every verb that computes something. A parameter of this type stands for all of them (see `verb`)."""

    preset: Preset = "auto"
    settings: Set = None
    threads: Threads = None
    json: Json = False
    quiet: Quiet = False

    def config(self, **changes: object) -> Config:
        """The settings of `--preset` and `--set`, then `changes`: `section__key=value`, left as it is where None."""
        from xclare.config import Config

        config = Config.of_preset(self.preset).with_assignments(self.settings or [])
        for name, value in changes.items():
            if value is not None:
                config = config.replaced(name.replace("__", ".", 1), value)
        return config

    def predictor(self, model: Path) -> Predictor:
        """The predictor of a model folder, with every `--set predict.…` applied."""
        from xclare.config import Config
        from xclare.errors import SettingError
        from xclare.inference.model_folder import SavedModel
        from xclare.inference.predictor import Predictor

        saved = SavedModel.load(model)
        for assignment in self.settings or []:
            section = assignment.strip().partition(".")[0]
            if section not in ("predict", "data", "evaluation"):
                raise SettingError(f"--set {assignment}: this is fixed in a model. Only predict.… can be set for it.")
        changes = [assignment for assignment in self.settings or [] if assignment.strip().startswith("predict.")]
        if changes:
            saved = saved.predicting_by(Config.from_dict(saved.config).with_assignments(changes).predict)
        return Predictor(saved)

    @contextmanager
    def at_work(self) -> Iterator[Progress]:
        """Within the block: remarks and progress as `--quiet` says, threads as `--threads` says."""
        from xclare.threads import threads

        with remarks_and_progress(self.quiet) as progress, threads(self.threads):
            yield progress


@dataclass(frozen=True, kw_only=True)
class Reading(Common):
    """Options of every verb that reads data."""

    features: Features = None
    label_texts: LabelTexts = None
    split: Split = None

    def config(self, **changes: object) -> Config:
        """The settings, with `--split` among them."""
        return super().config(data__split=self.split, **changes)

    def load(self, data: str, config: Config, progress: Progress) -> Dataset:
        """The data set."""
        from xclare.data.dataset import Dataset

        return Dataset.load(
            data, settings=config.data, features=self.features, label_texts=self.label_texts, progress=progress
        )
