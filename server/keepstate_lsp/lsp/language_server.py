"""The language server: its parts put together, what it declares, and how a session begins and ends.

Nothing that an answer to ``initialize`` does not need is imported here: neither sqlglot nor git. The worker thread
loads them afterwards.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import sys
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, cast

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInternalError
from pygls.io_ import StdoutWriter
from pygls.lsp.server import LanguageServer

from keepstate_lsp.analysis.document_analysis import Analysis
from keepstate_lsp.analysis.documents import path_of, uri_of
from keepstate_lsp.analysis.drafts import Drafts
from keepstate_lsp.analysis.runs.running_commands import RunningCommands
from keepstate_lsp.analysis.schedule import Worker
from keepstate_lsp.analysis.service import AnalysisService
from keepstate_lsp.analysis.unused_acceptances import (
    AcceptanceFileReader,
    ReviewSource,
    UnusedAcceptances,
    Use,
    against,
)
from keepstate_lsp.analysis.virtual_documents import SCHEME, VirtualDocuments
from keepstate_lsp.analyzer import Analyzer
from keepstate_lsp.baselines import BaselineReader
from keepstate_lsp.baselines.git.conversation import end_all
from keepstate_lsp.baselines.git.patience import Patience
from keepstate_lsp.baselines.git.starts import load_gitpython, start_plainly
from keepstate_lsp.config.client_settings import SECTION, Settings, read_settings
from keepstate_lsp.lsp import convert
from keepstate_lsp.lsp.base_protocol.capabilities import ClientProfile
from keepstate_lsp.lsp.base_protocol.client_log import ClientLog
from keepstate_lsp.lsp.base_protocol.connection import Connection, end_within, is_seen, watch_process
from keepstate_lsp.lsp.base_protocol.framing import MessageStream
from keepstate_lsp.lsp.base_protocol.protocol import KeepstateProtocol
from keepstate_lsp.lsp.channel import Channel, PullChannel, PushChannel
from keepstate_lsp.lsp.client_progress import ProgressBar
from keepstate_lsp.lsp.file_diagnostics import FileDiagnostics
from keepstate_lsp.lsp.session import POLL_SECONDS, ServerSession
from keepstate_lsp.runtime.cache_folder import cache_folder
from keepstate_lsp.version import VERSION

log = logging.getLogger(__name__)

CONFIGURATION_SECONDS = 3.0
"""Seconds that the first check waits for the settings of a client that promised to answer."""
_LEAVING_SECONDS = 1.2
"""Seconds that the end may take after the client's exit."""
_RUN_SECONDS = 15.0
"""Seconds that the end may take while a command runs beside the server, whose JVM is ended first."""
_GIT_FILES = (
    "**/.git/HEAD",
    "**/.git/packed-refs",
    "**/.git/refs/**",
    "**/.git/FETCH_HEAD",
    "**/{keepstate,pyproject}.toml",
)
_JOB_FILES = "**/*.{sql,fql,yaml,yml,tf,hcl}"


class KeepstateServer(LanguageServer):
    """One client, one session."""

    protocol: KeepstateProtocol
    session: ServerSession
    channel: Channel

    def __init__(self, analyzer: Analyzer, cache: Path | None = None, poll_seconds: float = POLL_SECONDS) -> None:
        super().__init__("keepstate", VERSION, types.TextDocumentSyncKind.Incremental, protocol_cls=KeepstateProtocol)
        self._analyzer = analyzer
        self._cache = cache if cache is not None else cache_folder()
        self._poll_seconds = poll_seconds
        self._worker = Worker()
        self._draft_worker = Worker("keepstate-drafts", collects=False)
        self._service: AnalysisService | None = None
        self._journal = ClientLog(self._log_to_client)
        self._said: set[str] = set()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._workspace_task: asyncio.Task[None] | None = None
        self._connection: Connection | None = None
        self.runs = RunningCommands()
        self._folder_uris: tuple[str, ...] = ()
        self._initial: Any = None
        """The settings that came with ``initialize``: for clients that have no others."""

    # ------------------------------------------------------------------------------------------ begin and end

    def begin(self, params: types.InitializeParams) -> None:
        """Make the session that this client needs."""
        profile = convert.profile(params)
        virtual_documents = VirtualDocuments(self._cache, in_memory=profile.reads_baseline_scheme)
        self.virtual_documents = virtual_documents
        # The import of GitPython would take a seventh of the CPU up to the first findings.
        start_plainly()
        baselines = BaselineReader(patience=Patience.of_editor)
        self._service = AnalysisService(self._analyzer, baselines, virtual_documents)
        drafts = (Drafts(self._analyzer), self._draft_worker)
        self.session = ServerSession(profile, self._service, self._worker, drafts, self)
        self._review = self._unused_acceptances(
            AcceptanceFileReader(AnalysisService(self._analyzer, baselines, virtual_documents), baselines)
        )
        self.file_diagnostics = FileDiagnostics(
            profile, lambda: self.channel, self.session.last_known, self.session.elsewhere
        )
        self.channel = self._channel(profile)
        folders = params.workspace_folders or []
        root = [params.root_uri] if params.root_uri and not folders else []
        self.set_folders([*(folder.uri for folder in folders), *root])
        self._journal.open()
        self._initial = convert.plain(params.initialization_options)
        # An editor may end before it confirms the start, too.
        if params.process_id is not None and is_seen(params.process_id):
            self.spawn(watch_process(params.process_id, self._poll_seconds, self.leave))
        self._apply(self._initial)

    def declare(self, capabilities: types.ServerCapabilities) -> None:
        """Declare capabilities that pygls does not declare, and remove those that do not hold for this client."""
        profile = self.session.profile
        capabilities.position_encoding = convert.position_encoding(profile)
        if isinstance(self.channel, PushChannel):
            capabilities.diagnostic_provider = None
        if not profile.prepares_renames:
            capabilities.rename_provider = True
        if capabilities.workspace is not None and profile.reads_baseline_scheme:
            capabilities.workspace.text_document_content = types.TextDocumentContentOptions(schemes=[SCHEME])

    async def ready(self) -> None:
        """After ``initialized``: load what checks need, ask for settings, check what is open, keep watch."""
        assert self._service is not None
        loading = self._worker.call(self._service.load)
        # Every check will report the failure too; the log has the cause.
        loading.add_done_callback(partial(_log_failure, "the analyzer cannot be loaded"))
        # Two threads would import the same modules.
        self._draft_worker.call(loading.exception)
        failed = partial(_log_failure, "GitPython cannot be loaded, and git runs without it")
        self._worker.call_at_rest(load_gitpython).add_done_callback(failed)
        try:
            await asyncio.wait_for(self.read_settings(), CONFIGURATION_SECONDS)
        except asyncio.TimeoutError:
            log.warning("the client does not tell its settings; the defaults hold until it does")
        self.session.start()
        self.spawn(self.session.watch(self._poll_seconds))
        self.spawn(self._register())
        self.spawn(self._review.run())
        self.watch_workspace()

    def watch_workspace(self) -> None:
        """Check the files that are not open, or stop to, as the settings have it."""
        is_wanted = self.session.settings().workspace and bool(self.session.folders)
        if is_wanted and self.session.workspace is None:
            view = self.session.watch_workspace(self)
            self._workspace_task = self.spawn(view.run())
            self.spawn(view.rescan())
        elif not is_wanted and self.session.workspace is not None:
            for overview in self.session.workspace.overviews:
                self.channel.vanished(overview.uri)
            if self._workspace_task is not None:
                self._workspace_task.cancel()
            self.session.workspace = None

    def end(self) -> None:
        """Leave nothing running behind: neither tasks nor git processes."""
        for task in self._tasks:
            task.cancel()
        if hasattr(self, "session"):
            self.session.stop()

    def clean_up(self) -> None:
        """After the event loop is gone."""
        # Calls that wait for git end now.
        end_all()
        self._journal.close()
        if self._service is not None:
            self._worker.call(self._service.close)
        # A check that does not end must not hold up the exit.
        self._worker.close(timeout=0.5)
        self._draft_worker.close(timeout=0.5)

    # ------------------------------------------------------------------------------------------ the connection

    def start_io(self, stdin: BinaryIO | None = None, stdout: BinaryIO | None = None) -> None:
        """Serve a client on two streams, until its exit or the end of its stream."""
        self.protocol.set_writer(StdoutWriter(stdout or sys.stdout.buffer))
        self._connection = Connection(self.protocol.received, self._leaves)
        with suppress(BrokenPipeError, KeyboardInterrupt):
            asyncio.run(self._connection.converse(MessageStream(stdin or sys.stdin.buffer)))

    def start_tcp(self, host: str, port: int) -> None:
        """Serve one client that connects to a port."""
        with socket.create_server((host, port)) as listening:
            log.info("Serving on %s", listening.getsockname())
            connection, _ = listening.accept()
        with connection, connection.makefile("rb") as stdin, connection.makefile("wb") as stdout:
            self.start_io(cast(BinaryIO, stdin), cast(BinaryIO, stdout))

    def leave(self) -> None:
        """End the session after the client's exit."""
        if self._connection is not None:
            self._connection.leave()

    def _leaves(self) -> None:
        end_within(_RUN_SECONDS if self.runs else _LEAVING_SECONDS, lambda: self.exit_status)

    @property
    def exit_status(self) -> int:
        """Exit status: 0 if the client asked for a shutdown before its exit, as the protocol has it."""
        return 0 if self.protocol.is_shut_down else 1

    # ------------------------------------------------------------------------------------------ settings

    def set_folders(self, uris: Sequence[str]) -> None:
        self._folder_uris = tuple(uri for uri in uris if path_of(uri) is not None)
        self.session.folders = tuple(Path(path) for path in map(path_of, self._folder_uris) if path is not None)

    async def read_settings(self, client_settings: Any = None) -> bool:
        """Take over the settings, from the client if it answers, else from ``client_settings``.

        Returns whether they changed.
        """
        if not self.session.profile.sends_configuration:
            return False if client_settings is None else self._apply(client_settings)
        items = [types.ConfigurationItem(section=SECTION)]
        items += [types.ConfigurationItem(scope_uri=uri, section=SECTION) for uri in self._folder_uris]
        try:
            answers = await self.workspace_configuration_async(types.ConfigurationParams(items))
        except JsonRpcException as error:
            log.warning("the client does not tell its settings: %s", error)
            return False
        # ``null`` is the answer of a client without settings; it does not revoke the settings sent before.
        default, *scoped = [convert.plain(answer) for answer in answers] or [None]
        scoped_settings = {
            folder: entry for folder, entry in zip(self.session.folders, scoped, strict=False) if entry is not None
        }
        return self._apply(self._initial if default is None else default, scoped_settings)

    def _apply(self, value: Any, of_folders: dict[Path, Any] | None = None) -> bool:
        default = self._understood(value)
        scoped = {folder: self._understood(entry) for folder, entry in (of_folders or {}).items()}
        self._journal.trace(default.trace)
        return self.session.set_settings(default, scoped)

    def _understood(self, value: Any) -> Settings:
        settings, problems = read_settings(value)
        for problem in problems:
            log.warning("%s", problem)
            self.tell_once(f"Keepstate setting {problem}.")
        return settings

    # ------------------------------------------------------------------------------------------ the session's listener

    def analysed(self, analysis: Analysis) -> None:
        if analysis.failure is not None:
            self.tell_once(f"{analysis.failure} in {analysis.document.name}. The log has details.")
        if analysis.is_waiting and analysis.without is not None:
            self.tell_once(f"Keepstate waits: {analysis.without.sentence} Until then findings are those from before.")
        self.channel.analysed(analysis)
        self._propagate(analysis.document.uri, analysis)
        if self.session.profile.shows_status:
            self.protocol.notify("keepstate/status", convert.status(analysis))

    def closed(self, uri: str) -> None:
        self.channel.closed(uri)
        self._propagate(uri, None)

    def refresh(self) -> None:
        self.channel.refresh()
        if self.session.profile.refreshes_lenses:
            self.workspace_code_lens_refresh(None)
        if self.session.profile.refreshes_inlays:
            self.workspace_inlay_hint_refresh(None)
        if self.session.profile.refreshes_tokens:
            # A configuration may name a file a job that did not look like one.
            self.workspace_semantic_tokens_refresh(None)

    # ---------------------------------------------------------------------------------------- the workspace's listener

    def surveyed(self, path: Path, analysis: Analysis) -> None:
        self.file_diagnostics.surveyed(path, analysis)
        self.channel.surveyed(uri_of(path), analysis)
        self._propagate(uri_of(path), analysis)

    def vanished(self, path: Path) -> None:
        self.file_diagnostics.opened(path)
        self.session.reach.dependents.remove(uri_of(path))
        self.channel.vanished(uri_of(path))
        self._propagate(uri_of(path), None)

    def settled(self) -> None:
        # Lines above declarations count the jobs that read them.
        if self.session.profile.refreshes_lenses and self.session.reach.dependents.any:
            self.workspace_code_lens_refresh(None)

    async def begin_progress(self, total: int) -> ProgressBar | None:
        return await self.show_progress(f"Keepstate: checking {total} files")

    async def show_progress(self, title: str, *, counts: bool = True, token: str | None = None) -> ProgressBar | None:
        """A progress bar, where the client has them, or gave the token of one."""
        if token is None and not self.session.profile.shows_progress:
            return None
        try:
            return await ProgressBar.begin(self, title, counts=counts, token=token)
        except JsonRpcException as error:
            log.info("the client shows no progress: %s", error)
            return None

    def _propagate(self, uri: str, analysis: Analysis | None) -> None:
        """Say in other files what an analysis means for them; ``None``: the document is gone."""
        self._review.analysed(uri, analysis)
        self.file_diagnostics.analysed(uri, analysis)

    # ------------------------------------------------------------------------------------------ to the user

    def tell_once(self, message: str) -> None:
        """Show a message, unless this client saw it before."""
        if message not in self._said:
            self._said.add(message)
            self.window_show_message(types.ShowMessageParams(types.MessageType.Warning, message))

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log the failure of a handler and show it to the user once; the answer of a request has its own error."""
        if isinstance(error, JsonRpcException) and not isinstance(error, JsonRpcInternalError):
            log.info("%s: %s", getattr(source, "__name__", source), error)
            return
        trace = error.data.get("traceback", []) if isinstance(error, JsonRpcInternalError) and error.data else []
        log.error("%s\n%s", error, "".join(trace))
        self.tell_once(f"Keepstate: internal error ({error}). The log has details.")

    def _log_to_client(self, level: int, text: str) -> None:
        if level >= logging.ERROR:
            kind = types.MessageType.Error
        elif level >= logging.WARNING:
            kind = types.MessageType.Warning
        else:
            kind = types.MessageType.Info if level >= logging.INFO else types.MessageType.Log
        self.window_log_message(types.LogMessageParams(kind, text))

    # ------------------------------------------------------------------------------------------ within

    def _channel(self, profile: ClientProfile) -> Channel:
        items = self.file_diagnostics.items

        def refresh() -> None:
            self.workspace_diagnostic_refresh(None)

        def send(uri: str, version: int | None, diagnostics: Sequence[Any]) -> None:
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, list(diagnostics), version))

        return PullChannel(items, refresh) if profile.pulls_diagnostics else PushChannel(items, send)

    def _unused_acceptances(self, service: AcceptanceFileReader) -> UnusedAcceptances:
        session = self.session

        async def use(job: Path, spec: str) -> Use | None:
            settings, folder = session.settings_for(job)
            await session.resting()
            return await session.ask(lambda _: service.use(job, against(settings, spec), folder))

        source = ReviewSource(
            session.settled,
            lambda path: session.ask(lambda _: service.entries(path)),
            lambda folder: session.ask_beside(folder, lambda _: service.trunk(folder)),
            lambda folder: [
                path for path in (session.workspace.paths if session.workspace else ()) if folder in path.parents
            ],
            use,
        )
        return UnusedAcceptances(
            source, lambda path, items: self.file_diagnostics.note(f"ledger {path}", items), session.profile.encoding
        )

    async def _register(self) -> None:
        """Ask the client to report changes of git and of the configuration."""
        profile = self.session.profile
        registrations = []
        if profile.watches_files:
            watchers = [types.FileSystemWatcher(glob) for glob in (*_GIT_FILES, _JOB_FILES)]
            registrations.append(
                types.Registration(
                    "keepstate-files",
                    types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
                    types.DidChangeWatchedFilesRegistrationOptions(watchers),
                )
            )
        if profile.registers_configuration:
            registrations.append(
                types.Registration(
                    "keepstate-settings",
                    types.WORKSPACE_DID_CHANGE_CONFIGURATION,
                    types.DidChangeConfigurationRegistrationOptions(SECTION),
                )
            )
        if registrations:
            try:
                await self.client_register_capability_async(types.RegistrationParams(registrations))
            except JsonRpcException as error:
                log.warning("the client refused to watch files: %s", error)

    def spawn(self, work: Any) -> asyncio.Task[Any]:
        """Run a coroutine beside the client's requests; it is cancelled at the end."""
        task: asyncio.Task[Any] = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _log_failure(sentence: str, loading: Future[None]) -> None:
    if not loading.cancelled() and (error := loading.exception()) is not None:
        log.error(sentence, exc_info=error)
