"""Made rows: what queries ask for, and values of which the later ones tell more than the former."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from keepstate_flink.compared_constants import asked_for
from keepstate_flink.generated_rows import CUT, ROWS, GeneratedRows, TableColumn, telling_rows
from keepstate_flink.script_pair_rows import PACES, made_rows


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        ("c = 'EUR'", ("EUR",)),
        ("'EUR' = c AND c <> 'USD'", ("USD",)),
        ("c IN ('EUR', 'CHF') OR n IN (1, -2)", ("EUR", "CHF", "1", "2")),
        ("n BETWEEN 10 AND 20.5", ("10", "20.5")),
        ("c LIKE 'EU%'", ("EU",)),
        ("c = 'it''s ; fine'", ("it's ; fine",)),
        ("c = ''", ()),
        ("CASE c WHEN 'a' THEN 'b' END = d", ("a",)),
        ("ts > x - INTERVAL '5' MINUTE", ()),
        ("JSON_VALUE(c, '$.a') IS NULL", ()),
        ("c IN (SELECT k FROM u)", ()),
        ("n > 1 -- 'not' = 'this'", ("1",)),
    ],
)
def test_what_queries_ask_for(condition: str, found: tuple[str, ...]) -> None:
    script = (
        f"SET 'a' = 'b';\nCREATE TABLE t (c STRING) WITH ('connector' = 'kafka');\nSELECT * FROM t WHERE {condition};"
    )
    assert asked_for(script, script) == found


def test_hints_ask_for_nothing() -> None:
    script = "SELECT * FROM t /*+ OPTIONS('a' = 'b', 'c'='d') */ WHERE k = 'x'"
    assert asked_for(script, script) == ("x",)


def test_what_changed_comes_first() -> None:
    was, now = (f"SELECT 1 FROM t WHERE a = 'same' AND b = '{text}'" for text in ("old", "new"))
    assert asked_for(was, now) == ("old", "new", "same")


def values(kind: str, *asked: str) -> tuple[list[Any], list[Any]]:
    """The values of a column before the savepoint and behind it, without NULL."""
    rows: GeneratedRows = telling_rows([TableColumn("c", kind)], asked)
    found = [json.loads(line[2:])["c"] for line in rows.lines]
    before, after = found[: rows.cut], found[rows.cut :]
    return [value for value in before if value is not None], [value for value in after if value is not None]


@pytest.mark.parametrize("kind", ["INT", "BIGINT NOT NULL", "TINYINT", "DOUBLE"])
def test_the_greatest_number_comes_late(kind: str) -> None:
    before, after = values(kind)
    assert max(before) < max(after)


@pytest.mark.parametrize("kind", ["VARCHAR(2147483647)", "STRING NOT NULL"])
def test_texts_that_are_asked_for_are_there(kind: str) -> None:
    before, after = values(kind, "EUR", "5", "CHF")
    assert {"EUR", "CHF", "c"} <= set(before)
    assert {"EUR", "CHF", "c"} <= set(after)
    assert "5" not in before


@pytest.mark.parametrize(
    ("kind", "asked", "there"),
    [("INT", "1000", {999, 1000, 1001}), ("DOUBLE", "2.5", {1.5, 2.5, 3.5}), ("DECIMAL(6, 2)", "500", {499, 500, 501})],
)
def test_numbers_near_to_those_that_are_asked_for(kind: str, asked: str, there: set[float]) -> None:
    before, after = values(kind, asked)
    assert there <= {*before, *after}


@pytest.mark.parametrize(("kind", "asked"), [("TINYINT", "1000"), ("INT", "2.5"), ("DECIMAL(3, 2)", "10")])
def test_a_number_that_the_type_does_not_hold_is_left(kind: str, asked: str) -> None:
    assert values(kind, asked) == values(kind)


@pytest.mark.parametrize(
    ("kind", "fits"),
    [
        ("ARRAY<INT>", lambda value: all(isinstance(each, int) for each in value)),
        ("ARRAY<ROW<`a` INT, `B` STRING>> NOT NULL", lambda value: all({*each} == {"a", "B"} for each in value)),
        ("MAP<STRING, DOUBLE>", lambda value: all(isinstance(each, float) for each in value.values())),
        ("MULTISET<VARCHAR(10)>", lambda value: all(count >= 1 for count in value.values())),
        ("ROW<`when` TIMESTAMP(3), `tags` ARRAY<STRING>>", lambda value: isinstance(value["tags"], list)),
        ("VARBINARY(20)", lambda value: len(b64decode(value)) <= 20),
    ],
)  # fmt: skip
def test_nested_values_and_bytes_differ(kind: str, fits: Callable[[Any], bool]) -> None:
    before, after = values(kind)
    assert all(fits(value) for value in (*before, *after))
    assert len({json.dumps(value) for value in before}) > 2


def test_maps_with_other_keys_than_texts_are_empty() -> None:
    # Flink's JSON has no such maps.
    before, _ = values("MAP<INT, INT>")
    assert {json.dumps(value) for value in before} == {"{}"}


def test_one_more_column_leaves_the_others_as_they_are() -> None:
    few, more = (
        [json.loads(line[2:]) for line in telling_rows([TableColumn(name, "INT") for name in names], ["7"]).lines]
        for names in ("ab", "acb")
    )
    assert [{**row, "c": None} for row in more] == [{**row, "c": None} for row in few]


def test_each_pace_gives_the_same_values_at_other_times() -> None:
    columns = [TableColumn("k", "VARCHAR(2147483647)"), TableColumn("n", "INT"), TableColumn("ts", "TIMESTAMP(3)")]
    script = "SELECT 1 FROM t WHERE k = 'paid' AND n > 1000"
    rows = [rows_of("t", columns) for rows_of in made_rows(script, script)]
    assert {each.cut for each in rows} == {CUT}
    values = [[json.loads(line[2:]) for line in each.lines] for each in rows]
    times = [[datetime.fromisoformat(row.pop("ts")) for row in each] for each in values]
    assert all(len(each) == ROWS and each == values[0] for each in values)
    assert len({each[1] - each[0] for each in times}) == len(PACES)
    assert all(each == sorted(each) for each in times)
    assert {"paid", "red", "k"} <= {row["k"] for row in values[0]}
