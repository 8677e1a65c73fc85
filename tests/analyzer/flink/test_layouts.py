"""Stored state of a query in Flink: ids, keys and row types are those of savepoints and job graphs of Flink 2.3."""

from __future__ import annotations

import pytest

from keepstate.physical.stored_job import StoredJob
from keepstate.plan.job import Job
from keepstate.state.stored_operators import StoredOperator
from keepstate.syntax.script import parse_script

TABLES = """
CREATE TABLE t (k STRING, k2 STRING, a INT, b INT, n INT NOT NULL, d DOUBLE, dc DECIMAL(10, 2), s STRING,
  ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'kafka', 'format' = 'json');
CREATE TABLE g (k STRING, a INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'kafka');
CREATE TABLE f (k STRING, a INT, b INT) WITH ('connector' = 'filesystem', 'format' = 'json');
CREATE TABLE m (k STRING, a INT, b INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'datagen');
CREATE TABLE r (k STRING, w INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'kafka');
CREATE TABLE u (k STRING, a INT, b INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'upsert-kafka');
CREATE TABLE x (k STRING, a INT) WITH ('connector' = 'quux');
"""
TUMBLE = "TABLE(TUMBLE(TABLE {}, DESCRIPTOR(ts), INTERVAL '10' MINUTE))"
HOP = "TABLE(HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '5' MINUTE, INTERVAL '10' MINUTE))"
RANGE = "(PARTITION BY k ORDER BY ts RANGE BETWEEN INTERVAL '10' MINUTE PRECEDING AND CURRENT ROW)"


def stored(query: str, version: str | None = None, **parameters: str) -> StoredJob:
    return StoredJob.of(Job.of(parse_script(f"{TABLES}\n{query};"), parameters, version))


def top(query: str, version: str | None = None) -> StoredOperator:
    operators = stored(query, version).pipelines[0].operators
    return operators[min(operators)]


@pytest.mark.parametrize(
    ("query", "row"),
    [
        ("SELECT k, SUM(a), MAX(b), COUNT(*) FROM t GROUP BY k", "INT INT BIGINT"),
        ("SELECT k, AVG(a), AVG(d), AVG(dc) FROM t GROUP BY k", "BIGINT BIGINT DOUBLE BIGINT DECIMAL(38, 2) BIGINT"),
        ("SELECT k, SUM(a), SUM(a) FROM t GROUP BY k", "INT"),
        ("SELECT k, COUNT(*), COUNT(n) FROM t GROUP BY k", "BIGINT"),
        ("SELECT k, AVG(a), SUM(a), COUNT(a) FROM t GROUP BY k", "INT BIGINT"),
        ("SELECT k, COUNT(DISTINCT s) FROM t GROUP BY k", "BIGINT distinctAcc_0<STRING>"),
        ("SELECT DISTINCT k FROM t", ""),
        (f"SELECT k, SUM(a) FROM {HOP} GROUP BY k, window_start, window_end", "INT BIGINT"),
        (f"SELECT SUM(a) OVER {RANGE} FROM t", "BIGINT INT BIGINT"),
        (f"SELECT MAX(a) OVER {RANGE} FROM t", "MaxWithRetract<INT> BIGINT"),
        ("SELECT MAX(a) OVER (PARTITION BY k ORDER BY ts) FROM t", "INT"),
        ("SELECT k2, SUM(x) FROM (SELECT k, k2, SUM(a) AS x FROM t GROUP BY k, k2) GROUP BY k2", "INT BIGINT BIGINT"),
    ],
)
def test_accumulators(query: str, row: str) -> None:
    fields = top(query).states[0].fields
    assert " ".join(str(field.type) for field in fields) == row


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("SELECT k, COUNT(*) FROM t GROUP BY k", {"accState"}),
        (
            f"SELECT k, COUNT(*) FROM {TUMBLE.format('t')} GROUP BY k, window_start, window_end",
            {"window-aggs"},
        ),
        (
            "SELECT k, a FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY a) AS rn FROM t) WHERE rn <= 2",
            {"data-state-with-append"},
        ),
        (
            "SELECT k, a FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY a) AS rn FROM t) WHERE rn <= 1",
            {"Top1-Rank-State"},
        ),
        (
            "SELECT k FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM t) WHERE rn = 1",
            {"deduplicate-state"},
        ),
        ("SELECT t.k, a, w FROM t JOIN r ON t.k = r.k", {"left-records", "right-records"}),
    ],
)
def test_names_of_states(query: str, names: set[str]) -> None:
    assert {state.name for state in top(query).states} == names


def test_first_row_is_stored_in_another_way_from_2_0_on() -> None:
    query = "SELECT k, a FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts) AS rn FROM t) WHERE rn = 1"
    assert {state.name for state in top(query, "1.20").states} == {"deduplicate-state"}
    assert "waiting-to-emit-on-timer" in {state.name for state in top(query, "2.3").states}


def test_keys_say_where_null_may_not_be() -> None:
    assert [field.type for field in top("SELECT n, k, COUNT(*) FROM t GROUP BY n, k").key] == ["INT NOT NULL", "STRING"]


SAME_IDS = [
    ("SELECT k, SUM(a) FROM t GROUP BY k", "SELECT k, SUM(a) FROM t WHERE b > 1 GROUP BY k"),
    ("SELECT k, SUM(a) FROM t GROUP BY k", "SELECT k, SUM(a) + 1 FROM t GROUP BY k HAVING MAX(b) > 1"),
    ("SELECT k, SUM(a) FROM f GROUP BY k", "SELECT k, SUM(b), SUM(a) FROM f GROUP BY k"),
    ("SELECT k, SUM(a), MAX(b) FROM f GROUP BY k", "SELECT b, COUNT(a) FROM f GROUP BY b"),
]
OTHER_IDS = [
    ("SELECT k, SUM(a) FROM f GROUP BY k", "SELECT k, SUM(a) FROM f WHERE b > 1 GROUP BY k"),
    ("SELECT k, SUM(a) FROM f GROUP BY k", "SELECT k, SUM(a * 2) FROM f GROUP BY k"),
    ("SELECT k, SUM(a) FROM t GROUP BY k", "SELECT k, SUM(a) FROM m GROUP BY k"),
    (
        f"SELECT k, SUM(a) FROM {TUMBLE.format('g')} GROUP BY k, window_start, window_end",
        f"SELECT a, COUNT(k) FROM {TUMBLE.format('g')} GROUP BY a, window_start, window_end",
    ),
    (
        f"SELECT k, SUM(a) FROM {TUMBLE.format('t')} GROUP BY k, window_start, window_end",
        "SELECT k, SUM(a) FROM t GROUP BY k, TUMBLE(ts, INTERVAL '10' MINUTE)",
    ),
    ("SELECT k, SUM(a) FROM t GROUP BY k", "SELECT k, SUM(a) FROM t GROUP BY k;\nSELECT k, w FROM r"),
]


@pytest.mark.parametrize(("first", "second"), SAME_IDS)
def test_ids_that_stay(first: str, second: str) -> None:
    assert top(first).id == top(second).id


@pytest.mark.parametrize(("first", "second"), OTHER_IDS)
def test_ids_that_change(first: str, second: str) -> None:
    assert top(first).id != top(second).id


def test_ids_of_the_plan_do_not_mind_queries_behind() -> None:
    always = {"table.exec.uid.generation": "ALWAYS"}
    first, second = (stored(query, **always) for query in OTHER_IDS[-1])
    assert first.ids <= second.ids


def test_what_is_not_known_of_a_connector_is_doubted() -> None:
    assert "quux" in top("SELECT k, COUNT(*) FROM x GROUP BY k").id.doubt
    assert top("SELECT k, SUM(a) FROM x WHERE a > 1 GROUP BY k").id.doubt == ""


def test_rows_behind_a_source_of_upserts() -> None:
    operators = stored("SELECT a, COUNT(*) FROM u GROUP BY a").pipelines[0].operators.values()
    normalize = next(operator for operator in operators if operator.title == "ChangelogNormalize")
    assert [str(field.meaning) for field in normalize.states[0].fields] == ["k", "a"]
