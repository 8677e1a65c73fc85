"""Which operator of the baseline is which of the current version, where there are very many."""

from __future__ import annotations

import pytest

from keepstate.diff.pairing import match_operators
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
