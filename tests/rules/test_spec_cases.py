"""The cases of the specification, and those that another reader wrote from the vendor's pages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from keepstate import ENGINES, JobVersion, check
from keepstate.report import Finding, Report, Verdict
from keepstate.text import Span
from made_anew import made_anew
from night import by_night
from truth import SpecCase, documents, spec_cases

_CAUSES = {
    "its title speaks of a job parameter that the case does not give": "DOC-ef-as-parameter",
}
TO_BE_MENDED = {id_: cause for cause, ids in _CAUSES.items() for id_ in ids.split()}
"""Cases that are answered otherwise, and why. One that is answered as expected fails until it is deleted here."""


REFUSED = {
    "DOC-aggwin-datediff": "reserved-word",  # lag
    "DOC-expression-of-existing": "reserved-word",  # per
    "DOC-x2-pipe-removed-first": "reserved-word",  # second
}
"""Cases whose texts Flink refuses, with the check: the verdict is unknown at best, and the findings are as expected."""


def _params(cases: Iterable[SpecCase]) -> list[Any]:
    return [
        pytest.param(
            case,
            id=case.id,
            marks=[pytest.mark.xfail(reason=TO_BE_MENDED[case.id], raises=AssertionError, strict=True)]
            if case.id in TO_BE_MENDED
            else [],
        )
        for case in cases
    ]


def _report(case: SpecCase) -> Report:
    current = JobVersion(case.current, case.parameters, case.current_engine_version)
    baseline = JobVersion(case.baseline, case.parameters, case.baseline_engine_version)
    return check(current, baseline)


@pytest.mark.parametrize("case", _params(spec_cases()))
def test_verdict_and_clauses(case: SpecCase) -> None:
    report = _report(case)
    assert report.verdict.value == case.expect, case.why
    missing = [clause for clause in case.clauses if not _is_found(clause, case, report)]
    assert missing == [], [(finding.rule, finding.current.text) for finding in report.findings]
    if not case.clauses and case.expect != "unknown":
        # A notice that state goes away is no objection, but where nothing changed there is nothing to notice.
        assert [finding for finding in report.findings if finding.verdict.value != "compatible"] == []
        assert report.findings == () or case.kind != "no_change"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("case", spec_cases()[:: by_night(1, 5)], ids=lambda case: case.id)
def test_no_version_differs_from_itself(case: SpecCase, engine: str) -> None:
    version = JobVersion(case.current, case.parameters, case.current_engine_version)
    report = check(made_anew(version), version, engine)
    assert report.findings == ()


@pytest.mark.parametrize("case", _params(documents()))
def test_verdict_and_touched_clauses(case: SpecCase) -> None:
    report = _report(case)
    assert {refusal.rule for refusal in report.refusals} == ({REFUSED[case.id]} if case.id in REFUSED else set())
    expected = Verdict.worst((Verdict(case.expect), Verdict.UNKNOWN)) if case.id in REFUSED else Verdict(case.expect)
    assert report.verdict is expected, case.why
    assert [clause for clause in case.clauses if not _is_found(clause, case, report)] == []
    untouched = [text for text in case.touches if not any(_touches(text, case, finding) for finding in report.findings)]
    assert untouched == [], [(finding.rule, finding.current.text) for finding in report.findings]


def test_what_is_to_be_mended_is_a_case() -> None:
    assert {case.id for case in (*spec_cases(), *documents())} >= TO_BE_MENDED.keys()
    assert {case.id for case in documents()} >= REFUSED.keys()


def _is_found(clause: str, case: SpecCase, report: Report) -> bool:
    if any(_is_at(clause, finding, case) for finding in report.findings):
        return True
    alternative = case.clause_alternative
    return clause == case.clauses[0] and any(finding.current.text == alternative for finding in report.findings)


def _is_at(clause: str, finding: Finding, case: SpecCase) -> bool:
    place = finding.current if case.clause_side == "current" else finding.baseline
    if place is None or place.text != clause:
        return False
    context = case.clause_context
    if not context or clause not in context:
        return True
    start = (case.current if case.clause_side == "current" else case.baseline).index(context)
    return Span(start, start + len(context)).contains(place.span)


def _touches(text: str, case: SpecCase, finding: Finding) -> bool:
    """True if a clause of ``finding`` overlaps ``text`` anywhere in the script of its side."""
    return any(
        place is not None
        and any(place.span.start < at + len(text) and at < place.span.end for at in _all(text, script))
        for place, script in ((finding.current, case.current), (finding.baseline, case.baseline))
    )


def _all(text: str, script: str) -> list[int]:
    """Offsets at which ``text`` begins in ``script``."""
    return [at for at in range(len(script)) if script.startswith(text, at)]
