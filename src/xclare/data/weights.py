"""The check of weights, wherever they come from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xclare.errors import InputError

WEIGHT = "a weight: a number of at least 0"


def checked_weights(weights: NDArray[Any], refuse: Callable[..., InputError]) -> NDArray[np.float32]:
    """The weights as float32. Refuses negative ones, NaN and what is infinite, also only as float32, by
    `refuse(position, found=…, expected=…)`."""
    with np.errstate(over="ignore"):
        single = weights.astype(np.float32)
    wrong = ~(np.isfinite(single) & (single >= 0))
    if wrong.any():
        position = int(wrong.argmax())
        raise refuse(position, found=f"the weight {weights[position]}", expected=WEIGHT)
    return single
