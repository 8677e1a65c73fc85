"""Statements that fill one table share its sink, if the sinks of all are alike."""

from __future__ import annotations

import itertools

import pytest

import keepstate

SINK = """\
CREATE TABLE totals (k STRING, n BIGINT, PRIMARY KEY (k) {})
WITH ('connector' = 'upsert-kafka', 'topic' = 'totals', 'key.format' = 'json', 'value.format' = 'json');
"""
QUERY = "INSERT INTO totals SELECT k, COUNT(*) AS n FROM elsewhere GROUP BY k;\n"
OTHER = "INSERT INTO totals SELECT v AS k, COUNT(*) AS n FROM elsewhere GROUP BY k, v;\n"
SETUPS = {
    "declared": SINK.format("NOT ENFORCED"),
    "a key that says too little": SINK.format(""),
    "not declared": "",
    "declared and gone": SINK.format("NOT ENFORCED") + "ALTER TABLE totals RENAME TO former;\n",
}


@pytest.mark.parametrize(("was", "now"), [*itertools.product(SETUPS, repeat=2)])
def test_queries_before_and_behind_the_declaration_of_their_sink(was: str, now: str) -> None:
    """The rows of one query are put in order in front of the sink, those of another one perhaps not."""
    scripts = ((before, behind) for before, behind in itertools.product(("", QUERY, OTHER), repeat=2))
    for before, behind in scripts:
        baseline, current = (before + SETUPS[each] + behind + QUERY for each in (was, now))
        for one, other in ((QUERY + SETUPS[was], current), (baseline, current)):
            versions = keepstate.JobVersion(other), keepstate.JobVersion(one)
            report = keepstate.analyse(*versions, "flink").report()
            # The query at the end stands below its declaration in each script.
            assert "INSERT INTO totals" in [each.name for each in report.pipelines]
