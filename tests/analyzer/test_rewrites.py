"""Fixes that keep the intention of an edit and the state: each is tried, and says what it leads to."""

from __future__ import annotations

import pytest

from keepstate import JobVersion, check, file_fixes, fixes
from keepstate.report import Fix, Verdict
from keepstate.text import apply_edits

TABLE = """\
CREATE TABLE plays (
  artist STRING, seconds INT, played TIMESTAMP(3), WATERMARK FOR played AS played
) WITH ('connector' = 'kafka');
"""
WINDOWED = (
    TABLE
    + """\
INSERT INTO daily
SELECT artist, window_start, SUM(seconds) AS total
FROM TABLE(TUMBLE(TABLE plays, DESCRIPTOR(played), INTERVAL '1' HOUR))
{where}GROUP BY artist, window_start, window_end{having};
"""
)
CONDITION = "window_start >= TIMESTAMP '2026-01-01 00:00:00'"


def offered(current: str, baseline: str, kind: str, **parameters: str) -> list[Fix]:
    named = {key.replace("__", ".").replace("_", "-"): value for key, value in parameters.items()}
    now, was = JobVersion(current, named), JobVersion(baseline, named)
    report = check(now, was)
    found = [fix for index in range(len(report.findings)) for fix in fixes(now, was, report, index)]
    return [fix for fix in (*found, *file_fixes(now, was, report)) if fix.kind == kind]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (("", ""), (f"WHERE {CONDITION}\n", "")),
        (("WHERE seconds > 0\n", ""), (f"WHERE seconds > 0 AND {CONDITION}\n", "")),
        (("WHERE seconds > 0\n", ""), (f"WHERE {CONDITION} AND seconds > 0\n", "")),
        (("", "\nHAVING SUM(seconds) > 1"), (f"WHERE {CONDITION}\n", "\nHAVING SUM(seconds) > 1")),
    ],
)
def test_a_filter_on_the_window_goes_behind_the_aggregation(before: tuple[str, str], after: tuple[str, str]) -> None:
    baseline, current = (WINDOWED.format(where=where, having=having) for where, having in (before, after))
    (fix,) = offered(current, baseline, "move-filter")
    assert fix.title == "Filter behind the aggregation, in HAVING (compatible)"
    text = apply_edits(current, fix.edits)
    having = "HAVING SUM(seconds) > 1 AND " if before[1] else "HAVING "
    assert f"window_end\n{having}{CONDITION};" in text
    assert ("WHERE seconds > 0\nGROUP BY" in text) is bool(before[0]) and ("WHERE" in text) is bool(before[0])
    assert check(JobVersion(text), JobVersion(baseline)).verdict is Verdict.COMPATIBLE


def test_a_filter_that_was_there_is_not_moved() -> None:
    baseline = WINDOWED.format(where=f"WHERE {CONDITION}\n", having="")
    current = baseline.replace("SUM(seconds)", "MAX(seconds)")
    assert offered(current, baseline, "move-filter") == []


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
