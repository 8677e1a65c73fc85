"""Pairing of the operators of both versions, where there are very many."""

from __future__ import annotations

import pytest

from keepstate import JobVersion, check
from keepstate.diff.operator_pairing import match_operators
from keepstate.plan.job import Job
from keepstate.plan.operators import Operator
from keepstate.syntax.script import parse_script


def plan(query: str) -> Operator:
    return Job.of(parse_script(query), {}).pipelines[0].plan.root


@pytest.mark.timeout(60)
def test_many_joins_that_all_changed_are_paired_in_time() -> None:
    """Trying all ways of pairing them would take years."""

    def joined(least: int) -> str:
        joins = (f"JOIN t{number} ON t0.a = t{number}.a AND t{number}.b > t0.b + {least}" for number in range(1, 40))
        return f"SELECT t0.a FROM t0 {' '.join(joins)}"

    matches = match_operators(plan(joined(1)), plan(joined(2)))
    assert len(matches) >= 39
    assert all(match.baseline is not None and match.current is not None for match in matches)


@pytest.mark.timeout(60)
def test_nested_aggregations() -> None:
    def nested(least: int) -> str:
        query = f"SELECT a, b FROM t WHERE b > {least}"
        for _ in range(30):
            query = f"SELECT a, MAX(b) AS b FROM ({query}) GROUP BY a"
        return query

    matches = match_operators(plan(nested(1)), plan(nested(2)))
    assert all(match.baseline is not None and match.current is not None for match in matches)


@pytest.mark.parametrize("beside", ["", "INSERT INTO s SELECT k, COUNT(*) FROM u GROUP BY k;"])
def test_the_only_query_without_a_sink_is_about_the_one_before(beside: str) -> None:
    """However little of it is left, and whatever else the job does."""
    ranked = "SELECT a FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY a ORDER BY {0}) AS n FROM ({1})) WHERE n <= 3;"
    was = ranked.format("b", "SELECT a, b FROM t")
    now = ranked.format("c", "SELECT a, b + 1 AS c FROM t2 UNION ALL SELECT a, b FROM t3")
    report = check(JobVersion(now + beside), JobVersion(was + beside))
    assert not {"pipeline-added", "pipeline-removed"} & {finding.rule for finding in report.findings}
