"""Before training: documents held out, text features learnt, every choice made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

from xclare.data.dataset import Dataset, Documents
from xclare.progress import SILENT, Progress
from xclare.randomness import drawn, keys
from xclare.sparse import Csr
from xclare.text.features import TextFeatures, learn_features
from xclare.training.sizes import device_for, with_sizes
from xclare.training.start import TrainingData
from xclare.training.workspace import fingerprint_of

if TYPE_CHECKING:
    from xclare.config import Config


@dataclass(frozen=True, eq=False)
class Prepared:
    """What is about to be trained: nothing has been yet, but everything is decided."""

    train: Documents
    """With features, without those held out."""
    held_out: Documents | None
    """With features; only watched."""
    text: TextFeatures | None
    config: Config
    """With every choice made."""
    seed: int
    device: torch.device
    name: str
    own_graph: Csr | None = None
    """A label graph of one's own (labels x labels), mixed in by `graph.own_share`."""

    @property
    def fingerprint(self) -> str:
        """A hash of everything that the modules' results follow from."""
        return fingerprint_of(self.data, self.own_graph, self.config, self.seed)

    @property
    def data(self) -> TrainingData:
        """The matrices that the modules see."""
        return TrainingData.of(self.train)


def prepare(
    dataset: Dataset | Documents,
    config: Config,
    *,
    seed: int = 0,
    device: str = "auto",
    own_graph: Csr | None = None,
    progress: Progress = SILENT,
) -> Prepared:
    """Holds documents out where that is wanted, learns text features where there are none, and makes all choices."""
    documents, name = (dataset.train, dataset.name) if isinstance(dataset, Dataset) else (dataset, "data")
    kept, held_out = hold_out(documents, config.training.validation, seed)
    featured, text = learn_features(Dataset(kept, held_out, name), config.text, progress)
    TrainingData.of(featured.train)
    place = device_for(device)
    sized = with_sizes(config, featured.train, place)
    return Prepared(featured.train, featured.test, text, sized, seed, place, name, own_graph)


def hold_out(documents: Documents, share: float, seed: int) -> tuple[Documents, Documents | None]:
    """The documents to train on, and a random share of them to watch; none where the share is 0, and of a single
    document."""
    if not share or len(documents) < 2:
        return documents, None
    order = np.argsort(drawn(keys(seed, np.arange(len(documents))), 0), kind="stable")
    count = min(max(1, round(share * len(documents))), len(documents) - 1)
    held_out = np.zeros(len(documents), bool)
    held_out[order[:count]] = True
    return documents.take(~held_out), documents.take(held_out)
