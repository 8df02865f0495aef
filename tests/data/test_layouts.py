"""Any layout is known by its content, and leads to any other and back."""

import gzip
import shutil
from pathlib import Path

import pytest

from support import assert_same_data
from xclare import Dataset
from xclare.data.layouts import LAYOUTS
from xclare.data.settings import DataSettings
from xclare.errors import InputError

TEXT_LAYOUTS = [name for name, layout in LAYOUTS.items() if not layout.features_only]


@pytest.fixture
def dataset():
    return Dataset.from_lists(
        ["red apple", "green pear", "green lamp", "red lamp"],
        [["fruit"], ["fruit", "green things"], ["green things", "lamps"], ["lamps"]],
        test_texts=["green apple", "lamp"],
        test_labels=[["fruit"], ["lamps"]],
    )


@pytest.mark.parametrize("layout", TEXT_LAYOUTS)
def test_a_data_set_survives_the_way_through_every_layout_of_texts(layout, dataset, tmp_path):
    if "parquet" in layout:
        pytest.importorskip("pyarrow", reason="the extra `parquet` is not installed")
    lost = dataset.save(tmp_path / "folder", layout)
    assert not [sentence for sentence in lost if "text" in sentence]
    assert_same_data(Dataset.load(tmp_path / "folder"), dataset, ignoring={"ids", "fields"})


@pytest.mark.parametrize("layout", [name for name in TEXT_LAYOUTS if "gz" not in name and "parquet" not in name])
def test_packed_files_are_known_by_their_content_whatever_their_names(layout, dataset, tmp_path):
    dataset.save(tmp_path / "folder", layout)
    for path in (tmp_path / "folder").iterdir():
        path.write_bytes(gzip.compress(path.read_bytes()))
    assert_same_data(Dataset.load(tmp_path / "folder"), dataset, ignoring={"ids", "fields"})


def test_the_bundled_set_loads_by_its_name():
    data = Dataset.load("related-packages")
    assert data.name == "related-packages"
    assert len(data.train) == 8930
    assert data.test is not None
    assert data.test.excluded is not None


def test_a_synthetic_shape_loads_by_its_name():
    data = Dataset.load("shape:LF-AmazonTitles-131K:0.001")
    assert (len(data.train), len(data.labels)) == (295, 131)


def test_a_name_below_the_data_folder_is_found(dataset, tmp_path, monkeypatch):
    dataset.save(tmp_path / "mine", "xc-raw")
    monkeypatch.setenv("XCLARE_DATA", str(tmp_path))
    assert_same_data(Dataset.load("mine"), dataset, ignoring={"ids"})


def test_a_file_of_records_and_a_log_are_told_apart_by_their_columns(tmp_path):
    (tmp_path / "records").write_text('{"title": "red apple", "labels": ["fruit", "red"]}\n')
    (tmp_path / "log").write_text("query\titem\tclicks\nred apple\tfruit\t2\nred apple\tred\t1\n")
    everything = DataSettings(split="none")
    records = Dataset.load(tmp_path / "records", settings=everything)
    log = Dataset.load(tmp_path / "log", settings=everything)
    assert list(records.train.texts) == list(log.train.texts) == ["red apple"]
    assert log.train.targets.toarray().tolist() == [[2.0, 1.0]]
    assert records.train.targets.toarray().tolist() == [[1.0, 1.0]]


def test_text_is_read_where_features_stand_beside_it(dataset, tmp_path, caplog):
    from xclare.text.features import with_features

    dataset.save(tmp_path / "both", "xc-raw")
    with_features(dataset).save(tmp_path / "features", "xc-sparse")
    for path in (tmp_path / "features").glob("*X*"):
        shutil.copy(path, tmp_path / "both")
    with caplog.at_level("INFO", logger="xclare"):
        data = Dataset.load(tmp_path / "both")
    assert data.train.has_text
    assert not data.has_features
    assert "the texts are read" in caplog.text


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("related-pakages", "Did you mean 'related-packages'?"),
        ("shape:LF-Nothing", "LF-AmazonTitles-131K"),
        ("no/such/place", "There is nothing named 'no/such/place'"),
        ("", "There is nothing named ''"),
    ],
)
def test_a_name_that_leads_nowhere_is_refused_with_what_would(name, message, monkeypatch):
    monkeypatch.delenv("XCLARE_DATA", raising=False)
    with pytest.raises(InputError) as error:
        Dataset.load(name)
    assert message in str(error.value)


def test_a_folder_of_no_known_layout_is_refused_with_what_it_holds(tmp_path):
    (tmp_path / "notes.doc").write_text("nothing")
    with pytest.raises(InputError, match=r"it holds notes\.doc"):
        Dataset.load(tmp_path)


def test_an_existing_folder_is_not_written_into(dataset, tmp_path):
    (tmp_path / "mine").write_text("precious")
    with pytest.raises(InputError, match="not an empty folder"):
        dataset.save(tmp_path, "xc-raw")
    assert [path.name for path in Path(tmp_path).iterdir()] == ["mine"]


def test_a_layout_of_features_wants_features(dataset, tmp_path):
    with pytest.raises(InputError, match="holds features, and lists has none yet"):
        dataset.save(tmp_path / "sparse", "xc-sparse")
    assert not (tmp_path / "sparse").exists()
