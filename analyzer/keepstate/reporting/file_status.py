"""Status of a compared file, the same from the command line and from the editor, and the sentences about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from keepstate.report import Refusal, Report

COMPARED = "compared"
UNCHANGED = "unchanged"
NOT_COMPARED = "not-compared"
NOT_VALID = "not-valid"
DELETED = "deleted"
GONE = "Nothing reads the state of this job any more: stop it with a savepoint if it may be needed again."
"""Reason why no verdict follows for a deleted file."""
EMPTIED = f"The file holds no job any more. {GONE}"
_REMOVED = "pipeline-removed"


def status_of(report: Report) -> tuple[str, str | None]:
    """The status, and the reason if the file is not valid, was not compared as a whole, or holds no job any more.

    >>> from keepstate import JobVersion, check
    >>> status_of(check(JobVersion("SELECT a  FROM t"), JobVersion("SELECT a FROM t")))
    ('unchanged', None)
    """
    if not report.is_valid:
        return NOT_VALID, refused(report.refusals)
    if report.problems or report.baseline_problems:
        return NOT_COMPARED, unread(len(report.problems), len(report.baseline_problems))
    if is_ended(report):
        return DELETED, EMPTIED
    return UNCHANGED if report.unchanged else COMPARED, None


def is_ended(report: Report) -> bool:
    """Return whether the current text keeps no query of its baseline, so that the job ends and no restart follows that
    a verdict could be about.

    >>> from keepstate import JobVersion, check
    >>> is_ended(check(JobVersion("-- no query"), JobVersion("SELECT SUM(a) FROM t")))
    True
    """
    is_read = report.is_valid and not (report.problems or report.baseline_problems)
    return is_read and not report.pipelines and any(finding.rule == _REMOVED for finding in report.findings)


def as_ended(report: Report) -> Report:
    """The report of a job that ends, in words that speak of no query that goes on.

    >>> from keepstate import JobVersion, check
    >>> report = check(JobVersion("-- no query"), JobVersion("SELECT SUM(a) FROM t"))
    >>> as_ended(report).findings[0].consequence
    'the file holds no job any more'
    """
    return replace(
        report,
        findings=tuple(
            replace(
                finding,
                consequence="the file holds no job any more",
                recovery="Nothing reads the state of this job any more.",
                advice="Stop it with a savepoint if it may be needed again.",
            )
            if finding.rule == _REMOVED
            else finding
            for finding in report.findings
        ),
    )


def refused(refusals: Sequence[Refusal]) -> str:
    """The reason when Flink refuses the current text.

    >>> from keepstate.text import Span
    >>> refused([Refusal("unknown-table", "No table t is declared above.", Span(0, 1))])
    'Flink refuses it: No table t is declared above.'
    """
    certain = [refusal for refusal in refusals if refusal.certain]
    count = len(certain) - 1
    more = f" It refuses {count} more {'statement' if count == 1 else 'statements'}." if count else ""
    return f"Flink refuses it: {certain[0].message}{more}"


def refusal_words(refusal: Refusal, engine: str) -> str:
    """The sentence for a refused statement.

    >>> from keepstate.text import Span
    >>> refusal_words(Refusal("unknown-table", "No table t is declared above.", Span(0, 1)), "vvr")
    'Flink refuses this: No table t is declared above.'
    """
    if refusal.certain:
        return f"Flink refuses this: {refusal.message}"
    if refusal.assuming:
        return f"Flink refuses this if the job uses {refusal.assuming}: {refusal.message}"
    return f"Open-source Flink refuses this, and no document says whether {engine} takes it: {refusal.message}"


def unread(current: int, baseline: int) -> str:
    """The reason when parts of the texts cannot be read, given the number of problems on each side."""
    counts = [
        f"{_places(count)} of its {side} text"
        for count, side in ((current, "current"), (baseline, "baseline"))
        if count
    ]
    return f"{' and '.join(counts)} cannot be read; the rest was compared."


def unread_of_new(count: int) -> str:
    """The reason when parts of a file without baseline cannot be read.

    >>> unread_of_new(2)
    'It is new, and 2 places of it cannot be read.'
    """
    return f"It is new, and {_places(count)} of it cannot be read."


def unread_of_other(count: int) -> str:
    """The sentence for a file that shows nothing of Flink SQL.

    >>> unread_of_other(1)
    'It shows nothing of Flink SQL, and 1 place of it cannot be read as such: leave out other SQL.'
    """
    return f"It shows nothing of Flink SQL, and {_places(count)} of it cannot be read as such: leave out other SQL."


def _places(count: int) -> str:
    return f"{count} {'place' if count == 1 else 'places'}"
