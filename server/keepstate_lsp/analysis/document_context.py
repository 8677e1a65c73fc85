"""What is around documents: the configuration that holds for them, and their baselines.

Both lie on disks, and baselines are told by git, which waits for disks as well; a dead one never answers. So they are
read in threads of their own, one for each workspace folder, and waited for no longer than a moment. Whatever comes
later is announced when it comes.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from keepstate_lsp.analysis.documents import Document
from keepstate_lsp.analysis.schedule import Worker
from keepstate_lsp.baselines import HEAD, Baseline, BaselineReader, BaselineSpec, BaselineSpecError, NoBaseline, Reason
from keepstate_lsp.baselines.git.conversation import GitFailure, awaited_longest
from keepstate_lsp.config.client_settings import Settings
from keepstate_lsp.config.effective_settings import Terms, configuration_state, terms_of
from keepstate_lsp.config.file import NOTHING_TOLD, Circumstances, ConfigurationError
from keepstate_lsp.config.job_config import CircumstancesReader

T = TypeVar("T")

MOMENT = 1.5
"""Seconds that an answer is waited for before work goes on without it. git takes some milliseconds."""
MOST_READERS = 8
_PASSING = frozenset({Reason.UNREADABLE, Reason.GIT_MISSING, Reason.GIT_STALLED})
"""Why there is no baseline, where that may pass without a change that anybody could see."""
_FIRST_PATIENCE = 4.0
_LONGEST_PATIENCE = 600.0


@dataclass(frozen=True)
class Around:
    """What was found around a document."""

    settings: Settings
    terms: Terms
    path: Path | None
    configuration: str
    """Fingerprint of the configuration files before they were read."""
    baseline: Baseline | NoBaseline | None = None
    """``None``: not looked for."""
    told: Circumstances = NOTHING_TOLD
    """What the baseline was told outside of its SQL."""
    spec: BaselineSpec = HEAD
    state: str | None = None
    """Fingerprint of what the spec named before the baseline was read; ``None``: nothing was read."""
    again_at: float | None = None
    """When to ask git once more that could not answer: it may have been killed, or out of some resource."""


@dataclass
class _Reading:
    """What is being read around a document."""

    settings: Settings
    wants_baseline: bool
    future: Future[Around]
    is_late: bool = False
    """It was not waited for."""


class _Reader:
    """A thread, and what is known of the configurations that it read."""

    def __init__(self, number: int, baselines: BaselineReader) -> None:
        self.worker = Worker(f"keepstate-reader-{number}", collects=False)
        self.circumstances = CircumstancesReader(baselines)


class Surroundings:
    """Answers in the worker thread. ``arrived`` is called, in any thread, with the URI of a document whose
    surroundings came late.
    """

    def __init__(self, baselines: BaselineReader) -> None:
        self._baselines = baselines
        self.arrived: Callable[[str], None] = lambda _: None
        # Callbacks of a future run where it is cancelled.
        self._lock = threading.RLock()
        self._known: dict[str, Around] = {}
        self._readings: dict[str, _Reading] = {}
        self._readers: dict[Path | None, _Reader] = {}
        self._all_readers: list[_Reader] = []
        self._watcher = Worker("keepstate-watcher", collects=False)
        self._patience: dict[str, float] = {}
        """Seconds that were waited last for git to answer about a document."""

    # ------------------------------------------------------------------------------------------- answers

    def around(
        self, document: Document, settings: Settings, folder: Path | None, wants_baseline: bool
    ) -> Around | NoBaseline:
        """What is around a document in the workspace folder ``folder``; instead of it, for what takes longer than a
        moment, what is waited for. A document that the configuration names has its baseline read in any case.
        """
        with self._lock:
            known = self._known.get(document.uri)
            if known is not None and known.settings == settings and (known.baseline is not None or not wants_baseline):
                return known
            reading = self._readings.get(document.uri)
            if reading is None or reading.settings != settings or (wants_baseline and not reading.wants_baseline):
                reading = self._begin(document, settings, folder, wants_baseline)
            reader = self._reader(folder, document)
        try:
            found = reading.future.result(0 if reader.worker.busy_seconds > MOMENT else MOMENT)
        except NotYet:
            with self._lock:
                reading.is_late = not reading.future.done()
            if reading.is_late:
                return awaited()
            found = reading.future.result()
        finally:
            self._take(document.uri, reading)
        with self._lock:
            self._known[document.uri] = found
        return found

    def reading(self, uri: str) -> Future[Around] | None:
        """What is being read around a document."""
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
            known = self._known.get(uri)
            if known is not None:
                self._known[uri] = replace(known, baseline=None)

    def moved(self) -> Future[list[str]]:
        """The documents whose configuration or baseline may have changed since it was read, and those about which git
        could not answer a while ago. Runs no git.
        """
        return self._watcher.call(self._moved)

    def beside(self, question: Callable[[], T]) -> Future[T]:
        """The answer to a question that takes long and holds up nothing that is typed."""
        return self._watcher.call(question)

    # ------------------------------------------------------------------------------------------- within

    def _begin(self, document: Document, settings: Settings, folder: Path | None, wants_baseline: bool) -> _Reading:
        reader = self._reader(folder, document)
        former = self._readings.get(document.uri)
        if former is not None:
            former.future.cancel()

        def read() -> Around:
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
    ) -> Around:
        path = Path(document.path) if document.path is not None else None
        # Taken before reading, here and below: a change in between is then noticed rather than missed.
        configuration = configuration_state(path) if path is not None else ""
        terms = terms_of(path, settings, folder)
        around = Around(settings, terms, path, configuration)
        return self._with_baseline(around, reader, document) if wants_baseline or terms.is_named else around

    def _with_baseline(self, around: Around, reader: _Reader, document: Document) -> Around:
        terms, path = around.terms, around.path
        if terms.error is not None:
            return replace(around, baseline=NoBaseline(HEAD, Reason.UNREADABLE, terms.error))
        if path is None:
            untitled = NoBaseline(HEAD, Reason.NO_REPOSITORY, "this document is not a file yet.")
            return replace(around, baseline=untitled)
        try:
            spec = BaselineSpec.parse(terms.baseline, terms.folder)
        except BaselineSpecError as error:
            return replace(around, baseline=NoBaseline(HEAD, Reason.MISSING_REVISION, str(error)))
        around = replace(around, spec=spec, state=self._baselines.state(path, spec))
        found = self._baselines.read(path, spec, current=document.text)
        if isinstance(found, NoBaseline):
            return replace(around, baseline=found, again_at=self._again_at(document.uri, found))
        try:
            reader.circumstances.unless_left_out(path)
            told = reader.circumstances.baseline(path, found, terms.told)
        except ConfigurationError as error:
            unknown = NoBaseline(spec, Reason.UNREADABLE, str(error))
            again_at = self._again_at(document.uri, unknown) if isinstance(error.__cause__, GitFailure) else None
            return replace(around, baseline=unknown, again_at=again_at)
        self._patience.pop(document.uri, None)
        return replace(around, baseline=found, told=told)

    def _again_at(self, uri: str, failure: NoBaseline) -> float | None:
        """When to ask again, later each time; ``None`` where git has given an answer."""
        if failure.reason not in _PASSING:
            self._patience.pop(uri, None)
            return None
        seconds = self._patience[uri] = min(2 * self._patience.get(uri, _FIRST_PATIENCE / 2), _LONGEST_PATIENCE)
        return time.monotonic() + seconds

    def _moved(self) -> list[str]:
        with self._lock:
            known = dict(self._known)
        looks = _Looks(self._baselines)
        self._baselines.reap()
        return [uri for uri, around in known.items() if looks.has_moved(around)]


def awaited() -> NoBaseline:
    """What is said of a baseline that did not come within a moment."""
    longest = awaited_longest()
    what = "its folder" if longest is None else f"{longest.command} in {longest.folder}"
    return NoBaseline(HEAD, Reason.WAITING, f"{what} has not answered yet.")


class _Looks:
    """One look at what is around many documents; those of one folder share what is found there."""

    def __init__(self, baselines: BaselineReader) -> None:
        self._baselines = baselines
        self._configurations: dict[Path, str] = {}
        self._states: dict[tuple[Path, BaselineSpec], str] = {}

    def has_moved(self, around: Around) -> bool:
        if around.path is None:
            return False
        folder = around.path.parent
        if folder not in self._configurations:
            self._configurations[folder] = configuration_state(around.path)
        if self._configurations[folder] != around.configuration:
            return True
        if around.again_at is not None and time.monotonic() >= around.again_at:
            return True
        if around.state is None:
            return False
        key = (folder, around.spec)
        if key not in self._states:
            self._states[key] = self._baselines.state(around.path, around.spec)
        return self._states[key] != around.state
