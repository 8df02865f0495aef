"""The paper map is complete, and what it says of the code is so."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "paper_map.md").read_text()
ITEMS = [
    line
    for line in (Path(__file__).parent / "paper_items.txt").read_text().splitlines()
    if line and not line.startswith("#")
]
HEADER = "| item | in the code | formula |"
SYMBOL = re.compile(r"`(src/xclare/[a-z0-9_/]+\.py):([A-Za-z_][A-Za-z0-9_.]*)`")
CODE = re.compile(r"`([^`]+)`")
KINDS = ("Section", "Paragraph", "Equation", "Algorithm", "Figure", "Table", "Ablation")


def rows_of(page: str) -> list[list[str]]:
    """The rows of all tables with the map's header: item, place, formula."""
    rows = []
    in_table = False
    for line in page.splitlines():
        in_table = line == HEADER or (in_table and line.startswith("|"))
        if in_table and line != HEADER and not line.startswith("|---"):
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


ROWS = rows_of(PAGE)
SYMBOLS = sorted({match.groups() for match in SYMBOL.finditer(PAGE)})
WITH_FORMULA = [row for row in ROWS if len(row) == 3 and row[2]]


def resolve(file: str, name: str) -> Any:
    """The object a symbol names; the class for a field without a default, which no attribute holds."""
    module = file.removeprefix("src/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    if module.startswith(("xclare.model.", "xclare.training.")):
        pytest.importorskip("torch", reason="these modules train, and PyTorch is not installed")
    found: Any = importlib.import_module(module)
    for part in name.split("."):
        fields = getattr(found, "__dataclass_fields__", {})
        assert hasattr(found, part) or part in fields, f"{file} has no {name}"
        found = getattr(found, part, found)
    return found


def plain(text: str | None) -> str:
    return " ".join((text or "").split())


def test_every_item_of_the_paper_has_one_row_in_the_order_of_the_paper():
    assert [row[0] for row in ROWS] == ITEMS
    assert len(set(ITEMS)) == len(ITEMS)


def test_the_list_of_items_has_all_that_the_paper_numbers():
    assert {item.split()[0].rstrip(":") for item in ITEMS} == set(KINDS)
    numbers = {kind: [item.split(":")[0].split()[1] for item in ITEMS if item.startswith(kind)] for kind in KINDS[:6]}
    top, nested = ["1", "2", "3", "4", "5"], ["3.1", "3.2", "3.3", "3.4", "3.5", "3.6"]
    assert numbers["Section"] == [*top[:3], *nested, *top[3:]]
    assert sorted(numbers["Figure"]) == [str(n) for n in range(1, 10)]
    assert sorted(numbers["Table"]) == [str(n) for n in range(1, 8)]
    assert set(numbers["Algorithm"]) == {"1"}
    assert set(numbers["Equation"]) <= set(numbers["Section"])


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_a_row_names_symbols_or_says_not_yet_or_prose(row):
    assert len(row) == 3, "a row has three cells; a formula must not hold a bar"
    there, _, planned = row[1].partition("not yet:")
    assert there.strip(" ;") == "prose" or planned.strip() or SYMBOL.search(there), row
    if there.strip(" ;") not in ("", "prose"):
        left = SYMBOL.sub("", there).replace(",", "").replace(";", "").strip()
        assert not left, f"not a symbol: {left}"
    if row[0].startswith(("Equation", "Algorithm")):
        assert row[1] != "prose"
        assert bool(row[2]) is bool(SYMBOL.search(there)), "an equation in the code states its formula"


@pytest.mark.parametrize("row", [row for row in ROWS if "not yet" in row[1]], ids=lambda row: row[0])
def test_a_planned_file_does_not_exist_so_that_the_map_is_filled_when_it_does(row):
    planned = CODE.findall(row[1].partition("not yet:")[2])
    assert planned, "not yet is followed by the files to come"
    for file in planned:
        assert re.fullmatch(r"[a-z0-9_/]+\.py", file), file
        assert not (ROOT / "src" / "xclare" / file).exists(), f"{file} is there: name its symbols in docs/paper_map.md"


@pytest.mark.parametrize(("file", "name"), SYMBOLS, ids=lambda value: value)
def test_every_symbol_can_be_imported(file, name):
    assert (ROOT / file).is_file(), f"{file} does not exist"
    resolve(file, name)


@pytest.mark.parametrize("row", WITH_FORMULA, ids=lambda row: row[0])
def test_the_docstring_of_the_first_symbol_states_the_formula(row):
    first = SYMBOL.search(row[1])
    assert first is not None
    formula = CODE.fullmatch(row[2])
    assert formula is not None, "a formula is one code span"
    assert plain(formula[1]) in plain(inspect.getdoc(resolve(*first.groups())))


def test_everything_that_looks_like_a_symbol_is_one():
    assert PAGE.count("`src/xclare/") == len(SYMBOL.findall(PAGE))


def test_names_that_do_not_exist_are_noticed():
    with pytest.raises(AssertionError, match="has no nothing"):
        resolve("src/xclare/evaluation/precision.py", "nothing")
    with pytest.raises(AssertionError, match=r"has no PerDocument\.nothing"):
        resolve("src/xclare/evaluation/per_document.py", "PerDocument.nothing")
