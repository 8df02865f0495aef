import json
import re
import shutil

import numpy as np
import pytest

from tiny import arrays_of, differing, tiny_config, tiny_data
from xclare.errors import InputError
from xclare.inference.model_folder import CARD_FILE, CONFIG_FILE, METRICS_FILE, SavedModel, members_of
from xclare.inference.predictor import Predictor
from xclare.persistence.tensors import INDEX_FILE, read_tensors, write_tensors
from xclare.text.features import ARRAYS_FILE, TOKENIZER_FILE
from xclare.threads import threads

pytest.importorskip("torch", reason="the extra `train` is not installed")

from xclare.estimator import save_model, train
from xclare.training.prepared import prepare

FILES = {CONFIG_FILE, METRICS_FILE, CARD_FILE, INDEX_FILE, TOKENIZER_FILE, ARRAYS_FILE, "weights-1.safetensors"}


def trained(**changes):
    with threads(1):
        return train(prepare(tiny_data(), tiny_config(**changes)))


@pytest.fixture(scope="module")
def model():
    return trained(training__validation=0.2, model__block_shift=True, model__attention_shift=True)


@pytest.fixture(scope="module")
def saved(model, tmp_path_factory):
    folder = tmp_path_factory.mktemp("saved") / "model"
    save_model(model, folder)
    return folder


@pytest.fixture
def folder(saved, tmp_path):
    return shutil.copytree(saved, tmp_path / "model")


def test_a_model_comes_back_as_it_was(model, saved):
    found = SavedModel.load(saved)
    assert differing(found, model) == set()
    assert {path.name for path in saved.iterdir()} == FILES
    assert found.metrics == json.loads(json.dumps(model.metrics))
    assert found.about == model.about
    assert json.loads(json.dumps(model.config)) == found.config
    assert found.labels == 30


def test_nothing_in_a_folder_is_executed_when_it_is_read(saved):
    kinds = {path.suffix for path in saved.iterdir()}
    assert kinds == {".json", ".safetensors", ".md", ".npz"}
    with np.load(saved / ARRAYS_FILE, allow_pickle=False) as arrays:
        assert all(arrays[name].dtype != object for name in arrays)


def test_a_model_saved_again_has_the_same_files(saved, tmp_path):
    save_model(SavedModel.load(saved), tmp_path / "again")
    for name in FILES - {ARRAYS_FILE}:  # a zip file, which holds times
        assert (tmp_path / "again" / name).read_bytes() == (saved / name).read_bytes(), name


def test_a_model_can_replace_the_files_it_was_read_from(folder, model):
    save_model(SavedModel.load(folder), folder, overwrite=True)
    assert differing(SavedModel.load(folder), model) == set()
    assert [path.name for path in folder.parent.iterdir()] == ["model"]


def test_a_place_that_holds_anything_is_refused_and_what_is_no_model_is_never_overwritten(folder, model, tmp_path):
    with pytest.raises(InputError, match="exists already"):
        save_model(model, folder)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "diary").write_text("text")
    with pytest.raises(InputError, match="holds something that is no model"):
        save_model(model, tmp_path / "mine", overwrite=True)
    assert (tmp_path / "mine" / "diary").read_text() == "text"


def test_the_card_says_what_was_trained_and_how_good_it_is(model, saved):
    card = (saved / CARD_FILE).read_text()
    for part in (
        "# An xclare model for tiny",
        "preset `auto`, seed 0",
        "| labels | 30 |",
        "| training documents | 48 |",
    ):
        assert part in card
    assert f"| P@1 | {model.metrics['validation']['P@1']:.2f} |" in card
    assert "Eclare.from_pretrained" in card


def test_the_configuration_has_every_choice_made(saved):
    config = json.loads((saved / CONFIG_FILE).read_text())["config"]
    assert config["model"]["dimension"] == 8
    assert config["clustering"]["clusters"] == 8
    assert config["game"]["beam"] == 8
    assert config["predict"]["search"] == "exact"
    assert config["training"]["negatives"] == "all"
    assert config["training"]["precision"] == "float32"


def test_half_precision_takes_half_the_space_and_predicts_alike(tmp_path):
    full, half = trained(), trained(predict__weights="float16")
    save_model(full, tmp_path / "full")
    save_model(half, tmp_path / "half")
    stored = read_tensors(tmp_path / "half")
    halved = {name for name, array in stored.items() if array.dtype == np.float16}
    assert halved == {"token_embeddings", "shortlister.classifiers", "ranker.classifiers", "label_side.refinement"}
    loaded = SavedModel.load(tmp_path / "half")
    assert {array.dtype for name, array in arrays_of(full).items() if name in halved} == {np.dtype(np.float32)}
    assert loaded.embeddings.dtype == np.float32
    texts = list(tiny_data().test.texts)
    found = [Predictor.load(tmp_path / name).predict(texts, 30) for name in ("full", "half")]
    scores = [[dict(row) for row in rows] for rows in found]
    for one, other in zip(*scores, strict=True):
        np.testing.assert_allclose([one[name] for name in sorted(one)], [other[n] for n in sorted(other)], atol=2e-3)


@pytest.mark.parametrize("name", sorted(FILES - {CARD_FILE}))
def test_a_missing_file_is_named(folder, name):
    (folder / name).unlink()
    with pytest.raises(InputError, match=re.escape(name)):
        SavedModel.load(folder)


def test_what_is_no_model_folder_is_refused_with_the_line_that_trains_one(tmp_path):
    (tmp_path / "file").write_text("text")
    for place in (tmp_path, tmp_path / "nowhere", tmp_path / "file"):
        with pytest.raises(InputError, match=r"is no model folder\. Train one: xclare train --help"):
            SavedModel.load(place)


@pytest.mark.parametrize("text", ["", "{", "[]", "3", "\ud800"])
@pytest.mark.parametrize("name", [CONFIG_FILE, METRICS_FILE])
def test_damaged_json_is_refused_with_the_files_name(folder, name, text):
    (folder / name).write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(InputError, match=re.escape(name)):
        SavedModel.load(folder)


def test_another_format_is_refused_with_what_to_do(folder):
    whole = json.loads((folder / CONFIG_FILE).read_text())
    for number in (2, 0, None, "1"):
        (folder / CONFIG_FILE).write_text(json.dumps({**whole, "format": number}))
        with pytest.raises(InputError, match=f"found format {number!r}, expected format 1. Install the version"):
            SavedModel.load(folder)


@pytest.mark.parametrize("section", ["game", "predict"])
def test_settings_that_are_missing_or_unknown_are_refused(folder, section):
    whole = json.loads((folder / CONFIG_FILE).read_text())
    for settings in (None, {**whole["config"][section], "nonsense": 3}):
        config = {**whole["config"], section: settings}
        (folder / CONFIG_FILE).write_text(json.dumps({**whole, "config": config}))
        with pytest.raises(InputError, match="found a damaged model"):
            SavedModel.load(folder)


@pytest.mark.parametrize("name", ["token_embeddings", "ranker.residual", "graph.indptr", "cluster_of_label"])
def test_a_missing_array_is_refused(folder, name):
    arrays = {key: np.array(array) for key, array in read_tensors(folder).items() if key != name}
    write_tensors(folder, arrays)
    with pytest.raises(InputError, match="damaged model"):
        SavedModel.load(folder)


def test_a_damaged_graph_is_refused(folder):
    arrays = {key: np.array(array) for key, array in read_tensors(folder).items()}
    arrays["graph.indices"][3] = 1000
    write_tensors(folder, arrays)
    with pytest.raises(InputError, match=r"graph\.indices"):
        SavedModel.load(folder)


def test_the_members_of_clusters_are_the_labels_in_them():
    members = members_of(np.array([2, 0, 2, 1, 0], np.int32), 4)
    assert members.toarray().tolist() == [[0, 1, 0, 0, 1], [0, 0, 0, 1, 0], [1, 0, 1, 0, 0], [0, 0, 0, 0, 0]]
    assert members.has_canonical_format
