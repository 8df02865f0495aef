# ruff: noqa: E402 - torch is looked for first
"""The training step, chunk by chunk, against PyTorch's derivatives of the whole loss."""

import pytest

torch = pytest.importorskip("torch", reason="the extra `train` is not installed")

from full_loss import DOCUMENTS, LABELS, Case, expected_gradients, gradients_of

from xclare.equations.embedding_block import document_embedding
from xclare.equations.label_classifier import label_classifiers
from xclare.model.label_side import advance_spectral_norms
from xclare.model.settings import ModelSettings
from xclare.training import step as module
from xclare.training.settings import TrainingSettings
from xclare.training.step import _Chunks, labels_at_once

FEW = {"positives": 0.04, "negatives": 0.06}


def assert_agrees(case, training=None, tolerance=2e-5):
    """A first step descends along the derivatives of the full loss, and tells this loss."""
    training = training or TrainingSettings(batch_size=7)
    loss, expected = expected_gradients(case, training.loss)
    step = case.step(training)
    told = step.run(case.rows, 0, 0.0, with_loss=True)
    found = gradients_of(step)
    assert set(found) == set(expected)
    for name, gradient in expected.items():
        limit = tolerance * max(float(gradient.abs().max()), 1e-3)
        torch.testing.assert_close(found[name].double(), gradient, rtol=tolerance, atol=limit, msg=name)
    if training.loss == "sum":
        assert float(told) == pytest.approx(loss, rel=1e-5)
    return found


MODELS = {
    "as the paper has it": ModelSettings(label_bias=False),
    "with biases": ModelSettings(),
    "as the authors' program has it": ModelSettings(
        attention_sigmoid=False, attention_layer_normalized=True, attention_shift=True, block_shift=True
    ),
    "components added up": ModelSettings(combination="sum"),
    "two orders of the graph": ModelSettings(order=2),
    "without refinement vectors": ModelSettings(refinement=False),
    "label text alone": ModelSettings(order=0, refinement=False),
    "refinement vectors alone": ModelSettings(label_text=False, order=0),
}


@pytest.mark.parametrize("learns_tokens", [False, True])
@pytest.mark.parametrize("settings", MODELS.values(), ids=MODELS.keys())
def test_with_all_labels_as_negatives_gradients_are_those_of_the_full_loss(settings, learns_tokens):
    assert_agrees(Case(settings, learns_tokens=learns_tokens))


@pytest.mark.parametrize("settings", MODELS.values(), ids=MODELS.keys())
def test_with_listed_labels_gradients_are_those_of_the_full_loss(settings):
    assert_agrees(Case(settings, others=False, negatives=0.3))


def test_listed_negatives_count_once_among_all_others():
    assert_agrees(Case(others=True, negatives=0.3))


def chunks_of(case):
    """How the first chunks of a step go about it."""
    seen = []
    with pytest.MonkeyPatch.context() as patch:
        run = _Chunks.run
        patch.setattr(_Chunks, "run", lambda self: (seen.append((self.dense, self.some)), run(self)))
        case.step().run(case.rows, 0, 0.0)
    return seen[0]


@pytest.mark.parametrize("learns_tokens", [False, True])
@pytest.mark.parametrize("lists", [{"positives": 0.3, "negatives": 0.3}, FEW], ids=["most labels", "few labels"])
@pytest.mark.parametrize("cells", [0, 10**6], ids=["by pairs", "by cells"])
@pytest.mark.parametrize("most", [4, 8192], ids=["in chunks", "at once"])
def test_however_listed_labels_are_computed_gradients_are_those_of_the_full_loss(
    learns_tokens, lists, cells, most, monkeypatch
):
    monkeypatch.setattr(module, "CELLS_A_PAIR", cells)
    monkeypatch.setattr(module, "MOST_LABELS_AT_ONCE", most)
    case = Case(others=False, learns_tokens=learns_tokens, **lists)
    few = lists is FEW and not learns_tokens
    assert chunks_of(Case(others=False, learns_tokens=learns_tokens, **lists)) == (cells > 0, few)
    found = assert_agrees(case)
    if lists is FEW:
        untouched = set(range(LABELS)) - set(case.lists[case.rows.numpy()].indices.tolist())
        assert untouched
        assert not found["refinement"][sorted(untouched)].any()


@pytest.mark.parametrize("most", [1, 5, 12, 13])
@pytest.mark.parametrize("learns_tokens", [False, True])
def test_chunks_of_labels_add_up_to_the_whole(most, learns_tokens, monkeypatch):
    monkeypatch.setattr(module, "MOST_LABELS_AT_ONCE", most)
    assert_agrees(Case(learns_tokens=learns_tokens))


def test_chunks_are_as_large_as_scores_fit_the_cache(monkeypatch):
    cpu = torch.device("cpu")
    assert labels_at_once(100, 64, cpu) == 100
    assert labels_at_once(8192, 64, cpu) == 8192
    assert labels_at_once(8196, 64, cpu) == 4098  # and not 8192 and 4
    assert labels_at_once(1 << 20, 4096, cpu) == (1 << 23) // 4096
    assert labels_at_once(1 << 20, 1 << 20, cpu) == 256
    assert labels_at_once(1 << 20, 4096, torch.device("meta")) == (1 << 28) // 4096
    monkeypatch.setattr(module, "CELLS_AT_ONCE", 12)
    monkeypatch.setattr(module, "LEAST_LABELS_AT_ONCE", 1)
    assert labels_at_once(100, 4, cpu) == 3
    assert_agrees(Case())


@pytest.mark.parametrize("others", [False, True])
def test_a_mean_divides_by_all_cells_that_a_batch_is_padded_to(others):
    case = Case(others=others, negatives=0.2)
    added = assert_agrees(Case(others=others, negatives=0.2))
    mean = assert_agrees(case, TrainingSettings(batch_size=7, loss="mean"))
    longest = LABELS if others else max(len(case.lists[[int(row)]].indices) for row in case.rows)
    torch.testing.assert_close(mean["refinement"] * longest, added["refinement"])


def test_a_relevant_pair_counts_as_much_as_its_weight():
    # One label is touched in one document: twice the weight is twice the gradient.
    found = []
    for weight in (1.0, 2.0):
        case = Case(others=False, positives=0.0)
        case.lists = type(case.lists)(([weight], ([int(case.rows[0])], [3])), shape=(DOCUMENTS, LABELS)).astype("f4")
        found.append(assert_agrees(case))
    for name, gradient in found[0].items():
        torch.testing.assert_close(found[1][name], 2 * gradient, msg=name)


def test_a_batch_without_any_pair_teaches_nothing():
    for cells in (0, 10**6):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "CELLS_A_PAIR", cells)
            case = Case(others=False, positives=0.0)
            before = {name: value.clone() for name, value in case.model.named_parameters()}
            assert float(case.step().run(case.rows, 0, 0.1, with_loss=True)) == 0
        for name, value in case.model.named_parameters():
            torch.testing.assert_close(value, before[name], rtol=0, atol=0, msg=name)


@pytest.mark.parametrize("others", [False, True])
def test_dropout_drops_in_documents_and_labels_what_the_derivatives_know_of(others):
    case = Case(ModelSettings(), others=others, negatives=0.3)
    step = case.step(dropout=0.5)
    model, problem = case.model, case.problem
    refinement, bias = model.refinement.clone().requires_grad_(), model.bias.clone().requires_grad_()
    step.run(case.rows, 3, 0.0)
    found = gradients_of(step)
    for parameter in model.parameters():
        parameter.grad = None
    documents = problem.documents.batch(case.rows, None)
    embedded = document_embedding(documents, model.document_block.folded(), step.dropout.at(3, 0))
    inputs, side = problem.labels.of_step(None), model.label_side.folded()
    scores = embedded @ label_classifiers(inputs, refinement, side, step.dropout.at(3, 1)).T + bias
    weights = torch.from_numpy(case.lists.toarray())[case.rows]
    listed = torch.zeros(DOCUMENTS, LABELS)
    listed[torch.from_numpy(case.lists.nonzero()[0].copy()), torch.from_numpy(case.lists.nonzero()[1].copy())] = 1
    counts = torch.where(weights > 0, weights, torch.tensor(float(others)))
    rows = torch.from_numpy(case.lists.indptr).long()
    for place, row in enumerate(case.rows.tolist()):
        columns = torch.from_numpy(case.lists.indices).long()[rows[row] : rows[row + 1]]
        counts[place, columns] = torch.where(weights[place, columns] > 0, weights[place, columns], 1.0)
    cells = torch.nn.functional.binary_cross_entropy_with_logits(scores, (weights > 0).float(), counts, reduction="sum")
    (cells / len(case.rows)).backward()
    expected = {name: parameter.grad for name, parameter in model.named_parameters()}
    expected |= {"refinement": refinement.grad, "bias": bias.grad}
    for name, gradient in expected.items():
        torch.testing.assert_close(found[name], gradient, rtol=1e-4, atol=1e-5, msg=name)


@pytest.mark.parametrize("others", [False, True])
@pytest.mark.parametrize("learns_tokens", [False, True])
def test_a_step_in_bf16_stays_close_to_float32(others, learns_tokens):
    shape = {"others": others, "learns_tokens": learns_tokens, "negatives": 0.3}
    _, expected = expected_gradients(Case(**shape))
    case = Case(kind=torch.bfloat16, **shape)
    step = case.step()
    step.run(case.rows, 0, 0.0)
    found = gradients_of(step)
    together = torch.cat([found[name].flatten().double() for name in expected])
    wanted = torch.cat([gradient.flatten() for gradient in expected.values()])
    assert float((together - wanted).norm() / wanted.norm()) < 0.03
    assert all(gradient.dtype == torch.float32 for gradient in found.values())
    assert case.model.refinement.dtype == torch.float32


def test_the_step_in_float64_is_exact_up_to_what_stays_float32():
    assert_agrees(Case(kind=torch.float64, others=True), tolerance=1e-6)


def test_a_step_of_adam_moves_everything_that_has_a_gradient_by_the_learning_rate():
    case = Case(learns_tokens=True)
    before = {name: value.clone() for name, value in case.model.state_dict().items()}
    table = case.table.detach().clone()
    step = case.step()
    step.run(case.rows, 0, 0.01)
    found = gradients_of(step)
    now = {**case.model.state_dict(), "token embeddings": case.table.detach()}
    before["token embeddings"] = table
    for name, gradient in found.items():
        clear = gradient.abs() > 1e-4  # far above epsilon: Adam's first step is the sign
        assert clear.any(), name
        moved = (before[name] - now[name])[clear]
        torch.testing.assert_close(moved, 0.01 * gradient.sign()[clear], rtol=2e-3, atol=1e-6, msg=name)


def test_spectral_norms_are_followed_once_a_step():
    case, twin = Case(), Case()
    case.step().run(case.rows, 0, 0.0)
    advance_spectral_norms(twin.model)
    for name, value in twin.model.state_dict().items():
        torch.testing.assert_close(case.model.state_dict()[name], value, rtol=0, atol=0, msg=name)


def trained(optimizer, most=8192, steps=6):
    """A model after some steps in which different few labels are touched."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_LABELS_AT_ONCE", most)
        case = Case(others=False, **FEW)
        step = case.step(TrainingSettings(batch_size=2, optimizer=optimizer))
        listed = torch.from_numpy(case.lists.indptr).diff().nonzero()
        touched = []
        for number in range(steps):
            rows = listed[number % len(listed)]
            touched.append(set(case.lists[rows.numpy()].indices.tolist()))
            step.run(rows, number, 0.01)
        return case, touched


@pytest.mark.parametrize("optimizer", ["adam", "row_adam"])
@pytest.mark.parametrize("most", [1, 5])
def test_what_a_label_becomes_does_not_depend_on_the_chunk_it_is_in(optimizer, most):
    whole, parts = trained(optimizer)[0], trained(optimizer, most)[0]
    torch.testing.assert_close(parts.model.refinement, whole.model.refinement, rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(parts.model.bias, whole.model.bias, rtol=1e-5, atol=1e-6)


def test_only_adam_moves_a_label_on_after_the_step_that_touched_it():
    start = Case(others=False, **FEW).model.refinement
    for optimizer in ("adam", "row_adam"):
        two, touched = trained(optimizer, steps=2)
        one, _ = trained(optimizer, steps=1)
        late = sorted(touched[0] - touched[1])
        assert late
        stays = torch.equal(one.model.refinement[late], two.model.refinement[late])
        assert stays == (optimizer == "row_adam")
        never = sorted(set(range(LABELS)) - set.union(*touched))
        torch.testing.assert_close(two.model.refinement[never], start[never], rtol=0, atol=0)


def test_the_loss_is_only_formed_where_it_is_wanted():
    case = Case()
    step = case.step()
    assert step.run(case.rows, 0, 0.0) is None
    assert step.run(case.rows, 1, 0.0, with_loss=True).shape == ()
