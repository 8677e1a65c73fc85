"""Questions about a shop, asked without a look at the code, with the results that Flink 2.3.0 gave.

``flink/shop.jsonl`` has a query a line over the tables of ``flink/shop.sql`` and those of the other recorded queries:
joins, windows, rankings, sets, queries in expressions, formats, JSON, collections, patterns; in both modes, as
``mode`` says. A line has Flink's columns, types and rows, or the ``error`` at which Flink stops.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from keepstate_spark.errors import PipelineError
from keepstate_spark.runnable import runnable
from keepstate_spark.running import LoweredQuery, lowered_query
from night import by_night
from test_flink_queries import KINDS, TABLES, comparable

FLINK = Path(__file__).parent / "flink"
SHOP = f"{TABLES}\n{KINDS}\n{(FLINK / 'shop.sql').read_text('utf-8')}"
ANSWERS = [json.loads(line) for line in (FLINK / "shop.jsonl").read_text("utf-8").splitlines()]
TRIED = ANSWERS[:: by_night(1, 5)]
"""All each night, every fifth for each change: a query of Spark takes half a second to plan."""


def running(sql: str, mode: str, session: SparkSession) -> LoweredQuery:
    parameters = {"execution.runtime-mode": mode}
    script = runnable(f"{SHOP}\n{sql};", "shop.sql", FLINK, [None], {}, parameters)
    if script.refused:
        raise PipelineError(str(script.refused[0]))
    return lowered_query(script, script.queries[0], session)


@pytest.mark.parametrize("answer", TRIED, ids=[f"{answer['mode']} {answer['sql']}" for answer in TRIED])
def test_rows_are_those_of_flink_or_refused(answer: dict[str, Any], session: SparkSession) -> None:
    if "rows" not in answer:
        with pytest.raises(PipelineError):
            list(running(answer["sql"], answer["mode"], session).values())
        return
    query = running(answer["sql"], answer["mode"], session)
    assert comparable(list(query.values())) == comparable(answer["rows"])
    assert list(query.names) == answer["columns"]
    assert query.shown_types() == answer["types"]


@pytest.mark.parametrize(
    ("mode", "sql", "reason"),
    [
        (
            "batch",
            "SELECT status, LISTAGG(note) FROM orders JOIN customers ON orders.cid = customers.cid GROUP BY status",
            "in no certain order",
        ),
        (
            "batch",
            "SELECT status, ARRAY_AGG(oid), COUNT(DISTINCT cid) FROM orders GROUP BY status",
            "plans no ARRAY_AGG beside COUNT",
        ),
        ("batch", "SELECT status, JSON_ARRAYAGG(oid) FROM orders GROUP BY CUBE (status)", "in no certain order"),
        (
            "batch",
            "SELECT LAST_VALUE(oid) FROM orders GROUP BY TUMBLE(ot, INTERVAL '5' MINUTE)",
            "has no LAST_VALUE in windows",
        ),
        ("batch", "SELECT APPROX_COUNT_DISTINCT(tags) FROM customers", "APPROX_COUNT_DISTINCT"),
        ("batch", "SELECT APPROX_COUNT_DISTINCT(vip) FROM customers", "APPROX_COUNT_DISTINCT"),
        ("streaming", "SELECT COUNT(DISTINCT address) FROM customers", "no DISTINCT values of type ROW"),
        ("streaming", "SELECT COUNT(DISTINCT prefs) FROM customers", "no DISTINCT values of type MAP"),
        (
            "batch",
            "SELECT COUNT(*) FROM TABLE(SESSION(TABLE orders PARTITION BY cid, DESCRIPTOR(ot), INTERVAL '5' MINUTE)) "
            "GROUP BY window_start, window_end, cid",
            "no windows of SESSION",
        ),
        ("batch", "SELECT COUNT(*) FROM events GROUP BY TUMBLE(lt, INTERVAL '1' HOUR)", "as table functions only"),
        (
            "batch",
            "SELECT COUNT(*) FROM events GROUP BY TUMBLE(lt, INTERVAL '1' HOUR), ROLLUP (kind)",
            "no group window beside GROUPING SETS",
        ),
        (
            "batch",
            "SELECT COUNT(*) FROM events GROUP BY HOP(lt, INTERVAL '1' HOUR, INTERVAL '2' HOUR)",
            "TIMESTAMP_LTZ",
        ),
        ("batch", "SELECT COUNT(*) FROM orders GROUP BY SESSION(ot, INTERVAL '5' MINUTE)", "no windows of SESSION"),
        (
            "batch",
            "SELECT window_start FROM TABLE(SESSION(TABLE orders, DESCRIPTOR(ot), INTERVAL '5' MINUTE))",
            "in streaming mode only",
        ),
        (
            "batch",
            "SELECT LEAD(qty, 1) OVER (ORDER BY ot) AS a, RANK() OVER (ORDER BY amount) AS b FROM orders",
            "another constant as the offset",
        ),
        (
            "batch",
            "SELECT SUM(qty) OVER (ORDER BY ot RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW) FROM orders",
            "cannot compile RANGE",
        ),
        (
            "streaming",
            "SELECT LISTAGG(o.status) AS l FROM customers c JOIN orders o ON c.cid = o.cid",
            "which nothing tells of these rows",
        ),
        (
            "streaming",
            "SELECT FIRST_VALUE(status) AS f FROM orders WHERE cid IN (SELECT cid FROM customers)",
            "which nothing tells of these rows",
        ),
        ("streaming", "SELECT oid FROM orders WHERE TYPEOF(note) = 'STRING'", "TYPEOF"),
        (
            "streaming",
            "SELECT cid FROM customers c WHERE (SELECT SUM(qty) FROM orders o WHERE o.cid = c.cid GROUP BY status) > 1",
            "reads the row around it",
        ),
        (
            "streaming",
            "SELECT cid, (SELECT COLLECT(qty) FROM orders o WHERE o.cid = c.cid) AS a FROM customers c",
            "has a value for no rows",
        ),
    ],
)
def test_is_refused_before_anything_runs(mode: str, sql: str, reason: str, session: SparkSession) -> None:
    with pytest.raises(PipelineError, match=reason):
        running(sql, mode, session)


def test_a_list_of_all_distinct_values_is_in_their_order_in_batch_mode(session: SparkSession) -> None:
    query = running("SELECT LISTAGG(DISTINCT status) FROM orders", "batch", session)
    assert [list(row) for row in query.values()] == [["new,paid,void,sent"]]


def test_answers_of_two_levels_are_two_columns(session: SparkSession) -> None:
    below = "(SELECT EXISTS (SELECT 1 FROM rates WHERE rate < 0) AS b FROM rates)"
    query = running(f"SELECT EXISTS (SELECT 1 FROM orders) AS a, b FROM {below}", "streaming", session)
    assert {tuple(row) for row in query.values()} == {(True, False)}


@pytest.mark.parametrize("function", ["MAP_KEYS", "MAP_VALUES", "MAP_ENTRIES"])
def test_entries_of_a_computed_map_stop_the_query_where_they_are_several(function: str, session: SparkSession) -> None:
    query = running(f"SELECT {function}(MAP_UNION(m, MAP['q', 1])) AS f FROM maps WHERE id < 4", "batch", session)
    with pytest.raises(PipelineError, match="the order of a hash in Flink"):
        list(query.values())


@pytest.mark.parametrize("mode", ["streaming", "batch"])
def test_a_row_that_is_null_has_no_place(mode: str, session: SparkSession) -> None:
    query = running("SELECT oid, o FROM packages, UNNEST(parts) WITH ORDINALITY AS t (sku, n, o)", mode, session)
    with pytest.raises(PipelineError, match="Flink stops there"):
        list(query.values())


@pytest.mark.parametrize("mode", ["streaming", "batch"])
def test_a_null_beside_a_default_that_is_never_null_stops_the_query(mode: str, session: SparkSession) -> None:
    query = running("SELECT oid, LAG(qty, 1, 0) OVER (ORDER BY ot) + 1 AS l FROM orders", mode, session)
    with pytest.raises(PipelineError, match="gives a NULL here"):
        list(query.values())


@pytest.mark.parametrize(("day", "other"), [("0001-01-01", "0000-12-31"), ("9999-12-31", "+10000-01-01")])
def test_a_time_that_python_does_not_have_is_written_as_java_does(day: str, other: str, session: SparkSession) -> None:
    sign = "-" if day < "1" else "+"
    shifted = f"DATE '{day}' {sign} INTERVAL '1' DAY"
    sql = f"SELECT {shifted} AS d, MAP[1, ROW(ARRAY[{shifted}])] AS m"
    query = running(f"{sql}, TIMESTAMP '2026-01-01 00:00:00.5' AS t FROM rates LIMIT 1", "batch", session)
    assert list(query.values()) == [[other, {"1": [[other]]}, "2026-01-01 00:00:00.5"]]
