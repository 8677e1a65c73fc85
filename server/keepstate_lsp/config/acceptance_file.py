"""The ledger: findings that a team accepted, in a file beside the configuration.

An entry is about one change of meaning (``change`` is the key of the finding) in one file, so reformatting and rebasing
leave it valid, and the rename of the file too, where the comparison itself found the rename. The same change in another
file is not accepted; an entry without ``file`` counts for every file that the ledger holds for. So one entry accepts
the edit of a declaration for all jobs that feel it; ``jobs`` narrows it to some. ``what`` is there for the reader. An
entry ends by itself once the change is the baseline; ``keepstate accept --prune`` then takes it out.
"""

from __future__ import annotations

import os
import posixpath
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any

from keepstate.report import Acceptance
from keepstate.text import Edit, LineIndex, Span
from keepstate_lsp.config.file import ConfigurationError, Fault, check_size, toml_fault
from keepstate_lsp.files.atomic_files import drafts_of, write_whole
from keepstate_lsp.files.lock import LockError, locked
from keepstate_lsp.files.small_files import LARGEST_FILE, read_small
from keepstate_lsp.files.toml_places import TomlPath, toml_places

FILE_NAME = "keepstate.accepted.toml"
HEAD = "# What may stand although it costs state. Written by `keepstate accept`; read by check and by the editor.\n"
_KEYS = {"file": str, "jobs": list, "rule": str, "change": str, "what": str, "because": str, "by": str, "until": date}
_NEEDED = ("rule", "change", "because")


class AcceptanceFileError(Exception):
    """The ledger cannot be read or written; the message is for a person. ``fault`` is where in its text, if there."""

    def __init__(self, sentence: str, fault: Fault | None = None) -> None:
        super().__init__(sentence)
        self.fault = fault


@dataclass(frozen=True)
class LedgerEntry:
    """One accepted change."""

    rule: str
    change: str
    because: str
    file: str = ""
    what: str = ""
    until: date | None = None
    by: str = ""
    jobs: tuple[str, ...] = ()

    @cached_property
    def acceptance(self) -> Acceptance:
        file = posixpath.normpath(self.file) if self.file else ""
        jobs = tuple(map(posixpath.normpath, self.jobs))
        return Acceptance(self.rule, self.because, self.until, key=self.change, file=file, jobs=jobs)

    @property
    def is_unfinished(self) -> bool:
        """The reason is still what a quick-fix left to be written."""
        return self.because.startswith("<")

    def to_toml(self) -> str:
        lines = ["[[accepted]]"]
        for key in _KEYS:
            value = getattr(self, key)
            if isinstance(value, date):
                lines.append(f"{key} = {value.isoformat()}")
            elif isinstance(value, tuple) and value:
                lines.append(f"{key} = {_toml_text(list(value))}")
            elif value:
                lines.append(f"{key} = {_toml_text(value)}")
        return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class AcceptanceFile:
    """All entries of one file; ``path`` may not exist yet."""

    path: Path
    entries: tuple[LedgerEntry, ...] = ()

    @staticmethod
    def around(folder: Path) -> AcceptanceFile | None:
        """The nearest ledger in ``folder`` or above it.

        Raises:
            LedgerError: it cannot be read.
        """
        path = path_around(folder)
        return None if path is None else AcceptanceFile.at(path)

    @staticmethod
    def at(path: Path) -> AcceptanceFile:
        """The ledger in the file at ``path``; an empty one if there is none.

        Raises:
            LedgerError: it cannot be read.
        """
        try:
            text = read_small(path)
        except FileNotFoundError:
            if os.path.lexists(path):
                # An empty ledger would take its place, and its entries be lost.
                raise AcceptanceFileError(f"The ledger {path} was replaced while it was read.") from None
            return AcceptanceFile(path)
        except (OSError, ValueError) as error:
            raise AcceptanceFileError(f"The ledger {path} cannot be read: {error}.") from error
        return AcceptanceFile.parse(path, text)

    @staticmethod
    def parse(path: Path, text: str) -> AcceptanceFile:
        """The ledger that a text is.

        Raises:
            LedgerError: it is none.
        """
        return AcceptanceFile(path, tuple(_entries(path, text)))

    @property
    def acceptances(self) -> tuple[Acceptance, ...]:
        """Acceptances of the entries that have a reason."""
        return tuple(entry.acceptance for entry in self.entries if not entry.is_unfinished)

    def with_entries(self, additions: Iterable[LedgerEntry]) -> AcceptanceFile:
        """With more entries; one about the same change of the same file is replaced."""
        entries = {
            (entry.acceptance.file, entry.acceptance.jobs, entry.rule, entry.change): entry
            for entry in (*self.entries, *additions)
        }
        return AcceptanceFile(self.path, tuple(entries.values()))

    def without(self, removals: Iterable[Acceptance]) -> AcceptanceFile:
        leaving = set(removals)
        return AcceptanceFile(self.path, tuple(entry for entry in self.entries if entry.acceptance not in leaving))

    def write(self) -> None:
        """Write the file, whole or not at all; an empty ledger is no file.

        Raises:
            LedgerError: it cannot be written.
        """
        try:
            if not self.entries:
                self.path.unlink(missing_ok=True)
                return
            data = "\n".join((HEAD, *(entry.to_toml() for entry in self.entries))).encode()
            if len(data) > LARGEST_FILE:
                # A larger ledger could not be read again, and every gate would stop at it.
                raise AcceptanceFileError(f"The ledger {self.path} would have more than {LARGEST_FILE:,} bytes.")
            write_whole(self.path, data)
        except OSError as error:
            raise AcceptanceFileError(f"The ledger {self.path} cannot be written: {error}.") from error


def change(path: Path, edit: Callable[[AcceptanceFile], AcceptanceFile]) -> bool:
    """Read the ledger at ``path``, and write what ``edit`` makes of it; whether that is something else.

    Several processes may do so at once: each reads what the one before it wrote.

    >>> import tempfile
    >>> entry = LedgerEntry("group-key-added", "k1", "The job restarts without state.")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ledger = Path(folder, "keepstate.accepted.toml")
    ...     [change(ledger, lambda file: AcceptanceFile(file.path, (entry,))) for _ in range(2)]
    [True, False]

    Raises:
        LedgerError: it cannot be read or written, or another process does not let go of it.
    """
    try:
        with locked(path):
            # The holder of the lock alone writes drafts: these are of processes that were killed.
            for draft in drafts_of(path):
                draft.unlink(missing_ok=True)
            before = AcceptanceFile.at(path)
            after = edit(before)
            if after.entries == before.entries:
                return False
            after.write()
            return True
    except LockError as error:
        raise AcceptanceFileError(f"The ledger {path} cannot be written: {error}") from error
    except OSError as error:
        raise AcceptanceFileError(f"The ledger {path} cannot be written: {error}.") from error


def path_around(folder: Path) -> Path | None:
    """Path of the nearest ledger.

    >>> path_around(Path("/no-such-folder")) is None
    True
    """
    folder = folder.absolute()
    # A folder or a dangling link does not hide behind a ledger further up: reading it fails, which is reported.
    paths = (parent / FILE_NAME for parent in (folder, *folder.parents))
    return next((path for path in paths if os.path.lexists(path)), None)


def name_in(folder: Path, file: Path) -> str:
    """The path of ``file`` as an entry of the ledger in ``folder`` has it: relative and with ``/``.

    >>> name_in(Path("/repository"), Path("/repository/jobs/a.sql"))
    'jobs/a.sql'
    """
    file, folder = Path(os.path.abspath(file)), Path(os.path.abspath(folder))
    return file.relative_to(folder).as_posix() if file.is_relative_to(folder) else file.name


def counting_for(
    accepted: Sequence[Acceptance], folder: Path, file: Path, predecessor: Path | None, name: str | None = None
) -> tuple[Acceptance, ...]:
    """The acceptances of the ledger in ``folder`` that count for ``file``.

    These are its own, those of ``predecessor``, the file that it was renamed from (``None``: it was not), and those
    without a file, unless they are narrowed to other jobs, by their files or by the ``name`` of a job. A file has two
    names where a link leads to it: as it was asked for, and as it lies on the disk.

    >>> own, other = (Acceptance("group-key-added", "Planned.", key="k", file=file) for file in ("a.sql", "b.sql"))
    >>> counting_for([own, other], Path("/jobs"), Path("/jobs/a.sql"), None) == (own,)
    True
    """
    if not accepted:
        return ()
    real = Path(os.path.realpath(folder))
    names = {""}
    for one in (file,) if predecessor is None else (file, predecessor):
        names |= {name_in(folder, one), name_in(real, Path(os.path.realpath(one)))}
    jobs = names | ({name} if name is not None else set())
    return tuple(
        acceptance
        for acceptance in accepted
        if acceptance.file in names and (not acceptance.jobs or not jobs.isdisjoint(acceptance.jobs))
    )


def entry_spans(text: str) -> list[Span]:
    r"""The spans of the entries in the text of a ledger, in their order: from the header to the end of the last key.

    >>> text = "[[accepted]]\nrule = 'group-key-added'\nchange = 'k'\n"
    >>> [span.of(text) for span in entry_spans(text)] == [text.strip()]
    True
    """
    spans: dict[int, Span] = {}
    for path, span in toml_places(text).items():
        if path[0] == "accepted" and len(path) > 1 and isinstance(path[1], int):
            spans[path[1]] = span.union(spans.get(path[1], span))
    return [span for _, span in sorted(spans.items())]


def without_entry(text: str, span: Span) -> Edit:
    r"""The edit that takes an entry out of a ledger, with its lines and the blank ones behind them.

    >>> text = "# ledger\n[[accepted]]\nrule = 'r'\n"
    >>> without_entry(text, entry_spans(text)[0]).span.of(text) == text[9:]
    True
    """
    end = span.end
    while end < len(text) and text[end] not in "\r\n":
        end += 1
    while end < len(text) and text[end].isspace():
        end += 1
    return Edit(Span(span.start, end), "")


def _entries(path: Path, text: str) -> Iterable[LedgerEntry]:
    table = _toml(path, text)
    listed = table.get("accepted", [])
    unknown = [key for key in table if key != "accepted"]
    if unknown or not isinstance(listed, list):
        raise _wrong(path, text, f"{path}: only tables [[accepted]] may stand here.", unknown[:1])
    for number, entry in enumerate(listed):
        where = f"{path}: entry {number + 1}"
        place: TomlPath = ("accepted", number)
        if not isinstance(entry, dict):
            raise _wrong(path, text, f"{where} is no table.", ["accepted"])
        for key, value in entry.items():
            if key not in _KEYS:
                sentence = f"{where}: there is no key {key!r}; there are {', '.join(_KEYS)}."
                raise _wrong(path, text, sentence, [*place, key])
            if not isinstance(value, _KEYS[key]):
                kind = {"until": "a date such as 2027-01-31", "jobs": "a list of paths"}.get(key, "a text")
                raise _wrong(path, text, f"{where}: {key} must be {kind}.", [*place, key])
            if key == "jobs" and not _are_paths(entry[key]):
                raise _wrong(path, text, f"{where}: jobs must be a list of paths.", [*place, key])
        missing = [key for key in _NEEDED if not entry.get(key, "").strip()]
        if missing:
            raise _wrong(path, text, f"{where} lacks {' and '.join(missing)}.", place)
        yield LedgerEntry(**{**entry, "jobs": tuple(entry["jobs"]) if "jobs" in entry else ()})


def _are_paths(value: list[Any]) -> bool:
    return bool(value) and all(isinstance(path, str) and path.strip() for path in value)


def _toml_text(value: object) -> str:
    import json

    # A JSON string is a TOML string, but for the one character that JSON leaves as it is.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")


def _wrong(path: Path, text: str, sentence: str, place: Sequence[str | int]) -> AcceptanceFileError:
    span = toml_places(text).get(tuple(place), LineIndex(text).line_span(0))
    return AcceptanceFileError(sentence, Fault(path, text, span, sentence.removeprefix(f"{path}: ")))


def _toml(path: Path, text: str) -> Any:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]  # installed for these versions alone
    try:
        check_size(str(path), text)
        return tomllib.loads(text)
    except ConfigurationError as error:
        raise AcceptanceFileError(str(error)) from error
    except ValueError as error:
        raise AcceptanceFileError(f"{path} is not TOML: {error}.", toml_fault(path, text, error)) from error
    except RecursionError as error:
        raise AcceptanceFileError(f"{path} is nested too deeply.") from error
