"""Module II: the shortlister, meta-labels clustered and learnt anew with the token embeddings of Module I."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn

from xclare.clustering.label_centroids import embedded_centroids
from xclare.clustering.meta_labels import MetaLabels, cluster_labels, random_clusters
from xclare.data.formats.npz import csr_as_arrays, csr_from_arrays
from xclare.equations.embedding_block import Residual
from xclare.equations.game import passing
from xclare.graph.label_graph import LabelGraph
from xclare.inference.shortlister import Shortlister
from xclare.model.one_vs_all import OneVsAll
from xclare.model.weighted_bag import Bags
from xclare.sparse import column_counts
from xclare.training.export import document_residual, fused_classifiers
from xclare.training.inputs import FixedDocuments, fixed_label_inputs
from xclare.training.loop import Place, train
from xclare.training.meta_problem import MetaProblem, meta_problem
from xclare.training.module_1_token_embeddings import TokenEmbeddings, token_problem
from xclare.training.start import TrainingData, log_odds, refinement_start
from xclare.training.step import Problem

if TYPE_CHECKING:
    from xclare.config import Config


def learn_shortlister(
    data: TrainingData, graph: LabelGraph, tokens: TokenEmbeddings, config: Config, place: Place
) -> tuple[Shortlister, TokenEmbeddings]:
    """Clusters the labels by their documents' embeddings, and learns the classifiers of these meta-labels, with
    refinement vectors. The token embeddings come back as they were, unless they are trained on."""
    embeddings = tokens.embeddings.to(place.device)
    documents = Bags.of(data.features, place.device).of_rows(embeddings)
    with place.log.stage("clusters of Module II"):
        labels = _clusters(documents, data, graph, config, place)
        meta = meta_problem(labels, data.label_features, data.targets, graph.matrix, graph.counts, config.clustering)
    initial = Bags.of(meta.texts, place.device).of_rows(embeddings)
    fixed = fixed_label_inputs(initial, meta.graph, config.model, place.kind)
    model = _model(tokens, initial, meta, config, place)
    if config.training.token_embeddings == "frozen":
        problem = Problem(
            FixedDocuments(documents.to(place.kind)), fixed, Bags.of(meta.targets, place.device), others=True
        )
        train(2, model, None, problem, config.training, config.model.dropout, place)
    else:
        trained = nn.Parameter(embeddings.clone())
        problem = token_problem(data, meta, config.model, place.device)
        train(2, model, trained, problem, config.training, config.model.dropout, place)
        tokens = TokenEmbeddings(trained.detach(), tokens.parameters)
        initial = Bags.of(meta.texts, place.device).of_rows(tokens.embeddings)
        fixed = fixed_label_inputs(initial, meta.graph, config.model, torch.float32)
    return _shortlister(model, fixed.inputs, labels, meta, config), tokens


def _clusters(documents: Tensor, data: TrainingData, graph: LabelGraph, config: Config, place: Place) -> MetaLabels:
    """Meta-labels by centroids c^_l = Σ_j G_lj c_j, c_l = Σ_{i: y_il = 1} E x_i."""
    settings, threshold, frequencies = config.clustering, config.graph.head_threshold, column_counts(data.targets)
    if settings.method == "random":
        return random_clusters(frequencies, settings, head_threshold=threshold, seed=place.seed)
    used = graph.matrix if settings.method == "augmented" else None
    vectors = documents.numpy() if place.device.type == "cpu" else documents
    return cluster_labels(
        embedded_centroids(vectors, data.targets, used),
        frequencies,
        settings,
        head_threshold=threshold,
        seed=place.seed,
        progress=place.log.progress,
    )


def _model(tokens: TokenEmbeddings, initial: Tensor, meta: MetaProblem, config: Config, place: Place) -> OneVsAll:
    """The model before Module II: its shared parameters are Module I's where they are to be fine-tuned."""
    generator = torch.Generator().manual_seed(place.seed * 8 + 2)
    refinement = None
    if config.model.refinement:
        convolved = Bags.of(meta.graph, place.device).of_rows(initial)
        refinement = refinement_start(config.training.refinement_start, initial, convolved)
    bias = log_odds(meta.targets) if config.model.label_bias else None
    model = OneVsAll(config.model.dimension, config.model, generator, refinement=refinement, bias=bias)
    if config.training.fine_tune:
        _take_over(model, tokens.parameters)
    return model.to(place.device)


@torch.no_grad()
def _take_over(model: OneVsAll, parameters: dict[str, Tensor]) -> None:
    """Copies Module I's parameters. The attention layer has grown by a component, the refinement vectors: what was
    there is its upper left corner, the rest stays random."""
    for name, value in model.state_dict().items():
        if name in ("refinement", "bias") or name not in parameters:
            continue
        old = parameters[name].to(value.device)
        value[tuple(slice(length) for length in old.shape)] = old


def _shortlister(
    model: OneVsAll, inputs: tuple[Tensor, ...], labels: MetaLabels, meta: MetaProblem, config: Config
) -> Shortlister:
    game = config.game
    classifiers = fused_classifiers(model, inputs)
    return Shortlister(
        document_residual(model),
        classifiers,
        model.bias,
        meta.members.T.tocsr(),
        passing(meta.graph, game.orientation) if game.mix else None,
        game.beam_for(len(labels.cluster_of_label), labels.clusters),
        game.keep,
        game.mix,
    ).map(lambda array: array.detach().float().cpu().numpy().astype(np.float32, copy=False))


def shortlister_to_arrays(shortlister: Shortlister) -> dict[str, Tensor]:
    """The shortlister by name, to be saved between modules."""
    arrays = {"residual": shortlister.residual.matrix, "classifiers": shortlister.classifiers}
    arrays |= {} if shortlister.residual.shift is None else {"shift": shortlister.residual.shift}
    arrays |= {} if shortlister.bias is None else {"bias": shortlister.bias}
    arrays |= csr_as_arrays(shortlister.members, "members.")
    arrays |= {} if shortlister.passes is None else csr_as_arrays(shortlister.passes, "passes.")
    return {name: torch.from_numpy(np.ascontiguousarray(array)) for name, array in arrays.items()}


def shortlister_from_arrays(saved: dict[str, Tensor], config: Config) -> Shortlister:
    """The shortlister that was saved between modules."""
    arrays = {name: array.numpy() for name, array in saved.items()}
    return Shortlister(
        Residual(arrays["residual"], arrays.get("shift")),
        arrays["classifiers"],
        arrays.get("bias"),
        csr_from_arrays(arrays, "module_2", "members."),
        csr_from_arrays(arrays, "module_2", "passes.") if "passes.data" in arrays else None,
        config.game.beam,
        config.game.keep,
        config.game.mix,
    )
