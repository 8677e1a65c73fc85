"""The golden results of real Flink, where they are at hand: a folder ``shared`` beside the repository."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from keepstate_spark.jobs import prepared
from keepstate_spark.running import lowered_query

GOLDEN = Path(__file__).parents[3] / "shared" / "golden"

pytestmark = pytest.mark.skipif(not GOLDEN.is_dir(), reason=f"the golden results are not at hand: no {GOLDEN}")


def _comparable(rows: list[list[Any]]) -> list[str]:
    return sorted(json.dumps(row, default=float) for row in rows)


@pytest.mark.parametrize("name", sorted(path.stem for path in GOLDEN.glob("queries/*.sql")))
def test_rows_and_types_are_those_of_flink(name: str, spark: SparkSession) -> None:
    lines = (GOLDEN / "expected" / f"{name}.jsonl").read_text("utf-8").splitlines()
    header, *rows = map(json.loads, lines)
    tables = (GOLDEN / "ddl.sql").read_text("utf-8")
    query = (GOLDEN / "queries" / f"{name}.sql").read_text("utf-8")
    script = prepared(f"SET 'table.local-time-zone' = 'Europe/Berlin';\n{tables}\n{query}", f"{name}.sql", GOLDEN)
    running = lowered_query(script, script.queries[0], spark)
    assert _comparable(list(running.values())) == _comparable(rows)
    assert list(running.names) == header["columns"]
    assert running.shown_types() == header["types"]
