"""The findings that a change adds, if the deployed version is not the one that the change began with.

A file then has two baselines. The report compares the current text with the *deployed* version: its findings say what a
restart does. The version that the change *branched off* from decides which of them are new: a finding is not new if the
comparison (deployed -> branched off) has the very same finding. All others are new, and so is a finding in doubt.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from keepstate.report import Finding, Fix, Refusal, Report, Verdict
from keepstate_lsp.config.file import JobConfig
from keepstate_lsp.config.job_versions import job_version
from keepstate_lsp.files.line_ends import with_line_ends_of

if TYPE_CHECKING:
    import keepstate
    from keepstate.project.composed_analysis import ComposedAnalysis
    from keepstate_lsp.baselines import Baseline


@dataclass(frozen=True)
class BaselineOrigin:
    """The origin of a baseline; all but the words are ``None`` for two files compared with one another."""

    words: str
    spec: str | None = None
    commit: str | None = None
    path: str | None = None

    @staticmethod
    def of(baseline: Baseline, note: str = "") -> BaselineOrigin:
        """``note`` goes behind the words."""
        return BaselineOrigin(baseline.words + note, baseline.spec.text, baseline.commit, baseline.path)


@dataclass(frozen=True)
class BranchPoint:
    """The version that a change began with: the file where it branched off, and its configuration there."""

    origin: BaselineOrigin
    text: str | None
    """``None`` where the file did not exist, or could not be had."""
    config: JobConfig
    doubt: str | None = None
    """Reason why the file is not available, a sentence."""


@dataclass(frozen=True)
class NewFindings:
    """The findings of a file, split into those that the change adds and those from before."""

    origin: BaselineOrigin
    before: tuple[Finding, ...] = ()
    """The findings that were there before the change."""
    touches_file: bool = True
    """The change touches the file."""
    doubt: str | None = None
    """Reason why the former findings are unknown, a sentence; all findings then count as new."""
    refused: tuple[Refusal, ...] = ()
    """The statements that the change adds and that the engine refuses, or may refuse."""

    def verdict(self, findings: Sequence[Finding]) -> Verdict:
        """The worst verdict of the new findings that are not accepted; unknown at best beside a new refusal."""
        verdicts = [finding.verdict for finding in findings if finding.accepted is None and finding not in self.before]
        return Verdict.worst((*verdicts, Verdict.UNKNOWN) if self.refused else verdicts)


@dataclass(frozen=True)
class DeployedFileChange:
    """A change of a file: its restart from what runs, and what it began with."""

    analysis: ComposedAnalysis
    """The analysis from ``baseline`` (deployed) to ``current``."""
    current: keepstate.JobVersion
    baseline: keepstate.JobVersion
    former: BranchPoint
    engine: str
    workspace: keepstate.Workspace

    def beginning(self) -> keepstate.JobVersion | None:
        """The version that the change began with, with the line ends of the current text; ``None`` without a file."""
        if self.former.text is None:
            return None
        config = self.former.config
        text = with_line_ends_of(self.former.text, self.current.text)
        return job_version(text, config, self.engine)

    def between(self, current: keepstate.JobVersion, baseline: keepstate.JobVersion) -> keepstate.RestartAnalysis:
        """The analysis of two of its versions."""
        import keepstate

        return keepstate.analyse(current, baseline, self.engine, self.workspace)


def new_findings(report: Report, change: DeployedFileChange) -> NewFindings:
    """Split the findings of ``report``, which is that of the analysis of ``change``, into new and former ones."""
    origin = change.former.origin
    beginning = change.beginning()
    if beginning is None:
        return NewFindings(origin, doubt=change.former.doubt, refused=report.refusals)
    if beginning == change.current:
        return NewFindings(origin, report.findings, touches_file=False)
    if not report.findings and not report.refusals:
        return NewFindings(origin)
    without = change.between(beginning, change.baseline).report()
    if without.problems or not without.is_valid:
        doubt = f"What {origin.words} holds of it is no program that can be read."
        return NewFindings(origin, doubt=doubt, refused=report.refusals)
    before = _counterparts(report, without)
    old_refusals = {(refusal.rule, refusal.message) for refusal in without.refusals}
    refused = tuple(refusal for refusal in report.refusals if (refusal.rule, refusal.message) not in old_refusals)
    if len(before) < len(report.findings) and change.between(change.current, beginning).report().unchanged:
        # Another layout or other names: an edit without meaning adds no finding, in any words.
        before = report.findings
    return NewFindings(origin, before, refused=refused)


def own_fixes(report: Report, change: DeployedFileChange, new: NewFindings) -> tuple[tuple[Fix, ...], ...]:
    """The fixes of each finding that are a matter of this change: they revert or mend the new findings, and leave the
    former ones. A finding that is not new has none.
    """
    import keepstate

    analysis, beginning = change.analysis, change.beginning()
    if beginning is None or new.doubt is not None:
        return tuple(
            analysis.fixes(index) if index in report.with_fixes else () for index in range(len(report.findings))
        )
    since = change.between(change.current, beginning)

    def leaves_the_rest(fix: Fix) -> bool:
        return not _keys(since.report_with(fix.edits)) - _keys(since.report())

    def of(index: int) -> tuple[Fix, ...]:
        finding = report.findings[index]
        if finding in new.before or index not in report.with_fixes:
            return ()
        candidates = [fix for fix in analysis.fixes(index) if leaves_the_rest(fix)]
        if not candidates:
            # Where both changed one clause, only what it was in between can be put back.
            candidates += (
                keepstate.leading_to(fix, analysis.report_with(fix.edits).verdict)
                for number in _same_place(finding, since.report())
                for fix in since.fixes(number)
            )
        return tuple(candidates)

    return tuple(map(of, range(len(report.findings))))


def _keys(report: Report) -> Counter[str]:
    """The keys of all changes in a report, counted."""
    return Counter(finding.key for finding in report.findings)


def _same_place(finding: Finding, since: Report) -> list[int]:
    """The findings of another report that are about the same clause, those of the same change first."""
    numbers = range(len(since.findings))
    same = [number for number in numbers if since.findings[number].key == finding.key]
    place = finding.current.span
    places = [other.current.span for other in since.findings]
    near = [number for number in numbers if places[number].start < place.end and place.start < places[number].end]
    return list(dict.fromkeys((*same, *near)))


def _counterparts(report: Report, without: Report) -> tuple[Finding, ...]:
    """The findings that have a counterpart in the report without the change: about the same change of meaning, at least
    as bad, felt by the same pipelines. Each counterpart stands for one finding: who makes an edit once more, in another
    query, has added one.
    """
    current_names = {pipeline.name for pipeline in without.pipelines}
    own_names = {pipeline.name for pipeline in report.pipelines}
    felt, felt_without = _pipelines_by_finding(report, current_names), _pipelines_by_finding(without, own_names)
    unmatched = list(enumerate(without.findings))
    matches: list[Finding] = []
    for index, finding in enumerate(report.findings):
        is_same = _counterpart(finding, felt(index), felt_without)
        twin = next((entry for entry in unmatched if is_same(*entry)), None)
        if twin is not None:
            unmatched.remove(twin)
            matches.append(finding)
    return tuple(matches)


def _counterpart(
    finding: Finding, pipelines: frozenset[str | None], felt_without: Callable[[int], frozenset[str | None]]
) -> Callable[[int, Finding], bool]:
    def is_counterpart(index: int, other: Finding) -> bool:
        return (
            other.key == finding.key and other.verdict.rank >= finding.verdict.rank and pipelines <= felt_without(index)
        )

    return is_counterpart


def _pipelines_by_finding(report: Report, other_names: set[str]) -> Callable[[int], frozenset[str | None]]:
    """The pipelines of a finding, by name; ``None`` stands for all names that the other report does not have, since a
    renamed sink is the same pipeline.
    """

    def pipelines(index: int) -> frozenset[str | None]:
        names = {pipeline.name for pipeline in report.pipelines if index in pipeline.findings}
        own = report.findings[index].pipeline
        if own is not None:
            names.add(own)
        return frozenset(name if name in other_names else None for name in names)

    return pipelines
