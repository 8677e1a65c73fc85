"""Declarations of sources in other spellings than those of the rule pages (spec section 14)."""

from __future__ import annotations

import pytest

from keepstate.report import Verdict
from pairs import assert_silent, clauses, compare

COLUMNS = "a INT, b BIGINT, d INT"
KEYED = f"{COLUMNS}, PRIMARY KEY (a) NOT ENFORCED"
KAFKA = "'connector' = 'kafka', 'topic' = 'x', 'format' = 'json'"
MYSQL = "'connector' = 'mysql-cdc', 'hostname' = 'h'"
QUERY = "SELECT a, SUM(b) AS s, MAX(d) AS m FROM w GROUP BY a"


def table(columns: str = COLUMNS, options: str = KAFKA, name: str = "w") -> str:
    return f"CREATE TABLE {name} ({columns}) WITH ({options});\n"


@pytest.mark.parametrize(
    ("was", "now"),
    [
        (table(), table("zz STRING, a INT, b BIGINT, d INT")),
        (table(), table("d INT, k STRING METADATA VIRTUAL, b BIGINT, a INT")),
        (table(), table(options="'format' = 'avro', 'topic' = 'x', 'connector' = 'kafka', 'scan.parallelism' = '3'")),
        (table(), table(options=KAFKA.replace("'format'", "'value.format'"))),
        (table(options=KAFKA.replace("json", "debezium-json")), table(options=KAFKA.replace("json", "canal-json"))),
        (table(KEYED), table("a INT PRIMARY KEY NOT ENFORCED, b BIGINT, d INT")),
        (table(KEYED), table(f"{COLUMNS}, CONSTRAINT k PRIMARY KEY (a) NOT ENFORCED")),
        (
            table(KEYED, MYSQL),
            table(KEYED, f"{MYSQL}, 'scan.incremental.snapshot.chunk.key-column' = 'a', 'server-id' = '5'"),
        ),
        (
            table(options="'connector' = 'postgres-cdc'"),
            table(options="'connector' = 'postgres-cdc', 'changelog-mode' = 'all'"),
        ),
        (
            table(options="'connector' = 'hologres', 'binlog' = 'TRUE'"),
            table(options="'connector' = 'hologres', 'binlog' = 'true', 'cdcMode' = 'false'"),
        ),
        (
            table(name="base") + "CREATE TABLE w (k STRING) WITH ('topic' = 'z') LIKE base;",
            table(name="base") + table(options=KAFKA.replace("'x'", "'z'")),
        ),
        (
            table(name="base") + "CREATE TABLE w WITH ('connector' = 'datagen') LIKE base (EXCLUDING OPTIONS);",
            table(name="base", options="'connector' = 'pulsar'")
            + "CREATE TABLE w WITH ('connector' = 'datagen') LIKE base (EXCLUDING ALL);",
        ),
    ],
)
def test_what_no_query_feels_is_silent(was: str, now: str) -> None:
    assert_silent(was + QUERY, now + QUERY, tables="")


@pytest.mark.parametrize(
    ("was", "now", "verdict", "found"),
    [
        (table(), table(COLUMNS.replace("b BIGINT", "b AS a * 2")), Verdict.PARTIAL, ["b AS a * 2"]),
        (table(), table(COLUMNS.replace("a INT", "a STRING")), Verdict.INCOMPATIBLE, ["a STRING"]),
        (table(), table(options="'connector' = 'datagen'"), Verdict.INCOMPATIBLE, ["'connector' = 'datagen'"]),
        (table(), table(KEYED), Verdict.UNKNOWN, ["PRIMARY KEY (a) NOT ENFORCED"]),
        (table(KEYED), table(), Verdict.UNKNOWN, ["- PRIMARY KEY (a) NOT ENFORCED"]),
        (
            table(),
            table(options=KAFKA.replace("json", "debezium-json")),
            Verdict.UNKNOWN,
            ["'format' = 'debezium-json'"],
        ),
        (
            table(options=MYSQL),
            table(options=f"{MYSQL}, 'scan.incremental.snapshot.enabled' = 'false'"),
            Verdict.UNKNOWN,
            ["'scan.incremental.snapshot.enabled' = 'false'"],
        ),
        (
            table(options="'connector' = 'mongodb'"),
            table(options="'connector' = 'mongodb', 'scan.full-changelog' = 'true'"),
            Verdict.UNKNOWN,
            ["'scan.full-changelog' = 'true'"],
        ),
        (
            table(name="base") + "CREATE TABLE w LIKE base;",
            table(name="base", options=KAFKA.replace("kafka", "pulsar")) + "CREATE TABLE w LIKE base;",
            Verdict.INCOMPATIBLE,
            ["'connector' = 'pulsar'"],
        ),
        (
            table(KEYED, name="base") + "CREATE TABLE w LIKE base;",
            table(KEYED.replace("(a)", "(a, b)"), name="base") + "CREATE TABLE w LIKE base;",
            Verdict.UNKNOWN,
            ["PRIMARY KEY (a, b) NOT ENFORCED"],
        ),
    ],
)
def test_what_a_query_feels_is_shown_where_it_is_declared(
    was: str, now: str, verdict: Verdict, found: list[str]
) -> None:
    report = compare(was + QUERY, now + QUERY, tables="")
    assert (report.verdict, clauses(report)) == (verdict, found)


def test_an_option_may_be_set_where_the_table_is_read() -> None:
    holo = table(options="'connector' = 'hologres', 'binlog' = 'true'")
    hinted = QUERY.replace("FROM w", "FROM w /*+ OPTIONS('cdcMode' = 'true') */")
    report = compare(holo + QUERY, holo + hinted, tables="")
    assert (report.verdict, clauses(report)) == (Verdict.UNKNOWN, ["'cdcMode' = 'true'"])
    hinted = QUERY.replace("FROM w", "FROM w /*+ OPTIONS('scan.startup.mode' = 'latest-offset') */")
    assert_silent(table() + QUERY, table() + hinted, tables="")


def test_a_renamed_table_is_shown_by_its_name_also_if_a_view_stands_between() -> None:
    view, query = "CREATE VIEW v AS SELECT * FROM {};\n", QUERY.replace("FROM w", "FROM v")
    report = compare(table() + view.format("w") + query, table(name="w2") + view.format("w2") + query, tables="")
    assert (report.verdict, clauses(report)) == (Verdict.INCOMPATIBLE, ["w2"])


def test_a_source_of_upserts_keeps_the_columns_that_are_read() -> None:
    """Open-source Flink plans ChangelogNormalize over these columns only."""
    upserts = table(KEYED, "'connector' = 'upsert-kafka', 'topic' = 'x'")
    wider = QUERY.replace("MAX(d) AS m", "MAX(d) AS m, MIN(d) AS l")
    assert compare(upserts + QUERY, upserts + wider, tables="").verdict is Verdict.PARTIAL
    narrow = QUERY.replace(", MAX(d) AS m", "")
    report = compare(upserts + narrow, upserts + QUERY, tables="")
    assert (report.verdict, clauses(report)) == (Verdict.UNKNOWN, ["MAX(d)"])


def test_another_table_of_the_same_kind_is_shown_where_it_is_read() -> None:
    both = table() + table(name="w2")
    report = compare(both + QUERY, both + QUERY.replace("FROM w", "FROM w2"), tables="")
    assert (report.verdict, clauses(report)) == (Verdict.INCOMPATIBLE, ["w2"])
