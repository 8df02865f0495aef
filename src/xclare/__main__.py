"""`python -m xclare` is the command `xclare`."""

from xclare.cli.main import run

run()
