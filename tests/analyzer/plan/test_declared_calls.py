"""Functions of the user: a call that is a group key is none of an aggregate, one over ungrouped columns is."""

from __future__ import annotations

import pytest

from keepstate.job_version import JobVersion, job_of
from keepstate.plan.operators import Aggregate

FUNCTION = "CREATE FUNCTION norm AS 'com.example.Norm' LANGUAGE JAVA;\n"
TABLE = "CREATE TABLE t (a STRING, b STRING, n INT) WITH ('connector' = 'kafka');\n"


@pytest.mark.parametrize("declared", [True, False])
@pytest.mark.parametrize(
    ("query", "aggregates"),
    [
        ("SELECT norm(a), COUNT(*) FROM t GROUP BY norm(a)", ["COUNT"]),
        ("SELECT UPPER(norm(a)), COUNT(*) FROM t GROUP BY norm(a)", ["COUNT"]),
        ("SELECT norm(norm(a)) FROM t GROUP BY norm(a)", []),
        ("SELECT COUNT(*) FROM t GROUP BY norm(a) HAVING norm(a) <> 'x'", ["COUNT"]),
        ("SELECT norm(a), norm(b) FROM t GROUP BY norm(a)", ["NORM"]),
        ("SELECT norm(a) FROM t GROUP BY b", ["NORM"]),
        ("SELECT norm(a) FROM t GROUP BY a", []),
        ("SELECT norm(a, b) FROM t GROUP BY norm(a), norm(b)", ["NORM"]),
        ("SELECT norm(DISTINCT a) FROM t GROUP BY norm(a)", ["NORM"]),
    ],
)
def test_a_call_that_is_a_group_key_is_no_aggregate(query: str, aggregates: list[str], declared: bool) -> None:
    job = job_of(JobVersion((FUNCTION if declared else "") + TABLE + query))
    [aggregation] = [each for each in job.pipelines[0].plan.operators if isinstance(each, Aggregate)]
    assert [call.function for call in aggregation.aggregates] == aggregates
