"""Statements on both sides of the largest size that is read: each part of the analyzer answers, and hides nothing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest

import keepstate
from keepstate import JobVersion
from keepstate.syntax.statement import LARGEST_STATEMENT

STATEMENTS = {
    "INSERT": ("INSERT INTO s SELECT a, '", "' FROM t"),
    "query": ("SELECT '", "'"),
    "CREATE TABLE": ("CREATE TABLE v (a INT, b INT) WITH ('x' = '", "')"),
    "CREATE VIEW": ("CREATE VIEW v AS SELECT a, b, '", "' AS c FROM t"),
    "CREATE FUNCTION": ("CREATE FUNCTION v AS '", "'"),
    "SET": ("SET 'a' = '", "'"),
    "a statement set": ("EXECUTE STATEMENT SET BEGIN INSERT INTO s SELECT a, '", "' FROM t"),
    "a misspelt word": ("CREATE TABEL v (a INT) WITH ('x' = '", "')"),
    "blanks": (" ", " "),
    "a comment": ("-- ", "\n"),
    "an open quote": ("'", ""),
    "a hole": ("${", "}"),
}
READER = "INSERT INTO s SELECT a, SUM(b) FROM v GROUP BY a"
SIZES = (LARGEST_STATEMENT - 1, LARGEST_STATEMENT, LARGEST_STATEMENT + 1)


def of_size(statement: str, size: int, filling: str = "x") -> str:
    """The statement with a literal (or whatever stands in its middle) that makes it ``size`` characters long."""
    opening, closing = STATEMENTS[statement]
    return opening + filling * (size - len(opening) - len(closing)) + closing


def checked(now: str, was: str, engine: str) -> keepstate.report.Report:
    return keepstate.check(JobVersion(now), JobVersion(was), engine, keepstate.Accepting(date.today()))


ASKED: dict[str, Callable[[str, str, str], object]] = {
    "check": checked,
    "fixes": lambda now, was, engine: [
        keepstate.fixes(JobVersion(now), JobVersion(was), index, engine)
        for report in [checked(now, was, engine)]
        for index in range(len(report.findings))
    ],
    "file fixes": lambda now, was, engine: keepstate.file_fixes(JobVersion(now), JobVersion(was), engine),
    "fates": lambda now, was, engine: [
        keepstate.state_outcome(JobVersion(now), JobVersion(was), index, engine)
        for index in range(len(checked(now, was, engine).findings))
    ],
    "notes": lambda now, _, engine: keepstate.state_hovers(JobVersion(now), engine),
    "plan": lambda now, _, engine: keepstate.plan_text(JobVersion(now), engine),
    "plans": lambda now, was, engine: keepstate.plans_text(JobVersion(now), JobVersion(was), engine, ("was", "now")),
    "tables": lambda now, _, __: keepstate.read_tables(JobVersion(now)),
    "recognition": lambda now, _, __: keepstate.looks_like_flink(now),
    "statements": lambda now, _, __: keepstate.parse_script(now),
}


@pytest.mark.parametrize("engine", keepstate.ENGINES)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("statement", STATEMENTS)
def test_every_question_about_a_large_statement_is_answered(statement: str, size: int, engine: str) -> None:
    was = f"{of_size(statement, size)};\n{READER}"
    now = was.replace("SUM", "MAX")
    for ask in ASKED.values():
        ask(now, was, engine)


@pytest.mark.parametrize("statement", ["INSERT", "CREATE TABLE", "CREATE VIEW", "SET"])
def test_a_statement_that_is_too_large_is_named_and_never_judged(statement: str) -> None:
    was, now = (f"{of_size(statement, LARGEST_STATEMENT + 1, filling)};\n{READER}" for filling in "xy")
    report = checked(now, was, "vvr")
    assert report.verdict.value == "unknown"
    assert [problem.message for problem in report.problems] == [
        "This statement has more than 500,000 characters; it was not analysed."
    ]
    read, as_well = (f"{of_size(statement, LARGEST_STATEMENT, filling)};\n{READER}" for filling in "xy")
    assert not any("more than" in problem.message for problem in checked(as_well, read, "vvr").problems)


@pytest.mark.parametrize("statement", ["CREATE TABLE", "CREATE VIEW"])
def test_what_reads_a_table_that_is_too_large_to_read_is_not_judged_either(statement: str) -> None:
    was = f"{of_size(statement, LARGEST_STATEMENT + 1)};\n{READER}"
    now = was.replace("SUM", "MAX")
    rules = {finding.rule for finding in checked(now, was, "vvr").findings}
    assert "statement-not-read" in rules
    (pipeline,) = checked(now, was, "vvr").pipelines
    assert pipeline.verdict.value in ("unknown", "incompatible")
