"""What every benchmark shares: a description of the machine, timing, memory, and the files of results.

A time means little without the machine it was taken on, so `describe` also times two fixed pieces of work: one bound by
matrix products, one by everything else."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

RESULTS = Path(__file__).parent / "results"
PACKAGES = ("numpy", "scipy", "msgspec", "tokenizers")

T = TypeVar("T")


def describe(*packages: str) -> dict[str, Any]:
    """The machine, the versions of what runs on it (`packages` beside the usual), and how fast it is."""
    return {
        "cpu": _cpu(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "python": platform.python_version(),
        **{name: importlib.metadata.version(name) for name in (*PACKAGES, *packages)},
        "commit": _commit(),
        "seconds_matmul_4096_float32": round(_seconds_of_matmul(), 3),
        "seconds_python_loop": round(_seconds_of_loop(), 3),
    }


def best_of(times: int, work: Callable[[], T]) -> tuple[float, T]:
    """The shortest of several times in seconds, and the work's last result."""
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        result = work()
        seconds.append(time.perf_counter() - start)
    return min(seconds), result


def peak_memory(work: Callable[[], object]) -> int:
    """Bytes of memory that the work needs at its peak, beyond what is held before (Linux)."""
    Path("/proc/self/clear_refs").write_text("5")  # the high-water mark begins anew
    before = _memory("VmRSS")
    work()
    return _memory("VmHWM") - before


def write_results(name: str, results: dict[str, Any], title: str, rows: list[tuple[str, str]]) -> None:
    """Writes `results/NAME.json` whole, and `results/NAME.md` with the rows (what, number) and the machine."""
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(results, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    machine = [(key.replace("_", " "), str(value)) for key, value in results["machine"].items()]
    text = f"# {title}\n\n{_table(rows)}\n## Machine\n\n{_table(machine)}"
    (RESULTS / f"{name}.md").write_text(text, encoding="utf-8")
    print(text)


def _table(rows: list[tuple[str, str]]) -> str:
    return "".join(["| | |\n|---|---|\n", *(f"| {what} | {number} |\n" for what, number in rows)])


def _cpu() -> str:
    """The processor's name as Linux knows it."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def _commit() -> str:
    """The commit that is checked out, marked where the tree differs from it."""
    command = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty", "--abbrev=12"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def _seconds_of_matmul() -> float:
    """A float32 product of two 4096 x 4096 matrices, on all cores."""
    matrix = np.random.default_rng(0).random((4096, 4096), dtype=np.float32)
    return best_of(3, lambda: matrix @ matrix)[0]


def _seconds_of_loop() -> float:
    """Three million steps of a plain Python loop."""

    def loop() -> int:
        total = 0
        for i in range(3_000_000):
            total += i & 7
        return total

    return best_of(3, loop)[0]


def _memory(field: str) -> int:
    """Bytes of this process by a field of Linux's status file."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))
