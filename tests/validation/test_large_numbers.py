"""Numbers of any size are answered: no number of a script is computed with before its size is known."""

from __future__ import annotations

import pytest

import keepstate
from keepstate import JobVersion
from keepstate.engines import ENGINES
from keepstate.syntax.script import parse_script
from keepstate.syntax.statement import LONGEST_NUMBER
from keepstate.validation import validate

TABLE = """CREATE TABLE t (a BIGINT, s STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND)
WITH ('connector' = 'kafka'); """
PLACES = [
    "SELECT {} FROM t",
    "SELECT -{} FROM t",
    "SELECT a + {0} * {0} FROM t",
    "SELECT s, COUNT(*) FROM t WHERE a > {} GROUP BY s",
    "SELECT s, COUNT(*) FROM t GROUP BY s HAVING COUNT(*) > {}",
    "SELECT ABS({}), ROUND(a, {}), POWER(2, {}) FROM t",
    "SELECT CAST({} AS DECIMAL(38, 2)), CAST(a AS DECIMAL({}, 2)), CAST(s AS CHAR({})) FROM t",
    "SELECT ts + INTERVAL '600' SECOND({}) FROM t",
    "SELECT ts + INTERVAL '{}' SECOND, ts + INTERVAL '{}' YEAR FROM t",
    "SELECT window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '{}' DAY, INTERVAL '1' DAY)) "
    "GROUP BY window_start, window_end",
    "SELECT SUM(a) OVER (ORDER BY ts ROWS BETWEEN {} PRECEDING AND CURRENT ROW) FROM t",
    "SELECT SUM(a) OVER (ORDER BY ts RANGE BETWEEN INTERVAL '{}' HOUR PRECEDING AND CURRENT ROW) FROM t",
    "SELECT s FROM (SELECT s, ROW_NUMBER() OVER (PARTITION BY s ORDER BY ts) AS r FROM t) WHERE r <= {}",
    "SELECT /*+ STATE_TTL('t' = '{}d') */ s, COUNT(*) FROM t GROUP BY s",
    "SELECT a FROM t ORDER BY ts LIMIT {}",
    "VALUES ({}), (1)",
]
NUMBERS = [
    "9" * 19,
    "9" * 30,
    "9" * LONGEST_NUMBER,
    "9" * 5_000,
    "1e400",
    "1e999999999",
    "1e-999999999",
    "0." + "1" * 60,
]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("number", NUMBERS, ids=[each[:14] for each in NUMBERS])
@pytest.mark.parametrize("place", PLACES)
def test_a_number_of_any_size_is_answered(place: str, number: str, engine: str) -> None:
    now, was = (JobVersion(f"{TABLE}INSERT INTO sink {place.format(*[each] * 3)};") for each in (number, "5"))
    for current, baseline in ((now, was), (was, now)):
        report = keepstate.check(current, baseline, engine)
        for index in range(len(report.findings)):
            keepstate.fixes(current, baseline, index, engine)


@pytest.mark.parametrize(
    ("query", "rules"),
    [
        ("SELECT 9223372036854775807", []),
        ("SELECT " + "9" * LONGEST_NUMBER, ["number-range"]),
        ("SELECT " + "9" * (LONGEST_NUMBER + 1), ["syntax"]),
        ("SELECT -9223372036854775808, - 9223372036854775808, -(9223372036854775808)", []),
        ("SELECT a - 9223372036854775808 FROM t", ["number-range"]),
        ("SELECT INTERVAL '600' SECOND(3)", []),
        ("SELECT INTERVAL '600' SECOND(1e1)", ["syntax"]),
    ],
)
def test_the_range_of_numbers(query: str, rules: list[str]) -> None:
    assert [problem.rule for problem in validate(parse_script(TABLE + query)).problems] == rules
