import json
import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support import assert_same_matrix
from xclare.data.dataset import Dataset, Documents, Labels
from xclare.errors import InputError
from xclare.progress import Progress
from xclare.sparse import csr_from_pairs, row_counts
from xclare.strings import Strings
from xclare.text import token_counts
from xclare.text.features import TextFeatures, with_features
from xclare.text.settings import TextSettings
from xclare.text.vocabulary import character_of, pieces_of
from xclare.threads import threads


@pytest.fixture(scope="module", params=[False, True], ids=["pieces", "bigrams"])
def learnt(request, corpus, label_texts):
    wanted = TextSettings(vocabulary_size=300, bigrams=request.param, stop_words="english")
    return TextFeatures.fit_transform(corpus, label_texts, wanted)


def test_rows_are_canonical_and_have_length_one_or_are_empty(learnt):
    features, documents, labels = learnt
    for matrix, count in ((documents, 400), (labels, 100)):
        assert matrix.shape == (count, features.vocabulary_size)
        assert matrix.has_canonical_format
        assert matrix.dtype == np.float32
        assert matrix.indices.dtype == np.int32
        lengths = np.sqrt((matrix * matrix).sum(axis=1))
        np.testing.assert_allclose(lengths[row_counts(matrix) > 0], 1, rtol=1e-6)
    assert features.transform(["", " ", "二", "ЩЩЩ", "the of"]).nnz == 0


def test_fitting_and_transforming_agree(learnt, corpus, label_texts):
    features, documents, labels = learnt
    assert_same_matrix(features.transform(corpus), documents, "documents")
    assert_same_matrix(features.transform(Strings.of(label_texts)), labels, "labels")


def test_every_column_is_used_but_for_single_characters(learnt):
    features, documents, labels = learnt
    used = np.bincount(np.concatenate([documents.indices, labels.indices]), minlength=features.vocabulary_size) > 0
    pieces = pieces_of(features.tokenizer)
    assert all(used[column] or len(character_of(piece)) == 1 for column, piece in enumerate(pieces))
    assert used[len(pieces) :].all()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(st.sampled_from("abdkorimu ßé日Ж,.-\t\0"), max_size=40), min_size=1, max_size=6), st.data())
def test_a_text_has_the_same_features_alone_and_among_others(learnt, texts, data):
    features, _, _ = learnt
    together = features.transform(texts)
    row = data.draw(st.integers(0, len(texts) - 1))
    assert_same_matrix(features.transform(texts[row]), together[[row]], "one text")


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), max_size=4))
def test_any_text_has_features(learnt, texts):
    matrix = learnt[0].transform(texts)
    assert matrix.shape == (len(texts), learnt[0].vocabulary_size)
    assert np.isfinite(matrix.data).all()


def test_chunks_and_threads_change_nothing(learnt, corpus, monkeypatch):
    features, documents, _ = learnt
    monkeypatch.setattr(token_counts, "BYTES_AT_ONCE", 100)
    with threads(1):
        assert_same_matrix(features.transform(corpus), documents, "documents")


def test_capitals_accents_and_unknown_words_make_no_difference(learnt, corpus):
    features = learnt[0]
    changed = [text.upper() + " ЩЩЩ" for text in corpus[1:4]]
    if features.bigrams is None:
        assert_same_matrix(features.transform(changed), features.transform(corpus[1:4]), "capitals")
    else:
        np.testing.assert_array_equal(features.transform(changed).indices, features.transform(corpus[1:4]).indices)


def test_what_is_saved_is_what_is_loaded(learnt, corpus, tmp_path):
    features, documents, _ = learnt
    features.save(tmp_path)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["text.npz", "tokenizer.json"]
    loaded = TextFeatures.load(tmp_path)
    assert loaded.vocabulary_size == features.vocabulary_size
    assert_same_matrix(loaded.transform(corpus), documents, "documents")


def test_the_tokenizer_file_alone_gives_the_columns(learnt, corpus, tmp_path):
    from tokenizers import Tokenizer

    features, documents, _ = learnt
    features.save(tmp_path)
    tokenizer = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    pieces = len(json.loads((tmp_path / "tokenizer.json").read_text())["model"]["vocab"]) - 1
    for row in range(20):
        ids = {number for number in tokenizer.encode(corpus[row]).ids if number < pieces}
        columns = documents[[row]].indices
        assert sorted(ids) == columns[columns < pieces].tolist()


def damaged(tmp_path, features, name, content):
    features.save(tmp_path)
    if content is None:
        (tmp_path / name).unlink()
    else:
        (tmp_path / name).write_bytes(content)
    return tmp_path


@pytest.mark.parametrize("name", ["tokenizer.json", "text.npz"])
@pytest.mark.parametrize("content", [None, b"", b"{", b"PK\x03\x04 and more", b"\xff\xfe"])
def test_damaged_files_are_refused_by_name(learnt, tmp_path, name, content):
    with pytest.raises(InputError, match=name):
        TextFeatures.load(damaged(tmp_path, learnt[0], name, content))


def test_arrays_of_another_tokenizer_are_refused(learnt, tmp_path):
    features = learnt[0]
    features.save(tmp_path)
    np.savez(tmp_path / "text.npz", idf=features.idf[:-1])
    with pytest.raises(InputError, match=r"text.npz: found idf of the shape .* save the features again"):
        TextFeatures.load(tmp_path)
    np.savez(tmp_path / "text.npz", weights=features.idf)
    with pytest.raises(InputError, match="no array 'idf'"):
        TextFeatures.load(tmp_path)


@pytest.mark.parametrize(
    "wrong",
    [
        {"idf": np.full(3, np.nan, np.float32)},
        {"pairs": np.array([4, 0])},
        {"pairs": np.array([0, 4])},
        {"word_offsets": np.array([0, 1, 3])},
        {"words": np.array([1.0, 2.0])},
        {"words": np.array([97, 255], np.uint8)},
    ],
)
def test_arrays_that_make_no_sense_are_refused(tmp_path, wrong):
    TextFeatures.fit(["a b", "a b"], ["b"], TextSettings(bigrams=True)).save(tmp_path)
    with np.load(tmp_path / "text.npz") as file:
        arrays = dict(file)
    assert arrays["words"].tobytes() == b"ab"
    assert arrays["pairs"].tolist() == [1]
    np.savez(tmp_path / "text.npz", **{**arrays, **wrong})
    with pytest.raises(InputError, match=r"text\.npz: found"):
        TextFeatures.load(tmp_path)


def test_pickled_arrays_are_refused(learnt, tmp_path):
    features = learnt[0]
    features.save(tmp_path)
    np.savez(tmp_path / "text.npz", idf=np.array([{"a": 1}], dtype=object))
    with pytest.raises(InputError, match=r"text\.npz"):
        TextFeatures.load(tmp_path)


@pytest.mark.parametrize("texts", [[], ["", "  "], ["the of"]])
def test_without_a_word_there_is_nothing_to_learn(texts):
    with pytest.raises(InputError, match=r"no text with a word in it.*data.text_fields"):
        TextFeatures.fit(texts, [""], TextSettings(stop_words="english"))


def test_progress_is_reported_for_every_text(corpus):
    class Counting(Progress):
        def __init__(self):
            self.tasks = {}

        def task(self, what, total):
            self.tasks[what] = self.tasks.get(what, 0) + total
            return super().task(what, total)

    progress = Counting()
    TextFeatures.fit(corpus, ["one"], TextSettings(bigrams=True), progress)
    assert set(progress.tasks.values()) <= {401, 802}
    assert "tokenising" in progress.tasks


def texts_of(texts):
    return {"fields": {"title": Strings.of(texts)}, "text_fields": ("title",)} if texts else {}


def dataset_of(train, test, label_texts, **of_documents):
    labels = Labels(2, **texts_of(label_texts))
    parts = [
        Documents(2, **texts_of(texts), targets=csr_from_pairs([0, 1], [0, 1], (2, 2)), labels=labels, **of_documents)
        for texts in (train, test)
    ]
    return Dataset(*parts, name="toys")


def test_a_data_set_gets_features_of_its_text_for_documents_and_labels():
    dataset = with_features(dataset_of(["red ball", "blue kite"], ["red kite", "green"], ["ball", "kite"]))
    train, test, labels = (part.features.toarray() for part in (dataset.train, dataset.test, dataset.labels))
    cosines = test @ labels.T
    assert cosines[0, 1] > cosines[0, 0] == 0  # `red kite` has a token of `kite`, none of `ball`
    assert (train @ labels.T).argmax(axis=1).tolist() == [0, 1]
    assert dataset.labels is dataset.test.labels
    assert dataset.test.features.shape == (2, dataset.train.features.shape[1])


def test_nothing_is_learnt_from_the_test_documents():
    one, other = (
        with_features(dataset_of(["red ball", "blue kite"], test, ["ball", "kite"]))
        for test in (["zzz zzz", "zzz"], ["red", "blue"])
    )
    assert_same_matrix(one.train.features, other.train.features, "documents")
    assert one.test.features.nnz == 0


def test_labels_without_text_have_empty_features():
    dataset = with_features(dataset_of(["red ball", "blue kite"], ["red", "blue"], []))
    assert dataset.labels.features.shape == (2, dataset.train.features.shape[1])
    assert dataset.labels.features.nnz == 0


def test_ready_made_features_are_taken_as_they_are():
    dataset = dataset_of(["red", "blue"], ["red", "blue"], [], features=csr_from_pairs([0], [1], (2, 3)))
    assert with_features(dataset) is dataset


def test_a_data_set_without_text_or_features_is_refused():
    with pytest.raises(InputError, match=r"toys has neither text nor ready-made features.*--features FILE"):
        with_features(dataset_of([], [], []))


def test_features_of_labels_alone_are_refused():
    dataset = dataset_of(["red", "blue"], ["red", "blue"], [])
    labels = Labels(2, features=csr_from_pairs([0], [1], (2, 3)))
    alone = Documents(2, **texts_of(["red", "blue"]), targets=dataset.train.targets, labels=labels)
    with pytest.raises(InputError, match="ready-made features for its labels but none for its documents"):
        with_features(Dataset(alone))


@pytest.mark.data
def test_own_features_serve_the_nearest_labels_no_worse_than_the_ready_made():
    from xclare.baselines.nearest_label import nearest_label
    from xclare.evaluation import evaluate

    if "XCLARE_DATA" not in os.environ:
        pytest.skip("XCLARE_DATA is not set: it names the folder with the large data sets")
    dataset = with_features(Dataset.load("debian-deps-25k"))
    metrics = evaluate(nearest_label(dataset), dataset.test, dataset.train).as_dict()
    assert metrics["P@1"] >= 6.65
    assert metrics["PSP@1"] >= 9.12
    assert metrics["R@10"] >= 8.93


@pytest.mark.parametrize("wrong", [["a", "\ud800"], ["a", 3]])
def test_what_is_no_text_is_refused_with_its_place(wrong):
    features = TextFeatures.fit(Strings.of(["red apple", "red pear"]), Strings.of(["fruit"]))
    with pytest.raises(InputError, match=r"texts\[1\]"):
        features.transform(wrong)
