# ruff: noqa: E402 - torch is looked for first
"""Modules I to III on a few documents: what each takes over, begins with, and leaves."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra `train` is not installed")

from scipy.sparse import csr_array
from tiny_problem import CLUSTERS, DIMENSION, DOCUMENTS, LABELS, TOKENS, tiny_config, tiny_data, tiny_graph, tiny_place

from xclare.arrays import as_numpy, moved
from xclare.training import module_2_shortlister, module_3_initialisation
from xclare.training.module_1_token_embeddings import TokenEmbeddings, learn_token_embeddings
from xclare.training.module_2_shortlister import learn_shortlister, shortlister_from_arrays, shortlister_to_arrays
from xclare.training.module_3_initialisation import (
    initialise,
    lists_from_arrays,
    lists_to_arrays,
    shortlists,
)
from xclare.training.module_4_classifiers import learn_classifiers

DATA = tiny_data()


def tokens_of(config, seed=0):
    return learn_token_embeddings(DATA, tiny_graph(DATA, config), config, tiny_place(seed=seed))


def shortlister_of(config, tokens=None):
    tokens = tokens or tokens_of(config)
    return learn_shortlister(DATA, tiny_graph(DATA, config), tokens, config, tiny_place())


def start_of(config, lists=None, kind=torch.float32):
    shortlister, tokens = shortlister_of(config)
    place = tiny_place(kind)
    return initialise(DATA, tiny_graph(DATA, config), tokens.embeddings, shortlister, lists, config, place)


def begun(monkeypatch, config, tokens):
    """The model that Module II begins with."""
    seen = []
    with monkeypatch.context() as patch:
        patch.setattr(module_2_shortlister, "train", lambda number, model, *_: seen.append(model))
        shortlister_of(config, tokens)
    return seen[0]


def test_module_1_leaves_token_embeddings_and_shared_parameters_without_refinement_vectors():
    found = tokens_of(tiny_config())
    assert found.embeddings.shape == (TOKENS, DIMENSION)
    assert not found.embeddings.requires_grad
    assert found.parameters["label_side.attention.plain_layer"].shape == (2, 2 * DIMENSION)
    assert not {"refinement", "bias"} & found.parameters.keys()


def test_token_embeddings_come_back_from_their_arrays():
    found = tokens_of(tiny_config())
    again = TokenEmbeddings.of_arrays(found.arrays())
    assert torch.equal(again.embeddings, found.embeddings)
    assert again.parameters.keys() == found.parameters.keys()
    assert all(torch.equal(again.parameters[name], value) for name, value in found.parameters.items())


@pytest.mark.parametrize("preset", ["paper", "reference", "auto"])
def test_the_same_seed_gives_the_same_modules_bit_for_bit(preset):
    config = tiny_config(preset)
    if preset == "reference":  # which prunes by token embeddings once there are any
        config = config.replaced("graph.prune_below_cosine", -1.0)
    one, other = tokens_of(config), tokens_of(config)
    assert torch.equal(one.embeddings, other.embeddings)
    assert not torch.equal(one.embeddings, tokens_of(config, seed=1).embeddings)
    first, second = (shortlister_to_arrays(shortlister_of(config, one)[0]) for _ in range(2))
    assert first.keys() == second.keys()
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_module_1_has_refinement_vectors_only_where_that_is_wanted():
    found = tokens_of(tiny_config(training__refinement_in_module_1=True))
    assert found.parameters["label_side.attention.plain_layer"].shape == (3, 3 * DIMENSION)
    assert "refinement" not in found.parameters


def test_a_model_of_refinement_vectors_alone_has_them_in_module_1_whatever_the_setting():
    config = tiny_config(model__label_text=False, model__order=0)
    always = config.replaced("training.refinement_in_module_1", True)
    assert torch.equal(tokens_of(config).embeddings, tokens_of(always).embeddings)
    shortlister_of(config)


def test_a_model_without_refinement_vectors_has_none_in_module_1_either():
    config = tiny_config(model__refinement=False, training__refinement_in_module_1=True)
    found, tokens = shortlister_of(config)
    assert tokens.parameters["label_side.attention.plain_layer"].shape == (2, 2 * DIMENSION)
    assert found.classifiers.shape == (CLUSTERS, DIMENSION)


def test_without_label_text_and_graph_free_vectors_teach_the_tokens():
    config = tiny_config("astec-like")
    found = tokens_of(config)
    begin = tokens_of(config.replaced("training.epochs_1", 0))
    assert not torch.equal(found.embeddings, begin.embeddings)


def test_module_2_goes_on_from_module_1_and_gives_attention_a_component_more(monkeypatch):
    config = tiny_config()
    tokens = tokens_of(config)
    model = begun(monkeypatch, config, tokens)
    state = model.state_dict()
    for name, value in tokens.parameters.items():
        if "plain_layer" not in name:
            assert torch.equal(state[name], value), name
    layer, old = model.label_side.attention.plain_layer, tokens.parameters["label_side.attention.plain_layer"]
    assert layer.shape == (3, 3 * DIMENSION)
    assert torch.equal(layer[:2, : 2 * DIMENSION], old)
    assert layer[2].std() > 0.05
    assert layer[:, 2 * DIMENSION :].std() > 0.05


def test_a_normalised_attention_layer_grows_too(monkeypatch):
    config = tiny_config(model__attention_layer_normalized=True)
    norm = begun(monkeypatch, config, tokens_of(config)).label_side.attention.normalized_layer
    norm.advance(100)
    assert float(torch.linalg.svdvals(norm.normalized().detach())[0]) == pytest.approx(1, rel=1e-3)


def test_module_2_begins_anew_where_that_is_wanted(monkeypatch):
    config = tiny_config(training__fine_tune=False)
    model = begun(monkeypatch, config, tokens_of(config))
    assert torch.equal(model.document_block.residual.weight, torch.eye(DIMENSION))
    assert all(torch.equal(block.residual.weight, torch.eye(DIMENSION)) for block in model.label_side.blocks)


@pytest.mark.parametrize("how", ["graph", "text", "zero"])
def test_meta_labels_refinement_vectors_begin_as_the_setting_says(how, monkeypatch):
    config = tiny_config(training__refinement_start=how)
    tokens, graph = tokens_of(config), tiny_graph(DATA, config).matrix.toarray()
    seen, plain = [], module_2_shortlister.meta_problem
    monkeypatch.setattr(module_2_shortlister, "meta_problem", lambda *given: seen.append(plain(*given)) or seen[-1])
    model = begun(monkeypatch, config, tokens)
    own = seen[0].texts.toarray() @ tokens.embeddings.numpy()
    expected = {"graph": seen[0].graph.toarray() @ own, "text": own, "zero": 0 * own}[how]
    np.testing.assert_allclose(model.refinement.numpy(), expected, rtol=1e-4, atol=1e-5)
    assert graph.shape == (LABELS, LABELS)


def test_token_embeddings_are_frozen_after_module_1_unless_they_are_to_be_learned():
    config = tiny_config()
    tokens = tokens_of(config)
    before = tokens.embeddings.clone()
    assert shortlister_of(config, tokens)[1] is tokens
    _, learned = shortlister_of(config.replaced("training.token_embeddings", "learned"), tokens)
    assert not torch.equal(learned.embeddings, before)
    assert torch.equal(tokens.embeddings, before)


def test_the_shortlister_holds_every_label_in_one_cluster_and_is_plain_numpy():
    found, _ = shortlister_of(tiny_config())
    assert found.members.shape == (CLUSTERS, LABELS)
    assert (found.members.sum(axis=0) == 1).all()
    assert found.classifiers.shape == (CLUSTERS, DIMENSION)
    assert isinstance(found.classifiers, np.ndarray)
    assert (found.beam, found.keep, found.mix) == (2, 1, 1)
    assert found.bias is None
    assert shortlister_of(tiny_config("auto"))[0].bias.shape == (CLUSTERS,)
    assert shortlister_of(tiny_config(game__mix=0.0))[0].passes is None


@pytest.mark.parametrize("changes", [{}, {"model.label_bias": True, "model.block_shift": True}, {"game.mix": 0.0}])
def test_the_shortlister_comes_back_from_its_arrays_and_runs_on_torch(changes):
    config = tiny_config()
    for name, value in changes.items():
        config = config.replaced(name, value)
    found, tokens = shortlister_of(config)
    again = shortlister_from_arrays(shortlister_to_arrays(found), config)
    initial = (DATA.features @ tokens.embeddings.numpy()).astype(np.float32)
    expected = found.labels(initial)
    assert expected.shape == (DOCUMENTS, LABELS)
    np.testing.assert_array_equal(again.labels(initial).toarray(), expected.toarray())
    there = found.map(lambda array: moved(array, "torch:cpu"))
    np.testing.assert_allclose(there.labels(moved(initial, "torch:cpu")).toarray(), expected.toarray(), rtol=1e-4)
    assert isinstance(as_numpy(there.classifiers), np.ndarray)


def test_module_3_begins_with_identity_blocks_and_the_neighbours_texts():
    config = tiny_config()
    start, tokens = start_of(config), tokens_of(config)
    own = DATA.label_features @ tokens.embeddings.numpy()
    graph = tiny_graph(DATA, config).matrix
    np.testing.assert_allclose(start.model.refinement.numpy(), graph @ own, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(start.documents.numpy(), DATA.features @ tokens.embeddings.numpy(), rtol=1e-4, atol=1e-5)
    for found, expected in zip(start.labels.inputs, (own, graph @ own), strict=True):
        np.testing.assert_allclose(found.numpy(), expected, rtol=1e-4, atol=1e-5)
    for block in (start.model.document_block, *start.model.label_side.blocks):
        assert torch.equal(block.residual.weight, torch.eye(DIMENSION))
        assert float(block.scale.detach()) == 1
    assert start.model.bias is None


def test_lists_hold_what_is_relevant_and_what_the_shortlister_finds():
    config = tiny_config()
    shortlister, tokens = shortlister_of(config)
    shortlisted = shortlister.labels((DATA.features @ tokens.embeddings.numpy()).astype(np.float32))
    found = start_of(config).lists
    places = csr_array((np.ones(found.nnz), found.indices, found.indptr), shape=found.shape).toarray()
    np.testing.assert_array_equal(places, (DATA.targets.toarray() > 0) | (shortlisted.toarray() > 0))
    np.testing.assert_array_equal(found.toarray(), DATA.targets.toarray())
    wider = start_of(config.replaced("training.negatives", "shortlist+graph")).lists
    assert wider.nnz > found.nnz
    assert start_of(config.replaced("training.negatives", "all")).lists is DATA.targets


def test_lists_that_were_saved_are_taken_instead_of_made():
    config = tiny_config()
    start = start_of(config)
    again = lists_from_arrays(lists_to_arrays(start), DATA.targets.shape)
    np.testing.assert_array_equal(again.data, start.lists.data)
    np.testing.assert_array_equal(again.indices, start.lists.indices)
    assert again.nnz > np.count_nonzero(again.data), "negatives are entries of 0"
    assert start_of(config, lists=again).lists is again


def test_shortlists_do_not_depend_on_how_many_documents_are_taken_at_once(monkeypatch):
    shortlister, tokens = shortlister_of(tiny_config())
    documents = torch.from_numpy((DATA.features @ tokens.embeddings.numpy()).astype(np.float32))
    whole = shortlists(shortlister, documents, tiny_place())
    monkeypatch.setattr(module_3_initialisation, "DOCUMENTS_AT_ONCE", 7)
    parts = shortlists(shortlister, documents, tiny_place())
    np.testing.assert_allclose(parts.toarray(), whole.toarray(), rtol=1e-5)
    coarse = shortlists(shortlister, documents, tiny_place(torch.bfloat16))
    assert coarse.dtype == np.float32
    assert ((coarse.toarray() > 0) == (whole.toarray() > 0)).mean() > 0.9


@pytest.mark.parametrize("negatives", ["shortlist", "shortlist+graph", "all"])
def test_module_4_trains_the_classifiers_and_leaves_the_documents_alone(negatives):
    config = tiny_config(training__negatives=negatives)
    start = start_of(config)
    documents, refinement = start.documents.clone(), start.model.refinement.clone()
    model, inputs = learn_classifiers(start, config, tiny_place())
    assert torch.equal(start.documents, documents)
    assert not torch.equal(model.refinement, refinement)
    assert inputs is start.labels.inputs
