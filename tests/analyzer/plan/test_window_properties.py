"""Aggregations and rankings by windows: which of them Flink plans with windows. Seen in the plans of 1.20 and 2.3."""

from __future__ import annotations

import pytest

from keepstate.plan.job import Job
from keepstate.plan.operators import GroupAggregate, Operator, Rank, WindowAggregate, WindowRank
from keepstate.syntax.script import parse_script

TABLES = """\
CREATE TABLE t (id INT, x INT, k STRING, pt AS PROCTIME(), ts TIMESTAMP(3), arr ARRAY<INT>, WATERMARK FOR ts AS ts)
WITH ('connector' = 'kafka');
CREATE TABLE o (id INT, k STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'kafka');
CREATE TABLE l (k STRING, name STRING, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'jdbc');
CREATE TABLE c (k STRING, name STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts, PRIMARY KEY (k) NOT ENFORCED)
WITH ('connector' = 'upsert-kafka');
CREATE VIEW w AS SELECT * FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' HOUR));
CREATE VIEW wo AS SELECT * FROM TABLE(TUMBLE(TABLE o, DESCRIPTOR(ts), INTERVAL '1' HOUR));
CREATE VIEW wa AS SELECT window_start, window_end, window_time, k, SUM(x) AS x FROM w
GROUP BY window_start, window_end, window_time, k;
"""
COLUMNS = "k, x, window_start, window_end, window_time"
NUMBERED = "(SELECT *, ROW_NUMBER() OVER (PARTITION BY {} ORDER BY {}) AS n FROM w) AS w WHERE n {}"
WITH_WINDOWS = [
    "w",
    "w JOIN wo ON w.k = wo.k AND w.window_start = wo.window_start AND w.window_end = wo.window_end",
    "w LEFT JOIN wo ON w.k = wo.k AND w.window_start = wo.window_start AND w.window_end = wo.window_end",
    "w WHERE w.k IN (SELECT k FROM wo WHERE wo.window_start = w.window_start AND wo.window_end = w.window_end)",
    "w CROSS JOIN UNNEST(arr) AS u (e)",
    "w LEFT JOIN UNNEST(arr) AS u (e) ON TRUE",
    f"(SELECT {COLUMNS} FROM w WHERE x > 3) AS w",
    f"(SELECT {COLUMNS} FROM w UNION ALL SELECT {COLUMNS} FROM w) AS w",
    f"(SELECT {COLUMNS} FROM w INTERSECT SELECT {COLUMNS} FROM w) AS w",
    f"(SELECT DISTINCT {COLUMNS} FROM w) AS w",
    "wa AS w",
    NUMBERED.format("window_start, window_end, k", "x", "<= 2"),
    NUMBERED.format("window_start, window_end, k", "ts", "= 1"),
]
WITHOUT = [
    "w JOIN o ON w.k = o.k",
    "w LEFT JOIN o ON w.k = o.k",
    "o RIGHT JOIN w ON w.k = o.k",
    "w FULL JOIN o ON w.k = o.k",
    "w JOIN wo ON w.k = wo.k AND w.window_start = wo.window_start",
    "w JOIN o ON w.k = o.k AND w.ts BETWEEN o.ts - INTERVAL '1' HOUR AND o.ts",
    "w JOIN l FOR SYSTEM_TIME AS OF w.pt ON w.k = l.k",
    "w LEFT JOIN l FOR SYSTEM_TIME AS OF w.pt ON w.k = l.k",
    "w JOIN c FOR SYSTEM_TIME AS OF w.ts ON w.k = c.k",
    "w JOIN c FOR SYSTEM_TIME AS OF w.window_time ON w.k = c.k",
    "w WHERE w.k IN (SELECT k FROM o)",
    "w WHERE w.k NOT IN (SELECT k FROM o)",
    "w WHERE EXISTS (SELECT 1 FROM o WHERE o.k = w.k)",
    "w WHERE w.x > (SELECT COUNT(*) FROM o)",
    "wa AS w JOIN o ON w.k = o.k",
    "wa AS w JOIN (SELECT k, COUNT(*) AS c FROM o GROUP BY k) AS q ON w.k = q.k",
    "(SELECT * FROM w LIMIT 3) AS w",
    NUMBERED.format("k", "x", "<= 2"),
    NUMBERED.format("k", "pt", "= 1"),
]


def top(query: str) -> Operator:
    return Job.of(parse_script(f"{TABLES}{query};"), {}).pipelines[0].plan.operators[0]


def aggregated(rows: str) -> Operator:
    return top(f"SELECT w.window_start, COUNT(*) FROM {rows} GROUP BY w.window_start, w.window_end")


def ranked(rows: str) -> Operator:
    number = "ROW_NUMBER() OVER (PARTITION BY w.window_start, w.window_end ORDER BY w.x) AS m"
    return top(f"SELECT * FROM (SELECT w.k, w.x, {number} FROM {rows}) WHERE m <= 2")


@pytest.mark.parametrize("rows", WITH_WINDOWS)
def test_rows_belong_to_windows(rows: str) -> None:
    assert type(aggregated(rows)) is WindowAggregate and type(ranked(rows)) is WindowRank


@pytest.mark.parametrize("rows", WITHOUT)
def test_window_fields_are_plain_columns_above_other_operators(rows: str) -> None:
    assert type(aggregated(rows)) is GroupAggregate and type(ranked(rows)) is Rank


def test_an_over_window_hides_the_windows_from_a_ranking_alone() -> None:
    rows = "(SELECT *, SUM(x) OVER (PARTITION BY k ORDER BY ts) AS s FROM w) AS w"
    assert type(aggregated(rows)) is WindowAggregate and type(ranked(rows)) is Rank


def test_windows_behind_a_join_are_joined_as_plain_columns() -> None:
    ends = "w.window_start = wo.window_start AND w.window_end = wo.window_end"
    operator = top(f"SELECT w.id FROM (SELECT w.* FROM w JOIN o ON w.k = o.k) AS w JOIN wo ON w.k = wo.k AND {ends}")
    assert operator.title == "Join"
