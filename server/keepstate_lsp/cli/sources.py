"""The text of a file that a command was given."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from keepstate_lsp.baselines.decoding import NotText, decode
from keepstate_lsp.baselines.reader import read_text
from keepstate_lsp.cli.errors import CommandError

STANDARD_INPUT = "-"


def source_path(name: str) -> Path:
    """The absolute path of a file; for standard input one of no file, in the working directory."""
    return Path(os.path.abspath(name))


def read_source(name: str) -> str | NotText:
    """The text of a file, or of standard input for ``-``."""
    if name == STANDARD_INPUT:
        return decode(sys.stdin.buffer.read())
    return read_text(Path(name))


def source_text(name: str) -> str:
    """The text of a file; an unreadable file ends the command.

    Raises:
        CommandError: there is no text; the message says why.
    """
    text = read_source(name)
    if isinstance(text, NotText):
        raise CommandError(f"{name} {text.what}", text.mend)
    return text
