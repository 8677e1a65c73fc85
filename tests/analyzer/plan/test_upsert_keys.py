"""Upsert keys, as Flink 2.3 names them when it refuses a sink with another primary key."""

from __future__ import annotations

import pytest

from keepstate.plan.job import Job
from keepstate.plan.upsert_keys import SinkInput
from keepstate.syntax.script import parse_script

TABLES = """\
CREATE TABLE t (a INT, b BIGINT, d INT, ts TIMESTAMP(3), pt AS PROCTIME(), WATERMARK FOR ts AS ts)
WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'json');
CREATE TABLE p (id INT, v BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'mysql-cdc');
CREATE TABLE q (id INT, v BIGINT) WITH ('connector' = 'kafka', 'topic' = 'q', 'format' = 'debezium-json');
"""
RANKED = "SELECT {} FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY a ORDER BY {}) AS rn FROM t) WHERE rn {}"


def sink_input(query: str, columns: str) -> SinkInput:
    job = Job.of(parse_script(f"{TABLES}INSERT INTO o {query};"), {})
    return SinkInput.of(job.pipelines[0].plan, job.catalog, tuple(columns.split()))


@pytest.mark.parametrize(
    ("query", "columns", "keys"),
    [
        ("SELECT id, v FROM p", "id v", [{"id"}]),
        ("SELECT v, id FROM p WHERE v > 3", "x y", [{"y"}]),
        ("SELECT CAST(id AS BIGINT), v FROM p", "id v", [{"id"}]),
        ("SELECT id + 1, v FROM p", "id v", []),
        ("SELECT v FROM p", "v", []),
        ("SELECT id, v FROM q", "id v", []),
        ("SELECT a, d, COUNT(*) FROM t GROUP BY a, d", "a d n", [{"a", "d"}]),
        ("SELECT a, COUNT(*) FROM t GROUP BY a, d", "a n", []),
        ("SELECT 'x', COUNT(*) FROM t", "k n", [set()]),
        ("SELECT DISTINCT a, d FROM t", "a d", [{"a", "d"}]),
        (RANKED.format("a, b, rn", "d DESC", "<= 3"), "a b rn", [{"a", "rn"}]),
        (RANKED.format("a, b", "d DESC", "<= 3"), "a b", []),
        (RANKED.format("a, b", "d DESC", "= 1"), "a b", [{"a"}]),
        (RANKED.format("a, b", "pt DESC", "= 1"), "a b", [{"a"}]),
        ("SELECT id, v FROM p UNION ALL SELECT id, v FROM p", "id v", []),
        ("SELECT id, v FROM p UNION SELECT id, v FROM p", "id v", [{"id", "v"}]),
    ],
)
def test_keys_by_the_columns_of_the_sink(query: str, columns: str, keys: list[set[str]]) -> None:
    assert sink_input(query, columns).keys == frozenset(map(frozenset, keys))


@pytest.mark.parametrize(
    ("query", "updates"),
    [
        ("SELECT id, v FROM p", True),
        ("SELECT id, v FROM q", True),
        ("SELECT a, b FROM t", False),
        ("SELECT a, b FROM unknown_table", None),
        ("SELECT a, COUNT(*) FROM t GROUP BY a", True),
        ("SELECT a, (SELECT MAX(b) FROM t) FROM t", True),
        ("SELECT a, (SELECT 1) FROM t", True),
        ("SELECT a, b FROM t WHERE a > (SELECT 1)", True),
        ("SELECT a, b FROM t WHERE a IN (SELECT b FROM t)", False),
        (RANKED.format("a, b", "pt ASC", "= 1"), False),
        # Up to Flink 1.20 an earlier row takes the place of the first one; 2.3 waits for the watermark.
        (RANKED.format("a, b", "ts ASC", "= 1"), None),
        (
            "SELECT a, COUNT(*) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' HOUR)) "
            "GROUP BY a, window_start, window_end",
            False,
        ),
    ],
)
def test_whether_there_are_updates(query: str, updates: bool | None) -> None:
    assert sink_input(query, "x y").updates is updates
