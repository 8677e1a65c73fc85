"""The smallest revert: a promise that was tried on the text, or none."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date

import pytest

from keepstate import (
    ENGINES,
    AcceptancePolicy,
    JobVersion,
    RestartAnalysis,
    Workspace,
    analyse,
    check,
    comparison,
    file_fixes,
    state_hovers,
    with_revert,
)
from keepstate.diff.reverting import paired_statements
from keepstate.report import Report, Verdict
from keepstate.syntax.memo import Memo
from keepstate.syntax.script import parse_script
from keepstate.text import apply_edits

CLICKS = "CREATE TABLE clicks (u INT, n INT) WITH ('connector' = 'kafka', 'topic' = 'c', 'format' = 'json');\n"
ORDERS = (
    "CREATE TABLE orders (id BIGINT, a INT, b INT) WITH ('connector' = 'kafka', 'topic' = 'o', 'format' = 'json');\n"
)
FIRST = "INSERT INTO s1 SELECT u, COUNT(*) FROM clicks GROUP BY u;\n"
SECOND = "INSERT INTO s2 SELECT id, MAX(a), MIN(b) FROM orders WHERE b > 1 GROUP BY id;\n"
TWO = CLICKS + ORDERS + FIRST + SECOND
TTL = "table.exec.state.ttl"

each_engine = pytest.mark.parametrize("engine", ENGINES)


def reverted(current: JobVersion, baseline: JobVersion, engine: str) -> Report:
    return with_revert(current, baseline, check(current, baseline, engine), engine)


def promised(report: Report) -> list[str]:
    """The clauses that are to be taken back."""
    return [report.findings[index].current.text for index in report.revert_to_be_compatible]


@dataclass(frozen=True)
class Case:
    """Two texts and the clauses to be taken back by each engine; none where no promise can be held."""

    name: str
    baseline: str
    current: str
    flink: tuple[str, ...] = ()
    vvr: tuple[str, ...] = ()
    parameters: dict[str, str] = field(default_factory=dict)
    baseline_parameters: dict[str, str] = field(default_factory=dict)


CASES = (
    Case(
        "an innocent format beside NOT NULL",
        TWO,
        TWO.replace("(u INT", "(u INT NOT NULL").replace("'o', 'format' = 'json'", "'o', 'format' = 'debezium-json'"),
        flink=("u INT NOT NULL", "'format' = 'debezium-json'"),
        vvr=("'format' = 'debezium-json'",),
    ),
    Case(
        "one edit that shows in two operators",
        CLICKS + "SELECT m, COUNT(*) FROM (SELECT u, MAX(n) AS m FROM clicks GROUP BY u) GROUP BY m",
        CLICKS + "SELECT m, COUNT(*) FROM (SELECT u, MIN(n) AS m FROM clicks GROUP BY u) GROUP BY m",
        flink=("MIN(n)",),
        vvr=("MIN(n)",),
    ),
    Case(
        "two aggregates that changed side by side",
        TWO,
        TWO.replace("MAX(a), MIN(b)", "MIN(a), MAX(b)"),
        flink=("MIN(a)", "MAX(b)"),
        vvr=("MIN(a)", "MAX(b)"),
    ),
    Case(
        "a query that went with its table",
        TWO,
        ORDERS + SECOND,
        flink=("INSERT",),
    ),
    Case("a query that came in front", CLICKS + FIRST, TWO.replace(FIRST + SECOND, SECOND + FIRST),
         flink=(SECOND.strip()[:-1],), vvr=(SECOND.strip()[:-1],)),
    Case("a filter in a query whose sink has another name", TWO, TWO.replace("b > 1", "b > 2").replace("s2", "s3"),
         flink=("b > 2",), vvr=("b > 2",)),
    Case("a renamed table", TWO, TWO.replace("orders", "purchases"), vvr=("purchases",)),
    Case("a setting that came", TWO, f"SET '{TTL}' = '1 h';\n{TWO}", vvr=(f"SET '{TTL}' = '1 h'",)),
    Case("a setting that went", f"SET '{TTL}' = '1 h';\n{TWO}", TWO, vvr=("INSERT",)),
    Case("a setting outside of the script", TWO, TWO, vvr=("INSERT",), parameters={TTL: "1 h"}),
    Case("a setting that moved into the script", TWO, f"SET '{TTL}' = '2 h';\n{TWO}", vvr=(f"SET '{TTL}' = '2 h'",),
         baseline_parameters={TTL: "1 h"}),
    Case("queries in another order", TWO, TWO.replace(FIRST + SECOND, SECOND + FIRST)),
)  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@each_engine
def test_promise(case: Case, engine: str) -> None:
    current = JobVersion(case.current, case.parameters)
    found = reverted(current, JobVersion(case.baseline, case.baseline_parameters), engine)
    expected = case.flink if engine == "flink" else case.vvr
    assert tuple(promised(found)) == expected
    if expected:
        assert found.verdict is not Verdict.COMPATIBLE


def test_a_version_outside_of_the_script_can_be_taken_back() -> None:
    current, baseline = JobVersion(TWO, {}, "vvr-11.1-jdk11-flink-1.20"), JobVersion(TWO, {}, "vvr-8.0.11-flink-1.17")
    found = reverted(current, baseline, "vvr")
    assert [finding.rule for finding in found.findings] == ["engine-version-changed"]
    assert found.revert_to_be_compatible == (0,)


@each_engine
def test_the_fix_of_the_file_makes_the_text_that_was_tried(engine: str) -> None:
    baseline = JobVersion(TWO)
    current = JobVersion(TWO.replace("GROUP BY u;", "GROUP BY u, n;").replace("MIN(b)", "COUNT(DISTINCT b)"))
    report = reverted(current, baseline, engine)
    assert len(report.revert_to_be_compatible) == 2
    (fix,) = (fix for fix in file_fixes(current, baseline, engine) if fix.kind == "revert-smallest")
    assert fix.verdict_after is Verdict.COMPATIBLE
    assert check(JobVersion(apply_edits(current.text, fix.edits)), baseline, engine).verdict is Verdict.COMPATIBLE


def test_what_is_set_outside_of_the_script_is_no_fix_of_the_file() -> None:
    """The promise holds, but no edit of the text makes it true."""
    current, baseline = JobVersion(TWO.replace("MIN(b)", "COUNT(DISTINCT b)"), {TTL: "1 h"}), JobVersion(TWO)
    report = reverted(current, baseline, "vvr")
    assert len(report.revert_to_be_compatible) == 2
    assert [fix for fix in file_fixes(current, baseline, "vvr") if fix.kind == "revert-smallest"] == []


def test_a_check_alone_tries_no_further_text() -> None:
    assert check(JobVersion(TWO.replace("MAX(a)", "MIN(a)")), JobVersion(TWO)).revert_to_be_compatible == ()


@each_engine
def test_nothing_is_compared_twice_for_one_text(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything that is asked about two versions reads one comparison; fixes compare only texts of their own."""
    compared, judged = [], []
    compare, judge = comparison.compare_jobs, comparison.judge
    monkeypatch.setattr(comparison, "compare_jobs", lambda *jobs: compared.append(jobs) or compare(*jobs))
    monkeypatch.setattr(comparison, "judge", lambda diff, *rest: judged.append(diff) or judge(diff, *rest))
    current, baseline = JobVersion(TWO.replace("MAX(a)", "MIN(a)").replace("u, COUNT(*)", "u, SUM(n)")), JobVersion(TWO)
    workspace = Workspace()

    def ask() -> RestartAnalysis:
        analysis = analyse(current, baseline, engine, workspace)
        report = analysis.report(AcceptancePolicy(date(2026, 1, 1)))
        numbers = range(len(report.findings))
        assert any(analysis.state_outcome(index) for index in numbers)
        assert analysis.plans_text()
        assert analysis.restart().report == analysis.report()
        assert state_hovers(current, engine, workspace)
        assert list(analysis.comparison.reverts())
        return analysis

    ask()
    analysis = ask()
    assert (len(compared), len(judged)) == (1, 1)
    for _ in range(2):
        for index in range(len(analysis.report().findings)):
            assert analysis.fixes(index)
        analysis.file_fixes()
        analysis.with_revert(analysis.report())
    texts = [now.script.text for _, now, *_ in compared]
    assert len(texts) == len(judged) == len(set(texts)) > 1
    assert all(was is compared[0][0] for was, *_ in compared)


PAIRS: dict[str, tuple[str, str, tuple[int | None, ...]]] = {
    "nothing changed": ("AABC", "AABC", (0, 1, 2, 3)),
    "one in the middle": ("ABC", "AXC", (0, None, 2)),
    "one more": ("AB", "AXB", (0, None, 1)),
    "one of three alike goes": ("AAA", "AA", (0, 1)),
    "one alike more at the end": ("AB", "ABB", (0, 1, None)),
    "one alike more in front": ("AB", "BAB", (1, 0, None)),
    "two change places": ("ABCD", "ACBD", (0, 2, 1, 3)),
    "another setting": ("ASB", "ATB", (0, 1, 2)),
    "another setting behind one alike": ("SAT", "TAT", (2, 1, 0)),
    "all new": ("AB", "XY", (None, None)),
    "all gone": ("AB", "", ()),
}
"""Statements of both sides by their letters, and the numbers of the former ones that belong to the current ones."""
STATEMENTS = {"S": "SET 'a' = '1'", "T": "SET 'a' = '2'"}


@pytest.mark.parametrize("name", PAIRS)
def test_statements_are_paired_by_their_texts_in_order_and_then_by_their_names(name: str) -> None:
    memo = Memo()
    sides = ["; ".join(STATEMENTS.get(one, f"INSERT INTO {one} SELECT 1") for one in text) for text in PAIRS[name][:2]]
    was, now = (parse_script(text, memo) for text in sides)
    pairs = paired_statements(was, now)
    assert [current for _, current in pairs] == list(now.statements)
    assert tuple(None if each is None else was.statements.index(each) for each, _ in pairs) == PAIRS[name][2]
