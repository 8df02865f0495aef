"""Writes docs/results.md from the ledger of test scores, and scores the three baselines beside it where $XCLARE_DATA
has the data (results/baselines.json keeps them).

    python benchmarks/results_page.py
"""

from __future__ import annotations

import json
import os
import statistics
from collections import defaultdict
from pathlib import Path
from typing import Any

from ledger import lines
from machine import RESULTS

PAGE = Path(__file__).parents[1] / "docs" / "results.md"
METRICS = ("P@1", "P@3", "P@5", "PSP@1", "PSP@3", "PSP@5", "nDCG@5", "PSnDCG@5", "R@10", "R@100", "coverage@5")
AUTHORS = {
    "debian-deps-25k": {
        "P@1": 72.5,
        "P@3": 45.3,
        "P@5": 33.7,
        "PSP@1": 19.6,
        "PSP@3": 21.5,
        "PSP@5": 23.2,
        "R@10": 60.6,
    },
    "docs-seealso-titles-100k": {
        "P@1": 67.6,
        "P@3": 39.6,
        "P@5": 28.2,
        "PSP@1": 51.6,
        "PSP@3": 59.2,
        "PSP@5": 64.4,
        "R@10": 76.4,
    },
}
"""What the authors' program was measured at on the same ready-made features: one learner, batch 255, on a GPU."""


INTRODUCTION = """# Results

Test scores of models as `xclare train` saves them, on their default path, one learner each, filter applied, all in
percent: the mean, and the range over seeds. A line of `benchmarks/results/ledger.jsonl` has the commit, all settings,
the seed and the machine; `benchmarks/score_model.py` appends to it, and nothing else looks at test documents. Training
seconds are for scale: those of the machine named last, whatever else it was doing. This page is written by
`benchmarks/results_page.py`.
"""


def main() -> None:
    """Writes the page."""
    by_data: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in lines():
        by_data[line["data"]].append(line)
    parts = [INTRODUCTION]
    for data, found in sorted(by_data.items()):
        parts += [f"## {data}\n", *table(data, found)]
    machine = lines()[-1]["machine"]
    rows = [f"| {name.replace('_', ' ')} | {value} |" for name, value in machine.items()]
    parts += ["## Machine of the last line\n", "| | |", "|---|---|", *rows]
    PAGE.write_text("\n".join(parts) + "\n", encoding="utf-8")


def table(data: str, found: list[dict[str, Any]]) -> list[str]:
    """A row for every preset, batch size and kind of features, a row for every baseline."""
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = defaultdict(list)
    for line in found:
        settings = line["settings"]["training"]
        groups[(line["preset"], f"batch {settings['batch_size']}", line["features"], line["note"])].append(line)
    rows = ["| system | seeds | " + " | ".join(METRICS) + " | training s |", "|---" * (len(METRICS) + 3) + "|"]
    for key, group in groups.items():
        cells = [ranged([line["metrics"][metric] for line in group]) for metric in METRICS]
        seconds = statistics.mean(sum(line["training_seconds"].values()) for line in group)
        name = ", ".join(part for part in key if part not in ("-", ""))
        rows.append(f"| {name} | {len(group)} | {' | '.join(cells)} | {seconds:.0f} |")
    if data in AUTHORS:
        cells = [f"{AUTHORS[data][m]:.1f}" if m in AUTHORS[data] else "–" for m in METRICS]
        rows.append(f"| the authors' program | 1 | {' | '.join(cells)} | – |")
    for name, metrics in baselines(data).items():
        rows.append(f"| {name} | – | {' | '.join(f'{metrics[m]:.2f}' for m in METRICS)} | – |")
    stages = ("module I", "module II", "module IV")
    rows += [
        "",
        "| run | seed | " + " | ".join(f"{s}, s" for s in stages) + " | other, s | peak GiB |",
        "|---" * 7 + "|",
    ]
    for line in found:
        seconds, run = line["training_seconds"], f"{line['preset']}, {line['note']}"
        of_modules = [seconds.get(stage, 0.0) for stage in stages]
        other, peak = sum(seconds.values()) - sum(of_modules), line.get("peak_memory_gib") or "–"
        times = " | ".join(f"{value:.0f}" for value in [*of_modules, other])
        rows.append(f"| {run} | {line['seed']} | {times} | {peak} |")
    return [*rows, ""]


def ranged(values: list[float]) -> str:
    """The mean, and from where to where it goes."""
    mean = statistics.mean(values)
    return f"{mean:.2f}" if len(values) == 1 else f"{mean:.2f} ({min(values):.2f}–{max(values):.2f})"


def baselines(data: str) -> dict[str, dict[str, float]]:
    """The metrics of the three baselines."""
    path = RESULTS / "baselines.json"
    known: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if data not in known and (os.environ.get("XCLARE_DATA") or data.startswith(("related", "LF"))):
        known[data] = measured(data)
        path.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    return dict(known.get(data, {}))


def measured(data: str) -> dict[str, dict[str, float]]:
    """Scores the baselines on the data's ready-made features where it has some."""
    from xclare.baselines import BASELINES, predict_baseline
    from xclare.data.dataset import Dataset
    from xclare.evaluation import evaluate
    from xclare.text.features import with_features

    features = Path(os.environ.get("XCLARE_DATA", "")) / data / "features.npz"
    source = f"shape:{data}" if data.startswith("LF-") else data
    dataset = with_features(Dataset.load(source, features=features if features.exists() else None))
    return {
        name: evaluate(predict_baseline(name, dataset), dataset.test_or_refuse(), dataset.train).metrics
        for name in BASELINES
    }


if __name__ == "__main__":
    main()
