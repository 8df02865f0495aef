import importlib.util
import time
from pathlib import Path

import pytest

pytest.importorskip("pyarrow", reason="the fuzzer's examples hold Parquet files")

CASES = 2500


@pytest.fixture(scope="module")
def script():
    path = Path(__file__).parents[2] / "scripts" / "fuzz_readers.py"
    spec = importlib.util.spec_from_file_location("fuzz_readers", path)
    module = importlib.util.module_from_spec(spec)
    import sys

    sys.modules["fuzz_readers"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    yield module
    del sys.modules["fuzz_readers"]


def test_no_damaged_file_makes_a_reader_fail_with_anything_but_its_own_error(script, tmp_path):
    fuzzer = script.Fuzzer(tmp_path, seed=20_241)
    for case in range(CASES):
        fuzzer.run(case)
    assert fuzzer.failures == []
    assert fuzzer.outcomes["read"] > CASES // 10
    assert fuzzer.outcomes["refused"] > CASES // 10


def test_a_reader_that_fails_is_found(script, tmp_path, monkeypatch):
    def read(folder):
        return [int(line) for line in (folder / "numbers.txt").read_text().split()]

    monkeypatch.setattr(script, "readers", lambda: {"numbers": script.Reader({"numbers.txt": b"1\n2\n"}, read)})
    fuzzer = script.Fuzzer(tmp_path, seed=1)
    for case in range(50):
        fuzzer.run(case)
    assert {failure["error"].partition(":")[0] for failure in fuzzer.failures} >= {"ValueError"}


def test_a_reader_that_hangs_is_found(script, tmp_path, monkeypatch):
    def read(folder):
        if (folder / "x").read_bytes() != b"good":
            time.sleep(5)

    monkeypatch.setattr(script, "readers", lambda: {"sleeper": script.Reader({"x": b"good"}, read)})
    monkeypatch.setattr(script, "MOST_SECONDS", 0.05)
    fuzzer = script.Fuzzer(tmp_path, seed=1)
    for case in range(5):
        fuzzer.run(case)
    assert "TookTooLong" in fuzzer.failures[0]["error"]
