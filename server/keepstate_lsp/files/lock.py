"""A lock for a file that several processes read, change and write.

The lock is one of the operating system on a file beside it, so it ends with the process that holds it, however that
ends: none is ever stale. The file goes when the lock is let go of; one that a killed process left is taken over.
"""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PATIENCE = 30.0
"""Seconds to wait for another process; a change takes milliseconds."""
_LOOK_SECONDS = 0.01


class LockError(Exception):
    """The lock cannot be had; the message is a sentence for a person."""


@contextmanager
def locked(path: Path, patience: float = PATIENCE) -> Iterator[None]:
    """Hold the lock of the file at ``path``, which need not exist. Its folder must.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, locked(Path(folder, "a.sql")):
    ...     [path.name for path in Path(folder).iterdir()]
    ['.a.sql.lock']

    Raises:
        LockError: another process holds it for longer than ``patience`` seconds, or the lock cannot be made.
    """
    lock = path.with_name(f".{path.name}.lock")
    try:
        descriptor = _acquire(lock, time.monotonic() + patience)
    except OSError as error:
        raise LockError(f"{lock} cannot be locked: {error.strerror}.") from error
    if descriptor is None:
        raise LockError(f"Another process has held {lock} for {patience:g} seconds.")
    try:
        yield
    finally:
        _let_go(lock, descriptor)


def _acquire(lock: Path, end: float) -> int | None:
    """A descriptor of the lock file, locked by this process alone; ``None`` after the time limit."""
    # A link would lead out of the folder, and opening a pipe waits until something writes into it.
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    while True:
        descriptor = os.open(lock, flags, 0o666)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise OSError(0, "it is not a regular file")
            if _lock(descriptor) and _is_at(lock, descriptor):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
        if time.monotonic() >= end:
            return None
        time.sleep(_LOOK_SECONDS)


def _is_at(lock: Path, descriptor: int) -> bool:
    """Return whether the locked file is still the one of that name: the process before may have removed it."""
    try:
        return os.path.samestat(os.stat(lock, follow_symlinks=False), os.fstat(descriptor))
    except FileNotFoundError:
        return False


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _let_go(lock: Path, descriptor: int) -> None:
        os.close(descriptor)
        # A process that waits has it open, and Windows removes no file that is open.
        with suppress(OSError):
            lock.unlink()

else:
    import fcntl

    def _lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _let_go(lock: Path, descriptor: int) -> None:
        # Removed while it is held: who opened it meanwhile finds that it is not the one of that name any more. One that
        # cannot be removed does no harm, as it is taken over.
        with suppress(OSError):
            lock.unlink()
        os.close(descriptor)
