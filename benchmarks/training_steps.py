"""How much of a training step is bare matrix products: Modules I, II and IV on a data set, a few steps each, and the
products of the same steps in the same precision, timed in the same run.

    python benchmarks/training_steps.py DATA [--features FILE] [--preset paper] [--batch-size 4096] [--steps 8]
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from machine import describe, write_results
from xclare.config import Config
from xclare.data.dataset import Dataset
from xclare.estimator import prepare
from xclare.training import loop, pipeline
from xclare.training.step import Problem, Step, labels_at_once

LIMITS = {"I": 6.0, "II": 6.0}


def main() -> None:
    """Times every module, and writes the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("--features", type=Path)
    parser.add_argument("--preset", default="paper")
    parser.add_argument("--batch-size", type=int, default=4096)
    parser.add_argument("--steps", type=int, default=8)
    arguments = parser.parse_args()
    settings = [f"training.batch_size={arguments.batch_size}", "model.dimension=300"]
    settings += [f"training.epochs_{module}=1" for module in (1, 2, 4)]
    config = Config.of_preset(arguments.preset).with_assignments(settings)
    dataset = Dataset.load(arguments.data, features=arguments.features)
    found = {}
    for negatives in (config.training.negatives, "all"):
        prepared = prepare(dataset, config.replaced("training.negatives", negatives))
        with timed_steps(arguments.steps) as seconds:
            pipeline.train_model(prepared)
        for module, (of_steps, products) in seconds.items():
            name = module if module != "IV" else f"IV, negatives: {negatives}"
            found[name] = {"step": of_steps, "products": products, "ratio": of_steps / products}
    rows = [
        (f"Module {name}", f"{row['step']:.3f} s a step, {row['products']:.3f} s of products: {row['ratio']:.1f} times")
        for name, row in found.items()
    ]
    results = {"machine": describe("torch"), "precision": prepared.config.training.precision, "modules": found}
    title = f"A training step against its bare matrix products ({arguments.preset}, batch {arguments.batch_size})"
    write_results(f"training_steps_{dataset.name}", results, title, rows)
    missed = [name for name, limit in LIMITS.items() if found[name]["ratio"] > limit]
    shortlist, everything = (found[f"IV, negatives: {how}"]["step"] for how in (config.training.negatives, "all"))
    if missed or shortlist > everything:
        raise SystemExit(f"over the limit: {', '.join(missed) or 'Module IV on shortlists'}")


class timed_steps:  # noqa: N801 - reads as a function
    """Within the block every module runs only a few steps, each timed, and then the products of such a step."""

    def __init__(self, steps: int) -> None:
        self.steps = steps
        self.seconds: dict[str, tuple[float, float]] = {}

    def __enter__(self) -> dict[str, tuple[float, float]]:
        self.before = loop.train
        for module in self._modules():
            module.train = self._train
        return self.seconds

    def __exit__(self, *error: object) -> None:
        for module in self._modules():
            module.train = self.before

    @staticmethod
    def _modules() -> list[Any]:
        from xclare.training import module_1_token_embeddings, module_2_shortlister, module_4_classifiers

        return [module_1_token_embeddings, module_2_shortlister, module_4_classifiers]

    def _train(
        self, module: int, model: Any, embeddings: Any, problem: Problem, settings: Any, dropout: float, place: Any
    ) -> None:
        step = Step(model, embeddings, problem, settings, dropout=dropout, seed=module, kind=place.kind)
        order = loop.shuffled(problem.sizes[0], module, 0, place.device)
        times = []
        for number in range(self.steps):
            at = number * settings.batch_size % max(len(order) - settings.batch_size, 1)
            begin = time.perf_counter()
            step.run(order[at : at + settings.batch_size], number, 0.001)
            times.append(time.perf_counter() - begin)
        name = {1: "I", 2: "II", 4: "IV"}[module]
        self.seconds[name] = (statistics.median(times[1:]), bare_products(problem, model, settings.batch_size, place))


def bare_products(problem: Problem, model: Any, batch: int, place: Any) -> float:
    """Seconds of the matrix products of one step, chunk by chunk as a step does them, on random numbers: the label
    side's blocks and attention, forward and backward, and where all labels count (or many are listed) the scores and
    their two gradients."""
    labels, dimension = problem.sizes[1], model.document_block.residual.weight.shape[0]
    chunk = labels_at_once(labels, batch, place.device)
    trains_inputs = type(problem.labels).__name__ == "EmbeddedLabels"
    side = model.label_side
    blocks = len(side.blocks)
    transforms = blocks + int(model.refinement is not None)
    with_transform = side.attention is not None and side.attention.has_sigmoid
    # forward, the gradient of the weights, and the gradient of what went in where that is trained
    square = blocks * (3 if trains_inputs else 2) + (3 * transforms if with_transform else 0)
    x, w = (torch.randn(rows, dimension).to(place.kind) for rows in (batch, chunk))
    matrix, cells = torch.randn(dimension, dimension).to(place.kind), torch.randn(batch, chunk).to(place.kind)
    dense = problem.others

    def work() -> None:
        for _ in range(-(-labels // chunk)):
            for _ in range(square):
                w @ matrix
            if dense:
                _scores(x, w, cells)

    return best_of_three(work)


def _scores(x: Tensor, w: Tensor, cells: Tensor) -> None:
    x @ w.T
    cells.T @ x
    cells @ w


def best_of_three(work: Callable[[], None]) -> float:
    """The shortest of three times."""
    times = []
    for _ in range(3):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times)


if __name__ == "__main__":
    main()
