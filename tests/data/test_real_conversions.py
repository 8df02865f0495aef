"""The real data sets through every layout and back."""

import os
from collections import Counter

import pytest

from support import assert_same_data
from xclare import Dataset
from xclare.data.layouts import LAYOUTS
from xclare.data.settings import DataSettings

pytestmark = pytest.mark.data
SETS = ("debian-deps-25k", "docs-seealso-titles-100k")
# What a layout cannot carry, by the words it says so in, and what the comparison then leaves out.
WHOLE = {
    "xc-raw": set(),
    "jsonl": set(),
    "csv": set(),
    "tsv": set(),
    "parquet": set(),
    "attention-xml": {"ids", "fields"},
}


@pytest.fixture(scope="module", params=SETS)
def dataset(request):
    if "XCLARE_DATA" not in os.environ:
        pytest.skip("XCLARE_DATA is not set: set it to the folder that holds the data sets")
    return Dataset.load(request.param)


@pytest.mark.parametrize("layout", WHOLE)
def test_texts_targets_and_filters_come_back_as_they_were(layout, dataset, tmp_path):
    if layout == "parquet":
        pytest.importorskip("pyarrow", reason="the extra `parquet` is not installed")
    lost = dataset.save(tmp_path / layout, layout)
    assert bool(lost) == bool(WHOLE[layout]), lost
    assert_same_data(Dataset.load(tmp_path / layout), dataset, ignoring=WHOLE[layout])


@pytest.mark.parametrize("layout", ["xc-sparse", "xc-npz"])
def test_ready_made_features_come_back_as_they_were(layout, dataset, tmp_path):
    file = f"{os.environ['XCLARE_DATA']}/{dataset.name}/features.npz"
    with_features = Dataset.load(dataset.name, features=file)
    lost = with_features.save(tmp_path / layout, layout)
    assert any("text" in sentence for sentence in lost)
    back = Dataset.load(tmp_path / layout)
    assert_same_data(back, with_features, ignoring={"ids", "fields", "texts"})


def test_a_log_keeps_every_pair_of_documents_whose_texts_are_distinct(dataset, tmp_path):
    lost = dataset.save(tmp_path / "log", "log-tsv")
    assert any("ids" in sentence for sentence in lost)
    back = Dataset.load(tmp_path / "log", settings=DataSettings(rows="pairs"))
    for part, log in ((dataset.train, back.train), (dataset.test, back.test)):
        times = Counter(part.texts)
        ours, logged = labels_by_text(part), labels_by_text(log)
        assert set(logged) == {text for text, labels in ours.items() if labels}
        assert all(logged[text] == labels for text, labels in ours.items() if labels and times[text] == 1)


def labels_by_text(part):
    ids = list(part.labels.ids)
    ends = part.targets.indptr.tolist()
    columns = part.targets.indices.tolist()
    return {text: {ids[label] for label in columns[ends[row] : ends[row + 1]]} for row, text in enumerate(part.texts)}


def test_every_layout_is_among_those_tried():
    tried = {*WHOLE, "xc-sparse", "xc-npz", "log-tsv"}
    assert {name.removesuffix(".gz").removeprefix("log-") for name in LAYOUTS} <= {
        name.removeprefix("log-") for name in tried
    }
