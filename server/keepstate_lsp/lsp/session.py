"""All mutable state of the server: open documents, settings, and the last analysis of each document.

Lives on the event loop. What takes time runs in the worker and comes back as a value.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar

from keepstate.report import Finding, Fix, StateHover, StateOutcome
from keepstate.text import Position, Span
from keepstate_lsp.analysis.document_analysis import Analysis
from keepstate_lsp.analysis.documents import Change, Document, Documents, path_of
from keepstate_lsp.analysis.overview import JobOverview
from keepstate_lsp.analysis.replays.results import ReplayResults
from keepstate_lsp.analysis.schedule import Scheduler, Worker
from keepstate_lsp.analysis.service import AnalysisService
from keepstate_lsp.analysis.workspace import WorkspaceListener, WorkspaceSource, WorkspaceView
from keepstate_lsp.config.client_settings import Settings
from keepstate_lsp.features.hover import HoverText, hover_at
from keepstate_lsp.features.inlays import Inlay, inlays
from keepstate_lsp.jobs.listing import FileStamp
from keepstate_lsp.lsp.base_protocol.capabilities import ClientProfile

T = TypeVar("T")

log = logging.getLogger(__name__)

POLL_SECONDS = 2.0


class Listener(Protocol):
    """The listener to the events of a session."""

    def analysed(self, analysis: Analysis) -> None:
        """A document has a new analysis."""

    def closed(self, uri: str) -> None:
        """A document was closed."""

    def moved(self) -> None:
        """Analyses changed although the client changed nothing; all of them were delivered already."""


@dataclass
class _Kept:
    """The last analysis of a document, with memoized answers about it."""

    analysis: Analysis
    fixes: dict[int | None, tuple[Fix, ...]] = field(default_factory=dict)
    """By index of the finding; ``None``: of the file."""
    notes: tuple[StateHover, ...] | None = None


class Session:
    def __init__(self, profile: ClientProfile, service: AnalysisService, worker: Worker, listener: Listener) -> None:
        self.profile = profile
        self.documents = Documents(profile.encoding)
        self.folders: tuple[Path, ...] = ()
        self.last_touched: str | None = None
        """The document that the client spoke of last: what a command without argument means."""
        self._service = service
        self._worker = worker
        self._listener = listener
        self._settings: Mapping[Path | None, Settings] = {None: Settings()}
        self._chosen_baseline: str | None = None
        self._kept: dict[str, _Kept] = {}
        self._scheduler: Scheduler[Analysis] = Scheduler(worker, self._prepare, self._deliver)
        self._started = asyncio.Event()
        self._arrivals: set[asyncio.Task[None]] = set()
        self.replays = ReplayResults()
        """Results of replays; closed documents may be opened again."""
        self.workspace: WorkspaceView | None = None
        """The files that are not open; ``None`` where the user wants only open ones to be checked."""

    # -------------------------------------------------------------------------------------------- documents

    def open(self, uri: str, language_id: str, version: int, text: str) -> None:
        document = self.documents.open(uri, language_id, version, text)
        self._forget(uri)
        if self.workspace is not None and document.path is not None:
            self.workspace.opened(Path(document.path))
        self._request(uri, at_once=True)

    def change(self, uri: str, version: int, changes: Sequence[Change]) -> None:
        if self.documents.get(uri) is None:
            log.warning("change of a document that is not open: %s", uri)
            return
        self.documents.change(uri, version, changes)
        self._request(uri)

    def close(self, uri: str) -> None:
        path = path_of(uri)
        self.documents.close(uri)
        self._scheduler.drop(uri)
        self._kept.pop(uri, None)
        self._forget(uri)
        if self.last_touched == uri:
            self.last_touched = None
        self._listener.closed(uri)
        if self.workspace is not None and path is not None:
            self.workspace.closed(Path(path))

    # -------------------------------------------------------------------------------------------- settings

    def settings(self, document: Document | None = None) -> Settings:
        return self._settings_in(self._folder(document) if document is not None else None)

    def set_settings(self, default: Settings, of_folders: Mapping[Path, Settings]) -> bool:
        """Take over settings; whether they differ from those before."""
        settings: dict[Path | None, Settings] = {None: default}
        settings.update(of_folders.items())
        changed = settings != self._settings
        self._settings = settings
        return changed

    async def choose_baseline(self, spec: str | None) -> None:
        """Compare everything with ``spec`` until the session ends; ``None``: with the configured baseline."""
        self._chosen_baseline = spec
        if self.workspace is not None:
            self.workspace.recheck()
        await self.recheck()

    # -------------------------------------------------------------------------------------------- life

    def start(self) -> None:
        """Begin to check. Documents opened before wait for this, so that the first findings obey the settings."""
        loop = asyncio.get_running_loop()

        def arrived(uri: str) -> None:
            # The loop is closed when the server stops meanwhile.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(self._arrived, uri)

        self._service.contexts.arrived = arrived
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
        moved = await asyncio.wrap_future(self._service.contexts.moved())
        if moved:
            log.info("the baseline moved under %s documents", len(moved))
            if self.workspace is not None:
                closed = [path for uri in moved if self.documents.get(uri) is None and (path := path_of(uri))]
                for uri in moved:
                    self._forget(uri)
                self.workspace.recheck(Path(path) for path in closed)
            await self.recheck([uri for uri in moved if self.documents.get(uri) is not None])

    async def watch(self, every: float = POLL_SECONDS) -> None:
        """Look again and again. Editors leave ``.git`` out of what they watch, or watch nothing."""
        logged = ""
        while True:
            await asyncio.sleep(every)
            try:
                await self.look()
            except Exception as error:
                # A failure is repeated every two seconds; once in the log is enough.
                if repr(error) != logged:
                    log.exception("could not look at the repositories")
                logged = repr(error)

    def stop(self) -> None:
        self._scheduler.close()
        for task in self._arrivals:
            task.cancel()

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

    async def hover(
        self, analysis: Analysis, position: Position, comparison: Callable[[Analysis], Awaitable[str | None]]
    ) -> HoverText | None:
        """The text of a hover; ``comparison`` makes the address of the comparison that a finding links to."""
        if not analysis.is_flink:
            return None
        offset = analysis.document.lines.offset(position, self.profile.encoding)
        fates: dict[int, StateOutcome] = {}
        evidence: dict[int, str] = {}
        for placed in analysis.findings_in(Span(offset, offset)):
            index = placed.index
            if index is not None and (fate := await self._fate(analysis, index)) is not None:
                fates[index] = fate
            if index is not None:
                evidence[index] = await self._evidence(analysis, placed.finding)
        link = await comparison(analysis) if fates or analysis.findings_in(Span(offset, offset)) else None
        replayed = self.replays.lines(analysis)
        return hover_at(offset, analysis, await self._notes(analysis), fates, link, evidence, replayed)

    async def inlays(self, analysis: Analysis, span: Span) -> list[Inlay]:
        """The inlay hints of a stretch of a document; none where the user does not want any."""
        if not analysis.is_flink or not analysis.settings.inlay_hints:
            return []
        return inlays(analysis, await self._notes(analysis), span)

    async def fixes(self, analysis: Analysis, index: int | None) -> tuple[Fix, ...]:
        """Verified fixes of a finding of the report (``None``: of the whole file), computed once per analysis."""
        kept = self._kept.get(analysis.document.uri)
        if kept is None or kept.analysis is not analysis:
            return ()
        if index not in kept.fixes:
            kept.fixes[index] = await self._answer(
                lambda service: service.file_fixes(analysis) if index is None else service.fixes(analysis, index), ()
            )
        return kept.fixes[index]

    def watch_workspace(self, listener: WorkspaceListener) -> WorkspaceView:
        """Begin to check files that are not open; ``run`` of the view has to be awaited somewhere."""

        async def survey(path: Path) -> Analysis:
            settings, folder = self.settings_for(path)
            analysis = await self.ask(lambda service: service.survey(path, settings, folder))
            while analysis.is_waiting and (late := self._service.contexts.reading(analysis.document.uri)):
                # A file that is not open is in no hurry for its first result.
                await asyncio.wait([asyncio.wrap_future(late)])
                analysis = await self.ask(lambda service: service.survey(path, settings, folder, anew=False))
            return analysis

        source = WorkspaceSource(
            # Not in the worker, in which keystrokes wait.
            lambda: asyncio.wrap_future(self._service.contexts.beside(self._list_files)),
            survey,
            self._scheduler.resting,
        )
        self.workspace = WorkspaceView(source, listener)
        for document in self.documents:
            if document.path is not None:
                self.workspace.opened(Path(document.path))
        return self.workspace

    async def overviews(self) -> list[JobOverview]:
        """The overviews of all job files, open or not, by URI, as soon as all files are checked."""
        await self.settled()
        known = {overview.uri: overview for overview in (self.workspace.overviews if self.workspace else ())}
        for kept in self._kept.values():
            overview = JobOverview.of(kept.analysis)
            if overview is not None:
                known[overview.uri] = overview
        return [overview for _, overview in sorted(known.items())]

    async def settled(self) -> bool:
        """Return when everything is checked that shall be; whether these are all jobs of the workspace."""
        await self._started.wait()
        if self.workspace is not None:
            await self.workspace.settled()
        await asyncio.gather(*(self._scheduler.settled(document.uri) for document in self.documents))
        return self.workspace is not None and self.workspace.is_complete

    async def resting(self) -> None:
        """Return when no open document waits to be checked."""
        await self._scheduler.resting()

    def settings_for(self, path: Path) -> tuple[Settings, Path | None]:
        """The settings of a file, open or not, and its workspace folder."""
        folder = self._folder_of(path)
        return self._settings_in(folder), folder

    async def ask_beside(self, path: Path, question: Callable[[AnalysisService], T]) -> T:
        """An answer that needs git for the repository of a file or folder, and so may take long."""
        _, folder = self.settings_for(path)
        place = folder or (path if path in self.folders else path.parent)
        return await asyncio.wrap_future(self._service.contexts.ask(place, partial(question, self._service)))

    async def ask(self, question: Callable[[AnalysisService], T]) -> T:
        """An answer from the worker's side."""
        return await self._worker.result(partial(question, self._service))

    # -------------------------------------------------------------------------------------------- within

    def _list_files(self) -> dict[Path, FileStamp]:
        return self._service.listed(self.folders)

    def _arrived(self, uri: str) -> None:
        """Analyse a document whose context came late, after an analysis without it."""
        if self.documents.get(uri) is not None:
            self._scheduler.request(uri, at_once=True)
            task = asyncio.ensure_future(self._tell_arrival(uri))
            self._arrivals.add(task)
            task.add_done_callback(self._arrivals.discard)

    async def _tell_arrival(self, uri: str) -> None:
        await self._scheduler.settled(uri)
        self._listener.moved()

    async def _fate(self, analysis: Analysis, index: int) -> StateOutcome | None:
        return await self._answer(lambda service: service.state_outcome(analysis, index), None)

    async def _evidence(self, analysis: Analysis, finding: Finding) -> str:
        return await self._answer(lambda service: service.evidence(analysis, finding), "")

    async def _notes(self, analysis: Analysis) -> tuple[StateHover, ...]:
        kept = self._kept.get(analysis.document.uri)
        if kept is None or kept.analysis is not analysis:
            return ()
        if kept.notes is None:
            nothing: tuple[StateHover, ...] = ()
            kept.notes = await self._answer(lambda service: service.state_hovers(analysis), nothing)
        return kept.notes

    async def _answer(self, question: Callable[[AnalysisService], T], default: T) -> T:
        """An answer that is an extra: a failure is logged, and the rest of the reply stands."""
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
        return partial(self._service.analyse, document, self.settings(document), self._folder(document), previous)

    def _deliver(self, uri: str, analysis: Analysis) -> None:
        self._kept[uri] = _Kept(analysis)
        log.info("%s, version %s: %s", analysis.document.name, analysis.document.version, analysis.summary())
        self._listener.analysed(analysis)

    def _forget(self, uri: str) -> None:
        self._worker.call(partial(self._service.forget, uri))

    def _settings_in(self, folder: Path | None) -> Settings:
        settings = self._settings.get(folder) or self._settings[None]
        return settings if self._chosen_baseline is None else replace(settings, baseline=self._chosen_baseline)

    def _folder(self, document: Document) -> Path | None:
        return None if document.path is None else self._folder_of(Path(document.path))

    def _folder_of(self, path: Path) -> Path | None:
        around = [folder for folder in self.folders if folder in path.parents]
        return max(around, key=lambda folder: len(folder.parts), default=None)
