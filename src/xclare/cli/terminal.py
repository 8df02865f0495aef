"""What the command line shows: results on standard output; progress, remarks and errors on standard error. Colours and
bars appear on a terminal only."""

from __future__ import annotations

import dataclasses
import inspect
import json
import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, get_type_hints

import typer

from xclare.errors import XclareError
from xclare.progress import SILENT, Progress

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

INTERRUPTED = 130
PIPED_WIDTH = 160


def verb(function: Callable[..., None]) -> Callable[..., None]:
    """Makes a function a command: a parameter whose type is a dataclass of options becomes these options, and what may
    go wrong inside becomes a message on standard error and the right exit status."""
    parameters = inspect.signature(function, eval_str=True).parameters.values()
    groups: dict[str, Any] = {p.name: p.annotation for p in parameters if dataclasses.is_dataclass(p.annotation)}

    def command(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{item.name: given.pop(item.name) for item in dataclasses.fields(group)})
        with _errors_as_exit_status():
            function(**given)

    own = [p.replace(kind=p.KEYWORD_ONLY) for p in parameters if p.name not in groups]
    expanded = [*own, *(option for group in groups.values() for option in _options_of(group))]
    command.__name__, command.__doc__ = function.__name__, function.__doc__
    command.__annotations__ = {p.name: p.annotation for p in expanded}
    command.__signature__ = inspect.Signature(expanded)  # type: ignore[attr-defined]
    return command


def _options_of(group: Any) -> Iterator[inspect.Parameter]:
    """The fields of a dataclass as keyword parameters."""
    hints = get_type_hints(group, include_extras=True)
    for item in dataclasses.fields(group):
        kind = inspect.Parameter.KEYWORD_ONLY
        yield inspect.Parameter(item.name, kind, default=item.default, annotation=hints[item.name])


@contextmanager
def _errors_as_exit_status() -> Iterator[None]:
    try:
        yield
    except XclareError as error:
        _complain(str(error))
        raise typer.Exit(error.exit_status) from None
    except KeyboardInterrupt:
        _complain("interrupted; nothing half-written was left behind.")
        raise typer.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        # The reader of our output has gone, as in `xclare … | head`. Python would complain once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(1) from None
    except (OSError, MemoryError) as error:
        _complain(f"{type(error).__name__}: {error}")
        raise typer.Exit(1) from None


def _complain(message: str) -> None:
    coloured = sys.stderr.isatty() and "NO_COLOR" not in os.environ
    head = "\x1b[1;31merror:\x1b[0m" if coloured else "error:"
    sys.stderr.write(f"{head} {message}\n")


def print_json(result: Any) -> None:
    """One JSON object on standard output."""
    sys.stdout.write(json.dumps(result, ensure_ascii=False, indent=2) + "\n")
    sys.stdout.flush()


def print_text(text: str = "") -> None:
    """A line on standard output."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def print_table(*parts: Table | str) -> None:
    """Rich tables and text on standard output; as wide as the terminal, or as they need where there is none."""
    stdout = console()
    for part in parts:
        stdout.print(part, highlight=False, markup=False)


def print_remark(part: Table | str) -> None:
    """A rich table or text on standard error."""
    from rich.console import Console

    Console(stderr=True, width=None if sys.stderr.isatty() else PIPED_WIDTH).print(part, highlight=False, markup=False)


def console() -> Console:
    """Standard output."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else PIPED_WIDTH)


@contextmanager
def remarks_and_progress(quiet: bool) -> Iterator[Progress]:
    """Within the block the library's remarks go to standard error, and progress is shown if that is a terminal."""
    logger = logging.getLogger("xclare")
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(message)s"))
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.ERROR if quiet else logging.INFO)
    try:
        yield SILENT if quiet or not sys.stderr.isatty() else BarProgress()
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


class BarProgress(Progress):
    """A bar on standard error with the rate, the share done and the time left."""

    @contextmanager
    def task(self, what: str, total: int) -> Iterator[Callable[[int], None]]:
        """Shows one piece of work while the block runs, with its rate; the bar disappears when it is done."""
        from rich.console import Console
        from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bars

        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(show_speed=True),
            TaskProgressColumn(),
            TimeRemainingColumn(),
        )
        with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
            task = bars.add_task(what, total=max(total, 1))
            yield lambda steps: bars.advance(task, steps)
