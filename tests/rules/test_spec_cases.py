"""The cases of the specification, where it is at hand: a folder ``shared`` beside the repository."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from keepstate import JobVersion, check
from keepstate.report import Finding, Report
from keepstate.text import Span

CASES = Path(__file__).parents[3] / "shared" / "spec" / "cases"

pytestmark = pytest.mark.skipif(not CASES.is_dir(), reason=f"the specification's cases are not at hand: no {CASES}")


def _cases() -> list[Any]:
    lines = (line for file in sorted(CASES.glob("*.jsonl")) for line in file.read_text("utf-8").splitlines())
    return [pytest.param(case, id=case["id"]) for case in map(json.loads, lines)]


def _report(case: dict[str, Any]) -> Report:
    parameters = case.get("parameters") or {}
    current = JobVersion(case["current"], parameters, case.get("current_engine_version"))
    baseline = JobVersion(case["baseline"], parameters, case.get("baseline_engine_version"))
    return check(current, baseline)


@pytest.mark.parametrize("case", _cases())
def test_verdict_and_clauses(case: dict[str, Any]) -> None:
    report = _report(case)
    assert report.verdict.value == case["expect"], case["why"]
    missing = [clause for clause in case["clauses"] if not _is_found(clause, case, report)]
    assert missing == [], [(finding.rule, finding.current.text) for finding in report.findings]
    if not case["clauses"] and case["expect"] != "unknown":
        # A notice that state goes away is no objection, but where nothing changed there is nothing to notice.
        assert [finding for finding in report.findings if finding.verdict.value != "compatible"] == []
        assert report.findings == () or case["kind"] != "no_change"


def _is_found(clause: str, case: dict[str, Any], report: Report) -> bool:
    side = case.get("clause_side") or "current"
    if any(_is_at(clause, finding, side, case) for finding in report.findings):
        return True
    alternative = case.get("clause_alternative")
    return clause == case["clauses"][0] and any(finding.current.text == alternative for finding in report.findings)


def _is_at(clause: str, finding: Finding, side: str, case: dict[str, Any]) -> bool:
    place = finding.current if side == "current" else finding.baseline
    if place is None or place.text != clause:
        return False
    context = case.get("clause_context")
    if not context or clause not in context:
        return True
    start = case[side].index(context)
    return Span(start, start + len(context)).contains(place.span)
