"""Cuts the bundled data set `related-packages` from a Debian package index.

    python scripts/cut_related_packages.py Packages --release bookworm --out src/xclare/data/related_packages

Document: a package that names at least one label. Its text is the package's name, as words, and its one-line summary.
Labels: every package named in its Recommends, Suggests and Enhances, all alternatives (`a | b`) included, that stands
in the index and comes from another source package. Versions, architectures and build profiles are left aside.

28 % of the documents are the test set, by the hash of their text. Left out of predictions and truth, as in the XC
repository: the package itself, and every label whose own training document names this package (the same relation, seen
from the other side). The same index always gives the same rows."""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import lzma
import re
import sys
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from xclare.data.files import GZIP_MAGIC
from xclare.data.split import parse_split, test_mask
from xclare.errors import InputError, XclareError, shown
from xclare.persistence.atomic import atomic_file

SPLIT = "hash:0.28"
RELATIONS = ("Recommends", "Suggests", "Enhances")
XZ_MAGIC = b"\xfd7zXZ\x00"
LZ4_MAGIC = b"\x04\x22\x4d\x18"

# One package of a relation: `name:any (>= 1.0) [amd64 !i386] <!nocheck>`. Only the name is used.
RELATED = re.compile(
    r"(?P<name>[a-z0-9][a-z0-9+.-]*)(:[a-z0-9-]+)?"
    r"(\s*\((<<|<=|=|>=|>>|<|>)\s*[^\s()]+\s*\))?(\s*\[[^\[\]]*\])?(\s*<[^<>]*>)*"
)


@dataclass(frozen=True)
class Package:
    """What is taken from one stanza of the index."""

    name: str
    source: str
    """The source package it was built from."""
    summary: str
    related: frozenset[str]
    """The names in its Recommends, Suggests and Enhances."""

    @property
    def text(self) -> str:
        """The name as words, then the summary: `python3-numpy` gives `python3 numpy Fast array facility to …`."""
        return " ".join(f"{re.sub('[-.+]', ' ', self.name)} {self.summary}".split())


@dataclass(frozen=True)
class Cut:
    """The data set: names of packages, each list sorted; row numbers are places in these lists."""

    packages: Mapping[str, Package]
    labels: list[str]
    train: list[str]
    test: list[str]
    targets: Mapping[str, list[str]]
    """The labels of every document, sorted."""

    def excluded(self, part: list[str]) -> dict[str, list[str]]:
        """For every document the labels left out of predictions and truth: itself, and those that name it in
        training."""
        known, named_by = set(self.labels), defaultdict(set)
        for document in self.train:
            for label in self.targets[document]:
                named_by[label].add(document)
        return {document: sorted((named_by[document] | {document}) & known) for document in part}

    def counts(self) -> dict[str, int]:
        """The sizes that stand in `source.json`."""
        left_out = self.excluded(self.test)
        frequency = Counter(label for labels in self.targets.values() for label in labels)
        return {
            "train_documents": len(self.train),
            "test_documents": len(self.test),
            "labels": len(self.labels),
            "labels_in_training": len({label for document in self.train for label in self.targets[document]}),
            "labels_of_fewer_than_5_documents": sum(count < 5 for count in frequency.values()),
            "train_pairs": sum(len(self.targets[document]) for document in self.train),
            "test_pairs": sum(len(self.targets[document]) for document in self.test),
            "test_documents_without_truth": sum(
                set(self.targets[document]) <= set(left_out[document]) for document in self.test
            ),
        }


@dataclass(frozen=True)
class Field:
    """The value of a field, its lines joined by newlines, and the line on which it begins."""

    value: str
    line: int


def read_index(path: Path) -> bytes:
    """The index, unpacked where it is gzip or xz."""
    try:
        data = path.read_bytes()
        if data.startswith(GZIP_MAGIC):
            return gzip.decompress(data)
        if data.startswith(XZ_MAGIC):
            return lzma.decompress(data)
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise InputError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from error
    if data.startswith(LZ4_MAGIC):
        hint = "Unpack it first: lz4 -d, or /usr/lib/apt/apt-helper cat-file."
        raise InputError.at(path, found="an lz4 file", expected="a plain, gzip or xz file", hint=hint)
    return data


def stanzas(data: bytes, source: Path) -> Iterator[dict[str, Field]]:
    """The stanzas of a control file: `Field: value` lines, continued by lines that begin with a space, up to a blank
    line."""
    fields: dict[str, Field] = {}
    last = ""
    for number, raw in enumerate(data.split(b"\n"), 1):
        line = _decoded(raw.rstrip(b"\r"), source, number)
        if not line.strip():
            if fields:
                yield fields
            fields, last = {}, ""
        elif line[0] in " \t":
            if not last:
                raise _malformed(source, number, line, "a field before a line that continues it")
            fields[last] = Field(f"{fields[last].value}\n{line.strip()}", fields[last].line)
        else:
            last, colon, value = line.partition(":")
            if not colon or not re.fullmatch(r"[!-9;-~]+", last):
                raise _malformed(source, number, line, "`Field: value`")
            if last in fields:
                raise _malformed(source, number, line, f"each field once in a stanza, but {last} stands in it twice")
            fields[last] = Field(value.strip(), number)
    if fields:
        yield fields


def package_of(fields: dict[str, Field], source: Path) -> Package:
    """Reads one stanza."""
    first = min(field.line for field in fields.values())
    for needed in ("Package", "Description"):
        if needed not in fields:
            raise InputError.at(source, line=first, found=f"a stanza without {needed}", expected="a package's stanza")
    name = fields["Package"].value
    origin = fields["Source"].value.split() if "Source" in fields else [name]
    if not RELATED.fullmatch(name) or not origin:
        raise _malformed(source, fields["Package"].line, name, "the name of a package, and of its source")
    related = (name for kind in RELATIONS if kind in fields for name in related_names(fields[kind], source))
    return Package(name, origin[0], fields["Description"].value.split("\n")[0], frozenset(related))


def related_names(field: Field, source: Path) -> Iterator[str]:
    """All names in a relation field: groups parted by commas, alternatives by bars."""
    for group in field.value.split(","):
        if group.strip():  # Debian allows a comma at the end
            for alternative in group.split("|"):
                match = RELATED.fullmatch(alternative.strip())
                if match is None:
                    raise _malformed(source, field.line, alternative.strip(), "`package (>= version) [arch] <profile>`")
                yield match["name"]


def read_packages(path: Path, data: bytes) -> dict[str, Package]:
    """All packages by name. Where an index holds two versions of a package, the later stanza counts."""
    packages = {package.name: package for package in (package_of(fields, path) for fields in stanzas(data, path))}
    if not packages:
        raise InputError.at(path, found="no stanza", expected="a Debian package index (Packages)")
    return packages


def cut(packages: Mapping[str, Package], source: Path) -> Cut:
    """Chooses documents and labels, and splits."""
    targets: dict[str, list[str]] = {}
    for name in sorted(packages):
        there = packages[name].related & packages.keys()
        labels = sorted(label for label in there if packages[label].source != packages[name].source)
        if labels:
            targets[name] = labels
    in_test = test_mask(parse_split(SPLIT), (packages[name].text for name in targets), None, str(source))
    return Cut(
        packages=packages,
        labels=sorted({label for labels in targets.values() for label in labels}),
        train=[name for name, is_test in zip(targets, in_test, strict=True) if not is_test],
        test=[name for name, is_test in zip(targets, in_test, strict=True) if is_test],
        targets=targets,
    )


def files_of(data: Cut) -> dict[str, bytes]:
    """The contents of the files of the XC repository's raw layout, before packing."""
    column = {label: number for number, label in enumerate(data.labels)}

    def documents(part: list[str]) -> bytes:
        rows = ((name, [column[label] for label in data.targets[name]]) for name in part)
        return _json_lines(
            {"uid": name, "title": data.packages[name].text, "target_ind": ids, "target_rel": [1.0] * len(ids)}
            for name, ids in rows
        )

    def pairs(part: list[str]) -> bytes:
        left_out = data.excluded(part)
        rows = (f"{row} {column[label]}\n" for row, name in enumerate(part) for label in left_out[name])
        return "".join(rows).encode()

    return {
        "trn.json.gz": documents(data.train),
        "tst.json.gz": documents(data.test),
        "lbl.json.gz": _json_lines({"uid": name, "title": data.packages[name].text} for name in data.labels),
        "filter_labels_train.txt": pairs(data.train),
        "filter_labels_test.txt": pairs(data.test),
    }


def write(data: Cut, folder: Path, about: Mapping[str, Any]) -> None:
    """Writes the files, and `source.json`: where the data comes from, its sizes and the sha256 of every (unpacked)
    file."""
    folder.mkdir(parents=True, exist_ok=True)
    files = files_of(data)
    for name, content in files.items():
        with atomic_file(folder / name) as file:
            file.write(content)
    sums = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    record = {**about, "split": SPLIT, "counts": data.counts(), "sha256_unpacked": sums}
    with atomic_file(folder / "source.json") as file:
        file.write((json.dumps(record, indent=2) + "\n").encode())


def main(arguments: list[str] | None = None) -> int:
    """The command; returns its exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("index", type=Path, metavar="PACKAGES", help="the package index: plain, gzip or xz")
    parser.add_argument("--release", default="not stated", help="the release the index belongs to, recorded as given")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the folder to write to")
    given = parser.parse_args(arguments)
    try:
        index = read_index(given.index)
        data = cut(read_packages(given.index, index), given.index)
        digest = hashlib.sha256(index).hexdigest()
        about = {"index": "Packages", "release": given.release, "bytes": len(index), "sha256": digest}
        write(data, given.out, about)
    except XclareError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_status
    print(json.dumps(data.counts(), indent=2))
    return 0


def _json_lines(rows: Iterable[Mapping[str, Any]]) -> bytes:
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows).encode()


def _decoded(line: bytes, source: Path, number: int) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        column, found = error.start + 1, f"the byte {line[error.start : error.start + 1]!r}"
        raise InputError.at(source, line=number, column=column, found=found, expected="UTF-8 text") from None


def _malformed(source: Path, line: int, found: str, expected: str) -> InputError:
    return InputError.at(source, line=line, found=shown(found), expected=expected)


if __name__ == "__main__":
    sys.exit(main())
