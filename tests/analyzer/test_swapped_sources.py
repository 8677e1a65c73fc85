"""Sources under another name: the rows may be others, whether or not an engine loses state by the name."""

from __future__ import annotations

import pytest

from keepstate import JobVersion, check
from keepstate.report import Verdict


def table(name: str, topic: str, connector: str = "kafka") -> str:
    return f"CREATE TABLE {name} (buyer STRING, amount INT) WITH ('connector' = '{connector}', 'topic' = '{topic}');\n"


BOTH = table("orders", "orders") + table("orders_eu", "eu")
SINK = "CREATE TABLE totals (buyer STRING PRIMARY KEY NOT ENFORCED, total INT) WITH ('connector' = 'upsert-kafka');\n"
QUERIES = {
    "in FROM": "INSERT INTO totals SELECT buyer, SUM(amount) FROM {} GROUP BY buyer;",
    "in a subquery": "INSERT INTO totals SELECT buyer, SUM(amount) FROM (SELECT * FROM {}) GROUP BY buyer;",
    "in a view": "CREATE VIEW v AS TABLE {}; INSERT INTO totals SELECT buyer, SUM(amount) FROM v GROUP BY buyer;",
}
PLAIN = QUERIES["in FROM"]


def rules(baseline: str, current: str, engine: str) -> list[tuple[str, Verdict]]:
    report = check(JobVersion(SINK + current), JobVersion(SINK + baseline), engine)
    assert report.is_valid
    return [(finding.rule, finding.verdict) for finding in report.findings]


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_another_table_has_other_rows(query: str) -> None:
    sides = BOTH + query.format("orders"), BOTH + query.format("orders_eu")
    assert rules(*sides, "flink") == [("source-data-changed", Verdict.COMPATIBLE)]
    # One finding: the name says it.
    assert rules(*sides, "vvr") == [("source-renamed", Verdict.INCOMPATIBLE)]


def test_a_renamed_table_of_another_topic_has_other_rows() -> None:
    sides = table("orders", "orders") + PLAIN.format("orders"), table("orders_eu", "eu") + PLAIN.format("orders_eu")
    assert rules(*sides, "flink") == [("source-data-changed", Verdict.COMPATIBLE)]
    assert rules(*sides, "vvr") == [("source-renamed", Verdict.INCOMPATIBLE)]


def test_another_name_of_the_same_topic_has_the_same_rows() -> None:
    sides = table("orders", "orders") + PLAIN.format("orders"), table("o", "orders") + PLAIN.format("o")
    assert rules(*sides, "flink") == []


def test_rows_that_no_state_has_seen_may_be_others() -> None:
    query = "INSERT INTO totals SELECT buyer, amount FROM {};"
    plain = SINK.replace("STRING PRIMARY KEY NOT ENFORCED", "STRING").replace("upsert-kafka", "kafka")
    was, now = (JobVersion(plain + BOTH + query.format(name)) for name in ("orders", "orders_eu"))
    assert check(now, was, "flink").findings == ()


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_another_table_that_is_declared_elsewhere_may_have_other_rows(query: str) -> None:
    sides = query.format("orders"), query.format("orders_eu")
    assert rules(*sides, "flink") == [("source-data-changed", Verdict.COMPATIBLE)]
    assert rules(*sides, "vvr") == [("source-renamed", Verdict.INCOMPATIBLE)]


def test_a_table_of_the_same_name_in_another_catalog_is_named_by_use() -> None:
    sides = "USE CATALOG one;\n" + PLAIN.format("orders"), "USE CATALOG two;\n" + PLAIN.format("orders")
    assert "source-data-changed" not in {rule for rule, _ in rules(*sides, "flink")}
