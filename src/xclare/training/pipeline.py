"""The whole of training: the label graph, Modules I to IV, and the model that comes out."""

from __future__ import annotations

import dataclasses
import logging
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from scipy.sparse import eye_array
from torch import Tensor

from xclare.graph.label_graph import LabelGraph
from xclare.inference.model_folder import SavedModel
from xclare.inference.shortlister import Shortlister
from xclare.model.weighted_bag import Bags
from xclare.progress import SILENT, Progress
from xclare.threads import worker_count
from xclare.training.log import TrainingLog
from xclare.training.loop import Place
from xclare.training.module_1_token_embeddings import TokenEmbeddings, learn_token_embeddings
from xclare.training.module_2_shortlister import (
    learn_shortlister,
    shortlister_from_arrays,
    shortlister_to_arrays,
)
from xclare.training.module_3_initialisation import Initialisation, initialise, lists_from_arrays, lists_to_arrays
from xclare.training.module_4_classifiers import learn_classifiers
from xclare.training.prepared import Prepared
from xclare.training.saving import saved_model
from xclare.training.workspace import Workspace

if TYPE_CHECKING:
    from xclare.config import Config

log = logging.getLogger(__name__)


def train_model(prepared: Prepared, workspace: Path | None = None, progress: Progress = SILENT) -> SavedModel | None:
    """Runs Modules I to IV. With a `workspace`, a folder, the result of every module is kept there, and modules that
    finished before, on the same data with the same settings and seed, are not run again. None where the run was to stop
    after an earlier module."""
    kept = None
    if workspace is not None:
        kept = Workspace(workspace, prepared.fingerprint)
    with _torch_threads():
        run = _Run(prepared, kept, TrainingLog(None if kept is None else kept.log_file, progress))
        return run.run()


class _Run:
    """One run of the pipeline."""

    def __init__(self, prepared: Prepared, workspace: Workspace | None, training_log: TrainingLog) -> None:
        self.prepared, self.workspace, self.log = prepared, workspace, training_log
        self.config, self.data = prepared.config, prepared.data
        kind = torch.bfloat16 if self.config.training.precision == "bf16" else torch.float32
        self.place = Place(prepared.device, kind, prepared.seed, training_log)

    def run(self) -> SavedModel | None:
        """Module after module, up to `training.stop_after`."""
        last = self.config.training.stop_after
        self.log.event("start", config=self.config.to_dict(), seed=self.prepared.seed, device=str(self.place.device))
        tokens = self._module_1()
        if last == 1:
            return None
        graph = self._graph(tokens)
        shortlister, tokens = self._module_2(graph, tokens)
        if last == 2:
            return None
        start = self._module_3(graph, tokens, shortlister)
        if last == 3:
            return None
        model, inputs = learn_classifiers(start, self.config, self.place)
        saved = saved_model(self.prepared, model, inputs, graph, tokens, shortlister)
        self.log.event("end", peak_memory_gib=peak_memory_gib())
        return saved

    def _module_1(self) -> TokenEmbeddings:
        found = self._finished(1)
        if found is not None:
            return TokenEmbeddings.of_arrays(found)
        tokens = learn_token_embeddings(self.data, self._graph(None), self.config, self.place)
        self._finish(1, tokens.arrays())
        return tokens

    def _module_2(self, graph: LabelGraph, tokens: TokenEmbeddings) -> tuple[Shortlister, TokenEmbeddings]:
        found = self._finished(2)
        if found is not None:
            learnt = dataclasses.replace(tokens, embeddings=found.get("token_embeddings", tokens.embeddings))
            return shortlister_from_arrays(found, self.config), learnt
        shortlister, learnt = learn_shortlister(self.data, graph, tokens, self.config, self.place)
        arrays = shortlister_to_arrays(shortlister)
        if self.config.training.token_embeddings == "learned":
            arrays["token_embeddings"] = learnt.embeddings
        self._finish(2, arrays)
        return shortlister, learnt

    def _module_3(self, graph: LabelGraph, tokens: TokenEmbeddings, shortlister: Shortlister) -> Initialisation:
        found = self._finished(3)
        lists = None if found is None else lists_from_arrays(found, self.data.targets.shape)
        start = initialise(self.data, graph, tokens.embeddings, shortlister, lists, self.config, self.place)
        if found is None:
            self._finish(3, lists_to_arrays(start))
        return start

    def _graph(self, tokens: TokenEmbeddings | None) -> LabelGraph:
        """The label graph; before there are token embeddings, nothing is pruned by them. Where no setting uses a graph,
        every label is alone."""
        settings = self.config.graph
        labels = self.data.targets.shape[1]
        if not uses_graph(self.config):
            alone = eye_array(labels, dtype=np.float32, format="csr")
            return LabelGraph(alone, alone, settings, self.prepared.seed)
        vectors = None
        if tokens is None:
            settings = dataclasses.replace(settings, prune_below_cosine=-1.0)
        elif settings.prune_below_cosine > -1:
            embeddings = tokens.embeddings.to(self.place.device)
            vectors = Bags.of(self.data.label_features, self.place.device).of_rows(embeddings).cpu().numpy()
        with self.log.stage("label graph"):
            return LabelGraph.build(
                self.data.targets,
                settings,
                seed=self.prepared.seed,
                label_vectors=vectors,
                own=self.prepared.own_graph,
                progress=self.log.progress,
            )

    def _finished(self, module: int) -> dict[str, Tensor] | None:
        found = None if self.workspace is None else self.workspace.finished(module)
        if found is not None:
            log.info("Module %s was finished before: it is taken from %s.", "I" * module, self.workspace.folder)  # type: ignore[union-attr]
        return found

    def _finish(self, module: int, arrays: dict[str, Tensor]) -> None:
        if self.workspace is not None:
            self.workspace.finish(module, arrays)


def peak_memory_gib() -> float:
    """The most memory that this process held at a time so far."""
    unit = 1 if sys.platform == "darwin" else 1024
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**30, 2)


def uses_graph(config: Config) -> bool:
    """Whether any setting asks for the label graph."""
    training = config.training
    return bool(
        config.model.order
        or config.clustering.method == "augmented"
        or config.game.mix
        or config.predict.mix
        or (config.model.refinement and training.refinement_start == "graph")
        or training.negatives == "shortlist+graph"
    )


@contextmanager
def _torch_threads() -> Iterator[None]:
    """Torch works on as many threads as everything else here, and on as many as before afterwards."""
    before = torch.get_num_threads()
    torch.set_num_threads(worker_count())
    try:
        yield
    finally:
        torch.set_num_threads(before)
