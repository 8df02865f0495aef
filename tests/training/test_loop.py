# ruff: noqa: E402 - torch is looked for first
"""Epochs and batches, the same again for the same seed, and what is said when it fails."""

import json

import pytest

torch = pytest.importorskip("torch", reason="the extra `train` is not installed")

from full_loss import CPU, DOCUMENTS, Case

from xclare.errors import XclareError
from xclare.training import step as module
from xclare.training.log import TrainingLog
from xclare.training.loop import Place, shuffled, train
from xclare.training.settings import TrainingSettings
from xclare.training.step import Step

SETTINGS = TrainingSettings(batch_size=4, epochs_4=3, learning_rate_4=0.02)


def run(case, settings=SETTINGS, *, number=4, dropout=0.2, seed=0, log=None):
    """The case's model, trained."""
    table = case.table if case.learns_tokens else None
    place = Place(CPU, case.kind, seed, log or TrainingLog())
    train(number, case.model, table, case.problem, settings, dropout, place)
    return {**case.model.state_dict(), "token embeddings": case.table.detach()}


def same(one, other):
    return all(torch.equal(one[name], other[name]) for name in one)


@pytest.mark.parametrize("shape", [{}, {"learns_tokens": True}, {"others": False, "positives": 0.05}])
def test_the_same_seed_trains_the_same_model_bit_for_bit(shape):
    assert same(run(Case(**shape)), run(Case(**shape)))


def test_another_seed_trains_another():
    assert not same(run(Case()), run(Case(), seed=1))
    assert not same(run(Case(), dropout=0.0), run(Case(), dropout=0.0, seed=1))  # by the order of documents alone


def test_every_document_is_trained_on_once_an_epoch_in_another_order(monkeypatch):
    seen = []
    plain = Step.run
    monkeypatch.setattr(
        Step, "run", lambda self, rows, *a, **k: (seen.append(rows.tolist()), plain(self, rows, *a, **k))[1]
    )
    run(Case())
    assert [len(rows) for rows in seen] == [4, 4, 2] * 3
    epochs = [[row for rows in seen[start : start + 3] for row in rows] for start in (0, 3, 6)]
    assert all(sorted(epoch) == list(range(DOCUMENTS)) for epoch in epochs)
    assert len({tuple(epoch) for epoch in epochs}) == 3


def test_an_order_of_documents_follows_from_seed_and_epoch():
    orders = {(seed, epoch): tuple(shuffled(100, seed, epoch, CPU).tolist()) for seed in range(3) for epoch in range(3)}
    assert len(set(orders.values())) == 9
    assert all(sorted(order) == list(range(100)) for order in orders.values())


def test_training_lowers_the_loss():
    case, everything = Case(learns_tokens=True), torch.arange(DOCUMENTS)
    before = case.step().run(everything, 0, 0.0, with_loss=True)
    run(case, TrainingSettings(batch_size=4, epochs_4=30, learning_rate_4=0.05))
    after = case.step().run(everything, 0, 0.0, with_loss=True)
    assert float(after) < 0.5 * float(before)


def test_no_epoch_is_no_training():
    case = Case()
    before = {name: value.clone() for name, value in case.model.state_dict().items()}
    run(case, TrainingSettings(batch_size=4, epochs_4=0, learning_rate_4=1.0))
    assert same(before, case.model.state_dict())


def test_the_log_tells_loss_and_rate_of_the_first_and_the_last_step(tmp_path):
    run(Case(), log=TrainingLog(tmp_path / "log.jsonl"))
    steps = [
        line for line in map(json.loads, (tmp_path / "log.jsonl").read_text().splitlines()) if line["event"] == "step"
    ]
    assert [(line["step"], line["epoch"], line["steps"], line["module"]) for line in steps] == [
        (1, 1, 9, "IV"),
        (9, 3, 9, "IV"),
    ]
    assert all(line["loss"] > 0 and 0 < line["learning_rate"] <= 0.02 for line in steps)


@pytest.mark.parametrize(("number", "name"), [(1, "Module I:"), (2, "Module II:"), (4, "Module IV:")])
def test_a_loss_that_is_no_number_stops_training_and_says_what_to_try(number, name):
    case = Case()
    case.model.refinement[3, 1] = float("nan")
    rates = {f"epochs_{number}": 2, f"learning_rate_{number}": 0.02}
    with pytest.raises(XclareError) as error:
        run(case, TrainingSettings(batch_size=4, schedule="constant", warmup=0, **rates), number=number)
    told = str(error.value)
    assert told.startswith(name)
    for part in ("nan", "step 1 of 6", "learning rate of 0.02", f"training.learning_rate_{number}=0.005"):
        assert part in told
    assert "training.warmup" in told
    assert "training.precision=float32" in told


def test_an_infinite_loss_stops_it_too():
    case = Case()
    case.model.bias[0] = float("inf")
    with pytest.raises(XclareError, match=r"the loss is (inf|nan) at step 1"):
        run(case)


def test_chunks_of_labels_change_a_whole_run_by_rounding_alone(monkeypatch):
    whole = run(Case(), dropout=0.0)
    monkeypatch.setattr(module, "MOST_LABELS_AT_ONCE", 5)
    parts = run(Case(), dropout=0.0)
    for name, value in whole.items():
        torch.testing.assert_close(parts[name], value, rtol=1e-3, atol=1e-4, msg=name)


def test_a_run_in_bf16_keeps_its_parameters_in_float32():
    found = run(Case(kind=torch.bfloat16))
    assert all(value.dtype == torch.float32 for value in found.values())
    assert all(value.isfinite().all() for value in found.values())
