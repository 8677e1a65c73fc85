"""Every example of every rule page: markers and findings one to one, silence where nothing changed, fixes that keep
their promise.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from keepstate import check, file_fixes, fixes, parse_script
from keepstate.report import Fix, Report, Verdict
from keepstate.text import apply_edits
from rule_pages import Example, all_examples, listed, marker_of

each_example = pytest.mark.parametrize("example", all_examples(), ids=lambda example: example.name)


@each_example
def test_markers_and_findings_are_one_to_one(example: Example) -> None:
    findings = check(example.current, example.baseline, example.profile).findings
    assert listed(marker_of(finding, example.current.text) for finding in findings) == listed(example.markers)


@each_example
def test_verdict_of_the_job(example: Example) -> None:
    """It is the worst of the markers, unless the example says that together they are something else."""
    worst = Verdict.worst(Verdict(marker.verdict) for marker in example.markers)
    assert check(example.current, example.baseline, example.profile).verdict.value == (example.verdict or worst.value)


@each_example
def test_examples_can_be_read(example: Example) -> None:
    report = check(example.current, example.baseline, example.profile)
    assert report.baseline_problems == ()
    assert bool(report.problems) == (example.section == "statement-not-read" and bool(example.markers))


@each_example
def test_no_side_differs_from_itself(example: Example) -> None:
    for version in (example.baseline, example.current):
        report = check(version, version, example.profile)
        assert report.verdict is Verdict.COMPATIBLE or report.problems
        assert report.findings == ()


@each_example
def test_silence_is_announced(example: Example) -> None:
    assert example.introduced_as_silent == (not example.markers)


@pytest.mark.parametrize("example", [one for one in all_examples() if one.markers], ids=lambda example: example.name)
def test_fixes_keep_their_promise(example: Example) -> None:
    report = check(example.current, example.baseline, example.profile)
    for index in range(len(report.findings)):
        for fix in fixes(example.current, example.baseline, index, example.profile):
            _applied(fix, example, report)
    for fix in file_fixes(example.current, example.baseline, example.profile):
        _applied(fix, example, report)


def _applied(fix: Fix, example: Example, report: Report) -> None:
    text = apply_edits(example.current.text, fix.edits)
    assert parse_script(text).problems == (), f"{fix.title}:\n{text}"
    after = check(replace(example.current, text=text), example.baseline, example.profile)
    assert after.verdict is fix.verdict_after, f"{fix.title}:\n{text}"
    assert after.verdict.rank <= report.verdict.rank, f"{fix.title}:\n{text}"
