"""A Calc casts time attributes in front of operators that take plain timestamps: it comes and goes with the watermark.

Restored on 2.3.0: "Cannot map savepoint state" where this Calc is the only one below the state. Plans of 2.3.0 and
1.20.5 have it in the same places.
"""

from __future__ import annotations

import pytest

from keepstate import ENGINES, JobVersion, check
from keepstate.report import Effect, Report, Verdict

TABLES = """\
CREATE TABLE r (k STRING, rts TIMESTAMP(3){}) WITH ('connector' = 'kafka', 'format' = 'json');
CREATE TABLE w (k STRING, rts TIMESTAMP(3){}) WITH ('connector' = 'kafka', 'format' = 'json');
CREATE TABLE u (k STRING, n INT) WITH ('connector' = 'kafka', 'format' = 'json');
"""
WATERMARK = ", WATERMARK FOR rts AS rts"
DAYS = "GROUP BY k, TUMBLE(rts, INTERVAL '1' DAY)"
NUMBERS = "SELECT k, rts FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY k) AS n FROM r) WHERE n < 3"

CAST = {
    "an operand": "SELECT k, MAX(rts) FROM r GROUP BY k",
    "a counted operand": "SELECT k, COUNT(rts) FROM r GROUP BY k",
    "a key": "SELECT k, rts, COUNT(*) FROM r GROUP BY k, rts",
    "all columns": "SELECT DISTINCT * FROM r",
    "an input of a join": "SELECT r.k, r.rts, u.n FROM r JOIN u ON r.k = u.k",
    "the other input": "SELECT r.k, r.rts, u.n FROM u LEFT JOIN r ON r.k = u.k",
    "an input of a semi join": "SELECT k, rts FROM r WHERE k IN (SELECT k FROM u)",
    "UNION": "SELECT k, rts FROM r UNION SELECT k, rts FROM w",
    "INTERSECT": "SELECT k, rts FROM r INTERSECT SELECT k, rts FROM w",
}
KEPT = {
    "a ranking": NUMBERS,
    "a limit": "SELECT k, rts FROM r LIMIT 3",
    "a Calc below anyway": "SELECT k, MAX(rts) FROM r WHERE k <> 'a' GROUP BY k",
    "an expression": "SELECT k, MAX(CAST(rts AS STRING)) FROM r GROUP BY k",
    "a column not read": "SELECT k, COUNT(*) FROM r GROUP BY k",
}
SAME_PLAN = {
    # The Calc is there before and after.
    "another column": (
        "SELECT k, MAX(rts) FROM r GROUP BY k",
        "SELECT k, MAX(rts) FROM r GROUP BY k, 'x'",
    ),
    "a filter of an aggregate": (
        "SELECT k, MAX(rts), COUNT(*) FROM r GROUP BY k",
        "SELECT k, MAX(rts), COUNT(*) FROM r GROUP BY k HAVING k <> 'x'",
    ),
    "a condition on the key of a group window": (
        f"SELECT k, MAX(rts) FROM r {DAYS}",
        f"SELECT k, MAX(rts) FROM r {DAYS} HAVING k <> 'x'",
    ),
}


def report(was: str, now: str, *marks: str) -> Report:
    before, after = (TABLES.format(mark, mark) for mark in marks)
    return check(JobVersion(f"{after}{now};"), JobVersion(f"{before}{was};"), "flink")


@pytest.mark.parametrize("marks", [(WATERMARK, ""), ("", WATERMARK)], ids=["removed", "added"])
@pytest.mark.parametrize("query", CAST.values(), ids=CAST)
def test_a_watermark_moves_the_state_behind_a_plain_time(query: str, marks: tuple[str, str]) -> None:
    answer = report(query, query, *marks)
    assert (answer.verdict, answer.effect) == (Verdict.INCOMPATIBLE, Effect.DOES_NOT_START)
    assert answer.findings


@pytest.mark.parametrize("marks", [(WATERMARK, ""), ("", WATERMARK)], ids=["removed", "added"])
@pytest.mark.parametrize("query", KEPT.values(), ids=KEPT)
def test_a_watermark_that_moves_nothing_is_silent(query: str, marks: tuple[str, str]) -> None:
    answer = report(query, query, *marks)
    assert (answer.verdict, answer.findings) == (Verdict.COMPATIBLE, ())


@pytest.mark.parametrize(("was", "now"), SAME_PLAN.values(), ids=SAME_PLAN)
def test_conditions_join_the_casts(was: str, now: str) -> None:
    assert report(was, now, WATERMARK, WATERMARK).effect is not Effect.DOES_NOT_START


MIDNIGHT, LATER = "TIMESTAMP '2020-01-01 00:00:00'", "TIMESTAMP '2020-01-01 00:00:00.123'"
SAME_TIMES = [
    (MIDNIGHT, "CAST('2020-01-01 00:00:00' AS TIMESTAMP(3))"),
    (MIDNIGHT, "CAST('2020-01-01' AS TIMESTAMP(3))"),
    (MIDNIGHT, "CAST('2020-01-01 00:00:00.000' AS TIMESTAMP)"),
    (MIDNIGHT, "TO_TIMESTAMP('2020-01-01 00:00:00')"),
    (LATER, "CAST('2020-01-01 00:00:00.1234' AS TIMESTAMP(3))"),
]
OTHER_TIMES = [
    (MIDNIGHT, "CAST('2020-01-01 00:00:01' AS TIMESTAMP(3))"),
    (LATER, "CAST('2020-01-01 00:00:00.123' AS TIMESTAMP(2))"),
    (MIDNIGHT, "CAST('2020-01-01T00:00:00' AS TIMESTAMP(3))"),
    (MIDNIGHT, "CAST('2020-01-01 00:00:00' AS TIMESTAMP_LTZ(3))"),
]


@pytest.mark.parametrize("pair", SAME_TIMES + OTHER_TIMES, ids=[pair[1] for pair in SAME_TIMES + OTHER_TIMES])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_text_that_is_cast_to_a_time_is_the_literal_where_it_is_compared(pair: tuple[str, str], engine: str) -> None:
    table = "CREATE TABLE t (k INT, ts TIMESTAMP(3)) WITH ('connector' = 'kafka');"
    query = table + "SELECT k, COUNT(*) FROM t WHERE ts > {} GROUP BY k;"
    was, now = (JobVersion(query.format(each)) for each in pair)
    assert bool(check(now, was, engine).findings) is (pair in OTHER_TIMES)
