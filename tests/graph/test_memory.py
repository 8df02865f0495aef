import tracemalloc

import pytest

from xclare import LabelGraph
from xclare.data.synthetic import SyntheticSpec, generate
from xclare.graph.memory import peak_bytes
from xclare.graph.settings import GraphSettings
from xclare.threads import threads


@pytest.mark.parametrize("labels", [500, 2000, 6000])
def test_building_a_graph_takes_no_more_than_the_formula_says(labels):
    spec = SyntheticSpec(train_documents=2 * labels, test_documents=1, labels=labels, vocabulary=2000)
    targets = generate(spec, text=False).dataset.train.targets
    settings = GraphSettings(max_edges=10)
    with threads(1):
        tracemalloc.start()
        LabelGraph.build(targets, settings)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    planned = peak_bytes(*targets.shape, targets.nnz, settings)
    assert peak <= planned
    assert planned <= 3 * peak


def test_ten_million_labels_fit_into_sixty_gibibytes():
    planned = peak_bytes(6_849_451, 9_550_772, 68_494_510, GraphSettings(), workers=2)
    assert planned <= 60 * 2**30


def test_keeping_all_edges_is_planned_for_as_many_as_there_are_steps():
    few, all_ = (peak_bytes(10, 1000, 10, GraphSettings(max_edges=most)) for most in (10, 0))
    assert all_ > few
