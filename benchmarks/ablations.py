"""Each claim of the paper by its switch, on validation documents held out of the training set: no graph, no LTE, no
refinement vectors, a sum in place of attention, refinement vectors started with E Z in place of G E Z.

    python benchmarks/ablations.py DATA [--features FILE] [--share-of-labels 0.33] [--set section.key=value ...]

Variants that the results have already, of the same settings, are not run again.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from machine import RESULTS, describe, write_results
from xclare.config import Config
from xclare.data.dataset import Dataset
from xclare.estimator import prepare, train
from xclare.randomness import drawn, keys
from xclare.sparse import row_counts

VARIANTS = {
    "paper": [],
    "no graph (but GALE)": [
        "clustering.method=plain",
        "game.mix=0",
        "predict.mix=0",
        "training.refinement_start=text",
    ],
    "no LTE": ["model.label_text=false"],
    "no refinement vectors": ["model.refinement=false"],
    "sum in place of attention": ["model.combination=sum"],
    "refinement from EZ, not GEZ": ["training.refinement_start=text"],
}
SHOWN = ("P@1", "P@5", "PSP@1", "PSP@5", "nDCG@5", "R@10", "R@100")


def main() -> None:
    """Runs what is missing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("--features", type=Path)
    parser.add_argument("--preset", default="paper")
    parser.add_argument("--share-of-labels", type=float, default=1.0)
    parser.add_argument("--validation", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--set", action="append", default=[], dest="settings")
    arguments = parser.parse_args()
    dataset = with_share_of_labels(Dataset.load(arguments.data, features=arguments.features), arguments.share_of_labels)
    name = f"ablations_{dataset.name}"
    common = [*arguments.settings, f"training.validation={arguments.validation}"]
    about = {"preset": arguments.preset, "settings": common, "seed": arguments.seed}
    about |= {"share_of_labels": arguments.share_of_labels, "labels": len(dataset.labels)}
    found: dict[str, Any] = earlier(name, about)
    for variant, settings in VARIANTS.items():
        if variant not in found:
            config = Config.of_preset(arguments.preset).with_assignments([*common, *settings])
            begin = time.perf_counter()
            model = train(prepare(Dataset(dataset.train), config, seed=arguments.seed))
            assert model is not None
            seconds = round(time.perf_counter() - begin, 1)
            found[variant] = {"settings": settings, "seconds": seconds, "metrics": model.metrics["validation"]}
        rows = [(what, described(entry, found["paper"])) for what, entry in found.items()]
        title = f"Ablations on validation documents of {dataset.name}: {', '.join(SHOWN)} (difference from the first)"
        write_results(name, {"machine": describe("torch"), "about": about, "variants": found}, title, rows)


def described(entry: dict[str, Any], full: dict[str, Any]) -> str:
    """The metrics of a variant, and how far they are from those of the first."""
    parts = []
    for metric in SHOWN:
        value, base = entry["metrics"][metric], full["metrics"][metric]
        parts.append(f"{value:.2f}" + ("" if entry is full else f" ({value - base:+.2f})"))
    return " | ".join(parts)


def earlier(name: str, about: dict[str, Any]) -> dict[str, Any]:
    """The variants that were run before in the same way."""
    path = RESULTS / f"{name}.json"
    if not path.exists():
        return {}
    results = json.loads(path.read_text(encoding="utf-8"))
    return dict(results["variants"]) if results["about"] == about else {}


def with_share_of_labels(dataset: Dataset, share: float) -> Dataset:
    """The data with a random share of its labels, chosen by a hash of their numbers, and the training documents that
    have one of them."""
    if share >= 1:
        return dataset
    train_part = dataset.train
    order = np.argsort(drawn(keys(0, np.arange(len(dataset.labels))), 0), kind="stable")
    chosen = np.zeros(len(dataset.labels), bool)
    chosen[order[: round(share * len(chosen))]] = True
    labels = dataset.labels.take(chosen)
    excluded = None if train_part.excluded is None else train_part.excluded[:, chosen]
    targets = train_part.targets[:, chosen]
    documents = dataclasses.replace(train_part, targets=targets, labels=labels, excluded=excluded)
    return Dataset(documents.take(row_counts(targets) > 0), None, f"{dataset.name}-third")


if __name__ == "__main__":
    main()
