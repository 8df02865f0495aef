"""`xclare demo`: the bundled data set, end to end."""

from __future__ import annotations

from xclare.cli import options
from xclare.cli.terminal import print_json, print_table, verb


@verb
def demo(common: options.Common) -> None:
    """The bundled data set (Debian packages and the packages related to them): statistics and the three baselines."""
    from xclare.baselines import BASELINES, predict_baseline
    from xclare.data.dataset import Dataset
    from xclare.data.statistics import statistics_of
    from xclare.evaluation import evaluate
    from xclare.report.tables import metrics_table, statistics_table
    from xclare.text.features import with_features

    config = common.config()
    with common.at_work() as progress:
        dataset = with_features(
            Dataset.load("related-packages", settings=config.data, progress=progress), config.text, progress
        )
        documents = dataset.test_or_refuse()
        statistics = statistics_of(dataset)
        evaluations = {
            name: evaluate(
                predict_baseline(name, dataset, config.baselines, progress),
                documents,
                dataset.train,
                settings=config.evaluation,
            )
            for name in BASELINES
        }
    if common.json:
        scores = {name: evaluation.as_dict() for name, evaluation in evaluations.items()}
        print_json({"statistics": statistics.as_dict(), "baselines": scores})
        return
    title = f"{dataset.name}: {len(documents):,} test documents, in percent"
    print_table(statistics_table(statistics), metrics_table(evaluations, title=title))
