"""Training, predicting and looking at models as users of the command line do."""

import json
import shutil

import numpy as np
import pytest
from scipy.sparse import load_npz
from typer.testing import CliRunner

from tiny import LABELS, assignments, differing, tiny_data
from xclare.cli.main import app
from xclare.config import PRESETS
from xclare.data.dataset import Dataset
from xclare.data.formats.npz import write_csr
from xclare.data.ready_features import save as save_features
from xclare.inference.model_folder import SavedModel
from xclare.inference.predictor import Predictor

pytest.importorskip("torch", reason="the extra `train` is not installed")

from xclare.training import pipeline

runner = CliRunner()
LITTLE = [*assignments(), "--threads", "1"]


def run(*arguments, status=0, **options):
    result = runner.invoke(app, [str(argument) for argument in arguments], **options)
    assert result.exit_code == status, result.output + repr(result.exception)
    return result


def as_json(*arguments):
    return json.loads(run(*arguments, "--json").stdout)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tiny") / "data"
    tiny_data().save(folder, "xc-raw")
    return folder


@pytest.fixture(scope="module")
def model(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("trained") / "model"
    run("train", data, "--model", folder, *LITTLE, "--validation", "0.2")
    return folder


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


# Training


def test_training_says_what_it_is_about_to_do_and_what_it_made(data, tmp_path):
    result = run("train", data, "--model", tmp_path / "model", *LITTLE, "--seed", 3, "--validation", 0.2)
    for part in ("About to train on data", "auto, 3", "cpu, float32", "48, 12 held out", "2 / 2 / 2", "GiB"):
        assert part in result.stderr
    for part in ("A model for data", "Validation documents, in percent", "P@1", f"Wrote {tmp_path / 'model'}."):
        assert part in result.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["model"]
    assert (tmp_path / "model" / "training.jsonl").exists()


def test_training_prints_one_object_and_quietly_nothing_else(data, tmp_path):
    result = run("train", data, "--model", tmp_path / "model", *LITTLE, "--json", "--quiet")
    found = json.loads(result.stdout)
    assert result.stderr == ""
    assert found["model"] == str(tmp_path / "model")
    assert found["about"]["sizes"]["labels"] == 30
    assert found["metrics"] == {}


def test_a_run_that_stops_after_a_module_goes_on_with_the_next(data, model, tmp_path):
    place = tmp_path / "model"
    arguments = ["train", data, "--model", place, *LITTLE, "--validation", 0.2]
    assert "Stopped after Module 1" in run(*arguments, "--stop-after", 1).stdout
    found = as_json(*arguments, "--stop-after", 2)
    assert found == {"model": None, "workspace": f"{place}.training", "finished": 2}
    assert not place.exists()
    log = run(*arguments).stderr
    assert "Module I was finished before: it is taken from" in log
    assert "Module II was finished before" in log
    assert differing(SavedModel.load(place), SavedModel.load(model)) == set()
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


@pytest.mark.parametrize("number", [2, 4])
def test_an_interrupted_run_ends_with_status_130_and_goes_on_later(data, model, tmp_path, monkeypatch, number):
    name = {2: "learn_shortlister", 4: "learn_classifiers"}[number]
    arguments = ["train", data, "--model", tmp_path / "model", *LITTLE, "--validation", 0.2]

    def interrupt(*arguments):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(pipeline, name, interrupt)
        assert "interrupted" in run(*arguments, status=130).stderr
    assert [path.name for path in tmp_path.iterdir()] == ["model.training"]
    kept = sorted(path.name for path in (tmp_path / "model.training").glob("module_*"))
    assert kept == [f"module_{done}.safetensors" for done in range(1, number)]
    run(*arguments)
    assert differing(SavedModel.load(tmp_path / "model"), SavedModel.load(model)) == set()


def forbid(*arguments, **options):
    raise AssertionError("nothing must be read or trained")


def test_a_place_that_is_taken_is_refused_before_anything_is_read(data, model, tmp_path, monkeypatch):
    monkeypatch.setattr(Dataset, "load", forbid)
    before = files(model)
    assert "exists already" in run("train", data, "--model", model, *LITTLE, status=2).stderr
    assert files(model) == before
    (tmp_path / "diary").write_text("text")
    for arguments in ([], ["--overwrite"]):
        run("train", data, "--model", tmp_path, *arguments, status=2)
        run("train", data, "--model", tmp_path / "diary", *arguments, status=2)
    assert [path.name for path in tmp_path.iterdir()] == ["diary"]


def test_a_model_is_intact_until_the_one_that_replaces_it_is_whole(data, model, tmp_path, monkeypatch):
    place = shutil.copytree(model, tmp_path / "model")
    before = files(place)
    arguments = ["train", data, "--model", place, *LITTLE, "--overwrite", "--seed", 5]
    real = SavedModel.save

    def fail(self, folder):
        real(self, folder)
        assert files(place) == before
        raise OSError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(SavedModel, "save", fail)
        assert "the disk is full" in run(*arguments, status=1).stderr
    assert files(place) == before
    run(*arguments)
    assert SavedModel.load(place).about["seed"] == 5
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_a_graph_of_ones_own_is_taken(data, tmp_path):
    (tmp_path / "own.csv").write_text(f"source,target,weight\n{LABELS[0]},{LABELS[5]},2\n")
    run("train", data, "--model", tmp_path / "model", *LITTLE, "--graph", tmp_path / "own.csv")
    assert SavedModel.load(tmp_path / "model").graph[0, 5] > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--set", "training.epoch_1=3"], "did you mean 'epochs_1'"),
        (["--preset", "papre"], "did you mean 'paper'"),
        (["--device", "tpu"], "--device tpu: expected `auto`, `cpu` or `cuda`"),
        (["--stop-after", "5"], "--stop-after"),
        (["--validation", "1.5"], "training.validation = 1.5"),
        (["--graph", "nowhere.npz"], "nowhere.npz does not exist"),
        (["--set", "model.order=-1"], "model.order = -1"),
    ],
)
def test_bad_arguments_end_with_status_two_and_leave_nothing(data, tmp_path, arguments, message):
    result = run("train", data, "--model", tmp_path / "model", *arguments, status=2)
    assert message in result.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("preset", PRESETS)
def test_data_of_one_document_and_one_label_trains_and_data_without_labels_is_refused(preset, tmp_path):
    little = [*LITTLE, "--preset", preset, "--split", "none"]
    (tmp_path / "one.jsonl").write_text('{"text": "red apple", "labels": ["fruit"]}\n')
    run("train", tmp_path / "one.jsonl", "--model", tmp_path / "model", *little)
    found = json.loads(run("predict", tmp_path / "model", "--format", "jsonl", input="red apple").stdout)
    assert [entry["label"] for entry in found["predictions"]] == ["fruit"]
    (tmp_path / "none.jsonl").write_text('{"text": "red apple", "labels": []}\n')
    result = run("train", tmp_path / "none.jsonl", "--model", tmp_path / "other", *little, status=2)
    assert result.stderr.strip()
    assert not (tmp_path / "other").exists()
    assert not (tmp_path / "other.training").exists()


def test_labels_named_by_ids_alone_are_predicted_by_id(tmp_path):
    rows = [{"text": f"{LABELS[row % 6]} {row}", "labels": [100 + row % 6]} for row in range(30)]
    (tmp_path / "x.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    run("train", tmp_path / "x.jsonl", "--model", tmp_path / "model", *LITTLE, "--split", "none")
    found = json.loads(run("predict", tmp_path / "model", "-k", 9, "--format", "jsonl", input="red").stdout)
    assert sorted(entry["id"] for entry in found["predictions"]) == [str(100 + row) for row in range(6)]


# Predicting


@pytest.fixture
def predictor(model):
    return Predictor.load(model)


def test_lines_of_standard_input_are_answered_in_text(model, predictor):
    result = run("predict", model, "-k", 2, input="red apple\n\nold lamp\n")
    lines = result.stdout.splitlines()
    assert [lines[0], lines[3], lines[4]] == ["red apple", "#1", "old lamp"]
    expected = predictor.predict("red apple", 2)[0]
    assert lines[1:3] == [f"  {score:.4f}\t{label}" for label, score in expected]
    assert "1 of 3 documents have no known token" in result.stderr
    assert run("predict", model, "--quiet", input="\n").stderr == ""
    assert run("predict", model, input="").stdout == ""


def test_every_format_holds_the_same_predictions(model, predictor, tmp_path):
    texts = ["red apple", "old lamp", "green window"]
    (tmp_path / "in.txt").write_text("\n".join(texts))
    expected = predictor.scores(predictor.features(texts), 4)
    printed = run("predict", model, tmp_path / "in.txt", "-k", 4, "--format", "jsonl").stdout
    for name in ("jsonl", "npz", "trec", "text"):
        run("predict", model, tmp_path / "in.txt", "-k", 4, "--format", name, "--out", tmp_path / name)
    assert (tmp_path / "jsonl").read_text() == printed
    lines = [json.loads(line) for line in printed.splitlines()]
    assert [line["text"] for line in lines] == texts
    found = [[(p["label"], p["score"]) for p in line["predictions"]] for line in lines]
    by_python = predictor.predict(texts, 4)
    assert [[label for label, _ in row] for row in found] == [[label for label, _ in row] for row in by_python]
    assert np.array_equal(load_npz(tmp_path / "npz").toarray(), expected.toarray())
    assert [line.split()[4] for line in (tmp_path / "trec").read_text().splitlines()][:4] == [
        str(np.float64(score)) for _, score in by_python[0]
    ]
    assert (tmp_path / "text").read_text().splitlines()[0] == "red apple"
    assert len((tmp_path / "text").read_text().splitlines()) == 15


def test_tables_and_features_are_answered(model, predictor, tmp_path):
    (tmp_path / "in.csv").write_text('id,title\nx1,"red apple"\nx2,old lamp\n')
    (tmp_path / "in.jsonl").write_text('{"uid": "x1", "title": "red apple"}\n{"uid": "x2", "title": "old lamp"}\n')
    write_csr(tmp_path / "in.npz", predictor.features(["red apple", "old lamp"]))
    found = {}
    for name in ("csv", "jsonl", "npz"):
        lines = run("predict", model, tmp_path / f"in.{name}", "--format", "jsonl").stdout.splitlines()
        found[name] = [[(p["label"], p["score"]) for p in json.loads(line)["predictions"]] for line in lines]
    assert found["csv"] == found["jsonl"] == found["npz"]
    assert (
        json.loads(run("predict", model, tmp_path / "in.csv", "--format", "jsonl").stdout.splitlines()[1])["id"] == "x2"
    )


def test_labels_are_allowed_denied_and_left_out_below_a_threshold(model, tmp_path):
    def labels(*arguments):
        line = run("predict", model, "-k", 30, "--format", "jsonl", *arguments, input="red apple").stdout
        return {entry["label"]: entry["score"] for entry in json.loads(line)["predictions"]}

    every = labels()
    assert set(every) == set(LABELS)
    (tmp_path / "some").write_text("red apple\nold lamp\ngreen pear\n")
    (tmp_path / "few").write_text("old lamp\n")
    assert labels("--allow", tmp_path / "some", "--deny", tmp_path / "few") == {
        name: every[name] for name in every if name in ("red apple", "green pear")
    }
    assert "old lamp" not in labels("--deny", tmp_path / "few")
    middle = sorted(every.values())[15]
    assert labels("--threshold", middle) == {name: score for name, score in every.items() if score >= middle}
    assert labels("--threshold", 1.1) == {}


def test_the_search_can_be_chosen(model):
    by = {
        search: run("predict", model, "--format", "jsonl", "--search", search, input="red apple").stdout
        for search in ("exact", "shortlist")
    }
    assert by["exact"] != by["shortlist"]
    assert by["exact"] == run("predict", model, "--format", "jsonl", input="red apple").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--format", "xml"], "--format xml: expected one of text"),
        (["--format", "npz"], "needs a file"),
        (["--top-k", "0"], "top-k"),
        (["--search", "auto"], "expected `shortlist` or `exact`"),
        (["nowhere.txt"], "nowhere.txt does not exist"),
        (["--allow", "nowhere.txt"], "nowhere.txt does not exist"),
    ],
)
def test_bad_questions_end_with_status_two(model, arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("predict", model, *arguments, status=2, input="red apple")
    assert message in result.stderr
    assert result.stdout == ""
    assert not list(tmp_path.iterdir())


def test_what_is_no_model_is_refused_by_every_verb(data, tmp_path):
    for arguments in (["predict", tmp_path], ["inspect", tmp_path], ["evaluate", data, "--model", tmp_path]):
        assert "is no model folder" in run(*arguments, status=2, input="x").stderr


# Evaluating and inspecting


def test_a_model_is_scored_as_its_predictions_are(data, model, tmp_path):
    texts = [json.loads(line)["title"] for line in (data / "tst.json").read_text().splitlines()]
    (tmp_path / "in.txt").write_text("\n".join(texts))
    run("predict", model, tmp_path / "in.txt", "-k", 100, "--format", "npz", "--out", tmp_path / "p.npz")
    own = as_json("evaluate", data, "--model", model)
    assert own == as_json("evaluate", data, "--predictions", tmp_path / "p.npz")
    assert {"P@1", "P@3", "P@5", "PSP@1", "nDCG@5", "PSnDCG@5", "R@10", "R@100", "coverage@5"} <= set(own)
    assert own["documents"] == 12
    assert "12 test documents" in run("evaluate", data, "--model", model).stdout
    other = as_json("evaluate", data, "--model", model, "--search", "shortlist")
    assert set(other) == set(own)
    weighed = as_json("evaluate", data, "--model", model, "--propensity-a", 0.6, "--propensity-b", 2.6)
    assert weighed["settings"]["propensity_b"] == 2.6


def test_a_model_of_other_labels_is_refused(data, model, tmp_path):
    texts, targets = ["red apple", "old lamp"], [[0], [1]]
    tests = {"test_texts": texts, "test_labels": targets}
    renamed = [f"{name} of another kind" for name in LABELS]
    Dataset.from_lists(texts, targets, renamed, **tests).save(tmp_path / "renamed", "xc-raw")
    Dataset.from_lists(texts, targets, LABELS[:7], **tests).save(tmp_path / "fewer", "xc-raw")
    for name in ("renamed", "fewer"):
        result = run("evaluate", tmp_path / name, "--model", model, status=2)
        assert "not all of the model's are among them" in result.stderr
        assert result.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "--model FOLDER or --predictions FILE, one of them"),
        (["--model", "a", "--predictions", "b"], "one of them"),
        (["--predictions", "b", "--search", "exact"], "--search is for a model"),
    ],
)
def test_what_is_to_be_scored_must_be_clear(data, arguments, message):
    assert message in run("evaluate", data, *arguments, status=2).stderr


def test_inspect_shows_sizes_components_metrics_and_settings(model):
    text = run("inspect", model).stdout
    for part in ("A model for data", "labels", "refinement", "Validation documents", "auto, 0"):
        assert part in text
    assert "training.epochs_1" not in text
    assert "training.epochs_1" in run("inspect", model, "--settings").stdout
    found = as_json("inspect", model)
    assert set(found) == {"about", "config", "metrics", "components"}
    assert found["config"]["model"]["dimension"] == 8
    assert [row["bin"] for row in found["components"]] == [1, 2, 3, 4, 5]
    assert "P@1" in found["metrics"]["validation"]


def test_a_model_of_ready_made_features_reads_features_and_refuses_text(data, model, tmp_path):
    loaded = Dataset.load(data)
    learnt = SavedModel.load(model).text
    from xclare.text.features import with_features

    save_features(with_features(loaded, None), tmp_path / "features.npz")
    arguments = ["--features", tmp_path / "features.npz"]
    run("train", data, "--model", tmp_path / "model", *LITTLE, *arguments)
    assert "ready-made features" in run("inspect", tmp_path / "model").stdout
    assert as_json("evaluate", data, "--model", tmp_path / "model", *arguments)["documents"] == 12
    refused = "trained on ready-made features, so it cannot read text"
    assert refused in run("predict", tmp_path / "model", input="red apple", status=2).stderr
    assert refused in run("evaluate", data, "--model", tmp_path / "model", status=2).stderr
    write_csr(tmp_path / "narrow.npz", learnt.transform(["red apple"])[:, :5])
    message = run("predict", model, tmp_path / "narrow.npz", status=2).stderr
    assert "have 5 features each: expected" in message
