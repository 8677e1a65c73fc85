"""Top-1 queries whose first rows Flink 2.1 and later never take back (changelog ``[I]`` of Flink 2.3.0).

Measured: ``COUNT(*)`` over the cheapest order of each product counted 20 rows in Flink 2.3.0, where 6 products had one.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from keepstate_spark.runnable import runnable

TABLES = """\
CREATE TABLE orders (id INT, k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = 'orders.json', 'format' = 'json');
CREATE TABLE changed (id INT, k STRING, v INT, PRIMARY KEY (id) NOT ENFORCED)
WITH ('connector' = 'upsert-kafka', 'topic' = 'c', 'key.format' = 'json', 'value.format' = 'json');
CREATE TABLE appended (k STRING, id INT) WITH ('connector' = 'kafka', 'topic' = 'x', 'format' = 'json');
CREATE TABLE keyed (k STRING, id INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'jdbc', 'table-name' = 'x');
"""
FIRST = (
    "SELECT k, id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY {order}) AS rn FROM {table}) WHERE {rows}"
)
BATCH = "SET 'execution.runtime-mode' = 'batch';"


def first(order: str, rows: str = "rn = 1", table: str = "orders") -> str:
    return FIRST.format(order=order, rows=rows, table=table)


REFUSED = {
    "one ascending column": first("v"),
    "at most one row": first("v", "rn <= 1"),
    "several columns": first("v DESC, id"),
    "a time and a tie": first("ts, id"),
    "a last time and a tie": first("ts DESC, id"),
    "a count above": f"SELECT COUNT(*) FROM ({first('v')})",
    "a join above": f"SELECT a.id FROM ({first('v')}) AS a JOIN orders AS b ON a.id = b.id",
    "a sink for new rows": f"INSERT INTO appended {first('v DESC, id')}",
    "a keyed sink of a count": f"INSERT INTO keyed SELECT k, CAST(COUNT(*) AS INT) FROM ({first('v')}) GROUP BY k",
}
TAKEN = {
    "one descending column": first("v DESC"),
    "two rows": first("v", "rn <= 2"),
    "a time": first("ts"),
    "a last time": first("ts DESC"),
    "rows that change": first("v", table="changed"),
    "batch": f"{BATCH} {first('v')}",
    "a sink with the key of the partition": f"INSERT INTO keyed {first('v')}",
    "one row of each window": first(
        "v, id", table="TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' HOUR))"
    ).replace("PARTITION BY k", "PARTITION BY k, window_start, window_end"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("orders", "changed"):
        (tmp_path / f"{name}.json").write_text('{"id": 1, "k": "a", "v": 2, "ts": "2026-01-01 00:00:00"}\n', "utf-8")
    return tmp_path


def refusals(query: str, folder: Path, versions: list[str | None]) -> tuple[str, ...]:
    data = {"changed": str(folder / "changed.json")} if "changed" in query else {}
    return runnable(f"{TABLES}{query};", "job.sql", folder, versions, data, {}).refused


@pytest.mark.parametrize("version", ["2.1", "2.3", None])
@pytest.mark.parametrize("query", REFUSED.values(), ids=REFUSED)
def test_first_rows_that_stay_are_refused(query: str, version: str | None, folder: Path) -> None:
    (line,) = refusals(query, folder, [version])
    assert "take none of them back" in line
    assert line.endswith(f"It is here: ORDER BY {query.partition('ORDER BY ')[2].partition(')')[0]}")


@pytest.mark.parametrize("query", REFUSED.values(), ids=REFUSED)
@pytest.mark.parametrize("versions", [["1.20"], ["2.0"], [None, "1.20"]], ids=str)
def test_older_versions_take_them_back(query: str, versions: list[str | None], folder: Path) -> None:
    lines = refusals(query, folder, versions)
    # A sink for new rows takes none that change, and is refused only where each version refuses it.
    assert [line.split("(")[1].split(")")[0] for line in lines] == ["append-only-sink"] * (
        "appended" in query and None not in versions
    )


@pytest.mark.parametrize("query", TAKEN.values(), ids=TAKEN)
def test_other_rankings_run(query: str, folder: Path) -> None:
    assert refusals(query, folder, ["2.3"]) == ()
