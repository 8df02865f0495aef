import gzip

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from xclare.errors import InputError
from xclare.evaluation import read_predictions, write_predictions
from xclare.evaluation.predictions import FORMATS, format_of

in_one_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.parametrize("suffix", ["", ".gz"])
@pytest.mark.parametrize("layout", FORMATS)
@in_one_folder
@given(data=st.data())
def test_what_is_written_is_read_again(tmp_path, predicted, layout, suffix, data):
    predictions, documents = data.draw(predicted)
    path = tmp_path / f"p{suffix}"
    infinite = not np.isfinite(predictions.data).all()
    refused = {"npz": False, "jsonl": infinite, "trec": bool(documents.count) and not predictions.nnz}[layout]
    if refused:
        path.unlink(missing_ok=True)
        with pytest.raises(InputError, match="was not written"):
            write_predictions(path, predictions, documents, layout)
        assert list(tmp_path.iterdir()) == []
        return
    write_predictions(path, predictions, documents, layout)
    found = read_predictions(path, documents)
    assert found.shape == predictions.shape
    assert found.has_canonical_format
    np.testing.assert_array_equal(found.indptr, predictions.indptr)
    np.testing.assert_array_equal(found.indices, predictions.indices)
    np.testing.assert_array_equal(found.data, predictions.data)
    assert path.read_bytes()[:2] == b"\x1f\x8b" or not suffix
    assert found.dtype == (predictions.dtype if layout == "npz" else np.float64)


@pytest.mark.parametrize("layout", FORMATS)
def test_many_documents_are_written_in_parts(tmp_path, make_documents, layout, monkeypatch):
    rng = np.random.default_rng(0)
    monkeypatch.setattr(f"xclare.evaluation.predictions.{layout}.ENTRIES_AT_ONCE", 7, raising=False)
    documents = make_documents(50, 20, ids=[f"d{i}" for i in range(50)], label_ids=[f"l{i}" for i in range(20)])
    predictions = documents.targets.__class__(np.where(rng.random((50, 20)) < 0.3, rng.random((50, 20)), 0))
    write_predictions(tmp_path / "p", predictions, documents, layout)
    np.testing.assert_array_equal(read_predictions(tmp_path / "p", documents).toarray(), predictions.toarray())


def test_text_formats_list_the_best_label_first_and_equal_scores_by_label(tmp_path, make_documents):
    documents = make_documents(1, 4, label_ids=["a", "b", "c", "d"], label_texts=["A", "B", "C", "D"], ids=["x"])
    predictions = documents.targets.__class__(([0.5, 0.5, -1.0, 2.0], ([0] * 4, [1, 0, 2, 3])), shape=(1, 4))
    write_predictions(tmp_path / "p.trec", predictions, documents, "trec")
    lines = (tmp_path / "p.trec").read_text().splitlines()
    assert lines == ["x Q0 d 1 2.0 xclare", "x Q0 a 2 0.5 xclare", "x Q0 b 3 0.5 xclare", "x Q0 c 4 -1.0 xclare"]
    write_predictions(tmp_path / "p.jsonl", predictions, documents, "jsonl")
    assert (tmp_path / "p.jsonl").read_text() == (
        '{"id":"x","text":"text 0","predictions":[{"id":"d","label":"D","score":2.0},'
        '{"id":"a","label":"A","score":0.5},{"id":"b","label":"B","score":0.5},{"id":"c","label":"C","score":-1.0}]}\n'
    )


def test_nan_and_unknown_formats_are_not_written(tmp_path, make_documents):
    documents = make_documents(1, 2)
    nan = documents.targets.__class__(([np.nan], ([0], [1])), shape=(1, 2))
    with pytest.raises(InputError, match="NaN"):
        write_predictions(tmp_path / "p", nan, documents, "npz")
    with pytest.raises(InputError, match="expected one of npz, jsonl, trec"):
        write_predictions(tmp_path / "p", documents.targets, documents, "csv")
    with pytest.raises(InputError, match="shape"):
        write_predictions(tmp_path / "p", nan, make_documents(2, 2), "npz")
    assert list(tmp_path.iterdir()) == []


def test_equal_predictions_give_equal_files(tmp_path, make_documents):
    documents = make_documents(2, 2)
    predictions = documents.targets.__class__([[1.0, 2.0], [0.0, 3.0]])
    for layout in FORMATS:
        for name in ("a.gz", "b.gz"):
            write_predictions(tmp_path / name, predictions, documents, layout)
        contents = [gzip.decompress((tmp_path / name).read_bytes()) for name in ("a.gz", "b.gz")]
        assert contents[0] == contents[1]


def test_the_format_to_write_is_seen_from_the_name():
    assert [format_of(name) for name in ("a/P.NPZ", "p.jsonl.gz", "p.run", "p.trec")] == [
        "npz",
        "jsonl",
        "trec",
        "trec",
    ]
    with pytest.raises(InputError, match=r"p.csv: expected a name that ends in .npz"):
        format_of("p.csv")
