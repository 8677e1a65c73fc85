"""Which findings a change adds, when what runs is not what the change began with.

Two questions are asked of a file, each of a baseline of its own. What would a restart do now? That is the *truth*, and
the deployed version answers it. Whose doing is it? That is the *blame*, and the version that the change branched off
answers it. A finding of the truth was there before if the very same finding would be there without the change: if it is
among those of (deployed -> branched off). All others the change has added, and so it has in doubt.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from keepstate.report import Finding, Fix, Report, Verdict
from keepstate_lsp.config.file import Circumstances
from keepstate_lsp.files.line_ends import with_line_ends_of

if TYPE_CHECKING:
    import keepstate
    from keepstate_lsp.baselines import Baseline


@dataclass(frozen=True)
class Origin:
    """Where a baseline came from; all but the words are ``None`` for two files compared with one another."""

    words: str
    spec: str | None = None
    commit: str | None = None
    path: str | None = None

    @staticmethod
    def of(baseline: Baseline, note: str = "") -> Origin:
        """``note`` goes behind the words."""
        return Origin(baseline.words + note, baseline.spec.written, baseline.commit, baseline.path)


@dataclass(frozen=True)
class Former:
    """What a change began with: the file where it branched off, and what the job was told there."""

    origin: Origin
    text: str | None
    """``None`` where the file did not exist, or could not be had."""
    told: Circumstances
    doubt: str | None = None
    """Why the file could not be had, a sentence."""


@dataclass(frozen=True)
class Blame:
    """Whose doing the findings of a file are."""

    origin: Origin
    before: tuple[Finding, ...] = ()
    """The findings that were there before the change."""
    changed: bool = True
    """Whether the change touches the file at all."""
    doubt: str | None = None
    """Why nobody can tell what was there before, a sentence; the change then answers for all."""

    def verdict(self, findings: Sequence[Finding]) -> Verdict:
        """The worst that the change adds and that nobody accepted."""
        return Verdict.worst(
            finding.verdict for finding in findings if finding.accepted is None and finding not in self.before
        )


@dataclass(frozen=True)
class FileChange:
    """A change of a file: its restart from what runs, and what it began with."""

    analysis: keepstate.Analysis
    """That of ``baseline`` (deployed) to ``current``."""
    current: keepstate.JobVersion
    baseline: keepstate.JobVersion
    former: Former
    engine: str
    workspace: keepstate.Workspace

    def beginning(self) -> keepstate.JobVersion | None:
        """What the change began with, with the line ends of the current text; ``None`` where the file did not exist."""
        import keepstate

        if self.former.text is None:
            return None
        told = self.former.told
        text = with_line_ends_of(self.former.text, self.current.text)
        return keepstate.JobVersion(text, told.parameters, told.engine_version)

    def between(self, current: keepstate.JobVersion, baseline: keepstate.JobVersion) -> keepstate.Analysis:
        """The analysis of two of its versions."""
        import keepstate

        return keepstate.analyse(current, baseline, self.engine, self.workspace)


def blame(report: Report, change: FileChange) -> Blame:
    """Whose doing the findings of ``report``, which is that of the analysis of ``change``, are."""
    origin = change.former.origin
    beginning = change.beginning()
    if beginning is None:
        return Blame(origin, doubt=change.former.doubt)
    if beginning == change.current:
        return Blame(origin, report.findings, changed=False)
    if not report.findings:
        return Blame(origin)
    without = change.between(beginning, change.baseline).report()
    if without.problems:
        return Blame(origin, doubt=f"What {origin.words} holds of it cannot be read.")
    before = _matched(report, without)
    if len(before) < len(report.findings) and change.between(change.current, beginning).report().unchanged:
        # Another layout, other names: what means nothing adds nothing, whatever words findings take for it.
        before = report.findings
    return Blame(origin, before)


def own_fixes(report: Report, change: FileChange, blamed: Blame) -> tuple[tuple[Fix, ...], ...]:
    """For each finding the fixes that are a matter of this change: they take back, or mend, what it added, and leave
    what was there before. What the change does not answer for it has nothing to mend of.
    """
    import keepstate

    analysis, beginning = change.analysis, change.beginning()
    if beginning is None or blamed.doubt is not None:
        return tuple(analysis.fixes(index) for index in range(len(report.findings)))
    since = change.between(change.current, beginning)

    def leaves_the_rest(fix: Fix) -> bool:
        return not _keys(since.report_with(fix.edits)) - _keys(since.report())

    def of(index: int) -> tuple[Fix, ...]:
        finding = report.findings[index]
        if finding in blamed.before:
            return ()
        found = [fix for fix in analysis.fixes(index) if leaves_the_rest(fix)]
        if not found:
            # Where both changed one clause, only what it was in between can be put back.
            found += (
                keepstate.leading_to(fix, analysis.report_with(fix.edits).verdict)
                for number in _same_place(finding, since.report())
                for fix in since.fixes(number)
            )
        return tuple(found)

    return tuple(map(of, range(len(report.findings))))


def _keys(report: Report) -> Counter[str]:
    """The changes of meaning that a report tells of."""
    return Counter(finding.key for finding in report.findings)


def _same_place(finding: Finding, since: Report) -> list[int]:
    """The findings of another report that are about the same clause, those of the same change first."""
    numbers = range(len(since.findings))
    same = [number for number in numbers if since.findings[number].key == finding.key]
    place = finding.current.span
    places = [other.current.span for other in since.findings]
    near = [number for number in numbers if places[number].start < place.end and place.start < places[number].end]
    return list(dict.fromkeys((*same, *near)))


def _matched(report: Report, without: Report) -> tuple[Finding, ...]:
    """The findings that have a counterpart in the report without the change: about the same change of meaning, at least
    as bad, felt by the same pipelines. Each counterpart stands for one finding: who makes an edit once more, in another
    query, has added one.
    """
    theirs = {pipeline.name for pipeline in without.pipelines}
    ours = {pipeline.name for pipeline in report.pipelines}
    felt, felt_without = _felt(report, theirs), _felt(without, ours)
    left = list(enumerate(without.findings))
    matched: list[Finding] = []
    for index, finding in enumerate(report.findings):
        is_same = _counterpart(finding, felt(index), felt_without)
        found = next((entry for entry in left if is_same(*entry)), None)
        if found is not None:
            left.remove(found)
            matched.append(finding)
    return tuple(matched)


def _counterpart(
    finding: Finding, pipelines: frozenset[str | None], felt_without: Callable[[int], frozenset[str | None]]
) -> Callable[[int, Finding], bool]:
    def is_counterpart(index: int, other: Finding) -> bool:
        return (
            other.key == finding.key and other.verdict.rank >= finding.verdict.rank and pipelines <= felt_without(index)
        )

    return is_counterpart


def _felt(report: Report, others: set[str]) -> Callable[[int], frozenset[str | None]]:
    """The pipelines that feel a finding, by name; ``None`` stands for all whose name the other report does not know,
    since a renamed sink is the same pipeline.
    """

    def pipelines(index: int) -> frozenset[str | None]:
        names = {pipeline.name for pipeline in report.pipelines if index in pipeline.findings}
        own = report.findings[index].pipeline
        if own is not None:
            names.add(own)
        return frozenset(name if name in others else None for name in names)

    return pipelines
