import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_array, csr_array

from support import assert_same_matrix
from tiny import LABELS, tiny_config, tiny_data
from xclare.config import PRESETS
from xclare.errors import InputError
from xclare.inference import predictor as predictor_module
from xclare.inference.model_folder import SavedModel
from xclare.inference.predictor import Predictor, ranked_row
from xclare.progress import Progress
from xclare.sparse import row_counts
from xclare.threads import threads

pytest.importorskip("torch", reason="the extra `train` is not installed")

import torch

from xclare.equations.embedding_block import document_embedding
from xclare.equations.label_classifier import label_classifiers
from xclare.training import module_2_shortlister, pipeline
from xclare.training.prepared import prepare


@pytest.fixture(scope="module", params=PRESETS)
def run(request):
    """A model, and the torch modules of Modules II and IV with their inputs, as they were before they were exported."""
    seen = {}
    real_2, real_4 = module_2_shortlister._shortlister, pipeline.learn_classifiers

    def second(model, inputs, labels, meta, config):
        seen["shortlister"] = (model, inputs, meta)
        return real_2(model, inputs, labels, meta, config)

    def fourth(start, config, place):
        found = real_4(start, config, place)
        seen["ranker"] = (*found, start)
        return found

    config = tiny_config(request.param, game__beam=8, training__epochs_4=4)
    with pytest.MonkeyPatch.context() as patch, threads(1):
        patch.setattr(module_2_shortlister, "_shortlister", second)
        patch.setattr(pipeline, "learn_classifiers", fourth)
        prepared = prepare(tiny_data(), config)
        model = pipeline.train_model(prepared)
    return prepared, model, seen


@pytest.fixture(scope="module")
def predictor(run, tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    run[1].save(folder)
    return Predictor.load(folder)


def with_settings(predictor, **changes):
    """The same model with other settings of prediction."""
    model, wanted = predictor.model, dataclasses.replace(predictor.settings, **changes)
    changed = dataclasses.replace(
        model,
        config={**model.config, "predict": dataclasses.asdict(wanted)},
        ranker=dataclasses.replace(model.ranker, settings=wanted),
    )
    return Predictor(changed)


@torch.no_grad()
def torch_scores(model, inputs, initial):
    """sigma(<w_l, x^>) of all labels, by the modules that were trained."""
    classifiers = label_classifiers([part.float() for part in inputs], model.refinement, model.label_side.folded())
    logits = document_embedding(initial.float(), model.document_block.folded()) @ classifiers.T
    return (logits if model.bias is None else logits + model.bias).sigmoid().numpy()


def test_a_saved_model_scores_labels_as_the_trained_modules_did(run, predictor):
    prepared, _, seen = run
    model, inputs, start = seen["ranker"]
    expected = torch_scores(model, inputs, start.documents)
    found = with_settings(predictor, mix=0.0).scores(prepared.train.features, len(LABELS), search="exact")
    np.testing.assert_allclose(found.toarray(), expected, rtol=0, atol=1e-5)


def test_a_saved_model_scores_clusters_as_the_trained_modules_did(run, predictor):
    prepared, _, seen = run
    model, inputs, meta = seen["shortlister"]
    config, initial = prepared.config, seen["ranker"][2].documents
    scores = torch_scores(model, inputs, initial)
    if config.game.mix:  # the beam takes all clusters
        graph = meta.graph.toarray()
        passed = scores @ (graph.T if config.game.orientation == "rows" else graph)
        scores = (1 - config.game.mix) * scores + config.game.mix * passed
    found = predictor.model.shortlister.clusters(initial.numpy()).toarray()
    np.testing.assert_allclose(found, scores, rtol=0, atol=1e-5)


def test_the_whole_path_is_that_of_the_trained_modules(run, predictor):
    prepared, saved, seen = run
    config, (model, inputs, start) = prepared.config, seen["ranker"]
    ranks = torch_scores(model, inputs, start.documents)
    clusters = saved.shortlister.clusters(start.documents.numpy()).toarray()[:, saved.cluster_of_label]
    graph = saved.graph.toarray()
    along = graph.T if config.game.orientation == "rows" else graph
    if config.predict.game == "before_product":
        expected = (1 - config.predict.mix) * ranks + config.predict.mix * ranks @ along
        expected = expected * clusters if config.predict.cluster_scores else expected
    else:
        joint = largest_of_rows(ranks * clusters, config.game.beam)
        passed = largest_of_rows(joint @ along, config.game.beam)
        expected = (1 - config.predict.mix) * joint + config.predict.mix * passed
    found = predictor.scores(prepared.train.features, len(LABELS), search="shortlist")
    np.testing.assert_allclose(found.toarray(), expected, rtol=0, atol=1e-5)


def largest_of_rows(scores, count):
    limit = np.sort(scores, axis=1)[:, -count][:, None]
    return np.where(scores >= limit, scores, 0)


def test_all_clusters_without_their_scores_and_without_game_is_an_exact_search(run, predictor):
    plain = with_settings(predictor, mix=0.0, cluster_scores=False, game="before_product")
    features = run[0].train.features
    found = [plain.scores(features, len(LABELS), search=search) for search in ("exact", "shortlist")]
    np.testing.assert_allclose(found[0].toarray(), found[1].toarray(), rtol=0, atol=1e-6)


@pytest.mark.parametrize("search", ["exact", "shortlist"])
def test_a_larger_k_never_changes_the_order_of_the_first_results(run, predictor, search):
    features = run[0].train.features
    every = predictor.scores(features, 1000, search=search)
    assert every.has_canonical_format
    assert every.dtype == np.float32
    for k in (1, 2, 5, 29):
        found = predictor.scores(features, k, search=search)
        for row in range(features.shape[0]):
            assert ranked_row(found, row) == ranked_row(every, row)[:k]


def test_blocks_and_threads_change_nothing_and_progress_is_reported(run, predictor, monkeypatch):
    features = run[0].train.features
    whole = predictor.scores(features, 5)
    monkeypatch.setattr(predictor_module, "CELLS_AT_ONCE", 1)  # the least: 16 documents at a time
    done = []

    class Counting(Progress):
        def task(self, what, total):
            assert total == features.shape[0]
            done.append(what)
            return super().task(what, total)

    with threads(2):
        found = predictor.scores(features, 5, progress=Counting())
    assert done == ["predicting"]
    assert (found.indices == whole.indices).all()
    np.testing.assert_allclose(found.data, whole.data, rtol=1e-5)


@pytest.fixture(scope="module")
def one(tmp_path_factory):
    """One model, from its folder."""
    folder = tmp_path_factory.mktemp("one")
    with threads(1):
        pipeline.train_model(prepare(tiny_data(), tiny_config(training__epochs_4=10))).save(folder)
    return Predictor.load(folder)


def test_a_text_without_a_known_token_has_no_predictions_and_a_warning(one, caplog):
    found = one.predict(["red apple", "", " \t", "漢字"], 3)
    assert [len(row) for row in found] == [3, 0, 0, 0]
    assert "3 of 4 documents have no known token, and so no predictions." in caplog.text


def test_known_texts_give_no_warning(one, caplog):
    assert len(one.predict("red apple", 2)[0]) == 2
    assert not caplog.records


def test_no_texts_have_no_answers(one):
    assert one.predict([]) == []
    assert one.scores(one.features([])).shape == (0, len(LABELS))


def test_a_text_has_the_same_predictions_alone_and_among_others(one):
    texts = list(tiny_data().test.texts)
    together = one.predict(texts, 5)
    for text, expected in zip(texts, together, strict=True):
        alone = one.predict(text, 5)[0]
        assert [label for label, _ in alone] == [label for label, _ in expected]
        np.testing.assert_allclose([s for _, s in alone], [s for _, s in expected], rtol=1e-5)


def test_only_chosen_labels_and_only_good_ones_are_predicted(one):
    features = one.features(list(tiny_data().test.texts))
    every = one.scores(features, 100).toarray()
    allowed = one.chosen_labels(np.array([1, 2, 3]), np.array([2]))
    found = one.scores(features, 100, chosen=allowed)
    assert set(found.indices.tolist()) == {1, 3}
    np.testing.assert_array_equal(found.toarray()[:, [1, 3]], every[:, [1, 3]])
    denied = one.scores(features, 100, chosen=one.chosen_labels(None, np.array([2])))
    assert set(denied.indices.tolist()) == set(range(30)) - {2}
    middle = float(np.median(every))
    good = one.scores(features, 100, threshold=middle)
    np.testing.assert_array_equal(good.toarray(), np.where(every >= middle, every, 0))
    assert one.chosen_labels(None, None) is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"k": 0}, "k = 0: expected a number of labels"),
        ({"search": "auto"}, "search = 'auto': expected `shortlist` or `exact`"),
    ],
)
def test_bad_arguments_are_refused(one, arguments, message):
    with pytest.raises(InputError, match=message):
        one.scores(one.features(["red"]), **arguments)


def test_features_of_another_vocabulary_are_refused(one):
    with pytest.raises(InputError, match="have 7 features each: expected"):
        one.scores(csr_array((2, 7), dtype=np.float32))


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text(max_size=30), max_size=4), st.integers(1, 40))
def test_any_texts_have_at_most_k_finite_scores(one, texts, k):
    found = one.scores(one.features(texts), k)
    assert found.shape == (len(texts), len(LABELS))
    assert np.isfinite(found.data).all()
    assert (row_counts(found) <= k).all()


def test_labels_are_named_by_text_then_id_then_number(one):
    from xclare.strings import Strings

    assert one.name_of(0) == LABELS[0]
    texts = Strings.of(["", *LABELS[1:]])
    ids = Strings.of([f"id{i}" for i in range(30)])
    named = Predictor(dataclasses.replace(one.model, label_texts=texts, label_ids=ids))
    assert (named.name_of(0), named.name_of(1)) == ("id0", LABELS[1])
    unnamed = Predictor(dataclasses.replace(one.model, label_texts=None, label_ids=None))
    assert unnamed.name_of(4) == "4"


def test_a_model_of_ready_made_features_refuses_text_and_one_of_text_takes_both(one):
    documents = tiny_data().test
    features = one.features(documents.texts)
    blind = Predictor(dataclasses.replace(one.model, text=None))
    with pytest.raises(InputError, match="trained on ready-made features, so it cannot read text"):
        blind.features_of(documents)
    with_both = dataclasses.replace(documents, features=features)
    assert_same_matrix(blind.features_of(with_both), features, "features")
    assert_same_matrix(one.features_of(documents), features, "features of text")
    only_features = dataclasses.replace(with_both, fields={}, text_fields=())
    assert_same_matrix(one.features_of(only_features), features, "features alone")


def test_any_sparse_matrix_is_taken_by_the_estimator(one):
    from xclare import Eclare

    model = Eclare()
    model.predictor_ = one
    features = one.features(list(tiny_data().test.texts))
    expected = model.predict_scores(features, 5)
    for other in (features.tocsc(), coo_array(features), features.astype(np.float64)):
        assert_same_matrix(model.predict_scores(other, 5), expected, "scores")


def test_a_model_in_memory_predicts_as_its_folder_does(run, predictor):
    features = run[0].train.features
    for search in ("exact", "shortlist"):
        found = Predictor(run[1]).scores(features, 5, search=search)
        assert_same_matrix(found, predictor.scores(features, 5, search=search), search)
    assert isinstance(predictor.model, SavedModel)
