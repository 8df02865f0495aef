"""Every setting does something: what it changes in a tiny run, and what it leaves alone."""

import dataclasses
from functools import cache

import numpy as np
import pytest

from tiny import arrays_of, differing, tiny_config, tiny_data
from xclare.config import PRESETS, Config
from xclare.inference.predictor import Predictor
from xclare.threads import threads

pytest.importorskip("torch", reason="the extra `train` is not installed")

from xclare.training.pipeline import train_model
from xclare.training.prepared import prepare

TOKENS, CLUSTERS, LABELS = "token_embeddings", "shortlister.classifiers", "ranker.classifiers"
GRAPH, META_GRAPH, PREDICTIONS = "graph.data", "meta_graph.data", "predictions"
LISTED = {"training.negatives": "shortlist", "game.beam": 3, "graph.restart": 0.1, "clustering.clusters": 16}
SHORTLIST = {"predict.search": "shortlist", "predict.mix": 1.0, "predict.cluster_scores": True, "game.beam": 3}
AFTER = {**SHORTLIST, "predict.game": "after_product"}
SPARSE = {"clustering.dimensions": 0}

# (setting, its other value, the settings before, what must change, what must not)
ROWS = [
    ("text.stop_words", "english", {}, [TOKENS, LABELS], []),
    ("graph.max_edges", 2, {}, [GRAPH, LABELS], []),
    ("graph.prune_below_cosine", 0.3, {}, [GRAPH, LABELS], [TOKENS]),
    ("clustering.method", "plain", {}, ["cluster_of_label", CLUSTERS], []),
    ("clustering.dimensions", 0, {}, [TOKENS], []),
    ("clustering.top_features", 1, SPARSE, [TOKENS], []),
    ("clustering.meta_text", "unit", {}, [TOKENS, CLUSTERS], [GRAPH]),
    ("clustering.meta_graph", "counts", {}, [META_GRAPH, TOKENS, CLUSTERS], [GRAPH]),
    ("clustering.meta_edges", 1, {}, [META_GRAPH, TOKENS, CLUSTERS], [GRAPH]),
    ("model.dimension", 12, {}, [TOKENS, CLUSTERS, LABELS], [GRAPH]),
    ("model.label_text", False, {}, [TOKENS, CLUSTERS, LABELS], []),
    ("model.order", 2, {}, [TOKENS, CLUSTERS, LABELS], [GRAPH]),
    ("model.refinement", False, {}, [CLUSTERS, LABELS, "label_side.refinement"], [TOKENS]),
    ("model.combination", "sum", {}, [TOKENS, CLUSTERS, LABELS, "label_side.transform"], []),
    ("model.attention_sigmoid", True, {}, [TOKENS, CLUSTERS, LABELS], []),
    ("model.attention_layer_normalized", True, {}, [TOKENS, CLUSTERS, LABELS], []),
    ("model.attention_shift", True, {}, [TOKENS, CLUSTERS, LABELS, "label_side.transform.shift"], []),
    ("model.block_shift", True, {}, [TOKENS, CLUSTERS, LABELS, "ranker.shift", "label_side.block_0.shift"], []),
    ("model.residual_start", 0.0, {}, [TOKENS, CLUSTERS, LABELS, "ranker.residual"], []),
    ("model.dropout", 0.5, {}, [TOKENS, CLUSTERS, LABELS], []),
    ("model.label_bias", False, {}, [TOKENS, CLUSTERS, LABELS, "ranker.bias", "shortlister.bias"], []),
    ("training.epochs_1", 3, {}, [TOKENS, CLUSTERS, LABELS], []),
    ("training.epochs_2", 3, {}, [CLUSTERS], [TOKENS]),
    ("training.epochs_4", 3, {}, [LABELS], [TOKENS, CLUSTERS]),
    ("training.batch_size", 8, {}, [TOKENS, CLUSTERS, LABELS], []),
    ("training.learning_rate_1", 0.01, {}, [TOKENS, CLUSTERS, LABELS], []),
    ("training.learning_rate_2", 0.01, {}, [CLUSTERS], [TOKENS]),
    ("training.learning_rate_4", 0.01, {}, [LABELS], [TOKENS, CLUSTERS]),
    ("training.schedule", "halving", {}, [TOKENS, CLUSTERS, LABELS], []),
    ("training.warmup", 0.5, {}, [TOKENS, CLUSTERS, LABELS], []),
    ("training.epsilon", 1e-3, {}, [TOKENS, CLUSTERS, LABELS], []),
    ("training.beta_1", 0.5, {}, [TOKENS, CLUSTERS, LABELS], []),
    ("training.beta_2", 0.9, {}, [TOKENS, CLUSTERS, LABELS], []),
    ("training.loss", "mean", {}, [TOKENS, CLUSTERS, LABELS], []),
    ("training.optimizer", "row_adam", {**LISTED, "training.batch_size": 3}, [LABELS], [TOKENS, CLUSTERS]),
    ("training.negatives", "shortlist", {**LISTED, "training.negatives": "all"}, [LABELS], [TOKENS, CLUSTERS]),
    ("training.negatives", "shortlist+graph", LISTED, [LABELS], [TOKENS, CLUSTERS]),
    ("training.refinement_start", "zero", {}, [CLUSTERS, LABELS], [TOKENS]),
    ("training.refinement_in_module_1", True, {}, [TOKENS, CLUSTERS, LABELS], []),
    ("training.fine_tune", False, {}, [CLUSTERS], [TOKENS]),
    ("training.token_embeddings", "learned", {}, [TOKENS, CLUSTERS, LABELS], []),
    ("training.precision", "bf16", {}, [TOKENS, CLUSTERS, LABELS], []),
    ("training.validation", 0.2, {}, [TOKENS, CLUSTERS, LABELS, "label_counts"], []),
    ("game.beam", 5, LISTED, [LABELS, PREDICTIONS], [TOKENS, CLUSTERS]),
    ("game.mix", 0.3, LISTED, [LABELS], [TOKENS, CLUSTERS]),
    ("game.keep", 2, {**LISTED, "game.mix": 0.5}, [LABELS], [TOKENS, CLUSTERS]),
    ("game.orientation", "columns", SHORTLIST, [PREDICTIONS], [TOKENS, CLUSTERS]),
    ("predict.search", "shortlist", {}, [PREDICTIONS], []),
    ("predict.candidates", 5, {}, [PREDICTIONS], []),
    ("predict.game", "after_product", SHORTLIST, [PREDICTIONS], []),
    ("predict.mix", 0.5, SHORTLIST, [PREDICTIONS], []),
    ("predict.outside_shortlist", True, AFTER, [PREDICTIONS], []),
    ("predict.cluster_scores", False, SHORTLIST, [PREDICTIONS], []),
]
EXEMPT = {
    "training.stop_after": "it ends a run early; test_pipeline.py goes on after every module",
    "predict.weights": "it changes how arrays are stored; test_model_folder.py reads them back",
}


def fields_to_cover():
    """Every field of the sections below, and whatever else a preset sets."""
    config = Config()
    for section in ("model", "training", "game", "predict"):
        yield from (f"{section}.{item.name}" for item in dataclasses.fields(getattr(config, section)))
    yield from (f"clustering.{item.name}" for item in dataclasses.fields(config.clustering) if "meta" in item.name)
    yield from (
        f"{section}.{name}" for sections in PRESETS.values() for section in sections for name in sections[section]
    )


@cache
def trained(*settings):
    with threads(1):
        config = tiny_config(**{name.replace(".", "__", 1): value for name, value in settings})
        return train_model(prepare(tiny_data(), config))


@cache
def features():
    return tiny_data().test.texts


def predictions_of(model):
    predictor = Predictor(model)
    return predictor.scores(predictor.features(features()), 100)


def test_every_field_has_a_row_or_a_reason_to_have_none():
    rows = {name for name, *_ in ROWS}
    assert not rows & EXEMPT.keys()
    assert set(fields_to_cover()) <= rows | EXEMPT.keys()


@pytest.mark.parametrize(("name", "other", "before", "must", "must_not"), ROWS, ids=[row[0] for row in ROWS])
def test_a_setting_changes_what_it_is_for_and_nothing_before_that(name, other, before, must, must_not):
    base, changed = trained(*before.items()), trained(*{**before, name: other}.items())
    found = differing(base, changed)
    if (predictions_of(base) != predictions_of(changed)).nnz:
        found.add(PREDICTIONS)
    assert set(must) <= found
    assert not set(must_not) & found
    assert not name.startswith("predict.") or found == {PREDICTIONS}, "prediction's settings train nothing"


@pytest.mark.parametrize("preset", PRESETS)
def test_every_field_of_a_preset_stands_in_its_model(preset):
    with threads(1):
        model = train_model(prepare(tiny_data(), tiny_config(preset)))
    overridden = {"training.epochs_1", "training.epochs_2", "training.epochs_4", "training.batch_size"}
    for section, values in PRESETS[preset].items():
        for name, value in values.items():
            assert f"{section}.{name}" in overridden or model.config[section][name] == value
    assert all(np.isfinite(array).all() for array in arrays_of(model).values())
