"""`xclare doctor`: what is installed, what will be used, what is missing and the line that installs it."""

from __future__ import annotations

from xclare.cli import options
from xclare.cli.terminal import print_json, print_table, verb


@verb
def doctor(json: options.Json = False) -> None:
    """Checks the installation: versions, cores, memory, extras that are missing."""
    from xclare.diagnosis import diagnose
    from xclare.report.tables import diagnosis_table

    diagnosis = diagnose()
    if json:
        print_json(diagnosis.as_dict())
    else:
        print_table(diagnosis_table(diagnosis))
