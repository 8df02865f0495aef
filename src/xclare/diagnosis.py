"""What is installed, what will be used, and what is missing with the line that installs it."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import os
import platform
from dataclasses import dataclass
from typing import Any

from xclare.threads import usable_cores
from xclare.version import __version__

EXTRAS = {"pyarrow": "parquet", "matplotlib": "plots", "torch": "train"}
"""Optional packages and the extra that brings each."""


@dataclass(frozen=True)
class Package:
    """A package xclare can use."""

    name: str
    version: str | None
    """None where it is not installed."""
    install: str
    """The line that installs it; empty where nothing is missing."""


@dataclass(frozen=True)
class Diagnosis:
    """The state of an installation."""

    xclare: str
    python: str
    system: str
    cores: int
    """Cores this process may use: the default number of threads."""
    memory_gib: float | None
    """Memory of the machine, or of the container where that is less."""
    data_folder: str | None
    """`$XCLARE_DATA`, below which data sets are found by their names."""
    packages: list[Package]

    @property
    def healthy(self) -> bool:
        """Whether everything that the base install needs is there."""
        return all(package.version for package in self.packages if package.name not in EXTRAS)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return dataclasses.asdict(self)


def diagnose() -> Diagnosis:
    """Looks at the machine and the installed packages."""
    return Diagnosis(
        xclare=__version__,
        python=platform.python_version(),
        system=f"{platform.system()} {platform.machine()}",
        cores=usable_cores(),
        memory_gib=_memory_gib(),
        data_folder=os.environ.get("XCLARE_DATA"),
        packages=[_package(name) for name in (*_base_packages(), *EXTRAS)],
    )


def _base_packages() -> list[str]:
    """The names of the base install's requirements, from xclare's own metadata."""
    requirements = importlib.metadata.requires("xclare") or []
    names = [requirement for requirement in requirements if "extra ==" not in requirement]
    return sorted(name.split(";")[0].split(">")[0].split("=")[0].split("<")[0].strip() for name in names)


def _package(name: str) -> Package:
    try:
        return Package(name, importlib.metadata.version(name), "")
    except importlib.metadata.PackageNotFoundError:
        wanted = f'"xclare[{EXTRAS[name]}]"' if name in EXTRAS else "--force-reinstall xclare"
        return Package(name, None, f"pip install {wanted}")


def _memory_gib() -> float | None:
    if "SC_PHYS_PAGES" not in os.sysconf_names:
        return None
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return round(min(total, _container_limit() or total) / 2**30, 1)


def _container_limit() -> int | None:
    """The memory limit of the control group, where there is one."""
    try:
        with open("/sys/fs/cgroup/memory.max", encoding="ascii") as file:  # noqa: PTH123 - a kernel file, not a path of ours
            return int(file.read())
    except (OSError, ValueError):
        return None
