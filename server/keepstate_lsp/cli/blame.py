"""Which findings a change adds, when what runs is not what the change began with.

Two questions are asked of a file, each of a baseline of its own. What would a restart do now? That is the *truth*, and
the deployed version answers it. Whose doing is it? That is the *blame*, and the version that the change branched off
answers it. A finding of the truth was there before if the very same finding would be there without the change: if it is
among those of (deployed -> branched off). All others the change has added, and so it has in doubt.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from keepstate.report import Finding, Fix, Report, Verdict
from keepstate.text import apply_edits
from keepstate_lsp.configuration import Circumstances
from keepstate_lsp.line_ends import with_line_ends_of

if TYPE_CHECKING:
    import keepstate
    from keepstate_lsp.cli.comparison import Origin


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


def blame(
    report: Report, current: keepstate.JobVersion, baseline: keepstate.JobVersion, former: Former, engine: str
) -> Blame:
    """Whose doing the findings of ``report`` are, which is that of ``baseline`` (deployed) to ``current``."""
    import keepstate

    if former.text is None:
        return Blame(former.origin, doubt=former.doubt)
    text = with_line_ends_of(former.text, current.text)
    told = former.told
    same_told = (told.parameters, told.engine_version) == (current.parameters, current.engine_version)
    if text == current.text and same_told:
        return Blame(former.origin, report.findings, changed=False)
    if not report.findings:
        return Blame(former.origin)
    version = keepstate.JobVersion(text, told.parameters, told.engine_version)
    without = keepstate.check(version, baseline, engine)
    if without.problems:
        return Blame(former.origin, doubt=f"What {former.origin.words} holds of it cannot be read.")
    before = _matched(report, without)
    if len(before) < len(report.findings) and keepstate.check(current, version, engine).unchanged:
        # Another layout, other names: what means nothing adds nothing, whatever words findings take for it.
        before = report.findings
    return Blame(former.origin, before)


def own_fixes(
    report: Report,
    current: keepstate.JobVersion,
    baseline: keepstate.JobVersion,
    former: Former,
    blamed: Blame,
    engine: str,
) -> tuple[tuple[Fix, ...], ...]:
    """For each finding the fixes that are a matter of this change: they take back, or mend, what it added, and leave
    what was there before. What the change does not answer for it has nothing to mend of.
    """
    import keepstate

    text = None if former.text is None else with_line_ends_of(former.text, current.text)
    if text is None or blamed.doubt is not None:
        return tuple(keepstate.fixes(current, baseline, report, index, engine) for index in range(len(report.findings)))
    version = keepstate.JobVersion(text, former.told.parameters, former.told.engine_version)
    since = keepstate.check(current, version, engine)

    def leaves_the_rest(fix: Fix) -> bool:
        fixed = replace(current, text=apply_edits(current.text, fix.edits))
        return not _keys(keepstate.check(fixed, version, engine)) - _keys(since)

    def of(index: int) -> tuple[Fix, ...]:
        finding = report.findings[index]
        if finding in blamed.before:
            return ()
        found = [fix for fix in keepstate.fixes(current, baseline, report, index, engine) if leaves_the_rest(fix)]
        if not found:
            # Where both changed one clause, only what it was in between can be put back.
            for number in _same_place(finding, since):
                for fix in keepstate.fixes(current, version, since, number, engine):
                    fixed = replace(current, text=apply_edits(current.text, fix.edits))
                    found.append(keepstate.leading_to(fix, keepstate.check(fixed, baseline, engine).verdict))
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
