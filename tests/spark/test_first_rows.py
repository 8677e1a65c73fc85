"""Top-1 queries whose first rows Flink 2.1 and later never take back (changelog ``[I]`` of Flink 2.3.0).

``flink/first_rows.jsonl`` has a query a line over the table ``orders`` in a file called ``data``, with the columns, the
types and the rows that Flink 2.3.0 gave: each better row beside the former ones.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from keepstate_spark.runnable import runnable
from keepstate_spark.running import lowered_query
from test_flink_queries import comparable

FLINK = Path(__file__).parent / "flink"
ANSWERS = [json.loads(line) for line in (FLINK / "first_rows.jsonl").read_text("utf-8").splitlines()]
MEASURED = """\
CREATE TABLE orders (id INT, k STRING, v INT, d DOUBLE, s STRING, ts TIMESTAMP(3),
WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)
WITH ('connector' = 'filesystem', 'path' = '{}.json', 'format' = 'json');
CREATE VIEW firsts AS SELECT k, id, v, s, ts FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v DESC, id) AS rn FROM orders) WHERE rn = 1;
CREATE VIEW w AS SELECT k, window_start, COUNT(*) AS n
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end;
"""
TABLES = """\
CREATE TABLE orders (id INT, k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = 'orders.json', 'format' = 'json');
CREATE TABLE changed (id INT, k STRING, v INT, PRIMARY KEY (id) NOT ENFORCED)
WITH ('connector' = 'upsert-kafka', 'topic' = 'c', 'key.format' = 'json', 'value.format' = 'json');
CREATE TABLE appended (k STRING, id INT) WITH ('connector' = 'kafka', 'topic' = 'x', 'format' = 'json');
CREATE TABLE printed (k STRING, id INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'print');
CREATE TABLE keyed (k STRING, id INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'jdbc', 'table-name' = 'x');
"""
FIRST = (
    "SELECT {columns} FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY {key} ORDER BY {order}) AS rn FROM {table}) "
    "WHERE {rows}"
)
BATCH = "SET 'execution.runtime-mode' = 'batch';"
EARLY = (
    "SET 'table.exec.emit.late-fire.enabled' = 'true'; SET 'table.exec.emit.late-fire.delay' = '1 s'; "
    "SET 'table.exec.emit.allow-lateness' = '1 min'; "
)
HOUR = "INTERVAL '1' HOUR"


def first(order: str, rows: str = "rn = 1", table: str = "orders", columns: str = "k, id", key: str = "k") -> str:
    return FIRST.format(order=order, rows=rows, table=table, columns=columns, key=key)


def windowed(keys: str, function: str = "TUMBLE", lengths: str = HOUR) -> str:
    """The windows of ``orders``, with a count for each of ``keys``."""
    rows = f"TABLE({function}(TABLE orders, DESCRIPTOR(ts), {lengths}))"
    return f"(SELECT {keys}, window_start, COUNT(*) AS n FROM {rows} GROUP BY {keys}, window_start, window_end)"


GROUPED = f"(SELECT k, TUMBLE_END(ts, {HOUR}) AS n FROM orders GROUP BY k, TUMBLE(ts, {HOUR}))"
STAYING = {
    "one ascending column": first("v"),
    "at most one row": first("v", "rn <= 1"),
    "several columns": first("v DESC, id"),
    "a time and a tie": first("ts, id"),
    "a last time and a tie": first("ts DESC, id"),
    "a count above": f"SELECT COUNT(*) FROM ({first('v')})",
    "the best window of a key": first("n DESC, window_start", columns="k, n", table=windowed("k")),
    "a group window": first("n, k", columns="k, n", table=GROUPED),
    "a sink for new rows": f"INSERT INTO appended {first('v DESC, id')}",
    "a sink that prints": f"INSERT INTO printed {first('v DESC, id')}",
    "a keyed sink of a count": f"INSERT INTO keyed SELECT k, CAST(COUNT(*) AS INT) FROM ({first('v')}) GROUP BY k",
}
"""Queries with each row that was the first one for a time."""
UNCERTAIN = {
    "a UNION ALL below": first("v DESC, id", table="(SELECT * FROM orders UNION ALL SELECT * FROM orders)"),
    "an OVER below": first("v, id", table="(SELECT *, LAG(id) OVER (PARTITION BY k ORDER BY ts) AS p FROM orders)"),
    "a deduplication below": first("v, id", table=f"({first('ts', columns='k, v, id', key='id')})"),
    "several rows of a window": first("n DESC, id", table=windowed("k, id")),
    "sessions": first("n DESC, window_start", columns="k, n", table=windowed("k", "SESSION")),
    "windows that fire late": EARLY + first("n, k", columns="k, n", table=GROUPED),
    "an array": first("v, p", columns="p", table="orders CROSS JOIN UNNEST(ARRAY[1, 2]) AS u (p)"),
    "windows above": f"SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE f, DESCRIPTOR(ts), {HOUR})) GROUP BY window_end, "
    "window_start",
    # The state of a join has a later first row in the place of the former one.
    "a join above": "SELECT f.id FROM f JOIN orders AS b ON f.id = b.id",
    "an outer join above": "SELECT f.id FROM orders AS b LEFT JOIN f ON f.k = b.k",
    "a filter by another table": "SELECT id FROM f WHERE k IN (SELECT k FROM orders)",
    "a value of another table": "SELECT id FROM f WHERE id > (SELECT MIN(v) FROM orders)",
    "a join of first rows": "SELECT a.id FROM f AS a JOIN f AS b ON a.k = b.k",
    "an OVER above": "SELECT LAG(id) OVER (PARTITION BY k ORDER BY ts) FROM f",
    "a sink with another key": f"INSERT INTO keyed {first('v, k', key='id')}",
}
OTHER = {
    "one descending column": first("v DESC"),
    "two rows": first("v", "rn <= 2"),
    "a time": first("ts"),
    "a last time": first("ts DESC"),
    "rows that change": first("v", table="changed"),
    "batch": f"{BATCH} {first('v')}",
    "a sink with the key of the partition": f"INSERT INTO keyed {first('v')}",
    "one row of each window": first(
        "v, id", table=f"TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), {HOUR}))", key="k, window_start, window_end"
    ),
}
VIEW = f"CREATE VIEW f AS {first('v, id', columns='k, id, ts')};"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("orders", "changed"):
        (tmp_path / f"{name}.json").write_text('{"id": 1, "k": "a", "v": 2, "ts": "2026-01-01 00:00:00"}\n', "utf-8")
    return tmp_path


def script(query: str, folder: Path, versions: list[str | None]) -> Any:
    data = {"changed": str(folder / "changed.json")} if "changed" in query else {}
    return runnable(f"{TABLES}{VIEW}{query};", "job.sql", folder, versions, data, {})


@pytest.mark.parametrize("version", ["2.1", "2.3", None])
@pytest.mark.parametrize("query", STAYING.values(), ids=STAYING)
def test_first_rows_stay(query: str, version: str | None, folder: Path) -> None:
    found = script(query, folder, [version])
    assert found.refused == ()
    (of_query,) = found.queries
    order = query.partition("ORDER BY ")[2].partition(")")[0]
    assert [place.text for place in of_query.first_rows] == [f"ORDER BY {order}"]
    (notice,) = found.notices
    assert notice.startswith(f"{of_query.name}: Flink 2.1 and later write each row")


@pytest.mark.parametrize("query", UNCERTAIN.values(), ids=UNCERTAIN)
def test_first_rows_that_are_not_certain_are_refused(query: str, folder: Path) -> None:
    (line,) = script(query, folder, ["2.1"]).refused
    assert "take none of them back. Which ones these are is not certain here." in line


@pytest.mark.parametrize("query", STAYING.values(), ids=STAYING)
@pytest.mark.parametrize("versions", [["1.20"], ["2.0"], [None, "1.20"]], ids=str)
def test_older_versions_take_them_back(query: str, versions: list[str | None], folder: Path) -> None:
    found = script(query, folder, versions)
    # A sink for new rows takes none that change, and is refused only where each version refuses it.
    assert [line.split("(")[1].split(")")[0] for line in found.refused] == ["append-only-sink"] * (
        "appended" in query and None not in versions
    )
    assert [dict(each.first_rows) for each in found.queries] == [{}] * (1 - len(found.refused))


@pytest.mark.parametrize("query", OTHER.values(), ids=OTHER)
def test_other_rankings_are_as_they_say(query: str, folder: Path) -> None:
    found = script(query, folder, ["2.3"])
    assert (found.refused, found.notices) == ((), ())


@pytest.mark.parametrize("answer", ANSWERS, ids=[answer["sql"] for answer in ANSWERS])
def test_rows_are_those_of_flink(answer: dict[str, Any], session: SparkSession) -> None:
    text = f"{MEASURED.format(answer['data'])}{answer['sql']};"
    found = runnable(text, "job.sql", FLINK, ["2.3"], {}, {})
    query = lowered_query(found, found.queries[0], session)
    assert comparable(list(query.values())) == comparable(answer["rows"])
    assert list(map(str, query.names)) == answer["columns"]
