"""Upsert keys in front of a sink with a primary key: from version 2.3 on Flink wants ON CONFLICT for other ones."""

from __future__ import annotations

import pytest
from marked import assert_refused, assert_taken, validity

SOURCE = """CREATE TABLE o (
  id BIGINT, n INT, a STRING, b STRING, v VARCHAR(10), c CHAR(4), f BOOLEAN, x DOUBLE, price DECIMAL(10, 2), d DATE,
  t6 TIMESTAMP(6), lz TIMESTAMP_LTZ(3), ts TIMESTAMP(3), WATERMARK FOR ts AS ts
) WITH ('connector' = 'kafka', 'format' = 'json');
CREATE TABLE app (k STRING, m BIGINT) WITH ('connector' = 'kafka', 'format' = 'json');
"""
SINK = "CREATE TABLE s (k {type}, m BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = {connector});"
WINDOWED = """CREATE TABLE w (
  s TIMESTAMP(3), e TIMESTAMP(3), k STRING, m BIGINT, PRIMARY KEY (s, e, k) NOT ENFORCED
) WITH ('connector' = {connector});
"""
UPSERTS = "'upsert-kafka'"
WINDOWS = {
    "TUMBLE": "TUMBLE(TABLE o, DESCRIPTOR(ts), INTERVAL '1' HOUR)",
    "CUMULATE": "CUMULATE(TABLE o, DESCRIPTOR(ts), INTERVAL '1' HOUR, INTERVAL '1' DAY)",
    "SESSION": "SESSION(TABLE o PARTITION BY a, DESCRIPTOR(ts), INTERVAL '1' HOUR)",
}


def declared(type_: str = "STRING", connector: str = UPSERTS) -> str:
    return SOURCE + SINK.format(type=type_, connector=connector)


CASTS_THAT_KEEP = [
    ("n", "BIGINT"),
    ("v", "STRING"),
    ("v", "VARCHAR(20)"),
    ("c", "CHAR(6)"),
    ("c", "VARCHAR(6)"),
    ("ts", "TIMESTAMP_LTZ(3)"),
    ("lz", "TIMESTAMP(3)"),
    ("price", "DECIMAL(10, 2)"),
    ("CAST(n AS BIGINT)", "BIGINT"),
    ("CAST(n AS STRING)", "STRING"),
    ("CAST(CAST(n AS BIGINT) AS STRING)", "STRING"),
    ("CAST(x AS STRING)", "STRING"),
    ("CAST(f AS STRING)", "STRING"),
    ("CAST(d AS STRING)", "STRING"),
    ("CAST(lz AS STRING)", "STRING"),
]
CASTS_THAT_LOSE = [
    ("n", "DECIMAL(10, 0)"),
    ("n", "DOUBLE"),
    ("a", "VARCHAR(10)"),
    ("t6", "TIMESTAMP(3)"),
    ("t6", "TIMESTAMP_LTZ(3)"),
    ("ts", "TIMESTAMP(6)"),
    ("ts", "DATE"),
    ("price", "DECIMAL(12, 2)"),
    ("CAST(price AS STRING)", "STRING"),
    ("CAST(a AS VARCHAR(5))", "STRING"),
    ("TRY_CAST(n AS STRING)", "STRING"),
    ("UPPER(a)", "STRING"),
    ("COALESCE(a, 'x')", "STRING"),
]


def _inner(expression: str) -> str:
    """The column in an expression."""
    return expression.replace("TRY_", "").replace("CAST(", "").split(" AS ")[0].split("(")[-1].split(",")[0].strip(")")


@pytest.mark.parametrize(("key", "type_"), CASTS_THAT_KEEP)
def test_a_cast_that_keeps_values_apart_keeps_the_key(key: str, type_: str) -> None:
    assert_taken(f"INSERT INTO s SELECT {key}, COUNT(*) FROM o GROUP BY {_inner(key)};", declared(type_))


@pytest.mark.parametrize(("key", "type_"), CASTS_THAT_LOSE)
def test_any_other_cast_loses_the_key(key: str, type_: str) -> None:
    assert_refused(
        "upsert-key", f"INSERT INTO «s» SELECT {key}, COUNT(*) FROM o GROUP BY {_inner(key)};", declared(type_)
    )


@pytest.mark.parametrize("function", WINDOWS.values(), ids=WINDOWS)
@pytest.mark.parametrize("connector", [UPSERTS, "'jdbc'"])
def test_windows_have_no_key(function: str, connector: str) -> None:
    query = f"SELECT window_start, window_end, a, COUNT(*) FROM TABLE({function}) GROUP BY window_start, window_end, a"
    tables = SOURCE + WINDOWED.format(connector=connector)
    assert_refused("upsert-key", f"INSERT INTO «w» {query};", tables)
    assert_taken(f"INSERT INTO w {query} ON CONFLICT DO DEDUPLICATE;", tables)
    assert not validity(f"INSERT INTO w {query};", version="1.20", declared=tables).problems
    assert not validity(
        f"SET 'table.exec.sink.require-on-conflict' = 'false'; INSERT INTO w {query};", declared=tables
    ).problems


@pytest.mark.parametrize("connector", ["'print'", "'blackhole'"])
def test_a_sink_that_takes_what_comes_needs_no_key_for_new_rows(connector: str) -> None:
    tables = declared(connector=connector)
    assert_taken("INSERT INTO s SELECT a, id FROM o;", tables)
    assert_taken("INSERT INTO s SELECT a, COUNT(*) FROM o GROUP BY a;", tables)
    assert_refused("upsert-key", "INSERT INTO «s» SELECT a, COUNT(*) FROM o GROUP BY a, b;", tables)


TOP = (
    "SELECT {columns} FROM (SELECT a, id, n, ROW_NUMBER() OVER (PARTITION BY a ORDER BY n DESC) AS rn "
    "FROM (SELECT a, id, COUNT(*) AS n FROM o GROUP BY a, id)) WHERE {kept}"
)
RANKED = (
    SOURCE + "CREATE TABLE r (k STRING, rn BIGINT, id BIGINT, m BIGINT, PRIMARY KEY (k, {key}) NOT ENFORCED) "
    "WITH ('connector' = 'upsert-kafka');"
)


@pytest.mark.parametrize(
    ("kept", "key", "is_taken"),
    [
        ("rn <= 3", "rn", True),
        ("rn BETWEEN 2 AND 3", "rn", True),
        ("rn = 1", "rn", True),
        ("rn = 2", "rn", False),
        ("rn = 2", "id", True),
    ],
)
def test_the_number_of_a_single_row_is_no_key(kept: str, key: str, is_taken: bool) -> None:
    query = TOP.format(columns="a, rn, id, n", kept=kept)
    if is_taken:
        assert_taken(f"INSERT INTO r {query};", RANKED.format(key=key))
    else:
        assert_refused("upsert-key", f"INSERT INTO «r» {query};", RANKED.format(key=key))


def test_constants_are_no_part_of_a_key() -> None:
    assert_taken("INSERT INTO s SELECT DISTINCT a, CAST(1 AS BIGINT) FROM o;", declared())
    assert_taken("INSERT INTO s SELECT 'all', COUNT(*) FROM o;", declared())
    assert_refused("upsert-key", "INSERT INTO «s» SELECT 'x', COUNT(*) FROM o GROUP BY a;", declared())


SESSIONS = (
    "INSERT INTO {sink} SELECT a, COUNT(*) FROM TABLE(SESSION(TABLE o {keys}, DESCRIPTOR(ts), INTERVAL '1' HOUR)) "
)


@pytest.mark.parametrize(
    ("keys", "group", "is_taken"),
    [
        ("PARTITION BY a", "a", True),
        ("PARTITION BY (b, a)", "a, b", True),
        ("", "a", False),
        ("PARTITION BY b", "a", False),
        ("PARTITION BY (a, b)", "a", False),
        ("PARTITION BY a", "a, b", False),
    ],
)
def test_sessions_are_windows_only_with_the_keys_of_the_function(keys: str, group: str, is_taken: bool) -> None:
    insert = SESSIONS.format(sink="app" if is_taken else "«app»", keys=keys)
    text = f"{insert}GROUP BY window_start, window_end, {group};"
    if is_taken:
        assert_taken(text, SOURCE)
    else:
        assert_refused("append-only-sink", text, SOURCE)
