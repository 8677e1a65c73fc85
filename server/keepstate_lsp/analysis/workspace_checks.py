"""Checks of the job files that are not open: one file at a time, between two keystrokes.

An open document always comes first: between two files the worker is free, and no file is begun while a document waits.
Only the small overview of a file is kept; its text, plan and baseline are released.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from keepstate_lsp.analysis.declared_names import DeclaredName
from keepstate_lsp.analysis.document_analysis import Analysis
from keepstate_lsp.analysis.documents import uri_of
from keepstate_lsp.analysis.overview import JobOverview
from keepstate_lsp.jobs.listing import FileStamp

log = logging.getLogger(__name__)

WORTH_A_BAR = 20
"""From that many files on the client is asked to show how far the check is."""


@dataclass(frozen=True, slots=True)
class ClosedFileCheck:
    """The last check of a closed file."""

    stamp: FileStamp
    overview: JobOverview | None
    """``None``: no Flink SQL."""
    declared: tuple[DeclaredName, ...] = ()


class CheckProgress(Protocol):
    """Progress of a long check, as the client shows it."""

    @property
    def cancelled(self) -> bool: ...

    def report(self, count: int, total: int) -> None: ...

    def end(self) -> None: ...


class WorkspaceListener(Protocol):
    def surveyed(self, path: Path, analysis: Analysis) -> None:
        """A closed file was checked."""

    def vanished(self, path: Path) -> None:
        """A file that was checked is gone."""

    def settled(self) -> None:
        """All files that waited were checked."""

    async def begin_progress(self, total: int) -> CheckProgress | None:
        """Begin to show progress; ``None`` where the client cannot."""


@dataclass(frozen=True)
class WorkspaceSource:
    """Functions that do the work of the view."""

    list_files: Callable[[], Awaitable[Mapping[Path, FileStamp]]]
    """All files of the workspace that may be jobs."""
    survey: Callable[[Path], Awaitable[tuple[Analysis, tuple[DeclaredName, ...]]]]
    resting: Callable[[], Awaitable[None]]
    """Returns when no open document waits to be checked."""


class WorkspaceView:
    """Lives on the event loop."""

    def __init__(self, source: WorkspaceSource, listener: WorkspaceListener) -> None:
        self._source = source
        self._listener = listener
        self._files: Mapping[Path, FileStamp] = {}
        self._open: set[Path] = set()
        self._known: dict[Path, ClosedFileCheck] = {}
        self._waiting: dict[Path, None] = {}
        self._wake = asyncio.Event()
        self._was_cancelled = False
        self.has_settled = False
        """All files were checked once."""
        # Nothing is settled until it is known which files there are.
        self._settled = asyncio.Event()

    @property
    def overviews(self) -> list[JobOverview]:
        """Of all closed job files, by path."""
        return [state.overview for _, state in sorted(self._known.items()) if state.overview is not None]

    @property
    def declared(self) -> dict[str, tuple[DeclaredName, ...]]:
        """The tables, views and functions of all closed job files, by URI."""
        return {uri_of(path): state.declared for path, state in sorted(self._known.items()) if state.declared}

    @property
    def is_complete(self) -> bool:
        """No check was cancelled before its end."""
        return not self._was_cancelled

    @property
    def paths(self) -> list[Path]:
        """All files that may be jobs, open or not."""
        return sorted(self._files)

    async def settled(self) -> None:
        """Return when everything that was asked for is checked."""
        await self._settled.wait()

    async def rescan(self) -> None:
        """Look which files there are; check what is new or differs from what was read."""
        try:
            self._files = await self._source.list_files()
        except Exception:
            log.exception("the files of the workspace cannot be listed")
        for path in self._known.keys() - self._files.keys():
            self._waiting.pop(path, None)
            del self._known[path]
            self._listener.vanished(path)
        self._enqueue(
            path
            for path, stamp in self._files.items()
            if (state := self._known.get(path)) is None or state.stamp != stamp
        )
        self._wake.set()

    def recheck(self, paths: Iterable[Path] | None = None) -> None:
        """Check files again, with old or new stamps; ``None``: all files."""
        if paths is None:
            self._was_cancelled = False
        self._enqueue(self._files if paths is None else paths)

    def opened(self, path: Path) -> None:
        """The file's text is the client's now."""
        self._open.add(path)
        self._waiting.pop(path, None)
        self._known.pop(path, None)

    def closed(self, path: Path) -> None:
        self._open.discard(path)
        self._enqueue([path])

    async def run(self) -> None:
        """Check what waits, for ever."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            if self._waiting:
                await self._round()
            if not self._waiting:
                self._settled.set()
                self.has_settled = True
                self._listener.settled()

    def _enqueue(self, paths: Iterable[Path]) -> None:
        self._waiting.update(dict.fromkeys(path for path in paths if path in self._files and path not in self._open))
        if self._waiting:
            self._settled.clear()
            self._wake.set()

    async def _round(self) -> None:
        count, total = 0, len(self._waiting)
        progress = await self._listener.begin_progress(total) if total >= WORTH_A_BAR else None
        try:
            while self._waiting:
                if progress is not None and progress.cancelled:
                    log.info("the check of the workspace was cancelled; %s files were left", len(self._waiting))
                    self._waiting.clear()
                    self._was_cancelled = True
                    return
                await self._source.resting()
                if not self._waiting:
                    return
                path = next(iter(self._waiting))
                del self._waiting[path]
                await self._check(path)
                count += 1
                if progress is not None:
                    progress.report(count, count + len(self._waiting))
        finally:
            if progress is not None:
                progress.end()

    async def _check(self, path: Path) -> None:
        stamp = self._files.get(path)
        if stamp is None:
            return
        try:
            analysis, declared = await self._source.survey(path)
        except Exception:
            log.exception("the check of %s failed", path)
            # The former overview does not hold for the file as it is now; every report shows the missing one.
            if path not in self._open:
                self._known[path] = ClosedFileCheck(stamp, JobOverview.unknown(uri_of(path), path.name))
            return
        if path in self._files and path not in self._open:
            self._known[path] = ClosedFileCheck(stamp, JobOverview.of(analysis), declared)
            self._listener.surveyed(path, analysis)
