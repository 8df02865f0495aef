"""The committed data is what its record says it is."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections import Counter
from importlib.resources import files
from typing import Any

import numpy as np
import pytest

from xclare.data import related_packages, split
from xclare.data.dataset import Dataset
from xclare.data.files import Findings
from xclare.data.settings import DataSettings
from xclare.sparse import column_counts, row_counts

FOLDER = files("xclare.data.related_packages")
SOURCE: dict[str, Any] = json.loads(FOLDER.joinpath("source.json").read_text())
LARGEST = 2_000_000


def unpacked(name: str) -> bytes:
    data = FOLDER.joinpath(name).read_bytes()
    return gzip.decompress(data) if name.endswith(".gz") else data


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in unpacked(name).splitlines()]


@pytest.fixture(scope="module")
def data() -> Dataset:
    return related_packages.load(DataSettings(), Findings())


def test_every_file_has_its_recorded_checksum():
    assert set(SOURCE["sha256_unpacked"]) == {
        "trn.json.gz",
        "tst.json.gz",
        "lbl.json.gz",
        "filter_labels_train.txt",
        "filter_labels_test.txt",
    }
    for name, digest in SOURCE["sha256_unpacked"].items():
        assert hashlib.sha256(unpacked(name)).hexdigest() == digest, name


def test_all_files_together_are_below_two_megabytes():
    assert sum(len(FOLDER.joinpath(name).read_bytes()) for name in SOURCE["sha256_unpacked"]) < LARGEST


def test_the_split_can_be_computed_again_from_the_texts():
    texts = {part: [row["title"] for row in rows(f"{part}.json.gz")] for part in ("trn", "tst")}
    parsed = split.parse_split(SOURCE["split"])
    assert not split.test_mask(parsed, texts["trn"], None, "trn").any()
    assert split.test_mask(parsed, texts["tst"], None, "tst").all()


def test_rows_stand_in_the_order_of_their_names_and_each_text_stands_once():
    for name in ("trn.json.gz", "tst.json.gz", "lbl.json.gz"):
        names = [row["uid"] for row in rows(name)]
        assert names == sorted(set(names)), name
    documents = rows("trn.json.gz") + rows("tst.json.gz")
    assert len({row["title"] for row in documents}) == len(documents)


def test_every_label_is_named_by_a_document():
    named = {label for part in ("trn", "tst") for row in rows(f"{part}.json.gz") for label in row["target_ind"]}
    assert named == set(range(SOURCE["counts"]["labels"]))


def test_the_left_out_pairs_are_the_packages_themselves_and_the_reversed_training_pairs():
    labels = [row["uid"] for row in rows("lbl.json.gz")]
    column = {name: number for number, name in enumerate(labels)}
    training = {(row["uid"], labels[label]) for row in rows("trn.json.gz") for label in row["target_ind"]}
    for part, kind in (("trn", "train"), ("tst", "test")):
        place = {row["uid"]: number for number, row in enumerate(rows(f"{part}.json.gz"))}
        expected = {(row, column[name]) for name, row in place.items() if name in column}
        expected |= {(place[label], column[name]) for name, label in training if label in place and name in column}
        pairs = [tuple(map(int, line.split())) for line in unpacked(f"filter_labels_{kind}.txt").splitlines()]
        assert pairs == sorted(expected), kind


def test_the_loaded_data_has_the_recorded_sizes(data):
    assert data.name == "related-packages"
    assert data.test is not None
    hidden = data.test.targets.multiply(data.test.excluded).tocsr()
    frequencies = column_counts(data.train.targets)
    both = frequencies + column_counts(data.test.targets)
    assert SOURCE["counts"] == {
        "train_documents": len(data.train),
        "test_documents": len(data.test),
        "labels": len(data.labels),
        "labels_in_training": int((frequencies > 0).sum()),
        "labels_of_fewer_than_5_documents": int((both < 5).sum()),
        "train_pairs": data.train.targets.nnz,
        "test_pairs": data.test.targets.nnz,
        "test_documents_without_truth": int((np.diff(hidden.indptr) == row_counts(data.test.targets)).sum()),
    }


def test_loading_meets_nothing_odd(data):
    assert data.findings == Counter()


def test_a_known_package_has_the_labels_and_texts_it_should_have(data):
    assert data.train.ids is not None
    row = list(data.train.ids).index("0ad-data")
    assert data.train.texts[row] == "0ad data Real-time strategy game of ancient warfare (data files)"
    labels = data.train.targets[[row]].indices
    assert [data.labels.texts[label] for label in labels] == ["0ad Real-time strategy game of ancient warfare"]


def test_the_page_of_provenance_states_the_recorded_numbers():
    page = FOLDER.joinpath("PROVENANCE.md").read_text()
    for number in (*SOURCE["counts"].values(), SOURCE["bytes"]):
        assert re.search(rf"(?<![\d,]){number:,}(?![\d,])", page), number
    assert SOURCE["sha256"] in page
    assert f'--release "{SOURCE["release"]}"' in page
