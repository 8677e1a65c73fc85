"""Calls that Flink makes of other syntax are one value, and those that it tells apart are not (plans of 1.20, 2.3)."""

from __future__ import annotations

import pytest

from keepstate.plan.expressions import Expr
from keepstate.plan.job import Job
from keepstate.syntax.script import parse_script

SCHEMA = """
CREATE TABLE t (i INT, l BIGINT, s STRING, flag BOOLEAN, ts TIMESTAMP(3)) WITH ('connector' = 'kafka');
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
