"""Reports of very many findings: fixes of the first ones, and a word of that."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from keepstate import report
from keepstate_lsp.cli.formats.text import _MOST_SAME
from keepstate_lsp.cli.main import main

QUERIES = 3
SOURCE = "CREATE TABLE src (k STRING, a BIGINT) WITH ('connector' = 'kafka');\n"


def job(call: str) -> str:
    return SOURCE + "".join(f"INSERT INTO s{n} SELECT k, {call}(a) FROM src GROUP BY k;\n" for n in range(QUERIES))


@pytest.mark.parametrize("fixed", [1, 2, 3])
def test_fixes_are_looked_for_at_so_many_findings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, fixed: int
) -> None:
    monkeypatch.setattr("keepstate.report._MOST_TRIED", fixed * QUERIES)
    monkeypatch.setattr("keepstate.report._LEAST_FIXED", 1)
    for name, call in (("was.sql", "SUM"), ("now.sql", "MAX")):
        (tmp_path / name).write_text(job(call))
    monkeypatch.chdir(tmp_path)
    assert main(["diff", "was.sql", "now.sql", "--format", "json"]) == 1
    captured = capsys.readouterr()
    (file,) = json.loads(captured.out)["files"]
    assert [bool(finding["fixes"]) for finding in file["findings"]] == [n < fixed for n in range(QUERIES)]
    told = "now.sql: fixes were looked for at the first"
    assert (told in captured.err) == (fixed < QUERIES)
    assert file["verdict"] == "incompatible"


@pytest.mark.parametrize(
    ("queries", "findings", "fixed"), [(300, 20, 20), (300, 21, 20), (1, 6000, 6000), (1, 6001, 6000)]
)
def test_the_more_queries_the_fewer(queries: int, findings: int, fixed: int) -> None:
    pipeline = report.PipelineVerdict("q", report.Span(0, 0), report.Verdict.COMPATIBLE, report.Effect.EXACT)
    one = report.Finding.__new__(report.Finding)
    made = report.Report("vvr", report.Verdict.UNKNOWN, report.Effect.EXACT, (pipeline,) * queries, (one,) * findings)
    assert len(made.with_fixes) == fixed


@pytest.mark.parametrize("findings", [report._LEAST_FIXED, report._LEAST_FIXED + 1])
def test_some_are_fixed_of_any_number_of_queries(findings: int) -> None:
    pipeline = report.PipelineVerdict("q", report.Span(0, 0), report.Verdict.COMPATIBLE, report.Effect.EXACT)
    one = report.Finding.__new__(report.Finding)
    every = (pipeline,) * (report._MOST_TRIED + 1)
    made = report.Report("vvr", report.Verdict.UNKNOWN, report.Effect.EXACT, every, (one,) * findings)
    assert len(made.with_fixes) == report._LEAST_FIXED


@pytest.mark.parametrize("aggregates", [2, 3, 4, 5])
def test_findings_with_one_cause_are_one_entry(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, aggregates: int
) -> None:
    """A query whose aggregates are all replaced: the others are numbers and a few changes below the first."""
    columns = [f"c{number}" for number in range(aggregates)]
    declared = ", ".join(f"{one} INT" for one in columns)
    source = f"CREATE TABLE src (k STRING, {declared}) WITH ('connector' = 'kafka');\n"
    for name, call in (("was.sql", "SUM"), ("now.sql", "MAX")):
        calls = ", ".join(f"{call}({one})" for one in columns)
        (tmp_path / name).write_text(f"{source}INSERT INTO s SELECT k, {calls} FROM src GROUP BY k;\n")
    monkeypatch.chdir(tmp_path)
    assert main(["diff", "was.sql", "now.sql"]) == 1
    text = " ".join(capsys.readouterr().out.split())
    assert text.count("incompatible[all-aggregates-replaced]") == 1
    others = {2: "finding 2: ", 3: "findings 2 and 3: ", 4: "findings 2 to 4: ", 5: "findings 2 to 5: "}[aggregates]
    assert f"same: {others}SUM(c1) -> MAX(c1)" in text
    assert text.count("-> MAX(c") == 1 + min(aggregates - 1, _MOST_SAME)
    assert ("and 1 more" in text) == (aggregates - 1 > _MOST_SAME)
    every = {2: "findings 1 and 2", 3: "findings 1 to 3", 4: "findings 1 to 4", 5: "findings 1 to 5"}[aggregates]
    assert f"Revert {every}, and now.sql is compatible." in text
