"""What importing costs, each checked in a process of its own."""

import subprocess
import sys
import time

WITHOUT_TORCH = """
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"torch", "pyarrow", "matplotlib"}:
            raise ImportError(f"{name} must not be imported")
sys.meta_path.insert(0, Refuse())
"""


def run(code, *flags):
    return subprocess.run([sys.executable, *flags, "-c", code], capture_output=True, text=True, check=False)


def test_everything_public_imports_where_torch_and_the_extras_cannot_be_imported():
    code = WITHOUT_TORCH + "import xclare; [getattr(xclare, name) for name in xclare.__all__]; import xclare.cli.main"
    result = run(code)
    assert result.returncode == 0, result.stderr


def test_importing_xclare_loads_nothing_heavy():
    result = run("import sys, xclare; print([m for m in ('numpy', 'scipy', 'typer', 'rich') if m in sys.modules])")
    assert result.stdout.strip() == "[]", result.stderr


def test_the_command_line_loads_no_array_library_before_a_verb_runs():
    result = run(
        "import sys, xclare.cli.main; print([m for m in ('numpy', 'scipy', 'tokenizers') if m in sys.modules])"
    )
    assert result.stdout.strip() == "[]", result.stderr


def test_an_unknown_name_is_an_attribute_error():
    result = run("import xclare; xclare.Nothing")
    assert "module 'xclare' has no attribute 'Nothing'" in result.stderr


def best_of(count, *command):
    def seconds():
        begin = time.perf_counter()
        subprocess.run(command, capture_output=True, check=True)
        return time.perf_counter() - begin

    return min(seconds() for _ in range(count))


def test_help_takes_no_longer_than_four_times_the_import_of_typer():
    typer = best_of(5, sys.executable, "-c", "import typer")
    ours = best_of(5, sys.executable, "-m", "xclare", "--help")
    assert ours <= 4 * typer, f"{ours:.3f} s against {typer:.3f} s"
