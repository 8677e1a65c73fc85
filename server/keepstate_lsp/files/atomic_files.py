"""Files that are there whole or not at all, whatever ends the process that writes them.

The text goes to a draft beside the file, which then takes its place. The draft has a name that cannot be foreseen, and
is made anew: a link that lies there already is not written through.
"""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

_DRAFT = ".{name}.{token}.draft"
_TOKEN_BYTES = 4
_KNOWS_NO_SYNC = (errno.EINVAL, errno.ENOTSUP)
"""Errors of file systems that cannot flush a folder: the new name is there, and the file system writes it later."""


def draft_of(path: Path) -> Path:
    """A name for a draft of the file at ``path``, one that nothing has yet.

    >>> draft_of(Path("/repository/a.sql")).parent == Path("/repository")
    True
    """
    return path.with_name(_DRAFT.format(name=path.name, token=os.urandom(_TOKEN_BYTES).hex()))


def drafts_of(path: Path) -> list[Path]:
    """The drafts of the file at ``path`` that lie there: at work, or left by a process that was killed.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     draft_of(Path(folder, "a.sql")).touch()
    ...     len(drafts_of(Path(folder, "a.sql")))
    1
    """
    prefix, _, suffix = _DRAFT.format(name=path.name, token="\0").partition("\0")
    length = len(prefix) + len(suffix) + 2 * _TOKEN_BYTES
    return [
        path.parent / name
        for name in os.listdir(path.parent)
        if name.startswith(prefix) and name.endswith(suffix) and len(name) == length
    ]


def write_whole(path: Path, data: bytes, mode: int | None = None, *, durable: bool = True) -> None:
    """Put ``data`` into the file at ``path``, with the permissions ``mode`` (default: those that it has, or those of a
    new file). ``durable``: it outlives a power cut, too, which costs the time that a disk takes to write.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_whole(Path(folder, "a.sql"), b"SELECT 1")
    ...     Path(folder, "a.sql").read_text()
    'SELECT 1'

    Raises:
        OSError: it cannot be written. What was there before is still there.
    """
    draft = draft_of(path)
    try:
        with draft.open("xb") as stream:
            stream.write(data)
            if durable:
                settle(stream)
        if mode is not None:
            draft.chmod(mode)
        elif path.exists():
            draft.chmod(path.stat().st_mode & 0o777)
        put_in_place(draft, path, durable=durable)
    except BaseException:
        # The first error is the one to report; a disk that became read-only removes nothing either.
        with suppress(OSError):
            remove(draft)
        raise


def remove(path: Path) -> None:
    """Remove a file, though it may be read-only: Windows removes and replaces no such file, other systems do.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "a.sql")
    ...     path.touch(0o400)
    ...     remove(path)
    ...     path.exists()
    False

    Raises:
        OSError: it cannot be removed; the folder is read-only, or another program has it open.
    """
    try:
        path.unlink()
    except PermissionError:
        path.chmod(0o600)
        path.unlink()


def settle(stream: BinaryIO) -> None:
    """Return when the disk has what was written.

    >>> import tempfile
    >>> with tempfile.TemporaryFile() as stream:
    ...     _ = stream.write(b"SELECT 1")
    ...     settle(stream)
    ...     os.fstat(stream.fileno()).st_size
    8
    """
    stream.flush()
    os.fsync(stream.fileno())


def put_in_place(draft: Path, path: Path, *, durable: bool = True) -> None:
    """Make a draft, whose content is settled, the file at ``path``.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     draft = Path(folder, "draft")
    ...     _ = draft.write_text("SELECT 1")
    ...     put_in_place(draft, Path(folder, "a.sql"))
    ...     draft.exists(), Path(folder, "a.sql").read_text()
    (False, 'SELECT 1')
    """
    draft.replace(path)
    if durable and sys.platform != "win32":
        # Windows has no way to open a folder; there the file system sees to its names itself.
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        except OSError as error:
            if error.errno not in _KNOWS_NO_SYNC:
                raise
        finally:
            os.close(folder)
