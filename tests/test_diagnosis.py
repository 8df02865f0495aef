import json
import os

from xclare import diagnosis


def test_the_diagnosis_names_every_requirement_and_finds_it():
    found = diagnosis.diagnose()
    names = [package.name for package in found.packages]
    assert {"numpy", "scipy", "tokenizers", "msgspec", "threadpoolctl", "typer", "rich", "pyarrow"} <= set(names)
    assert found.healthy
    assert 1 <= found.cores <= (os.cpu_count() or 1)
    json.dumps(found.as_dict())


def test_what_is_missing_comes_with_the_line_that_installs_it(monkeypatch):
    monkeypatch.setitem(diagnosis.EXTRAS, "no-such-package", "parquet")
    missing = diagnosis.diagnose().packages[-1]
    assert (missing.name, missing.version, missing.install) == (
        "no-such-package",
        None,
        'pip install "xclare[parquet]"',
    )
