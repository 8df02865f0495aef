"""The ledger of test scores: one JSON line a scored model, only ever appended to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

LEDGER = Path(__file__).parent / "results" / "ledger.jsonl"


def append(line: dict[str, Any]) -> None:
    """Adds a line."""
    with LEDGER.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line, ensure_ascii=False) + "\n")


def lines() -> list[dict[str, Any]]:
    """All lines, oldest first."""
    return [json.loads(line) for line in LEDGER.read_text(encoding="utf-8").splitlines()] if LEDGER.exists() else []


def peak_memory_gib(model: Path) -> float | None:
    """The most memory a model's training held, by its log."""
    log = model / "training.jsonl"
    found = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()] if log.exists() else []
    return next((line["peak_memory_gib"] for line in reversed(found) if line["event"] == "end"), None)


def training_seconds(model: Path) -> dict[str, float]:
    """How long the stages of a model's training took, by its log; stages of a run that was interrupted add up."""
    log, found = model / "training.jsonl", dict[str, float]()
    for line in map(json.loads, log.read_text(encoding="utf-8").splitlines() if log.exists() else ()):
        if line["event"] == "stage":
            found[line["stage"]] = round(found.get(line["stage"], 0) + line["took"], 1)
    return found
