"""Where in a line of JSON something is wrong, and how to say so."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

from xclare.data.files import decode
from xclare.errors import InputError, shown

ONE_OBJECT_A_LINE = "one JSON object a line"

KeyPath: TypeAlias = tuple[str | int, ...]
"""Where a value stands in an object: keys, and positions in lists."""


def unreadable(source: Path, number: int, line: bytes) -> InputError:
    """A line that is not UTF-8."""
    try:
        decode(line, source, number)
    except InputError as error:
        return error
    return InputError.at(source, line=number, found="text that is not UTF-8", expected="UTF-8 text")


def invalid(source: Path, number: int, line: bytes, message: str, types: Mapping[str, Any]) -> InputError:
    """A value that is not of its key's type. msgspec's message ends in the path of the value: "… - at `$.key[3]`"."""
    what, _, place = message.partition(" - at `$")
    path = _parsed_path(place.removesuffix("`"), types)
    if what.endswith("out of range"):
        what = "Expected a number within the range of its type"
    what = what.removeprefix("Expected ").replace("`", "")
    expected, _, got = what.partition(", got ")
    if what.startswith("Object missing required field "):
        expected, got = f"the key {what.removeprefix('Object missing required field ')!r}", "an object without it"
    if not got:
        column = column_of(line, path)
        got = shown(line[column - 1 :].decode(errors="replace"), 24)
    where = f" as `{''.join(f'[{p}]' if isinstance(p, int) else p for p in path)}`" if path else ""
    hint = _hint(line) if not path else ""
    return InputError.at(
        source, line=number, column=column_of(line, path), found=got, expected=f"{expected}{where}", hint=hint
    )


def _parsed_path(place: str, types: Mapping[str, Any]) -> KeyPath:
    """`.key[3]` as ("key", 3). Keys may hold any character, so they are matched with those that have a type."""
    for key in sorted(types, key=len, reverse=True):
        rest = place.removeprefix(f".{key}")
        if rest != place and re.fullmatch(r"(\[\d+\])*", rest):
            return (key, *map(int, re.findall(r"\d+", rest)))
    return ()


LONE_SURROGATE = re.compile(rb"\\u[dD](?:[89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|[c-fC-F][0-9a-fA-F]{2})")


def malformed(source: Path, number: int, line: bytes, message: str) -> InputError:
    """What is no JSON at all. msgspec's message ends in the place: "… (byte 12)"."""
    place = re.search(r"\(byte (\d+)\)", message)
    surrogate = LONE_SURROGATE.search(line)
    if surrogate and (place is None or "surrogate" in message):
        found, column, hint = f"half a surrogate pair, {surrogate[0].decode()}", surrogate.start() + 1, ""
        return InputError.at(source, line=number, column=column, found=found, expected="whole characters")
    offset = min(int(place[1]), len(line)) if place else len(line)
    found = shown(line[offset : offset + 16].decode(errors="replace")) if offset < len(line) else "the end of the line"
    if "trailing" in message:
        found = f"{found} after the object"
    hint = _hint(line)
    return InputError.at(source, line=number, column=offset + 1, found=found, expected=ONE_OBJECT_A_LINE, hint=hint)


def _hint(line: bytes) -> str:
    if line.startswith(b"["):
        return "A file that is one list becomes one object a line with: jq -c '.[]' FILE"
    if line in (b"{", b"}") or not line.startswith(b"{"):
        return "Objects spread over several lines become one a line with: jq -c . FILE"
    return ""


def column_of(line: bytes, path: KeyPath) -> int:
    """The column (in bytes, from 1) where the value at `path` begins; 1 where it is not there."""
    try:
        text = line.decode()
        position = _position(text, path)
    except (ValueError, IndexError, StopIteration, RecursionError):
        return 1
    return len(text[:position].encode()) + 1


SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


def _position(text: str, path: KeyPath) -> int:
    """Walks to the value; raises ValueError where the way ends."""

    def skip(position: int) -> int:
        match = SPACE.match(text, position)
        return match.end() if match else position

    position = skip(0)
    for step in path:
        found, count = -1, 0
        closing = "}" if text[position] == "{" else "]"
        position = skip(position + 1)
        while found < 0 or isinstance(step, str):  # of a key that stands twice, the last one counts
            if text[position] == closing:
                break
            key: str | int = count
            if closing == "}":
                key, position = _DECODER.raw_decode(text, position)
                position = skip(skip(position) + 1)
            if key == step:
                found = position
            position = skip(_DECODER.raw_decode(text, position)[1])
            position = skip(position + 1) if text[position] == "," else position
            count += 1
        if found < 0:
            raise ValueError(f"nothing at {step!r}")
        position = found
    return position
