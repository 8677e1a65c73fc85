"""The row that an OVER aggregate stores has the columns that Flink 2.3 gives it, in Flink's order.

Each expectation is what EXPLAIN printed for the query: ``select=[...]`` of its OverAggregate without the results, the
columns that the planner computes written out.
"""

from __future__ import annotations

import pytest

from keepstate.plan.job import Job
from keepstate.plan.operators import OverAggregate
from keepstate.syntax.script import parse_script

TABLE = """
CREATE TABLE orders (
  order_id BIGINT, buyer_id BIGINT, category STRING, city STRING, amount DECIMAL(12, 2), qty INT, note STRING,
  order_time TIMESTAMP(3), proc_time AS PROCTIME(),
  WATERMARK FOR order_time AS order_time - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka');
"""
WINDOW = "OVER (PARTITION BY category ORDER BY order_time)"
HOURLY = (
    "SELECT SUM(amount) t, category, city, window_start, window_end, window_time, COUNT(*) n "
    "FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(order_time), INTERVAL '1' HOUR)) "
    "GROUP BY city, category, window_time, window_start, window_end"
)


def _rows(query: str) -> list[list[str]]:
    plan = Job.of(parse_script(TABLE + query), {}).pipelines[-1].plan
    return [[str(expr) for expr in over.row] for over in plan.operators if isinstance(over, OverAggregate)]


@pytest.mark.parametrize(
    ("query", "row"),
    [
        # Columns of the table in its order, whatever the order of the query.
        (f"SELECT amount, category, order_id, SUM(amount) {WINDOW} FROM orders", "order_id category amount order_time"),
        (
            f"SELECT SUM(amount) {WINDOW}, order_id FROM (SELECT order_time, category, amount, order_id FROM orders)",
            "order_id category amount order_time",
        ),
        # A filter on a projection keeps its order, one below does not.
        (
            f"SELECT order_id, note, SUM(amount) {WINDOW} "
            "FROM (SELECT amount, note, order_id, category, order_time FROM orders) WHERE amount > 10",
            "amount note order_id category order_time",
        ),
        (
            f"SELECT order_id, note, SUM(amount) {WINDOW} "
            "FROM (SELECT amount, note, order_id, category, order_time FROM orders WHERE amount > 10)",
            "order_id category amount note order_time",
        ),
        # What is computed comes behind, as the outermost projection mentions it.
        (
            f"SELECT UPPER(note), order_id, LOWER(city), SUM(qty * 2) {WINDOW} FROM orders",
            "order_id category order_time UPPER(note) LOWER(city) qty*2",
        ),
        (
            f"SELECT l, order_id, u, SUM(q) {WINDOW} FROM (SELECT qty * 2 AS q, LOWER(city) l, order_id, category, "
            "UPPER(note) u, order_time FROM orders)",
            "order_id category order_time LOWER(city) UPPER(note) qty*2",
        ),
        # An expression around a result reads its largest parts without one.
        (
            "SELECT CASE WHEN s > 3 THEN note ELSE city END, s + qty * 2 "
            f"FROM (SELECT note, city, qty, SUM(amount) {WINDOW} s FROM orders)",
            "category city amount note order_time qty*2",
        ),
        # Behind a filter it is read as the query with the window selects it.
        (
            f"SELECT o + 1, s FROM (SELECT order_id o, SUM(amount) {WINDOW} s FROM orders) WHERE s > 10",
            "order_id category amount order_time",
        ),
        (
            f"SELECT o, s FROM (SELECT order_id o, UPPER(note) u, SUM(amount) {WINDOW} s FROM orders) WHERE u > 'x'",
            "order_id category amount order_time UPPER(note)",
        ),
        # Constants are no columns.
        (f"SELECT order_id, 'x', LAG(amount, 2) {WINDOW} FROM orders", "order_id category amount order_time"),
        # Over an aggregation: its keys, then its aggregates.
        (
            "SELECT category, n, t, SUM(n) OVER (PARTITION BY category ORDER BY window_time) "
            f"FROM ({HOURLY}) WHERE t > 1",
            "SUM(amount) category window_time COUNT(*)",
        ),
        (
            f"SELECT category, n, t, SUM(n) OVER (PARTITION BY category ORDER BY window_time) FROM ({HOURLY})",
            "category window_time SUM(amount) COUNT(*)",
        ),
    ],
)
def test_row(query: str, row: str) -> None:
    assert [[column.replace(" ", "") for column in found] for found in _rows(query)] == [row.split()]


def test_rows_of_windows_on_each_other() -> None:
    query = (
        "SELECT order_id, s, MAX(s) OVER (PARTITION BY city ORDER BY order_time) "
        f"FROM (SELECT order_id, city, order_time, SUM(amount) {WINDOW} s FROM orders)"
    )
    assert _rows(query) == [
        ["order_id", "city", "order_time", "SUM(amount)"],
        ["order_id", "category", "city", "amount", "order_time"],
    ]


def test_nothing_is_left_of_a_window_that_nobody_reads() -> None:
    assert _rows(f"SELECT order_id FROM (SELECT order_id, ROW_NUMBER() {WINDOW} FROM orders)") == []
