import pytest

from xclare.errors import SettingError
from xclare.text.settings import TextSettings


@pytest.mark.parametrize(
    ("labels", "size"),
    [
        (1, 12_000),
        (19_999, 12_000),
        (20_000, 20_000),
        (131_073, 40_000),
        (312_330, 40_000),
        (501_070, 80_000),
        (1_305_265, 128_000),
        (10_000_000, 256_000),
    ],
)
def test_the_vocabulary_follows_the_number_of_labels_as_in_the_papers_sets(labels, size):
    assert TextSettings().vocabulary_size_for(labels) == size


def test_a_size_that_is_given_is_taken():
    assert TextSettings(vocabulary_size=5000).vocabulary_size_for(10**7) == 5000


@pytest.mark.parametrize(
    "wrong",
    [
        {"vocabulary_size": 99},
        {"vocabulary_size": -1},
        {"min_frequency": 0},
        {"bigram_min_documents": 0},
        {"max_bigrams": 0},
        {"stop_words": ""},
    ],
)
def test_settings_out_of_range_are_refused(wrong):
    with pytest.raises(SettingError, match=f"text.{next(iter(wrong))}"):
        TextSettings(**wrong)
