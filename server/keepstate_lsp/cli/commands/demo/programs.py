"""Programs that the demo runs: git, and Keepstate as a user starts it. No other command starts any here."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from keepstate_lsp.cli.errors import CommandError
from keepstate_lsp.cli.terminal.output import Output


def output_of(command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> str:
    """The standard output of a program.

    Raises:
        CommandError: it failed.
    """
    run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    if run.returncode != 0:
        words = run.stderr.decode("utf-8", "replace").strip() or f"exit status {run.returncode}"
        raise CommandError(f"{' '.join(command)} failed: {words}")
    return run.stdout.decode("utf-8", "replace")


def keepstate_output(arguments: Sequence[str], folder: Path, output: Output) -> tuple[str, int]:
    """The output of a command, as wide and colourful as ``output`` shows it, and its exit status."""
    manner = ("--color", "always" if output.color else "never")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment = {**inherited, "COLUMNS": str(output.width), "PYTHONIOENCODING": output.encoding}
    command = [sys.executable, "-m", "keepstate_lsp.cli.main", *arguments, *manner]
    run = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, check=False)
    return run.stdout.decode(output.encoding, "replace"), run.returncode
