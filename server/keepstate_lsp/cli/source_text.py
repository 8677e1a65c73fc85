"""The text of a file that a command was given."""

from __future__ import annotations

import os
import re
import sys
from itertools import islice
from pathlib import Path

from keepstate_lsp.baselines.baseline import Reason, inline
from keepstate_lsp.baselines.decoding import LARGEST_FILE, NotText, decode
from keepstate_lsp.baselines.reader import read_text
from keepstate_lsp.cli.errors import CommandError
from keepstate_lsp.near_names import did_you_mean, near_names

STANDARD_INPUT = "-"
_MOST_FILES = 2_000
"""Files of a folder among which a similar name is looked for."""
_LIKELY = 0.75
"""The likeness of a misspelled file: endings make all files of a folder alike."""
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
        text = read_text(Path(name))
        is_missing = isinstance(text, NotText) and text.reason is Reason.MISSING_FILE
        return NotText(Reason.MISSING_FILE, f"does not exist.{did_you_mean(near_files(name))}") if is_missing else text
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


def near_files(name: str) -> list[str]:
    """The file beside a missing one that resembles it most."""
    folder, own = os.path.split(name)
    try:
        with os.scandir(folder or ".") as entries:
            beside = [entry.name for entry in islice(entries, _MOST_FILES)]
    except (OSError, ValueError):
        return []
    return [inline(os.path.join(folder, near)) for near in near_names(own, beside, likeness=_LIKELY)]


def source_text(name: str) -> str:
    """The text of a file; an unreadable file ends the command.

    Raises:
        CommandError: there is no text; the message says why.
    """
    text = read_source(name)
    if isinstance(text, NotText):
        raise CommandError(f"{name} {text.fault}", text.mend)
    return text
