"""Queries in aggregates, group keys, HAVING and DISTINCT: they are joined where Flink joins them.

Flink joins a query of an aggregate or a key with the rows in front of the groups, and one of HAVING with the groups. A
change of either is felt by the state behind it, and another spelling of the same is none.
"""

from __future__ import annotations

import pytest

import keepstate
from keepstate.plan.operators import GroupAggregate, Join

TABLES = """\
CREATE TABLE sales (cust STRING, item STRING, qty INT) WITH ('connector' = 'kafka', 'topic' = 's', 'format' = 'json');
CREATE TABLE offers (item STRING, off INT) WITH ('connector' = 'kafka', 'topic' = 'o', 'format' = 'json');
"""
IN_OFFERS = "item IN (SELECT item FROM offers)"
COUNTED = f"SUM(CASE WHEN {IN_OFFERS} THEN 1 ELSE 0 END)"
CHANGES = {
    "the aggregate": (
        "SELECT cust, MAX(qty + (SELECT COUNT(*) FROM offers)) AS m FROM sales GROUP BY cust",
        "SELECT cust, MIN(qty + (SELECT COUNT(*) FROM offers)) AS m FROM sales GROUP BY cust",
    ),
    "its operand": (
        f"SELECT cust, {COUNTED} AS m FROM sales GROUP BY cust",
        f"SELECT cust, SUM(CASE WHEN {IN_OFFERS} THEN 2 ELSE 0 END) AS m FROM sales GROUP BY cust",
    ),
    "the query in it": (
        "SELECT cust, MAX(qty + (SELECT COUNT(*) FROM offers)) AS m FROM sales GROUP BY cust",
        "SELECT cust, MAX(qty + (SELECT MAX(off) FROM offers)) AS m FROM sales GROUP BY cust",
    ),
    "its FILTER": (
        "SELECT COUNT(*) FILTER (WHERE qty > (SELECT MAX(off) FROM offers)) AS m FROM sales",
        "SELECT COUNT(*) FILTER (WHERE qty < (SELECT MAX(off) FROM offers)) AS m FROM sales",
    ),
    "an aggregate beside it": (
        f"SELECT cust, COUNT(*) FILTER (WHERE {IN_OFFERS}) AS m, SUM(qty) AS q FROM sales GROUP BY cust",
        f"SELECT cust, COUNT(*) FILTER (WHERE {IN_OFFERS}) AS m, MAX(qty) AS q FROM sales GROUP BY cust",
    ),
    "a key": (
        f"SELECT {IN_OFFERS} AS k, COUNT(*) AS n FROM sales GROUP BY {IN_OFFERS}",
        f"SELECT cust {IN_OFFERS[5:]} AS k, COUNT(*) AS n FROM sales GROUP BY cust {IN_OFFERS[5:]}",
    ),
    "DISTINCT": (
        f"SELECT DISTINCT cust, {IN_OFFERS} AS k FROM sales",
        f"SELECT DISTINCT cust, NOT {IN_OFFERS} AS k FROM sales",
    ),
    "the rows of HAVING": (
        "SELECT item, COUNT(*) AS n FROM sales GROUP BY item HAVING item IN (SELECT item FROM offers)",
        "SELECT item, SUM(qty) AS n FROM sales GROUP BY item HAVING item IN (SELECT item FROM offers)",
    ),
    "the query of HAVING": (
        "SELECT item, COUNT(*) AS n FROM sales GROUP BY item HAVING item IN (SELECT item FROM offers)",
        "SELECT item, COUNT(*) AS n FROM sales GROUP BY item HAVING item NOT IN (SELECT item FROM offers)",
    ),
    "WHERE in the place of HAVING": (
        "SELECT item, COUNT(*) AS n FROM sales GROUP BY item HAVING item IN (SELECT item FROM offers)",
        "SELECT item, COUNT(*) AS n FROM sales WHERE item IN (SELECT item FROM offers) GROUP BY item",
    ),
}
SPELLINGS = {
    "a query below": (
        f"SELECT cust, SUM(m) AS m FROM (SELECT cust, CASE WHEN {IN_OFFERS} THEN 1 ELSE 0 END AS m FROM sales) "
        "GROUP BY cust",
        f"SELECT cust, {COUNTED} AS m FROM sales GROUP BY cust",
    ),
    "a key with a name": (
        f"SELECT k, COUNT(*) AS n FROM (SELECT {IN_OFFERS} AS k FROM sales) GROUP BY k",
        f"SELECT {IN_OFFERS} AS k, COUNT(*) AS n FROM sales GROUP BY {IN_OFFERS}",
    ),
    "a query around the groups": (
        f"SELECT item, n FROM (SELECT item, COUNT(*) AS n FROM sales GROUP BY item) WHERE {IN_OFFERS}",
        "SELECT item, COUNT(*) AS n FROM sales GROUP BY item HAVING item IN (SELECT item FROM offers)",
    ),
    "a query around the groups, for a value": (
        "SELECT item, n FROM (SELECT item, COUNT(*) AS n FROM sales GROUP BY item) "
        "WHERE n > (SELECT MAX(off) FROM offers)",
        "SELECT item, COUNT(*) AS n FROM sales GROUP BY item HAVING COUNT(*) > (SELECT MAX(off) FROM offers)",
    ),
    "GROUP BY in the place of DISTINCT": (
        f"SELECT cust, k FROM (SELECT cust, {IN_OFFERS} AS k FROM sales) GROUP BY cust, k",
        f"SELECT DISTINCT cust, {IN_OFFERS} AS k FROM sales",
    ),
    "the same aggregate twice": (
        f"SELECT cust, m FROM (SELECT cust, {COUNTED} AS m FROM sales GROUP BY cust) WHERE m > 2",
        f"SELECT cust, {COUNTED} AS m FROM sales GROUP BY cust HAVING {COUNTED} > 2",
    ),
}


def rules_of(former: str, query: str) -> list[str]:
    now, was = (keepstate.JobVersion(f"{TABLES}INSERT INTO out_of {each};") for each in (query, former))
    return [finding.rule for finding in keepstate.check(now, was, "flink").findings]


@pytest.mark.parametrize(("former", "query"), CHANGES.values(), ids=CHANGES)
def test_a_change_is_felt(former: str, query: str) -> None:
    assert rules_of(former, query)
    assert rules_of(query, former)


@pytest.mark.parametrize(("former", "query"), SPELLINGS.values(), ids=SPELLINGS)
def test_another_spelling_is_no_change(former: str, query: str) -> None:
    assert rules_of(former, query) == []


@pytest.mark.parametrize(
    ("query", "order"),
    [
        (f"SELECT cust, SUM(CASE WHEN {IN_OFFERS} THEN 1 END) FROM sales GROUP BY cust", [GroupAggregate, Join]),
        (f"SELECT item, COUNT(*) FROM sales GROUP BY item HAVING {IN_OFFERS}", [Join, GroupAggregate]),
        (f"SELECT COUNT(*) FROM sales GROUP BY cust, {IN_OFFERS}", [GroupAggregate, Join]),
        ("SELECT cust, SUM(qty) + (SELECT MAX(off) FROM offers) FROM sales GROUP BY cust", [Join, GroupAggregate]),
        (f"SELECT DISTINCT {IN_OFFERS} FROM sales", [GroupAggregate, Join]),
    ],
)
def test_a_query_is_joined_where_flink_joins_it(query: str, order: list[type]) -> None:
    from keepstate.job_version import job_of

    operator, kinds = job_of(keepstate.JobVersion(f"{TABLES}{query};")).pipelines[0].plan.root, list[type]()
    while operator.inputs:
        if isinstance(operator, (GroupAggregate, Join)):
            kinds.append(type(operator))
        operator = operator.inputs[0]
    assert kinds == order
