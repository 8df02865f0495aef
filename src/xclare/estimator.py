"""`Eclare`: training and prediction as a scikit-learn estimator."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from scipy.sparse import issparse

from xclare.config import Config, sections_and_keys
from xclare.data.dataset import Dataset, Documents
from xclare.errors import InputError, MissingExtraError, SettingError, XclareError
from xclare.evaluation import evaluate
from xclare.inference.model_folder import LOG_FILE, MODEL_FILES, SavedModel
from xclare.inference.predictor import Predictor
from xclare.persistence.atomic import atomic_folder, refuse_taken
from xclare.progress import SILENT, Progress
from xclare.sparse import Csr, as_csr
from xclare.threads import threads as threads_limited

if TYPE_CHECKING:
    from xclare.training.plan import Plan
    from xclare.training.prepared import Prepared


class Eclare:
    """ECLARE as an estimator: `fit`, `predict`, `predict_scores`.

    `preset` and `settings` (as `graph__walk_length=200`) are those of `xclare train`. Training needs PyTorch; a saved
    model predicts without."""

    def __init__(
        self, preset: str = "auto", *, seed: int = 0, device: str = "auto", threads: int | None = None, **settings: Any
    ) -> None:
        self.preset, self.seed, self.device, self.threads = preset, seed, device, threads
        self.settings = settings
        self.config()

    def config(self) -> Config:
        """The settings, checked."""
        config = Config.of_preset(self.preset)
        for name, value in self.settings.items():
            config = config.replaced(name.replace("__", ".", 1), value)
        return config

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters, as scikit-learn asks for them."""
        own = ("preset", "seed", "device", "threads")
        return {name: getattr(self, name) for name in own} | self.settings

    def set_params(self, **changes: Any) -> Self:
        """Changes parameters; nothing is changed where one of them is refused."""
        own = {name: changes.pop(name) for name in ("preset", "seed", "device", "threads") if name in changes}
        known = {name.replace(".", "__", 1) for name in sections_and_keys(Config())}
        if unknown := sorted(set(changes) - known):
            raise SettingError(f"{unknown[0]!r} is no parameter: expected one such as graph__walk_length.")
        parameters: dict[str, Any] = self.get_params() | own | changes
        changed = type(self)(**parameters)
        self.__dict__.update(changed.__dict__)
        return self

    def fit(
        self,
        data: Dataset | Documents | Sequence[str],
        labels: Sequence[Iterable[int | str]] | None = None,
        label_texts: Sequence[str] | None = None,
        *,
        progress: Progress = SILENT,
    ) -> Self:
        """Trains on a data set's training documents, or on texts with their `labels`: texts, or numbers of
        `label_texts`."""
        if not isinstance(data, Dataset | Documents):
            if labels is None:
                raise InputError("fit was given texts but no labels: expected a list of labels for every text.")
            data = Dataset.from_lists(data, labels, label_texts)
        elif labels is not None or label_texts is not None:
            raise InputError("fit was given a data set and labels too: choose one.")
        with threads_limited(self.threads):
            prepared = prepare(data, self.config(), seed=self.seed, device=self.device, progress=progress)
            model = train(prepared, progress=progress)
        if model is None:
            raise SettingError("training.stop_after ends before Module IV: there is no model. Use `xclare train`.")
        self.predictor_ = Predictor(model)
        return self

    @property
    def model_(self) -> SavedModel:
        """What was trained or loaded."""
        return self._fitted().model

    def predict(self, texts: str | Sequence[str], k: int = 5) -> Any:
        """The `k` best labels with their scores, best first: a list for one text, a list of lists for many."""
        predictor = self._fitted()
        with threads_limited(self.threads):
            found = predictor.predict(texts, k)
        return found[0] if isinstance(texts, str) else found

    def predict_scores(self, documents: Sequence[str] | Csr, k: int = 100) -> Csr:
        """(documents x labels) The scores of the `k` best labels of every document, given as texts or as a csr of
        features."""
        predictor = self._fitted()
        with threads_limited(self.threads):
            features = as_csr(documents) if issparse(documents) else predictor.features(documents)
            return predictor.scores(features, k)

    def save_pretrained(self, folder: str | Path, *, overwrite: bool = False) -> None:
        """Writes the model folder; it appears whole or not at all."""
        save_model(self.model_, folder, overwrite=overwrite)

    @classmethod
    def from_pretrained(cls, folder: str | Path, *, threads: int | None = None) -> Eclare:
        """An estimator with a saved model. Its settings are the model's."""
        predictor = Predictor.load(folder)
        tree = predictor.model.config
        config = Config.from_dict(tree)
        base = Config.of_preset(config.preset)
        differing = {
            name.replace(".", "__", 1): _value(config, name)
            for name in sections_and_keys(config)
            if _value(config, name) != _value(base, name)
        }
        found = cls(config.preset, seed=int(predictor.model.about["seed"]), threads=threads, **differing)
        found.predictor_ = predictor
        return found

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.settings.items())
        return f"Eclare({self.preset!r}, seed={self.seed}{', ' + given if given else ''})"

    def _fitted(self) -> Predictor:
        if "predictor_" not in self.__dict__:
            raise XclareError("This Eclare has no model yet: call fit, or Eclare.from_pretrained.")
        return self.predictor_


def prepare(data: Dataset | Documents, config: Config, **options: Any) -> Prepared:
    """`training.prepared.prepare`; without PyTorch, an error that says how to install it."""
    try:
        from xclare.training import prepared
    except ImportError as error:
        if error.name != "torch":
            raise
        raise MissingExtraError("Training", "train") from None
    return prepared.prepare(data, config, **options)


def plan(prepared: Prepared) -> Plan:
    """`training.plan.plan_of`: what `train` is about to do."""
    from xclare.training.plan import plan_of

    return plan_of(prepared)


def train(prepared: Prepared, workspace: Path | None = None, progress: Progress = SILENT) -> SavedModel | None:
    """`training.pipeline.train_model`, and the metrics of the documents that were held out."""
    from xclare.training.pipeline import train_model

    model = train_model(prepared, workspace, progress)
    if model is None or prepared.held_out is None:
        return model
    documents = prepared.held_out
    assert documents.features is not None
    scores = Predictor(model).scores(documents.features, progress=progress)
    found = evaluate(scores, documents, prepared.train, settings=prepared.config.evaluation)
    return dataclasses.replace(model, metrics={"validation": found.as_dict()})


def work_folder(model: Path) -> Path:
    """Where the modules' results are kept until the model is done: beside it."""
    return model.with_name(f"{model.name}.training")


def save_model(
    model: SavedModel, folder: str | Path, *, overwrite: bool = False, workspace: Path | None = None
) -> None:
    """Writes a model folder; with the log of the `workspace` it was trained in, which is then removed."""
    refuse_place(Path(folder), overwrite=overwrite)
    log = None if workspace is None else workspace / LOG_FILE
    with atomic_folder(folder, overwrite=overwrite) as temporary:
        model.save(temporary)
        if log is not None and log.exists():
            (temporary / LOG_FILE).write_bytes(log.read_bytes())
    if workspace is not None:
        shutil.rmtree(workspace, ignore_errors=True)


def refuse_place(folder: Path, *, overwrite: bool) -> None:
    """Refuses a place for a model where something is already, unless it is a model to be overwritten: nothing else is
    ever removed."""
    refuse_taken(folder, overwrite=overwrite)
    if folder.is_dir() and any(folder.iterdir()) and not all((folder / name).exists() for name in MODEL_FILES):
        raise InputError(f"{folder} holds something that is no model. Choose another name or remove it first.")


def _value(config: Config, name: str) -> Any:
    section, _, key = name.partition(".")
    return getattr(getattr(config, section), key)
