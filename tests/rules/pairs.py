"""Pairs of scripts in a line each, and what is to be found in them."""

from __future__ import annotations

from collections.abc import Mapping

from keepstate import JobVersion
from keepstate.report import Report, Verdict
from shared_analyses import check

_COLUMNS = "a INT, b BIGINT, c STRING, d INT, e DOUBLE, ts TIMESTAMP(3), pt AS PROCTIME(), WATERMARK FOR ts AS ts"
TABLES = "".join(
    f"CREATE TABLE {name} ({_COLUMNS}) WITH ('connector' = 'kafka', 'topic' = '{name}', 'format' = 'json');\n"
    for name in ("t", "u")
)


def compare(was: str, now: str, tables: str = TABLES, parameters: Mapping[str, str] | None = None) -> Report:
    given = dict(parameters or {})
    report = check(JobVersion(f"{tables}{now};", given), JobVersion(f"{tables}{was};", given))
    assert (report.problems, report.baseline_problems) == ((), ())
    return report


def assert_silent(was: str, now: str, tables: str = TABLES, parameters: Mapping[str, str] | None = None) -> None:
    """Nothing is found either way: the two scripts mean the same to the state."""
    for one, other in ((was, now), (now, was)):
        report = compare(one, other, tables, parameters)
        assert [(finding.rule, finding.current.text) for finding in report.findings] == []
        assert report.verdict is Verdict.COMPATIBLE


def clauses(report: Report) -> list[str]:
    """The underlined clauses of what costs something; for what went its text in the baseline."""
    return [
        f"- {finding.baseline.text}" if finding.removed and finding.baseline is not None else finding.current.text
        for finding in report.findings
        if finding.verdict is not Verdict.COMPATIBLE
    ]
