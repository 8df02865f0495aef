"""Prediction from its description, with loops over documents, clusters and labels, against the arrays' way."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xclare.equations.embedding_block import Residual
from xclare.equations.game import passing
from xclare.inference.model_folder import members_of
from xclare.inference.ranker import Ranker
from xclare.inference.settings import PredictSettings
from xclare.inference.shortlister import Shortlister
from xclare.sparse import as_csr, csr_from_pairs


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def block(x, stage):
    """x^ = ReLU(x + R ReLU(x) + b), number after number."""
    d = range(len(x))
    moved = [sum(stage.matrix[i, j] * max(x[j], 0.0) for j in d) for i in d]
    return [max(x[i] + moved[i] + (0 if stage.shift is None else stage.shift[i]), 0.0) for i in d]


def score(x, stage, row):
    bias = 0 if stage.bias is None else stage.bias[row]
    return sigmoid(sum(a * b for a, b in zip(stage.classifiers[row], x, strict=True)) + bias)


def best(scores, count):
    """The largest entries; of equal ones those of lower numbers."""
    order = sorted(scores, key=lambda name: (-scores[name], name))
    return {name: scores[name] for name in order[:count]}


def passed_on(scores, graph, orientation):
    """`rows`: p_i = sum_j G_ij p~_j; `columns`: p_i = sum_j p~_j G_ji."""
    found = {}
    for i in range(len(graph)):
        edges = graph[i] if orientation == "rows" else graph[:, i]
        if any(edges[j] for j in scores):
            found[i] = sum(edges[j] * value for j, value in scores.items())
    return found


def mixed(scores, passed, mix):
    if mix == 0:
        return scores
    if mix == 1:
        return passed
    return {i: (1 - mix) * scores.get(i, 0) + mix * passed.get(i, 0) for i in scores.keys() | passed.keys()}


def slow_shortlist(x0, model):
    """The labels of the shortlisted clusters, each with its cluster's score."""
    game, x = model.game, block(x0, model.first)
    found = best({m: score(x, model.first, m) for m in range(len(model.first.classifiers))}, game.beam)
    if game.mix:
        passed = best(passed_on(found, model.meta_graph, game.orientation), game.beam)
        found = best(mixed(found, passed, game.mix), game.keep * game.beam)
    return {label: found[m] for label, m in enumerate(model.cluster_of_label) if m in found}


def slow_scores(x0, model):
    """`before_product`: r = G r~, s_l = r_l p_m; `after_product`: s~_l = r~_l p_m, of which the best B go through G."""
    wanted, game, listed = model.predict, model.game, slow_shortlist(x0, model)
    x = block(x0, model.last)
    ranks = {label: score(x, model.last, label) for label in listed}

    def joint(values):
        return {
            label: value * (listed[label] if wanted.cluster_scores else 1)
            for label, value in values.items()
            if label in listed
        }

    if wanted.game == "before_product":
        return joint(mixed(ranks, passed_on(ranks, model.graph, game.orientation), wanted.mix))
    found = best(joint(ranks), game.beam)
    passed = best(passed_on(found, model.graph, game.orientation), game.beam)
    found = mixed(found, passed, wanted.mix)
    return {label: value for label, value in found.items() if wanted.outside_shortlist or label in listed}


def random_model(rng, *, shift, bias, game, predict, clusters=5, labels=12, dimension=4):
    def stage(rows):
        return SimpleNamespace(
            matrix=(0.2 * rng.normal(size=(dimension, dimension))).astype(np.float32),
            shift=rng.normal(size=dimension).astype(np.float32) if shift else None,
            classifiers=rng.normal(size=(rows, dimension)).astype(np.float32),
            bias=rng.normal(size=rows).astype(np.float32) if bias else None,
        )

    def graph(n):
        matrix = (rng.random((n, n)) * (rng.random((n, n)) < 0.3)).astype(np.float32)
        np.fill_diagonal(matrix, rng.random(n) + 0.1)
        return matrix

    return SimpleNamespace(
        first=stage(clusters),
        last=stage(labels),
        meta_graph=graph(clusters),
        graph=graph(labels),
        cluster_of_label=rng.permutation(np.arange(labels) % clusters).astype(np.int32),
        game=game,
        predict=predict,
    )


def random_documents(rng, count):
    """Mostly above 0, so that no two clusters tie for an embedding of nothing but zeros."""
    return (rng.random((count, 4)) * 2 + 0.3).astype(np.float32)


def fast(model):
    def passes(graph, mix):
        return passing(as_csr(csr_from_dense(graph)), model.game.orientation) if mix else None

    def parts(stage):
        return Residual(stage.matrix, stage.shift), stage.classifiers, stage.bias

    game = model.game
    shortlister = Shortlister(
        *parts(model.first),
        members_of(model.cluster_of_label, len(model.meta_graph)),
        passes(model.meta_graph, game.mix),
        game.beam,
        game.keep,
        game.mix,
    )
    ranker = Ranker(*parts(model.last), passes(model.graph, model.predict.mix), game.beam, model.predict)
    return shortlister, ranker


def csr_from_dense(matrix):
    rows, columns = np.nonzero(matrix)
    return csr_from_pairs(rows, columns, matrix.shape, matrix[rows, columns])


def assert_agree(model, documents):
    shortlister, ranker = fast(model)
    listed = shortlister.labels(documents)
    found = ranker.scores(documents, listed)
    for matrix in (listed, found):
        assert matrix.has_canonical_format
        assert matrix.dtype == np.float32
    for row, x0 in enumerate(documents.astype(np.float64)):
        for matrix, expected in ((listed, slow_shortlist(x0, model)), (found, slow_scores(x0, model))):
            dense = np.zeros(matrix.shape[1])
            for label, value in expected.items():
                dense[label] = value
            np.testing.assert_allclose(matrix[[row]].toarray()[0], dense, rtol=1e-4, atol=1e-6)


PAPER = (
    SimpleNamespace(beam=3, mix=1.0, keep=1, orientation="rows"),
    PredictSettings(search="shortlist", game="before_product", mix=1.0),
)
REFERENCE = (
    SimpleNamespace(beam=2, mix=0.5, keep=2, orientation="columns"),
    PredictSettings(search="shortlist", game="after_product", mix=0.5, outside_shortlist=True),
)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("game", "predict"), [PAPER, REFERENCE], ids=["paper", "reference"])
def test_the_presets_predict_as_they_are_described(game, predict, seed):
    rng = np.random.default_rng(seed)
    program = predict.outside_shortlist
    model = random_model(rng, shift=program, bias=False, game=game, predict=predict)
    assert_agree(model, random_documents(rng, 4))


@settings(max_examples=80, deadline=None)
@given(
    st.integers(0, 10_000),
    st.fixed_dictionaries(
        {
            "beam": st.integers(1, 5),
            "mix": st.sampled_from([0.0, 0.3, 1.0]),
            "keep": st.integers(1, 2),
            "orientation": st.sampled_from(["rows", "columns"]),
        }
    ),
    st.fixed_dictionaries(
        {
            "game": st.sampled_from(["before_product", "after_product"]),
            "mix": st.sampled_from([0.0, 0.3, 1.0]),
            "outside_shortlist": st.booleans(),
            "cluster_scores": st.booleans(),
        }
    ),
    st.booleans(),
    st.booleans(),
)
def test_any_settings_predict_as_they_are_described(seed, game, predict, shift, bias):
    rng = np.random.default_rng(seed)
    wanted = PredictSettings(search="shortlist", **predict)
    model = random_model(rng, shift=shift, bias=bias, game=SimpleNamespace(**game), predict=wanted)
    assert_agree(model, random_documents(rng, 3))


def test_an_exact_search_scores_all_labels_by_their_classifiers():
    rng = np.random.default_rng(3)
    model = random_model(rng, shift=True, bias=True, game=PAPER[0], predict=PredictSettings(mix=0.0, candidates=7))
    documents = random_documents(rng, 5)
    found = fast(model)[1].exact(documents).toarray()
    for row, x0 in enumerate(documents.astype(np.float64)):
        x = block(x0, model.last)
        expected = best({label: score(x, model.last, label) for label in range(12)}, 7)
        np.testing.assert_allclose(found[row], [expected.get(label, 0) for label in range(12)], rtol=1e-4, atol=1e-6)
