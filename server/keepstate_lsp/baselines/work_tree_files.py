"""Reading files of a work tree, which may come from an untrusted author."""

from __future__ import annotations

import os
import stat

from keepstate_lsp.baselines.decoding import LARGEST_FILE

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
"""Opens no symbolic link; 0 where there is no such flag."""
_PART = 1 << 20
"""Bytes that are read at once of a file that changes its size."""


def is_same_file(one: str | os.PathLike[str], other: str | os.PathLike[str]) -> bool:
    """Return whether two paths lead to one file, by links too.

    >>> is_same_file(".", os.getcwd())
    True
    """
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False


def regular_content(path: str | os.PathLike[str], *, through_link: bool = True) -> bytes | None:
    """The bytes of a regular file; ``None`` for what is none (a pipe would wait for ever, a device never end), for what
    is larger than anything that is read, and for what cannot be read. Without ``through_link`` a symbolic link is none.

    >>> b"LARGEST_FILE" in regular_content(__file__), regular_content(os.curdir) is None
    (True, True)
    """
    try:
        if not through_link and not _NO_LINK and os.path.islink(path):
            return None
        # Opening a pipe waits for a writer, unless the call says that it does not wait.
        descriptor = os.open(path, _FLAGS if through_link else _FLAGS | _NO_LINK)
        try:
            status = os.fstat(descriptor)
            is_readable = stat.S_ISREG(status.st_mode) and status.st_size <= LARGEST_FILE
            return _all_of(descriptor, status.st_size) if is_readable else None
        finally:
            os.close(descriptor)
    except (OSError, ValueError):
        return None


def _all_of(descriptor: int, size: int) -> bytes:
    """The bytes of an open regular file. Of many small files each call to the system counts: these are one or two."""
    data = os.read(descriptor, size + 1)
    if len(data) == size:
        return data
    parts = [data]
    while part := os.read(descriptor, _PART):
        parts.append(part)
    return b"".join(parts)
