"""Equations of arrays, maps and rows with NULLs in them, with the results that Flink 2.3.0 gave."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from keepstate_spark.jobs import prepared
from keepstate_spark.running import lowered_query

FLINK = Path(__file__).parent / "flink"
PARTS = """CREATE TABLE parts (id INT, a ARRAY<INT>, b ARRAY<STRING>, m MAP<STRING, INT>, r ROW<x INT, y STRING>,
    ar ARRAY<ROW<sku STRING, n INT>>) WITH ('connector' = 'filesystem', 'path' = 'parts.json', 'format' = 'json');"""
EQUATIONS = {
    "a = ARRAY[CAST(NULL AS INT)]": [False, False, None, False, False],
    "a = a": [True, True, None, True, True],
    "a <> ARRAY[CAST(NULL AS INT)]": [True, True, None, True, True],
    "a = ARRAY[1]": [False, False, None, False, False],
    "a = ARRAY_CONCAT(a)": [False, True, None, True, False],
    "a IS NOT DISTINCT FROM ARRAY[CAST(NULL AS INT)]": [False, False, False, False, False],
    "a = ARRAY[NULLIF(id, 5)]": [False, False, None, False, False],
    "a = ARRAY[3, 1, 2, CAST(NULL AS INT), 3]": [False, False, None, False, False],
    "b = ARRAY[CAST(NULL AS STRING)]": [False, False, None, False, False],
    "m = MAP['two', CAST(NULL AS INT)]": [False, False, None, False, False],
    "r = ROW(CAST(NULL AS INT), CAST(NULL AS STRING))": [False, True, None, False, False],
}
PAIRS = {
    "x.a = y.a": [True, True, None, True, True],
    "x.a <> y.a": [False, False, None, False, False],
    "x.m = y.m": [True, True, None, False, True],
    "x.r = y.r": [True, True, None, True, True],
    "x.ar = y.ar": [True, True, None, True, True],
}


@pytest.mark.parametrize(
    ("rows", "equations"), [("parts", EQUATIONS), ("parts x JOIN parts y ON x.id = y.id", PAIRS)], ids=["rows", "pairs"]
)
def test_equal_collections_are_those_of_flink(
    rows: str, equations: dict[str, list[bool | None]], spark: SparkSession
) -> None:
    sql = f"{PARTS} SELECT {', '.join(equations)} FROM {rows};"
    script = prepared(sql, "query.sql", FLINK)
    values = list(lowered_query(script, script.queries[0], spark).values())
    assert dict(zip(equations, map(list, zip(*values, strict=True)), strict=True)) == equations
