"""The sizes of the paper's six data sets, by name and at any scale."""

from __future__ import annotations

import dataclasses
import math

from xclare.data.synthetic.spec import SyntheticSpec
from xclare.errors import InputError, shown

PREFIX = "shape:"

SHAPES: dict[str, SyntheticSpec] = {
    "LF-AmazonTitles-131K": SyntheticSpec(294_805, 134_835, 131_073, 40_000, 2.29, 7.46, 7.15, 1.5),
    "LF-WikiSeeAlsoTitles-320K": SyntheticSpec(693_082, 177_515, 312_330, 40_000, 2.11, 3.97, 3.92, 1.5),
    "LF-WikiTitles-500K": SyntheticSpec(1_813_391, 783_743, 501_070, 80_000, 4.74, 3.72, 4.16, 2.0, 0.3),
    "LF-AmazonTitles-1.3M": SyntheticSpec(2_248_619, 970_237, 1_305_265, 128_000, 22.20, 9.00, 9.45, 2.0, 0.3, 64.0),
    "LF-P2PTitles-2M": SyntheticSpec(2_539_009, 1_088_146, 1_640_898, 128_000, 10.0, 9.0, 9.0, 2.0, 0.3),
    "LF-P2PTitles-10M": SyntheticSpec(6_849_451, 2_935_479, 9_550_772, 256_000, 10.0, 9.0, 9.0, 1.8, 0.5),
}
"""Table 1 of the paper (`tab:stats`). What it withholds of the last two is assumed: 128 and 256 thousand tokens, 10
labels a document, 9 tokens a text. How popular the labels are it tells of none: those numbers are
ours."""


def parse_shape(name: str) -> SyntheticSpec:
    """The specification of `shape:NAME` or `shape:NAME:SCALE`. A scale multiplies the numbers of documents and labels;
    the vocabulary grows with its square root only, as vocabularies do, and the averages stay as they are."""
    shape, _, scale = name.removeprefix(PREFIX).partition(":")
    if shape not in SHAPES:
        raise InputError(
            f"{shown(name)} is not a known shape: expected {PREFIX}NAME[:SCALE], NAME one of {', '.join(SHAPES)}."
        )
    return scaled(SHAPES[shape], _scale(name, scale) if scale else 1.0)


def _scale(name: str, text: str) -> float:
    try:
        scale = float(text)
    except ValueError:
        scale = math.nan
    if not 0 < scale <= 100:
        raise InputError(
            f"{shown(name)} has the scale {shown(text)}: expected a number above 0 and up to 100, as in "
            f"{PREFIX}LF-AmazonTitles-131K:0.1"
        )
    return scale


def scaled(spec: SyntheticSpec, scale: float) -> SyntheticSpec:
    """The specification with numbers of documents and labels times `scale`, the vocabulary times its square root; none
    so few that the averages do not fit."""

    def times(value: int, factor: float, least: float = 1) -> int:
        return max(math.ceil(least), round(value * factor))

    return dataclasses.replace(
        spec,
        train_documents=times(spec.train_documents, scale),
        test_documents=times(spec.test_documents, scale),
        labels=times(spec.labels, scale, spec.labels_per_document),
        vocabulary=times(spec.vocabulary, math.sqrt(scale), max(spec.tokens_per_document, spec.tokens_per_label)),
    )
