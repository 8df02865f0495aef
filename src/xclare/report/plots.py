"""Figures, drawn with matplotlib (extra `plots`), readable for the colour-blind and in black and white."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xclare.data.statistics import RARE_BELOW
from xclare.errors import InputError, MissingExtraError
from xclare.persistence.atomic import atomic_file

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")  # Okabe and Ito's, made for everyone
STYLES = ("-", "--", "-.", ":")
FORMATS = ("svg", "png", "pdf")
POINTS = 2_000


def label_frequency_figure(frequencies: Mapping[str, NDArray[np.int64]]) -> Any:
    """Number of training points per label, labels ordered from left to right in increasing order of popularity; the
    bold horizontal line indicates the 5 training point level (the paper's figure of label popularity).

    `frequencies` holds the training documents of every label, by the name of the data set.
    """
    figure, axes = new_figure()
    for number, (name, counts) in enumerate(frequencies.items()):
        rare = 100 * float(np.mean(counts < RARE_BELOW)) if len(counts) else 0.0
        share, ordered = _thinned(np.sort(counts))
        style = STYLES[number % len(STYLES)]
        axes.plot(share, ordered, style, color=COLOURS[number % len(COLOURS)], label=f"{name}: {rare:.0f} % rare")
    axes.axhline(RARE_BELOW, color="black", linewidth=2.5)
    axes.annotate(
        f"{RARE_BELOW} training points", (1, RARE_BELOW), xytext=(0, 5), textcoords="offset points", fontsize="small"
    )
    axes.set_yscale("symlog", linthresh=1)
    axes.set_ylim(bottom=0)
    axes.set_xlim(0, 100)
    axes.set_xlabel("labels in increasing order of popularity (percent)")
    axes.set_ylabel("training points per label")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.legend(frameon=False, loc="upper left")
    return figure


def _thinned(ordered: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """At most `POINTS` points of the curve, the ends among them, so that a figure of ten million labels stays small."""
    if not len(ordered):
        return np.zeros(0), ordered
    places = np.unique(np.linspace(0, len(ordered) - 1, min(POINTS, len(ordered))).round().astype(np.int64))
    return 100 * (places + 1) / len(ordered), ordered[places]


def new_figure(width: float = 6.4, height: float = 4.0) -> tuple[Any, Any]:
    """An empty figure and its axes, in the style of all figures."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("Drawing a figure", "plots") from None
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", alpha=0.3)
    return figure, axes


def save_figure(figure: Any, path: Path) -> None:
    """Writes a figure in the format its name ends on; equal figures give equal bytes."""
    kind = path.suffix.lstrip(".").lower()
    if kind not in FORMATS:
        raise InputError(f"{path}: found the ending {path.suffix!r}, expected one of .{', .'.join(FORMATS)}.")
    import matplotlib as mpl

    without_date = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}[kind]
    with mpl.rc_context({"svg.hashsalt": "xclare", "svg.fonttype": "none"}), atomic_file(path) as file:
        figure.savefig(file, format=kind, dpi=150, metadata=without_date)
