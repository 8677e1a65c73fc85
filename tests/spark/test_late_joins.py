"""Joins by time whose rows come behind the watermark: run where Flink gives the same rows at any pace of the inputs.

``flink/late_joins.jsonl`` has queries over rows in disorder. Those with ``rows`` are what Flink 2.3.0 gave in each of
eight runs: five with a watermark behind every row, three with one every 200 ms. The others depend on the pace;
``different_runs`` is the number of different results in eight runs.
"""

from __future__ import annotations

import json
import random
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from keepstate_spark.errors import PipelineError
from keepstate_spark.jobs import RunnableScript, prepared
from keepstate_spark.running import LoweredQuery, lowered_query
from reference_interval_join import joined, paces, with_marks
from test_flink_queries import comparable

FLINK = Path(__file__).parent / "flink"
TABLES = "SET 'table.local-time-zone' = 'Europe/Berlin';\n" + (FLINK / "late_joins.sql").read_text("utf-8")
QUERIES = [json.loads(line) for line in (FLINK / "late_joins.jsonl").read_text("utf-8").splitlines()]
ANSWERS = [query for query in QUERIES if "rows" in query and "held_longer" not in query]
OPEN = [query for query in QUERIES if "different_runs" in query]
HELD_LONGER = [query for query in QUERIES if "held_longer" in query]
REFUSAL = "depends on the pace of (both|its) inputs|come in no certain order"
EPOCH = datetime(1970, 1, 1)


def lowered(sql: str, spark: SparkSession, **options: Any) -> LoweredQuery:
    script = prepared(f"{TABLES}\n{sql};", "late.sql", FLINK)
    return lowered_query(script, script.queries[0], spark, **options)


@pytest.mark.parametrize("answer", ANSWERS, ids=[answer["sql"] for answer in ANSWERS])
def test_late_rows_are_joined_where_flink_joins_them_at_any_pace(answer: dict[str, Any], spark: SparkSession) -> None:
    query = lowered(answer["sql"], spark)
    assert comparable(list(query.values())) == comparable(answer["rows"])
    assert list(query.names) == answer["columns"]


@pytest.mark.parametrize("sql", [query["sql"] for query in OPEN])
def test_a_join_that_depends_on_the_pace_of_its_inputs_is_refused(sql: str, spark: SparkSession) -> None:
    with pytest.raises(PipelineError, match=REFUSAL):
        lowered(sql, spark)


@pytest.mark.parametrize("kind", ["JOIN", "LEFT JOIN", "FULL JOIN"])
@pytest.mark.parametrize("seed", range(8))
def test_results_are_those_of_any_pace(kind: str, seed: int, spark: SparkSession, tmp_path: Path) -> None:
    """An interval join that is run has the rows of Flink's operator at each of two dozen paces."""
    generator = random.Random(f"{kind} {seed}")
    delays, keys = (generator.choice((0, 3)), generator.choice((0, 3, 8))), generator.choice((3, 8, 20))
    behind, reaches = generator.choice((1, 5, 20)), (generator.choice((0, 5, 20)), generator.choice((0, 5, 40)))
    tables, inputs = [], []
    for name, delay in zip(("a", "b"), delays, strict=True):
        moment, rows = generator.choice((-10, 1000)) * 1000, []
        for number in range(generator.randint(5, 25)):
            moment += generator.choice((1000, 3000, 9000))
            time = moment - generator.choice((0, 0, 0, 1000, 1000 * behind))
            rows.append((time, generator.randrange(keys), f"{name}{number}"))
        lines = (json.dumps({"k": key, "id": id_, "ts": _text(time)}) for time, key, id_ in rows)
        (tmp_path / f"{name}.json").write_text("\n".join(lines), "utf-8")
        inputs.append(with_marks(rows, delay * 1000))
        tables.append(
            f"CREATE TABLE {name} (k INT, id STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '{delay}' "
            f"SECOND) WITH ('connector' = 'filesystem', 'path' = '{name}.json', 'format' = 'json');"
        )
    sql = (
        f"SELECT a.id AS l, b.id AS r FROM a {kind} b ON a.k = b.k AND a.ts BETWEEN b.ts - INTERVAL '{reaches[0]}' "
        f"SECOND AND b.ts + INTERVAL '{reaches[1]}' SECOND;"
    )
    script = prepared("".join(tables) + sql, "join.sql", tmp_path)
    results = _results(script, spark)
    if results is None:
        return
    pads = (kind != "JOIN", kind == "FULL JOIN")
    lengths = (reaches[0] * 1000, reaches[1] * 1000)
    for pace in paces((len(inputs[0]), len(inputs[1])), generator, 24):
        assert joined((inputs[0], inputs[1]), lengths, pads, pace) == results


@pytest.mark.parametrize("answer", HELD_LONGER, ids=[answer["sql"] for answer in HELD_LONGER])
def test_a_job_may_hold_rows_longer(answer: dict[str, Any], spark: SparkSession) -> None:
    sql, settings = answer["sql"], {"table.exec.interval-join.min-cleanup-interval": "10 min"}
    script = prepared(f"{TABLES}\n{sql};", "late.sql", FLINK, parameters=settings)
    query = lowered_query(script, script.queries[0], spark)
    assert comparable(list(query.values())) == comparable(answer["rows"])
    with pytest.raises(PipelineError, match=REFUSAL):
        lowered(sql, spark)


def test_late_rows_that_are_kept_are_all_joined(spark: SparkSession) -> None:
    query = lowered(OPEN[0]["sql"], spark, drops_late=False)
    assert list(query.values()) and not any(late.certain or late.left_out for late in query.late_rows())


def _results(script: RunnableScript, spark: SparkSession) -> list[str] | None:
    """The rows of a query; ``None`` where the pace of its inputs decides about them."""
    try:
        query = lowered_query(script, script.queries[0], spark)
    except PipelineError as refused:
        if "depends on the pace of both inputs" not in str(refused):
            raise
        return None
    return sorted(str(tuple(row)) for row in query.values())


def _text(milliseconds: int) -> str:
    return (EPOCH + timedelta(milliseconds=milliseconds)).isoformat(" ", timespec="milliseconds")
