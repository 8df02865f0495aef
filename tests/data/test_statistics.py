import os

import numpy as np
import pytest

from xclare import Dataset
from xclare.data.dataset import Documents, Labels
from xclare.data.statistics import statistics_of
from xclare.sparse import csr_from_pairs
from xclare.strings import Strings


def documents(texts, pairs, labels, excluded=()):
    rows, columns = zip(*pairs, strict=True) if pairs else ((), ())
    shape = (len(texts), len(labels))
    hidden = csr_from_pairs([row for row, _ in excluded], [column for _, column in excluded], shape)
    return Documents(
        count=len(texts),
        fields={"title": Strings.of(texts)},
        text_fields=("title",),
        targets=csr_from_pairs(rows, columns, shape),
        labels=labels,
        excluded=hidden if excluded else None,
    )


def labels_of(texts):
    return Labels(count=len(texts), fields={"title": Strings.of(texts)}, text_fields=("title",))


def test_a_small_set_is_counted_as_by_hand():
    labels = labels_of(["fruit", "", "stone", "never"])
    train = documents(["apple", "apple", " ", "pebble"], [(0, 0), (0, 1), (1, 0), (2, 0), (3, 2)], labels)
    test = documents(["apple", "plum"], [(0, 0), (1, 0)], labels, excluded=[(0, 0), (1, 2)])
    statistics = statistics_of(Dataset(train, test, name="small", findings={"blank lines, skipped": 2}))
    assert statistics.labels_per_document == pytest.approx(5 / 4)
    assert statistics.documents_per_label == pytest.approx(5 / 4)
    assert statistics.share_of_labels_under_5 == 1.0
    assert statistics.vocabulary == 0
    assert statistics.oddities == {
        "blank lines, skipped": 2,
        "train documents with an empty text": 1,
        "train documents whose text another one has too": 1,
        "test pairs left out when scored": 2,
        "test documents left without truth when scored": 1,
        "labels without text": 1,
        "labels that no training document has": 1,
        "test documents whose text stands in training too": 1,
    }


def test_tokens_are_counted_from_the_features():
    labels = Labels(count=2, features=csr_from_pairs([0, 1, 1], [0, 0, 3], (2, 5)))
    features = csr_from_pairs([0, 0, 1], [1, 2, 4], (2, 5))
    train = Documents(count=2, features=features, targets=csr_from_pairs([0], [0], (2, 2)), labels=labels)
    statistics = statistics_of(Dataset(train))
    assert (statistics.vocabulary, statistics.tokens_per_document, statistics.tokens_per_label) == (5, 1.5, 1.5)
    assert statistics.oddities == {"train documents without a label": 1, "labels that no training document has": 1}


def test_an_empty_set_has_statistics_too():
    labels = labels_of([])
    assert statistics_of(Dataset(documents([], [], labels))).share_of_labels_under_5 == 0.0


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("docs-seealso-titles-100k", (140_536, 56_005, 94_296, 2.61, 3.89, 82.5)),
        ("debian-deps-25k", (34_906, 14_642, 23_519, 5.06, 7.52, 81.3)),
    ],
)
def test_the_real_sets_have_their_published_statistics(name, expected):
    if "XCLARE_DATA" not in os.environ:
        pytest.skip("XCLARE_DATA is not set: set it to the folder that holds the data sets")
    statistics = statistics_of(Dataset.load(name))
    found = (
        statistics.train_documents,
        statistics.test_documents,
        statistics.labels,
        round(statistics.labels_per_document, 2),
        round(statistics.documents_per_label, 2),
        round(100 * statistics.share_of_labels_under_5, 1),
    )
    assert found == expected
    assert np.isfinite(statistics.documents_per_label)
