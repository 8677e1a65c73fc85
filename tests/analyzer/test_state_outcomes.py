"""The outcome of each part of a state."""

from __future__ import annotations

import pytest

from keepstate import JobVersion, check, state_outcome

BASELINE = """\
CREATE TABLE t (a INT, b INT, c INT) WITH ('connector' = 'kafka');
INSERT INTO s SELECT a, SUM(b), COUNT(*) FROM t GROUP BY a;
"""


@pytest.mark.parametrize(
    ("was", "now", "fates"),
    [
        ("COUNT(*)", "COUNT(*), MAX(b)", ["goes on", "goes on", "goes on", "starts empty"]),
        ("SUM(b), ", "", ["goes on", "dropped", "goes on"]),
        ("SUM(b)", "MAX(b)", ["goes on", "dropped", "goes on", "starts empty"]),
        ("GROUP BY a", "GROUP BY a, c", ["lost", "lost", "lost", "new"]),
    ],
)
def test_part_by_part(was: str, now: str, fates: list[str]) -> None:
    current = BASELINE.replace(was, now)
    versions = JobVersion(current), JobVersion(BASELINE)
    assert len(check(*versions).findings) == 1
    found = state_outcome(*versions, 0)
    assert found is not None and found.operator == "GroupAggregate"
    assert [part.after for part in found.parts] == fates


def test_none_where_it_is_about_no_operator() -> None:
    current = BASELINE.replace("'kafka'", "'datagen'")
    versions = JobVersion(current), JobVersion(BASELINE)
    assert [finding.rule for finding in check(*versions).findings] == ["source-connector-changed"]
    assert state_outcome(*versions, 0) is None
    assert state_outcome(*versions, 7) is None


def test_a_long_list_is_cut() -> None:
    metrics = ", ".join(f"SUM(b + {number})" for number in range(20))
    baseline = BASELINE.replace("SUM(b)", metrics)
    found = state_outcome(JobVersion(baseline.replace("COUNT(*)", "MAX(b)")), JobVersion(baseline), 0)
    assert found is not None and len(found.parts) == 12 and found.left_out == 11
