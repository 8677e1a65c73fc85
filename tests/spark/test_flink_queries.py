"""Queries of every kind over two small tables, with the results that Flink 2.3.0 gave, row for row.

``flink/queries.jsonl`` has a query a line with its columns, types and rows: in streaming mode, retractions applied, or
in batch mode where Flink runs it in no other. ``flink/fresh.jsonl`` has further ones, written without a look at the
code: values of all types, times before 1970, windows, sets, arrays.
"""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from keepstate_spark.errors import PipelineError
from keepstate_spark.jobs import prepared
from keepstate_spark.running import lowered_query
from spark_versions import REFUSAL, is_newer

FLINK = Path(__file__).parent / "flink"
TABLES = "SET 'table.local-time-zone' = 'Europe/Berlin';\n" + (FLINK / "tables.sql").read_text("utf-8")
ANSWERS = [json.loads(line) for line in (FLINK / "queries.jsonl").read_text("utf-8").splitlines()]

FRESH = [json.loads(line) for line in (FLINK / "fresh.jsonl").read_text("utf-8").splitlines()]
KINDS = (FLINK / "kinds.sql").read_text("utf-8")


def comparable(rows: list[list[Any]]) -> list[str]:
    """Rows and entries of maps without an order, numbers to twelve digits."""
    return sorted(json.dumps([_number(value) for value in row], default=float, sort_keys=True) for row in rows)


def _number(value: Any) -> Any:
    if isinstance(value, Decimal) and value.as_tuple().exponent == 0:
        # Flink's rows have it without a point.
        return int(value)
    return float(f"{float(value):.12g}") if isinstance(value, (Decimal, float)) else value


@pytest.mark.parametrize("answer", ANSWERS, ids=[answer["sql"] for answer in ANSWERS])
def test_result_is_that_of_flink(answer: dict[str, Any], spark: SparkSession) -> None:
    script = prepared(f"{TABLES}\n{answer['sql']};", "query.sql", FLINK)
    query = lowered_query(script, script.queries[0], spark)
    assert comparable(list(query.values())) == comparable(answer["rows"])
    assert list(query.names) == answer["columns"]
    assert query.shown_types() == answer["types"]


@pytest.mark.parametrize("answer", FRESH, ids=[answer["sql"] for answer in FRESH])
def test_fresh_result_is_that_of_flink(answer: dict[str, Any], spark: SparkSession) -> None:
    mode = {"execution.runtime-mode": answer["mode"]}
    script = prepared(f"{TABLES}\n{KINDS}\n{answer['sql']};", "query.sql", FLINK, parameters=mode)
    if is_newer(answer["sql"]):
        with pytest.raises(PipelineError, match=REFUSAL):
            lowered_query(script, script.queries[0], spark)
        return
    query = lowered_query(script, script.queries[0], spark)
    assert comparable(list(query.values())) == comparable(answer["rows"])
    assert list(query.names) == answer["columns"]
    assert query.shown_types() == answer["types"]
