"""Calls that Flink makes of other syntax are one value, and those that it tells apart are not (plans of 1.20, 2.3)."""

from __future__ import annotations

import pytest

from keepstate.plan.expressions import Expr
from keepstate.plan.job import Job
from keepstate.syntax.script import parse_script

SCHEMA = """
CREATE TABLE t (i INT, l BIGINT, s STRING, flag BOOLEAN, d DATE, ts TIMESTAMP(3), p DECIMAL(10, 2))
  WITH ('connector' = 'kafka');
"""


def _column(text: str) -> Expr:
    return Job.of(parse_script(f"{SCHEMA}SELECT {text} FROM t;"), {}).pipelines[0].plan.output[0]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("TRIM(s)", "TRIM(BOTH ' ' FROM s)"),
        ("TRIM(s)", "TRIM(BOTH FROM s)"),
        ("TRIM(s)", "TRIM(' ' FROM s)"),
        ("TRIM(LEADING FROM s)", "TRIM(LEADING ' ' FROM s)"),
        ("TRIM('x' FROM s)", "TRIM(BOTH 'x' FROM s)"),
        ("HOUR(ts)", "EXTRACT(HOUR FROM ts)"),
        ("DAYOFMONTH(ts)", "extract(day from ts)"),
        ("DAYOFWEEK(ts)", "EXTRACT(DOW FROM ts)"),
        ("DAYOFYEAR(ts)", "EXTRACT(DOY FROM ts)"),
        ("NULLIF(i, 0)", "CASE WHEN i = 0 THEN NULL ELSE i END"),
        ("NULLIF(i, 0)", "CASE i WHEN 0 THEN NULL ELSE i END"),
        ("NULLIF(s, 'x')", "CASE WHEN 'x' = s THEN NULL ELSE s END"),
        ("NULLIF(l, 0)", "CASE WHEN l = CAST(0 AS BIGINT) THEN NULL ELSE l END"),
        ("flag = TRUE", "flag"),
        ("FALSE = flag", "NOT flag"),
        ("flag <> TRUE", "NOT flag"),
        ("(i > 3) = FALSE", "i <= 3"),
        ("CASE WHEN flag IS TRUE THEN 1 END", "CASE WHEN flag THEN 1 END"),
        ("CASE flag WHEN FALSE THEN 1 END", "CASE WHEN NOT flag THEN 1 END"),
        ("COUNT(*) FILTER (WHERE flag IS TRUE)", "COUNT(*) FILTER (WHERE flag)"),
        ("-(-i)", "i"),
        ("-(-(-i))", "-i"),
        ("JSON_VALUE(s, '$.a')", "JSON_VALUE(s, '$.a' RETURNING STRING NULL ON EMPTY NULL ON ERROR)"),
        ("JSON_VALUE(s, '$.a')", "JSON_VALUE(s, '$.a' RETURNING VARCHAR(2147483647))"),
        ("JSON_VALUE(s, '$.a' RETURNING INT)", "JSON_VALUE(s, '$.a' RETURNING INTEGER NULL ON ERROR)"),
        ("JSON_VALUE(s, '$.a' DEFAULT 'x' ON EMPTY)", "JSON_VALUE(s, '$.a' DEFAULT 'x' ON EMPTY NULL ON ERROR)"),
        ("JSON_QUERY(s, '$.a')", "JSON_QUERY(s, '$.a' WITHOUT ARRAY WRAPPER NULL ON EMPTY)"),
        ("JSON_QUERY(s, '$.a' WITH WRAPPER)", "JSON_QUERY(s, '$.a' WITH UNCONDITIONAL ARRAY WRAPPER)"),
        ("JSON_QUERY(s, '$.a' WITH CONDITIONAL WRAPPER)", "JSON_QUERY(s, '$.a' WITH CONDITIONAL ARRAY WRAPPER)"),
        ("JSON_EXISTS(s, '$.a')", "JSON_EXISTS(s, '$.a' FALSE ON ERROR)"),
        ("JSON_OBJECT('a' VALUE i)", "JSON_OBJECT(KEY 'a' VALUE i NULL ON NULL)"),
        ("JSON_ARRAY(i, s)", "JSON_ARRAY(i, s ABSENT ON NULL)"),
        ("JSON_OBJECTAGG(s VALUE i)", "JSON_OBJECTAGG(KEY s VALUE i NULL ON NULL)"),
        ("JSON_ARRAYAGG(i)", "JSON_ARRAYAGG(i ABSENT ON NULL)"),
        ("s IS JSON", "s IS JSON VALUE"),
        ("s IS NOT JSON", "NOT (s IS JSON VALUE)"),
        ("X'0aF1'", "x'0Af1'"),
        ("STDDEV(i)", "STDDEV_SAMP(i)"),
        ("VARIANCE(DISTINCT i)", "VAR_SAMP(DISTINCT i)"),
        ("LOG(i)", "LN(i)"),
        ("ROUND(p)", "ROUND(p, 0)"),
        ("TRUNCATE(p, 0)", "TRUNCATE(p)"),
        ("CEILING(ts TO HOUR)", "CEIL(ts TO HOUR)"),
        ("TIMESTAMPADD(DAY, 2, ts)", "ts + INTERVAL '2' DAY"),
        ("TIMESTAMPADD(HOUR, 24, ts)", "ts + INTERVAL '1' DAY"),
        ("TIMESTAMPADD(MINUTE, -5, ts)", "ts + INTERVAL '-5' MINUTE"),
        ("TIMESTAMPADD(MONTH, 1, ts)", "ts + INTERVAL '1' MONTH"),
        ("d = DATE '2024-01-31'", "d = '2024-01-31'"),
        ("d IN (DATE '2024-01-31', DATE '2024-02-01')", "d IN ('2024-01-31', '2024-02-01')"),
        ("d <> DATE '2024-01-31'", "'2024-01-31' <> d"),
        ("ts > TIMESTAMP '2024-01-31 00:00:00'", "ts > '2024-01-31 00:00:00'"),
        ("ts > TIMESTAMP '2024-01-31 00:00:00'", "ts > '2024-01-31'"),
        ("ts <= TIMESTAMP '2024-01-31 00:00:00.5'", "ts <= '2024-01-31 00:00:00.500'"),
        ("ts = TIMESTAMP '2024-01-31 00:00:00'", "ts = '2024-01-31 00:00:00'"),
        ("p > 5", "p > CAST(5 AS DECIMAL(10, 2))"),
        ("p > 1.5", "p > CAST(1.50 AS DECIMAL(3, 1))"),
    ],
)
def test_one_value(one: str, other: str) -> None:
    assert _column(one) == _column(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("TRIM(s)", "TRIM('x' FROM s)"),
        ("TRIM(s)", "TRIM(LEADING FROM s)"),
        ("TRIM(LEADING FROM s)", "TRIM(TRAILING FROM s)"),
        ("EXTRACT(HOUR FROM ts)", "EXTRACT(MINUTE FROM ts)"),
        ("EXTRACT(EPOCH FROM ts)", "EXTRACT(MILLISECOND FROM ts)"),
        ("NULLIF(i, 0)", "CASE WHEN i = 0 THEN NULL ELSE 1 END"),
        ("NULLIF(i, 0)", "CASE WHEN i <> 0 THEN NULL ELSE i END"),
        ("NULLIF(i, 0)", "NULLIF(i, 1)"),
        ("COALESCE(i, 0)", "CASE WHEN i IS NOT NULL THEN i ELSE 0 END"),
        ("-i", "i"),
        ("flag IS TRUE", "flag"),
        ("flag IS TRUE AND i > 3", "flag AND i > 3"),
        ("flag = FALSE", "flag"),
        ("COUNT(*) FILTER (WHERE flag IS NOT FALSE)", "COUNT(*) FILTER (WHERE flag)"),
        ("JSON_VALUE(s, '$.a')", "JSON_VALUE(s, '$.a' RETURNING INT)"),
        ("JSON_VALUE(s, '$.a')", "JSON_VALUE(s, '$.a' ERROR ON ERROR)"),
        ("JSON_VALUE(s, '$.a')", "JSON_VALUE(s, '$.a' RETURNING VARCHAR(5))"),
        # Without a word a path is a strict one.
        ("JSON_VALUE(s, '$.a')", "JSON_VALUE(s, 'lax $.a')"),
        ("JSON_VALUE(s, '$.a' DEFAULT 'x' ON EMPTY)", "JSON_VALUE(s, '$.a' DEFAULT 'x' ON ERROR)"),
        ("JSON_QUERY(s, '$.a')", "JSON_QUERY(s, '$.a' WITH WRAPPER)"),
        ("JSON_QUERY(s, '$.a' WITH WRAPPER)", "JSON_QUERY(s, '$.a' WITH CONDITIONAL WRAPPER)"),
        ("JSON_QUERY(s, '$.a')", "JSON_QUERY(s, '$.a' EMPTY ARRAY ON EMPTY)"),
        ("JSON_EXISTS(s, '$.a')", "JSON_EXISTS(s, '$.a' UNKNOWN ON ERROR)"),
        ("JSON_OBJECT('a' VALUE i)", "JSON_OBJECT('a' VALUE i ABSENT ON NULL)"),
        ("JSON_ARRAY(i, s)", "JSON_ARRAY(i, s NULL ON NULL)"),
        ("s IS JSON", "s IS JSON OBJECT"),
        ("STDDEV(i)", "STDDEV_POP(i)"),
        ("LOG(i)", "LOG(10, i)"),
        ("ROUND(p)", "ROUND(p, 1)"),
        # An interval of hours added to a date is a date, TIMESTAMPADD makes a timestamp.
        ("TIMESTAMPADD(HOUR, 3, d)", "d + INTERVAL '3' HOUR"),
        ("TIMESTAMPADD(WEEK, 1, ts)", "ts + INTERVAL '7' DAY"),
        ("TIMESTAMPADD(DAY, i, ts)", "ts + INTERVAL '1' DAY"),
        # Its fraction makes both sides more precise.
        ("ts > TIMESTAMP '2024-01-31 00:00:00.123'", "ts > '2024-01-31 00:00:00.123456'"),
        ("ts > TIMESTAMP '2024-01-31 00:00:00'", "ts > '2024-01-31T00:00:00'"),
        ("p > 1.5", "p > CAST(1.55 AS DECIMAL(3, 1))"),
        ("p > 100", "p > CAST(100 AS DECIMAL(3, 1))"),
    ],
)
def test_two_values(one: str, other: str) -> None:
    assert _column(one) != _column(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("flag", "flag IS TRUE"),
        ("flag", "flag = TRUE"),
        ("NOT flag", "flag IS FALSE"),
        ("i > 3 AND flag", "flag IS TRUE AND (i > 3) = TRUE"),
        ("i > 3 OR flag", "flag IS TRUE OR (i <= 3) IS FALSE"),
    ],
)
def test_one_filter(one: str, other: str) -> None:
    scripts = (parse_script(f"{SCHEMA}SELECT i FROM t WHERE {text};") for text in (one, other))
    first, second = (Job.of(script, {}).pipelines[0].plan for script in scripts)
    assert first.root == second.root


@pytest.mark.parametrize(
    "name", ["t", "default_database.t", "default_catalog.default_database.t", "`default_database`.t"]
)
def test_the_path_that_is_in_force_by_default_changes_no_name(name: str) -> None:
    plan = Job.of(parse_script(f"{SCHEMA}SELECT i FROM {name};"), {}).pipelines[0].plan
    assert list(plan.sources) == ["t"]
