"""The command line as its users meet it: streams, exit statuses, help, JSON."""

import json
import re

import numpy as np
import pytest
from typer.testing import CliRunner

from tiny import tiny_data
from xclare import Dataset
from xclare.cli.main import app
from xclare.version import __version__

VERBS = (
    "demo",
    "stats",
    "convert",
    "baseline",
    "evaluate",
    "graph",
    "clusters",
    "train",
    "predict",
    "inspect",
    "doctor",
)
runner = CliRunner()


def run(*arguments, status=0):
    result = runner.invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == status, result.output + repr(result.exception)
    return result


@pytest.fixture
def folder(tmp_path):
    texts = ["red apple", "green pear", "green lamp", "red lamp", "red pear"]
    labels = [["fruit"], ["fruit", "green things"], ["green things", "lamps"], ["lamps"], ["fruit"]]
    tests = {"test_texts": ["green apple", "lamp"], "test_labels": [["fruit"], ["lamps"]]}
    Dataset.from_lists(texts, labels, **tests).save(tmp_path / "things", "xc-raw")
    return tmp_path / "things"


def test_the_version_is_printed_on_standard_output():
    assert run("--version").stdout == f"{__version__}\n"


@pytest.mark.parametrize("verb", VERBS)
def test_every_help_ends_with_an_example(verb):
    text = run(verb, "--help").stdout
    assert re.search(f"Example: .*xclare {verb}", " ".join(re.sub(r"[│╭╰─╮╯]", " ", text).split()))


def test_stats_prints_a_table_or_json(folder):
    assert "training documents" in run("stats", folder).stdout
    found = json.loads(run("stats", folder, "--json").stdout)
    keys = "train_documents test_documents labels vocabulary labels_per_document documents_per_label"
    keys += " tokens_per_document tokens_per_label share_of_labels_under_5"
    assert set(keys.split()) <= set(found)
    assert (found["train_documents"], found["test_documents"], found["labels"]) == (5, 2, 3)
    assert found["tokens_per_document"] > 0


def test_stats_draws_the_label_frequency_figure(folder, tmp_path):
    pytest.importorskip("matplotlib", reason="the extra `plots` is not installed")
    run("stats", folder, "--plot", tmp_path / "figure.svg")
    assert (tmp_path / "figure.svg").read_text().startswith("<?xml")


@pytest.mark.parametrize("name", ["popularity", "nearest-label", "nearest-document"])
def test_a_baseline_writes_predictions_that_evaluate_scores_alike(name, folder, tmp_path):
    out = tmp_path / "predictions.npz"
    own = json.loads(run("baseline", name, folder, "--out", out, "--json").stdout)
    other = json.loads(run("evaluate", folder, "--predictions", out, "--json").stdout)
    assert {key: own[key] for key in other if "@" in key} == {key: other[key] for key in other if "@" in key}
    assert {"P@1", "P@3", "P@5", "PSP@1", "nDCG@5", "PSnDCG@5", "R@10", "R@100", "coverage@5"} <= set(other)


def test_evaluate_prints_bins_and_intervals(folder, tmp_path):
    run("baseline", "popularity", folder, "--out", tmp_path / "p.npz", "--quiet")
    text = run("evaluate", folder, "--predictions", tmp_path / "p.npz", "--bootstrap", 20).stdout
    assert re.search(r"P@1 +\d+\.\d\d \(\d+\.\d\d to \d+\.\d\d\)", text)
    assert "rarest labels" in text


def test_convert_says_what_a_layout_cannot_carry(folder, tmp_path):
    text = run("convert", folder, tmp_path / "sparse", "--to", "xc-sparse").stdout
    assert "Not carried:" in text
    assert Dataset.load(tmp_path / "sparse").has_features


def test_doctor_reports_what_is_installed():
    assert json.loads(run("doctor", "--json").stdout)["xclare"] == __version__
    assert "numpy" in run("doctor").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["stats", "nowhere"], "nowhere"),
        (["stats", "related-packages", "--set", "data.splt=none"], "did you mean 'split'"),
        (["stats", "related-packages", "--preset", "best"], "preset 'best' is unknown"),
        (["stats", "shape:LF-Amazon"], "LF-AmazonTitles-131K"),
        (["baseline", "popular", "related-packages"], "did you mean 'popularity'"),
        (["evaluate", "related-packages", "--predictions", "no.npz"], "no.npz does not exist"),
        (["convert", "related-packages", "x", "--to", "cvs"], "did you mean 'csv'"),
    ],
)
def test_bad_arguments_end_with_status_two_and_a_message_on_standard_error(arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run(*arguments, status=2)
    assert message in result.stderr
    assert result.stdout == ""
    assert not list(tmp_path.iterdir())


def test_an_option_that_is_not_there_ends_with_status_two():
    assert "--nothing" in run("stats", "related-packages", "--nothing", status=2).stderr


def test_an_interrupted_verb_ends_with_status_130(monkeypatch):
    def interrupt(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(Dataset, "load", interrupt)
    assert "interrupted" in run("stats", "related-packages", status=130).stderr


LITTLE = [
    part
    for name, value in (
        ("training.epochs_1", 1),
        ("training.epochs_2", 1),
        ("training.epochs_4", 1),
        ("training.batch_size", 512),
        ("training.precision", "float32"),
        ("model.dimension", 8),
        ("graph.walk_length", 10),
    )
    for part in ("--set", f"{name}={value}")
]


def test_the_demo_trains_a_model_and_compares_it_with_three_baselines(tmp_path):
    pytest.importorskip("torch", reason="the extra `train` is not installed")
    result = run("demo", "--json", "--model", tmp_path / "model", *LITTLE)
    found = json.loads(result.stdout)
    assert "About to train on related-packages" in result.stderr
    scores = {name: entry["P@1"] for name, entry in found["baselines"].items()}
    assert scores["popularity"] < scores["nearest-label"] < scores["nearest-document"]
    assert {"P@1", "PSP@5", "R@100", "bins"} <= set(found["xclare"])
    assert (found["reused"], found["model"]) == (False, str(tmp_path / "model"))
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_the_demo_takes_up_its_model_again_unless_anything_is_another(tmp_path, monkeypatch):
    pytest.importorskip("torch", reason="the extra `train` is not installed")
    data = tiny_data()
    monkeypatch.setattr(Dataset, "load", lambda *arguments, **options: data)
    arguments = ["demo", "--model", tmp_path / "model", "--quiet", *LITTLE]

    def is_reused(*more):
        return json.loads(run(*arguments, *more, "--json").stdout)["reused"]

    assert not is_reused()
    assert is_reused()
    lines = run(*arguments).stdout.splitlines()
    assert "(trained before: --retrain trains again)" in lines[-1]
    assert any("text editor for programmers" in line for line in lines)
    assert any(line.startswith(" coverage@5") for line in lines)
    assert not is_reused("--retrain")
    assert not is_reused("--seed", 1)
    assert not is_reused("--seed", 1, "--set", "predict.mix=0.5")
    assert is_reused("--seed", 1, "--set", "predict.mix=0.5", "--set", "training.stop_after=2")
    (tmp_path / "model" / "config.json").write_text("{")
    assert not is_reused()


def test_the_demo_never_replaces_what_is_no_model(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "diary").write_text("text")
    assert "holds something that is no model" in run("demo", "--model", tmp_path / "mine", status=2).stderr
    assert (tmp_path / "mine" / "diary").read_text() == "text"


def test_quiet_says_nothing_but_the_result(folder):
    assert run("stats", folder, "--json", "--quiet").stderr == ""


def test_graph_saves_shows_and_draws(folder, tmp_path):
    pytest.importorskip("matplotlib", reason="the extra `plots` is not installed")
    assert "labels without neighbours" in run("graph", folder, "--out", tmp_path / "g.npz").stdout
    assert (tmp_path / "g.npz").exists()
    shown = run("graph", folder, "--show", "fruit", "--plot", tmp_path / "g.svg").stdout
    assert "Neighbours of fruit" in shown
    assert "green things" in shown
    assert (tmp_path / "g.svg").read_text().startswith("<?xml")
    found = json.loads(run("graph", folder, "--show", "fruit", "--json").stdout)
    assert found["labels"] == 3
    assert found["neighbours"][0]["label"] == "green things"


def test_a_plot_without_a_label_is_refused(folder):
    assert "--show LABEL" in run("graph", folder, "--plot", "x.svg", status=2).stderr


def test_clusters_are_saved_compared_and_shown(folder, tmp_path):
    text = run("clusters", folder, "--out", tmp_path / "c.npz", "--set", "clustering.clusters=2").stdout
    assert "Loss of mutual information" in text
    assert sorted(np.unique(np.load(tmp_path / "c.npz")["cluster_of_label"])) == [0, 1]
    run("graph", folder, "--out", tmp_path / "g.npz")
    found = json.loads(run("clusters", folder, "--graph", tmp_path / "g.npz", "--json", "--samples", 0).stdout)
    assert {row["method"] for row in found["lmi"]} == {"augmented", "plain", "random"}
