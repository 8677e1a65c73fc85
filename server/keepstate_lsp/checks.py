"""The worker's side of the server: all that reads files, asks git or runs the analyzer.

Everything here is called in the one worker thread. What goes in and comes out are values.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from keepstate.report import Finding, Fix, ReadTable, StateFate, StateNote, Verdict
from keepstate.text import Edit, LineIndex, apply_edits
from keepstate_lsp.analysis import Against, Analysis, compare, failed
from keepstate_lsp.analyzer import Analyzer
from keepstate_lsp.baselines import HEAD, Baseline, BaselineReader, BaselineSpec, BaselineSpecError, NoBaseline, Reason
from keepstate_lsp.baselines.choices import Choice, choices
from keepstate_lsp.baselines.decoding import NotText
from keepstate_lsp.baselines.process import GitFailure
from keepstate_lsp.baselines.reader import read_text
from keepstate_lsp.circumstances import CircumstancesReader
from keepstate_lsp.compiled_methods import remembered_methods
from keepstate_lsp.configuration import Circumstances, ConfigurationError
from keepstate_lsp.deployed_jobs import DeployedJobs
from keepstate_lsp.documents import Document, uri_of
from keepstate_lsp.garbage import permanent
from keepstate_lsp.job_listing import FileStamp, job_files
from keepstate_lsp.line_ends import line_end, with_line_ends_of
from keepstate_lsp.replays.request import ReplayOffer, ReplayRequest, offer_of, request_of
from keepstate_lsp.settings import Settings
from keepstate_lsp.shelf import Shelf
from keepstate_lsp.terms import Terms, configuration_state, terms_of

log = logging.getLogger(__name__)

_PASSING = frozenset({Reason.UNREADABLE, Reason.GIT_MISSING})
"""Why there is no baseline, where that may pass without a change that anybody could see."""
_FIRST_PATIENCE = 4.0
_LONGEST_PATIENCE = 600.0
HARMLESS_KINDS = frozenset({"restore-order"})
"""Fixes that change how something is written and no result of it."""


@dataclass(frozen=True)
class _Held:
    """What was found around a document when it was looked at last."""

    settings: Settings
    terms: Terms
    path: Path | None
    configuration: str
    """Fingerprint of the configuration files before they were read."""
    line_end: str = ""
    against: Against | NoBaseline | None = None
    """``None``: not looked for yet."""
    spec: BaselineSpec = HEAD
    state: str | None = None
    """Fingerprint of what the spec named before the baseline was read; ``None``: nothing was read."""
    again_at: float | None = None
    """When to ask git once more that could not answer: it may have been killed, or out of some resource."""


class Checks:
    """Analyses of documents, and answers about them."""

    def __init__(self, analyzer: Analyzer, baselines: BaselineReader, shelf: Shelf) -> None:
        self._analyzer = analyzer
        self._baselines = baselines
        self._shelf = shelf
        self._held: dict[str, _Held] = {}
        self._circumstances = CircumstancesReader(baselines)
        self._pages: dict[str, str | None] = {}
        self._patience: dict[str, float] = {}
        """Seconds that were waited last for git to answer about a document."""

    def load(self) -> None:
        """Import the analyzer and git while the user still looks at the file, and clear the shelf of old files."""
        with permanent(), remembered_methods(self._shelf.code, "analyzer"):
            self._analyzer.load()
        self._shelf.tidy()

    def analyse(
        self, document: Document, settings: Settings, folder: Path | None, previous: Analysis | None
    ) -> Analysis:
        """The analysis of a document; ``folder`` is its workspace folder. Never raises for what a text holds."""
        known = Analysis(document, settings, Terms())
        try:
            held = self._held_for(document, settings, folder)
            known = Analysis(document, settings, held.terms)
            if not self._speaks_of(document, held):
                return known
            known = replace(known, is_flink=True)
            against = self._against(document, held)
            if isinstance(against, NoBaseline):
                known = replace(known, without=against)
            else:
                known = replace(known, against=against)
            known = compare(known, self._analyzer, previous)
        except Exception as error:
            log.exception("the analysis of %s, version %s, failed", document.uri, document.version)
            known = failed(known, error, previous)
        return replace(known, pages=self._pages_for(known))

    def survey(self, path: Path, settings: Settings, folder: Path | None) -> Analysis:
        """The analysis of a file that no client has open; what was read for it is let go, and read again each time."""
        self.forget(uri_of(path))
        text = read_text(path)
        document = Document(uri_of(path), "", 0, text if isinstance(text, str) else "")
        if isinstance(text, NotText):
            without = NoBaseline(HEAD, text.reason, f"{path.name} {text.what}", text.mend)
            return Analysis(document, settings, Terms(), is_flink=document.is_declared_flink, without=without)
        analysis = self.analyse(document, settings, folder, None)
        held = self._held.get(document.uri)
        if held is not None:
            self._held[document.uri] = replace(held, against=None)
        return analysis

    def choices(self, path: Path) -> tuple[Choice, ...]:
        """What the file at ``path`` may be compared with."""
        return choices(path, self._baselines)

    def mark_deployed(self, path: Path, environment: str) -> str:
        """Record the file on disk as deployed; a sentence about it.

        Raises:
            DeploymentError: it cannot be recorded.
        """
        now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        with DeployedJobs.around(path.parent) as jobs:
            (deployment,) = jobs.deployments_of(
                [str(path)],
                commit=None,
                engine_version=None,
                parameters={},
                savepoint=None,
                marked_at=now,
                marked_by=None,
            )
            jobs.records.mark(environment, [deployment])
        at = f"at {deployment.commit[:7]}" if deployment.commit else "with changes that were never committed"
        return f"{deployment.path} is recorded as deployed in {environment}, {at}."

    def listed(self, folders: Sequence[Path]) -> dict[Path, FileStamp]:
        """The files below ``folders`` that may be jobs. May be called in any thread."""
        return job_files(folders, self._baselines)

    def forget(self, uri: str) -> None:
        """Look again for configuration and baseline at the next analysis of a document."""
        self._held.pop(uri, None)

    def moved(self) -> list[str]:
        """The documents whose configuration or baseline may have changed since it was read, and those about which git
        could not answer a while ago. Runs no git.
        """
        seen = _Looks(self._baselines)
        self._baselines.reap()
        return [uri for uri, held in self._held.items() if seen.has_moved(held)]

    def fixes(self, analysis: Analysis, index: int) -> tuple[Fix, ...]:
        """Verified fixes of one finding of the analysis' report."""
        comparison, report = analysis.comparison, analysis.report
        if comparison is None or report is None:
            return ()
        return self._analyzer.fixes(comparison, report, index)

    def all_fixes(self, analysis: Analysis) -> tuple[tuple[Fix, ...], ...]:
        """The same of each finding of the report."""
        found = analysis.report.findings if analysis.report is not None else ()
        return tuple(self.fixes(analysis, index) for index in range(len(found)))

    def with_revert(self, analysis: Analysis) -> Analysis:
        """``analysis``, whose report says as well what to take back for a job that is compatible."""
        comparison, report = analysis.comparison, analysis.report
        if comparison is None or report is None:
            return analysis
        return replace(analysis, report=self._analyzer.with_revert(comparison, report))

    def file_fixes(self, analysis: Analysis) -> tuple[Fix, ...]:
        comparison, report = analysis.comparison, analysis.report
        if comparison is None or report is None:
            return ()
        return self._analyzer.file_fixes(comparison, report)

    def harmless_edits(self, analysis: Analysis) -> tuple[tuple[Edit, ...], Verdict] | None:
        """All edits that change no result, made at once, and the verdict they lead to; ``None`` if there are none."""
        comparison, report = analysis.comparison, analysis.report
        if comparison is None or report is None:
            return None
        edits: list[Edit] = []
        for index in range(len(report.findings)):
            for fix in self.fixes(analysis, index):
                if fix.kind in HARMLESS_KINDS and not _overlap(fix.edits, edits):
                    edits += fix.edits
                    break
        if not edits:
            return None
        # Each was analysed alone; what they do together is only known after asking.
        together = self._analyzer.check(replace(comparison, current=apply_edits(comparison.current, edits)))
        if len(together.problems) > len(report.problems) or together.verdict.rank > report.verdict.rank:
            return None
        return tuple(edits), together.verdict

    def state_notes(self, analysis: Analysis) -> tuple[StateNote, ...]:
        return self._analyzer.state_notes(analysis.document.text, analysis.terms.told.parameters, analysis.terms.engine)

    def state_fate(self, analysis: Analysis, index: int) -> StateFate | None:
        comparison = analysis.comparison
        return None if comparison is None else self._analyzer.state_fate(comparison, index)

    def evidence(self, analysis: Analysis, finding: Finding) -> str:
        terms = analysis.terms
        return self._analyzer.evidence(finding, terms.engine, terms.told.engine_version)

    def replay_offer(self, analysis: Analysis) -> ReplayOffer:
        """What a replay of the document would be told."""
        return offer_of(analysis, self._read_tables(analysis))

    def replay_request(self, analysis: Analysis, options: Mapping[str, Any]) -> ReplayRequest:
        """A replay of the document that can be begun.

        Raises:
            ReplayRefused: it cannot.
        """
        return request_of(analysis, self._read_tables(analysis), options)

    def replay_folder(self) -> Path:
        """A folder for a replay, not yet made."""
        return self._shelf.replay_folder()

    def _read_tables(self, analysis: Analysis) -> tuple[ReadTable, ...]:
        return self._analyzer.read_tables(analysis.document.text, analysis.terms.told.parameters)

    def plan(self, analysis: Analysis) -> tuple[str, str | None]:
        """The plan as text, beside that of the baseline if there is one, and where the client can open it."""
        comparison, against = analysis.comparison, analysis.against
        if comparison is not None and against is not None:
            titles = (f"baseline: {against.baseline.words}", f"current: {analysis.document.name}")
            text = self._analyzer.plans(comparison, titles)
        else:
            text = self._analyzer.plan(analysis.document.text, analysis.terms.told.parameters, analysis.terms.engine)
        return text, self._shelf.plan(analysis.document.name, text)

    def rule_page(self, rule: str, settings: Settings) -> str | None:
        """The address of a rule's page: below ``docsUrl``, else a local file; ``None`` if there is none."""
        if settings.docs_url:
            return f"{settings.docs_url.rstrip('/')}/{rule}"
        if rule not in self._pages:
            # Pages are part of the distribution: what was not found once will not be found later.
            self._pages[rule] = None
            page = self._analyzer.rule_page(rule)
            self._pages[rule] = None if page is None else self._shelf.rule_page(rule, page)
        return self._pages[rule]

    def close(self) -> None:
        self._baselines.close()

    def _speaks_of(self, document: Document, held: _Held) -> bool:
        if not document.has_known_scheme or document.is_toml or self._shelf.holds(document.path):
            return False
        if document.is_declared_flink or held.terms.is_named or self._analyzer.looks_like_flink(document.text):
            return True
        if document.text.strip():
            return False
        # Nothing shows what an emptied file was, but what it was.
        against = self._against(document, held)
        return isinstance(against, Against) and self._analyzer.looks_like_flink(against.text)

    def _held_for(self, document: Document, settings: Settings, folder: Path | None) -> _Held:
        held = self._held.get(document.uri)
        if held is None or held.settings != settings:
            path = Path(document.path) if document.path is not None else None
            # Taken before reading, here and below: a change in between is then noticed rather than missed.
            configuration = configuration_state(path) if path is not None else ""
            held = _Held(settings, terms_of(path, settings, folder), path, configuration)
            self._held[document.uri] = held
        return held

    def _against(self, document: Document, held: _Held) -> Against | NoBaseline:
        written = line_end(document.text)
        if held.against is None or held.line_end != written:
            held = self._held[document.uri] = replace(self._read(document, held), line_end=written)
        assert held.against is not None
        return held.against

    def _read(self, document: Document, held: _Held) -> _Held:
        terms = held.terms
        if terms.error is not None:
            return replace(held, against=NoBaseline(HEAD, Reason.UNREADABLE, terms.error))
        if held.path is None:
            untitled = NoBaseline(HEAD, Reason.NO_REPOSITORY, "this document is not a file yet.")
            return replace(held, against=untitled)
        try:
            spec = BaselineSpec.parse(terms.baseline, terms.folder)
        except BaselineSpecError as error:
            return replace(held, against=NoBaseline(HEAD, Reason.MISSING_REVISION, str(error)))
        state = self._baselines.state(held.path, spec)
        found = self._baselines.read(held.path, spec, current=document.text)
        if isinstance(found, NoBaseline):
            return replace(held, against=found, spec=spec, state=state, again_at=self._again_at(document.uri, found))
        try:
            told = self._circumstances.baseline(held.path, found, terms.told)
        except ConfigurationError as error:
            unknown = NoBaseline(spec, Reason.UNREADABLE, str(error))
            again_at = self._again_at(document.uri, unknown) if isinstance(error.__cause__, GitFailure) else None
            return replace(held, against=unknown, spec=spec, state=state, again_at=again_at)
        self._patience.pop(document.uri, None)
        against = replace(self._compared(found, document.text), told=told, told_uri=self._shelved(found, told, terms))
        return replace(held, against=against, spec=spec, state=state)

    def _again_at(self, uri: str, failure: NoBaseline) -> float | None:
        """When to ask again, later each time; ``None`` where git has given an answer."""
        if failure.reason not in _PASSING:
            self._patience.pop(uri, None)
            return None
        seconds = self._patience[uri] = min(2 * self._patience.get(uri, _FIRST_PATIENCE / 2), _LONGEST_PATIENCE)
        return time.monotonic() + seconds

    def _shelved(self, baseline: Baseline, told: Circumstances, terms: Terms) -> str | None:
        """Where the client can open the configuration that the baseline was told by, if it was another one."""
        source = told.source
        if source is None or source == terms.told.source:
            return None
        return self._shelf.baseline(replace(baseline, path=source.path.name, text=source.text, blob=None))

    def _compared(self, baseline: Baseline, current: str) -> Against:
        text = with_line_ends_of(baseline.text, current)
        return Against(baseline, LineIndex(text), self._shelf.baseline(baseline))

    def _pages_for(self, analysis: Analysis) -> Mapping[str, str]:
        pages = dict(analysis.pages)
        for rule in {shown.finding.rule for shown in analysis.findings} - pages.keys():
            try:
                page = self.rule_page(rule, analysis.settings)
            except Exception:
                log.exception("no page of rule %s", rule)
                page = None
            if page is not None:
                pages[rule] = page
        return pages


class _Looks:
    """One look at what is around many documents; those of one folder share what is found there."""

    def __init__(self, baselines: BaselineReader) -> None:
        self._baselines = baselines
        self._configurations: dict[Path, str] = {}
        self._states: dict[tuple[Path, BaselineSpec], str] = {}

    def has_moved(self, held: _Held) -> bool:
        if held.path is None:
            return False
        folder = held.path.parent
        if folder not in self._configurations:
            self._configurations[folder] = configuration_state(held.path)
        if self._configurations[folder] != held.configuration:
            return True
        if held.again_at is not None and time.monotonic() >= held.again_at:
            return True
        if held.state is None:
            return False
        key = (folder, held.spec)
        if key not in self._states:
            self._states[key] = self._baselines.state(held.path, held.spec)
        return self._states[key] != held.state


def _overlap(edits: tuple[Edit, ...], others: list[Edit]) -> bool:
    return any(
        (edit.span.start < other.span.end and other.span.start < edit.span.end) or edit.span == other.span
        for edit in edits
        for other in others
    )
