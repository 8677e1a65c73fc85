"""A run in one line: the worst verdict, what was found, and what became of the files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from keepstate.report import Effect, Finding, Verdict
from keepstate_lsp.cli.result.file_result import FileResult, FileStatus, RunProblem
from keepstate_lsp.cli.result.run_scope import RunScope
from keepstate_lsp.reporting.effects import with_effect

_LEAST_RUN = 3
"""Numbers in a row that are written as a range."""
STATUS_WORDS = {
    FileStatus.COMPARED: "compared",
    FileStatus.UNCHANGED: "unchanged",
    FileStatus.NEW: "new",
    FileStatus.DELETED: "deleted",
    FileStatus.NOT_COMPARED: "not compared",
    FileStatus.NOT_VALID: "not valid",
}


def run_verdict(comparisons: Sequence[FileResult], problems: Sequence[RunProblem] = ()) -> Verdict:
    """The worst verdict of a run; what kept it from comparing anything leaves it unknown at best."""
    verdict = Verdict.worst(comparison.verdict for comparison in comparisons)
    return Verdict.worst((verdict, Verdict.UNKNOWN)) if problems else verdict


def summary(comparisons: Sequence[FileResult]) -> str:
    """The run in one line, as ``2 findings (1 incompatible, 1 partial); 3 files: 2 compared, 1 new``."""
    findings = [finding for comparison in comparisons if comparison.report for finding in comparison.report.findings]
    words = counted(len(findings), "finding")
    if findings:
        kinds = [(sum(finding.verdict is kind for finding in findings), kind) for kind in reversed(Verdict)]
        counts = [f"{number} {kind.value}" for number, kind in kinds if number]
        wrong = sum(finding.effect is Effect.WRONG_RESULTS for finding in findings)
        counts += [f"wrong numbers by {wrong} of them"] if wrong else []
        words += f" ({', '.join(counts)})"
    before = sum(len(findings_before(comparison)) for comparison in comparisons)
    if before:
        words += f", {len(findings) - before or 'none'} of them by this change"
    statuses = [(sum(entry.status is status for entry in comparisons), status) for status in FileStatus]
    names = ", ".join(f"{number} {STATUS_WORDS[status]}" for number, status in statuses if number)
    return f"{words}; {counted(len(comparisons), 'file')}: {names}."


def sides_of_run(comparisons: Sequence[FileResult]) -> str:
    """The baselines and engines of a run in one line; of a default engine, how to choose another."""
    origins = dict.fromkeys(one.origin.words for one in comparisons if one.origin is not None)
    against = f"Against {_first_of(origins)}" if origins else "Against nothing"
    settings = {one.settings.engine: one.settings for one in comparisons}
    engines = "engine " + " and ".join(settings)
    is_chosen = all(one.engine_is_chosen for one in settings.values())
    return f"{against}, {engines}." if is_chosen else f"{against}, {engines} (default; keepstate init chooses)."


def _first_of(words: Iterable[str]) -> str:
    first, *rest = words
    return f"{first} and {counted(len(rest), 'other baseline')}" if rest else first


def job_verdict(comparison: FileResult) -> str:
    """``incompatible, wrong numbers``: the verdict on a job, and what its effect adds."""
    words = comparison.verdict.value
    return words if comparison.report is None else with_effect(words, comparison.report.effect)


def findings_before(comparison: FileResult) -> list[Finding]:
    """The findings that were there before the change, so that it need not answer for them."""
    findings = comparison.report.findings if comparison.report is not None else ()
    return [finding for finding in findings if not comparison.is_added(finding)]


def standing(comparison: FileResult, finding: Finding) -> str | None:
    """The reason why a finding does not count for the gate, in words; ``None`` for an open one."""
    if finding.accepted is not None:
        return "accepted"
    return None if comparison.is_added(finding) else "there before this change"


def before_words(comparison: FileResult) -> str:
    """The former findings, as ``window-size-changed (incompatible, line 12) was in merge base with main already``."""
    assert comparison.new_findings is not None
    before = findings_before(comparison)
    lines = comparison.lines("current")
    rules = [
        f"{finding.rule} ({finding.verdict.value}, line {lines.position(finding.current.span.start).line + 1})"
        for finding in before
    ]
    were = "was" if len(before) == 1 else "were"
    return (
        f"{_list_words(rules) if len(rules) > 1 else rules[0]} {were} in {comparison.new_findings.origin.words} already"
    )


def nothing_compared(problems: Sequence[RunProblem], scope: RunScope | None = None) -> str:
    """The summary of a run without files; other lines report the reasons."""
    if scope is None:
        return "Nothing was compared." if problems else "Nothing to compare: no Flink SQL file changed."
    return scope.nothing_compared() if problems else scope.nothing_to_compare()


def ways_back(comparison: FileResult) -> Iterator[str]:
    """The edits that would make a file compatible, as sentences; its name replaces ``{path}``."""
    if comparison.report is None or comparison.status.failed:
        return
    before = findings_before(comparison)
    revert = comparison.report.revert_to_be_compatible
    if comparison.report.open_verdict is Verdict.COMPATIBLE and comparison.verdict is not Verdict.COMPATIBLE:
        yield "All that costs {path} its compatibility is accepted."
    elif revert and not any(comparison.report.findings[index] in before for index in revert):
        yield f"Revert {finding_numbers(revert)}, and {{path}} is compatible."


def finding_numbers(indices: Sequence[int]) -> str:
    """The numbers of findings by their indices, which are in order, with runs as ranges.

    >>> finding_numbers([0, 2, 3, 4, 5])
    'findings 1 and 3 to 6'
    """
    if len(indices) == 1:
        return f"finding {indices[0] + 1}"
    runs: list[list[int]] = []
    for index in indices:
        if runs and index == runs[-1][-1] + 1:
            runs[-1].append(index)
        else:
            runs.append([index])
    parts = [
        part
        for run in runs
        for part in ([f"{run[0] + 1} to {run[-1] + 1}"] if len(run) >= _LEAST_RUN else [str(one + 1) for one in run])
    ]
    return f"findings {_list_words(parts)}"


def counted(number: int, noun: str) -> str:
    return f"{number or 'no'} {noun}{'' if number == 1 else 's'}"


def _list_words(words: Sequence[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else words[0]
