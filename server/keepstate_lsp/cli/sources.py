"""The text of a file that a command was given."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from keepstate_lsp.baselines.baseline import Reason
from keepstate_lsp.baselines.decoding import LARGEST_FILE, NotText, decode
from keepstate_lsp.baselines.reader import read_text
from keepstate_lsp.cli.errors import CommandError

STANDARD_INPUT = "-"
_DESCRIPTOR = re.compile(r"/dev/(?:fd/\d+|stdin)|/proc/self/fd/\d+")


def is_stream(name: str) -> bool:
    """Return whether a command was given standard input or an open pipe, as a shell names the output of another
    command (``<(git show main:a.sql)``): a text that can be read once, and no file.

    Other pipes are no streams: one that is not open yet might never have a writer.
    """
    if name == STANDARD_INPUT:
        return True
    return _DESCRIPTOR.fullmatch(name) is not None and os.path.exists(name) and not os.path.isfile(name)


def source_path(name: str) -> Path:
    """The absolute path of a file; for a stream one of no file, in the working directory."""
    return Path(os.path.abspath(STANDARD_INPUT if is_stream(name) else name))


def read_source(name: str) -> str | NotText:
    """The text of a file, or of a stream, such as ``-``."""
    if not is_stream(name):
        return read_text(Path(name))
    try:
        if name == STANDARD_INPUT:
            data = sys.stdin.buffer.read(LARGEST_FILE + 1)
        else:
            with open(name, "rb") as stream:
                data = stream.read(LARGEST_FILE + 1)
    except OSError as error:
        return NotText(Reason.UNREADABLE, f"cannot be read: {error.strerror}.")
    if len(data) > LARGEST_FILE:
        return NotText(Reason.TOO_LARGE, f"is too large (more than {LARGEST_FILE:,} bytes).")
    return decode(data)


def source_text(name: str) -> str:
    """The text of a file; an unreadable file ends the command.

    Raises:
        CommandError: there is no text; the message says why.
    """
    text = read_source(name)
    if isinstance(text, NotText):
        raise CommandError(f"{name} {text.what}", text.mend)
    return text
