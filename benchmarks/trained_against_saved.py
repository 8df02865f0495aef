"""The trained torch modules, before export and in float32, against the predictor from the saved folder: metrics of the
same model on documents held out of training, which must agree within 0.05 points.

    python benchmarks/trained_against_saved.py DATA [--features FILE] [--preset reference] [--epochs 2]
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

import torch
from scipy.sparse import csr_array, vstack
from torch import Tensor

from machine import describe, write_results
from xclare.config import Config
from xclare.data.dataset import Dataset
from xclare.equations.embedding_block import Residual
from xclare.equations.label_classifier import label_classifiers
from xclare.estimator import prepare, save_model
from xclare.evaluation import evaluate
from xclare.inference.model_folder import SavedModel
from xclare.inference.predictor import Predictor
from xclare.inference.ranker import Ranker
from xclare.model.weighted_bag import Bags
from xclare.sparse import Csr, top_k
from xclare.training import module_4_classifiers, pipeline

LIMIT = 0.05
DOCUMENTS_AT_ONCE = 512


def main() -> None:
    """Trains, scores twice, compares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("--features", type=Path)
    parser.add_argument("--preset", default="reference")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=1024)
    arguments = parser.parse_args()
    settings = [f"training.batch_size={arguments.batch_size}", "training.validation=0.1", "model.dimension=300"]
    settings += [f"training.epochs_{module}={arguments.epochs}" for module in (1, 2, 4)]
    config = Config.of_preset(arguments.preset).with_assignments(settings)
    dataset = Dataset.load(arguments.data, features=arguments.features)
    prepared = prepare(Dataset(dataset.train, None, dataset.name), config)
    kept: list[Any] = []
    learn = module_4_classifiers.learn_classifiers

    def kept_too(*given: Any) -> Any:
        kept.append(learn(*given))
        return kept[-1]

    vars(pipeline)["learn_classifiers"] = kept_too
    model = pipeline.train_model(prepared)
    assert model is not None
    assert prepared.held_out is not None
    with tempfile.TemporaryDirectory() as folder:
        save_model(model, Path(folder) / "model")
        saved = Predictor.load(Path(folder) / "model")
        by_predictor = saved.scores(prepared.held_out.features, 100)
    found = {
        "trained modules": by_modules(model, kept[-1][0], kept[-1][1], prepared.held_out.features),
        "predictor": by_predictor,
    }
    metrics = {name: evaluate(scores, prepared.held_out, prepared.train).metrics for name, scores in found.items()}
    differences = {k: metrics["predictor"][k] - value for k, value in metrics["trained modules"].items()}
    largest = max(map(abs, differences.values()))
    rows = [(k, f"{v:.4f}, {metrics['predictor'][k]:.4f}") for k, v in metrics["trained modules"].items()]
    rows.append(("largest difference", f"{largest:.4f}"))
    results = {"machine": describe("torch"), "metrics": metrics, "largest_difference": largest}
    name = f"trained_against_saved_{dataset.name}"
    write_results(name, results, f"Trained modules, then the saved model: {dataset.name}", rows)
    if largest > LIMIT:
        raise SystemExit(f"over the limit: {largest:.4f} > {LIMIT}")


@torch.no_grad()
def by_modules(model: SavedModel, trained: Any, inputs: tuple[Tensor, ...], features: Csr) -> Csr:
    """The scores by torch, from the parameters that were trained: nothing is read from what export made of Module
    IV."""
    side, folded = trained.label_side.folded(), trained.document_block.folded()
    classifiers = label_classifiers([part.float() for part in inputs], trained.refinement, side)
    ranker = Ranker(
        Residual(*folded), classifiers, trained.bias, model.ranker.passes, model.ranker.beam, model.ranker.settings
    )
    shortlister = model.shortlister.map(torch.from_numpy)
    embeddings, parts = torch.from_numpy(model.embeddings), []
    for start in range(0, features.shape[0], DOCUMENTS_AT_ONCE):
        initial = Bags.of(features[start : start + DOCUMENTS_AT_ONCE], torch.device("cpu")).of_rows(embeddings)
        exact = ranker.settings.search == "exact"
        found = ranker.exact(initial) if exact else ranker.scores(initial, shortlister.labels(initial))
        parts.append(top_k(found, 100))
    return csr_array(vstack(parts, format="csr"))


if __name__ == "__main__":
    main()
