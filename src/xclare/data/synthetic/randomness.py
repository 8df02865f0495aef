"""Random numbers as a function of what they are for: a hash of seed, purpose and row, never a stream.

Whatever chunk a row is made in, it comes out the same. A golden hash of a small set is committed, so nothing here may
differ between machines or numpy versions: decisions are made on integers. Floats only make tables (weights, -log u),
once, from operations whose last bit may differ between processors (exp, log, pow); each table is rounded to integers
far coarser than that bit before it is used, so a difference would have to fall on a rounding edge to be seen (chances
of about 1e-9 for a table)."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from xclare import randomness

Ints: TypeAlias = NDArray[np.int64]
Hashes: TypeAlias = NDArray[np.uint32]

EVEN_STEPS = (0xC13FA9A902A6328F, 0x91E10DA5C79E7B1D)  # 2^64 over the plastic number and its square: multiples of both
# together fill the unit square evenly
RACE_BITS = 16
SLOT_BITS = 12
SLOT_MASK = 2**SLOT_BITS - 1
NEVER = 2**63 - 2**SLOT_BITS  # the arrival time of a slot that does not run; the slot is added


def hash64(key: int, numbers: Ints) -> NDArray[np.uint64]:
    """One 64-bit hash for every number."""
    hashes: NDArray[np.uint64] = randomness.mixed(numbers * randomness.GOLDEN + randomness.wrapped(key)).view(np.uint64)
    return hashes


def hash32(key: int, numbers: Ints) -> Hashes:
    """One 32-bit hash for every number."""
    return (hash64(key, numbers) >> np.uint64(32)).astype(np.uint32)


def key_of(seed: int, purpose: str) -> int:
    """A 64-bit key for a purpose: what is drawn with different keys is independent."""
    return int.from_bytes(hashlib.blake2b(f"{seed}:{purpose}".encode(), digest_size=8).digest(), "little")


def salts(key: int, count: int) -> Hashes:
    """Numbers that, added to a row's 32-bit hash, give `mixed` something new for every slot."""
    return hash32(key, np.arange(count))


def mixed(state: Hashes) -> Hashes:
    """Scrambles 32-bit numbers in place (the `lowbias32` finaliser)."""
    scratch = state >> np.uint32(16)
    state ^= scratch
    state *= np.uint32(0x7FEB352D)
    np.right_shift(state, np.uint32(15), out=scratch)
    state ^= scratch
    state *= np.uint32(0x846CA68B)
    np.right_shift(state, np.uint32(16), out=scratch)
    state ^= scratch
    return state


def below(hashes: Hashes, bound: Ints | int) -> Ints:
    """A number in [0, bound) from every 32-bit hash; bounds are at most 2^31."""
    scaled: Ints = hashes.astype(np.int64) * bound
    scaled >>= 32
    return scaled


def is_chosen(hashes: Hashes, share: float) -> NDArray[np.bool_]:
    """True for a share of the hashes."""
    return hashes.astype(np.int64) < round(share * 2**32)


def power_law(count: int, exponent: float, shift: float = 2.0) -> Ints:
    """Weights (rank + shift)^-exponent for ranks from 0, as integers; the first is 2^20."""
    weights = ((np.arange(count) + shift) / shift) ** -exponent
    rounded: Ints = np.maximum(np.rint(weights * 2**20), 1).astype(np.int64)
    return rounded


def cumulative(weights: Ints, total: int = 2**31) -> Ints:
    """From 0, the running sums of the weights, scaled to end at no more than `total`, as `below` needs it; every weight
    keeps at least 1."""
    scale = max(1, -(-int(weights.sum()) // (total - len(weights))))
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(np.maximum(weights // scale, 1))])


def drawn(sums: Ints, hashes: Hashes) -> Ints:
    """Which weight each hash falls on, from the weights' running sum (see `cumulative`)."""
    return place_in(sums, below(hashes, int(sums[-1])))


def place_in(starts: Ints, values: Ints) -> Ints:
    """In which part each value falls, from the ascending starts of all parts."""
    places: Ints = np.searchsorted(starts, values, side="right")
    places -= 1
    return places


def drawn_quantile(quantiles: Ints, hashes: Hashes) -> Ints:
    """A number by its (65537,) quantiles: between two of them, evenly."""
    place = hashes >> np.uint32(16)
    numbers: Ints = quantiles[place + np.uint32(1)] - quantiles[place]
    numbers *= hashes & np.uint32(0xFFFF)
    numbers >>= 16
    numbers += quantiles[place]
    return numbers


def turns(share: float, start: int, stop: int) -> Ints:
    """(stop - start + 1,) How many of the rows before each had a turn, where this share of all rows has one, as
    regularly as can be."""
    count: Ints = np.arange(start, stop + 1) * round(share * 2**31)
    count >>= 31
    return count


def evenly(key: int, turn: Ints, bound: int) -> Ints:
    """Numbers below `bound` for the turns 0, 1, …, from a start that the key gives, such that all come up about equally
    often."""
    steps = turn.astype(np.uint64) * np.uint64(randomness.GOLDEN % 2**64) + np.uint64(key)
    return below((steps >> np.uint64(32)).astype(np.uint32), bound)


@cache
def exponential_table() -> Ints:
    """Exponential variates by 16-bit quantile, times 2^16."""
    values = [round(-math.log((i + 0.5) / 2**RACE_BITS) * 2**16) for i in range(2**RACE_BITS)]
    return np.maximum(np.array(values, np.int64), 1)  # (65536,), below 2^20


def race_costs(weights: Sequence[float] | NDArray[np.float64]) -> Ints:
    """How slowly a slot of each weight runs: its time in a race is exponential with the mean 1 / weight."""
    whole = math.fsum(weights)
    return np.array([round(min(2.0**10 * whole / weight, 2.0**30)) if weight > 0 else 2**30 for weight in weights])


def race(state: Hashes, costs: Ints) -> Ints:
    """Arrival times (rows x slots) of a race from hash states, with the slot in the lowest bits: no two are equal, and
    the first n to arrive are n slots drawn one after the other by weight, without replacement."""
    quantiles = mixed(state) >> np.uint32(32 - RACE_BITS)
    times: Ints = exponential_table()[quantiles]
    times *= costs
    times <<= SLOT_BITS
    times |= np.arange(state.shape[1])
    return times


def with_costs(times: Ints, slots: Ints, costs: Ints, others: Ints) -> None:
    """Lets one slot of every row run by `others` in place of `costs`; its luck stays what it was."""
    rows = np.arange(len(times))
    luck = (times[rows, slots] >> SLOT_BITS) // costs[slots]
    times[rows, slots] = (luck * others[slots] << SLOT_BITS) | slots


def first_slots(times: Ints, counts: Ints) -> tuple[Ints, Ints]:
    """Row and slot of the first `counts[row]` to arrive, row by row."""
    times.sort(axis=1)
    arrived = times[:, : int(counts.max(initial=0))]
    rows, places = np.nonzero(np.arange(arrived.shape[1]) < counts[:, None])
    slots: Ints = arrived[rows, places] & SLOT_MASK
    return rows, slots


def count_table(mean: float, limit: int, spread: float) -> Ints:
    """Counts of at least 1 with this mean and at most `limit`, as a running sum of probabilities times 2^32: 1 + a
    beta-binomial variable, whose probabilities follow from each other without logarithms. `spread` is its first shape
    parameter: the smaller, the more uneven the counts."""
    most = min(limit, max(math.ceil(2.5 * mean), math.ceil(mean) + 3)) - 1
    if mean <= 1 or most == 0:
        return np.array([2**32])
    other = spread * (most - (mean - 1)) / (mean - 1)
    if other <= 0:
        return np.array([0] * most + [2**32])
    weights = [1.0]
    for k in range(most):
        weights.append(weights[-1] * (most - k) * (spread + k) / ((k + 1) * (other + most - k - 1)))
    sums = np.cumsum(weights)
    rounded: Ints = np.rint(sums / sums[-1] * 2**32).astype(np.int64)
    return rounded


def counts_of(table: Ints, start: int, stop: int, step: int) -> Ints:
    """The counts of rows start … stop - 1. Quantiles walk in even steps rather than at random, so that even a few rows
    have nearly the table's mean."""
    state = np.arange(start, stop, dtype=np.uint64) * np.uint64(step) + np.uint64(2**63)
    quantiles = (state >> np.uint64(32)).astype(np.int64)
    more: Ints = np.searchsorted(table, quantiles, side="right")
    return np.minimum(more, len(table) - 1) + 1
