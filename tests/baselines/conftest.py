"""The checkerboard: data whose right answers one can see."""

from __future__ import annotations

import numpy as np
import pytest

from xclare.data.dataset import Dataset, Documents, Labels
from xclare.sparse import csr_from_pairs, row_l2_normalized


def features(rows, columns=8):
    """One row for each list of token numbers, of length 1."""
    pairs = [(row, token) for row, tokens in enumerate(rows) for token in tokens]
    drawn = csr_from_pairs([row for row, _ in pairs], [token for _, token in pairs], (len(rows), columns))
    return row_l2_normalized(drawn)


def targets(rows, labels):
    pairs = [(row, label) for row, of_row in enumerate(rows) for label in of_row]
    return csr_from_pairs([row for row, _ in pairs], [label for _, label in pairs], (len(rows), labels))


@pytest.fixture
def build():
    """A data set of lists: tokens and labels of the training documents, tokens of the test documents and labels."""

    def dataset_of(train, train_labels, test, label_tokens, columns=8):
        labels = Labels(len(label_tokens), features=features(label_tokens, columns))
        one, other = targets(train_labels, len(labels)), targets([[] for _ in test], len(labels))
        return Dataset(
            Documents(len(train), features=features(train, columns), targets=one, labels=labels),
            Documents(len(test), features=features(test, columns), targets=other, labels=labels),
        )

    return dataset_of


@pytest.fixture
def checkerboard(build):
    """Even documents have the even tokens and labels, odd ones the odd: 0 2 4 6 and 1 3 5 7, each leaving one out.
    Label l's text is token l. Test document d has the tokens d and d + 2 of its colour."""
    colour = [[side + 2 * step for step in range(4)] for side in (0, 1)]
    train = [[token for token in colour[row % 2] if token != row] for row in range(8)]
    test = [[row, (row + 2) % 8] for row in range(8)]
    return build(train, train, test, [[label] for label in range(8)])


@pytest.fixture
def random_dataset(build):
    """A few hundred random documents and labels, every tenth without a token."""
    rng = np.random.default_rng(7)

    def drawn(rows, numbers, most):
        return [
            [] if row % 10 == 9 else np.unique(np.minimum(rng.zipf(1.3, rng.integers(1, most)), numbers) - 1).tolist()
            for row in range(rows)
        ]

    return build(drawn(300, 40, 8), drawn(300, 60, 5), drawn(80, 40, 8), drawn(60, 40, 5), columns=40)
