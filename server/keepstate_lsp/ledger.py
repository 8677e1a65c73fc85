"""The ledger: findings that a team accepted, in a file beside the configuration.

An entry is about one change of meaning (``change`` is the key of the finding), so reformatting and rebasing leave it
valid, and a renamed file too: ``file`` and ``what`` are there for the reader. It ends by itself once the change is the
baseline; ``keepstate accept --prune`` then takes it out.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any

from keepstate.report import Acceptance

FILE_NAME = "keepstate.accepted.toml"
_HEAD = "# What may stand although it costs state. Written by `keepstate accept`; read by check and by the editor.\n"
_KEYS = {"file": str, "rule": str, "change": str, "what": str, "because": str, "by": str, "until": date}
_NEEDED = ("rule", "change", "because")


class LedgerError(Exception):
    """The ledger cannot be read or written; the message is for a person."""


@dataclass(frozen=True)
class Entry:
    """One accepted change."""

    rule: str
    change: str
    because: str
    file: str = ""
    what: str = ""
    until: date | None = None
    by: str = ""

    @cached_property
    def acceptance(self) -> Acceptance:
        return Acceptance(self.rule, self.because, self.until, key=self.change)

    def to_toml(self) -> str:
        lines = ["[[accepted]]"]
        for key in _KEYS:
            value = getattr(self, key)
            if isinstance(value, date):
                lines.append(f"{key} = {value.isoformat()}")
            elif value:
                # A JSON string is a TOML string, but for the one character that JSON leaves as it is.
                lines.append(f"{key} = {json.dumps(value, ensure_ascii=False)}".replace("\x7f", "\\u007F"))
        return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Ledger:
    """All entries of one file; ``path`` may not exist yet."""

    path: Path
    entries: tuple[Entry, ...] = ()

    @staticmethod
    def around(folder: Path) -> Ledger | None:
        """The nearest ledger in ``folder`` or above it.

        Raises:
            LedgerError: it cannot be read.
        """
        found = path_around(folder)
        return None if found is None else Ledger.at(found)

    @staticmethod
    def at(path: Path) -> Ledger:
        """The ledger in the file at ``path``; an empty one if there is none.

        Raises:
            LedgerError: it cannot be read.
        """
        try:
            text = path.read_text("utf-8")
        except FileNotFoundError:
            return Ledger(path)
        except (OSError, UnicodeError) as error:
            raise LedgerError(f"The ledger {path} cannot be read: {error}.") from error
        return Ledger(path, tuple(_entries(path, text)))

    @property
    def acceptances(self) -> tuple[Acceptance, ...]:
        return tuple(entry.acceptance for entry in self.entries)

    def with_entries(self, added: Iterable[Entry]) -> Ledger:
        """With more entries; one about the same change is replaced."""
        entries = {(entry.rule, entry.change): entry for entry in (*self.entries, *added)}
        return Ledger(self.path, tuple(entries.values()))

    def without(self, gone: Iterable[Acceptance]) -> Ledger:
        leaving = set(gone)
        return Ledger(self.path, tuple(entry for entry in self.entries if entry.acceptance not in leaving))

    def write(self) -> None:
        """Write the file; an empty ledger is no file.

        Raises:
            LedgerError: it cannot be written.
        """
        try:
            if not self.entries:
                self.path.unlink(missing_ok=True)
                return
            text = "\n".join((_HEAD, *(entry.to_toml() for entry in self.entries)))
            draft = self.path.with_name(f"{self.path.name}.draft")
            draft.write_text(text, "utf-8")
            draft.replace(self.path)
        except OSError as error:
            raise LedgerError(f"The ledger {self.path} cannot be written: {error}.") from error


def path_around(folder: Path) -> Path | None:
    """Where the nearest ledger lies."""
    folder = folder.absolute()
    return next((path for parent in (folder, *folder.parents) if (path := parent / FILE_NAME).is_file()), None)


def _entries(path: Path, text: str) -> Iterable[Entry]:
    table = _toml(path, text)
    listed = table.get("accepted", [])
    unknown = [key for key in table if key != "accepted"]
    if unknown or not isinstance(listed, list):
        raise LedgerError(f"{path}: only tables [[accepted]] may stand here.")
    for number, entry in enumerate(listed, 1):
        where = f"{path}: entry {number}"
        if not isinstance(entry, dict):
            raise LedgerError(f"{where} is no table.")
        for key, value in entry.items():
            if key not in _KEYS:
                raise LedgerError(f"{where}: there is no key {key!r}; there are {', '.join(_KEYS)}.")
            if not isinstance(value, _KEYS[key]):
                kind = "a date such as 2027-01-31" if key == "until" else "a text"
                raise LedgerError(f"{where}: {key} must be {kind}.")
        missing = [key for key in _NEEDED if not entry.get(key)]
        if missing:
            raise LedgerError(f"{where} lacks {' and '.join(missing)}.")
        yield Entry(**entry)


def _toml(path: Path, text: str) -> Any:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]  # installed for these versions alone
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise LedgerError(f"{path} is not TOML: {error}.") from error
