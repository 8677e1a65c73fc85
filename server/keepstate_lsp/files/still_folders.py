"""Folders in which nothing came, went or got another name, known by one stamp each.

A folder gets a new time stamp with each entry that comes or goes. So files that were looked for in it need not be
looked for again while its stamp is the same. A stamp is coarse: a young one says nothing, since one more change may
leave it as it is. Some network file systems have no such stamps, so now and then a look is whole.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass

_YOUNG = 3_000_000_000
"""Nanoseconds in which a stamp may stay as it is though its folder changes: some systems count in two seconds."""
_LOOKS = 15
"""One look in so many is whole, whatever the stamps say."""

Question = tuple[Callable[..., Hashable], tuple[Hashable, ...]]
"""A function with its arguments."""


@dataclass(frozen=True)
class LookedAt:
    """The files, folders and answers that a look depends on."""

    folders: frozenset[str]
    names: frozenset[str] = frozenset()
    """Names of files that are looked for in each folder."""
    files: frozenset[str] = frozenset()
    """Files that are there, by their content."""
    questions: frozenset[Question] = frozenset()
    """Further answers, by their values."""


@dataclass(frozen=True)
class _Folder:
    """A folder as it was found. ``stamp`` is ``None`` where it was young."""

    stamp: Hashable
    entries: tuple[Hashable, ...]


@dataclass(frozen=True)
class _Find:
    """The same, as it was at one moment."""

    folders: dict[str, _Folder]
    rest: tuple[Hashable, ...]

    def says_as(self, other: _Find) -> bool:
        """Return whether a look finds the same."""
        return self.rest == other.rest and all(
            folder is (before := other.folders[path]) or folder.entries == before.entries
            for path, folder in self.folders.items()
        )


class StillFolders:
    """The last look that found nothing new. Not for several threads.

    >>> still, looked_at = StillFolders(), LookedAt(frozenset({"/no-such-folder"}))
    >>> for _ in range(3):
    ...     if not still.hold("any subject"):
    ...         still.looked("any subject", looked_at)
    >>> still.hold("any subject"), still.hold("another one")
    (True, False)
    """

    def __init__(self) -> None:
        self._subject: object = None
        self._looked_at: LookedAt | None = None
        self._last: _Find | None = None
        """``None``: what the last look depended on was not found before it."""
        self._before: _Find | None = None
        """The same before the whole look that begins."""
        self._looks = 0

    def hold(self, subject: object) -> bool:
        """Return whether a look at a subject would find what the last one found. If it would not, a whole look follows,
        which ends with ``looked`` or ``forget``.
        """
        self._before = None
        if self._looked_at is None or self._subject != subject:
            return False
        self._looks += 1
        is_whole = not self._looks % _LOOKS
        known_folders = {} if self._last is None or is_whole else self._last.folders
        find = _find(self._looked_at, known_folders)
        if not is_whole and self._last is not None and find.says_as(self._last):
            self._last = find
            return True
        self._before = find
        return False

    def looked(self, subject: object, looked_at: LookedAt) -> None:
        """Keep what a whole look depended on, which found nothing new."""
        self._last = self._before if self._looked_at == looked_at else None
        self._subject, self._looked_at = subject, looked_at

    def forget(self) -> None:
        """Let go of the last look: there was something new."""
        self._looked_at = self._last = self._before = None


def _find(looked_at: LookedAt, known_folders: dict[str, _Folder]) -> _Find:
    names, oldest_young = tuple(looked_at.names), time.time_ns() - _YOUNG
    folders: dict[str, _Folder] = {}
    for path in looked_at.folders:
        folder, (stamp, time_of_change) = known_folders.get(path), _stamp_of_folder(path)
        if folder is None or folder.stamp is None or folder.stamp != stamp:
            # Stamped before its entries are looked at: a change in between is then noticed rather than missed.
            entries = (stamp[:1], *[_stamp(os.path.join(path, name)) for name in names])
            folder = _Folder(stamp if time_of_change < oldest_young else None, entries)
        folders[path] = folder
    answers = tuple([question(*arguments) for question, arguments in looked_at.questions])
    return _Find(folders, (*map(_stamp, looked_at.files), *answers))


def _stamp_of_folder(path: str) -> tuple[tuple[Hashable, ...], int]:
    """The identity of a folder with the stamp of its entries, and the time of its last change. A link is another folder
    than the one that it leads to.
    """
    try:
        status = os.lstat(path)
        is_link = stat.S_ISLNK(status.st_mode)
        target = os.stat(path) if is_link else status
    except OSError:
        return (None,), 0
    identity = status.st_ino, status.st_dev, is_link, target.st_ino, target.st_dev
    last = max(status.st_mtime_ns, target.st_mtime_ns)
    return (identity, status.st_mtime_ns, target.st_mtime_ns), last


def _stamp(path: str) -> Hashable:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino, status.st_dev
