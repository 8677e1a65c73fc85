"""Answers about the last analyses of open documents, each computed once for an analysis."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from keepstate.report import Finding, Fix, StateHover, StateOutcome
from keepstate.text import Encoding, Position, Span
from keepstate_lsp.analysis.document_analysis import Analysis
from keepstate_lsp.analysis.documents import path_of
from keepstate_lsp.analysis.runs.lines import AllRunLines
from keepstate_lsp.analysis.service import AnalysisService
from keepstate_lsp.analysis.several_files.other_file_findings import OtherFileFinding
from keepstate_lsp.analyzer import finding_key
from keepstate_lsp.features.hover import HoverText, hover_at, join_texts
from keepstate_lsp.features.inlays import Inlay, inlays

T = TypeVar("T")

log = logging.getLogger(__name__)

Ask = Callable[[Callable[[AnalysisService], Any]], Awaitable[Any]]
"""Puts a question to the worker's side."""


@dataclass
class _Kept:
    """An analysis, with memoized answers about it."""

    analysis: Analysis
    fixes: dict[tuple[int, int | None], tuple[Fix, ...]] = field(default_factory=dict)
    """By the number of the job and the index of the finding; ``None``: of the file."""
    notes: dict[tuple[int, int], tuple[StateHover, ...]] = field(default_factory=dict)
    """By the number of the job and the offset."""

    def number_of(self, analysis: Analysis) -> int | None:
        """The number of an analysis among those of the document; ``None`` for one that is not the last."""
        return next((number for number, each in enumerate(self.analysis.every) if each is analysis), None)


class Answers:
    """Lives on the event loop. ``survey`` analyses a file that is not open."""

    def __init__(
        self, ask: Ask, survey: Callable[[Path], Awaitable[Analysis]], run_lines: AllRunLines, encoding: Encoding
    ) -> None:
        self._ask = ask
        self._survey = survey
        self._run_lines = run_lines
        self._encoding = encoding
        self._kept: dict[str, _Kept] = {}

    def renew(self, analysis: Analysis) -> None:
        """Take the last analysis of a document."""
        self._kept[analysis.document.uri] = _Kept(analysis)

    def forget(self, uri: str) -> None:
        """Let go of a document that was closed."""
        self._kept.pop(uri, None)

    async def hover(
        self, analysis: Analysis, position: Position, comparison: Callable[[Analysis], Awaitable[str | None]]
    ) -> HoverText | None:
        """The text of a hover; ``comparison`` makes the address of the comparison that a finding links to."""
        if not analysis.is_flink:
            return None
        offset = analysis.document.lines.offset(position, self._encoding)
        texts: list[HoverText] = []
        for each in analysis.every:
            text = await self._hover(each, offset, comparison)
            if text is not None and text not in texts:
                texts.append(text)
        return join_texts(texts)

    async def _hover(
        self, analysis: Analysis, offset: int, comparison: Callable[[Analysis], Awaitable[str | None]]
    ) -> HoverText | None:
        """The words of one job of a document at an offset."""
        fates: dict[int, StateOutcome] = {}
        evidence: dict[int, str] = {}
        findings = analysis.findings_in(Span(offset, offset))
        for placed in findings:
            index = placed.index
            if index is not None and (fate := await self._fate(analysis, index)) is not None:
                fates[index] = fate
            if index is not None:
                evidence[index] = await self._evidence(analysis, placed.finding)
        # A finding says what becomes of its state, so nothing is shown there of what clauses keep.
        notes = () if findings else await self._notes(analysis, offset)
        link = await comparison(analysis) if findings else None
        return hover_at(offset, analysis, notes, fates, link, evidence, self._run_lines)

    def inlays(self, analysis: Analysis, span: Span) -> list[Inlay]:
        """The inlay hints of a stretch of a document; none where the user does not want any."""
        if not analysis.is_flink or not analysis.settings.inlay_hints:
            return []
        every = [inlay for each in analysis.every for inlay in inlays(each, span)]
        return list({inlay.offset: inlay for inlay in reversed(every)}.values())[::-1]

    async def fixes(self, analysis: Analysis, index: int | None) -> tuple[Fix, ...]:
        """Verified fixes of a finding of the report (``None``: of the whole file), computed once per analysis."""
        last_analysis = self._kept.get(analysis.document.uri)
        number = None if last_analysis is None else last_analysis.number_of(analysis)
        if last_analysis is None or number is None:
            return ()
        if any(placed.index == index and placed.outside is not None for placed in analysis.findings):
            # Fixes stand at the clause that was edited.
            return ()
        if (number, index) not in last_analysis.fixes:
            last_analysis.fixes[number, index] = await self._answer(
                lambda service: service.file_fixes(analysis) if index is None else service.fixes(analysis, index), ()
            )
        return last_analysis.fixes[number, index]

    async def fixes_elsewhere(self, finding: OtherFileFinding) -> tuple[Fix, ...]:
        """Verified fixes of a finding of another job at a clause of a file, as edits of that file."""
        last_analysis, path, index = self._kept.get(finding.uri), path_of(finding.uri), finding.index
        if index is None or path is None:
            return ()
        last = last_analysis.analysis if last_analysis is not None else await self._survey(Path(path))
        analysis = next((each for each in last.every if each.part is not None and each.part.title == finding.job), last)
        part = analysis.part
        if part is None or analysis.report is None or index >= len(analysis.report.findings):
            return ()
        if finding_key(analysis.report.findings[index]) != finding.key:
            return ()
        own = finding.path.relative_to(part.root).as_posix()
        nothing: tuple[Fix, ...] = ()
        return await self._answer(lambda service: service.fixes(analysis, index, own), nothing)

    async def _fate(self, analysis: Analysis, index: int) -> StateOutcome | None:
        return await self._answer(lambda service: service.state_outcome(analysis, index), None)

    async def _evidence(self, analysis: Analysis, finding: Finding) -> str:
        return await self._answer(lambda service: service.evidence(analysis, finding), "")

    async def _notes(self, analysis: Analysis, offset: int) -> tuple[StateHover, ...]:
        last_analysis = self._kept.get(analysis.document.uri)
        number = None if last_analysis is None else last_analysis.number_of(analysis)
        if last_analysis is None or number is None:
            return ()
        key = number, offset
        if key not in last_analysis.notes:
            nothing: tuple[StateHover, ...] = ()
            last_analysis.notes[key] = await self._answer(
                lambda service: service.state_hovers(analysis, offset), nothing
            )
        return last_analysis.notes[key]

    async def _answer(self, question: Callable[[AnalysisService], T], default: T) -> T:
        """An answer that is an extra: a failure is logged, and the rest of the reply stands."""
        try:
            answer: T = await self._ask(question)
        except Exception:
            log.exception("an answer could not be given")
            return default
        return answer
