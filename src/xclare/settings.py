"""Checks that the packages' settings share. Each package owns its settings: a frozen dataclass, a sentence under every
field, every value checked on construction."""

from __future__ import annotations

from collections.abc import Collection

from xclare.errors import SettingError


def check_range(name: str, value: float, low: float, high: float = float("inf")) -> None:
    """Refuses a number outside [low, high], and NaN."""
    if not low <= value <= high:
        bounds = f"from {low:g} to {high:g}" if high < float("inf") else f"of at least {low:g}"
        raise SettingError(f"{name} = {value!r}: expected a number {bounds}.")


def check_choice(name: str, value: str, choices: Collection[str]) -> None:
    """Refuses a word that is not one of `choices`."""
    if value not in choices:
        raise SettingError(f"{name} = {value!r}: expected one of {', '.join(sorted(choices))}.")
