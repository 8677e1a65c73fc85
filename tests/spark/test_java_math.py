"""EXP, POWER and logarithms with the rows of Flink 2.3.0 to their last digit, in each place of a query."""

from __future__ import annotations

import json
import math
from datetime import datetime
from pathlib import Path
from typing import Any, cast

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import Column, SparkSession

from keepstate_spark.jobs import prepared
from keepstate_spark.lowering.functions.java_math import may_call_java
from keepstate_spark.lowering.operators import plan_frames
from keepstate_spark.running import lowered_query

FLINK = Path(__file__).parent / "flink"
TABLE = (
    "CREATE TABLE powers (id INT, x DOUBLE, y DOUBLE, m DECIMAL(10, 3), i INT, ts TIMESTAMP(3), "
    "WATERMARK FOR ts AS ts) WITH ('connector' = 'filesystem', 'path' = 'powers.json', 'format' = 'json');"
)
ANSWERS = [json.loads(line) for line in (FLINK / "powers.jsonl").read_text("utf-8").splitlines()]


def shown(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat(sep=" ", timespec="seconds")
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def rows_of(sql: str, session: SparkSession) -> list[list[Any]]:
    script = prepared(f"{TABLE}{sql};", "powers.sql", FLINK)
    rows = lowered_query(script, script.queries[0], session).values()
    return sorted(([shown(value) for value in row] for row in rows), key=json.dumps)


@pytest.mark.parametrize("answer", ANSWERS, ids=[answer["sql"] for answer in ANSWERS])
def test_values_have_the_digits_of_flink(answer: dict[str, Any], session: SparkSession) -> None:
    assert rows_of(answer["sql"], session) == answer["rows"]


def test_a_platform_may_forbid_reflection(session: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan_frames, "may_call_java", lambda _: False)
    answer = next(answer for answer in ANSWERS if answer["sql"].startswith("SELECT id, EXP(x)"))
    rows = rows_of(answer["sql"], session)
    assert rows != answer["rows"]
    near = [[pytest.approx(one, rel=1e-15) if isinstance(one, float) else one for one in row] for row in rows]
    assert near == answer["rows"]


class Forbidding:
    """A session whose platform knows no ``reflect``."""

    def range(self, _: int) -> Forbidding:
        return self

    def select(self, *_: Column) -> Forbidding:
        raise AnalysisException("There is no reflect.")


def test_reflection_is_asked_for(session: SparkSession) -> None:
    assert may_call_java(session)
    assert not may_call_java(cast(SparkSession, Forbidding()))
