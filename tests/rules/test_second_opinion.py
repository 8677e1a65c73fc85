"""The diff of the plans and the layouts of the state agree about what changed, or the cause is known."""

from __future__ import annotations

from functools import cache

import pytest

from disagreements import EXPLAINED, compared, disagreements, patterns_of
from keepstate import JobVersion, analyse
from keepstate.engines.flink.assessment import FlinkAssessment
from keepstate.state.stored_operators import StatePart

PARTS = 16


@cache
def _found(part: int) -> tuple[tuple[str, str], ...]:
    """Disagreements of a part of the pairs, which are read when they are needed. Neighbours share their tables."""
    pairs = list(compared())
    first, last = (len(pairs) * end // PARTS for end in (part, part + 1))
    return tuple(disagreements(pairs[first:last]))


@pytest.mark.parametrize("part", range(PARTS))
def test_state_differs_only_where_the_diff_has_a_change(part: int) -> None:
    assert [f"{name} {how}" for name, how in _found(part) if not patterns_of(name)] == []


def test_every_cause_still_shows() -> None:
    shown = {pattern for part in range(PARTS) for name, _ in _found(part) for pattern in patterns_of(name)}
    assert EXPLAINED.keys() - shown == set()


TABLE = "CREATE TABLE t (k STRING, a INT, b INT) WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'json');\n"
OTHER = TABLE.replace(" t ", " u ").replace("'t'", "'u'")
JOIN = "SELECT l.a FROM t AS l JOIN u AS r ON "


@pytest.mark.parametrize(
    ("was", "now", "parts"),
    [
        (JOIN + "l.k = r.k AND l.b = r.b;", JOIN + "l.b = r.b AND l.k = r.k;", {StatePart.KEY}),
        (JOIN + "l.k = r.k AND l.b = r.b;", JOIN + "r.k = l.k AND l.b = r.b;", set()),
        (JOIN + "l.k = r.k;", JOIN + "l.b = r.b;", set()),
        ("SELECT k, SUM(a) FROM t GROUP BY k;", "SELECT k, SUM(b) FROM t GROUP BY k;", set()),
    ],
    ids=["conditions in another order", "sides of an equation", "another key", "another aggregate"],
)
def test_a_disagreement_is_a_value(was: str, now: str, parts: set[StatePart]) -> None:
    analysis = analyse(JobVersion(TABLE + OTHER + now), JobVersion(TABLE + OTHER + was), "flink")
    found = FlinkAssessment.of(analysis.comparison.diff).disagreements
    assert {one.difference.part for one in found} == parts
