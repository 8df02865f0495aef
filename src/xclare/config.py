"""All settings in one frozen tree: the packages own their sections, this module composes them.

A preset is a set of named differences from the defaults. Unknown keys are refused with the nearest valid name, and a
configuration survives the way through JSON unchanged.
"""

from __future__ import annotations

import dataclasses
import difflib
import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, get_type_hints

from xclare.baselines.settings import BaselineSettings
from xclare.clustering.settings import ClusteringSettings
from xclare.data.settings import DataSettings
from xclare.errors import SettingError, shown
from xclare.evaluation.settings import EvaluationSettings
from xclare.graph.settings import GraphSettings
from xclare.inference.settings import GameSettings, PredictSettings
from xclare.model.settings import ModelSettings
from xclare.text.settings import TextSettings
from xclare.training.settings import TrainingSettings

_PAPER: Mapping[str, Mapping[str, Any]] = {
    "text": {"stop_words": "english"},
    "model": {"label_bias": False, "attention_sigmoid": True},
    "training": {
        "epochs_1": 20,
        "epochs_2": 10,
        "epochs_4": 10,
        "batch_size": 255,
        "schedule": "halving",
        "warmup": 0.0,
        "negatives": "shortlist",
    },
    "predict": {"search": "shortlist", "mix": 1.0, "cluster_scores": True},
}
"""docs/preset_paper.md quotes the paper on each."""

_WITHOUT_GRAPH: Mapping[str, Mapping[str, Any]] = {
    **_PAPER,
    "clustering": {"method": "plain"},
    "model": {**_PAPER["model"], "order": 0},
    "training": {**_PAPER["training"], "refinement_start": "text"},
    "game": {"mix": 0.0},
    "predict": {**_PAPER["predict"], "mix": 0.0},
}

PRESETS: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "auto": {},
    "paper": _PAPER,
    # What the authors' published program does; beam and learning rates stand in training/sizes.py.
    "reference": {
        "text": {"stop_words": "none"},
        "graph": {"max_edges": 10, "prune_below_cosine": 0.0},
        "clustering": {
            "dimensions": 0,
            "top_features": 1000,
            "meta_text": "unit",
            "meta_graph": "counts",
            "meta_edges": 10,
        },
        "model": {
            **_PAPER["model"],
            "attention_sigmoid": False,
            "attention_layer_normalized": True,
            "attention_shift": True,
            "block_shift": True,
        },
        "training": {
            **_PAPER["training"],
            "loss": "mean",
            "optimizer": "row_adam",
            "negatives": "shortlist+graph",
            "fine_tune": False,
        },
        "game": {"mix": 0.5, "keep": 2, "orientation": "columns"},
        "predict": {
            **_PAPER["predict"],
            "game": "after_product",
            "mix": 0.5,
            "outside_shortlist": True,
        },
    },
    # ECLARE without the label graph: DECAF's ideas in this program.
    "decaf": _WITHOUT_GRAPH,
    # And without label text: Astec's. Classifiers are free vectors from the first module on.
    "astec-like": {
        **_WITHOUT_GRAPH,
        "model": {**_WITHOUT_GRAPH["model"], "label_text": False},
        "training": {**_WITHOUT_GRAPH["training"], "refinement_start": "zero", "refinement_in_module_1": True},
    },
}
"""The named differences of every preset from the defaults."""


@dataclass(frozen=True)
class Config:
    """Every setting there is, by section."""

    preset: str = "auto"
    """The preset that the sections began from."""
    data: DataSettings = field(default_factory=DataSettings)
    """How data is read."""
    text: TextSettings = field(default_factory=TextSettings)
    """How texts become features."""
    graph: GraphSettings = field(default_factory=GraphSettings)
    """The label correlation graph."""
    clustering: ClusteringSettings = field(default_factory=ClusteringSettings)
    """The meta-labels."""
    model: ModelSettings = field(default_factory=ModelSettings)
    """What a document and a label are made of."""
    training: TrainingSettings = field(default_factory=TrainingSettings)
    """How the modules are trained."""
    game: GameSettings = field(default_factory=GameSettings)
    """The shortlister."""
    predict: PredictSettings = field(default_factory=PredictSettings)
    """From a document's embeddings to its labels."""
    baselines: BaselineSettings = field(default_factory=BaselineSettings)
    """The three baselines."""
    evaluation: EvaluationSettings = field(default_factory=EvaluationSettings)
    """Which metrics are computed, and how."""

    @classmethod
    def of_preset(cls, name: str = "auto") -> Config:
        """The configuration of a preset."""
        if name not in PRESETS:
            raise SettingError(f"preset {name!r} is unknown{_nearest(name, PRESETS)}")
        return cls.from_dict({"preset": name, **PRESETS[name]})

    @classmethod
    def from_dict(cls, tree: Mapping[str, Any]) -> Config:
        """The configuration of a nested mapping as `to_dict` gives it; what it does not name has its default."""
        config = cls()
        for section, values in tree.items():
            if section == "preset":
                config = dataclasses.replace(config, preset=str(values))
                continue
            if not isinstance(values, Mapping):
                raise SettingError(f"section {section!r}: found {shown(values)}, expected keys and values.")
            for key, value in values.items():
                config = config.replaced(f"{section}.{key}", value)
        return config

    def to_dict(self) -> dict[str, Any]:
        """Nested plain values, for JSON."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, text: str) -> Config:
        """Reads what `to_json` wrote."""
        try:
            tree = json.loads(text)
        except json.JSONDecodeError as error:
            raise SettingError(f"configuration, line {error.lineno}: {error.msg}; expected JSON.") from None
        if not isinstance(tree, dict):
            raise SettingError(f"configuration: found {shown(tree)}, expected an object of sections.")
        return cls.from_dict(tree)

    def to_json(self) -> str:
        """The configuration as indented JSON."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)

    def replaced(self, name: str, value: Any) -> Config:
        """This configuration with one setting changed. `value` is of the setting's type, or the text of one."""
        section, _, key = name.partition(".")
        sections = [item.name for item in dataclasses.fields(self) if item.name != "preset"]
        if section not in sections:
            known = [known for known in sections_and_keys(self) if known.endswith(f".{key or section}")]
            hint = f"; did you mean {known[0]}?" if known else _nearest(section, sections)
            raise SettingError(f"setting {name!r}: there is no section {section!r}{hint}")
        part = getattr(self, section)
        hints = get_type_hints(type(part))
        if key not in hints:
            raise SettingError(f"setting {name!r}: section {section!r} has no {key!r}{_nearest(key, hints)}")
        converted = _converted(name, value, hints[key])
        return dataclasses.replace(self, **{section: dataclasses.replace(part, **{key: converted})})

    def with_assignments(self, assignments: Iterable[str]) -> Config:
        """This configuration with every `section.key=value` applied, in order."""
        config = self
        for assignment in assignments:
            name, separator, value = assignment.partition("=")
            if not separator:
                raise SettingError(f"--set {assignment}: expected section.key=value, for instance data.split=hash:0.1")
            config = config.replaced(name.strip(), value)
        return config


def sections_and_keys(config: Config) -> list[str]:
    """Every setting's full name."""
    return [
        f"{section.name}.{item.name}"
        for section in dataclasses.fields(config)
        if dataclasses.is_dataclass(part := getattr(config, section.name))
        for item in dataclasses.fields(part)
    ]


def _nearest(name: str, valid: Collection[str]) -> str:
    close = difflib.get_close_matches(name, list(valid), n=1)
    if close:
        return f"; did you mean {close[0]!r}?"
    return f"; expected one of {', '.join(sorted(valid))}."


def _converted(name: str, value: Any, wanted: Any) -> Any:
    """`value` as a `wanted` (str, int, float, bool, tuple of str or int), or an error that says what was expected."""
    try:
        if wanted is bool:
            return _boolean(value)
        if wanted is int:
            return _whole_number(value)
        if wanted is float:
            if isinstance(value, bool):
                raise ValueError
            return float(value)
        if wanted is str:
            if not isinstance(value, str):
                raise ValueError
            return value
        item = wanted.__args__[0]  # tuple[item, ...]
        parts = [part for part in value.split(",") if part] if isinstance(value, str) else list(value)
        return tuple(_converted(name, part.strip() if isinstance(part, str) else part, item) for part in parts)
    except (ValueError, TypeError):
        kinds = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}
        expected = kinds.get(wanted, "a list separated by commas")
        raise SettingError(f"{name} = {shown(value)}: expected {expected}.") from None


def _boolean(value: Any) -> bool:
    words = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in words:
        return words[value.lower()]
    raise ValueError


def _whole_number(value: Any) -> int:
    if isinstance(value, bool) or (isinstance(value, float) and not value.is_integer()):
        raise ValueError
    return int(value)
