"""`xclare demo`: the bundled data set, end to end."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xclare.cli import options
from xclare.cli.terminal import print_json, print_remark, print_table, print_text, verb

if TYPE_CHECKING:
    from xclare.training.prepared import Prepared

SAMPLES = ("text editor for programmers", "mail server with spam filter", "python library for plotting", "music player")


@verb
def demo(
    model: Annotated[Path, typer.Option("--model", metavar="FOLDER", help="Where the model will be.")] = Path(
        "xclare-demo"
    ),
    retrain: Annotated[bool, typer.Option("--retrain", help="Train again, also where the model is there.")] = False,
    seed: options.Seed = 0,
    device: options.Device = "auto",
    *,
    common: options.Common,
) -> None:
    """The bundled data set (Debian packages and the packages related to them): trains a model, compares it with three
    baselines, and shows predictions. A second run reuses the model."""
    from xclare.baselines import BASELINES, predict_baseline
    from xclare.data.dataset import Dataset
    from xclare.data.statistics import statistics_of
    from xclare.estimator import plan, prepare, refuse_place, save_model, train, work_folder
    from xclare.evaluation import evaluate
    from xclare.inference.predictor import Predictor
    from xclare.inference.scoring import predictions_of_model
    from xclare.report.model_tables import examples_table, plan_table
    from xclare.report.tables import metrics_table, statistics_table
    from xclare.text.features import with_features

    config = common.config(training__stop_after=4)
    refuse_place(model, overwrite=True)
    with common.at_work() as progress:
        dataset = Dataset.load("related-packages", settings=config.data, progress=progress)
        documents = dataset.test_or_refuse()
        prepared = prepare(dataset, config, seed=seed, device=device, progress=progress)
        reused = not retrain and is_model_of(model, prepared)
        if not reused:
            if not common.quiet:
                print_remark(plan_table(plan(prepared), model))
            made = train(prepared, work_folder(model), progress)
            assert made is not None
            save_model(made, model, overwrite=True, workspace=work_folder(model))
        predictor = Predictor.load(model)
        featured = with_features(dataset, config.text, progress)
        predictions = {name: predict_baseline(name, featured, config.baselines, progress) for name in BASELINES}
        predictions["xclare"] = predictions_of_model(predictor, documents, progress=progress)
        evaluations = {
            name: evaluate(scores, documents, dataset.train, settings=config.evaluation)
            for name, scores in predictions.items()
        }
        examples = dict(zip(SAMPLES, predictor.predict(list(SAMPLES), 3), strict=True))
    if common.json:
        scores = {name: evaluation.as_dict() for name, evaluation in evaluations.items()}
        ours = scores.pop("xclare")
        about = {"statistics": statistics_of(featured).as_dict(), "baselines": scores, "xclare": ours}
        print_json({**about, "model": str(model), "reused": reused})
        return
    title = f"{dataset.name}: {len(documents):,} test documents, in percent"
    print_table(
        statistics_table(statistics_of(featured)), metrics_table(evaluations, title=title), examples_table(examples)
    )
    kept = " (trained before: --retrain trains again)" if reused else ""
    print_text(f"The model is {model}{kept}. Try: echo 'video editor' | xclare predict {model}")


def is_model_of(folder: Path, prepared: Prepared) -> bool:
    """Whether a model in the folder was trained on the same data with the same settings, seed and version."""
    from xclare.errors import InputError
    from xclare.inference.model_folder import SavedModel

    try:
        found = SavedModel.load(folder)
    except InputError:
        return False
    same_training = found.about.get("fingerprint") == prepared.fingerprint
    return same_training and found.config["predict"] == prepared.config.to_dict()["predict"]
