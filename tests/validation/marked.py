"""Programs of the tests: tables to read and to fill, and statements with the place that Flink points at in « »."""

from __future__ import annotations

from keepstate.syntax.script import parse_script
from keepstate.validation import Validity, validate

DECLARED = """\
CREATE TABLE rides (
  id BIGINT, rider STRING, km DOUBLE, seats INT, fare DECIMAL(8, 2), paid BOOLEAN, day_of DATE,
  stops ARRAY<STRING>, tags MAP<STRING, INT>, car ROW<plate STRING, age INT>,
  begun TIMESTAMP(3), now AS PROCTIME(), WATERMARK FOR begun AS begun - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'format' = 'json');
CREATE TABLE bills (
  id BIGINT, amount INT, sent TIMESTAMP(3), WATERMARK FOR sent AS sent
) WITH ('connector' = 'kafka', 'format' = 'json');
CREATE TABLE riders (
  name STRING, level INT, since TIMESTAMP(3), WATERMARK FOR since AS since, PRIMARY KEY (name) NOT ENFORCED
) WITH ('connector' = 'upsert-kafka');
CREATE TABLE cities (name STRING, people INT) WITH ('connector' = 'jdbc');
CREATE TABLE log (rider STRING, n BIGINT, km DOUBLE) WITH ('connector' = 'print');
CREATE TABLE totals (rider STRING, n BIGINT, PRIMARY KEY (rider) NOT ENFORCED) WITH ('connector' = 'upsert-kafka');
CREATE TABLE appended (rider STRING, n BIGINT) WITH ('connector' = 'kafka', 'format' = 'json');
"""
STATEMENTS = DECLARED.count(";")


def validity(statements: str, engine: str = "flink", version: str | None = None, declared: str = DECLARED) -> Validity:
    """The answers for ``statements`` behind the declared tables."""
    return validate(parse_script(declared + statements), engine, version)


def without_marks(marked: str) -> tuple[str, str, int]:
    """The text without marks, what stands between them, and where that begins."""
    start = marked.index("«")
    return marked.replace("«", "").replace("»", ""), marked[start + 1 : marked.index("»")], start


def assert_refused(rule: str, marked: str, declared: str = DECLARED) -> None:
    """Assert that the first problem has this rule and is at the mark."""
    text, underlined, start = without_marks(marked)
    found = validity(text, declared=declared).problems
    assert found, f"taken: {text}"
    span = found[0].span
    shown = (found[0].rule, (declared + text)[span.start : span.end], span.start - len(declared))
    assert shown == (rule, underlined, start), found[0].message


def assert_taken(text: str, declared: str = DECLARED) -> None:
    """Assert that nothing speaks against the statements."""
    found = validity(text, declared=declared)
    assert not found.problems, found.problems[0].message
    assert not found.undecided, found.undecided[0].message
