"""The folder that a JVM works in. Of a run that was killed it stays, and the next run removes it.

A lock says whether a folder is still worked in: this process holds it, and so does the JVM that it starts, which
may end a moment later. The system lets go of it whatever the end of a process was.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

if sys.platform != "win32":
    import fcntl

_PREFIX = "keepstate-spark-"
_LOCK = "lock"


class WorkFolder:
    """A new folder of its own, removed by ``close``."""

    def __init__(self) -> None:
        remove_abandoned()
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX))
        self._lock = -1
        try:
            self._lock = _locked(self.path)
        except BaseException:
            self.close()
            raise

    @property
    def descriptors(self) -> tuple[int, ...]:
        """The descriptors that a process which works in the folder has to inherit."""
        return () if self._lock == -1 else (self._lock,)

    def close(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock != -1:
            os.close(self._lock)
            self._lock = -1


def remove_abandoned() -> None:
    """Remove the folders of this user in which nothing works any more."""
    if sys.platform == "win32":
        return
    for path in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        # Another run may remove it at the same time.
        with suppress(OSError):
            if path.is_symlink() or path.stat().st_uid != os.getuid():
                continue
            descriptor = os.open(path / _LOCK, os.O_RDWR | os.O_NOFOLLOW)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path, ignore_errors=True)
            finally:
                os.close(descriptor)


def _locked(folder: Path) -> int:
    """A descriptor of the lock, which gets its name when it is held: who sees it never sees it free too early."""
    if sys.platform == "win32":
        return -1
    descriptor = os.open(folder / f"{_LOCK}.new", os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        os.rename(folder / f"{_LOCK}.new", folder / _LOCK)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor
