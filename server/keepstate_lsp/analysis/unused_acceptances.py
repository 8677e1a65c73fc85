"""Ledger entries that accept nothing any more: known when all jobs around a ledger are checked.

An entry is unused if no job has the change that it accepts, neither against its baseline nor against the commit that
the branch began with: a committed change needs its acceptance until the branch is merged (`keepstate accept --prune`
has the same rule). As long as one job cannot be compared, no entry is called unused. An expired entry is reported in
any case.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from keepstate.report import Acceptance
from keepstate.text import Encoding, LineIndex, Span
from keepstate_lsp.analysis.config_diagnostics import ClientRange, ConfigDiagnostic
from keepstate_lsp.analysis.document_analysis import Analysis
from keepstate_lsp.analysis.documents import Document
from keepstate_lsp.analysis.overview import JobOverview
from keepstate_lsp.analysis.service import AnalysisService
from keepstate_lsp.baselines import HEAD, BaselineReader, NoBaseline
from keepstate_lsp.config.acceptance_file import AcceptanceFile, AcceptanceFileError, LedgerEntry, entry_spans
from keepstate_lsp.config.client_settings import Settings
from keepstate_lsp.files.small_files import read_small

log = logging.getLogger(__name__)

UNUSED_ENTRY = "idle-acceptance"


@dataclass(frozen=True)
class Use:
    """The use that one job makes of its ledger."""

    ledger: Path
    entries: tuple[Acceptance, ...]
    in_use: frozenset[Acceptance]
    is_certain: bool
    """The whole job could be compared."""

    @staticmethod
    def of(analysis: Analysis) -> Use | None:
        """``None`` for a document without ledger, or without Flink SQL."""
        overview = JobOverview.of(analysis)
        if analysis.effective.ledger is None or overview is None:
            return None
        placed = (each for job in analysis.every for each in job.findings if not each.is_stale)
        accepted = (each.finding.accepted for each in placed)
        used_acceptances = frozenset(one for one in accepted if one is not None and one.key is not None)
        failed = any(each.failed for each in overview.every)
        return Use(analysis.effective.ledger, analysis.effective.accepted, used_acceptances, not failed)


class AcceptanceFileReader:
    """The worker's side: reads ledgers, and checks jobs against what their branch began with."""

    def __init__(self, service: AnalysisService, baselines: BaselineReader) -> None:
        self._service = service
        self._baselines = baselines

    def entries(self, path: Path) -> tuple[str, tuple[LedgerEntry, ...]]:
        """The text of a ledger and its entries; empty for an unreadable ledger, which the jobs report."""
        try:
            text = read_small(path)
            return text, AcceptanceFile.parse(path, text).entries
        except (OSError, ValueError, AcceptanceFileError) as error:
            log.info("the ledger %s cannot be read: %s", path, error)
            return "", ()

    def trunk(self, folder: Path) -> str | None:
        """The spec of what the branch began with; ``None`` where there is no remote branch to merge into."""
        repository = self._baselines.repository(folder, HEAD)
        branch = None if isinstance(repository, NoBaseline) else repository.default_branch()
        return None if branch is None else f"merge-base:{branch}"

    def use(self, job: Path, settings: Settings, folder: Path | None) -> Use | None:
        """The use of a ledger by the job in a file on disk, under other settings than those of its document."""
        analysis = self._service.survey(job, settings, folder)
        self._service.forget(analysis.document.uri)
        return Use.of(analysis)


@dataclass(frozen=True)
class ReviewSource:
    """Functions that supply the review with texts and analyses."""

    settled: Callable[[], Awaitable[bool]]
    """Returns when everything is checked that shall be; whether these are all jobs of the workspace."""
    entries: Callable[[Path], Awaitable[tuple[str, tuple[LedgerEntry, ...]]]]
    trunk: Callable[[Path], Awaitable[str | None]]
    jobs: Callable[[Path], Iterable[Path]]
    """The files of the workspace below a folder that may be jobs."""
    use: Callable[[Path, str], Awaitable[Use | None]]
    """Of the job at a path, against a baseline spec."""


class UnusedAcceptances:
    """Lives on the event loop."""

    def __init__(
        self, source: ReviewSource, tell: Callable[[Path, tuple[ConfigDiagnostic, ...]], None], encoding: Encoding
    ) -> None:
        self._source = source
        self._tell = tell
        self._encoding = encoding
        self._uses: dict[str, Use] = {}
        self._reported: set[Path] = set()
        self._news = asyncio.Event()

    def analysed(self, uri: str, analysis: Analysis | None) -> None:
        """A job has a new analysis, or is gone (``None``)."""
        use = None if analysis is None else Use.of(analysis)
        if use == self._uses.get(uri):
            return
        if use is None:
            del self._uses[uri]
        else:
            self._uses[uri] = use
        self._news.set()

    async def run(self) -> None:
        """Look again after each change, for ever."""
        while True:
            await self._news.wait()
            try:
                all_known = await self._source.settled()
                self._news.clear()
                ledgers = {use.ledger for use in self._uses.values()}
                for path in sorted(ledgers | self._reported):
                    self._tell(path, await self._diagnostics(path, all_known))
                self._reported = ledgers
            except Exception:
                self._news.clear()
                log.exception("the ledgers cannot be reviewed")

    async def _diagnostics(self, path: Path, all_known: bool) -> tuple[ConfigDiagnostic, ...]:
        text, entries = await self._source.entries(path)
        uses = [use for use in self._uses.values() if use.ledger == path]
        unused = {entry.acceptance: f"it ended on {entry.until}" for entry in entries if _has_ended(entry)}
        unused |= {entry.acceptance: "its reason is still to be written" for entry in entries if entry.is_unfinished}
        if all_known and uses and all(use.is_certain for use in uses):
            used_acceptances = frozenset[Acceptance]().union(*(use.in_use for use in uses))
            doubtful = {
                entry.acceptance for entry in entries if entry.acceptance not in used_acceptances
            } - unused.keys()
            for acceptance in await self._needed_by_nobody(path, doubtful):
                unused[acceptance] = "there is nothing to accept any more"
        lines = LineIndex(text)
        return tuple(
            ConfigDiagnostic(
                path,
                ClientRange.of(span, lines, self._encoding),
                UNUSED_ENTRY,
                f"The acceptance of {entry.rule} accepts nothing: {unused[entry.acceptance]}.",
                "information",
                unneeded=True,
            )
            for entry, span in zip(entries, entry_spans(text), strict=False)
            if entry.acceptance in unused
        )

    async def _needed_by_nobody(self, path: Path, doubtful: set[Acceptance]) -> set[Acceptance]:
        """The entries of ``doubtful`` that no job needs against the start of the branch either; none if that is not
        known.
        """
        trunk = await self._source.trunk(path.parent) if doubtful else None
        if trunk is None:
            return doubtful
        candidates = set(doubtful)
        for job in self._source.jobs(path.parent):
            if not candidates:
                break
            use = await self._source.use(job, trunk)
            if use is not None and use.ledger == path:
                if not use.is_certain:
                    return set()
                candidates -= use.in_use
        return candidates


def unused_spans(document: Document, diagnostics: Iterable[ConfigDiagnostic], encoding: Encoding) -> list[Span]:
    r"""The entries of a ledger that accept nothing, as far as they stand in the text that a client has open.

    >>> text = "[[accepted]]\nrule = 'group-key-added'\nchange = 'k'\n"
    >>> ledger, entry = Document("file:///ledger.toml", "toml", 1, text), entry_spans(text)[0]
    >>> place = ClientRange.of(entry, ledger.lines, Encoding.UTF16)
    >>> unused = ConfigDiagnostic(Path("/ledger.toml"), place, UNUSED_ENTRY, "It accepts nothing.", unneeded=True)
    >>> unused_spans(ledger, [unused], Encoding.UTF16) == [entry], unused_spans(ledger, [], Encoding.UTF16)
    (True, [])
    """
    unused = {diagnostic.client_range for diagnostic in diagnostics if diagnostic.unneeded}
    return [span for span in entry_spans(document.text) if ClientRange.of(span, document.lines, encoding) in unused]


def _has_ended(entry: LedgerEntry) -> bool:
    return entry.until is not None and entry.until < date.today()


def against(settings: Settings, spec: str) -> Settings:
    """``settings`` with another baseline.

    >>> against(Settings(), "deployed").baseline
    'deployed'
    """
    return replace(settings, baseline=spec)
