"""Statements on both sides of the largest size that is read: each part of the analyzer answers, and hides nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
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
    return keepstate.check(JobVersion(now), JobVersion(was), engine, keepstate.AcceptancePolicy(date.today()))


@dataclass(frozen=True)
class Versions:
    """Two versions of a job, and the memory in which they are compared once for all questions."""

    now: JobVersion
    was: JobVersion
    engine: str
    workspace: keepstate.Workspace = field(default_factory=keepstate.Workspace)

    def analysis(self) -> keepstate.RestartAnalysis:
        return keepstate.analyse(self.now, self.was, self.engine, self.workspace)

    def findings(self) -> range:
        return range(len(self.analysis().report().findings))


QUESTIONS: dict[str, Callable[[Versions], object]] = {
    "check": lambda asked: asked.analysis().report(keepstate.AcceptancePolicy(date.today())),
    "fixes": lambda asked: [asked.analysis().fixes(index) for index in asked.findings()],
    "file fixes": lambda asked: asked.analysis().file_fixes(),
    "outcomes": lambda asked: [asked.analysis().state_outcome(index) for index in asked.findings()],
    "hovers": lambda asked: keepstate.state_hovers(asked.now, asked.engine, asked.workspace),
    "plan": lambda asked: keepstate.plan_text(asked.now, asked.engine, asked.workspace),
    "plans": lambda asked: asked.analysis().plans_text(("was", "now")),
    "tables": lambda asked: keepstate.read_tables(asked.now, asked.workspace),
    "recognition": lambda asked: keepstate.looks_like_flink(asked.now.text),
    "statements": lambda asked: keepstate.parse_script(asked.now.text),
}


@pytest.mark.parametrize("engine", keepstate.ENGINES)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("statement", STATEMENTS)
def test_every_question_about_a_large_statement_is_answered(statement: str, size: int, engine: str) -> None:
    was = f"{of_size(statement, size)};\n{READER}"
    now = was.replace("SUM", "MAX")
    asked = Versions(JobVersion(now), JobVersion(was), engine)
    for question in QUESTIONS.values():
        question(asked)


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
