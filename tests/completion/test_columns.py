"""Columns at the cursor: of the relations in scope, with the FROM in front of it or behind it, half-typed or not."""

from __future__ import annotations

import pytest

from half_typed import completion, inserted, labels
from keepstate.completion.completion_proposal import ProposalKind

ORDERS = ["id", "customer", "user", "amount", "address", "tags", "items", "order_time", "seen_at"]
WINDOW = ["window_start", "window_end", "window_time"]


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("SELECT a.| FROM orders a", ORDERS),
        ("SELECT a.| FROM orders AS a WHERE", ORDERS),
        ("SELECT a.|, b.name FROM orders a JOIN customers b ON", ORDERS),
        ("SELECT b.| FROM orders a JOIN customers b ON a.customer = b.customer", ["customer", "name"]),
        ("SELECT b.| FROM orders a, customers b", ["customer", "name"]),
        ("SELECT orders.| FROM orders", ORDERS),
        ("SELECT `orders`.| FROM `orders`", ORDERS),
        ("SELECT default_database.orders.| FROM orders", ORDERS),
        ("SELECT spending.| FROM spending", ["customer", "spent", "n"]),
        # A view that Flink refuses has the columns of its select list all the same.
        ("SELECT d.| FROM doubtful d", ["who", "amount"]),
        ("WITH c AS (SELECT id AS x FROM orders) SELECT c.| FROM c", ["x"]),
        ("WITH c (y) AS (SELECT id FROM orders) SELECT c.| FROM c", ["y"]),
        ("WITH c AS (SELECT id AS x FROM orders), d AS (SELECT c.| FROM c) SELECT * FROM d", ["x"]),
        ("SELECT s.| FROM (SELECT id, amount * 2 AS twice FROM orders) s", ["id", "twice"]),
        ("SELECT s.| FROM (SELECT id, FROM orders) s", []),
        ("SELECT t.| FROM (VALUES (1, 'a')) AS t (n, word)", ["n", "word"]),
        ("SELECT u.| FROM orders o CROSS JOIN UNNEST(o.tags) AS u (tag)", ["tag"]),
        ("SELECT i.| FROM orders o CROSS JOIN UNNEST(o.items) AS i", ["Sku", "price"]),
        ("SELECT w.| FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(order_time), INTERVAL '1' HOUR)) w", ORDERS + WINDOW),
        ("SELECT c.| FROM orders o JOIN customers FOR SYSTEM_TIME AS OF o.seen_at AS c ON", ["customer", "name"]),
        ("SELECT x.| FROM orders o", []),
        # Without FROM a name may be that of a relation.
        ("SELECT customers.|", ["customer", "name"]),
        # The queries around it are seen by a subquery, but not by a relation.
        ("SELECT 1 FROM orders o WHERE EXISTS (SELECT 1 FROM customers c WHERE o.|)", ORDERS),
        ("SELECT 1 FROM orders o JOIN (SELECT o.| FROM customers c) ON TRUE", []),
        ("SELECT 1 FROM orders o, LATERAL (SELECT o.| FROM customers c)", ORDERS),
        ("INSERT INTO totals SELECT o.| FROM orders o\n\nINSERT INTO totals SELECT 1 FROM customers", ORDERS),
        ("SELECT o.|\nFROM orders o\nCREATE TABLE x (a INT)", ORDERS),
        ("EXECUTE STATEMENT SET BEGIN INSERT INTO totals SELECT o.| FROM orders o; END", ORDERS),
        ("BEGIN STATEMENT SET; INSERT INTO totals SELECT o.| FROM orders o; END", ORDERS),
        ("EXPLAIN SELECT o.| FROM orders o", ORDERS),
    ],
)
def test_columns_behind_a_qualifier(marked: str, expected: list[str]) -> None:
    assert labels(marked) == expected


@pytest.mark.parametrize(
    "marked",
    [
        "SELECT | FROM customers",
        "SELECT name, | FROM customers",
        "SELECT UPPER(| FROM customers",
        "SELECT UPPER(|) FROM customers",
        "SELECT COALESCE(name, | FROM customers",
        "SELECT CASE WHEN | FROM customers",
        "SELECT CASE WHEN name = 'a' THEN | END FROM customers",
        "SELECT CAST(| AS STRING) FROM customers",
        "SELECT CAST(| FROM customers",
        "SELECT * FROM customers WHERE |",
        "SELECT (1 + | FROM customers",
        "SELECT * FROM customers WHERE name = 'a' AND |",
        "SELECT * FROM customers WHERE name IN (|",
        "SELECT name FROM customers GROUP BY |",
        "SELECT name FROM customers GROUP BY name HAVING |",
        "SELECT name FROM customers ORDER BY |",
        "SELECT COUNT(*) OVER (PARTITION BY | FROM customers",
        "SELECT COUNT(*) OVER (PARTITION BY name ORDER BY |) FROM customers",
        "SELECT COUNT(*) FILTER (WHERE | FROM customers",
        "SELECT name FROM customers UNION ALL SELECT | FROM customers",
        "SELECT spent FROM spending UNION ALL SELECT | FROM customers",
        "CREATE VIEW x AS SELECT | FROM customers",
        "INSERT INTO totals (customer) SELECT | FROM customers",
        "SELECT * FROM (SELECT | FROM customers) x",
        "SELECT * FROM (SELECT | FROM customers",
        "SELECT JSON_OBJECT('a' VALUE |) FROM customers",
        "SELECT * FROM customers WHERE NOT |",
        "SELECT EXTRACT(YEAR FROM |) FROM customers",
        "SELECT * FROM customers WHERE name IS DISTINCT FROM |",
    ],
)
def test_columns_wherever_a_value_can_stand(marked: str) -> None:
    assert labels(marked, ProposalKind.COLUMN)[:2] == ["customer", "name"]


def test_a_column_of_two_relations_is_qualified() -> None:
    found = labels("SELECT | FROM orders o JOIN customers c ON o.id = c.customer", ProposalKind.COLUMN)
    assert "o.customer" in found and "c.customer" in found and "customer" not in found
    assert "name" in found and "amount" in found


def test_columns_have_their_types() -> None:
    found = {each.label: each.detail for each in completion("SELECT o.| FROM orders o").proposals}
    assert found["id"] == "BIGINT NOT NULL"
    assert found["amount"] == "DECIMAL(12,2)"
    assert found["order_time"] == "TIMESTAMP(3) (event time)"
    assert found["seen_at"].endswith("(processing time)")
    through = {each.label: each.detail for each in completion("SELECT s.| FROM spending s").proposals}
    assert through["spent"] == "DECIMAL(38,2)" and through["n"] == "BIGINT"


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("SELECT address.| FROM orders", ["city", "Geo"]),
        ("SELECT o.address.| FROM orders o", ["city", "Geo"]),
        ("SELECT o.address.Geo.| FROM orders o", ["lat", "lon"]),
        ("SELECT x.a.Geo.| FROM (SELECT address AS a FROM orders) x", ["lat", "lon"]),
        ("SELECT amount.| FROM orders", []),
    ],
)
def test_fields_of_rows_in_the_case_of_their_declaration(marked: str, expected: list[str]) -> None:
    assert labels(marked, ProposalKind.FIELD) == expected


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("SELECT * FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(|", ["order_time", "seen_at"]),
        ("SELECT * FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(|), INTERVAL '1' HOUR))", ["order_time", "seen_at"]),
        ("SELECT * FROM TABLE(HOP(DATA => TABLE orders, TIMECOL => DESCRIPTOR(|", ["order_time", "seen_at"]),
        ("SELECT * FROM TABLE(TUMBLE((SELECT id, order_time FROM orders), DESCRIPTOR(|", ["order_time"]),
        ("SELECT * FROM TABLE(TUMBLE(TABLE customers, DESCRIPTOR(|", []),
    ],
)
def test_only_time_attributes_in_descriptor(marked: str, expected: list[str]) -> None:
    assert labels(marked) == expected


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("INSERT INTO totals (|", ["customer", "total", "part"]),
        ("INSERT INTO totals (customer, |) SELECT 1", ["total", "part"]),
        ("INSERT INTO totals PARTITION (|", ["part"]),
        ("INSERT INTO orders (|", ["id", "customer", "user", "amount", "address", "tags", "items", "order_time"]),
        ("SELECT * FROM orders JOIN customers USING (|", ["customer"]),
        ("CREATE TABLE x (a INT, b STRING, PRIMARY KEY (|", ["a", "b"]),
        ("CREATE TABLE x (a INT, ts TIMESTAMP(3), WATERMARK FOR |", ["ts"]),
        ("CREATE TABLE x (ts TIMESTAMP_LTZ(3) METADATA FROM 'timestamp', WATERMARK FOR |", ["ts"]),
        ("CREATE TABLE x (a INT, b AS |", ["a"]),
        ("CREATE TABLE x (a INT, WATERMARK FOR b AS |", ["a"]),
        ("CREATE TABLE x (a INT, b STRING) PARTITIONED BY (|", ["a", "b"]),
        ("CREATE TABLE x (day AS DATE_FORMAT(|)) LIKE customers", ["customer", "name"]),
        ("SELECT id AS number FROM orders ORDER BY numb|", ["number"]),
        ("SELECT * FROM orders MATCH_RECOGNIZE (PARTITION BY cust|", ["customer"]),
        ("SELECT * FROM orders MATCH_RECOGNIZE (MEASURES A.am|", ["amount"]),
        ("SELECT * FROM orders MATCH_RECOGNIZE (PATTERN (A B+) DEFINE A AS A.am|", ["amount"]),
    ],
)
def test_columns_at_places_of_their_own(marked: str, expected: list[str]) -> None:
    assert labels(marked, ProposalKind.COLUMN) == expected


def test_columns_of_all_tables_before_from_is_written() -> None:
    found = labels("INSERT INTO totals SELECT |", ProposalKind.COLUMN)
    assert {"name", "spent", "amount"} <= set(found) and len(found) == len(set(found))
    assert "amount" in labels("SELECT o.|", ProposalKind.COLUMN)


@pytest.mark.parametrize(
    ("marked", "label", "text"),
    [
        ("SELECT o.| FROM orders o", "user", "SELECT o.`user` FROM orders o"),
        ("SELECT us| FROM orders o", "user", "SELECT `user` FROM orders o"),
        ("SELECT o.am|ou FROM orders o", "amount", "SELECT o.amount FROM orders o"),
        ("SELECT |x FROM orders o", "amount", "SELECT amountx FROM orders o"),
        ("SELECT `us|` FROM orders o", "user", "SELECT `user` FROM orders o"),
        ("SELECT `us| FROM orders o", "user", "SELECT `user` FROM orders o"),
    ],
)
def test_a_proposal_replaces_the_word_and_quotes_what_needs_it(marked: str, label: str, text: str) -> None:
    assert inserted(marked, label) == text


def test_columns_before_relations_before_functions_before_keywords() -> None:
    kinds = [each.kind for each in completion("SELECT | FROM customers c").proposals]
    order = [ProposalKind.COLUMN, ProposalKind.ALIAS, ProposalKind.FUNCTION, ProposalKind.KEYWORD]
    assert [kind for kind in dict.fromkeys(kinds) if kind in order] == order
    assert kinds == sorted(kinds, key=order.index)


@pytest.mark.parametrize(
    "marked", ["SELECT NAM| FROM customers", "SELECT nm| FROM customers", "SELECT Na| FROM customers"]
)
def test_letters_in_any_case_and_with_gaps(marked: str) -> None:
    assert "name" in labels(marked)
