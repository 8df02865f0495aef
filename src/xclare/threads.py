"""How many CPU threads a piece of work uses: limited around a block, never for the process."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from xclare.settings import check_range

_limit: ContextVar[int | None] = ContextVar("xclare_threads", default=None)


@contextmanager
def threads(n: int | None) -> Iterator[None]:
    """Limits to `n` threads, inside the block only: BLAS and OpenMP, the tokenizers, and xclare's own workers. None
    leaves everything as it is.

    The tokenizers' pool is started once in a process, by the first batch: it takes its size from the block that batch
    stands in and keeps it. Later blocks can only switch it off (`n` = 1) or on. Its environment variables belong to
    the process: two threads of one program should not hold blocks of different `n` at a time.
    """
    if n is None:
        yield
        return
    check_range("threads", n, 1)
    from threadpoolctl import threadpool_limits

    token = _limit.set(n)
    wanted = {"RAYON_NUM_THREADS": str(n), "TOKENIZERS_PARALLELISM": "false" if n == 1 else "true"}
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        with threadpool_limits(n):
            yield
    finally:
        _limit.reset(token)
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def worker_count() -> int:
    """Threads that xclare's own workers may use here: the limit of the block, else the cores of this process."""
    return _limit.get() or usable_cores()


def usable_cores() -> int:
    """CPU cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1
