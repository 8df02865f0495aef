"""Every setting that a page names exists."""

import re
from pathlib import Path

import pytest

from xclare.config import Config, sections_and_keys

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
KNOWN = set(sections_and_keys(Config()))
NO_SETTINGS = ("graph.data",)  # an array of the model folder
SECTIONS = "|".join(sorted({name.partition(".")[0] for name in KNOWN}))
NAMED = re.compile(rf"(?:`|--set )((?:{SECTIONS})\.[a-z_0-9]+)(?=[`= ])")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_setting_a_page_names_exists(page):
    unknown = [name for name in NAMED.findall(page.read_text()) if name not in KNOWN and name not in NO_SETTINGS]
    assert [name for name in unknown if not name.endswith((".py", ".npz", ".json", ".jsonl"))] == []


def test_settings_are_found_on_pages():
    assert "training.epochs_1" in NAMED.findall((ROOT / "docs" / "tutorial.md").read_text())
    assert "graph.max_edges" in NAMED.findall((ROOT / "docs" / "preset_paper.md").read_text())
