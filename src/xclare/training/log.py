"""What a training run says: lines of JSON in a file, and progress."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from xclare.progress import SILENT, Progress

NUMERALS = {1: "I", 2: "II", 3: "III", 4: "IV"}


class TrainingLog:
    """A line of JSON for everything that happens, with the seconds since the log began; appended to what is there."""

    def __init__(self, path: Path | None = None, progress: Progress = SILENT) -> None:
        self.path, self.progress, self.begin = path, progress, time.perf_counter()

    def event(self, what: str, **values: Any) -> None:
        """Writes one line."""
        if self.path is not None:
            line = {"event": what, "seconds": round(time.perf_counter() - self.begin, 3), **values}
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")

    @contextmanager
    def stage(self, what: str) -> Iterator[None]:
        """Times a stage."""
        begin = time.perf_counter()
        yield
        self.event("stage", stage=what, took=round(time.perf_counter() - begin, 3))

    @contextmanager
    def module(self, number: int, steps: int) -> Iterator[Callable[[int], None]]:
        """The steps of a module, shown as they go."""
        with (
            self.stage(f"module {NUMERALS[number]}"),
            self.progress.task(f"Module {NUMERALS[number]}", steps) as advance,
        ):
            yield advance

    def step(self, module: int, number: int, steps: int, epoch: int, loss: float, rate: float, speed: float) -> None:
        """What a step that was looked at found; `speed` is documents a second since the module began."""
        self.event(
            "step",
            module=NUMERALS[module],
            step=number + 1,
            steps=steps,
            epoch=epoch + 1,
            loss=loss,
            learning_rate=rate,
            documents_a_second=round(speed, 1),
        )
