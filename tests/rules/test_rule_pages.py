"""Every example of every rule page: markers and findings one to one, silence where nothing changed, fixes that keep
their promise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from keepstate import analyse, check, parse_script
from keepstate.report import Fix, Report, Verdict
from keepstate.text import apply_edits
from made_anew import made_anew
from rule_pages import Example, all_examples, listed, marker_of


def _markers_and_findings_are_one_to_one(example: Example, report: Report) -> None:
    assert listed(marker_of(finding, example.current.text) for finding in report.findings) == listed(example.markers)


def _the_verdict_is_the_worst_marker_unless_the_example_says_another(example: Example, report: Report) -> None:
    worst = Verdict.worst(Verdict(marker.verdict) for marker in example.markers)
    assert report.verdict.value == (example.verdict or worst.value)


def _it_can_be_read(example: Example, report: Report) -> None:
    assert report.baseline_problems == ()
    assert bool(report.problems) == (example.section == "statement-not-read" and bool(example.markers))


def _no_side_differs_from_itself(example: Example, report: Report) -> None:
    for version in (example.baseline, example.current):
        analysis = analyse(made_anew(version), version, example.profile)
        pairs = analysis.comparison.diff.pairs
        assert all(one.baseline and one.current and one.baseline.plan is not one.current.plan for one in pairs)
        same = analysis.report()
        assert same.verdict is Verdict.COMPATIBLE or same.problems
        assert same.findings == ()


def _silence_is_announced(example: Example, report: Report) -> None:
    assert example.introduced_as_silent == (not example.markers)


CLAIMS: tuple[Callable[[Example, Report], None], ...] = (
    _markers_and_findings_are_one_to_one,
    _the_verdict_is_the_worst_marker_unless_the_example_says_another,
    _it_can_be_read,
    _no_side_differs_from_itself,
    _silence_is_announced,
)


@pytest.mark.parametrize("example", all_examples(), ids=lambda example: example.name)
def test_example(example: Example) -> None:
    """One comparison, and all that has to be true of it; each claim that fails is named."""
    report = check(example.current, example.baseline, example.profile)
    failed = []
    for claim in CLAIMS:
        try:
            claim(example, report)
        except AssertionError as error:
            failed.append(f"{claim.__name__.strip('_').replace('_', ' ')}:\n{error}")
    assert not failed, "\n\n".join(failed)


@pytest.mark.parametrize("example", [one for one in all_examples() if one.markers], ids=lambda example: example.name)
def test_fixes_keep_their_promise(example: Example) -> None:
    analysis = analyse(example.current, example.baseline, example.profile)
    report = analysis.report()
    offered = [fix for index in range(len(report.findings)) for fix in analysis.fixes(index)]
    for fix in (*offered, *analysis.file_fixes()):
        _applied(fix, example, report)


def _applied(fix: Fix, example: Example, report: Report) -> None:
    text = apply_edits(example.current.text, fix.edits)
    assert parse_script(text).problems == (), f"{fix.title}:\n{text}"
    after = check(replace(example.current, text=text), example.baseline, example.profile)
    assert after.verdict is fix.verdict_after, f"{fix.title}:\n{text}"
    assert after.verdict.rank <= report.verdict.rank, f"{fix.title}:\n{text}"
