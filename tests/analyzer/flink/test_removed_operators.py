"""Windows without a reader: which of them Flink's planner removes. The numbers are those of its plans."""

from __future__ import annotations

import pytest

from keepstate import JobVersion, check
from keepstate.plan.job import Job
from keepstate.plan.operators import OverAggregate
from keepstate.report import Verdict
from keepstate.syntax.script import parse_script

TABLES = """\
CREATE TABLE t (id INT, a INT, b INT, k STRING, g STRING, pt AS PROCTIME(), ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'json');
CREATE TABLE u (id INT, a INT, k STRING, s STRING) WITH ('connector' = 'kafka', 'topic' = 'u', 'format' = 'json');
CREATE TABLE p (k STRING, a INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = 'p');
CREATE TABLE c (a INT, s STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts, PRIMARY KEY (a) NOT ENFORCED)
WITH ('connector' = 'upsert-kafka', 'topic' = 'c');
CREATE TABLE l (a INT, s STRING, PRIMARY KEY (a) NOT ENFORCED) WITH ('connector' = 'jdbc');
CREATE VIEW w AS SELECT g, b, ts, MAX(a) OVER (PARTITION BY k ORDER BY ts) AS o FROM t;
"""
PLAIN = "(SELECT g, b, ts FROM w)"
TUMBLED = "TABLE(TUMBLE(TABLE {}, DESCRIPTOR(ts), INTERVAL '1' HOUR)) GROUP BY window_start, window_end"

# queries over a window whose result none reads
WINDOWS_THAT_STAY = [
    "SELECT COUNT(*) FROM w",
    "SELECT COUNT(*) FROM (SELECT o FROM w)",
    "SELECT g FROM w WHERE b > 3",
    "SELECT x.g FROM w AS x JOIN u ON x.b = u.a",
    "SELECT x.g FROM w AS x LEFT JOIN u ON x.b = u.a",
    "SELECT x.g FROM u LEFT JOIN w AS x ON x.b = u.a",
    "SELECT x.g FROM w AS x JOIN (SELECT DISTINCT a FROM u) AS u ON x.b = u.a",
    "SELECT x.g, COUNT(*) FROM w AS x JOIN u ON x.b = u.a GROUP BY x.g",
    "SELECT u.s FROM w AS x CROSS JOIN u",
    "SELECT g FROM w WHERE b IN (SELECT a FROM u)",
    "SELECT g FROM w WHERE EXISTS (SELECT 1 FROM u WHERE u.a = w.b)",
    "SELECT g FROM w WHERE b > (SELECT MAX(a) FROM u)",
    "SELECT g, (SELECT MAX(a) FROM u) FROM w",
    "SELECT x.g FROM w AS x JOIN t AS y ON x.b = y.a AND x.ts BETWEEN y.ts - INTERVAL '1' HOUR AND y.ts",
    "SELECT x.g FROM w AS x JOIN c FOR SYSTEM_TIME AS OF x.ts ON x.b = c.a",
    "SELECT x.g FROM w AS x CROSS JOIN UNNEST(ARRAY[1, 2]) AS q (e)",
    "SELECT x.g, e FROM w AS x LEFT JOIN UNNEST(ARRAY[x.b, 2]) AS q (e) ON TRUE",
    f"SELECT window_start, COUNT(*) FROM {TUMBLED.format('w')}",
    "SELECT COUNT(*) FROM (SELECT k, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts) AS n FROM t)",
    "SELECT k FROM (SELECT k, b, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts) AS n FROM t) WHERE b > 3",
]
WINDOWS_THAT_GO = [
    "SELECT g FROM w",
    "SELECT g, COUNT(*) FROM w GROUP BY g",
    "SELECT DISTINCT g FROM w",
    "SELECT COUNT(*), MAX(g) FROM w",
    "SELECT g FROM w UNION ALL SELECT k FROM u",
    "SELECT g FROM w INTERSECT SELECT k FROM u",
    "SELECT g FROM w LIMIT 3",
    "SELECT COUNT(*) FROM w GROUP BY TUMBLE(ts, INTERVAL '1' HOUR)",
    f"SELECT COUNT(*) FROM {PLAIN}",
    f"SELECT g FROM {PLAIN} WHERE b > 3",
    f"SELECT x.g FROM {PLAIN} AS x JOIN u ON x.b = u.a",
    f"SELECT x.g FROM {PLAIN} AS x WHERE x.b IN (SELECT a FROM u)",
    f"SELECT x.g, (SELECT MAX(a) FROM u) FROM {PLAIN} AS x",
    f"SELECT x.g FROM {PLAIN} AS x CROSS JOIN UNNEST(ARRAY[1, 2]) AS q (e)",
]


def count(query: str, kind: type) -> int:
    plan = Job.of(parse_script(f"{TABLES}{query};"), {}, None).pipelines[0].plan
    return sum(isinstance(operator, kind) for operator in (plan.storage_root or plan.root).walk())


@pytest.mark.parametrize("query", WINDOWS_THAT_STAY)
def test_a_window_stays_below_what_keeps_its_select_list_apart(query: str) -> None:
    assert count(query, OverAggregate) == 1


@pytest.mark.parametrize("query", WINDOWS_THAT_GO)
def test_a_window_goes_with_a_projection_above_it(query: str) -> None:
    assert count(query, OverAggregate) == 0


@pytest.mark.parametrize("key", ["k", "g"])
def test_the_key_of_a_window_without_a_reader_counts(key: str) -> None:
    """Measured: a restart from a savepoint fails."""
    texts = [
        f"SELECT COUNT(*) FROM (SELECT a, MAX(b) OVER (PARTITION BY {each} ORDER BY ts) AS o FROM t);"
        for each in ("id", key)
    ]
    former, changed = (JobVersion(TABLES + text) for text in texts)
    assert check(changed, former, "flink").verdict is Verdict.INCOMPATIBLE
