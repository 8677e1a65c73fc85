"""Fixes that keep the intention of an edit and the state: each is tried, and says what it leads to."""

from __future__ import annotations

import pytest

from keepstate import ENGINES, JobVersion, check, file_fixes, fixes
from keepstate.report import Fix, Verdict
from keepstate.text import apply_edits

TABLE = """\
CREATE TABLE plays (
  artist STRING, seconds INT, played TIMESTAMP(3), WATERMARK FOR played AS played
) WITH ('connector' = 'kafka');
"""
WINDOWED = f"""\
{TABLE}INSERT INTO daily
SELECT artist, window_start, SUM(seconds) AS total
FROM TABLE(TUMBLE(TABLE plays, DESCRIPTOR(played), INTERVAL '1' HOUR))
"""
CONDITION = "window_start >= TIMESTAMP '2026-01-01 00:00:00'"


def offered(current: str, baseline: str, kind: str, **parameters: str) -> list[Fix]:
    named = {key.replace("__", ".").replace("_", "-"): value for key, value in parameters.items()}
    now, was = JobVersion(current, named), JobVersion(baseline, named)
    report = check(now, was)
    found = [fix for index in range(len(report.findings)) for fix in fixes(now, was, index)]
    return [fix for fix in (*found, *file_fixes(now, was)) if fix.kind == kind]


@pytest.mark.parametrize("clause", ["WHERE {}\nGROUP BY a", "GROUP BY a\nHAVING {}"])
@pytest.mark.parametrize("engine", ENGINES)
def test_no_fix_of_a_filter_on_the_window_keeps_it(clause: str, engine: str) -> None:
    """A filter on the window stands in front of the state in any clause, so the only fix is to take it back."""
    clause = clause.replace("GROUP BY a", "GROUP BY artist, window_start, window_end")
    current = f"{WINDOWED}{clause.format(CONDITION)};\n"
    now, was = JobVersion(current), JobVersion(f"{WINDOWED}GROUP BY artist, window_start, window_end;\n")
    report = check(now, was, engine)
    assert [finding.rule for finding in report.findings] == ["window-field-filtered"]
    found = fixes(now, was, 0, engine)
    assert found
    assert all(CONDITION not in apply_edits(current, fix.edits) for fix in found)


class TestTwoSteps:
    BASELINE = TABLE + "INSERT INTO s SELECT artist, SUM(seconds) AS a, COUNT(*) AS n FROM plays GROUP BY artist;\n"

    def test_either_kind_first(self) -> None:
        current = self.BASELINE.replace("COUNT(*)", "MIN(seconds)").replace(
            "plays GROUP", "plays WHERE seconds > 10 GROUP"
        )
        steps = offered(
            current, self.BASELINE, "first-step", table__optimizer__state_compatibility__ignore_filter="true"
        )
        assert [fix.verdict_after for fix in steps] == [Verdict.PARTIAL, Verdict.COMPATIBLE]
        assert steps[0].title.startswith("Deploy in two steps, WHERE seconds > 10 in the second")
        assert "WHERE" not in apply_edits(current, steps[0].edits)
        assert "COUNT(*)" in apply_edits(current, steps[1].edits)

    def test_no_steps_where_something_else_stands_in_the_way(self) -> None:
        current = self.BASELINE.replace("GROUP BY artist", "GROUP BY artist, seconds").replace(
            "COUNT(*)", "MIN(seconds)"
        )
        assert offered(current, self.BASELINE, "first-step") == []
