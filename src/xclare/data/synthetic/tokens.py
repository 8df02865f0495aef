"""The tokens of documents and label texts, from the hidden state alone: given that state, a document's text says
nothing more about which of its likely labels were drawn, so that no method can beat the planted oracle but by luck.

A text takes its tokens from slots, drawn by weight without replacement as labels are: the *name* of its label (a few
tokens of its own), in documents the companion's name too; the words of the *topic*, a third of which the theme shares;
and *background*, any token by Zipf's law."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from xclare.data.synthetic import randomness as rnd
from xclare.data.synthetic.candidates import Candidates, Hidden
from xclare.data.synthetic.distinct import distinct_rows
from xclare.data.synthetic.randomness import Hashes, Ints
from xclare.data.synthetic.spec import SyntheticSpec

TOKEN_SPREAD = 4.0  # shape of the distribution of tokens a text: less uneven than that of labels a document
SAID_BY_VAGUE = 0.15  # what is left of the weight of names and topic in a vague document
ZIPF_SHIFT = 3.0
ZIPF_BITS = 16
NAME_BITS = 5  # a label has two names of up to 16 tokens: the one documents use, and the one of an opaque label's text
WORD_BITS = 12
COMMON_WORDS = 3  # one word in so many of a topic is its theme's


class TextKind:
    """The token slots of documents, or of label texts, and how likely each is: in clear texts, and in poor ones."""

    def __init__(
        self, spec: SyntheticSpec, purpose: str, mean: float, shares: Sequence[float], poor: Sequence[float]
    ) -> None:
        """`shares` of the names and, last, of the topic; the same for poor texts."""
        topic = min(max(8, math.ceil(1.5 * mean)), spec.words_per_topic)
        sizes = [*[spec.own_tokens] * (len(shares) - 1), topic, max(8, math.ceil(2.5 * mean))]
        self.bounds = np.cumsum([0, *sizes])  # where each group of slots begins
        self.slots = sum(sizes)
        self.costs = np.stack([_costs(shares, sizes), _costs(poor, sizes)])  # (2, slots)
        self.salts = rnd.salts(rnd.key_of(spec.seed, f"{purpose} slots"), 2 * self.slots).reshape(2, -1)
        self.counts = rnd.count_table(mean, spec.vocabulary, TOKEN_SPREAD)


def _costs(shares: Sequence[float], sizes: Sequence[int]) -> Ints:
    """The race costs of the slots, where a group's share is divided evenly and the background has the rest."""
    groups = zip([*shares, max(1 - math.fsum(shares), 0.0)], sizes, strict=True)
    return rnd.race_costs([share / size for share, size in groups for _ in range(size)])


class Tokens:
    """Draws the tokens of texts."""

    def __init__(self, spec: SyntheticSpec, candidates: Candidates) -> None:
        self.spec, self.candidates = spec, candidates
        shares = (spec.anchor_token_share, spec.companion_token_share, spec.topic_token_share)
        poor = [SAID_BY_VAGUE * share for share in shares]
        self.documents = TextKind(spec, "document tokens", spec.tokens_per_document, shares, poor)
        names, topic = spec.name_token_share, spec.label_topic_token_share
        self.labels = TextKind(spec, "label tokens", spec.tokens_per_label, (names, topic), (names, 0.0))
        self.zipf = _zipf_quantiles(spec.vocabulary)

    def of_documents(self, hidden: Hidden, part: str, start: int) -> tuple[Ints, Ints]:
        """Tokens of documents start, start + 1, …: how many each, and the tokens row after row."""
        rows = np.arange(len(hidden.anchor))
        companion = self.candidates.positions(hidden, rows, hidden.companion_slot)
        draws = rnd.hash32(rnd.key_of(self.spec.seed, f"{part} tokens"), rows + start)
        vague = rnd.is_chosen(
            rnd.hash32(rnd.key_of(self.spec.seed, f"{part} vague"), rows + start), self.spec.vague_documents
        )
        names = np.stack([hidden.anchor, companion], axis=1) << NAME_BITS
        return self._drawn(self.documents, names, hidden.topic, draws, vague, start)

    def of_labels(self, start: int, stop: int) -> tuple[Ints, Ints]:
        """Tokens of the texts of labels start … stop - 1: how many each, and the tokens row after row. An opaque
        label's text has a name that no document uses."""
        topics, numbers = self.candidates.topics, np.arange(start, stop)
        position = topics.hidden[numbers].astype(np.int64)
        topic = topics.topic_at(position)
        draws = rnd.hash32(rnd.key_of(self.spec.seed, "label tokens"), numbers)
        opaque = rnd.is_chosen(rnd.hash32(rnd.key_of(self.spec.seed, "opaque"), numbers), self.spec.opaque_labels)
        names = (position << NAME_BITS) + (opaque << (NAME_BITS - 1))
        return self._drawn(self.labels, names[:, None], topic, draws, opaque, start)

    def _drawn(
        self,
        kind: TextKind,
        names: Ints,
        topic: Ints,
        draws: Hashes,
        poor: NDArray[np.bool_],
        start: int,
    ) -> tuple[Ints, Ints]:
        counts = rnd.counts_of(kind.counts, start, start + len(draws), rnd.EVEN_STEPS[1])
        times = rnd.race(draws[:, None] + kind.salts[0], kind.costs[poor.astype(np.int64)])
        rows, slots = rnd.first_slots(times, counts)
        group = rnd.place_in(kind.bounds, slots)
        place = slots - kind.bounds[group]
        hashes = rnd.mixed(draws[rows] + kind.salts[1][slots])
        tokens = rnd.drawn_quantile(self.zipf, hashes)
        named = np.flatnonzero(group < names.shape[1])
        tokens[named] = self._name(names[rows[named], group[named]] + place[named])
        topical = np.flatnonzero(group == names.shape[1])
        slots_of_topic = int(kind.bounds[-2] - kind.bounds[-3])
        tokens[topical] = self._word(topic[rows[topical]], place[topical], slots_of_topic, hashes[topical])
        return counts, distinct_rows(rows, tokens, counts, self.spec.vocabulary, draws)

    def _name(self, numbers: Ints) -> Ints:
        """The tokens of names, from (position, place in the name)."""
        return rnd.below(rnd.hash32(rnd.key_of(self.spec.seed, "names"), numbers), self.spec.vocabulary)

    def _word(self, topic: Ints, slot: Ints, slots: int, hashes: Hashes) -> Ints:
        """Words of the topics, each slot its own part of them; one in three belongs to the theme."""
        word = (slot * self.spec.words_per_topic + rnd.below(hashes, self.spec.words_per_topic)) // slots
        themes = self.candidates.topics.theme_of[topic] + len(self.candidates.topics.theme_of)
        owner = np.where(word % COMMON_WORDS == 0, themes, topic)
        return rnd.below(
            rnd.hash32(rnd.key_of(self.spec.seed, "words"), (owner << WORD_BITS) + word), self.spec.vocabulary
        )


def _zipf_quantiles(vocabulary: int) -> Ints:
    """(65537,) The token at every 16-bit quantile of Zipf's law, 1 / (token + 3). The sums are of plain divisions,
    which are the same on every machine."""
    sums = np.cumsum(1 / (np.arange(vocabulary) + ZIPF_SHIFT))
    quantiles = np.arange(2**ZIPF_BITS) / 2**ZIPF_BITS * sums[-1]
    return np.append(np.searchsorted(sums, quantiles, side="right"), vocabulary)
