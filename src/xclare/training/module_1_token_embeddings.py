"""Module I: token embeddings, learnt by predicting the meta-labels of documents without refinement vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from xclare.clustering.meta_labels import meta_labels
from xclare.graph.label_graph import LabelGraph
from xclare.model.one_vs_all import OneVsAll, he_uniform
from xclare.model.settings import ModelSettings
from xclare.model.weighted_bag import Bags
from xclare.training.inputs import EmbeddedDocuments, EmbeddedLabels
from xclare.training.loop import Place, train
from xclare.training.meta_problem import MetaProblem, meta_problem
from xclare.training.start import TrainingData, log_odds
from xclare.training.step import Problem

if TYPE_CHECKING:
    from xclare.config import Config


@dataclass(frozen=True, eq=False)
class TokenEmbeddings:
    """What Module I leaves: E, and the shared parameters that Module II may go on from."""

    embeddings: Tensor
    """E (tokens, D)."""
    parameters: dict[str, Tensor]

    def arrays(self) -> dict[str, Any]:
        """By name, to be saved."""
        return {"token_embeddings": self.embeddings, **{f"model.{k}": v for k, v in self.parameters.items()}}

    @classmethod
    def of_arrays(cls, arrays: dict[str, Tensor]) -> TokenEmbeddings:
        """From what `arrays` gave."""
        parameters = {k.removeprefix("model."): v for k, v in arrays.items() if k.startswith("model.")}
        return cls(arrays["token_embeddings"], parameters)


def learn_token_embeddings(data: TrainingData, graph: LabelGraph, config: Config, place: Place) -> TokenEmbeddings:
    """Clusters the labels by the TF-IDF features of their documents, and learns E with the classifiers of these
    meta-labels."""
    with place.log.stage("clusters of Module I"):
        labels = meta_labels(
            data.features,
            data.targets,
            graph.matrix,
            config.clustering,
            head_threshold=config.graph.head_threshold,
            seed=place.seed,
            progress=place.log.progress,
        )
        meta = meta_problem(labels, data.label_features, data.targets, graph.matrix, graph.counts, config.clustering)
    generator = torch.Generator().manual_seed(place.seed * 8 + 1)
    dimension, clusters = config.model.dimension, labels.clusters
    embeddings = nn.Parameter(he_uniform(data.features.shape[1], dimension, generator).to(place.device))
    only = not (config.model.label_text or config.model.order)  # then there is no classifier without them
    free = config.model.refinement and (config.training.refinement_in_module_1 or only)
    model = OneVsAll(
        dimension,
        config.model,
        generator,
        refinement=torch.zeros(clusters, dimension) if free else None,
        bias=log_odds(meta.targets) if config.model.label_bias else None,
    ).to(place.device)
    problem = token_problem(data, meta, config.model, place.device)
    train(1, model, embeddings, problem, config.training, config.model.dropout, place)
    own = ("refinement", "bias")
    parameters = {name: value for name, value in model.state_dict().items() if name not in own}
    return TokenEmbeddings(embeddings.detach(), parameters)


def token_problem(data: TrainingData, meta: MetaProblem, settings: ModelSettings, device: torch.device) -> Problem:
    """The meta problem as it is learnt while token embeddings are: documents and meta-labels as bags of tokens."""
    return Problem(
        EmbeddedDocuments(Bags.of(data.features, device)),
        EmbeddedLabels(meta.texts, meta.graph, settings, device),
        Bags.of(meta.targets, device),
        others=True,
    )
