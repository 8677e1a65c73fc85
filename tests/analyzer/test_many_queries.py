"""Jobs of many queries: a fix of one of them costs about as much as one query, and its report is that of a new one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import keepstate
from keepstate import comparison
from keepstate.diff import job_differences
from keepstate.report import Verdict
from keepstate.text import Edit, apply_edits
from keepstate.validated_job import ValidatedJob
from night import by_night

ENGINES = ("vvr", "flink")
COLUMNS = "k STRING, a BIGINT, b BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts"
SOURCE = f"CREATE TABLE src ({COLUMNS}) WITH ('connector' = 'x');\n"


def job(count: int, call: str, more: str = "") -> str:
    sinks = [
        f"CREATE TABLE s{n} (k STRING, v BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'upsert-kafka');\n"
        for n in range(count)
    ]
    queries = [f"INSERT INTO s{n} SELECT k, {call} FROM src WHERE b > {n} GROUP BY k;\n" for n in range(count)]
    return SOURCE + more + "".join(sinks) + "".join(queries)


def counted(monkeypatch: pytest.MonkeyPatch, name: str) -> list[Any]:
    """Calls of a function of ``keepstate.diff.job_differences`` from now on."""
    calls: list[Any] = []
    plain: Callable[..., Any] = getattr(job_differences, name)

    def call(*arguments: Any) -> Any:
        calls.append(arguments)
        return plain(*arguments)

    monkeypatch.setattr(job_differences, name, call)
    return calls


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("count", by_night([10, 40, 120], [10, 40]))
def test_a_fix_compares_what_it_changes_and_no_other_query(
    monkeypatch: pytest.MonkeyPatch, engine: str, count: int
) -> None:
    now, was = (keepstate.JobVersion(job(count, call)) for call in ("MAX(a)", "SUM(a)"))
    analysis = keepstate.analyse(now, was, engine, keepstate.Workspace())
    assert len(analysis.report().findings) >= count
    calls = counted(monkeypatch, "_pair")
    assert analysis.fixes(0) and analysis.fixes(count - 1)
    assert len(calls) <= 2 * 4


SHAPES = {
    "plain": ("", ""),
    "another filter above all": ("", "CREATE VIEW v AS SELECT k FROM src WHERE a > 1;\n"),
    "a setting for some": ("SET 'table.exec.state.ttl' = '1 h';\n", "SET 'table.exec.state.ttl' = '2 h';\n"),
    "a declaration that is broken": ("", "CREATE TABLE broken (;\n"),
    "a name that is declared twice": (
        "",
        "CREATE TABLE src (k STRING, a BIGINT, b BIGINT) WITH ('connector' = 'y');\n",
    ),
    "a table that was renamed": ("CREATE TABLE other (k STRING) WITH ('connector' = 'x');\n", ""),
    "the same query twice": ("INSERT INTO s0 SELECT k, MAX(a) FROM src WHERE b > 0 GROUP BY k;\n",) * 2,
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("shape", SHAPES)
def test_the_report_of_a_fix_is_that_of_its_text(engine: str, shape: str) -> None:
    before, after = SHAPES[shape]
    was, now = keepstate.JobVersion(job(4, "SUM(a)", before)), keepstate.JobVersion(job(4, "MAX(a)", after))
    analysis = keepstate.analyse(now, was, engine, keepstate.Workspace())
    tried = 0
    for index in range(len(analysis.report().findings)):
        for fix in analysis.fixes(index):
            text = apply_edits(now.text, fix.edits)
            fresh = keepstate.analyse(keepstate.JobVersion(text), was, engine).report()
            assert analysis.report_with(fix.edits) == fresh
            tried += 1
    assert tried


@pytest.mark.parametrize("engine", ENGINES)
def test_an_edit_moves_what_stands_behind_it(engine: str) -> None:
    """A pair that is taken over is shown at its new place."""
    was, now = keepstate.JobVersion(job(3, "SUM(a)")), keepstate.JobVersion(job(3, "MAX(a)"))
    analysis = keepstate.analyse(now, was, engine, keepstate.Workspace())
    first = next(one for one in analysis.report().findings)
    longer = Edit(first.current.span, "MAX(   a   )  ")
    text = apply_edits(now.text, (longer,))
    shown = [one.current.span.of(text) for one in analysis.report_with((longer,)).findings]
    assert shown == [
        one.current.span.of(text)
        for one in keepstate.analyse(keepstate.JobVersion(text), was, engine).report().findings
    ]


@pytest.mark.parametrize("engine", ENGINES)
def test_uses_above_many_joins_are_looked_up_once(monkeypatch: pytest.MonkeyPatch, engine: str) -> None:
    """Each column of each join meets each other one."""
    from keepstate.diff.operators import joined_rows

    counts: list[int] = []
    for count in (10, 20, 40):
        calls: list[None] = []
        plain = joined_rows._uses

        def uses(*arguments: Any, plain: Any = plain, calls: list[None] = calls) -> Any:
            calls.append(None)
            return plain(*arguments)

        with monkeypatch.context() as patched:
            patched.setattr(joined_rows, "_uses", uses)
            texts = (
                f"{SOURCE}CREATE TABLE o (v BIGINT) WITH ('connector' = 'x');\nINSERT INTO s SELECT k, "
                + ", ".join(f"(SELECT {call}(v) FROM o WHERE o.v > {n}) AS c{n}" for n in range(count))
                + " FROM src;"
                for call in ("MAX", "SUM")
            )
            now, was = map(keepstate.JobVersion, texts)
            assert keepstate.analyse(now, was, engine).report().verdict is Verdict.INCOMPATIBLE
        counts.append(len(calls))
    # As many columns as joins, in each join: the square of them, not the fourth power.
    assert counts[2] <= 5 * counts[1] <= 25 * counts[0]


@pytest.mark.parametrize("engine", ENGINES)
def test_fixes_compare_what_is_not_refused_and_read_the_baseline_once(
    engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    was, now = (keepstate.JobVersion(job(1, metric)) for metric in ("SUM(a)", "MAX(a)"))
    analysis = keepstate.analyse(now, was, engine, keepstate.Workspace())
    assert analysis.report().findings
    validated: list[str] = []
    compared: list[str] = []
    plain, of = comparison.validated, comparison.Comparison.of

    def validated_job_of(version: keepstate.JobVersion, *more: Any) -> ValidatedJob:
        validated.append(version.text)
        return plain(version, *more)

    def compared_jobs(current: ValidatedJob, *more: Any) -> comparison.Comparison:
        compared.append(current.version.text)
        return of(current, *more)

    monkeypatch.setattr(comparison, "validated", validated_job_of)
    monkeypatch.setattr(comparison.Comparison, "of", staticmethod(compared_jobs))
    assert analysis.fixes(0)
    # The text of the baseline is made again by a fix, and a column more is refused by the sink.
    assert was.text in compared
    assert was.text not in validated
    assert len(compared) == len(set(compared))
    assert set(validated) - set(compared), "a refused text is not compared"
