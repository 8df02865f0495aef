"""Words for token numbers, so that a synthetic set can be read as text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from xclare.data.synthetic.randomness import Ints
from xclare.strings import Strings

# Syllables without e: no such word of three or four of them is in a list of stop words.
SYLLABLES = np.frombuffer("".join(c + v for c in "bdfghjklmnprstvyz" for v in "aiou").encode(), np.uint8).reshape(-1, 2)
SPACE = 32
STEP = 100_003 * 7  # coprime to the number of syllables (68 = 4 * 17): words of neighbouring tokens look different


def word_table(vocabulary: int) -> NDArray[np.uint8]:
    """(vocabulary, letters + 1) The word of every token, pronounceable and different from all others, then a space."""
    syllables = 3
    while len(SYLLABLES) ** syllables < vocabulary:
        syllables += 1
    numbers = np.arange(vocabulary) * STEP % len(SYLLABLES) ** syllables
    digits = numbers[:, None] // len(SYLLABLES) ** np.arange(syllables) % len(SYLLABLES)
    words = np.full((vocabulary, 2 * syllables + 1), SPACE, np.uint8)
    words[:, :-1] = SYLLABLES[digits].reshape(vocabulary, -1)
    return words


def texts(indptr: Ints, tokens: NDArray[np.int32], words: NDArray[np.uint8]) -> Strings:
    """The texts whose words are the tokens of each row; every row has at least one."""
    size = words.shape[1]
    letters = np.ones(len(tokens) * size, bool)
    letters[indptr[1:] * size - 1] = False  # the space after a text's last word
    return Strings(words[tokens].ravel()[letters], indptr * size - np.arange(len(indptr)))
