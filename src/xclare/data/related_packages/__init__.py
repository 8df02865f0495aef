"""The bundled data set `related-packages`: Debian packages, and the packages that theirs recommend, suggest or enhance.
`PROVENANCE.md` in this folder says where it comes from; `scripts/cut_related_packages.py` made it."""

from __future__ import annotations

import dataclasses
from importlib.resources import as_file, files
from typing import TYPE_CHECKING

from xclare.progress import SILENT, Progress

if TYPE_CHECKING:
    from xclare.data.dataset import Dataset
    from xclare.data.files import Findings
    from xclare.data.settings import DataSettings

NAME = "related-packages"


def load(settings: DataSettings, findings: Findings, progress: Progress = SILENT) -> Dataset:
    """The data set, which lies beside this file in the XC repository's raw layout."""
    from xclare.data import xc_repository

    with as_file(files(__name__)) as folder:
        dataset = xc_repository.load(folder, settings, findings, progress)
    return dataclasses.replace(dataset, name=NAME)
