"""Rows made for two scripts: the constants that they compare with, and several paces."""

from __future__ import annotations

import json
from datetime import datetime

import pytest

from keepstate_flink.made_rows import MOST_NUMBERS, MOST_TEXTS, PACES, constants, made_rows
from keepstate_flink.rows import CUT, ROWS, TableColumn

COLUMNS = [
    TableColumn("status", "VARCHAR(2147483647)"),
    TableColumn("n", "INT NOT NULL"),
    TableColumn("small", "TINYINT NOT NULL"),
    TableColumn("ts", "TIMESTAMP(3)"),
]


@pytest.mark.parametrize(
    ("text", "words", "numbers"),
    [
        ("SELECT a FROM t WHERE s = 'paid' OR s LIKE 'fail%'", ("paid", "fail"), ()),
        ("SELECT a FROM t WHERE s = 'it''s' AND n BETWEEN 100 AND 200", ("it's",), (100, 200)),
        ("SELECT a FROM t WHERE d = DATE '2026-01-01' AND ts > NOW() - INTERVAL '5' DAY LIMIT 3", (), ()),
        ("CREATE TABLE t (a DECIMAL(10, 2)) WITH ('connector' = 'kafka', 'topic' = 'x', 'rows' = '7')", (), ()),
        ("CREATE VIEW v AS SELECT a FROM t WHERE s = 'paid'", ("paid",), ()),
        ("CREATE TEMPORARY VIEW IF NOT EXISTS v AS SELECT a FROM t WHERE s = 'paid'", ("paid",), ()),
        ("SET 'table.exec.state.ttl' = '36 h'", (), ()),
        ("SELECT /*+ STATE_TTL('t' = '6h') */ a FROM t WHERE n > 99999999999", (), (1_000_000,)),
        ("SELECT a, SUM(n) FROM t GROUP BY a HAVING SUM(n) >= 40", (), (40,)),
        ("", (), ()),
    ],
)
def test_constants_of_a_script(text: str, words: tuple[str, ...], numbers: tuple[int, ...]) -> None:
    assert constants([text]) == (words, numbers)
    assert constants(["", text, text]) == (words, numbers)


def test_only_the_first_constants_are_taken() -> None:
    text = "SELECT a FROM t WHERE s IN ({}) AND n IN ({})".format(
        ", ".join(f"'w{number}'" for number in range(MOST_TEXTS + 1)),
        ", ".join(f"{number}" for number in range(10, 11 + MOST_NUMBERS)),
    )
    words, numbers = constants([text])
    # The bracket of a list is in front of the first number.
    assert (len(words), len(numbers)) == (MOST_TEXTS, MOST_NUMBERS)


def test_each_pace_gives_the_same_values_at_other_times() -> None:
    rows = [rows_of("t", COLUMNS) for rows_of in made_rows(["SELECT 1 FROM t WHERE status = 'paid' AND n > 1000"])]
    assert len(rows) == len(PACES)
    values = [[json.loads(line[2:]) for line in each.lines] for each in rows]
    assert all(len(each) == ROWS for each in values)
    assert {each.cut for each in rows} == {CUT}
    times = [[datetime.fromisoformat(row.pop("ts")) for row in each] for each in values]
    assert all(each == values[0] for each in values)
    assert len({each[1] - each[0] for each in times}) == len(PACES)
    assert all(each == sorted(each) for each in times)


def test_rows_have_the_constants_and_fit_their_types() -> None:
    (rows_of, *_) = made_rows(["SELECT 1 FROM t WHERE status = 'paid' AND n > 1000"])
    rows = [json.loads(line[2:]) for line in rows_of("t", COLUMNS).lines]
    assert {"paid", "red", "status1"} <= {row["status"] for row in rows}
    assert {999, 1000, 1001} & {row["n"] for row in rows}
    assert set(range(1, 7)) & {row["n"] for row in rows}
    assert max(row["small"] for row in rows) <= 127
