"""Windows over a TIMESTAMP_LTZ around changes of the clock, with the rows of Flink 2.3.0 in ``flink/clocks.jsonl``.

The rows of ``flink/clocks.json`` lie around six such changes of several zones, some of them late.
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
TABLE = (
    "CREATE TABLE t (id INT, k STRING, v INT, ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS ts - INTERVAL '5' MINUTE) "
    "WITH ('connector' = 'filesystem', 'path' = 'clocks.json', 'format' = 'json');"
)
ANSWERS = [json.loads(line) for line in (FLINK / "clocks.jsonl").read_text("utf-8").splitlines()]
COUNT = "SELECT window_start, COUNT(*) FROM TABLE(HOP(TABLE t, DESCRIPTOR(ts), {})) GROUP BY window_start, window_end"
GROUPS = "SELECT HOP_START(ts, {0}) AS s, COUNT(*) AS n FROM t GROUP BY HOP(ts, {0})"
HALVES, HOURS = "INTERVAL '10' MINUTE, INTERVAL '30' MINUTE", "INTERVAL '1' HOUR, INTERVAL '3' HOUR"


def running(sql: str, zone: str, session: SparkSession, folder: Path = FLINK) -> LoweredQuery:
    script = prepared(f"{TABLE}{sql};", "clocks.sql", folder, parameters={"table.local-time-zone": zone})
    return lowered_query(script, script.queries[0], session)


@pytest.mark.parametrize("answer", ANSWERS, ids=[f"{answer['zone']} {answer['sql']}" for answer in ANSWERS])
def test_rows_are_those_of_flink(answer: dict[str, Any], session: SparkSession) -> None:
    query = running(answer["sql"], answer["zone"], session)
    assert comparable(list(query.values())) == comparable(answer["rows"])
    assert query.shown_types() == answer["types"]


@pytest.mark.parametrize("zone", ["Australia/Adelaide", "America/New_York", "America/St_Johns"])
@pytest.mark.parametrize("sql", [COUNT.format(HALVES), GROUPS.format(HALVES), COUNT.format(HOURS)])
def test_hops_around_an_hour_that_is_left_out_are_refused(sql: str, zone: str, session: SparkSession) -> None:
    """Flink counted rows into other windows there, and sent some out twice."""
    with pytest.raises(PipelineError, match=f"A row lies near an hour that {zone} leaves out"):
        running(sql, zone, session)


@pytest.mark.parametrize("zone", ["Asia/Kolkata", "UTC", "Pacific/Auckland"])
def test_hops_of_rows_far_from_such_hours_run(zone: str, session: SparkSession) -> None:
    assert list(running(COUNT.format(HALVES), zone, session).values())


OUTSIDE = "ts < TIMESTAMP '2026-03-08 01:00:00' OR ts > TIMESTAMP '2026-03-08 03:10:00'"


@pytest.mark.parametrize(
    "condition",
    [
        "ts >= TIMESTAMP '2026-03-08 03:10:00' AND ts < TO_TIMESTAMP_LTZ(1772960000, 0)",
        "ts >= TIMESTAMP '2026-03-08 03:10:00' OR '2026-03-08 01:00:00' > ts",
        "ts BETWEEN TO_TIMESTAMP_LTZ(1772953800, 0) AND TIMESTAMP '2026-03-09 00:00:00'",
        f"({OUTSIDE}) AND ts <> TO_TIMESTAMP_LTZ(1772953800, 0)",
        f"({OUTSIDE}) AND ts < TO_TIMESTAMP_LTZ(1772953800, 0) OR ts = TO_TIMESTAMP_LTZ(1772953900, 0)",
    ],
)
def test_bounds_of_several_types_are_refused_outside_of_utc(condition: str, session: SparkSession) -> None:
    """Flink takes the TIMESTAMP for a time in UTC there, and gave 31 rows of 7."""
    for sql in (f"SELECT id FROM t WHERE {condition}", f"SELECT id, {condition} AS f FROM t"):
        with pytest.raises(PipelineError, match="The bounds of ts have several types"):
            running(sql, "America/New_York", session)
        assert running(sql, "UTC", session).names[0] == "id"


def test_bounds_beside_another_column_make_no_range(session: SparkSession) -> None:
    """Flink's plan keeps the comparisons of this condition apart."""
    condition = "(ts < TIMESTAMP '2026-03-08 01:00:00' OR id > 5) AND ts < TO_TIMESTAMP_LTZ(1772953800, 0)"
    assert running(f"SELECT id FROM t WHERE {condition}", "America/New_York", session).names == ("id",)
