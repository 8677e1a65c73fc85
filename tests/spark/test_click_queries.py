"""Queries over clicks and trades, with the rows of Flink 2.3.0 in ``flink/clicks.jsonl``, in both modes.

Zeros with a sign lie in keys, sums and sets, and variances go over windows. What Spark would tell in another way is
refused, or stops the query.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from keepstate_spark.errors import PipelineError
from keepstate_spark.jobs import prepared
from keepstate_spark.running import LoweredQuery, lowered_query
from test_flink_queries import comparable

FLINK = Path(__file__).parent / "flink"
TABLES = (FLINK / "clicks.sql").read_text("utf-8")
ANSWERS = [json.loads(line) for line in (FLINK / "clicks.jsonl").read_text("utf-8").splitlines()]


def running(sql: str, mode: str, session: SparkSession) -> LoweredQuery:
    settings = {"execution.runtime-mode": mode, "table.local-time-zone": "UTC"}
    script = prepared(f"{TABLES}{sql};", "clicks.sql", FLINK, parameters=settings)
    return lowered_query(script, script.queries[0], session)


@pytest.mark.parametrize("answer", ANSWERS, ids=[f"{answer['mode']} {answer['sql']}" for answer in ANSWERS])
def test_rows_are_those_of_flink(answer: dict[str, Any], session: SparkSession) -> None:
    query = running(answer["sql"], answer["mode"], session)
    assert comparable(list(query.values())) == comparable(answer["rows"])
    assert list(query.names) == answer["columns"]
    assert query.shown_types() == answer["types"]


@pytest.mark.parametrize("mode", ["streaming", "batch"])
@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("SELECT ROW(dur, 1), COUNT(*) FROM ev GROUP BY ROW(dur, 1)", "has one inside"),
        ("SELECT ARRAY[dur], MAX(eid) FROM ev GROUP BY ARRAY[dur]", "has one inside"),
        ("SELECT DISTINCT ROW(dur, 'x') FROM ev", "has one inside"),
        ("SELECT COLLECT(dur) FROM ev", "a COLLECT is -0.0"),
        ("SELECT eid, -dur FROM ev WHERE dur = 0", "sign of a zero"),
        ("SELECT -a.dur FROM ev a JOIN ev b ON a.eid = b.eid AND a.dur = 0", "sign of a zero"),
        ("SELECT 0.0e0, TRUE FROM ev INTERSECT SELECT dur, b FROM ev", "a constant in INTERSECT"),
        ("SELECT a.eid FROM ev a JOIN ev b ON ARRAY[a.dur] = ARRAY[b.dur]", "A join by a"),
    ],
)
def test_zeros_that_spark_takes_for_one_are_refused(mode: str, sql: str, reason: str, session: SparkSession) -> None:
    with pytest.raises(PipelineError, match=reason):
        running(sql, mode, session)


@pytest.mark.parametrize("mode", ["streaming", "batch"])
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT ROW(dur, 1), COUNT(*) FROM ev WHERE dur > 0 GROUP BY ROW(dur, 1)",
        "SELECT COLLECT(dur) FROM ev WHERE dur > 0",
        "SELECT ROW(n, page), COUNT(*) FROM ev GROUP BY ROW(n, page)",
        "SELECT eid, -n FROM ev WHERE n = 0",
        "SELECT eid, -dur FROM ev WHERE dur > 0",
    ],
)
def test_values_without_a_zero_with_a_sign_run(mode: str, sql: str, session: SparkSession) -> None:
    assert list(running(sql, mode, session).values())


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("SELECT dur FROM ev EXCEPT SELECT CAST(0 AS DOUBLE) FROM ev", "a constant in EXCEPT"),
        ("SELECT eid, SUM(eid) OVER (PARTITION BY dur ORDER BY eid) FROM ev", "a partition with both"),
    ],
)
def test_zeros_that_a_batch_job_takes_for_one_are_refused(sql: str, reason: str, session: SparkSession) -> None:
    with pytest.raises(PipelineError, match=reason):
        running(sql, "batch", session)
    assert list(running(sql, "streaming", session).names)


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        ("MAP_KEYS(STR_TO_MAP('b=1,a=2'))", "order of a hash"),
        ("MAP_VALUES(MAP_UNION(MAP['x', eid], MAP['y', 2]))", "order of a hash"),
        ("MAP[dur, 1]", "A key of a MAP is -0.0"),
        ("FLOOR(TIMESTAMPADD(YEAR, -1000, ts) TO WEEK)", "1582-10-15"),
        ("CEIL(DATE '1582-10-10' TO QUARTER)", "1582-10-15"),
        ("CONVERT_TZ('1582-10-10 10:10:10', 'UTC', 'Asia/Tokyo')", "1582-10-15"),
    ],
)
def test_values_that_flink_alone_computes_stop_the_query(item: str, reason: str, session: SparkSession) -> None:
    query = running(f"SELECT {item} FROM ev WHERE page <> 'x'", "streaming", session)
    with pytest.raises(PipelineError, match=reason):
        list(query.values())


def test_a_map_of_one_entry_has_its_keys(session: SparkSession) -> None:
    query = running("SELECT MAP_KEYS(MAP['x', eid]), MAP_VALUES(MAP['x', eid]) FROM ev WHERE eid = 3", "batch", session)
    assert list(query.values()) == [[["x"], [3]]]
