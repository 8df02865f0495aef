"""The hidden state of a document and the labels it makes likely.

A document is about an *anchor*, a label drawn by popularity, and has a list of candidate labels, one in every *slot*:
the anchor; *siblings*, one from each popularity stratum of its topic; *complements*, one from each stratum of the
linked topic; some from other topics of the *theme*; and *noise* from anywhere. All but the noise follow from the anchor
alone. One candidate, the *companion*, is mentioned in the document's text and more likely than it would be. Every slot
has a weight, and the labels of the document are drawn from the slots one after the other by weight, without
replacement."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from xclare.data.synthetic import randomness as rnd
from xclare.data.synthetic.distinct import distinct_rows
from xclare.data.synthetic.randomness import Hashes, Ints
from xclare.data.synthetic.spec import SyntheticSpec
from xclare.data.synthetic.topics import Topics

ANCHOR = 0
LABEL_SPREAD = 1.5  # shape of the distribution of labels a document: near geometric, as in real sets


@dataclass(frozen=True)
class Hidden:
    """The hidden state of some documents, one entry each. Positions are those of the hidden order of labels."""

    draws: Hashes
    """Hash of the document: what is its own and nobody can foretell."""
    anchor: Ints
    """Position of the label it is about."""
    topic: Ints
    """The anchor's topic."""
    pool: Hashes
    """Hash of the anchor: with the topic, it gives the candidates in all slots but those of noise."""
    companion_slot: Ints
    """The candidate that the text mentions beside the anchor."""


class Candidates:
    """Draws hidden states, and labels from them."""

    def __init__(self, spec: SyntheticSpec) -> None:
        mean = spec.labels_per_document
        self.seed = spec.seed
        self.labels, self.even_anchors = spec.labels, spec.even_anchors
        self.siblings = max(12, math.ceil(2 * mean))
        self.complements = max(6, math.ceil(mean))
        self.others = max(2, math.ceil(mean / 4))  # slots of the theme, and as many of noise
        self.topics = Topics.of(spec, self.siblings)
        profile = rnd.power_law(self.siblings, spec.popularity_exponent)
        self.weights = self._weights(spec, profile)  # (slots,)
        self.slots = len(self.weights)
        self.companion_weights = self.weights + spec.companion_weight / mean
        self.costs, self.companion_costs = rnd.race_costs(self.weights), rnd.race_costs(self.companion_weights)
        self.foretold = self.slots - self.others  # slots before those of noise
        self.strata = rnd.cumulative(profile)
        self.companions = rnd.cumulative(np.rint(self.weights[1 : self.foretold] * 2**20).astype(np.int64))
        self.salts = rnd.salts(rnd.key_of(spec.seed, "slots"), 4 * self.slots).reshape(4, -1)
        self.counts = rnd.count_table(mean, spec.labels, LABEL_SPREAD)

    def _weights(self, spec: SyntheticSpec, profile: Ints) -> NDArray[np.float64]:
        """The weight of every slot; all but the anchor's sum to 1."""
        rest = 1 - spec.complement_share - spec.theme_share - spec.noise_share
        complements = profile[: self.complements]
        return np.concatenate(
            [
                [spec.anchor_weight / spec.labels_per_document],
                rest * profile / profile.sum(),
                spec.complement_share * complements / complements.sum(),
                np.full(self.others, spec.theme_share / self.others),
                np.full(self.others, spec.noise_share / self.others),
            ]
        )

    def hidden(self, part: str, start: int, stop: int) -> Hidden:
        """The hidden states of documents start … stop - 1 of a part of the set (`train` or `test`)."""
        rows = np.arange(start, stop)
        topic_draws, strata_draws, rank_draws, companion_draws, draws = (
            rnd.hash32(rnd.key_of(self.seed, f"{part} {purpose}"), rows)
            for purpose in ("topics", "strata", "ranks", "companions", "documents")
        )
        turns = rnd.turns(self.even_anchors, start, stop)
        even = np.flatnonzero(np.diff(turns))
        topic = self.topics.drawn(topic_draws)
        anchor = self.topics.position(topic, rnd.drawn(self.strata, strata_draws), rank_draws)
        anchor[even] = rnd.evenly(rnd.key_of(self.seed, f"{part} turns"), turns[even], self.labels)
        topic[even] = self.topics.topic_at(anchor[even])
        pool = rnd.hash32(rnd.key_of(self.seed, "pools"), anchor)
        return Hidden(draws, anchor, topic, pool, 1 + rnd.drawn(self.companions, companion_draws))

    def positions(self, hidden: Hidden, rows: Ints, slots: Ints) -> Ints:
        """The hidden position of the label in a slot of a row, for every pair of those."""
        topic, stratum = hidden.topic[rows], slots - 1
        rank_hash = rnd.mixed(hidden.pool[rows] + self.salts[0][slots])
        complement = np.flatnonzero(slots > self.siblings)
        topic[complement] = self.topics.complement[topic[complement]]
        stratum[complement] -= self.siblings
        other = np.flatnonzero(slots > self.siblings + self.complements)
        topic[other], stratum[other], rank_hash[other] = self._elsewhere(hidden, rows[other], slots[other])
        positions = self.topics.position(topic, np.maximum(stratum, 0), rank_hash)
        return np.where(slots == ANCHOR, hidden.anchor[rows], positions)

    def _elsewhere(self, hidden: Hidden, rows: Ints, slots: Ints) -> tuple[Ints, Ints, Hashes]:
        """Topic, stratum and hash of the rank for slots of theme and noise. Each theme slot has its own part of the
        theme's topics; noise goes to any topic, by popularity."""
        is_noise = slots >= self.foretold
        state = np.where(is_noise, hidden.draws[rows], hidden.pool[rows])
        topic_hash, strata_hash, rank_hash = (rnd.mixed(state + salts[slots]) for salts in self.salts[:3])
        starts, theme = self.topics.theme_starts, self.topics.theme_of[hidden.topic[rows]]
        size, number = starts[theme + 1] - starts[theme], slots - (self.foretold - self.others)
        near = starts[theme] + (number * size + rnd.below(topic_hash, size)) // self.others
        topic = np.where(is_noise, self.topics.drawn(topic_hash), np.minimum(near, len(self.topics.theme_of) - 1))
        return topic, rnd.drawn(self.strata, strata_hash), rank_hash

    def draw_labels(self, hidden: Hidden, start: int) -> tuple[Ints, Ints]:
        """Labels of documents start, start + 1, … in this state: how many each, and their numbers row after row."""
        counts = rnd.counts_of(self.counts, start, start + len(hidden.draws), rnd.EVEN_STEPS[0])
        times = rnd.race(hidden.draws[:, None] + self.salts[3], self.costs)
        rnd.with_costs(times, hidden.companion_slot, self.costs, self.companion_costs)
        rows, twins = self.twins(hidden)
        times[rows, twins] = rnd.NEVER + twins
        rows, slots = rnd.first_slots(times, counts)
        labels = self.topics.public[self.positions(hidden, rows, slots)].astype(np.int64)
        return counts, distinct_rows(rows, labels, counts, self.labels, hidden.draws)

    def twins(self, hidden: Hidden) -> tuple[Ints, Ints]:
        """Rows, and their slots, where the sibling is the anchor itself: such a slot does not count."""
        rows = np.arange(len(hidden.anchor))
        slots = 1 + self.topics.stratum(hidden.anchor, hidden.topic)
        twin = self.positions(hidden, rows, slots) == hidden.anchor
        return rows[twin], slots[twin]
