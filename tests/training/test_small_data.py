"""The smallest and oddest data sets: with every preset they train and predict, or are refused with the reason."""

import dataclasses

import numpy as np
import pytest

from tiny import LABELS, arrays_of, tiny_config, tiny_data
from xclare.config import PRESETS
from xclare.data.dataset import Dataset, Documents, Labels
from xclare.errors import InputError
from xclare.estimator import save_model, train
from xclare.inference.predictor import Predictor
from xclare.inference.scoring import predictions_of_model
from xclare.inference.strengths import strengths_by_popularity
from xclare.sparse import csr_from_pairs, row_counts
from xclare.threads import threads

pytest.importorskip("torch", reason="the extra `train` is not installed")

from xclare.training.plan import plan_of
from xclare.training.prepared import prepare


def one_document():
    return Dataset.from_lists(["red apple"], [["fruit", "red things"]])


def one_label():
    return Dataset.from_lists(["red apple", "green pear", "old pear"], [["fruit"], ["fruit"], []])


def one_of_each():
    return Dataset.from_lists(["red apple"], [["fruit"]])


def labels_without_text():
    documents = tiny_data().train
    labels = Labels(len(LABELS))
    return Dataset(dataclasses.replace(documents, labels=labels))


def ready_made_features(label_features=False):
    rng = np.random.default_rng(2)

    def drawn(rows):
        places = [(row, column) for row in range(rows) for column in rng.choice(20, 3, replace=False)]
        return csr_from_pairs([r for r, _ in places], [c for _, c in places], (rows, 20))

    labels = Labels(6, features=drawn(6) if label_features else None)
    targets = csr_from_pairs(range(20), [row % 6 for row in range(20)], (20, 6))
    return Dataset(Documents(count=20, features=drawn(20), targets=targets, labels=labels))


def documents_without_labels():
    data = tiny_data(30)
    targets = data.train.targets.toarray()
    targets[::2] = 0
    rows, columns = np.nonzero(targets)
    return Dataset(dataclasses.replace(data.train, targets=csr_from_pairs(rows, columns, targets.shape)))


def five_hundred_labels():
    texts = [f"{LABELS[row % 30]} number {row}" for row in range(500)]
    return Dataset.from_lists(texts, [[row, (row + 7) % 500] for row in range(500)], texts)


def documents_without_words():
    data = tiny_data(30)
    texts = ["" if row % 3 == 0 else text for row, text in enumerate(data.train.texts)]
    targets = [data.train.targets.indices[slice(*data.train.targets.indptr[r : r + 2])].tolist() for r in range(30)]
    return Dataset.from_lists(texts, targets, LABELS)


def equal_documents():
    return Dataset.from_lists(["red apple"] * 20, [[row % 4] for row in range(20)], ["a", "b", "c", "d"])


DATA = {
    "one document": one_document,
    "one label": one_label,
    "one of each": one_of_each,
    "labels without text": labels_without_text,
    "features without the labels'": ready_made_features,
    "features": lambda: ready_made_features(label_features=True),
    "documents without labels": documents_without_labels,
    "500 labels": five_hundred_labels,
    "documents without words": documents_without_words,
    "equal documents": equal_documents,
}


def trained(data, preset, **changes):
    with threads(1):
        prepared = prepare(data, tiny_config(preset, **changes))
        plan_of(prepared)
        return prepared, train(prepared)


def assert_predicts(prepared, model, folder):
    save_model(model, folder)
    assert all(np.isfinite(array).all() for array in arrays_of(model).values())
    predictor = Predictor.load(folder)
    documents = prepared.train
    for search in ("exact", "shortlist"):
        found = predictions_of_model(predictor, documents, search=search)
        assert found.shape == documents.targets.shape
        assert np.isfinite(found.data).all()
        assert ((row_counts(found) > 0) == (row_counts(documents.features) > 0)).all()
    assert sum(row.labels for row in strengths_by_popularity(predictor.model)) == len(documents.labels)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("name", DATA)
def test_any_data_set_trains_a_model_that_predicts(name, preset, tmp_path):
    assert_predicts(*trained(DATA[name](), preset), tmp_path / "model")


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("threshold", [0, 2])
def test_data_of_heads_alone_and_of_many_heads_trains_a_model(threshold, preset, tmp_path):
    prepared, model = trained(tiny_data(), preset, graph__head_threshold=threshold)
    assert_predicts(prepared, model, tmp_path / "model")


@pytest.mark.parametrize("preset", ["auto", "reference"])
def test_more_clusters_than_labels_are_a_cluster_each(preset, tmp_path):
    prepared, model = trained(tiny_data(), preset, clustering__clusters=64)
    assert len(np.unique(model.cluster_of_label)) == 30
    assert_predicts(prepared, model, tmp_path / "model")


@pytest.mark.parametrize("preset", ["auto", "reference"])
def test_random_clusters_some_of_them_empty_train_a_model(preset, tmp_path):
    prepared, model = trained(tiny_data(), preset, clustering__method="random", clustering__clusters=16)
    assert_predicts(prepared, model, tmp_path / "model")


@pytest.mark.parametrize("preset", PRESETS)
def test_no_epochs_at_all_leave_a_model_that_predicts(preset, tmp_path):
    changes = {"training__epochs_1": 0, "training__epochs_2": 0, "training__epochs_4": 0}
    assert_predicts(*trained(tiny_data(), preset, **changes), tmp_path / "model")


@pytest.mark.parametrize("preset", PRESETS)
def test_data_without_a_single_label_is_refused_with_the_reason(preset):
    data = Dataset.from_lists(["red apple", "green pear"], [[], []], ["fruit"])
    with pytest.raises(InputError, match="No training document has a label: there is nothing to learn"):
        trained(data, preset)


def test_data_without_any_text_is_refused_with_the_reason():
    data = Dataset.from_lists(["", " "], [[0], [0]], [""])
    with pytest.raises(InputError, match="have no text with a word in it, so there is nothing to learn"):
        trained(data, "auto")


def test_data_without_documents_is_refused_with_the_reason():
    with pytest.raises(InputError, match="nothing to learn"):
        trained(Dataset.from_lists([], [], ["fruit"]), "auto")


def test_data_with_neither_text_nor_features_is_refused_with_the_reason():
    data = ready_made_features()
    bare = Dataset(dataclasses.replace(data.train, features=None))
    with pytest.raises(InputError, match="neither text nor ready-made features"):
        trained(bare, "auto")


def test_holding_out_of_a_single_document_holds_none_out():
    prepared, model = trained(one_document(), "auto", training__validation=0.5)
    assert prepared.held_out is None
    assert model.metrics == {}


@pytest.mark.parametrize("preset", PRESETS)
def test_held_out_documents_are_scored(preset):
    _, model = trained(tiny_data(), preset, training__validation=0.2)
    found = model.metrics["validation"]
    assert found["documents"] == 12
    assert 0 <= found["P@1"] <= 100
