"""What the pages of the model tell a reader to type runs as written, block after block, in one folder."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"```(bash|python)\n(.*?)```", re.S)


def blocks_of(page):
    return BLOCK.findall((DOCS / page).read_text())


def test_the_tutorial_shows_both():
    assert {kind for kind, _ in blocks_of("tutorial.md")} == {"bash", "python"}


@pytest.mark.parametrize("page", ["tutorial.md", "model_folder.md"])
def test_a_page_runs_as_written(page, tmp_path):
    pytest.importorskip("torch", reason="training needs PyTorch, which is not installed")
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    for kind, code in blocks_of(page):
        command = ["bash", "-e", "-o", "pipefail", "-c", code] if kind == "bash" else [sys.executable, "-c", code]
        result = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=120
        )
        assert result.returncode == 0, f"{code}\n{result.stderr}"
        assert kind == "python" or result.stdout.strip(), code


@pytest.mark.parametrize("page", sorted(path.name for path in DOCS.glob("*.md")))
def test_links_between_pages_lead_somewhere(page):
    for target in re.findall(r"\]\(((?!http)[^)#]+)\)", (DOCS / page).read_text()):
        assert (DOCS / target).exists(), target
