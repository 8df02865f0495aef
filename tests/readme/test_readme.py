"""What the README tells a newcomer to type works, to the letter."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
PYTHON = re.findall(r"```python\n(.*?)```", README, re.S)
SHELL = re.findall(r"```bash\n(.*?)```", README, re.S)
WITHOUT_TORCH = "training needs PyTorch, which is not installed"
SHORTER = "xclare train --set model.dimension=16 " + " ".join(f"--set training.epochs_{i}=1" for i in (1, 2, 4))
"""The README trains for minutes; here the same command makes a small model of it. All other lines run to the letter."""


def test_the_readme_shows_both():
    assert len(PYTHON) == 3
    assert len(SHELL) == 1


@pytest.mark.parametrize("code", PYTHON)
def test_its_python_runs(code, tmp_path):
    if "Eclare" in code:
        pytest.importorskip("torch", reason=WITHOUT_TORCH)
    result = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("code", SHELL)
def test_its_shell_runs_line_by_line(code, tmp_path):
    pytest.importorskip("torch", reason=WITHOUT_TORCH)
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    for line in code.strip().splitlines():
        result = subprocess.run(
            ["bash", "-c", line.replace("xclare train", SHORTER)],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.returncode == 0, f"{line}\n{result.stderr}"
        assert result.stdout.strip()


def test_its_links_lead_somewhere():
    for target in re.findall(r"\]\(((?!http)[^)#]+)\)", README):
        assert (ROOT / target).exists(), target


def test_its_make_targets_exist():
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M)
    assert set(re.findall(r"make ([a-z]+)", README)) <= set(targets)
