"""Memoized results belong to an owner, and are released with it."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from contextlib import contextmanager

from keepstate import JobVersion, Workspace, analyse, check, parse_script
from keepstate.syntax.memo import Memo
from keepstate.syntax.statement import ParsedStatement
from rule_pages import all_examples

JOB = "INSERT INTO totals SELECT category, SUM(amount) AS gmv FROM orders GROUP BY category"
MANY = 2000


@contextmanager
def without_collections() -> Iterator[None]:
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def statements_of(workspace: Workspace, *versions: JobVersion) -> list[ParsedStatement]:
    return [statement.parsed for version in versions for statement in workspace.job(version).script.statements]


def test_two_calls_share_nothing() -> None:
    one, other = parse_script(JOB), parse_script(JOB)
    assert one.statements[0].parsed is not other.statements[0].parsed


def test_both_sides_of_a_check_share_their_statements() -> None:
    comparison = analyse(JobVersion(f"SET 'a' = 'b'; {JOB}"), JobVersion(JOB)).comparison
    sides = comparison.current.script.statements[-1], comparison.baseline.script.statements[-1]
    assert sides[0].parsed is sides[1].parsed


def test_what_a_check_found_out_goes_by_itself() -> None:
    job, edited = JobVersion(f"CREATE VIEW v AS SELECT going FROM t; {JOB}"), JobVersion(f"{JOB}, going")
    with without_collections():
        analysis = analyse(edited, job, "flink")
        analysis.report()
        analysis.fixes(0)
        sides = analysis.comparison.current, analysis.comparison.baseline
        kept = [weakref.ref(each.parsed) for side in sides for each in side.script.statements]
        assert len(kept) == 3
        del analysis, sides
        assert [statement() for statement in kept] == [None] * 3


def test_checks_leave_next_to_nothing_to_the_garbage_collector() -> None:
    examples = all_examples()[::8]
    with without_collections():
        for example in examples:
            check(example.current, example.baseline, example.profile)
        assert gc.collect() < 5 * len(examples)


def test_a_workspace_reads_nothing_again_and_lets_go_with_its_owner() -> None:
    current, baseline = JobVersion(JOB.replace("SUM", "MAX")), JobVersion(JOB)
    with without_collections():
        workspace = Workspace()
        report = workspace.analysis(current, baseline, "vvr").report()
        held = statements_of(workspace, current, baseline)
        # A keystroke, and back again.
        typed = workspace.analysis(JobVersion(f"-- typed\n{current.text}"), baseline, "vvr")
        assert typed.comparison.current.script.statements[0].parsed is held[0]
        assert workspace.analysis(current, baseline, "vvr").report() is report
        assert statements_of(workspace, current, baseline) == held
        gone = [weakref.ref(statement) for statement in held]
        del workspace, held, typed
        assert [statement() for statement in gone] == [None, None]


def test_a_workspace_forgets_what_was_typed_long_ago_but_not_the_baseline() -> None:
    baseline = JobVersion(JOB)
    workspace = Workspace()
    with without_collections():
        first = JobVersion(f"{JOB};\nSELECT 'first'")
        workspace.analysis(first, baseline, "vvr")
        (held,) = statements_of(workspace, baseline)
        typed = weakref.ref(statements_of(workspace, first)[1])
        for number in range(MANY):
            workspace.analysis(JobVersion(f"{JOB};\nSELECT {number} AS n"), baseline, "vvr")
        assert statements_of(workspace, baseline) == [held]
        assert typed() is None


def test_results_are_kept_of_each_statement() -> None:
    asked: list[object] = []

    def size(statement: ParsedStatement) -> int:
        asked.append(statement)
        return len(asked)

    def sum_with(statement: ParsedStatement, other: int) -> int:
        asked.append(other)
        return other

    memo = Memo()
    one, other = memo.statement("SELECT 1 AS one"), memo.statement("SELECT 2 AS two")
    assert [memo.of(size, one), memo.of(size, other), memo.of(size, one)] == [1, 2, 1]
    asked.clear()
    for number in (1, 2, 3, 4, 1, 5, 1, 2):
        assert memo.of_both(sum_with, one, number) == number
    # Four are kept, and of these the one goes that was asked for the longest time ago.
    assert asked == [1, 2, 3, 4, 5, 2]
    # What is not live and came long ago is let go of; what is live is not.
    for number in range(MANY):
        memo.statement(f"SELECT {number}")
    memo.keep([one])
    asked.clear()
    assert [memo.of(size, one), memo.of(size, other)] == [1, 1]
    assert memo.statement("SELECT 1 AS one") is one
    assert memo.statement("SELECT 2 AS two") is not other
    assert memo.size < MANY / 10
