"""The hidden structure: labels in topics, topics in themes, and for every topic another one whose labels go with its
own. Labels stand in a hidden order in which topics and themes are contiguous; their public numbers are a shuffle."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from xclare.data.synthetic.randomness import (
    Hashes,
    Ints,
    below,
    cumulative,
    drawn,
    hash32,
    hash64,
    key_of,
    place_in,
    power_law,
)
from xclare.data.synthetic.spec import SyntheticSpec

TOPIC_SHIFT = 0.02  # of the number of topics: flattens the first ranks, so that no topic takes a large share of all


@dataclass(frozen=True)
class Topics:
    """Where topics and themes begin, how popular topics are, which belong together."""

    label_starts: Ints
    """(topics + 1,) The hidden position of every topic's first label; within a topic, labels stand by popularity."""
    popularity: Ints
    """(topics + 1,) Running sum of the topics' weights, from 0."""
    theme_of: Ints
    """(topics,)"""
    theme_starts: Ints
    """(themes + 1,) The first topic of every theme."""
    complement: Ints
    """(topics,) The linked topic: its labels are relevant for documents of this one, in other words."""
    public: NDArray[np.int32]
    """(labels,) The label number at every hidden position."""
    hidden: NDArray[np.int32]
    """(labels,) The hidden position of every label."""
    bounds: Ints
    """(sizes + 1, strata + 1) For a topic of each size, where its strata begin: see `strata_bounds`."""

    @classmethod
    def of(cls, spec: SyntheticSpec, strata: int) -> Topics:
        """The structure of a specification, with every topic's labels in so many strata of popularity."""
        starts = _parts(spec.labels, spec.labels_per_topic, key_of(spec.seed, "topic sizes"))
        topics = len(starts) - 1
        theme_starts = _parts(topics, spec.topics_per_theme, key_of(spec.seed, "theme sizes"))
        sizes = np.diff(starts)
        rank = _shuffle(topics, key_of(spec.seed, "topic ranks"))
        weights = power_law(topics, spec.popularity_exponent, 1 + topics * TOPIC_SHIFT)[rank] * sizes
        step = below(hash32(key_of(spec.seed, "complements"), np.arange(topics)), max(topics - 1, 1))
        hidden = _shuffle(spec.labels, key_of(spec.seed, "label numbers"))
        public = np.empty_like(hidden)
        public[hidden] = np.arange(spec.labels)
        return cls(
            label_starts=starts,
            popularity=cumulative(weights),
            theme_of=np.repeat(np.arange(len(theme_starts) - 1), np.diff(theme_starts)),
            theme_starts=theme_starts,
            complement=(np.arange(topics) + 1 + step) % topics,
            public=public.astype(np.int32),
            hidden=hidden.astype(np.int32),
            bounds=strata_bounds(int(sizes.max()), strata),
        )

    def drawn(self, hashes: Hashes) -> Ints:
        """A topic by popularity for every hash."""
        return drawn(self.popularity, hashes)

    def topic_at(self, positions: Ints) -> Ints:
        """The topic in which each hidden position stands."""
        return place_in(self.label_starts, positions)

    def position(self, topic: Ints, stratum: Ints, hashes: Hashes) -> Ints:
        """The hidden position of a label in this stratum of this topic; where the topic has fewer strata, in its last
        one."""
        start = self.label_starts[topic]
        size = self.label_starts[topic + 1] - start
        strata = self.bounds.shape[1] - 1
        cell = size * (strata + 1) + np.minimum(stratum, np.minimum(size, strata) - 1)
        low, high = self.bounds.ravel()[cell], self.bounds.ravel()[cell + 1]
        positions: Ints = start + low + below(hashes, high - low)
        return positions

    def stratum(self, position: Ints, topic: Ints) -> Ints:
        """The stratum of the topic in which the label at a hidden position stands."""
        start = self.label_starts[topic]
        size = self.label_starts[topic + 1] - start
        strata: Ints = (self.bounds[size, 1:] <= (position - start)[:, None]).sum(axis=1)  # (rows, strata) to (rows,)
        return strata


def strata_bounds(largest: int, strata: int) -> Ints:
    """(largest + 1, strata + 1) Where the strata of a topic of each size begin, by popularity rank: stratum j of J at
    max(min(j, size), size (j / J)^2). Each popular label has a stratum of its own, the less popular ones share."""
    size, j = np.arange(largest + 1)[:, None], np.arange(strata + 1)[None, :]
    bounds: Ints = np.maximum(np.minimum(j, size), size * j * j // (strata * strata))
    return bounds


def _parts(whole: int, average: float, key: int) -> Ints:
    """Bounds of the parts of `range(whole)`, of about this average size, the largest up to four times the smallest."""
    count = max(1, min(whole, round(whole / average)))
    sizes = 1 + below(hash32(key, np.arange(count)), 1 << 10)
    sizes = (1 << 10) // 3 + sizes  # from a third to four thirds
    inner = np.cumsum(sizes) * (whole - count) // int(sizes.sum())
    return np.concatenate([np.zeros(1, np.int64), inner + np.arange(1, count + 1)])


def _shuffle(count: int, key: int) -> Ints:
    """The numbers below `count` in the order of their hashes. The hash is a bijection, so no two are equal."""
    return np.argsort(hash64(key, np.arange(count)))
