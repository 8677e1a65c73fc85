"""The folder of warm sessions: of this user alone, with the socket and the record of each."""

from __future__ import annotations

import json
import os
import socket
import stat
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from keepstate_lsp.runtime.cache_folder import cache_folder

_NAME = "keepstate-spark"
_ARCHIVES = "spark"
_LONGEST_SOCKET = 100
"""Bytes of the path of a socket: systems take some 104."""


class NotPrivate(Exception):
    """Other users can reach the folder, or it is none: the message says which."""


@dataclass(frozen=True)
class SessionFiles:
    """Files of the warm session ``key`` in the private ``folder``."""

    folder: Path
    key: str

    @property
    def socket(self) -> Path:
        return self.folder / f"{self.key}.sock"

    @property
    def record(self) -> Path:
        """A file with the secret and the facts of the session, which its user alone can read."""
        return self.folder / f"{self.key}.json"

    def read(self) -> Mapping[str, Any] | None:
        """The record; ``None`` without a whole one."""
        try:
            found = json.loads(self.record.read_text("utf-8"))
        except (OSError, ValueError):
            return None
        return found if isinstance(found, dict) else None

    def write(self, facts: Mapping[str, Any]) -> None:
        """Write the record."""
        draft = self.record.with_suffix(".draft")
        draft.unlink(missing_ok=True)
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            json.dump(dict(facts), file)
        draft.replace(self.record)


def archive_folder() -> Path | None:
    """The folder for archives of Java's classes; ``None`` for a user without a home."""
    try:
        return cache_folder() / _ARCHIVES
    except RuntimeError:
        return None


def can_be_warm() -> bool:
    """Return whether this system has what a warm session needs: sockets of files that carry open files, and forks."""
    return sys.platform != "win32" and hasattr(socket, "send_fds") and hasattr(os, "fork")


def private_folder(make: bool = True) -> Path:
    """The folder of warm sessions of this user.

    Raises:
        NotPrivate: it is not of this user alone.
        OSError: it cannot be made, or is not there without ``make``.
    """
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    folder = Path(runtime) / _NAME if runtime and Path(runtime).is_dir() else cache_folder() / _NAME
    if make:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
    require_private(folder)
    if len(os.fsencode(folder)) > _LONGEST_SOCKET - len("/0123456789abcdef.sock"):
        raise NotPrivate(f"{folder} is too long for the name of a socket.")
    return folder


def require_private(folder: Path) -> None:
    """Raise ``NotPrivate`` unless ``folder`` is a folder of this user that no other user can enter."""
    # On Windows no warm session gets here.
    if sys.platform == "win32":
        raise NotPrivate("Windows has no such folders.")
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode):
        raise NotPrivate(f"{folder} is no folder.")
    if found.st_uid != os.geteuid():
        raise NotPrivate(f"{folder} belongs to another user.")
    if stat.S_IMODE(found.st_mode) & 0o077:
        raise NotPrivate(f"Other users can enter {folder}.")


def places(folder: Path) -> list[SessionFiles]:
    """The warm sessions with a record, the oldest first."""
    records = sorted(folder.glob("*.json"), key=lambda path: path.stat().st_mtime)
    return [SessionFiles(folder, path.stem) for path in records]
