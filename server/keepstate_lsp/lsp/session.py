"""All mutable state of the server: open documents, settings, and the last analysis of each document.

Lives on the event loop. What takes time runs in the worker and comes back as a value.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from keepstate_lsp.analysis.declared_names import DeclaredName, declared_names
from keepstate_lsp.analysis.document_analysis import Analysis
from keepstate_lsp.analysis.documents import ContentChange, Document, Documents, path_of
from keepstate_lsp.analysis.drafts import Drafts, DraftVersion
from keepstate_lsp.analysis.overview import JobOverview
from keepstate_lsp.analysis.replays.replay_results import ReplayResults
from keepstate_lsp.analysis.runs.lines import AllRunLines
from keepstate_lsp.analysis.schedule import Scheduler, Worker
from keepstate_lsp.analysis.service import AnalysisService
from keepstate_lsp.analysis.several_files.other_file_findings import OtherFileFindings
from keepstate_lsp.analysis.several_files.reach import EditReach
from keepstate_lsp.analysis.typing_hold import PAUSE
from keepstate_lsp.analysis.verifications.verify_results import Verifications
from keepstate_lsp.analysis.workspace_checks import WorkspaceListener, WorkspaceSource, WorkspaceView
from keepstate_lsp.baselines.git.failures import GitFailure
from keepstate_lsp.config.client_settings import Settings
from keepstate_lsp.features.answers import Answers
from keepstate_lsp.features.token_data import SentTokens
from keepstate_lsp.jobs.listing import FileStamp
from keepstate_lsp.lsp.base_protocol.capabilities import ClientProfile

if TYPE_CHECKING:
    from keepstate import Draft, ScriptNames

T = TypeVar("T")

log = logging.getLogger(__name__)

POLL_SECONDS = 2.0


class Listener(Protocol):
    """The listener to the events of a session."""

    def analysed(self, analysis: Analysis) -> None:
        """A document has a new analysis."""

    def closed(self, uri: str) -> None:
        """A document was closed."""

    def refresh(self) -> None:
        """Analyses changed although the client changed nothing; all of them were delivered already."""


class ServerSession:
    def __init__(
        self,
        profile: ClientProfile,
        service: AnalysisService,
        worker: Worker,
        drafts: tuple[Drafts, Worker],
        listener: Listener,
    ) -> None:
        """``drafts`` are the memories of texts that are being written, and the thread of these."""
        self.profile = profile
        self.documents = Documents(profile.encoding)
        self.folders: tuple[Path, ...] = ()
        self.last_touched: str | None = None
        """The document that the client spoke of last: what a command without argument means."""
        self._service = service
        self._worker = worker
        self._drafts, self._draft_worker = drafts
        self._listener = listener
        self._settings: Mapping[Path | None, Settings] = {None: Settings()}
        self._chosen_baseline: str | None = None
        self._kept: dict[str, Analysis] = {}
        """The last analysis of each document."""
        self._scheduler: Scheduler[Analysis] = Scheduler(worker, self._prepare, self._deliver)
        self._started = asyncio.Event()
        self._arrivals: set[asyncio.Task[None]] = set()
        self.elsewhere = OtherFileFindings()
        """Findings at clauses of other files than that of their job."""
        self.sent_tokens = SentTokens()
        self.replays = ReplayResults()
        """Results of replays; closed documents may be opened again."""
        self.verifications = Verifications()
        self.run_lines = AllRunLines(self.replays, self.verifications)
        self.answers = Answers(self.ask, self._survey, self.run_lines, profile.encoding)
        self.reach = EditReach(self._check_open, self._check_closed, lambda uri: self.documents.get(uri) is not None)
        self.workspace: WorkspaceView | None = None
        """The files that are not open; ``None`` where the user wants only open ones to be checked."""

    # -------------------------------------------------------------------------------------------- documents

    def open(self, uri: str, language_id: str, version: int, text: str) -> None:
        document = self.documents.open(uri, language_id, version, text)
        self._forget(uri)
        if self.workspace is not None and document.path is not None:
            self.workspace.opened(Path(document.path))
        self._request(uri, at_once=True)

    def change(self, uri: str, version: int, changes: Sequence[ContentChange]) -> None:
        if self.documents.get(uri) is None:
            log.warning("change of a document that is not open: %s", uri)
            return
        self.documents.change(uri, version, changes)
        self._request(uri)

    def close(self, uri: str) -> None:
        path = path_of(uri)
        self.documents.close(uri)
        self._scheduler.drop(uri)
        analysis = self._kept.pop(uri, None)
        self._forget(uri)
        self.answers.forget(uri)
        if analysis is not None and analysis.place is not None:
            # On disk the file may say something else than the document did.
            self._soon(self.files_changed(self.reach.closed(analysis)))
        self._draft_worker.call(partial(self._drafts.forget, uri))
        self.sent_tokens.forget(uri)
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
        is_new = settings != self._settings
        self._settings = settings
        return is_new

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
        uri_list = [document.uri for document in self.documents] if uris is None else list(uris)
        for uri in uri_list:
            self._forget(uri)
            self.documents.pause(uri)
            if self.documents.get(uri) is not None and self._started.is_set():
                self._scheduler.request(uri, at_once=True)
        await asyncio.gather(*(self._scheduler.settled(uri) for uri in uri_list))
        self._listener.refresh()

    async def look(self) -> None:
        """Check again what is compared with a baseline that moved."""
        uris = await asyncio.wrap_future(self._service.contexts.stale_documents())
        if uris:
            log.info("the baseline moved under %s documents", len(uris))
            if self.workspace is not None:
                closed = [path for uri in uris if self.documents.get(uri) is None and (path := path_of(uri))]
                for uri in uris:
                    self._forget(uri)
                self.workspace.recheck(Path(path) for path in closed)
            await self.recheck([uri for uri in uris if self.documents.get(uri) is not None])

    async def files_changed(self, more: Sequence[str] = ()) -> None:
        """Read again what changed on disk, and check the files that read it, and ``more``."""
        try:
            moves = await asyncio.wrap_future(self._service.contexts.files_moved())
        except GitFailure as failure:
            log.warning("the files of the repository cannot be listed: %s", failure.message)
            moves = []
        self.reach.check_moves(moves, more)

    async def watch(self, every: float = POLL_SECONDS) -> None:
        """Look again and again. Editors leave ``.git`` out of what they watch, or watch nothing."""
        logged = ""
        while True:
            await asyncio.sleep(every)
            try:
                await self.look()
                paths = self.reach.dependents.paths_of(document.uri for document in self.documents)
                # The thread that would look is not woken for nothing.
                differ = await asyncio.wrap_future(self._service.contexts.files_differ(paths)) if paths else False
                if differ:
                    await self.files_changed()
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
            document, analysis = self.documents.get(uri), self._kept.get(uri)
            if document is None or analysis is None:
                return None
            if analysis.document is document:
                return analysis
            if self._scheduler.is_settled(uri):
                # The analysis of this version was lost to an error, which is in the log.
                return None

    async def writing(self, uri: str) -> DraftVersion | None:
        """The text of a document as it is at this moment, if it is Flink SQL. Waits for no analysis but the first."""
        document = self.documents.get(uri)
        self.last_touched = uri
        if document is None or document.is_toml or not document.has_known_scheme:
            return None
        await self._started.wait()
        analysis = self._kept.get(uri)
        if analysis is None:
            await self._scheduler.settled(uri)
            analysis = self._kept.get(uri)
        if analysis is None or not (analysis.is_flink or document.is_declared_flink):
            return None
        effective, part = analysis.effective, analysis.part
        before = "" if part is None else part.current.text[: part.to_job(0)]
        return DraftVersion(document, effective.engine, effective.config.engine_version, before)

    async def ask_draft(self, writing: DraftVersion, question: Callable[[Draft], T], default: T) -> T:
        """An answer about the text alone. A failure is logged, and gives ``default``."""
        try:
            return await self._draft_worker.result(partial(self._drafts.answer, writing.document, question, default))
        except Exception:
            log.exception("no help with %s, version %s", writing.document.uri, writing.document.version)
            return default

    def last_known(self, uri: str) -> Analysis | None:
        """The last analysis of an open document, if there is one."""
        return self._kept.get(uri)

    async def last_analysis(self, document: Document) -> Analysis | None:
        """The last analysis of a document, be it of another version; the first one is waited for."""
        analysis = self._kept.get(document.uri)
        return analysis if analysis is not None else await self.analysis(document.uri)

    def watch_workspace(self, listener: WorkspaceListener) -> WorkspaceView:
        """Begin to check files that are not open; ``run`` of the view has to be awaited somewhere."""

        async def survey(path: Path) -> tuple[Analysis, tuple[DeclaredName, ...]]:
            analysis = await self._survey(path)
            self.reach.dependents.analysed(analysis)
            return analysis, await self._declared_in(analysis)

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
        return self.known_overviews()

    @property
    def knows_readers(self) -> bool:
        """Return whether all files were checked that may read what others declare."""
        return self.workspace is not None and self.workspace.has_settled

    def known_overviews(self) -> list[JobOverview]:
        """The overviews of all job files as they are known now."""
        overviews = {overview.uri: overview for overview in (self.workspace.overviews if self.workspace else ())}
        for analysis in self._kept.values():
            overview = JobOverview.of(analysis)
            if overview is not None:
                overviews[overview.uri] = overview
        return [overview for _, overview in sorted(overviews.items()) if overview.is_shown]

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

    async def _survey(self, path: Path) -> Analysis:
        """The analysis of a file that is not open."""
        (settings, folder), opened = self.settings_for(path), tuple(self.documents)
        analysis = await self.ask(lambda service: service.survey(path, settings, folder, opened))
        while analysis.is_waiting and (late := self._service.contexts.reading(analysis.document.uri)):
            # A file that is not open is in no hurry for its first result.
            await asyncio.wait([asyncio.wrap_future(late)])
            analysis = await self.ask(lambda service: service.survey(path, settings, folder, opened, anew=False))
        return analysis

    def _list_files(self) -> dict[Path, FileStamp]:
        return self._service.job_files(self.folders)

    def _arrived(self, uri: str) -> None:
        """Analyse a document whose context came late, after an analysis without it."""
        if self.documents.get(uri) is not None:
            self._scheduler.request(uri, at_once=True)
            self._soon(self._tell_arrivals([uri]))

    def _soon(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something beside all else; it is cancelled at the end."""
        task = asyncio.ensure_future(work)
        self._arrivals.add(task)
        task.add_done_callback(self._arrivals.discard)

    def _check_open(self, uris: Sequence[str]) -> None:
        """Check open documents again that read what has changed."""
        for uri in uris:
            self._scheduler.request(uri)
        self._soon(self._tell_arrivals(uris))

    def _check_closed(self, paths: Sequence[Path]) -> None:
        if self.workspace is not None:
            self.workspace.recheck(paths)

    def _paused(self, uri: str, document: Document) -> None:
        """Show what waited for a pause in typing, if the document is still the one of the last keystroke."""
        if self.documents.get(uri) is document and self.documents.pause(uri):
            self._arrived(uri)

    async def _tell_arrivals(self, uris: Sequence[str]) -> None:
        await asyncio.gather(*(self._scheduler.settled(uri) for uri in uris))
        self._listener.refresh()

    async def _declared_in(self, analysis: Analysis) -> tuple[DeclaredName, ...]:
        """The tables, views and functions of a file that is not open."""
        if not analysis.is_flink:
            return ()
        document = analysis.document
        try:
            names = await self.ask(lambda service: service.names(document, analysis.workspace))
        except Exception:
            # An extra: what was found in the file stands without it.
            log.exception("the names of %s cannot be found", document.name)
            return ()
        return declared_names(names, document.lines, self.profile.encoding)

    def _request(self, uri: str, *, at_once: bool = False) -> None:
        self.last_touched = uri
        if self._started.is_set():
            self._scheduler.request(uri, at_once=at_once)

    def _prepare(self, uri: str) -> Callable[[], Analysis] | None:
        document = self.documents.get(uri)
        if document is None:
            return None
        analysis = self._kept.get(uri)
        previous = analysis
        opened = tuple(self.documents)
        return partial(
            self._service.analyse, document, self.settings(document), self._folder(document), previous, opened
        )

    def _deliver(self, uri: str, analysis: Analysis) -> None:
        if uri not in self._kept and analysis.is_flink:
            # The first request about a name then costs as little as all others. No keystroke waits for it.
            names = self._worker.call_at_rest(partial(self._service.names, analysis.document, analysis.workspace))
            names.add_done_callback(_log_failure)
        document, former = analysis.document, self._kept.get(uri)
        self._kept[uri] = analysis
        self.answers.renew(analysis)
        if self.reach.analysed(analysis, former) or analysis.is_held:
            asyncio.get_running_loop().call_later(PAUSE, lambda: self._paused(uri, document))
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


def _log_failure(future: Future[ScriptNames]) -> None:
    if not future.cancelled() and (error := future.exception()) is not None:
        log.error("the names of a document cannot be found", exc_info=error)
