"""Which entries of ledgers nobody needs any more: known when all jobs around a ledger are checked.

An entry is idle if no job has the change that it accepts, neither against its baseline nor against what the branch
began with: what is committed on a branch needs its acceptance until the branch is merged (`keepstate accept --prune`
goes by the same). As long as one job cannot be compared, nothing is called idle. An entry that has run out is told
whatever the jobs say.
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
from keepstate_lsp.analysis.config_diagnostics import Remark, Stretch
from keepstate_lsp.analysis.document_analysis import Analysis
from keepstate_lsp.analysis.documents import Document
from keepstate_lsp.analysis.overview import JobOverview
from keepstate_lsp.analysis.service import Checks
from keepstate_lsp.baselines import HEAD, BaselineReader, NoBaseline
from keepstate_lsp.config.acceptances import Entry, Ledger, LedgerError, entry_spans
from keepstate_lsp.config.client_settings import Settings
from keepstate_lsp.files.small_files import read_small

log = logging.getLogger(__name__)

IDLE_ENTRY = "idle-acceptance"


@dataclass(frozen=True)
class Use:
    """What one job makes of its ledger."""

    ledger: Path
    entries: tuple[Acceptance, ...]
    used: frozenset[Acceptance]
    is_certain: bool
    """It could be compared, all of it."""

    @staticmethod
    def of(analysis: Analysis) -> Use | None:
        """``None`` for a document without ledger, or without Flink SQL."""
        overview = JobOverview.of(analysis)
        if analysis.terms.ledger is None or overview is None:
            return None
        accepted = (shown.finding.accepted for shown in analysis.findings if not shown.is_stale)
        used = frozenset(one for one in accepted if one is not None and one.key is not None)
        return Use(analysis.terms.ledger, analysis.terms.accepted, used, not overview.failed)


class LedgerChecks:
    """The worker's side: reads ledgers, and checks jobs against what their branch began with."""

    def __init__(self, checks: Checks, baselines: BaselineReader) -> None:
        self._checks = checks
        self._baselines = baselines

    def entries(self, path: Path) -> tuple[str, tuple[Entry, ...]]:
        """The text of a ledger and its entries; none of one that cannot be read, which its jobs tell."""
        try:
            text = read_small(path)
            return text, Ledger.parse(path, text).entries
        except (OSError, ValueError, LedgerError) as error:
            log.info("the ledger %s cannot be read: %s", path, error)
            return "", ()

    def trunk(self, folder: Path) -> str | None:
        """The spec of what the branch began with; ``None`` where there is no remote branch to merge into."""
        repository = self._baselines.repository(folder, HEAD)
        branch = None if isinstance(repository, NoBaseline) else repository.default_branch()
        return None if branch is None else f"merge-base:{branch}"

    def use(self, job: Path, settings: Settings, folder: Path | None) -> Use | None:
        """What the job in a file on disk needs under other settings than those of its document."""
        analysis = self._checks.survey(job, settings, folder)
        self._checks.forget(analysis.document.uri)
        return Use.of(analysis)


@dataclass(frozen=True)
class ReviewSource:
    """Where the review gets what it needs."""

    settled: Callable[[], Awaitable[bool]]
    """Returns when everything is checked that shall be; whether these are all jobs of the workspace."""
    entries: Callable[[Path], Awaitable[tuple[str, tuple[Entry, ...]]]]
    trunk: Callable[[Path], Awaitable[str | None]]
    jobs: Callable[[Path], Iterable[Path]]
    """The files of the workspace below a folder that may be jobs."""
    use: Callable[[Path, str], Awaitable[Use | None]]
    """Of the job at a path, against a baseline spec."""


class LedgerReview:
    """Lives on the event loop."""

    def __init__(
        self, source: ReviewSource, tell: Callable[[Path, tuple[Remark, ...]], None], encoding: Encoding
    ) -> None:
        self._source = source
        self._tell = tell
        self._encoding = encoding
        self._uses: dict[str, Use] = {}
        self._told: set[Path] = set()
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
                for path in sorted(ledgers | self._told):
                    self._tell(path, await self._remarks(path, all_known))
                self._told = ledgers
            except Exception:
                self._news.clear()
                log.exception("the ledgers cannot be reviewed")

    async def _remarks(self, path: Path, all_known: bool) -> tuple[Remark, ...]:
        text, entries = await self._source.entries(path)
        uses = [use for use in self._uses.values() if use.ledger == path]
        idle = {entry.acceptance: f"it ended on {entry.until}" for entry in entries if _has_ended(entry)}
        idle |= {entry.acceptance: "its reason is still to be written" for entry in entries if entry.is_unfinished}
        if all_known and uses and all(use.is_certain for use in uses):
            used = frozenset[Acceptance]().union(*(use.used for use in uses))
            doubtful = {entry.acceptance for entry in entries if entry.acceptance not in used} - idle.keys()
            for acceptance in await self._needed_by_nobody(path, doubtful):
                idle[acceptance] = "there is nothing to accept any more"
        lines = LineIndex(text)
        return tuple(
            Remark(
                path,
                Stretch.of(span, lines, self._encoding),
                IDLE_ENTRY,
                f"The acceptance of {entry.rule} accepts nothing: {idle[entry.acceptance]}.",
                "information",
                unneeded=True,
            )
            for entry, span in zip(entries, entry_spans(text), strict=False)
            if entry.acceptance in idle
        )

    async def _needed_by_nobody(self, path: Path, doubtful: set[Acceptance]) -> set[Acceptance]:
        """Those that no job needs against what the branch began with either; none where that cannot be told."""
        trunk = await self._source.trunk(path.parent) if doubtful else None
        if trunk is None:
            return doubtful
        left = set(doubtful)
        for job in self._source.jobs(path.parent):
            if not left:
                break
            use = await self._source.use(job, trunk)
            if use is not None and use.ledger == path:
                if not use.is_certain:
                    return set()
                left -= use.used
        return left


def idle_spans(document: Document, remarks: Iterable[Remark], encoding: Encoding) -> list[Span]:
    """The entries of a ledger that accept nothing, as far as they stand in the text that a client has open."""
    idle = {remark.stretch for remark in remarks if remark.unneeded}
    return [span for span in entry_spans(document.text) if Stretch.of(span, document.lines, encoding) in idle]


def _has_ended(entry: Entry) -> bool:
    return entry.until is not None and entry.until < date.today()


def against(settings: Settings, spec: str) -> Settings:
    """``settings`` with another baseline."""
    return replace(settings, baseline=spec)
