import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from xclare.errors import SettingError
from xclare.threads import threads, usable_cores, worker_count

NAMES = ("RAYON_NUM_THREADS", "TOKENIZERS_PARALLELISM")


def blas_threads():
    np.ones((2, 2)) @ np.ones((2, 2))
    return {pool["num_threads"] for pool in threadpool_info()}


def test_the_limit_holds_inside_the_block_only(monkeypatch):
    monkeypatch.setenv(NAMES[0], "7")
    monkeypatch.delenv(NAMES[1], raising=False)
    before = blas_threads()
    with threads(1):
        assert blas_threads() == {1}
        assert worker_count() == 1
        assert [os.environ[name] for name in NAMES] == ["1", "false"]
        with threads(3):
            assert worker_count() == 3
            assert [os.environ[name] for name in NAMES] == ["3", "true"]
        assert [os.environ[name] for name in NAMES] == ["1", "false"]
    assert blas_threads() == before
    assert worker_count() == usable_cores()
    assert [os.environ.get(name) for name in NAMES] == ["7", None]


def test_none_leaves_everything_as_it_is():
    before = dict(os.environ), blas_threads()
    with threads(None):
        assert (dict(os.environ), blas_threads()) == before


def test_an_error_in_the_block_lifts_the_limit_too():
    before = dict(os.environ), blas_threads()
    with pytest.raises(ZeroDivisionError), threads(1):
        raise ZeroDivisionError
    assert (dict(os.environ), blas_threads()) == before


def test_no_threads_at_all_are_refused():
    with pytest.raises(SettingError, match="threads = 0"), threads(0):
        pass


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="counts the threads of a process under /proc")
@pytest.mark.parametrize(("limit", "started"), [(1, 0), (3, 3)])
def test_the_tokenizers_start_no_more_threads_than_allowed(limit, started):
    program = f"""
import os
from tokenizers import Tokenizer, models
from xclare.threads import threads
tokenizer = Tokenizer(models.WordLevel({{"a": 0}}, unk_token="a"))
before = len(os.listdir("/proc/self/task"))
with threads({limit}):
    inside = len(os.listdir("/proc/self/task"))
    tokenizer.encode_batch_fast(["a"] * 100)
print(len(os.listdir("/proc/self/task")) - inside)
"""
    environment = {name: value for name, value in os.environ.items() if name not in NAMES}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert int(done.stdout) == started
