"""Files and folders that appear whole or not at all: written under a temporary name beside the place, then renamed."""

from __future__ import annotations

import gzip
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from xclare.errors import InputError


@contextmanager
def atomic_file(path: str | Path) -> Iterator[IO[bytes]]:
    """A binary file to write to; it takes its name when the block ends well. A name in `.gz` is compressed
    (without time stamp, so that equal content gives equal bytes)."""
    target = Path(path)
    if target.is_dir():
        raise InputError(f"{target} is a folder; expected the name of a file to write.")
    if not target.parent.is_dir():
        raise InputError(f"{target.parent} does not exist, so {target.name} cannot be written there. Make it first.")
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as raw:
            if target.suffix == ".gz":
                with gzip.GzipFile(filename="", mode="wb", fileobj=raw, compresslevel=6, mtime=0) as packed:
                    yield cast(IO[bytes], packed)
            else:
                yield raw
            raw.flush()
            os.fsync(raw.fileno())
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextmanager
def atomic_folder(path: str | Path, *, overwrite: bool = False) -> Iterator[Path]:
    """An empty folder to write into; it takes its name when the block ends well. The place must be free, or empty; with
    `overwrite`, the folder that is there stays as it is until then. A link stays, what it leads to is meant."""
    target = Path(path).resolve() if Path(path).is_symlink() else Path(path)
    refuse_taken(target, overwrite=overwrite)
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent))
    try:
        yield temporary
        temporary.chmod(0o777 & ~_umask())
        if target.is_dir() and any(target.iterdir()):
            _exchange(temporary, target)
        else:
            temporary.replace(target)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def refuse_taken(target: Path, *, overwrite: bool) -> None:
    """Refuses a place where something is, unless it is a folder to be overwritten."""
    if not target.exists() or (target.is_dir() and (overwrite or not any(target.iterdir()))):
        return
    raise InputError(f"{target} exists already and is not an empty folder. Choose another name or remove it first.")


def _exchange(new: Path, target: Path) -> None:
    """Puts `new` in the place of a folder, which is removed; it comes back where that fails."""
    old = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".old", dir=target.parent))
    target.replace(old)
    try:
        new.replace(target)
    except BaseException:
        old.replace(target)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _umask() -> int:
    """The process's umask, which can only be read by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
