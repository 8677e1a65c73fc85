"""Reading files of a work tree, which may come from an untrusted author."""

from __future__ import annotations

import os
import stat

from keepstate_lsp.baselines.decoding import LARGEST_FILE


def is_same_file(one: str | os.PathLike[str], other: str | os.PathLike[str]) -> bool:
    """Return whether two paths lead to one file, by links too.

    >>> is_same_file(".", os.getcwd())
    True
    """
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False


def regular_content(path: str | os.PathLike[str]) -> bytes | None:
    """The bytes of a regular file; ``None`` for what is none (a pipe would wait for ever, a device never end), for what
    is larger than anything that is read, and for what cannot be read.

    >>> b"LARGEST_FILE" in regular_content(__file__), regular_content(os.curdir) is None
    (True, True)
    """
    try:
        # Opening a pipe waits for a writer, unless the call says that it does not wait.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with open(descriptor, "rb", buffering=0) as file:
            status = os.fstat(descriptor)
            return file.read() if stat.S_ISREG(status.st_mode) and status.st_size <= LARGEST_FILE else None
    except (OSError, ValueError):
        return None
