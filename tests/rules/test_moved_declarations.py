"""A table that only one version declares: its declaration is taken for that of a catalog, which is not compared.

So the move is one finding, unknown, and every other edit is judged as if both versions declared the table.
"""

from __future__ import annotations

import pytest

from keepstate import ENGINES, JobVersion, check
from keepstate.report import Effect, Report, Verdict

TABLE = """CREATE TABLE orders (
  id BIGINT, shop STRING, price DECIMAL(10, 2), taxed AS price * 2, proc AS PROCTIME(), ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'orders', 'scan.parallelism' = '4');
"""
OTHERS = """CREATE TABLE rates (shop STRING, rate INT, at TIMESTAMP(3), WATERMARK FOR at AS at)
WITH ('connector' = 'kafka');
CREATE VIEW dear AS SELECT * FROM orders WHERE price > 5;
"""
RANKED = "SELECT {} FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY {} ORDER BY {}) AS rn FROM orders) WHERE rn {}"
WINDOWS = "TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' HOUR))"
QUERIES = {
    "groups": "SELECT shop, SUM(price), COUNT(*) FROM orders GROUP BY shop",
    "a computed column": "SELECT shop, SUM(taxed) FROM orders GROUP BY shop",
    "windows": f"SELECT window_start, shop, SUM(price) FROM {WINDOWS} GROUP BY window_start, window_end, shop",
    "a group window": "SELECT shop, SUM(price) FROM orders GROUP BY shop, TUMBLE(ts, INTERVAL '1' HOUR)",
    "the last row": RANKED.format("id, shop", "id", "ts DESC", "= 1"),
    "the first row": RANKED.format("id, shop", "id", "proc", "= 1"),
    "Top-N": RANKED.format("*", "shop", "price DESC", "<= 3"),
    "OVER": "SELECT id, SUM(price) OVER (PARTITION BY shop ORDER BY ts) FROM orders",
    "a sort by time": "SELECT * FROM orders ORDER BY ts",
    "a join": "SELECT orders.id, rates.rate FROM orders JOIN rates ON orders.shop = rates.shop",
    "an interval join": (
        "SELECT o.id, r.rate FROM orders o JOIN rates r ON o.shop = r.shop "
        "AND o.ts BETWEEN r.at - INTERVAL '1' HOUR AND r.at"
    ),
    "a view": "SELECT shop, MAX(taxed) FROM dear GROUP BY shop",
    "all columns": "SELECT * FROM orders",
    "itself": "SELECT a.id, b.price FROM orders a JOIN orders b ON a.id = b.id",
    "a union": "SELECT id, MAX(price) FROM (SELECT * FROM orders UNION ALL SELECT * FROM dear) GROUP BY id",
}
EDITS = [
    ("windows", "'1' HOUR", "'2' HOUR", "window-size-changed"),
    ("groups", "GROUP BY shop", "GROUP BY shop, id", "group-key-added"),
    ("groups", "SUM(price), COUNT(*)", "SUM(price), COUNT(*), MAX(taxed)", "aggregate-added"),
    ("Top-N", "price DESC", "price", "rank-order-changed"),
    ("Top-N", "<= 3", "<= 5", "rank-range-changed"),
    ("the last row", "ts DESC", "ts", "rank-order-changed"),
    ("a view", "MAX(taxed)", "MIN(taxed)", "all-aggregates-replaced"),
    ("OVER", "PARTITION BY shop", "PARTITION BY id", "partition-key-changed"),
]


def both(name: str) -> tuple[str, str]:
    """A job with the declaration, and without it."""
    rest = f"{OTHERS}INSERT INTO s {QUERIES[name]};"
    return TABLE + rest, rest


def report(was: str, now: str, engine: str) -> Report:
    return check(JobVersion(now), JobVersion(was), engine)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", QUERIES)
def test_a_moved_declaration_is_one_finding(name: str, engine: str) -> None:
    declared, undeclared = both(name)
    for was, now in ((declared, undeclared), (undeclared, declared)):
        found = report(was, now, engine)
        assert [finding.rule for finding in found.findings] == ["source-declaration-moved"]
        assert found.verdict is Verdict.UNKNOWN
        # No query of the job is green while one of its tables is not compared.
        assert [(each.verdict, each.effect) for each in found.pipelines] == [(Verdict.UNKNOWN, Effect.UNDETERMINED)]
        assert not found.unchanged


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("name", "former", "new", "rule"), EDITS)
def test_another_edit_is_judged_as_if_both_versions_declared_the_table(
    name: str, former: str, new: str, rule: str, engine: str
) -> None:
    for was, now in (both(name), both(name)[::-1]):
        now = now.replace(former, new)
        alone = report(TABLE + was.removeprefix(TABLE), TABLE + now.removeprefix(TABLE), engine)
        found = report(was, now, engine)
        assert {each.rule for each in found.findings} == {"source-declaration-moved", *(e.rule for e in alone.findings)}
        assert rule in {each.rule for each in found.findings}
        assert found.verdict is Verdict.worst((alone.verdict, Verdict.UNKNOWN))
        for finding in found.findings:
            assert finding.current.span.of(now) == finding.current.text
            if finding.baseline is not None:
                assert finding.baseline.span.of(was) == finding.baseline.text
