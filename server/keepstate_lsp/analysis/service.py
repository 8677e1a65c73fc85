"""The worker's side of the server: all that reads files, asks git or runs the analyzer.

Everything here is called in the one worker thread. What goes in and comes out are values.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from keepstate.report import Finding, Fix, ReadTable, StateFate, StateNote, Verdict
from keepstate.text import Edit, LineIndex, apply_edits
from keepstate_lsp.analysis.document_analysis import Against, Analysis, compare, failed, waiting
from keepstate_lsp.analysis.document_context import Around, Surroundings
from keepstate_lsp.analysis.documents import Document, uri_of
from keepstate_lsp.analysis.replays.request import ReplayOffer, ReplayRequest, offer_of, request_of
from keepstate_lsp.analysis.virtual_documents import Shelf
from keepstate_lsp.analyzer import Analyzer
from keepstate_lsp.baselines import HEAD, Baseline, BaselineReader, NoBaseline
from keepstate_lsp.baselines.choices import Choice, choices
from keepstate_lsp.baselines.decoding import NotText
from keepstate_lsp.baselines.git.patience import Patience
from keepstate_lsp.baselines.reader import read_text
from keepstate_lsp.config.client_settings import Settings
from keepstate_lsp.config.effective_settings import Terms
from keepstate_lsp.config.file import Circumstances
from keepstate_lsp.files.line_ends import line_end, with_line_ends_of
from keepstate_lsp.jobs.deployed import DeployedJobs
from keepstate_lsp.jobs.listing import FileStamp, job_files
from keepstate_lsp.runtime.compiled_methods import remembered_methods
from keepstate_lsp.runtime.gc_policy import permanent

log = logging.getLogger(__name__)

HARMLESS_KINDS = frozenset({"restore-order"})
"""Fixes that change how something is written and no result of it."""


class Checks:
    """Analyses of documents, and answers about them."""

    def __init__(self, analyzer: Analyzer, baselines: BaselineReader, shelf: Shelf) -> None:
        self._analyzer = analyzer
        self._baselines = baselines
        self._shelf = shelf
        self.surroundings = Surroundings(baselines)
        self._against: dict[str, tuple[Around, str, Against]] = {}
        """The baselines of documents as they were compared last, with the line ends that they got."""
        self._pages: dict[str, str | None] = {}

    def load(self) -> None:
        """Import the analyzer and git while the user still looks at the file, and clear the shelf of old files."""
        with permanent(), remembered_methods(self._shelf.code, "analyzer"):
            self._analyzer.load()
        self._shelf.tidy()

    def analyse(
        self, document: Document, settings: Settings, folder: Path | None, previous: Analysis | None
    ) -> Analysis:
        """The analysis of a document; ``folder`` is its workspace folder. Never raises for what a text holds."""
        workspace = previous.workspace if previous is not None else None
        known = Analysis(document, settings, Terms(), workspace=workspace or self._analyzer.workspace())
        try:
            known = self._looked_around(known, folder, previous)
            if not known.is_flink:
                return known
            known = (
                waiting(known, self._analyzer, previous)
                if known.is_waiting
                else compare(known, self._analyzer, previous)
            )
        except Exception as error:
            log.exception("the analysis of %s, version %s, failed", document.uri, document.version)
            known = failed(known, error, previous)
        return replace(known, pages=self._pages_for(known))

    def survey(self, path: Path, settings: Settings, folder: Path | None, *, anew: bool = True) -> Analysis:
        """The analysis of a file that no client has open; what was read for it is let go, and read again each time,
        unless it came late for the last one (``anew`` is not set).
        """
        uri = uri_of(path)
        if anew:
            self.forget(uri)
        text = read_text(path)
        document = Document(uri, "", 0, text if isinstance(text, str) else "")
        if isinstance(text, NotText):
            without = NoBaseline(HEAD, text.reason, f"{path.name} {text.what}", text.mend)
            return Analysis(document, settings, Terms(), is_flink=document.is_declared_flink, without=without)
        analysis = self.analyse(document, settings, folder, None)
        self.surroundings.let_go(uri)
        self._against.pop(uri, None)
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
        with DeployedJobs.around(path.parent, Patience.of_editor()) as jobs:
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
        self.surroundings.forget(uri)
        self._against.pop(uri, None)

    def fixes(self, analysis: Analysis, index: int) -> tuple[Fix, ...]:
        """Verified fixes of one finding of the analysis' report."""
        comparison = analysis.comparison
        if comparison is None or analysis.report is None:
            return ()
        return self._analyzer.fixes(comparison, index)

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
        comparison = analysis.comparison
        if comparison is None or analysis.report is None:
            return ()
        return self._analyzer.file_fixes(comparison)

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
        terms = analysis.terms
        return self._analyzer.state_notes(
            analysis.document.text, terms.told.parameters, terms.engine, analysis.workspace
        )

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
        return self._analyzer.read_tables(analysis.document.text, analysis.terms.told.parameters, analysis.workspace)

    def plan(self, analysis: Analysis) -> tuple[str, str | None]:
        """The plan as text, beside that of the baseline if there is one, and where the client can open it."""
        comparison, against = analysis.comparison, analysis.against
        if comparison is not None and against is not None:
            titles = (f"baseline: {against.baseline.words}", f"current: {analysis.document.name}")
            text = self._analyzer.plans(comparison, titles)
        else:
            terms = analysis.terms
            text = self._analyzer.plan(analysis.document.text, terms.told.parameters, terms.engine, analysis.workspace)
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

    def _looked_around(self, known: Analysis, folder: Path | None, previous: Analysis | None) -> Analysis:
        """``known`` with the terms of its document and with what that is compared with, if it is Flink SQL."""
        document = known.document
        may_speak = document.has_known_scheme and not document.is_toml and not self._shelf.holds(document.path)
        is_flink = may_speak and (document.is_declared_flink or self._analyzer.looks_like_flink(document.text))
        # Nothing shows what an emptied file was, but what it was.
        is_empty = may_speak and not document.text.strip()
        around = self.surroundings.around(document, known.settings, folder, is_flink or is_empty)
        if isinstance(around, NoBaseline):
            was_flink = may_speak and previous is not None and previous.is_flink
            terms = previous.terms if previous is not None else known.terms
            return replace(known, terms=terms, is_flink=is_flink or was_flink, without=around)
        known = replace(known, terms=around.terms)
        against = self._compared(around, document) if may_speak and around.baseline is not None else None
        is_flink = is_flink or (may_speak and around.terms.is_named)
        if not is_flink and is_empty and isinstance(against, Against):
            is_flink = self._analyzer.looks_like_flink(against.text)
        if not is_flink:
            return known
        if isinstance(against, NoBaseline):
            return replace(known, is_flink=True, without=against)
        return replace(known, is_flink=True, against=against)

    def _compared(self, around: Around, document: Document) -> Against | NoBaseline:
        """The baseline with the line ends of the document."""
        baseline = around.baseline
        assert baseline is not None
        if isinstance(baseline, NoBaseline):
            return baseline
        written = line_end(document.text)
        kept = self._against.get(document.uri)
        if kept is None or kept[0] != around or kept[1] != written:
            lines = LineIndex(with_line_ends_of(baseline.text, document.text))
            told_uri = self._shelved(baseline, around.told, around.terms)
            accepted = () if around.path is None else around.terms.accepted_in(around.path, baseline.predecessor)
            against = Against(baseline, lines, self._shelf.baseline(baseline), around.told, told_uri, accepted)
            kept = self._against[document.uri] = (around, written, against)
        return kept[2]

    def _shelved(self, baseline: Baseline, told: Circumstances, terms: Terms) -> str | None:
        """Where the client can open the configuration that the baseline was told by, if it was another one."""
        source = told.source
        if source is None or source == terms.told.source:
            return None
        return self._shelf.baseline(replace(baseline, path=source.path.name, text=source.text, blob=None))

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


def _overlap(edits: tuple[Edit, ...], others: list[Edit]) -> bool:
    return any(
        (edit.span.start < other.span.end and other.span.start < edit.span.end) or edit.span == other.span
        for edit in edits
        for other in others
    )
