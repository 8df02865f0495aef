import hashlib
import math
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array, diags_array

from xclare.baselines.nearest_document import nearest_document
from xclare.baselines.nearest_label import nearest_label
from xclare.baselines.popularity import popularity
from xclare.data.dataset import Dataset
from xclare.data.settings import DataSettings
from xclare.data.synthetic import SHAPES, SyntheticSpec, generate, load, parse_shape
from xclare.data.synthetic import planted as making
from xclare.data.synthetic.candidates import Candidates
from xclare.data.synthetic.distinct import distinct_rows
from xclare.data.synthetic.oracle import oracle_predictions
from xclare.data.synthetic.randomness import count_table, first_slots, hash32, race, race_costs, salts
from xclare.data.synthetic.tokens import Tokens
from xclare.data.synthetic.words import word_table
from xclare.errors import InputError, SettingError
from xclare.evaluation.scores import evaluate
from xclare.progress import Progress
from xclare.sparse import column_counts, row_counts

SMALL = SyntheticSpec(train_documents=2000, test_documents=1000, labels=1500, vocabulary=3000)


def digest(dataset: Dataset) -> str:
    """sha256 over everything that was drawn, whatever the integer type of this platform's arrays."""
    state = hashlib.sha256()
    for part in dataset.parts().values():
        state.update(part.targets.indptr.astype("<i8").tobytes())
        state.update(part.targets.indices.astype("<i8").tobytes())
        state.update(part.texts.blob.tobytes())
    state.update(dataset.labels.texts.blob.tobytes())
    return state.hexdigest()


class TestGolden:
    # These do not change. Results on synthetic sets are only comparable while they hold.
    def test_the_small_set_is_what_it_always_was(self):
        assert digest(generate(SMALL).dataset) == "054d3cc7c07424aaee45ca70aa2c83a9f6ffb8589a4c3cd18e76b482cb7b2f76"

    def test_a_small_shape_is_what_it_always_was(self):
        dataset = load("shape:LF-AmazonTitles-1.3M:0.01")
        assert digest(dataset) == "f3ea5e6d05afea73901985be43d1c3cbd28a5ab1ac63db5e94bb3526483cdb11"

    def test_does_not_depend_on_the_size_of_the_chunks(self, monkeypatch):
        whole = digest(generate(SMALL).dataset)
        monkeypatch.setattr(making, "CELLS_AT_ONCE", 3000)
        assert digest(generate(SMALL).dataset) == whole

    def test_another_seed_gives_another_set(self):
        assert digest(generate(replace(SMALL, seed=1)).dataset) != digest(generate(SMALL).dataset)

    def test_test_documents_stay_when_training_documents_are_added(self):
        small, large = (generate(replace(SMALL, train_documents=n)).dataset.test for n in (10, 500))
        assert small.texts == large.texts
        assert (small.targets != large.targets).nnz == 0


@st.composite
def specs(draw):
    labels, vocabulary = draw(st.integers(1, 3000)), draw(st.integers(1, 3000))
    return SyntheticSpec(
        train_documents=draw(st.integers(1, 1500)),
        test_documents=draw(st.integers(0, 300)),
        labels=labels,
        vocabulary=vocabulary,
        labels_per_document=draw(st.floats(1, min(labels, 40))),
        tokens_per_document=draw(st.floats(1, min(vocabulary, 40))),
        tokens_per_label=draw(st.floats(1, min(vocabulary, 40))),
        popularity_exponent=draw(st.floats(0, 3)),
        even_anchors=draw(st.floats(0, 1)),
        labels_per_topic=draw(st.floats(1, 200)),
        topics_per_theme=draw(st.floats(1, 40)),
        words_per_topic=draw(st.integers(1, 100)),
        own_tokens=draw(st.integers(1, 16)),
        seed=draw(st.integers(0, 2**63 - 1)),
    )


def close(counts, mean):
    """Within 2 %, or what few rows allow: quantiles are spread so evenly that the sum is hardly a few entries off."""
    return abs(counts.mean() - mean) <= 0.02 * mean + 6 * mean / len(counts)


class TestMarginals:
    @settings(max_examples=60, deadline=None)
    @given(specs())
    def test_sizes_are_exact_and_averages_within_a_few_per_cent(self, spec):
        dataset = generate(spec, text=False).dataset
        train, test, labels = dataset.train, dataset.test, dataset.labels
        assert (len(train), len(labels)) == (spec.train_documents, spec.labels)
        assert (0 if test is None else len(test)) == spec.test_documents
        for part in dataset.parts().values():
            assert part.targets.shape == (len(part), spec.labels)
            assert close(row_counts(part.targets), spec.labels_per_document)
            assert close(row_counts(part.features), spec.tokens_per_document)
        assert close(row_counts(labels.features), spec.tokens_per_label)
        assert labels.features.shape == (spec.labels, spec.vocabulary)

    @settings(max_examples=40, deadline=None)
    @given(specs())
    def test_every_row_holds_at_least_one_entry_and_none_twice(self, spec):
        dataset = generate(spec, text=False).dataset
        matrices = [dataset.labels.features]
        matrices += [m for part in dataset.parts().values() for m in (part.targets, part.features)]
        for matrix in matrices:
            matrix.check_format(full_check=True)
            assert row_counts(matrix).min() >= 1
            rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
            assert ((np.diff(matrix.indices) > 0) | (np.diff(rows) > 0)).all()

    def test_one_of_everything(self):
        dataset = generate(SyntheticSpec(1, 1, 1, 1, 1, 1, 1)).dataset
        assert dataset.train.targets.toarray().tolist() == [[1.0]]
        assert dataset.train.texts[0] == dataset.labels.texts[0] != ""

    def test_documents_that_hold_all_labels_and_all_tokens(self):
        dataset = generate(SyntheticSpec(20, 5, 7, 9, 7, 9, 9), text=False).dataset
        assert dataset.train.targets.nnz == 20 * 7
        assert dataset.train.features.nnz == 20 * 9

    @pytest.mark.parametrize(
        ("mean", "limit"), [(1.0, 5), (1.01, 9000), (2.29, 10**6), (22.2, 10**6), (8.5, 9), (3, 3)]
    )
    def test_count_tables_have_their_mean(self, mean, limit):
        table = count_table(mean, limit, 1.5) / 2**32
        shares = np.diff(np.concatenate([[0.0], table]))
        assert shares @ np.arange(1, len(shares) + 1) == pytest.approx(mean, abs=1e-6)
        assert len(shares) <= limit


class TestText:
    def test_titles_and_features_tell_the_same_tokens(self):
        titles, features = generate(SMALL).dataset, generate(SMALL, text=False).dataset
        assert not titles.has_features
        assert not features.train.has_text
        words = [bytes(word[:-1]).decode() for word in word_table(SMALL.vocabulary)]
        for shown, stored in (
            (titles.train, features.train),
            (titles.test, features.test),
            (titles.labels, features.labels),
        ):
            rows = np.split(stored.features.indices, stored.features.indptr[1:-1])
            assert list(shown.texts) == [" ".join(words[token] for token in row) for row in rows]

    def test_features_are_tfidf_rows_of_length_1(self):
        dataset = generate(SMALL, text=False).dataset
        rows = dataset.train.features
        idf = np.log((1 + len(dataset.train)) / (1 + column_counts(rows))) + 1
        row = rows[[7]]
        expected = idf[row.indices] / math.sqrt((idf[row.indices] ** 2).sum())
        np.testing.assert_allclose(row.data, expected, rtol=1e-6)

    @pytest.mark.parametrize("vocabulary", [1, 68**3, 68**3 + 1])
    def test_words_are_pronounceable_and_all_different(self, vocabulary):
        words = word_table(vocabulary)
        assert len(np.unique(words, axis=0)) == vocabulary
        assert words.shape[1] == (7 if vocabulary <= 68**3 else 9)
        assert np.isin(words[:, 1:-1:2], np.frombuffer(b"aiou", np.uint8)).all()


class TestPieces:
    def test_a_race_draws_by_weight_without_replacement(self):
        weights, documents = [0.5, 0.3, 0.2], 100_000
        state = hash32(1, np.arange(documents))[:, None] + salts(2, 3)
        _, slots = first_slots(race(state, race_costs(weights)), np.full(documents, 2))
        seen = np.bincount(slots.reshape(-1, 2) @ np.array([3, 1]), minlength=9).reshape(3, 3) / documents
        for i, first in enumerate(weights):
            for j, second in enumerate(weights):
                chance = 0 if i == j else first * second / (1 - first)
                assert seen[i, j] == pytest.approx(chance, abs=4 * math.sqrt(0.25 / documents))

    @settings(max_examples=100, deadline=None)
    @given(st.integers(1, 12), st.integers(0, 1000), st.lists(st.lists(st.integers(0, 11), max_size=12), max_size=8))
    def test_distinct_rows_keep_what_is_there_and_fill_up(self, width, key, rows):
        rows = [[column % width for column in row] for row in rows]
        counts = np.array([len(row) if len(row) <= width else len(set(row)) for row in rows], np.int64)
        row_of = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
        columns = np.array([column for row in rows for column in row], np.int64)
        found = distinct_rows(row_of, columns, counts, width, hash32(key, np.arange(len(rows))))
        for kept, row in zip(np.split(found, np.cumsum(counts)[:-1]) if rows else [], rows, strict=True):
            assert set(row) <= set(kept.tolist()) <= set(range(width))
            assert (np.diff(kept) > 0).all()

    def test_neither_oracle_nor_text_sees_which_labels_were_drawn(self):
        planted, other = Candidates(SMALL), Candidates(SMALL)
        other.salts[3] += np.uint32(12345)  # of the races that draw the labels: other luck, the same hidden state
        first, second = (c.hidden("test", 0, 1000) for c in (planted, other))
        assert (planted.draw_labels(first, 0)[1] != other.draw_labels(second, 0)[1]).mean() > 0.3
        assert (oracle_predictions(planted, 1000, 5) != oracle_predictions(other, 1000, 5)).nnz == 0
        for mine, its in zip(
            Tokens(SMALL, planted).of_documents(first, "test", 0),
            Tokens(SMALL, other).of_documents(second, "test", 0),
            strict=True,
        ):
            assert (mine == its).all()


@pytest.fixture(scope="module")
def planted():
    return generate(SyntheticSpec(), text=False)


@pytest.fixture(scope="module")
def predictions(planted):
    data = planted.dataset
    return {
        "popularity": popularity(data, 10),
        "nearest label": nearest_label(data, 50),
        "nearest documents": nearest_document(data, 10, 50),
        "oracle": planted.oracle_predictions(10),
    }


def scores(planted, predictions):
    return evaluate(predictions, planted.dataset.test, planted.dataset.train).metrics


class TestTwentyThousandLabels:
    def test_is_calibrated(self, planted, predictions):
        assert planted.spec.labels == 20_000
        top = {name: scores(planted, p)["P@1"] for name, p in predictions.items()}
        assert top["popularity"] < top["nearest label"]
        assert top["popularity"] < top["nearest documents"]
        assert max(top["popularity"], top["nearest label"], top["nearest documents"]) < 0.6 * top["oracle"]
        assert 60 < top["oracle"] < 80

    def test_most_labels_are_rare_as_in_real_sets(self, planted):
        seen = column_counts(planted.dataset.train.targets)
        assert 0.75 < (seen < 5).mean() < 0.88
        assert 0.05 < (seen == 0).mean() < 0.2
        assert seen.max() < 0.05 * planted.spec.train_documents

    def test_the_oracle_ranks_its_candidates_well(self, planted, predictions):
        ranked, truth = predictions["oracle"], planted.dataset.test.targets
        order = np.argsort(-ranked.data.reshape(-1, 10), axis=1, kind="stable")
        labels = np.take_along_axis(ranked.indices.reshape(-1, 10), order, axis=1)
        hits = np.array([truth[np.arange(len(labels)), labels[:, rank]].mean() for rank in range(10)])
        noise = 3 * np.sqrt(2 * 0.25 / len(labels))
        assert (hits[:-1] > hits[1:] - noise).all()
        assert hits[0] > 2 * hits[2] > 4 * hits[9]

    def test_label_text_carries_information_of_its_own(self, planted, predictions):
        # Labels without any training document: nobody but a reader of label texts can find them.
        test, seen = planted.dataset.test, column_counts(planted.dataset.train.targets)
        unseen = test.targets @ diags_array((seen == 0).astype(np.float32))
        found = predictions["nearest label"].multiply(unseen > 0)
        assert unseen.sum() > 300
        assert (found > 0).sum() > 0.25 * unseen.sum()
        for blind in ("popularity", "nearest documents"):
            assert predictions[blind].multiply(unseen > 0).sum() == 0

    def test_the_label_graph_carries_information_of_its_own(self, planted, predictions):
        # Labels that share no token with the document, but training documents with one that does.
        data, test = planted.dataset, planted.dataset.test
        alike = test.features @ data.labels.features.T
        silent = (test.targets > alike.astype(bool).astype(np.float32)).astype(np.float32)
        targets = data.train.targets
        together = csr_array(targets.T @ targets)
        together.setdiag(0)
        led_to = ((predictions["nearest label"] > 0).astype(np.float32) @ together).multiply(silent)
        assert silent.sum() > 0.2 * test.targets.sum()
        assert led_to.nnz > 0.2 * silent.sum()

    def test_neighbours_in_the_graph_improve_on_label_text(self, planted, predictions):
        targets = planted.dataset.train.targets.astype(np.float64)
        together = csr_array(targets.T @ targets)
        scale = diags_array(1 / np.sqrt(np.maximum(together.diagonal(), 1)))
        near = predictions["nearest label"].astype(np.float64)
        both = csr_array(near + 2 * (near @ csr_array(scale @ together @ scale)))
        text_only, with_graph = scores(planted, near), scores(planted, both)
        for metric in ("P@1", "R@10"):
            assert with_graph[metric] > text_only[metric] + 1.5


class TestShapes:
    # Rows of the paper's Table 1: N, L, V, N', labels a document, tokens a document, tokens a label.
    @pytest.mark.parametrize(
        ("name", "row"),
        [
            ("LF-AmazonTitles-131K", (294_805, 131_073, 40_000, 134_835, 2.29, 7.46, 7.15)),
            ("LF-WikiSeeAlsoTitles-320K", (693_082, 312_330, 40_000, 177_515, 2.11, 3.97, 3.92)),
            ("LF-WikiTitles-500K", (1_813_391, 501_070, 80_000, 783_743, 4.74, 3.72, 4.16)),
            ("LF-AmazonTitles-1.3M", (2_248_619, 1_305_265, 128_000, 970_237, 22.20, 9.00, 9.45)),
            ("LF-P2PTitles-2M", (2_539_009, 1_640_898, 128_000, 1_088_146, 10, 9, 9)),
            ("LF-P2PTitles-10M", (6_849_451, 9_550_772, 256_000, 2_935_479, 10, 9, 9)),
        ],
    )
    def test_have_the_sizes_of_the_papers_table(self, name, row):
        s = parse_shape(f"shape:{name}")
        averages = (s.labels_per_document, s.tokens_per_document, s.tokens_per_label)
        assert (s.train_documents, s.labels, s.vocabulary, s.test_documents, *averages) == row
        assert len(SHAPES) == 6

    def test_a_scale_multiplies_documents_and_labels_and_the_vocabulary_by_its_root(self):
        spec = parse_shape("shape:LF-AmazonTitles-131K:0.01")
        assert (spec.train_documents, spec.test_documents, spec.labels, spec.vocabulary) == (2948, 1348, 1311, 4000)
        assert spec.labels_per_document == 2.29

    def test_any_scale_however_small_can_be_made(self):
        for name in SHAPES:
            dataset = load(f"shape:{name}:1e-9")
            assert len(dataset.train) == 1

    @pytest.mark.parametrize("name", ["shape:", "shape:LF-Amazon", "LF-Amazon:0.1", "shape::1"])
    def test_unknown_names_are_answered_with_the_known_ones(self, name):
        with pytest.raises(InputError, match=r"LF-AmazonTitles-131K, .*LF-P2PTitles-10M"):
            parse_shape(name)

    @pytest.mark.parametrize("scale", ["0", "-1", "nan", "inf", "x", "101", "0.1:2"])
    def test_scales_that_are_none_are_refused(self, scale):
        with pytest.raises(InputError, match="above 0 and up to 100"):
            parse_shape(f"shape:LF-AmazonTitles-131K:{scale}")


class TestLoad:
    def test_is_titles_under_the_name_that_was_asked_for(self):
        dataset = load("shape:LF-WikiTitles-500K:0.001", DataSettings(text_fields=("title",)))
        assert dataset.name == "LF-WikiTitles-500K:0.001"
        assert dataset.train.text_fields == dataset.labels.text_fields == ("title",)

    def test_other_text_fields_are_refused(self):
        with pytest.raises(InputError, match="content"):
            load("shape:LF-WikiTitles-500K:0.001", DataSettings(text_fields=("content",)))

    def test_reports_every_row_as_progress(self):
        class Recording(Progress):
            @contextmanager
            def task(self, what, total):
                self.total, steps = total, []
                yield steps.append
                self.done = sum(steps)

        progress = Recording()
        generate(SMALL, progress=progress)
        assert progress.done == progress.total == 2000 + 1000 + 1500


class TestSpec:
    @pytest.mark.parametrize(
        "change",
        [
            {"train_documents": 0},
            {"labels": 0},
            {"labels_per_document": 0.5},
            {"labels_per_document": float("nan")},
            {"labels_per_document": 3.0, "labels": 2},
            {"tokens_per_document": 8, "vocabulary": 7},
            {"noise_share": 1.1},
            {"noise_share": 0.6, "complement_share": 0.6},
            {"own_tokens": 17},
            {"seed": -1},
        ],
    )
    def test_refuses_what_cannot_be_made(self, change):
        with pytest.raises(SettingError, match=f"synthetic.*{next(iter(change))}"):
            SyntheticSpec(**change)
