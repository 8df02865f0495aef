"""A model on disk, and as the arrays that predict: `config.json`, the tokenizer, weights, labels, metrics, a card."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from xclare.data.formats.npz import csr_as_arrays, csr_from_arrays
from xclare.equations.embedding_block import Residual
from xclare.equations.game import passing
from xclare.errors import InputError
from xclare.inference.ranker import Ranker
from xclare.inference.settings import GameSettings, PredictSettings
from xclare.inference.shortlister import Shortlister
from xclare.persistence.atomic import atomic_file
from xclare.persistence.tensors import INDEX_FILE, read_tensors, write_tensors
from xclare.sparse import Csr
from xclare.strings import Strings
from xclare.text.features import ARRAYS_FILE, TOKENIZER_FILE, TextFeatures

FORMAT = 1
CONFIG_FILE, METRICS_FILE, CARD_FILE, LOG_FILE = "config.json", "metrics.json", "README.md", "training.jsonl"
MODEL_FILES = (CONFIG_FILE, INDEX_FILE)
"""By these a folder is known to be a model."""
HALVED = ("token_embeddings", "classifiers", "refinement")
"""What `predict.weights` = float16 stores in half the bytes: everything as long as tokens, meta-labels or labels."""


@dataclass(frozen=True, eq=False)
class SavedModel:
    """Everything a model folder holds."""

    config: Mapping[str, Any]
    """All settings, as a tree, with every choice made."""
    about: Mapping[str, Any]
    """Seed, versions, sizes, and what the model was trained on."""
    embeddings: NDArray[np.float32]
    """E (tokens, D)."""
    shortlister: Shortlister
    ranker: Ranker
    cluster_of_label: NDArray[np.int32]
    meta_graph: Csr
    graph: Csr
    """G (labels x labels)."""
    label_counts: NDArray[np.int64]
    """(labels,) Training documents of every label."""
    component_strengths: NDArray[np.float32]
    """(labels, n) Attention weight times norm of every component of a classifier."""
    label_side: Mapping[str, NDArray[np.float32]]
    """The blocks of LTE and GALE, the attention block, and refinement vectors: what classifiers were fused from."""
    label_texts: Strings | None
    label_ids: Strings | None
    text: TextFeatures | None
    """None where the model was trained on ready-made features."""
    metrics: Mapping[str, Any] = field(default_factory=dict)

    @property
    def labels(self) -> int:
        """L."""
        return len(self.label_counts)

    def predicting_by(self, settings: PredictSettings) -> SavedModel:
        """The same model with other settings of prediction."""
        orientation = self.config["game"]["orientation"]
        passes = passing(self.graph, orientation) if settings.mix else None
        ranker = dataclasses.replace(self.ranker, passes=passes, settings=settings)
        config = {**self.config, "predict": dataclasses.asdict(settings)}
        return dataclasses.replace(self, config=config, ranker=ranker)

    def save(self, folder: Path) -> None:
        """Writes everything into an existing, empty folder."""
        write_tensors(folder, self._arrays())
        if self.text is not None:
            self.text.save(folder)
        whole = {"format": FORMAT, "about": dict(self.about), "config": dict(self.config)}
        for name, content in (
            (CONFIG_FILE, json.dumps(whole, indent=2)),
            (METRICS_FILE, json.dumps(dict(self.metrics), indent=2)),
            (CARD_FILE, model_card(self)),
        ):
            with atomic_file(folder / name) as file:
                file.write((content.rstrip("\n") + "\n").encode())

    def _arrays(self) -> dict[str, NDArray[Any]]:
        arrays: dict[str, NDArray[Any]] = {"token_embeddings": self.embeddings}
        for name, part in (("shortlister", self.shortlister), ("ranker", self.ranker)):
            arrays |= {f"{name}.residual": part.residual.matrix, f"{name}.classifiers": part.classifiers}
            arrays |= {} if part.residual.shift is None else {f"{name}.shift": part.residual.shift}
            arrays |= {} if part.bias is None else {f"{name}.bias": part.bias}
        arrays |= {f"label_side.{name}": array for name, array in self.label_side.items()}
        arrays |= {"cluster_of_label": self.cluster_of_label, "label_counts": self.label_counts}
        arrays["component_strengths"] = self.component_strengths
        arrays |= csr_as_arrays(self.meta_graph, "meta_graph.") | csr_as_arrays(self.graph, "graph.")
        for name, strings in (("texts", self.label_texts), ("ids", self.label_ids)):
            if strings is not None:
                arrays |= {f"labels.{name}": strings.blob, f"labels.{name}_offsets": strings.offsets}
        if self.config["predict"]["weights"] == "float16":
            arrays = {k: v.astype(np.float16) if k.endswith(HALVED) else v for k, v in arrays.items()}
        return arrays

    @classmethod
    def load(cls, path: str | Path) -> SavedModel:
        """Reads a model folder; refuses one that is not whole, or of a format this version does not know."""
        folder = Path(path)
        whole = _read_json(folder, CONFIG_FILE)
        if whole.get("format") != FORMAT:
            found, hint = f"format {whole.get('format')!r}", "Install the version of xclare that wrote it."
            raise InputError.at(folder / CONFIG_FILE, found=found, expected=f"format {FORMAT}", hint=hint)
        arrays = {
            key: array.astype(np.float32) if array.dtype == np.float16 else array
            for key, array in read_tensors(folder).items()
        }
        reads_text = any((folder / name).exists() for name in (TOKENIZER_FILE, ARRAYS_FILE))
        text = TextFeatures.load(folder) if reads_text else None
        try:
            return cls._of(folder, whole, arrays, text)
        except (KeyError, TypeError, ValueError) as error:
            hint = "Copy or train the model again."
            raise InputError.at(
                folder, found=f"a damaged model ({error!r})", expected="a whole one", hint=hint
            ) from error

    @classmethod
    def _of(cls, folder: Path, whole: Any, arrays: dict[str, NDArray[Any]], text: TextFeatures | None) -> SavedModel:
        config = whole["config"]
        game, predict = GameSettings(**config["game"]), PredictSettings(**config["predict"])
        cluster_of_label = arrays["cluster_of_label"]
        meta_graph = csr_from_arrays(arrays, folder, "meta_graph.")
        graph = csr_from_arrays(arrays, folder, "graph.")
        return cls(
            config=config,
            about=whole["about"],
            embeddings=arrays["token_embeddings"],
            shortlister=Shortlister(
                *_stage(arrays, "shortlister"),
                members_of(cluster_of_label, meta_graph.shape[0]),
                passing(meta_graph, game.orientation) if game.mix else None,
                game.beam,
                game.keep,
                game.mix,
            ),
            ranker=Ranker(
                *_stage(arrays, "ranker"),
                passing(graph, game.orientation) if predict.mix else None,
                game.beam,
                predict,
            ),
            cluster_of_label=cluster_of_label,
            meta_graph=meta_graph,
            graph=graph,
            label_counts=arrays["label_counts"],
            component_strengths=arrays["component_strengths"],
            label_side={k.removeprefix("label_side."): v for k, v in arrays.items() if k.startswith("label_side.")},
            label_texts=_strings(arrays, "texts"),
            label_ids=_strings(arrays, "ids"),
            text=text,
            metrics=_read_json(folder, METRICS_FILE),
        )


def members_of(cluster_of_label: NDArray[np.int32], clusters: int) -> Csr:
    """M transposed (clusters x labels), ones: the labels of every cluster, ascending."""
    order = np.argsort(cluster_of_label, kind="stable")
    ends = np.concatenate([[0], np.cumsum(np.bincount(cluster_of_label, minlength=clusters))])
    return csr_array((np.ones(len(order), np.float32), order, ends), shape=(clusters, len(order)))


def model_card(model: SavedModel) -> str:
    """The card of a model, in Markdown: what it is, what it was trained on, how good it was found to be."""
    about = model.about
    lines = [
        f"# An xclare model for {about['data']}",
        "",
        f"Extreme classification of short texts (ECLARE), preset `{model.config['preset']}`, seed {about['seed']}, "
        f"xclare {about['xclare']}.",
        "",
        "| | |",
        "|---|---|",
        *(f"| {what.replace('_', ' ')} | {value:,} |" for what, value in about["sizes"].items()),
        "",
        "Predict with `xclare predict MODEL`, or in Python:",
        "",
        "```python",
        "from xclare import Eclare",
        "",
        'model = Eclare.from_pretrained("path of this folder")',
        'print(model.predict("a text", k=5))',
        "```",
    ]
    for part, metrics in model.metrics.items():
        lines += ["", f"## On {part} documents, in percent", "", "| | |", "|---|---|"]
        lines += [f"| {name} | {value:.2f} |" for name, value in metrics.items() if "@" in name]
    return "\n".join(lines) + "\n"


def _stage(arrays: dict[str, NDArray[Any]], name: str) -> tuple[Residual, NDArray[Any], NDArray[Any] | None]:
    residual = Residual(arrays[f"{name}.residual"], arrays.get(f"{name}.shift"))
    return residual, arrays[f"{name}.classifiers"], arrays.get(f"{name}.bias")


def _strings(arrays: dict[str, NDArray[Any]], name: str) -> Strings | None:
    if f"labels.{name}" not in arrays:
        return None
    return Strings(arrays[f"labels.{name}"], arrays[f"labels.{name}_offsets"])


def _read_json(folder: Path, name: str) -> Any:
    path = folder / name
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(
            f"{path} does not exist: {folder} is no model folder. Train one: xclare train --help"
        ) from None
    except ValueError as error:
        raise InputError.at(path, found=f"no JSON ({error})", expected="what was saved") from error
    if not isinstance(found, dict):
        raise InputError.at(path, found="other JSON", expected="an object")
    return found
