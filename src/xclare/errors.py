"""What can go wrong for a user, as few exception types as tell it apart. Every message says what was found, what was
expected and what to do."""

from __future__ import annotations

from pathlib import Path


class XclareError(Exception):
    """The work failed; the message is written for the user. The command line prints it and ends with `exit_status`."""

    exit_status = 1


class InputError(XclareError):
    """Input that cannot be used: a file, an argument, a setting."""

    exit_status = 2

    @classmethod
    def at(
        cls,
        source: str | Path,
        *,
        found: str,
        expected: str,
        line: int | None = None,
        column: int | None = None,
        hint: str = "",
    ) -> InputError:
        """An error at a place in a file. `line` and `column` count from 1; columns count bytes."""
        place = str(source)
        if line is not None:
            place += f", line {line}"
        if column is not None:
            place += f", column {column}"
        message = f"{place}: found {found}, expected {expected}."
        return cls(f"{message} {hint}" if hint else message)


class SettingError(InputError):
    """A setting that is unknown or out of its range."""


class MissingExtraError(InputError):
    """An optional dependency is not installed; the message is the line that installs it."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f'{what} needs an optional dependency. Install it with: pip install "xclare[{extra}]"')
        self.extra = extra


def shown(value: object, limit: int = 60) -> str:
    """`value` as it can stand in an error message: quoted, on one line, cut where it is long."""
    text = repr(bytes(value)) if isinstance(value, (bytearray, memoryview)) else repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"
