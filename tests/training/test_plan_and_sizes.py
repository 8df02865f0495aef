import dataclasses

import numpy as np
import pytest

from tiny import tiny_config, tiny_data
from xclare.config import Config
from xclare.errors import InputError
from xclare.report.model_tables import plan_table
from xclare.threads import threads

pytest.importorskip("torch", reason="the extra `train` is not installed")

import torch

from xclare.data.dataset import Documents, Labels
from xclare.sparse import csr_from_pairs
from xclare.training.pipeline import train_model
from xclare.training.plan import plan_of
from xclare.training.prepared import prepare
from xclare.training.sizes import batch_size_for, device_for, precision_for, with_sizes

CPU = torch.device("cpu")


def sized(labels, preset="auto", documents=100, **changes):
    config = Config.of_preset(preset)
    for name, value in changes.items():
        config = config.replaced(name.replace("__", ".", 1), value)
    some = Documents(count=documents, targets=csr_from_pairs([], [], (documents, labels)), labels=Labels(labels))
    return with_sizes(config, some, CPU)


@pytest.mark.parametrize(
    ("labels", "preset", "dimension", "clusters", "beam", "rates"),
    [
        (131_073, "paper", 300, 1 << 15, 30, (0.01, 0.008)),
        (312_330, "paper", 300, 1 << 17, 50, (0.01, 0.008)),
        (500_000, "paper", 512, 1 << 17, 50, (0.01, 0.008)),
        (1_305_265, "paper", 512, 1 << 17, 50, (0.01, 0.008)),
        (25_000, "paper", 300, 1 << 13, 50, (0.01, 0.008)),
        (131_073, "decaf", 300, 1 << 15, 30, (0.01, 0.008)),
        (131_073, "reference", 300, 1 << 15, 50, (0.005, 0.004)),
        (312_330, "reference", 300, 1 << 17, 30, (0.01, 0.008)),
        (500_000, "reference", 512, 1 << 17, 20, (0.01, 0.005)),
        (1_305_265, "reference", 512, 1 << 17, 50, (0.005, 0.004)),
    ],
)
def test_presets_take_what_was_published_by_the_number_of_labels(labels, preset, dimension, clusters, beam, rates):
    config = sized(labels, preset)
    assert (config.model.dimension, config.clustering.clusters, config.game.beam) == (dimension, clusters, beam)
    assert (config.training.learning_rate_1, config.training.learning_rate_2) == rates
    assert config.training.learning_rate_4 == rates[1]
    assert config.training.batch_size == 100, "no more than there are documents"


def test_auto_opens_enough_clusters_for_two_hundred_labels():
    for labels in (100, 1_000, 25_000, 131_073, 1_305_265):
        config = sized(labels)
        beam, clusters = config.game.beam, config.clustering.clusters
        assert beam == min(max(20, -(-200 * clusters // labels)), clusters)
        assert beam * labels / clusters >= 200 or beam == clusters


def test_what_was_set_is_left_as_it_is():
    changes = {
        "model__dimension": 7,
        "training__batch_size": 9,
        "training__learning_rate_1": 0.5,
        "training__learning_rate_2": 0.25,
        "training__learning_rate_4": 0.125,
        "training__negatives": "shortlist",
        "training__precision": "bf16",
        "graph__max_edges": 3,
        "clustering__clusters": 4,
        "game__beam": 2,
        "predict__search": "shortlist",
    }
    config = sized(500, **changes)
    for name, value in changes.items():
        section, _, key = name.partition("__")
        assert getattr(getattr(config, section), key) == value
    assert sized(500, "paper", **changes).training == dataclasses.replace(
        config.training, **{k: v for k, v in Config.of_preset("paper").to_dict()["training"].items() if k in PAPERS}
    )


PAPERS = ("epochs_1", "epochs_2", "epochs_4", "schedule", "warmup")


def test_nothing_is_left_open_and_sizing_twice_changes_nothing():
    for labels in (1, 30, 150_000, 250_000, 3_000_000):
        config = sized(labels)
        again = with_sizes(config, dataclasses.replace(tiny_data(2, test=0).train), CPU)
        assert config.training.negatives == ("all" if labels < 200_000 else "shortlist")
        assert config.predict.search == ("exact" if labels < 30_000 else "shortlist")
        assert config.training.precision in ("float32", "bf16")
        assert config.graph.max_edges == (0 if labels < 200_000 else 30 if labels < 2_000_000 else 10)
        for section in ("model", "graph", "clustering", "game", "predict"):
            assert getattr(again, section) == getattr(config, section)


def test_batches_are_a_32nd_of_the_documents():
    assert [batch_size_for(n) for n in (0, 1, 100, 20_000, 60_000, 1_000_000)] == [256, 256, 256, 512, 2048, 4096]


def test_places_and_precisions_are_checked():
    assert device_for("cpu").type == "cpu"
    with pytest.raises(InputError, match="--device tpu: expected `auto`, `cpu` or `cuda`"):
        device_for("tpu")
    if not torch.cuda.is_available():
        assert device_for("auto").type == "cpu"
        with pytest.raises(InputError, match="no GPU that PyTorch can use was found"):
            device_for("cuda")
    assert precision_for("bf16", CPU) == "bf16"
    assert precision_for("auto", CPU) in ("float32", "bf16")


@pytest.mark.parametrize("threshold", [500, 3, 0])
def test_the_plan_says_what_the_model_then_is(threshold):
    config = tiny_config(training__validation=0.2, graph__head_threshold=threshold)
    with threads(1):
        prepared = prepare(tiny_data(), config, seed=3)
        plan = plan_of(prepared)
        model = train_model(prepared)
    assert (plan.data, plan.preset, plan.seed, plan.device, plan.precision) == ("tiny", "auto", 3, "cpu", "float32")
    assert (plan.documents, plan.held_out, plan.labels) == (48, 12, 30)
    assert plan.tokens == len(model.embeddings)
    assert plan.dimension == model.embeddings.shape[1]
    assert plan.clusters == len(np.unique(model.cluster_of_label)) == model.about["sizes"]["clusters"]
    assert 0 < plan.memory_gib < 2
    assert plan.as_dict()["epochs"] == (2, 2, 2)
    cells = dict(zip(*(list(column.cells) for column in plan_table(plan, "where").columns), strict=True))
    assert cells["training documents"] == "48, 12 held out"
    assert cells["the model will be"] == "where"
