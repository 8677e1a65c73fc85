"""LATERAL queries mean what the planner makes of them: a join, an aggregation with a key more, a Top-N."""

from __future__ import annotations

import pytest

from keepstate import JobVersion, check
from keepstate.plan.job import Job, Plan
from keepstate.plan.operators import Deduplicate, Unsupported
from keepstate.syntax.script import parse_script

TABLES = """
CREATE TABLE shops (id INT, town STRING, goal INT) WITH ('connector' = 'kafka');
CREATE TABLE sales (shop INT, kind STRING, price INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'kafka');
"""
OF_SHOPS = "FROM (SELECT DISTINCT shop FROM sales) AS s,"


def plan(query: str) -> Plan:
    return Job.of(parse_script(TABLES + query), {}).pipelines[0].plan


@pytest.mark.parametrize(
    ("lateral", "plain"),
    [
        (
            "SELECT town, kind FROM shops, LATERAL (SELECT kind FROM sales WHERE shop = id AND price > 3)",
            "SELECT town, kind FROM shops JOIN (SELECT kind, shop FROM sales WHERE price > 3) AS t ON id = t.shop",
        ),
        (
            "SELECT town, kind FROM shops LEFT JOIN LATERAL (SELECT kind FROM sales WHERE shop = id) AS t ON TRUE",
            "SELECT town, kind FROM shops LEFT JOIN (SELECT kind, shop FROM sales) AS t ON t.shop = id",
        ),
        (
            "SELECT town, t.kind, n FROM shops, LATERAL"
            " (SELECT COUNT(*) AS n, kind FROM sales WHERE shop = id GROUP BY kind) AS t",
            "SELECT town, t.kind, n FROM shops JOIN"
            " (SELECT COUNT(*) AS n, kind, shop FROM sales GROUP BY kind, shop) AS t ON t.shop = id",
        ),
        (
            f"SELECT shop, kind, price {OF_SHOPS} LATERAL"
            " (SELECT kind, price FROM sales WHERE shop = s.shop ORDER BY price DESC LIMIT 2)",
            "SELECT shop, kind, price FROM (SELECT shop, kind, price,"
            " ROW_NUMBER() OVER (PARTITION BY shop ORDER BY price DESC) AS n FROM sales) WHERE n <= 2",
        ),
    ],
)
def test_a_lateral_query_is_what_a_person_would_write_without_it(lateral: str, plain: str) -> None:
    assert plan(lateral) == plan(plain)


def test_the_last_row_by_time_is_a_deduplication() -> None:
    query = f"SELECT shop, price, ts {OF_SHOPS} LATERAL"
    found = plan(f"{query} (SELECT price, ts FROM sales WHERE shop = s.shop ORDER BY ts DESC LIMIT 1)")
    assert isinstance(found.root, Deduplicate)


@pytest.mark.parametrize(
    "lateral",
    [
        "SELECT town, kind FROM shops, LATERAL (SELECT kind FROM sales WHERE shop = id AND price > goal)",
        "SELECT town, kind FROM shops, LATERAL (SELECT kind FROM sales WHERE shop = id ORDER BY price LIMIT 2)",
        f"SELECT kind {OF_SHOPS} LATERAL (SELECT kind FROM sales WHERE shop <> s.shop ORDER BY price LIMIT 2)",
        "SELECT town, more FROM shops, LATERAL (SELECT price + goal AS more FROM sales WHERE shop = id)",
    ],
)
def test_what_has_no_plain_form_is_not_analysed_and_says_so(lateral: str) -> None:
    assert any(isinstance(operator, Unsupported) for operator in plan(lateral).operators)
    changed = lateral.replace("(SELECT kind", "(SELECT UPPER(kind) AS kind").replace("price + goal", "price - goal")
    report = check(JobVersion(TABLES + changed), JobVersion(TABLES + lateral))
    assert [(finding.rule, finding.change) for finding in report.findings] == [
        ("construct-not-supported", "LATERAL subquery")
    ]


@pytest.mark.parametrize(
    ("was", "now", "rule"),
    [
        ("LIMIT 2", "LIMIT 3", "rank-range-changed"),
        ("price DESC", "price", "rank-order-changed"),
        ("shop", "kind", "partition-key-changed"),
    ],
)
def test_changes_of_a_lateral_top_n_are_those_of_a_top_n(was: str, now: str, rule: str) -> None:
    query = (
        f"{TABLES}SELECT shop, price {OF_SHOPS} LATERAL"
        " (SELECT price FROM sales WHERE shop = s.shop ORDER BY price DESC LIMIT 2)"
    )
    report = check(JobVersion(query[: len(TABLES)] + query[len(TABLES) :].replace(was, now)), JobVersion(query))
    assert rule in {finding.rule for finding in report.findings}


VIEWS = """
CREATE VIEW dear AS SELECT shop, kind, price FROM sales WHERE price > 3;
CREATE VIEW sums AS SELECT shop, kind, SUM(price) AS price FROM sales GROUP BY shop, kind;
CREATE VIEW taxed AS SELECT shop, kind, price + 1 AS price FROM sales;
"""


@pytest.mark.parametrize("rows", ["sales", "dear", "sums", "taxed"])
@pytest.mark.parametrize("keys", ["SELECT DISTINCT shop FROM {}", "SELECT shop FROM {} GROUP BY shop"])
def test_first_rows_of_each_value_of_any_rows_are_a_top_n(rows: str, keys: str) -> None:
    lateral = (
        f"SELECT s.shop, t.kind FROM ({keys.format(rows)}) AS s, LATERAL "
        f"(SELECT kind, price FROM {rows} WHERE shop = s.shop ORDER BY price DESC, kind LIMIT 2) AS t"
    )
    ranked = (
        "SELECT shop, kind FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY shop ORDER BY price DESC, kind) AS n "
        f"FROM {rows}) WHERE n <= 2"
    )
    now, was = JobVersion(TABLES + VIEWS + lateral), JobVersion(TABLES + VIEWS + ranked)
    assert check(now, was, "flink").findings == ()
    longer = JobVersion(TABLES + VIEWS + lateral.replace("LIMIT 2", "LIMIT 3"))
    assert [each.rule for each in check(longer, now, "vvr").findings] == ["rank-range-changed"]
