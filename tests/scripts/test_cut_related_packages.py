"""The script on an index small enough to cut by hand."""

from __future__ import annotations

import gzip
import hashlib
import importlib.util
import json
import lzma
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from xclare.data.split import hash_of_text
from xclare.errors import InputError

SCRIPT = Path(__file__).parents[2] / "scripts" / "cut_related_packages.py"

# Split by hash at 28 %: `quill` and `reed-tools` fall to the test set, the others that name labels to training.
INDEX = """\
Package: ink
Version: 1.0
Description: black liquid
 A long description, which is not taken.
 .
 Its second paragraph.
Suggests: quill (>= 2.0) | reed-tools, no-such-package,
 paper:any [amd64 !i386] <!nocheck>, ink

Package: ink-doc
Source: ink (1.0-2)
Description: black liquid -  manual
Suggests: ink
Recommends: paper

Package: paper
Description: white sheets

Package: quill
Recommends: ink, pen-holder | virtual-holder
Enhances: paper, ink
Description: feather++ of a goose


Package: reed-tools
Source: reed
Suggests: ink
Description: cut reeds

Package: reed2.0+x
Source: reed
Suggests: reed-tools
Description: a reed, whose only relation is to its own source

Package: pen-holder
Enhances: quill
Description: it was replaced by the stanza below

Package: pen-holder
Enhances: paper
Description: stand for pens
"""


def load_script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("cut_related_packages", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


script = load_script()


def run(folder: Path, index: bytes | str = INDEX, *options: str) -> Path:
    source, out = folder / "Packages", folder / "out"
    source.write_bytes(index.encode() if isinstance(index, str) else index)
    assert script.main([str(source), "--release", "test", "--out", str(out), *options]) == 0
    return out


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in gzip.open(path)]


def named(out: Path, part: str) -> dict[str, list[str]]:
    """Documents and their labels, by name."""
    labels = [row["uid"] for row in rows(out / "lbl.json.gz")]
    return {row["uid"]: [labels[i] for i in row["target_ind"]] for row in rows(out / f"{part}.json.gz")}


def test_the_hand_written_index_gives_the_documents_and_labels_worked_out_by_hand(tmp_path):
    out = run(tmp_path)
    assert named(out, "trn") == {
        # Both alternatives, without the version; without the package that has no stanza, and without itself.
        "ink": ["paper", "quill", "reed-tools"],
        # `ink` is of the same source package.
        "ink-doc": ["paper"],
        # Of the two stanzas the later one counts.
        "pen-holder": ["paper"],
    }
    assert named(out, "tst") == {
        # Named twice, kept once; the virtual package has no stanza.
        "quill": ["ink", "paper", "pen-holder"],
        "reed-tools": ["ink"],
    }


def test_labels_are_sorted_by_name_and_carry_name_and_summary(tmp_path):
    assert rows(run(tmp_path) / "lbl.json.gz") == [
        {"uid": "ink", "title": "ink black liquid"},
        {"uid": "paper", "title": "paper white sheets"},
        {"uid": "pen-holder", "title": "pen holder stand for pens"},
        {"uid": "quill", "title": "quill feather++ of a goose"},
        {"uid": "reed-tools", "title": "reed tools cut reeds"},
    ]


def test_a_document_has_the_name_as_words_and_the_summary_as_its_text(tmp_path):
    documents = {row["uid"]: row for row in rows(run(tmp_path) / "trn.json.gz")}
    assert documents["ink-doc"] == {
        "uid": "ink-doc",
        "title": "ink doc black liquid - manual",
        "target_ind": [1],
        "target_rel": [1.0],
    }
    assert script.Package("reed2.0+x", "reed", "a reed", frozenset()).text == "reed2 0 x a reed"


def test_self_and_reciprocal_pairs_are_left_out(tmp_path):
    out = run(tmp_path)
    # quill (row 0): itself (3), and ink (0), whose training document names quill. reed-tools (row 1): likewise.
    assert (out / "filter_labels_test.txt").read_text() == "0 0\n0 3\n1 0\n1 4\n"
    # ink (row 0): itself; the documents that name ink are test documents. ink-doc is no label. pen-holder: itself.
    assert (out / "filter_labels_train.txt").read_text() == "0 0\n2 2\n"


def test_reciprocal_pairs_within_training_are_left_out_on_both_sides(tmp_path):
    stanza = "Package: {}\nSuggests: {}\nDescription: s\n\n"
    names = [name for name in (f"p{i}" for i in range(40)) if hash_of_text(f"{name} s") >= 0.28 * 2**32][:2]
    first, second = sorted(names)
    out = run(tmp_path, stanza.format(first, second) + stanza.format(second, first))
    assert named(out, "trn") == {first: [second], second: [first]}
    assert (out / "filter_labels_train.txt").read_text() == "0 0\n0 1\n1 0\n1 1\n"


def test_the_split_can_be_computed_again_from_the_texts(tmp_path):
    out = run(tmp_path)
    for part, in_test in (("trn", False), ("tst", True)):
        for row in rows(out / f"{part}.json.gz"):
            assert (hash_of_text(row["title"]) < 0.28 * 2**32) is in_test


def test_source_json_records_the_release_the_checksum_and_the_sizes(tmp_path):
    record = json.loads((run(tmp_path) / "source.json").read_text())
    assert record["release"] == "test"
    assert record["sha256"] == hashlib.sha256(INDEX.encode()).hexdigest()
    assert record["bytes"] == len(INDEX)
    assert record["counts"] == {
        "train_documents": 3,
        "test_documents": 2,
        "labels": 5,
        "labels_in_training": 3,
        "labels_of_fewer_than_5_documents": 5,
        "train_pairs": 5,
        "test_pairs": 4,
        "test_documents_without_truth": 1,  # reed-tools, whose only label names it in training
    }


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, lambda data: data.replace(b"\n", b"\r\n")])
def test_packed_indexes_and_windows_line_ends_give_the_same_rows(tmp_path, pack):
    (tmp_path / "other").mkdir()
    one, other = run(tmp_path), run(tmp_path / "other", pack(INDEX.encode()))
    for file in one.iterdir():
        if file.name != "source.json":
            assert file.read_bytes() == (other / file.name).read_bytes()


def test_running_it_twice_gives_identical_bytes(tmp_path):
    first = {file.name: file.read_bytes() for file in run(tmp_path).iterdir()}
    again = {file.name: file.read_bytes() for file in run(tmp_path).iterdir()}
    assert first == again
    assert len(first) == 6


@pytest.mark.parametrize(
    ("index", "line", "message"),
    [
        ("Package: a\nDescription: b\nnonsense\n", 3, "found 'nonsense', expected `Field: value`"),
        (" continued\nPackage: a\n", 1, "expected a field before a line that continues it"),
        ("Package: a\nDescription: b\n\n continued\n", 4, "expected a field before a line that continues it"),
        ("Package: a\nDescription: b\n\nVersion: 1\nDescription: c\n", 4, "found a stanza without Package"),
        ("\n\nPackage: a\n", 3, "found a stanza without Description"),
        ("Package: a\nPackage: b\nDescription: c\n", 2, "Package stands in it twice"),
        ("Package: a b\nDescription: c\n", 1, "found 'a b', expected the name of a package"),
        ("Package: a\nSource:\nDescription: c\n", 1, "and of its source"),
        ("Package: a\nDescription: c\nSuggests: d,\n e (>= 1\n", 3, "found 'e (>= 1', expected `package (>= version)"),
        ("Package: a\nDescription: c\nEnhances: d | | e\n", 3, "found '', expected `package (>= version)"),
    ],
)
def test_a_malformed_stanza_is_refused_with_file_and_line(tmp_path, index, line, message):
    source = tmp_path / "Packages"
    with pytest.raises(InputError) as caught:
        script.read_packages(source, index.encode())
    assert f"{source}, line {line}: " in str(caught.value)
    assert message in str(caught.value)


def test_bytes_that_are_not_utf_8_are_refused_with_line_and_column(tmp_path):
    with pytest.raises(InputError, match=r"Packages, line 2, column 16: found the byte b'\\xff', expected UTF-8 text"):
        script.read_packages(tmp_path / "Packages", b"Package: a\nDescription: bc\xff\n")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read: No such file"),
        (b"", "found no stanza"),
        (b"\x04\x22\x4d\x18rest", "found an lz4 file"),
        (gzip.compress(INDEX.encode())[:-20], "cannot be read"),
        (lzma.compress(INDEX.encode())[:40], "cannot be read"),
    ],
)
def test_a_file_that_is_no_index_ends_with_status_2_and_leaves_nothing_behind(tmp_path, capsys, content, message):
    source, out = tmp_path / "Packages", tmp_path / "out"
    if content is not None:
        source.write_bytes(content)
    assert script.main([str(source), "--out", str(out)]) == 2
    assert message in capsys.readouterr().err
    assert not out.exists()
