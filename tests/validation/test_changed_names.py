"""ALTER, DROP and USE change what a name means; a declaration may be taken, and refused where it is read."""

from __future__ import annotations

import pytest
from marked import assert_refused, assert_taken, validity
from sqlglot import exp

from keepstate.validation import Answer
from keepstate.validation.constants.text_conditions import conjuncts

TABLES = """CREATE TABLE t (id BIGINT, a STRING, ts TIMESTAMP(3)) WITH ('connector' = 'kafka', 'format' = 'json');
CREATE TABLE s (x BIGINT) WITH ('connector' = 'kafka', 'format' = 'json');
"""

UNDECIDED = [
    "ALTER TABLE s ADD (y STRING); INSERT INTO s SELECT id, a FROM t;",
    "ALTER TABLE s MODIFY x STRING; INSERT INTO s SELECT a FROM t;",
    "ALTER TABLE s SET ('format' = 'debezium-json'); INSERT INTO s SELECT COUNT(*) FROM t;",
    "ALTER TABLE t RENAME a TO b; SELECT b FROM t;",
    "ALTER TABLE t ADD c INT; SELECT c FROM t;",
    "ALTER TABLE t ADD WATERMARK FOR ts AS ts; "
    "SELECT window_start FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' HOUR));",
    "CREATE VIEW v AS SELECT id FROM t; ALTER VIEW v AS SELECT a FROM t; SELECT a FROM v;",
    "CREATE DATABASE d; USE d; SELECT a FROM t;",
]
TAKEN = [
    "CREATE TEMPORARY TABLE IF NOT EXISTS t (q INT) WITH ('connector' = 'kafka'); SELECT q FROM t;",
    "CREATE TABLE IF NOT EXISTS t (q INT) WITH ('connector' = 'kafka'); SELECT a FROM t;",
    "CREATE VIEW v AS SELECT id FROM t; ALTER VIEW v RENAME TO w; SELECT id FROM w;",
    "ALTER TABLE t RENAME TO u; SELECT a FROM u;",
    "ALTER TABLE t RENAME TO u; CREATE TABLE t (q INT) WITH ('connector' = 'kafka'); SELECT q FROM t;",
    "CREATE VIEW v AS SELECT a FROM t; ALTER TABLE t ADD c INT; SELECT a FROM v;",
    "ALTER DATABASE t SET ('k' = 'v'); SELECT a FROM t;",
    "DROP TABLE t; CREATE TABLE t (b INT) WITH ('connector' = 'kafka'); SELECT b FROM t;",
    "CREATE DATABASE d; USE d; CREATE TABLE t (q INT) WITH ('connector' = 'kafka'); SELECT q FROM t;",
    "CREATE CATALOG c WITH ('type' = 'x'); USE CATALOG c; CREATE TABLE t (q INT) WITH ('connector' = 'kafka');",
    "USE default_database; SELECT a FROM t;",
    "USE MODULES core; SELECT a FROM t;",
    "CREATE TEMPORARY VIEW t AS SELECT x FROM s; DROP TEMPORARY VIEW t; SELECT a FROM t;",
    "CREATE DATABASE d; USE d; SELECT a FROM default_database.t;",
    "CREATE DATABASE d; CREATE TABLE d.t (q INT) WITH ('connector' = 'kafka'); USE d; SELECT q FROM t;",
]
REFUSED = [
    ("dropped", "ALTER TABLE t RENAME TO u; SELECT a FROM «t»;"),
    ("unknown-column", "ALTER TABLE t RENAME TO u; SELECT «q» FROM u;"),
    ("unknown-column", "CREATE TABLE IF NOT EXISTS t (q INT) WITH ('connector' = 'kafka'); SELECT «q» FROM t;"),
    ("unknown-column", "CREATE TEMPORARY TABLE IF NOT EXISTS t (q INT) WITH ('connector' = 'x'); SELECT «a» FROM t;"),
    ("dropped", "DROP TABLE t; SELECT a FROM «t»;"),
    ("dropped", "CREATE VIEW v AS SELECT a FROM t; DROP VIEW IF EXISTS v; SELECT a FROM «v»;"),
    ("dropped", "CREATE DATABASE d; USE d; DROP TABLE default_database.t; USE default_database; SELECT a FROM «t»;"),
    ("unknown-column", "CREATE DATABASE d; USE d; SELECT «q» FROM default_database.t;"),
    ("unknown-column", "CREATE TEMPORARY VIEW t AS SELECT x FROM s; SELECT «a» FROM t;"),
    ("dropped", "DROP TABLE s; INSERT INTO «s» SELECT 1;"),
    ("dropped", "DROP VIEW «t»;"),
    ("dropped", "CREATE VIEW v AS SELECT a FROM t; DROP TABLE «v»;"),
    ("duplicate-table", "USE default_database; CREATE TABLE «t» (q INT) WITH ('connector' = 'kafka');"),
    ("duplicate-table", "CREATE VIEW v AS SELECT a FROM t; CREATE OR REPLACE VIEW «v» AS SELECT id FROM t;"),
    ("missing-semicolon", "BEGIN STATEMENT SET\n«INSERT» INTO s SELECT 1; END;"),
    ("missing-semicolon", "BEGIN STATEMENT SET /* ; */\n«INSERT» INTO s SELECT 1; END;"),
    ("operand-type", "SELECT id FROM t WHERE «a = TRUE» AND id > 8;"),
    ("operand-type", "SELECT id FROM t WHERE id > 8 AND (ts IS NULL AND «TRUE = a»);"),
]


@pytest.mark.parametrize("text", UNDECIDED)
def test_what_is_not_followed_is_undecided(text: str) -> None:
    assert validity(text, declared=TABLES).answer is Answer.UNDECIDED


@pytest.mark.parametrize("text", TAKEN)
def test_other_statements_are_taken(text: str) -> None:
    assert_taken(text, TABLES)


@pytest.mark.parametrize(("rule", "marked"), REFUSED)
def test_refused_at_its_place(rule: str, marked: str) -> None:
    assert_refused(rule, marked, TABLES)


@pytest.mark.parametrize(
    "condition",
    [
        "a = TRUE",
        "a = FALSE AND id > 8",
        "a <> TRUE AND id > 8",
        "a IS NOT NULL AND a = TRUE",
        "(id > 8) = TRUE AND id > 1",
    ],
)
def test_other_comparisons_with_true_are_taken(condition: str) -> None:
    assert_taken(f"SELECT id FROM t WHERE {condition};", TABLES)


READ_TOO_LATE = [
    ("c AS COUNT(*)", "a", "computed-column"),
    ("c AS COUNT(*) + 1", "a", "computed-column"),
    ("c AS MAX(a)", "c", "computed-column"),
    ("c AS 1 + SUM(a)", "*", "computed-column"),
    ("c AS ROW_NUMBER() OVER ()", "a", "computed-column"),
    ("WATERMARK FOR ts AS MAX(ts)", "a", "watermark"),
]


@pytest.mark.parametrize(("element", "read", "rule"), READ_TOO_LATE)
def test_a_table_with_an_aggregate_is_refused_where_it_is_read(element: str, read: str, rule: str) -> None:
    table = f"CREATE TABLE u (a INT, ts TIMESTAMP(3), {element}) WITH ('connector' = 'kafka');"
    assert_taken("SELECT 1;", table)
    assert_refused(rule, f"SELECT {read} FROM «u»;", table)


@pytest.mark.parametrize(
    ("element", "read"),
    [
        ("c AS MAX(a)", "a"),
        ("c AS 1 + SUM(a)", "ts"),
        ("c AS ROW_NUMBER() OVER (PARTITION BY a ORDER BY ts)", "c"),
        ("c AS SUM(a) OVER (PARTITION BY a ORDER BY ts)", "c"),
    ],
)
def test_a_column_that_is_not_read_or_computed_by_over_is_taken(element: str, read: str) -> None:
    table = f"CREATE TABLE u (a INT, ts TIMESTAMP(3), {element}) WITH ('connector' = 'kafka');"
    assert_taken(f"SELECT {read} FROM u;", table)


MOMENTS = {
    "DATE": (
        ["2026-02-28", "2024-02-29", "2026-2-3"],
        ["2026-02-30", "0000-01-01", "2026-00-01", "2026/01/01", "today"],
    ),
    "TIME": (["23:59:59", "23:59:59.123"], ["25:00:00", "10:00", "10:60:00"]),
    "TIMESTAMP": (
        ["2026-01-01", "2026-1-1 0:0:0", " 2026-01-01 00:00:00", "2026-01-01 00:00:00.", "12026-02-28 00:00:00"],
        ["2026-01-01T00:00:00", "2026-01-01 00:00", "2026-01-01 00:00:60", "2026-01-01 00:00:00Z", "2026-04-31"],
    ),
}


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, (good, _) in MOMENTS.items() for text in good])
def test_a_time_is_read(kind: str, text: str) -> None:
    assert_taken(f"SELECT {kind} '{text}';")


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, (_, bad) in MOMENTS.items() for text in bad])
def test_what_is_no_time_is_refused(kind: str, text: str) -> None:
    assert_refused("time-literal", f"SELECT «{kind} '{text}'»;")


def test_a_condition_of_thousands_of_parts_is_taken_apart() -> None:
    """The parts of a condition are read in validation of conditions and of time bounds alike."""
    condition: exp.Expression = exp.column("c0")
    for number in range(1, 5_000):
        condition = exp.Paren(this=exp.And(this=condition, expression=exp.column(f"c{number}")))
    assert [part.name for part in conjuncts(condition)] == [f"c{number}" for number in range(5_000)]
