import builtins

import numpy as np
import pytest

from support import assert_same_matrix
from tiny import LABELS, SMALL, differing, tiny_data
from xclare import Config, Eclare
from xclare.errors import InputError, MissingExtraError, SettingError, XclareError
from xclare.threads import worker_count

PARAMETERS = {name.replace(".", "__"): value for name, value in SMALL.items()}


def estimator(preset="auto", **changes):
    return Eclare(preset, **{**PARAMETERS, **changes}, threads=1)


@pytest.fixture(scope="module")
def fitted():
    pytest.importorskip("torch", reason="the extra `train` is not installed")
    return estimator(training__epochs_4=10).fit(tiny_data())


def test_parameters_are_got_and_set_as_scikit_learn_does():
    model = Eclare("paper", seed=3, graph__walk_length=9)
    assert model.get_params() == {
        "preset": "paper",
        "seed": 3,
        "device": "auto",
        "threads": None,
        "graph__walk_length": 9,
    }
    copy = type(model)(**model.get_params())
    assert copy.get_params() == model.get_params()
    assert model.set_params(seed=4, preset="auto", text__bigrams=True) is model
    assert (model.seed, model.preset, model.config().text.bigrams) == (4, "auto", True)
    assert model.config().graph.walk_length == 9
    assert repr(model) == "Eclare('auto', seed=4, graph__walk_length=9, text__bigrams=True)"


@pytest.mark.parametrize(
    "changes", [{"walk_length": 3}, {"graph__walk_lengths": 3}, {"preset": "papr"}, {"graph__walk_length": -1}]
)
def test_bad_parameters_are_refused_and_nothing_changes(changes):
    model = Eclare(graph__walk_length=9)
    with pytest.raises(SettingError):
        model.set_params(seed=7, **changes)
    assert model.get_params() == Eclare(graph__walk_length=9).get_params()
    with pytest.raises(SettingError):
        Eclare(**{"preset": "auto", **changes})


def test_an_estimator_without_a_model_says_how_to_get_one():
    for ask in (lambda m: m.predict("x"), lambda m: m.predict_scores(["x"]), lambda m: m.save_pretrained("x")):
        with pytest.raises(XclareError, match="no model yet: call fit"):
            ask(Eclare())


def test_one_text_has_a_list_and_many_a_list_of_lists(fitted):
    one = fitted.predict("red apple", k=3)
    assert [type(label) for label, _ in one] == [str] * 3
    assert [score for _, score in one] == sorted((score for _, score in one), reverse=True)
    many = fitted.predict(["red apple", "old lamp"], k=3)
    assert len(many) == 2
    assert [label for label, _ in many[0]] == [label for label, _ in one]
    assert fitted.predict([]) == []
    assert fitted.predict("") == []
    assert fitted.predict(("red apple",), k=1)[0][0] == one[0]


def test_a_model_learns_something(fitted):
    data = tiny_data()
    found = estimator(training__epochs_1=20, training__epochs_2=20, training__epochs_4=80).fit(data)
    texts, targets = list(data.train.texts), data.train.targets.toarray()
    best = [LABELS.index(row[0][0]) for row in found.predict(texts, 1)]
    assert np.mean([targets[row, label] > 0 for row, label in enumerate(best)]) > 0.75


def test_scores_come_as_a_matrix_from_texts_or_features(fitted):
    data = tiny_data()
    scores = fitted.predict_scores(list(data.test.texts), k=4)
    assert scores.shape == (12, 30)
    assert scores.has_canonical_format
    features = fitted.model_.text.transform(data.test.texts)
    assert_same_matrix(fitted.predict_scores(features, k=4), scores, "scores")


def test_data_sets_documents_and_lists_are_fitted_alike(fitted):
    data = tiny_data()
    targets = data.train.targets
    lists = [targets.indices[slice(*targets.indptr[row : row + 2])].tolist() for row in range(60)]
    by_lists = estimator(training__epochs_4=10).fit(list(data.train.texts), lists, LABELS)
    by_documents = estimator(training__epochs_4=10).fit(data.train)
    by_names = estimator(training__epochs_4=10).fit(
        list(data.train.texts), [[LABELS[label] for label in row] for row in lists], LABELS
    )
    for other in (by_lists, by_documents):
        assert differing(other.model_, fitted.model_) == set()
    assert by_names.predict("red apple")[0][0] in LABELS


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((["a text"],), "texts but no labels"),
        ((["a text"], [["a"], ["b"]]), "labels: found 2 entries, expected 1"),
        (("a text", [["a"]]), "texts: found one text"),
    ],
)
def test_bad_data_is_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        Eclare().fit(*arguments)
    with pytest.raises(InputError, match="a data set and labels too"):
        Eclare().fit(tiny_data(), [["a"]])


def test_a_run_that_stops_early_has_no_model():
    pytest.importorskip("torch", reason="the extra `train` is not installed")
    with pytest.raises(SettingError, match=r"training\.stop_after ends before Module IV"):
        estimator(training__stop_after=1).fit(tiny_data())


@pytest.mark.parametrize("preset", ["auto", "reference", "astec-like"])
def test_a_saved_model_comes_back_with_its_settings_and_predictions(preset, tmp_path):
    pytest.importorskip("torch", reason="the extra `train` is not installed")
    model = estimator(preset, text__stop_words="english").fit(tiny_data())
    model.save_pretrained(tmp_path / "model")
    found = Eclare.from_pretrained(tmp_path / "model", threads=1)
    texts = list(tiny_data().test.texts)
    assert found.predict(texts) == model.predict(texts)
    assert (found.preset, found.seed, found.threads) == (preset, 0, 1)
    assert found.config().to_dict() == model.model_.config
    assert found.config().model.dimension == 8
    again = Eclare(**found.get_params()).fit(tiny_data())
    assert differing(again.model_, model.model_) == set(), "the settings of a model make the model again"


def test_a_model_is_only_overwritten_where_that_is_asked_for(fitted, tmp_path):
    fitted.save_pretrained(tmp_path / "model")
    with pytest.raises(InputError, match="exists already"):
        fitted.save_pretrained(tmp_path / "model")
    fitted.save_pretrained(tmp_path / "model", overwrite=True)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "mine").write_text("text")
    with pytest.raises(InputError, match="no model"):
        fitted.save_pretrained(tmp_path / "other", overwrite=True)


def test_threads_are_limited_within_a_call_only(fitted, monkeypatch):
    seen = []
    predict = fitted.predictor_.predict
    monkeypatch.setattr(fitted.predictor_, "predict", lambda *a: seen.append(worker_count()) or predict(*a))
    before = worker_count()
    fitted.predict("red apple")
    assert seen == [1]
    assert worker_count() == before


def test_without_torch_training_says_what_to_install(monkeypatch):
    real = builtins.__import__

    def refuse(name, *arguments, **options):
        if name.startswith("xclare.training"):
            raise ImportError("no torch", name="torch")
        return real(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(MissingExtraError, match=r'pip install "xclare\[train\]"'):
        Eclare().fit(tiny_data())


def test_the_settings_of_an_estimator_are_those_of_the_command_line():
    assert Eclare("paper", graph__walk_length="9").config() == Config.of_preset("paper").with_assignments(
        ["graph.walk_length=9"]
    )
