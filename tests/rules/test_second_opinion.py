"""The diff of the plans and the layouts of the state agree about what changed, or the cause is known."""

from __future__ import annotations

from functools import cache

import pytest

from disagreements import EXPLAINED, disagreements, patterns_of
from keepstate import JobVersion, analyse
from keepstate.engines.flink.assessment import FlinkAssessment
from keepstate.state.stored import Part


@cache
def _found() -> tuple[tuple[str, str], ...]:
    return tuple(disagreements())


def test_state_differs_only_where_the_diff_has_a_change() -> None:
    assert [f"{name} {how}" for name, how in _found() if not patterns_of(name)] == []


def test_every_cause_still_shows() -> None:
    assert EXPLAINED.keys() - {pattern for name, _ in _found() for pattern in patterns_of(name)} == set()


TABLE = "CREATE TABLE t (k STRING, a INT, b INT) WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'json');\n"
OTHER = TABLE.replace(" t ", " u ").replace("'t'", "'u'")
JOIN = "SELECT l.a FROM t AS l JOIN u AS r ON "


@pytest.mark.parametrize(
    ("was", "now", "parts"),
    [
        (JOIN + "l.k = r.k AND l.b = r.b;", JOIN + "l.b = r.b AND l.k = r.k;", {Part.KEY}),
        (JOIN + "l.k = r.k AND l.b = r.b;", JOIN + "r.k = l.k AND l.b = r.b;", set()),
        (JOIN + "l.k = r.k;", JOIN + "l.b = r.b;", set()),
        ("SELECT k, SUM(a) FROM t GROUP BY k;", "SELECT k, SUM(b) FROM t GROUP BY k;", set()),
    ],
    ids=["conditions in another order", "sides of an equation", "another key", "another aggregate"],
)
def test_a_disagreement_is_a_value(was: str, now: str, parts: set[Part]) -> None:
    analysis = analyse(JobVersion(TABLE + OTHER + now), JobVersion(TABLE + OTHER + was), "flink")
    found = FlinkAssessment.of(analysis.comparison.diff).disagreements
    assert {one.difference.part for one in found} == parts
