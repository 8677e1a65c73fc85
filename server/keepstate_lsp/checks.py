"""The worker's side of the server: all that reads files, asks git or runs the analyzer.

Everything here is called in the one worker thread. What goes in and comes out are values.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from keepstate.report import Fix, Report, StateNote, Verdict
from keepstate.text import Edit, LineIndex, apply_edits

from keepstate_lsp.analysis import Against, Analysis, compare, failed
from keepstate_lsp.analyzer import Analyzer
from keepstate_lsp.baselines import HEAD, Baseline, BaselineReader, BaselineSpec, BaselineSpecError, NoBaseline, Reason
from keepstate_lsp.documents import Document
from keepstate_lsp.settings import Settings
from keepstate_lsp.shelf import Shelf

log = logging.getLogger(__name__)

HARMLESS_KINDS = frozenset({"restore-order"})
"""Fixes that change how something is written and no result of it."""


@dataclass(frozen=True)
class _Held:
    """A baseline as it was read last for a document."""

    written: str
    """The spec as the settings have it."""
    line_end: str
    against: Against | NoBaseline
    path: Path | None = None
    spec: BaselineSpec = HEAD
    state: str = ""
    """Fingerprint of what the spec named before the baseline was read."""


class Checks:
    """Analyses of documents, and answers about them."""

    def __init__(self, analyzer: Analyzer, baselines: BaselineReader, shelf: Shelf) -> None:
        self._analyzer = analyzer
        self._baselines = baselines
        self._shelf = shelf
        self._held: dict[str, _Held] = {}

    def load(self) -> None:
        """Import the analyzer and git while the user still looks at the file, and clear the shelf of old files."""
        self._analyzer.load()
        self._shelf.tidy()

    def analyse(
        self, document: Document, settings: Settings, folder: Path | None, previous: Analysis | None
    ) -> Analysis:
        """The analysis of a document; ``folder`` is its workspace folder. Never raises for what a text holds."""
        try:
            if not self._speaks_of(document):
                return Analysis(document, settings)
            against = self._against(document, settings, folder)
            analysis = compare(document, settings, against, self._analyzer, previous)
        except Exception as error:
            log.exception("the analysis of %s, version %s, failed", document.uri, document.version)
            analysis = failed(document, settings, error, previous)
        return replace(analysis, pages={**analysis.pages, **self._pages(analysis)})

    def forget_baseline(self, uri: str) -> None:
        """Read the baseline of a document again at its next analysis."""
        self._held.pop(uri, None)

    def moved(self) -> list[str]:
        """The documents whose baseline may have moved since it was read. Runs no git."""
        return [
            uri
            for uri, held in self._held.items()
            if held.path is not None and self._baselines.state(held.path, held.spec) != held.state
        ]

    def fixes(self, analysis: Analysis, index: int) -> tuple[Fix, ...]:
        """Verified fixes of one finding of the analysis' report."""
        against, report = analysis.against, analysis.report
        if against is None or report is None:
            return ()
        return self._analyzer.fixes(analysis.document.text, against.text, report, index, analysis.settings.engine)

    def file_fixes(self, analysis: Analysis) -> tuple[Fix, ...]:
        against, report = analysis.against, analysis.report
        if against is None or report is None:
            return ()
        return self._analyzer.file_fixes(analysis.document.text, against.text, report, analysis.settings.engine)

    def harmless_edits(self, analysis: Analysis) -> tuple[tuple[Edit, ...], Verdict] | None:
        """All edits that change no result, made at once, and the verdict they lead to; ``None`` if there are none."""
        report, against = analysis.report, analysis.against
        if report is None or against is None:
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
        text = apply_edits(analysis.document.text, edits)
        together: Report = self._analyzer.check(text, against.text, analysis.settings.engine)
        if together.problems or together.verdict.rank > report.verdict.rank:
            return None
        return tuple(edits), together.verdict

    def state_notes(self, document: Document) -> tuple[StateNote, ...]:
        return self._analyzer.state_notes(document.text)

    def plan(self, document: Document) -> tuple[str, str | None]:
        """The plan as text, and where the client can open it."""
        text = self._analyzer.plan(document.text)
        return text, self._shelf.plan(document.name, text)

    def rule_page(self, rule: str, settings: Settings) -> str | None:
        """The address of a rule's page: below ``docsUrl``, else a local file."""
        if settings.docs_url:
            return f"{settings.docs_url.rstrip('/')}/{rule}"
        page = self._analyzer.rule_page(rule)
        return None if page is None else self._shelf.rule_page(rule, page)

    def close(self) -> None:
        self._baselines.close()

    def _speaks_of(self, document: Document) -> bool:
        if not document.has_known_scheme or self._shelf.holds(document.path):
            return False
        return document.is_declared_flink or self._analyzer.looks_like_flink(document.text)

    def _against(self, document: Document, settings: Settings, folder: Path | None) -> Against | NoBaseline:
        line_end = _line_end(document.text)
        held = self._held.get(document.uri)
        if held is None or (held.written, held.line_end) != (settings.baseline, line_end):
            held = self._held[document.uri] = self._read(document, settings.baseline, line_end, folder)
        return held.against

    def _read(self, document: Document, written: str, line_end: str, folder: Path | None) -> _Held:
        if document.path is None:
            untitled = NoBaseline(HEAD, Reason.NO_REPOSITORY, "this document is not a file yet.")
            return _Held(written, line_end, untitled)
        path = Path(document.path)
        try:
            spec = BaselineSpec.parse(written, folder or path.parent)
        except BaselineSpecError as error:
            return _Held(written, line_end, NoBaseline(HEAD, Reason.MISSING_REVISION, str(error)))
        # Taken before reading: a commit in between is then noticed rather than missed.
        state = self._baselines.state(path, spec)
        found = self._baselines.read(path, spec, current=document.text)
        against = found if isinstance(found, NoBaseline) else self._compared(found, line_end)
        return _Held(written, line_end, against, path, spec, state)

    def _compared(self, baseline: Baseline, line_end: str) -> Against:
        # Git may store other line ends than the work tree has; a clause put back must not bring them along.
        text = baseline.text
        if line_end != _line_end(text):
            text = text.replace("\r\n", "\n").replace("\n", line_end)
        return Against(baseline, LineIndex(text), self._shelf.baseline(baseline))

    def _pages(self, analysis: Analysis) -> Mapping[str, str]:
        pages = {}
        for rule in {shown.finding.rule for shown in analysis.findings} - analysis.pages.keys():
            try:
                page = self.rule_page(rule, analysis.settings)
            except Exception:
                log.exception("no page of rule %s", rule)
                page = None
            if page is not None:
                pages[rule] = page
        return pages


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _overlap(edits: tuple[Edit, ...], others: list[Edit]) -> bool:
    return any(
        (edit.span.start < other.span.end and other.span.start < edit.span.end) or edit.span == other.span
        for edit in edits
        for other in others
    )
