"""Randomness as a function of what it is for: a 64-bit hash of seed and counters, never a stream.

So results are bit-identical in numpy and torch, on CPU and GPU, for any number of threads and any chunking. Choices are
made by integers, never by floats.
"""

from __future__ import annotations

from typing import Any

LOW_32_BITS = 0xFFFFFFFF
GOLDEN = 0x9E3779B97F4A7C15 - 2**64
"""2^64 over the golden ratio, as the int64 that has its bits."""
_FIRST, _SECOND = 0xBF58476D1CE4E5B9 - 2**64, 0x94D049BB133111EB - 2**64

Array = Any
"""An int64 array of numpy's, or a torch tensor."""


def wrapped(number: int) -> int:
    """A Python integer modulo 2^64, as the int64 that has these bits."""
    return (number + 2**63) % 2**64 - 2**63


def mixed(bits: Array) -> Array:
    """The finaliser of splitmix64 on int64: multiplications wrap around, and shifts are masked to be logical ones."""
    bits = (bits ^ ((bits >> 30) & (2**34 - 1))) * _FIRST
    bits = (bits ^ ((bits >> 27) & (2**37 - 1))) * _SECOND
    return bits ^ ((bits >> 31) & (2**33 - 1))


def keys(seed: int, counters: Array) -> Array:
    """(…) An int64 key for every counter (int64); each begins a stream of its own, see `drawn`."""
    return mixed(mixed(counters + wrapped(seed * GOLDEN)) + GOLDEN)


def drawn(stream: Array, counter: int) -> Array:
    """(…) The 64 random bits that stand at `counter` in every stream: splitmix64's output there."""
    return mixed(stream + wrapped((counter + 1) * GOLDEN))


def chosen(bits: Array, count: Array) -> Array:
    """A whole number from 0 to `count` - 1 from the low 32 of some random bits: bits x count / 2^32, rounded down."""
    return ((bits & LOW_32_BITS) * count) >> 32
