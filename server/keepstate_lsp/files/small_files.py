"""Files that people write by hand: configurations and ledgers, read whole and never for long."""

from __future__ import annotations

import os
import stat
from pathlib import Path

LARGEST_FILE = 1_000_000
"""Bytes of a configuration file or of a ledger: a thousand times what people write."""
_NOT_REGULAR = "it is not a regular file"


def read_small(path: Path) -> str:
    """The text of a regular file of at most ``LARGEST_FILE`` bytes, with line feeds as its line ends.

    >>> len(read_small(Path(__file__)).splitlines()[0]) < 120
    True

    Raises:
        FileNotFoundError: there is nothing of this name.
        OSError: it cannot be read; it is a dangling link, a folder, a pipe or a device, which might never end.
        ValueError: it is larger, or no UTF-8.
    """
    return read_bounded(path, LARGEST_FILE).decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")


def read_bounded(path: Path, limit: int) -> bytes:
    """The bytes of a regular file of at most ``limit`` bytes; raises as ``read_small`` does.

    >>> len(read_bounded(Path(__file__), 1_000_000)) == Path(__file__).stat().st_size
    True
    """
    with open(_descriptor(path), "rb") as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise ValueError(f"it has more than {limit:,} bytes")
    return data


def _descriptor(path: Path) -> int:
    """A regular file, open."""
    try:
        # Opening a pipe waits for a writer, unless the call says that it does not wait.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except FileNotFoundError as error:
        if os.path.islink(path):
            raise OSError("it is a link to a file that is not there") from error
        raise
    except PermissionError as error:
        if os.path.isdir(path):
            # On Windows a folder is refused like this.
            raise OSError(_NOT_REGULAR) from error
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(_NOT_REGULAR)
    return descriptor
