"""Runs as a whole: stopped and gone on with, repeated, of other data, interrupted."""

import dataclasses
import json

import numpy as np
import pytest

from tiny import LABELS, arrays_of, differing, tiny_config, tiny_data
from xclare.data.dataset import Dataset
from xclare.errors import InputError
from xclare.inference.predictor import Predictor
from xclare.sparse import csr_from_pairs
from xclare.threads import threads

pytest.importorskip("torch", reason="the extra `train` is not installed")

from xclare.training import pipeline
from xclare.training.pipeline import train_model, uses_graph
from xclare.training.prepared import hold_out, prepare
from xclare.training.workspace import Workspace

MODULES = ("learn_token_embeddings", "learn_shortlister", "initialise", "learn_classifiers")
LISTED = {"training__negatives": "shortlist+graph", "game__beam": 3}


def run(data=None, folder=None, *, seed=0, preset="auto", own_graph=None, **changes):
    with threads(1):
        prepared = prepare(data or tiny_data(), tiny_config(preset, **changes), seed=seed, own_graph=own_graph)
        return train_model(prepared, folder)


@pytest.fixture(scope="module")
def whole():
    return run(**LISTED)


@pytest.fixture
def ran(monkeypatch):
    """The modules that were run, in order; Module III, of which only the lists are kept, by its lists."""
    seen = []

    def noted(number, name):
        real = getattr(pipeline, name)

        def module(*arguments):
            if number != 3 or arguments[4] is None:
                seen.append(number)
            return real(*arguments)

        monkeypatch.setattr(pipeline, name, module)

    for number, name in enumerate(MODULES, 1):
        noted(number, name)
    return seen


def test_a_run_that_stops_after_every_module_gives_the_bits_of_an_uninterrupted_one(whole, ran, tmp_path):
    folder = tmp_path / "work"
    for module in (1, 2, 3):
        assert run(folder=folder, training__stop_after=module, **LISTED) is None
        assert sorted(path.name for path in folder.glob("module_*")) == [
            f"module_{number}.safetensors" for number in range(1, module + 1)
        ]
    found = run(folder=folder, **LISTED)
    assert ran == [1, 2, 3, 4]
    assert differing(found, whole) == set()


@pytest.mark.parametrize("preset", ["reference", "astec-like"])
@pytest.mark.parametrize("embeddings", ["frozen", "learned"])
def test_other_presets_go_on_to_the_same_bits_too(preset, embeddings, tmp_path):
    changes = {"preset": preset, "training__token_embeddings": embeddings}
    for module in (1, 2, 3):
        run(folder=tmp_path / "work", training__stop_after=module, **changes)
    found = run(folder=tmp_path / "work", **changes)
    expected = run(**changes)
    assert differing(found, expected) == set()
    texts = list(tiny_data().test.texts)
    assert Predictor(found).predict(texts) == Predictor(expected).predict(texts)


def test_the_same_seed_gives_the_same_bits_and_another_seed_others(whole):
    assert differing(run(**LISTED), whole) == set()
    assert "token_embeddings" in differing(run(seed=1, **LISTED), whole)


def other_targets():
    data = tiny_data()
    targets = data.train.targets.copy()
    targets.data[0] = 2
    return dataclasses.replace(data, train=dataclasses.replace(data.train, targets=targets))


@pytest.mark.parametrize(
    ("data", "options"),
    [
        (None, {"seed": 1}),
        (None, {"training__epochs_1": 3}),
        (None, {"graph__walk_length": 300}),
        (None, {"own_graph": csr_from_pairs([0], [1], (30, 30))}),
        (other_targets, {}),
        (lambda: tiny_data(59), {}),
    ],
    ids=["seed", "epochs", "graph", "own graph", "weights", "documents"],
)
def test_another_run_does_not_take_over_what_was_finished(ran, tmp_path, data, options):
    run(folder=tmp_path / "work", training__stop_after=2)
    run(data and data(), tmp_path / "work", training__stop_after=1, **options)
    assert ran == [1, 2, 1]
    assert not (tmp_path / "work" / "module_2.safetensors").exists()


@pytest.mark.parametrize("options", [{"predict__mix": 0.5}, {"evaluation__propensity_a": 0.6}])
def test_settings_that_nothing_is_trained_by_do_not_train_anew(ran, tmp_path, options):
    run(folder=tmp_path / "work", training__stop_after=3)
    assert run(folder=tmp_path / "work", **options) is not None
    assert ran == [1, 2, 3, 4]


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_an_interrupted_run_keeps_the_modules_before(whole, tmp_path, number):
    def interrupt(*arguments):
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline, MODULES[number - 1], interrupt)
        with pytest.raises(KeyboardInterrupt):
            run(folder=tmp_path / "work", **LISTED)
    kept = sorted(path.name for path in (tmp_path / "work").glob("module_*"))
    assert kept == [f"module_{done}.safetensors" for done in range(1, number)]
    assert differing(run(folder=tmp_path / "work", **LISTED), whole) == set()


def test_the_log_has_a_line_of_json_for_everything_that_happened(tmp_path):
    run(folder=tmp_path / "work", training__stop_after=1)
    run(folder=tmp_path / "work")
    lines = [json.loads(line) for line in (tmp_path / "work" / "training.jsonl").read_text().splitlines()]
    assert [line["event"] for line in lines].count("start") == 2
    assert lines[0]["config"]["model"]["dimension"] == 8
    stages = [line["stage"] for line in lines if line["event"] == "stage"]
    assert [stage for stage in stages if stage.startswith("module")] == ["module I", "module II", "module IV"]
    steps = [line for line in lines if line["event"] == "step"]
    assert {line["module"] for line in steps} == {"I", "II", "IV"}
    assert all(np.isfinite(line["loss"]) and line["learning_rate"] >= 0 for line in steps)


def test_a_folder_of_someone_elses_is_never_removed(tmp_path):
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "diary").write_text("text")
    with pytest.raises(InputError, match="holds something else"):
        run(folder=tmp_path / "work")
    (tmp_path / "file").write_text("text")
    with pytest.raises(InputError, match="holds something else"):
        run(folder=tmp_path / "file")
    assert (tmp_path / "work" / "diary").read_text() == "text"


def test_a_module_whose_result_was_damaged_is_run_again(whole, ran, tmp_path, caplog):
    run(folder=tmp_path / "work", training__stop_after=3, **LISTED)
    path = tmp_path / "work" / "module_2.safetensors"
    path.write_bytes(path.read_bytes()[:1000])
    assert differing(run(folder=tmp_path / "work", **LISTED), whole) == set()
    assert ran == [1, 2, 3, 2, 4]
    assert "module_2.safetensors: found no arrays" in caplog.text


def test_a_run_that_was_killed_before_it_began_is_begun_again(tmp_path):
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / ".fingerprint.json.x.part").write_text("")
    assert Workspace(tmp_path / "work", "some").fresh
    assert not Workspace(tmp_path / "work", "some").fresh
    assert Workspace(tmp_path / "work", "other").fresh


def test_weights_of_pairs_change_the_model_but_neither_graph_nor_vocabulary():
    data = tiny_data()
    weights = data.train.targets.copy()
    weights.data[::3] = 4
    weighted = dataclasses.replace(data, train=dataclasses.replace(data.train, targets=weights))
    found = differing(run(weighted), run(data))
    assert {"token_embeddings", "shortlister.classifiers", "ranker.classifiers"} <= found
    assert not {name for name in found if name.startswith("graph.")}
    assert "label_counts" not in found


def replaced_where(documents, rows):
    """The documents with other texts and labels in some rows."""
    texts = ["something never seen zyx" if row else text for text, row in zip(documents.texts, rows, strict=True)]
    labels = [
        [29] if row else documents.targets.indices[slice(*documents.targets.indptr[i : i + 2])].tolist()
        for i, row in enumerate(rows)
    ]
    return Dataset.from_lists(texts, labels, LABELS).train


@pytest.mark.parametrize("preset", ["auto", "paper"])
def test_what_held_out_documents_say_changes_nothing_that_is_trained(preset):
    documents = tiny_data().train
    kept, _ = hold_out(documents, 0.25, 0)
    held_out = ~np.isin(list(documents.texts), list(kept.texts))
    assert held_out.sum() == 15
    changes = {"preset": preset, "training__validation": 0.25}
    found = [run(data, **changes) for data in (documents, replaced_where(documents, held_out))]
    assert differing(*found) == set()
    assert found[0].text.tokenizer.to_str() == found[1].text.tokenizer.to_str()
    assert found[0].about["sizes"] == found[1].about["sizes"]


def test_a_share_of_the_documents_is_held_out_by_the_seed():
    documents = tiny_data().train
    assert hold_out(documents, 0.0, 0) == (documents, None)
    kept, watched = hold_out(documents, 0.1, 0)
    assert (len(kept), len(watched)) == (54, 6)
    assert sorted([*kept.texts, *watched.texts]) == sorted(documents.texts)
    assert list(hold_out(documents, 0.1, 0)[1].texts) == list(watched.texts)
    assert list(hold_out(documents, 0.1, 1)[1].texts) != list(watched.texts)
    one = documents.take(np.array([3]))
    assert hold_out(one, 0.5, 0) == (one, None)
    two = documents.take(np.array([3, 4]))
    assert [len(part) for part in hold_out(two, 0.9, 0)] == [1, 1]


@pytest.mark.parametrize(
    "changes",
    [
        {"model__label_text": False, "model__order": 0},
        {"model__label_text": False, "model__order": 0, "training__refinement_in_module_1": True},
        {"model__refinement": False, "training__refinement_in_module_1": True},
        {"model__refinement": False, "model__order": 0},
        {"model__refinement": False, "model__label_text": False, "model__order": 2},
    ],
)
def test_a_model_of_any_components_is_trained_and_goes_on(changes, tmp_path):
    run(folder=tmp_path / "work", training__stop_after=2, **changes)
    found = run(folder=tmp_path / "work", **changes)
    assert differing(found, run(**changes)) == set()
    assert all(np.isfinite(array).all() for array in arrays_of(found).values())


def test_a_graph_is_built_where_a_setting_asks_for_it():
    assert uses_graph(tiny_config())
    assert not uses_graph(tiny_config("decaf"))
    assert not uses_graph(tiny_config("astec-like"))
    for name, value in (
        ("model__order", 1),
        ("clustering__method", "augmented"),
        ("game__mix", 0.1),
        ("predict__mix", 0.1),
        ("training__refinement_start", "graph"),
        ("training__negatives", "shortlist+graph"),
    ):
        assert uses_graph(tiny_config("decaf", **{name: value})), name
    identity = run(preset="decaf").graph
    assert (identity != csr_from_pairs(range(30), range(30), (30, 30))).nnz == 0


def test_a_graph_of_ones_own_is_mixed_in():
    own = csr_from_pairs([0, 1, 2], [3, 4, 5], (30, 30))
    found = run(own_graph=own).graph
    assert found[0, 3] > 0
    assert found[0, 1] == 0
    mixed = run(own_graph=own, graph__own_share=0.5).graph
    assert mixed[0, 3] > 0
    assert mixed[0, 1] > 0


def test_two_threads_train_a_model_that_predicts_alike(whole):
    with threads(2):
        other = train_model(prepare(tiny_data(), tiny_config(**LISTED)))
    np.testing.assert_allclose(other.ranker.classifiers, whole.ranker.classifiers, atol=1e-3)
