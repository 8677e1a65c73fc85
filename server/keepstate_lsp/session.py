"""All mutable state of the server: open documents, settings, and the last analysis of each document.

Lives on the event loop. What takes time runs in the worker and comes back as a value.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar

from keepstate.report import Fix, StateNote
from keepstate.text import Position
from keepstate_lsp.analysis import Analysis
from keepstate_lsp.checks import Checks
from keepstate_lsp.client import ClientProfile
from keepstate_lsp.documents import Change, Document, Documents
from keepstate_lsp.hover import HoverText, hover_at
from keepstate_lsp.schedule import Scheduler, Worker
from keepstate_lsp.settings import Settings

T = TypeVar("T")

log = logging.getLogger(__name__)

POLL_SECONDS = 2.0


class Listener(Protocol):
    """Who hears what happens in a session."""

    def analysed(self, analysis: Analysis) -> None:
        """A document has a new analysis."""

    def closed(self, uri: str) -> None:
        """A document was closed."""

    def moved(self) -> None:
        """Analyses changed although the client changed nothing; all of them were delivered already."""


@dataclass
class _Kept:
    """The last analysis of a document, and what was asked about it since."""

    analysis: Analysis
    fixes: dict[int | None, tuple[Fix, ...]] = field(default_factory=dict)
    """By index of the finding; ``None``: of the file."""
    notes: tuple[StateNote, ...] | None = None


class Session:
    def __init__(self, profile: ClientProfile, checks: Checks, worker: Worker, listener: Listener) -> None:
        self.profile = profile
        self.documents = Documents(profile.encoding)
        self.folders: tuple[Path, ...] = ()
        self.last_touched: str | None = None
        """The document that the client spoke of last: what a command without argument means."""
        self._checks = checks
        self._worker = worker
        self._listener = listener
        self._settings: Mapping[Path | None, Settings] = {None: Settings()}
        self._kept: dict[str, _Kept] = {}
        self._scheduler: Scheduler[Analysis] = Scheduler(worker, self._prepare, self._deliver)
        self._started = asyncio.Event()

    # -------------------------------------------------------------------------------------------- documents

    def open(self, uri: str, language_id: str, version: int, text: str) -> None:
        self.documents.open(uri, language_id, version, text)
        self._forget(uri)
        self._request(uri, at_once=True)

    def change(self, uri: str, version: int, changes: Sequence[Change]) -> None:
        if self.documents.get(uri) is None:
            log.warning("change of a document that is not open: %s", uri)
            return
        self.documents.change(uri, version, changes)
        self._request(uri)

    def close(self, uri: str) -> None:
        self.documents.close(uri)
        self._scheduler.drop(uri)
        self._kept.pop(uri, None)
        self._forget(uri)
        if self.last_touched == uri:
            self.last_touched = None
        self._listener.closed(uri)

    # -------------------------------------------------------------------------------------------- settings

    def settings(self, document: Document | None = None) -> Settings:
        folder = self._folder(document) if document is not None else None
        return self._settings.get(folder) or self._settings[None]

    def set_settings(self, default: Settings, of_folders: Mapping[Path, Settings]) -> bool:
        """Take over settings; whether they differ from those before."""
        settings: dict[Path | None, Settings] = {None: default}
        settings.update(of_folders.items())
        changed = settings != self._settings
        self._settings = settings
        return changed

    # -------------------------------------------------------------------------------------------- life

    def start(self) -> None:
        """Begin to check. Documents opened before wait for this, so that the first findings obey the settings."""
        self._started.set()
        for document in self.documents:
            self._request(document.uri, at_once=True)

    async def recheck(self, uris: Iterable[str] | None = None) -> None:
        """Read baselines again and check again: all open documents, or some. Returns when that is done."""
        chosen = [document.uri for document in self.documents] if uris is None else list(uris)
        for uri in chosen:
            self._forget(uri)
            if self.documents.get(uri) is not None and self._started.is_set():
                self._scheduler.request(uri, at_once=True)
        await asyncio.gather(*(self._scheduler.settled(uri) for uri in chosen))
        self._listener.moved()

    async def look(self) -> None:
        """Check again what is compared with a baseline that moved."""
        moved = await self._worker.result(self._checks.moved)
        if moved:
            log.info("the baseline moved under %s", ", ".join(moved))
            await self.recheck(moved)

    async def watch(self, every: float = POLL_SECONDS) -> None:
        """Look again and again. Editors leave ``.git`` out of what they watch, or watch nothing."""
        told = ""
        while True:
            await asyncio.sleep(every)
            try:
                await self.look()
            except Exception as error:
                # What fails now will fail again in two seconds; once in the log is enough.
                if repr(error) != told:
                    log.exception("could not look at the repositories")
                told = repr(error)

    def stop(self) -> None:
        self._scheduler.close()

    # -------------------------------------------------------------------------------------------- answers

    async def analysis(self, uri: str) -> Analysis | None:
        """The analysis of the newest version, as soon as it is there; ``None``: no such document, or no analysis."""
        self.last_touched = uri
        await self._started.wait()
        while True:
            await self._scheduler.settled(uri)
            document, kept = self.documents.get(uri), self._kept.get(uri)
            if document is None or kept is None:
                return None
            if kept.analysis.document is document:
                return kept.analysis
            if self._scheduler.is_settled(uri):
                # The analysis of this version was lost to an error, which is in the log.
                return None

    async def hover(self, uri: str, position: Position) -> HoverText | None:
        analysis = await self.analysis(uri)
        if analysis is None or not analysis.is_flink:
            return None
        offset = analysis.document.lines.offset(position, self.profile.encoding)
        return hover_at(offset, analysis, await self._notes(analysis))

    async def fixes(self, analysis: Analysis, index: int | None) -> tuple[Fix, ...]:
        """Verified fixes of a finding of the report (``None``: of the whole file), computed once per analysis."""
        kept = self._kept.get(analysis.document.uri)
        if kept is None or kept.analysis is not analysis:
            return ()
        if index not in kept.fixes:
            kept.fixes[index] = await self._answer(
                lambda checks: checks.file_fixes(analysis) if index is None else checks.fixes(analysis, index), ()
            )
        return kept.fixes[index]

    async def ask(self, question: Callable[[Checks], T]) -> T:
        """An answer from the worker's side."""
        return await self._worker.result(partial(question, self._checks))

    # -------------------------------------------------------------------------------------------- within

    async def _notes(self, analysis: Analysis) -> tuple[StateNote, ...]:
        kept = self._kept.get(analysis.document.uri)
        if kept is None or kept.analysis is not analysis:
            return ()
        if kept.notes is None:
            nothing: tuple[StateNote, ...] = ()
            kept.notes = await self._answer(lambda checks: checks.state_notes(analysis), nothing)
        return kept.notes

    async def _answer(self, question: Callable[[Checks], T], default: T) -> T:
        """An answer that is an extra: when it fails, the log says so and the rest of the reply stands."""
        try:
            return await self.ask(question)
        except Exception:
            log.exception("an answer could not be given")
            return default

    def _request(self, uri: str, *, at_once: bool = False) -> None:
        self.last_touched = uri
        if self._started.is_set():
            self._scheduler.request(uri, at_once=at_once)

    def _prepare(self, uri: str) -> Callable[[], Analysis] | None:
        document = self.documents.get(uri)
        if document is None:
            return None
        kept = self._kept.get(uri)
        previous = kept.analysis if kept is not None else None
        return partial(self._checks.analyse, document, self.settings(document), self._folder(document), previous)

    def _deliver(self, uri: str, analysis: Analysis) -> None:
        self._kept[uri] = _Kept(analysis)
        log.info("%s, version %s: %s", analysis.document.name, analysis.document.version, analysis.summary())
        self._listener.analysed(analysis)

    def _forget(self, uri: str) -> None:
        self._worker.call(partial(self._checks.forget, uri))

    def _folder(self, document: Document) -> Path | None:
        if document.path is None:
            return None
        path = Path(document.path)
        around = [folder for folder in self.folders if folder in path.parents]
        return max(around, key=lambda folder: len(folder.parts), default=None)
