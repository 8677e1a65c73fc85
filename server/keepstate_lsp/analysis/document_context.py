"""The context of documents: their configuration and their baseline.

Both lie on disks, and git reads baselines from disks as well; a dead disk never answers. So threads of their own read
the contexts, one thread for each workspace folder, and an analysis waits no longer than a moment. A context that comes
later is announced when it comes.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from keepstate.embedded.pointers import file_of, is_host
from keepstate_lsp.analysis.documents import Document
from keepstate_lsp.analysis.schedule import Worker
from keepstate_lsp.analysis.several_files.former_files import former_of_new
from keepstate_lsp.analysis.several_files.repository_files import RepositoryFiles, WorkTreeChange
from keepstate_lsp.baselines import HEAD, Baseline, BaselineReader, BaselineSpec, BaselineSpecError, NoBaseline, Reason
from keepstate_lsp.baselines.git.conversation import awaited_longest
from keepstate_lsp.baselines.git.failures import GitFailure
from keepstate_lsp.baselines.head import GIT, RevisionStates, fingerprint
from keepstate_lsp.baselines.links import own_path
from keepstate_lsp.baselines.repository import Repository
from keepstate_lsp.config.client_settings import Settings
from keepstate_lsp.config.effective_settings import NAMES, EffectiveSettings, configuration_state, resolve_settings
from keepstate_lsp.config.file import EMPTY_CONFIG, ConfigurationError, JobConfig
from keepstate_lsp.config.job_config import JobConfigReader
from keepstate_lsp.config.job_names import may_be_job
from keepstate_lsp.files.still_folders import LookedAt, StillFolders
from keepstate_lsp.jobs.deployed import RecordedTexts, recorded_texts
from keepstate_lsp.jobs.projects import CompositionError

T = TypeVar("T")

log = logging.getLogger(__name__)

MOMENT = 1.5
"""Seconds that an answer is waited for before work goes on without it. git takes some milliseconds."""
MOST_READERS = 8
_PASSING = frozenset({Reason.UNREADABLE, Reason.GIT_MISSING, Reason.GIT_STALLED})
"""Reasons for a missing baseline that may pass without a change of any file."""
_FIRST_PATIENCE = 4.0
_LONGEST_PATIENCE = 600.0


@dataclass(frozen=True)
class DocumentContext:
    """The context of one document."""

    settings: Settings
    effective: EffectiveSettings
    path: Path | None
    configuration: str
    """Fingerprint of the configuration files before they were read."""
    baseline: Baseline | NoBaseline | None = None
    """``None``: not looked for."""
    config: JobConfig = EMPTY_CONFIG
    """Configuration of the baseline."""
    spec: BaselineSpec = HEAD
    state: str | None = None
    """Fingerprint of what the spec named before the baseline was read; ``None``: nothing was read."""
    root: Path | None = None
    """Root of the work tree around the document, of which the SQL files were read; ``None``: there is none."""
    own: str | None = None
    """Path of the document below the root, with ``/``."""
    recorded: RecordedTexts | None = None
    """The files of the deployed job, where the baseline is one and its record has them."""
    again_at: float | None = None
    """Time (monotonic, seconds) to ask git again after a failure: git may have been killed, or out of a resource."""


@dataclass
class _Reading:
    """A context that a thread is reading."""

    settings: Settings
    wants_baseline: bool
    future: Future[DocumentContext]
    is_late: bool = False
    """The analysis went on without this context."""


class _Reader:
    """A thread, and what is known of the configurations that it read."""

    def __init__(self, number: int, baselines: BaselineReader) -> None:
        self.worker = Worker(f"keepstate-reader-{number}", collects=False)
        self.configs = JobConfigReader(baselines)


class DocumentContexts:
    """Answers in the worker thread. ``arrived`` is called, in any thread, with the URI of a document whose
    surroundings came late.
    """

    def __init__(self, baselines: BaselineReader) -> None:
        self._baselines = baselines
        self.files = RepositoryFiles(baselines)
        """The SQL files around the documents."""
        self.arrived: Callable[[str], None] = lambda _: None
        # Callbacks of a future run where it is cancelled.
        self._lock = threading.RLock()
        self._known: dict[str, DocumentContext] = {}
        self._readings: dict[str, _Reading] = {}
        self._readers: dict[Path | None, _Reader] = {}
        self._all_readers: list[_Reader] = []
        self._watcher = Worker("keepstate-watcher", collects=False)
        self._still = StillFolders()
        self._patience: dict[str, float] = {}
        """Seconds that were waited last for git to answer about a document."""

    # ------------------------------------------------------------------------------------------- answers

    def context(
        self, document: Document, settings: Settings, folder: Path | None, wants_baseline: bool
    ) -> DocumentContext | NoBaseline:
        """Read the context of a document in the workspace folder ``folder``. If that takes longer than a moment, return
        the call that has not answered yet. If the configuration names the document as a job, its baseline is read in
        any case.
        """
        with self._lock:
            former = self._known.get(document.uri)
            if (
                former is not None
                and former.settings == settings
                and (former.baseline is not None or not wants_baseline)
            ):
                return former
            reading = self._readings.get(document.uri)
            if reading is None or reading.settings != settings or (wants_baseline and not reading.wants_baseline):
                reading = self._begin(document, settings, folder, wants_baseline)
            reader = self._reader(folder, document)
        try:
            context = reading.future.result(0 if reader.worker.busy_seconds > MOMENT else MOMENT)
        except NotYet:
            with self._lock:
                reading.is_late = not reading.future.done()
            if reading.is_late:
                return awaited()
            context = reading.future.result()
        finally:
            self._take(document.uri, reading)
        with self._lock:
            self._known[document.uri] = context
        return context

    def reading(self, uri: str) -> Future[DocumentContext] | None:
        """The context of a document that a thread is reading, if any."""
        with self._lock:
            reading = self._readings.get(uri)
            return None if reading is None else reading.future

    def ask(self, folder: Path, question: Callable[[], T]) -> Future[T]:
        """The answer to a question about the repository of a workspace folder."""
        with self._lock:
            return self._reader_of(folder).worker.call(question)

    def forget(self, uri: str) -> None:
        """Look again for configuration and baseline when a document is asked about."""
        with self._lock:
            self._known.pop(uri, None)
            reading = self._readings.pop(uri, None)
            if reading is not None:
                reading.future.cancel()

    def let_go(self, uri: str) -> None:
        """Keep of a document that is not open no more than it takes to notice a change."""
        with self._lock:
            context = self._known.get(uri)
            if context is not None:
                self._known[uri] = replace(context, baseline=None)

    def stale_documents(self) -> Future[list[str]]:
        """The documents whose configuration or baseline may have changed since it was read, and those about which git
        could not answer a while ago. Runs no git.
        """
        return self._watcher.call(self._stale_documents)

    def files_moved(self) -> Future[list[WorkTreeChange]]:
        """The SQL files that changed on disk; they were read again."""
        return self._watcher.call(self.files.refresh)

    def files_differ(self, paths: Iterable[tuple[Path, str]]) -> Future[bool]:
        """Return whether one of these files, by root and path, differs from what was read. Runs no git."""
        return self._watcher.call(lambda: self.files.differ(paths))

    def beside(self, question: Callable[[], T]) -> Future[T]:
        """The answer to a question that takes long and holds up nothing that is typed."""
        return self._watcher.call(question)

    # ------------------------------------------------------------------------------------------- within

    def _begin(self, document: Document, settings: Settings, folder: Path | None, wants_baseline: bool) -> _Reading:
        reader = self._reader(folder, document)
        former = self._readings.get(document.uri)
        if former is not None:
            former.future.cancel()

        def read() -> DocumentContext:
            return self._read(reader, document, settings, folder, wants_baseline)

        reading = _Reading(settings, wants_baseline, reader.worker.call(read))
        self._readings[document.uri] = reading
        reading.future.add_done_callback(lambda _: self._announce(document.uri, reading))
        return reading

    def _announce(self, uri: str, reading: _Reading) -> None:
        with self._lock:
            is_awaited = reading.is_late and self._readings.get(uri) is reading
        if is_awaited:
            self.arrived(uri)

    def _take(self, uri: str, reading: _Reading) -> None:
        """A reading that is done is used up, whatever came of it."""
        with self._lock:
            if reading.future.done() and self._readings.get(uri) is reading:
                del self._readings[uri]

    def _reader(self, folder: Path | None, document: Document) -> _Reader:
        return self._reader_of(folder or (None if document.path is None else Path(document.path).parent))

    def _reader_of(self, folder: Path | None) -> _Reader:
        reader = self._readers.get(folder)
        if reader is None:
            if len(self._all_readers) < MOST_READERS:
                reader = _Reader(len(self._all_readers), self._baselines)
                self._all_readers.append(reader)
            else:
                reader = self._all_readers[len(self._readers) % MOST_READERS]
            self._readers[folder] = reader
        return reader

    def _read(
        self, reader: _Reader, document: Document, settings: Settings, folder: Path | None, wants_baseline: bool
    ) -> DocumentContext:
        path = Path(document.path) if document.path is not None else None
        # Taken before reading, here and below: a change in between is then noticed rather than missed.
        configuration = configuration_state(path) if path is not None else ""
        effective = resolve_settings(path, settings, folder)
        context = DocumentContext(settings, effective, path, configuration)
        if wants_baseline or effective.is_named:
            context = self._with_baseline(context, reader, document)
        return self._with_files(context)

    def _with_files(self, context: DocumentContext) -> DocumentContext:
        """The context with its place among the files of its repository, which are read if they were not yet."""
        path = context.path
        if path is None or not (may_be_job(path.name) or _is_named_host(path, context.effective.config)):
            return context
        repository = self._baselines.repository(path.parent, HEAD)
        own = None if isinstance(repository, NoBaseline) else own_path(repository.folders.work_tree, path)
        if isinstance(repository, NoBaseline) or own is None:
            return context
        try:
            with repository.lock:
                commit = _commit_of_files(context.baseline, repository)
            self.files.load(repository, commit)
        except GitFailure as failure:
            log.warning("the files around %s cannot be read: %s", path, failure.message)
            return context
        return replace(context, root=repository.folders.work_tree, own=own)

    def _with_baseline(self, context: DocumentContext, reader: _Reader, document: Document) -> DocumentContext:
        effective, path = context.effective, context.path
        if effective.error is not None:
            return replace(context, baseline=NoBaseline(HEAD, Reason.UNREADABLE, effective.error))
        if path is None:
            untitled = NoBaseline(HEAD, Reason.NO_REPOSITORY, "this document is not a file yet.")
            return replace(context, baseline=untitled)
        try:
            spec = BaselineSpec.parse(effective.baseline, effective.folder)
        except BaselineSpecError as error:
            return replace(context, baseline=NoBaseline(HEAD, Reason.MISSING_REVISION, str(error)))
        context = replace(context, spec=spec, state=self._baselines.state(path, spec))
        baseline = self._baselines.read(path, spec, current=document.text)
        if isinstance(baseline, NoBaseline) and baseline.new:
            baseline = (
                former_of_new(path, document.text, spec, effective.config, self._baselines, self.files) or baseline
            )
        if isinstance(baseline, NoBaseline):
            return replace(context, baseline=baseline, again_at=self._again_at(document.uri, baseline))
        try:
            reader.configs.unless_left_out(path)
            config = reader.configs.baseline(path, baseline, effective.config)
        except ConfigurationError as error:
            unknown = NoBaseline(spec, Reason.UNREADABLE, str(error))
            again_at = self._again_at(document.uri, unknown) if isinstance(error.__cause__, GitFailure) else None
            return replace(context, baseline=unknown, again_at=again_at)
        self._patience.pop(document.uri, None)
        try:
            recorded = self._recorded(path, baseline)
        except (CompositionError, GitFailure) as error:
            unknown = NoBaseline(spec, Reason.UNREADABLE, str(error))
            return replace(context, baseline=unknown, again_at=self._again_at(document.uri, unknown))
        return replace(context, baseline=baseline, config=config, recorded=recorded)

    def _recorded(self, path: Path, baseline: Baseline) -> RecordedTexts | None:
        """The files of a deployed job.

        Raises:
            CompositionError: one is missing, or is no text.
            GitFailure: git cannot say.
        """
        if baseline.deployment is None or baseline.deployment.files is None:
            return None
        repository = self._baselines.repository(path.parent, baseline.spec)
        if isinstance(repository, NoBaseline):
            return None
        with repository.lock:
            return recorded_texts(self._baselines, repository, baseline.deployment.files)

    def _again_at(self, uri: str, failure: NoBaseline) -> float | None:
        """Time to ask git again, with a growing delay; ``None`` if git has answered."""
        if failure.reason not in _PASSING:
            self._patience.pop(uri, None)
            return None
        seconds = self._patience[uri] = min(2 * self._patience.get(uri, _FIRST_PATIENCE / 2), _LONGEST_PATIENCE)
        return time.monotonic() + seconds

    def _stale_documents(self) -> list[str]:
        with self._lock:
            contexts = dict(self._known)
        self._baselines.reap()
        if self._still.hold(contexts):
            return [uri for uri, context in contexts.items() if _is_due(context)]
        looks = _Looks()
        uris = [uri for uri, context in contexts.items() if looks.has_moved(context)]
        if uris:
            self._still.forget()
        else:
            self._still.looked(contexts, looks.looked_at)
        return uris


def _is_named_host(path: Path, config: JobConfig) -> bool:
    """Return whether the configuration of a file has a pointer that leads into it."""
    if config.source is None or not is_host(path.name):
        return False
    pointers = (pointer for table in config.source.jobs for pointer in table.composition.pointers)
    return any(config.source.folder / file_of(pointer) == path for pointer in pointers)


def awaited() -> NoBaseline:
    """The absence of a baseline that did not come within a moment."""
    longest = awaited_longest()
    subject = "its folder" if longest is None else f"{longest.command} in {longest.folder}"
    return NoBaseline(HEAD, Reason.WAITING, f"{subject} has not answered yet.")


class _Looks:
    """One look at what is around many documents; those of one folder share what is found there, and folders what is
    found above them.
    """

    def __init__(self) -> None:
        self._revisions = RevisionStates()
        self._stamps: dict[Path, tuple[str, ...]] = {}
        self._configurations: dict[Path, str] = {}
        self._states: dict[tuple[Path, BaselineSpec], str] = {}

    def has_moved(self, context: DocumentContext) -> bool:
        if context.path is None:
            return False
        folder = context.path.parent
        if folder not in self._configurations:
            self._configurations[folder] = configuration_state(context.path, self._stamps)
        if self._configurations[folder] != context.configuration:
            return True
        if _is_due(context):
            return True
        if context.state is None:
            return False
        key = (folder, context.spec)
        if key not in self._states:
            self._states[key] = self._revisions.of(context.path, context.spec)
        return self._states[key] != context.state

    @property
    def looked_at(self) -> LookedAt:
        """The files, folders and revisions that the look depended on."""
        files = [stamp.rsplit(" ", 2)[0] for stamps in self._stamps.values() for stamp in stamps]
        folders = self._revisions.folders.union(map(str, self._stamps))
        questions = frozenset((fingerprint, revision) for revision in self._revisions.revisions)
        return LookedAt(folders, frozenset((GIT, *NAMES)), frozenset(files), questions)


def _is_due(context: DocumentContext) -> bool:
    """Return whether it is time to ask git again about a document."""
    return context.again_at is not None and time.monotonic() >= context.again_at


def _commit_of_files(baseline: Baseline | NoBaseline | None, repository: Repository) -> str | None:
    """The commit of which the files are compared: none for a deployed job whose record has them, or whose commit is not
    in this clone.
    """
    if not isinstance(baseline, Baseline) or baseline.commit is None:
        return None
    if baseline.deployment is None:
        return baseline.commit
    is_here = baseline.deployment.files is None and repository.revisions.commit(baseline.commit) is not None
    return baseline.commit if is_here else None
