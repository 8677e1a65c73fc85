"""The scripts that speed is measured with are what they are said to be."""

from __future__ import annotations

import pytest

from keepstate import JobVersion, check, parse_script
from long_jobs import LINES_PER_GROUP, STATEMENTS_PER_GROUP, Keystrokes, keystrokes, script

EXPECTED = {
    "a window's size": ["window-size-changed"],
    "an aggregate": ["aggregate-changed"],
    "an alias": [],
    "a statement in pieces": ["refused: syntax"],
    "the N of a ranking": ["rank-range-changed"],
    "a comment": [],
    "a view": ["filter-changed"],
    "a table": [],
}


@pytest.mark.parametrize("lines", [500, 1000])
def test_a_script_has_the_size_that_was_asked_for(lines: int) -> None:
    parsed = parse_script(script(lines))
    assert script(lines).count("\n") + 1 == lines
    assert len(parsed.statements) == lines // LINES_PER_GROUP * STATEMENTS_PER_GROUP
    assert not parsed.problems


@pytest.mark.parametrize("place", keystrokes(500), ids=lambda place: place.what)
def test_a_keystroke_does_what_it_is_called(place: Keystrokes) -> None:
    report = check(JobVersion(place.script(77)), JobVersion(script(500)))
    refused = [f"refused: {refusal.rule}" for refusal in report.refusals]
    assert [finding.rule for finding in report.findings] + refused == EXPECTED[place.what]
    assert place.changed_statement(77) in place.script(77)
