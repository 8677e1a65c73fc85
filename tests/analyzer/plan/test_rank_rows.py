"""Rankings are the operators that Flink 2.3 plans, and store the rows that it gives them.

Each expectation is what EXPLAIN printed for the query: operator, strategy, and ``select=[...]`` of its Rank, or of what
feeds its Deduplicate, with the columns that the planner computes written out.
"""

from __future__ import annotations

import pytest

from keepstate.plan.job import Job
from keepstate.plan.operators import Deduplicate, OverAggregate, Rank, RankRange
from keepstate.state.logical import logical_state
from keepstate.syntax.script import parse_script

TABLES = """
CREATE TABLE orders (
  order_id BIGINT, category STRING, city STRING, channel STRING, amount DECIMAL(12, 2), qty INT, note STRING,
  order_time TIMESTAMP(3), proc_time AS PROCTIME(),
  WATERMARK FOR order_time AS order_time - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka');
CREATE TABLE accounts (
  order_id BIGINT, city STRING, amount DECIMAL(12, 2), pt AS PROCTIME(), PRIMARY KEY (order_id) NOT ENFORCED
) WITH ('connector' = 'mysql-cdc');
CREATE TABLE payments (
  order_id BIGINT, city STRING, paid_at TIMESTAMP(3), WATERMARK FOR paid_at AS paid_at - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka');
CREATE TABLE clicks (
  order_id BIGINT, category STRING, amount INT, epoch BIGINT, order_time AS TO_TIMESTAMP_LTZ(epoch, 3),
  WATERMARK FOR order_time AS order_time - INTERVAL '3' SECOND
) WITH ('connector' = 'kafka');
"""
LATEST = (
    "SELECT order_id, category, amount FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY order_id "
    "ORDER BY order_time DESC) AS rn FROM {}) WHERE rn = 1"
)
FIRST = (
    "SELECT order_id, category FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY order_id ORDER BY proc_time) AS rn "
    "FROM {}) WHERE rn = 1"
)
BEST = (
    "SELECT {} FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY city ORDER BY amount DESC) AS rn FROM {}) WHERE rn <= 3"
)
OF_GROUPS = (
    "SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY city ORDER BY {}) AS rn FROM "
    "(SELECT city, channel, {} AS total FROM {} GROUP BY city, channel{})) WHERE rn <= 3"
)


def _ranks(query: str) -> list[Rank]:
    plan = Job.of(parse_script(TABLES + query), {}).pipelines[-1].plan
    return [operator for operator in plan.operators if isinstance(operator, Rank)]


def _row(rank: Rank) -> str:
    return " ".join(str(column).replace(" ", "") for column in rank.row)


@pytest.mark.parametrize(
    ("query", "row"),
    [
        # Columns of the table in its order, whatever the order of the query.
        (LATEST.format("orders"), "order_id category amount order_time"),
        (
            LATEST.format("(SELECT amount, order_time, category, order_id FROM orders)"),
            "order_id category amount order_time",
        ),
        # What is computed below comes last, what is computed above is not stored.
        (
            LATEST.format("(SELECT order_id, LOWER(category) AS category, amount, order_time FROM orders)"),
            "order_id amount order_time LOWER(category)",
        ),
        (LATEST.format("orders").replace("category", "LOWER(category)", 1), "order_id category amount order_time"),
        (
            "SELECT a, b, order_id FROM (SELECT qty + 1 AS b, LOWER(category) AS a, order_id, ROW_NUMBER() OVER "
            "(PARTITION BY CHAR_LENGTH(city) ORDER BY amount * 2 DESC) AS rn FROM orders) WHERE rn <= 3",
            "order_id qty+1 LOWER(category) amount*2 CHAR_LENGTH(city)",
        ),
        # A filter keeps the projection that it stands on.
        (
            BEST.format("a, b", "(SELECT qty + 1 AS b, amount, LOWER(note) AS a, city FROM orders) WHERE b > 4"),
            "qty+1 amount LOWER(note) city",
        ),
        # Constants, the rank number and what nothing reads are no columns.
        (BEST.format("rn, 'x'", "(SELECT *, 'y' AS k FROM orders)"), "city amount"),
        # Filters above that say nothing of the rank read columns.
        (BEST.format("order_id", "orders") + " AND qty > 2", "order_id city amount qty"),
        # Over an aggregation: its keys and its aggregates, unless there is a filter on another order.
        (
            "SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY city ORDER BY n) AS rn FROM "
            "(SELECT SUM(qty) AS q, channel, COUNT(*) AS n, city FROM orders GROUP BY city, channel)) WHERE rn <= 3",
            "city channel SUM(qty) COUNT(*)",
        ),
        (
            "SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY city ORDER BY n) AS rn FROM "
            "(SELECT SUM(qty) AS q, channel, COUNT(*) AS n, city FROM orders GROUP BY city, channel) WHERE q > 2) "
            "WHERE rn <= 3",
            "SUM(qty) channel COUNT(*) city",
        ),
        (
            "SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY city ORDER BY q) AS rn FROM "
            "(SELECT SUM(qty) * 2 AS q, channel, city, SUM(1) AS n FROM orders GROUP BY city, channel)) WHERE rn <= 3",
            "city channel SUM(1) SUM(qty)*2",
        ),
    ],
)
def test_stored_row(query: str, row: str) -> None:
    assert [_row(rank) for rank in _ranks(query)] == [row]


@pytest.mark.parametrize(
    ("query", "operator"),
    [
        (LATEST.format("orders"), "Deduplicate"),
        (LATEST.format("orders").replace("rn = 1", "rn < 2"), "Deduplicate"),
        (LATEST.format("orders").replace("rn = 1", "rn IN (1)"), "Deduplicate"),
        (LATEST.format("orders").replace("rn = 1", "rn = 2"), "Rank AppendFastStrategy"),
        (LATEST.format("orders").replace("order_time DESC", "order_time DESC, amount"), "Rank AppendFastStrategy"),
        (LATEST.format("orders").replace("order_time", "CAST(order_time AS DATE)"), "Rank AppendFastStrategy"),
        (BEST.format("order_id", "orders"), "Rank AppendFastStrategy"),
        # The event time may be a computed column, whose definition elsewhere is a plain timestamp.
        (LATEST.format("clicks"), "Deduplicate"),
        (FIRST.format("clicks").replace("proc_time", "order_time"), "Deduplicate"),
        (LATEST.format("(SELECT *, order_time AS t FROM clicks)").replace("order_time DESC", "t DESC"), "Deduplicate"),
        (
            FIRST.format("clicks").replace("proc_time", "TO_TIMESTAMP_LTZ(epoch, 3)"),
            "Rank AppendFastStrategy",
        ),
        # Time attributes end at regular joins and group keys, not at interval joins, UNION ALL, table functions.
        (
            LATEST.format("(SELECT o.*, a.city AS home FROM orders o JOIN payments a ON o.order_id = a.order_id)"),
            "Rank AppendFastStrategy",
        ),
        (
            FIRST.format("(SELECT o.* FROM orders o JOIN payments a ON o.order_id = a.order_id)"),
            "Rank AppendFastStrategy",
        ),
        (
            FIRST.format(
                "(SELECT o.order_id, category, PROCTIME() AS proc_time "
                "FROM orders o JOIN payments a ON o.order_id = a.order_id)"
            ),
            "Deduplicate",
        ),
        (
            LATEST.format(
                "(SELECT o.* FROM orders o JOIN payments p ON o.order_id = p.order_id "
                "AND o.order_time BETWEEN p.paid_at AND p.paid_at + INTERVAL '5' MINUTE)"
            ),
            "Deduplicate",
        ),
        (
            LATEST.format("(SELECT * FROM orders WHERE qty < 1 UNION ALL SELECT * FROM orders WHERE qty > 5)"),
            "Deduplicate",
        ),
        (LATEST.format("(SELECT o.* FROM orders o CROSS JOIN UNNEST(ARRAY[1, 2]) AS u (x))"), "Deduplicate"),
        (
            LATEST.format("(SELECT * FROM orders WHERE order_id IN (SELECT order_id FROM payments))"),
            "Rank AppendFastStrategy",
        ),
        # Rows that change are no case for Deduplicate, and all of them are kept.
        (BEST.format("order_id", "accounts"), "Rank RetractStrategy"),
        (BEST.format("order_id", "accounts").replace("amount", "pt").replace("<= 3", "= 1"), "Rank RetractStrategy"),
        # Unless they can only move up.
        (OF_GROUPS.format("total DESC", "COUNT(*)", "orders", ""), "Rank UpdateFastStrategy"),
        (OF_GROUPS.format("total DESC, channel", "COUNT(*)", "orders", ""), "Rank UpdateFastStrategy"),
        (OF_GROUPS.format("total", "MIN(amount)", "orders", ""), "Rank UpdateFastStrategy"),
        (OF_GROUPS.format("total", "MAX(amount)", "orders", ""), "Rank RetractStrategy"),
        (OF_GROUPS.format("total DESC", "SUM(qty)", "orders", ""), "Rank RetractStrategy"),
        (OF_GROUPS.format("total DESC", "SUM(qty)", "orders WHERE qty > 0", ""), "Rank UpdateFastStrategy"),
        (OF_GROUPS.format("total DESC", "SUM(qty) FILTER (WHERE qty >= 0)", "orders", ""), "Rank UpdateFastStrategy"),
        (
            OF_GROUPS.format("total DESC", "SUM(CASE WHEN qty > 3 THEN 1 ELSE 0 END)", "orders", ""),
            "Rank UpdateFastStrategy",
        ),
        (OF_GROUPS.format("total DESC", "COUNT(*) * 2", "orders", ""), "Rank RetractStrategy"),
        (OF_GROUPS.format("total DESC", "COUNT(*)", "orders", " HAVING COUNT(*) > 2"), "Rank RetractStrategy"),
        (
            OF_GROUPS.format("total DESC", "COUNT(*)", "orders", "").replace(
                "city, channel,", "UPPER(city) AS city, channel,"
            ),
            "Rank RetractStrategy",
        ),
    ],
)
def test_operator(query: str, operator: str) -> None:
    (rank,) = _ranks(query)
    strategy = "" if isinstance(rank, Deduplicate) else f" {rank.strategy.value}"
    assert f"{rank.title}{strategy}" == operator


@pytest.mark.parametrize(
    ("query", "title", "keeps"),
    [
        (LATEST.format("orders"), "the last row of every key by order_time", "order_id category amount order_time"),
        (
            LATEST.format("orders").replace("order_time DESC", "proc_time"),
            "which keys were seen",
            "that the key was seen",
        ),
        (
            BEST.format("order_id", "orders"),
            "the first 3 rows of every partition by amount DESC",
            "order_id city amount",
        ),
        (
            BEST.format("order_id", "accounts"),
            "all rows of every partition, of which the first 3 rows by amount DESC are sent",
            "order_id city amount",
        ),
        (
            OF_GROUPS.format("total DESC", "COUNT(*)", "orders", ""),
            "the first 3 rows of every partition by COUNT(*) DESC, found again by city, channel",
            "city channel COUNT(*)",
        ),
        (
            BEST.format("order_id", "orders").replace("3", "qty"),
            "as many rows as qty says of every partition by amount DESC",
            "order_id city amount qty",
        ),
    ],
)
def test_what_it_keeps(query: str, title: str, keeps: str) -> None:
    (rank,) = _ranks(query)
    kept = logical_state(rank)
    assert kept is not None
    assert (kept.summary, " ".join(field.words for _, field in kept.fields)) == (title, keeps)


@pytest.mark.parametrize(
    ("condition", "ranks"),
    [
        ("rn < 4", RankRange(1, 3)),
        ("3.5 >= rn", RankRange(1, 35)),
        ("NOT (rn > 1 + 2)", RankRange(1, 3)),
        ("rn BETWEEN 2 AND 5", RankRange(2, 5)),
        ("rn <= CAST(3 AS BIGINT) AND rn < 10", RankRange(1, 3)),
    ],
)
def test_range(condition: str, ranks: RankRange) -> None:
    query = BEST.format("order_id", "orders").replace("rn <= 3", condition)
    assert [rank.range for rank in _ranks(query)] == [ranks]


def test_filters_of_several_queries_make_one_range() -> None:
    (rank,) = _ranks(f"SELECT order_id FROM ({BEST.format('*', 'orders')}) WHERE rn < 3")
    assert rank.range == RankRange(1, 2)


def test_each_rank_of_a_cascade_has_a_number_of_its_own() -> None:
    inner = BEST.format("*", "orders")
    outer, below = _ranks(
        f"SELECT order_id FROM (SELECT *, ROW_NUMBER() OVER (ORDER BY amount) AS r2 FROM ({inner})) "
        "WHERE r2 <= 2 AND rn <= 1"
    )
    assert (outer.range, below.range) == (RankRange(1, 2), RankRange(1, 3))
    assert below.rank_number in outer.row


@pytest.mark.parametrize("condition", ["rn IN (1, 2)", "rn <= 3 AND rn <> 2", "rn <= 3 OR rn = 5"])
def test_what_is_no_range_is_a_filter_on_numbered_rows(condition: str) -> None:
    query = LATEST.format("orders").replace(" DESC", "").replace("rn = 1", condition)
    plan = Job.of(parse_script(TABLES + query), {}).pipelines[-1].plan
    assert [type(operator) for operator in plan.operators if operator.stateful] == [OverAggregate]
