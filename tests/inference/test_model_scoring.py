import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest

from support import assert_same_matrix
from tiny import tiny_config, tiny_data
from xclare.data.dataset import Labels
from xclare.errors import InputError
from xclare.inference.predictor import Predictor
from xclare.inference.scoring import label_columns, predictions_of_model
from xclare.inference.strengths import component_names, strengths_by_popularity
from xclare.report.model_tables import model_table, settings_table, strengths_table
from xclare.strings import Strings
from xclare.threads import threads

TEXTS, IDS = ["apple", "pear", "lamp"], ["a", "b", "c"]


def model_of(texts, ids, count=3):
    return SimpleNamespace(labels=count, label_texts=packed(texts), label_ids=packed(ids))


def labels_of(texts, ids, count=3):
    fields = {} if texts is None else {"title": packed(texts)}
    return Labels(count, packed(ids), fields, tuple(fields))


def packed(names):
    return None if names is None else Strings.of(names)


@pytest.mark.parametrize(
    ("model", "labels", "columns"),
    [
        ((TEXTS, IDS), (TEXTS, IDS), None),
        ((TEXTS, None), (TEXTS, IDS), None),
        ((None, None), (None, None), None),
        ((None, IDS), (TEXTS, None), None),
        ((TEXTS, IDS), (["x", "y", "z"], IDS), None),
        ((TEXTS, IDS), (TEXTS, ["c", "b", "a"]), [2, 1, 0]),
        ((TEXTS, None), (["lamp", "apple", "pear"], None), [1, 2, 0]),
        ((TEXTS, ["x", "y", "z"]), (["lamp", "apple", "pear"], IDS), [1, 2, 0]),
    ],
)
def test_labels_are_matched_by_id_then_by_text(model, labels, columns):
    found = label_columns(model_of(*model), labels_of(*labels))
    assert (None if found is None else found.tolist()) == columns


def test_a_model_of_some_of_the_datas_labels_is_scored():
    found = label_columns(model_of(["pear", "lamp"], None, 2), labels_of(TEXTS, IDS))
    assert found.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("model", "labels"),
    [
        ((TEXTS, None), (["apple", "pear", "plum"], None)),
        ((None, IDS), (None, ["a", "b", "d"])),
        ((None, IDS), (TEXTS, ["a", "b", "d"])),
        ((TEXTS, None), (["apple", "pear", "pear"], None)),
    ],
)
def test_other_labels_are_refused_also_where_they_are_as_many(model, labels):
    with pytest.raises(InputError, match="The model has 3 labels, the data 3, and not all of the model's are among"):
        label_columns(model_of(*model), labels_of(*labels))


def test_unnamed_labels_of_another_number_are_refused():
    with pytest.raises(InputError, match="The model has 3 labels, the data 4"):
        label_columns(model_of(None, None), labels_of(None, None, 4))


@pytest.fixture(scope="module")
def predictor():
    pytest.importorskip("torch", reason="the extra `train` is not installed")
    from xclare.training.pipeline import train_model
    from xclare.training.prepared import prepare

    with threads(1):
        return Predictor(train_model(prepare(tiny_data(), tiny_config())))


def test_predictions_stand_in_the_columns_of_the_datas_labels(predictor):
    documents = tiny_data().test
    expected = predictions_of_model(predictor, documents)
    assert_same_matrix(expected, predictor.scores(predictor.features(documents.texts), 100), "predictions")
    order = np.random.default_rng(1).permutation(30)
    names = documents.labels.texts.take(order)
    labels = dataclasses.replace(documents.labels, fields={"title": names})
    shuffled = dataclasses.replace(documents, labels=labels)
    assert_same_matrix(predictions_of_model(predictor, shuffled), expected[:, order].sorted_indices(), "shuffled")


def test_strengths_have_a_row_for_every_class_of_popularity(predictor):
    rows = strengths_by_popularity(predictor.model)
    assert [row.bin for row in rows] == [1, 2, 3, 4, 5]
    assert sum(row.labels for row in rows) == 30
    assert all(list(row.components) == ["text (LTE)", "graph (GALE)", "refinement"] for row in rows)
    mean = sum(row.labels * np.array(list(row.components.values())) for row in rows) / 30
    np.testing.assert_allclose(mean, predictor.model.component_strengths.mean(axis=0), rtol=1e-5)
    assert rows[0].as_dict()["bin"] == 1


@pytest.mark.parametrize(
    ("shape", "names"),
    [
        ({"label_text": True, "order": 0, "refinement": True}, ["text (LTE)", "refinement"]),
        ({"label_text": False, "order": 1, "refinement": False}, ["graph (GALE)"]),
        (
            {"label_text": False, "order": 2, "refinement": True},
            ["graph (GALE, order 1)", "graph (GALE, order 2)", "refinement"],
        ),
    ],
)
def test_components_have_names(shape, names):
    assert component_names(SimpleNamespace(config={"model": shape})) == names


def test_tables_show_what_a_model_is(predictor):
    cells = [list(column.cells) for column in model_table(predictor.model).columns]
    shown = dict(zip(*cells, strict=True))
    assert shown["labels"] == "30"
    assert shown["training documents"] == "60"
    assert shown["preset, seed"] == "auto, 0"
    assert shown["reads"] == "text"
    cells = [list(column.cells) for column in settings_table(predictor.model).columns]
    settings = dict(zip(*cells, strict=True))
    assert settings["model.dimension"] == "8"
    assert settings["predict.search"] == "exact"
    assert len(strengths_table(strengths_by_popularity(predictor.model)).rows) == 5
