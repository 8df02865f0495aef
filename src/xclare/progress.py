"""Progress of long work, apart from logging: silent unless a caller passes something that shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Progress:
    """Takes reports of progress and shows nothing. The command line passes a subclass that draws a bar."""

    @contextmanager
    def task(self, what: str, total: int) -> Iterator[Callable[[int], None]]:
        """Announces a piece of work of `total` steps; the block calls what it gets with each number of steps done."""
        yield lambda steps: None


SILENT = Progress()
