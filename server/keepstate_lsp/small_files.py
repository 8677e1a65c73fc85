"""Files that people write by hand: configurations and ledgers, read whole and never for long."""

from __future__ import annotations

import os
import stat
from pathlib import Path

LARGEST_FILE = 1_000_000
"""Bytes of a configuration file or of a ledger: a thousand times what people write."""


def read_small(path: Path) -> str:
    """The text of a regular file of at most ``LARGEST_FILE`` bytes, line ends as ``\\n``.

    Raises:
        OSError: it cannot be read, or is a pipe or a device, which might never end.
        ValueError: it is larger, or no UTF-8.
    """
    # Opening a pipe waits for somebody to write into it, unless one says that one does not wait.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError("it is not a regular file")
        data = file.read(LARGEST_FILE + 1)
    if len(data) > LARGEST_FILE:
        raise ValueError(f"it has more than {LARGEST_FILE:,} bytes")
    return data.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
