"""Scores a saved model on the test documents of a data set, on its default path, and appends a line to the ledger:
every metric, the commit, all settings, the seed, the machine. The one place where models meet test documents.

    python benchmarks/score_model.py MODEL DATA [--features FILE] [--note TEXT]
"""

from __future__ import annotations

import argparse
import dataclasses
import datetime
import json
import time
from pathlib import Path
from typing import Any

from ledger import LEDGER, append, peak_memory_gib, training_seconds
from machine import describe
from xclare.config import Config
from xclare.data.dataset import Dataset
from xclare.evaluation import evaluate
from xclare.inference.predictor import Predictor
from xclare.inference.scoring import predictions_of_model


def main() -> None:
    """Scores one model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("data")
    parser.add_argument("--features", type=Path)
    parser.add_argument("--note", default="")
    arguments = parser.parse_args()
    line = scored(arguments.model, arguments.data, arguments.features, arguments.note)
    append(line)
    shown = {name: round(value, 2) for name, value in line["metrics"].items()}
    print(json.dumps(shown, indent=1), f"appended to {LEDGER}", sep="\n")


def scored(model: Path, data: str, features: Path | None, note: str) -> dict[str, Any]:
    """The ledger's line of a model."""
    predictor = Predictor.load(model)
    config = Config.from_dict(predictor.model.config)
    dataset = Dataset.load(data, settings=config.data, features=features)
    documents = dataset.test_or_refuse()
    begin = time.perf_counter()
    scores = predictions_of_model(predictor, documents)
    seconds = time.perf_counter() - begin
    found = evaluate(scores, documents, dataset.train, settings=config.evaluation)
    machine = describe("torch")
    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "data": dataset.name,
        "part": "test",
        "features": "ready-made" if predictor.model.text is None else "text",
        "preset": config.preset,
        "seed": predictor.model.about["seed"],
        "note": note,
        "metrics": found.metrics,
        "documents": found.documents,
        "documents_without_truth": found.documents_without_truth,
        "bins": [dataclasses.asdict(part) for part in found.bins],
        "training_seconds": training_seconds(model),
        "peak_memory_gib": peak_memory_gib(model),
        "prediction_seconds": round(seconds, 1),
        "settings": config.to_dict(),
        "sizes": predictor.model.about["sizes"],
        "commit": machine.pop("commit"),
        "machine": machine,
    }


if __name__ == "__main__":
    main()
