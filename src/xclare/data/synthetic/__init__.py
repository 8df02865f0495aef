"""Synthetic data sets with planted truth: one hidden structure makes documents, label texts and label co-occurrence, so
that a better method scores better, and the best that can be scored is known."""

from xclare.data.synthetic.planted import Planted, generate, load
from xclare.data.synthetic.shapes import SHAPES, parse_shape
from xclare.data.synthetic.spec import SyntheticSpec

__all__ = ["SHAPES", "Planted", "SyntheticSpec", "generate", "load", "parse_shape"]
