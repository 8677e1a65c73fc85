"""Expressions, as Flink itself calculated them: ``flink/values.tsv`` has what Flink 2.3.0 answered.

Each line is an expression, its type and its value, in the session time zone Europe/Berlin.
"""

from __future__ import annotations

import json
import math
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from keepstate_spark.jobs import prepared
from keepstate_spark.running import lowered_query

HERE = Path(__file__).parent
AT_ONCE = 60
"""Expressions in one query: each costs a column, and each query a job."""
ANSWERS = [line.split("\t") for line in (HERE / "flink" / "values.tsv").read_text("utf-8").splitlines()]
PARTS = [ANSWERS[start : start + AT_ONCE] for start in range(0, len(ANSWERS), AT_ONCE)]


def _same(value: Any, wanted: Any) -> bool:
    if isinstance(value, (Decimal, float)) and isinstance(wanted, (int, float)):
        return math.isclose(value, wanted, rel_tol=1e-15)
    return bool(value == wanted)


@pytest.mark.parametrize("part", PARTS, ids=[part[0][0] for part in PARTS])
def test_values_and_types_are_those_of_flink(part: list[list[str]], spark: SparkSession) -> None:
    items = ",\n".join(f"{expression} AS c{index}" for index, (expression, _, _) in enumerate(part))
    script = prepared(f"SET 'table.local-time-zone' = 'Europe/Berlin';\nSELECT {items};", "values.sql", HERE)
    query = lowered_query(script, script.queries[0], spark)
    (row,) = query.values()
    wrong = {
        expression: (value, type_)
        for (expression, wanted_type, wanted), value, type_ in zip(part, row, query.shown_types(), strict=True)
        if not _same(value, json.loads(wanted)) or (type_ != wanted_type and expression not in ELEMENTS_NOT_NULL)
    }
    assert wrong == {}


ELEMENTS_NOT_NULL = {
    "ARRAY[1, 2, 3]",
    "MAP['a', 1, 'b', 2]",
    "ROW(1, 'a')",
    "IF(CAST(NULL AS BOOLEAN), 1, 2)",
    "ARRAY_SORT(ARRAY[3,1,2])",
    "ARRAY_APPEND(ARRAY[1], 2)",
    "ARRAY_PREPEND(ARRAY[1], 2)",
    "ARRAY_CONCAT(ARRAY[1], ARRAY[2])",
    "ARRAY_UNION(ARRAY[1,2], ARRAY[2,3])",
    "MAP_FROM_ARRAYS(ARRAY['a'], ARRAY[1])",
    "MAP_UNION(MAP['a', 1], MAP['b', 2])",
}
"""Flink says NOT NULL of elements as well, and forgets it for a condition that is NULL."""
