"""From what the modules trained to the model that is saved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from scipy.sparse import eye_array
from torch import Tensor

from xclare.equations.embedding_block import Residual
from xclare.equations.game import passing
from xclare.graph.label_graph import LabelGraph
from xclare.inference.model_folder import SavedModel
from xclare.inference.ranker import Ranker
from xclare.inference.shortlister import Shortlister
from xclare.model.one_vs_all import OneVsAll
from xclare.sparse import Csr, column_counts, csr_from_rows
from xclare.training.export import component_strengths, document_residual, fused_classifiers
from xclare.training.module_1_token_embeddings import TokenEmbeddings
from xclare.training.prepared import Prepared
from xclare.version import __version__

if TYPE_CHECKING:
    from xclare.config import Config


def saved_model(
    prepared: Prepared,
    model: OneVsAll,
    inputs: tuple[Tensor, ...],
    graph: LabelGraph,
    tokens: TokenEmbeddings,
    shortlister: Shortlister,
) -> SavedModel:
    """The model as prediction uses it: what Module IV trained, `inputs` being what its label side was given, and what
    the modules before it left."""
    config = prepared.config
    residual = document_residual(model)
    ranker = Ranker(
        Residual(*(None if part is None else _numpy(part) for part in residual)),
        _numpy(fused_classifiers(model, inputs)),
        None if model.bias is None else _numpy(model.bias),
        passing(graph.matrix, config.game.orientation) if config.predict.mix else None,
        config.game.beam,
        config.predict,
    )
    return SavedModel(
        config=config.to_dict(),
        about=_about(prepared, shortlister),
        embeddings=_numpy(tokens.embeddings),
        shortlister=shortlister,
        ranker=ranker,
        cluster_of_label=_cluster_of_label(shortlister),
        meta_graph=_meta_graph(shortlister, config),
        graph=graph.matrix,
        label_counts=column_counts(prepared.data.targets),
        component_strengths=_numpy(component_strengths(model, inputs)),
        label_side=_side_arrays(model),
        label_texts=prepared.train.labels.texts if prepared.train.labels.has_text else None,
        label_ids=prepared.train.labels.ids,
        text=prepared.text,
    )


def _numpy(array: Tensor) -> Any:
    return array.detach().float().cpu().numpy()


def _side_arrays(model: OneVsAll) -> dict[str, Any]:
    """The folded label side and the refinement vectors, by name."""
    side = model.label_side.folded()
    arrays: dict[str, Tensor | None] = {}
    for number, block in enumerate(side.blocks):
        arrays |= {f"block_{number}": block.matrix, f"block_{number}.shift": block.shift}
    if side.attention is not None:
        attention = side.attention
        arrays |= {"transform": attention.transform, "layer": attention.layer, "transform.shift": attention.shift}
    arrays["refinement"] = model.refinement
    return {name: _numpy(array) for name, array in arrays.items() if array is not None}


def _cluster_of_label(shortlister: Shortlister) -> Any:
    members = shortlister.members  # (clusters x labels)
    cluster = np.empty(members.shape[1], np.int32)
    cluster[members.indices] = np.repeat(np.arange(members.shape[0], dtype=np.int32), np.diff(members.indptr))
    return cluster


def _meta_graph(shortlister: Shortlister, config: Config) -> Csr:
    """G_M, from what scores are multiplied by; the identity where there is no GAME."""
    if shortlister.passes is None:
        return eye_array(shortlister.members.shape[0], dtype=np.float32, format="csr")
    graph = passing(shortlister.passes, config.game.orientation)
    return csr_from_rows(graph.indptr, graph.indices, graph.data, graph.shape[1])


def _about(prepared: Prepared, shortlister: Shortlister) -> dict[str, Any]:
    """What the model was trained on and with."""
    data = prepared.data
    return {
        "data": prepared.name,
        "seed": prepared.seed,
        "xclare": __version__,
        "torch": torch.__version__,
        "numpy": np.__version__,
        "fingerprint": prepared.fingerprint,
        "sizes": {
            "training_documents": data.features.shape[0],
            "labels": data.targets.shape[1],
            "tokens": data.features.shape[1],
            "clusters": shortlister.members.shape[0],
        },
    }
