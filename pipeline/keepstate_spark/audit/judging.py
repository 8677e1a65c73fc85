"""Judgement of one pair by the analyzer, as a row of plain values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from keepstate.report import Fix, Verdict

Row = dict[str, Any]

KEEPING = ("restore-order", "keep-both", "separate-job", "first-step")
"""Kinds of fixes that keep the intended change, and the state as well, the best one first."""
TAKING_BACK = ("restore-removed", "revert", "revert-smallest")
"""Kinds that take a part of the change back."""
_MOST_MENDED = 12
"""Findings of one change for which fixes are looked for."""
_LONGEST_TEXT = 2000
"""Characters of a clause that are stored."""


@dataclass(frozen=True)
class Pair:
    """Two versions of a job and their configurations outside of the SQL."""

    name: str
    baseline_text: str
    current_text: str
    baseline_parameters: Mapping[str, str]
    current_parameters: Mapping[str, str]
    baseline_engine_version: str | None
    current_engine_version: str | None


def judged(pair: Pair, engine: str) -> Iterator[Row]:
    """Yield the row of a pair: first without fixes, then with fixes, if any finding needs one.

    The search for fixes takes many times as long as the verdict; after a timeout the first row remains.
    """
    import keepstate
    from keepstate.report import Verdict
    from keepstate.text import LineIndex

    was = keepstate.JobVersion(pair.baseline_text, pair.baseline_parameters, pair.baseline_engine_version)
    now = keepstate.JobVersion(pair.current_text, pair.current_parameters, pair.current_engine_version)
    analysis = keepstate.analyse(now, was, engine)
    report = analysis.report()
    lines = LineIndex(pair.current_text)
    verdict, reason = report.verdict, None
    for side, problems in (("current", report.problems), ("baseline", report.baseline_problems)):
        if problems:
            verdict = Verdict.worst((verdict, Verdict.UNKNOWN))
            reason = reason or f"A part of its {side} text cannot be read: {_line(problems[0].message)}"
    findings: list[Row] = []
    for finding in report.findings:
        start = lines.position(finding.current.span.start)
        findings.append(
            {
                "rule": finding.rule,
                "spec": list(finding.spec),
                "query_kind": finding.query_kind,
                "verdict": finding.verdict.value,
                "effect": finding.effect.value,
                "message": finding.message,
                "change": finding.change,
                "pipeline": finding.pipeline,
                "text": finding.current.text[:_LONGEST_TEXT],
                "baseline_text": None if finding.baseline is None else finding.baseline.text[:_LONGEST_TEXT],
                "line": start.line,
                "character": start.character,
                "removed": finding.removed,
                "parameter": None if finding.external is None else finding.external.key,
                "key": finding.key,
                "fixes": [],
            }
        )
    row: Row = {
        "pair": pair.name,
        "outcome": "judged" if reason is None else "unread",
        "reason": reason,
        "verdict": verdict.value,
        "effect": report.effect.value,
        "unchanged": report.unchanged,
        "unread": len(report.problems) + len(report.baseline_problems),
        "findings": findings,
    }
    yield row
    if verdict is Verdict.COMPATIBLE or reason is not None:
        return
    of_file = analysis.file_fixes()
    found = list(of_file)
    for index, finding in enumerate(report.findings[:_MOST_MENDED]):
        if finding.verdict is Verdict.COMPATIBLE:
            continue
        fixes = analysis.fixes(index)
        findings[index]["fixes"] = [
            {"kind": fix.kind, "title": fix.title, "verdict_after": fix.verdict_after.value} for fix in fixes
        ]
        found += fixes
    row["remedy"], row["remedy_verdict"] = _remedy(found, verdict)
    yield row


def _remedy(fixes: Sequence[Fix], verdict: Verdict) -> tuple[str | None, str | None]:
    """Return the kind of the fix to choose, and its verdict.

    A fix that keeps the intended change comes before any other, then the one with the best verdict. A fix with an
    undecidable outcome does not count.
    """
    from keepstate.report import Verdict

    kinds = (*KEEPING, *TAKING_BACK)
    most = min(verdict.rank - 1, Verdict.PARTIAL.rank)
    helpful = [fix for fix in fixes if fix.verdict_after.rank <= most]
    chosen = min(
        helpful, key=lambda fix: (fix.kind not in KEEPING, fix.verdict_after.rank, kinds.index(fix.kind)), default=None
    )
    return (None, None) if chosen is None else (chosen.kind, chosen.verdict_after.value)


def _line(text: str) -> str:
    return " ".join(text.split())[:_LONGEST_TEXT]
