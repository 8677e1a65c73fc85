"""What is known of a statement stays as long as somebody holds it, and no longer."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from contextlib import contextmanager

from keepstate import JobVersion, check, parse_script, working_set
from keepstate.syntax.statement import known_of, known_with, parse_statement
from rule_pages import all_examples

JOB = "INSERT INTO totals SELECT category, SUM(amount) AS gmv FROM orders GROUP BY category"
MANY = 2000


def parse_many() -> None:
    """More statements than are remembered on their own account, in more scripts; and some are baselines."""
    for number in range(MANY):
        parse_script(f"SELECT {number} AS n")
    for number in range(100):
        other = JobVersion(f"CREATE VIEW v AS SELECT {number} AS other; SELECT * FROM v")
        check(other, other)


def test_a_statement_that_is_held_is_not_parsed_again() -> None:
    held = parse_script(f"{JOB};")
    parse_many()
    assert parse_statement(JOB) is held.statements[0].parsed


@contextmanager
def without_collections() -> Iterator[None]:
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def test_a_statement_that_nobody_holds_goes_by_itself() -> None:
    job, edited = JobVersion(f"CREATE VIEW v AS SELECT going FROM t; {JOB}"), JobVersion(f"{JOB}, going")
    with without_collections():
        check(edited, job)
        statements = [weakref.ref(statement.parsed) for statement in parse_script(job.text).statements]
        parse_many()
        assert [statement() for statement in statements] == [None] * 2


def test_checks_leave_next_to_nothing_to_the_garbage_collector() -> None:
    examples = all_examples()[::8]
    with without_collections():
        for example in examples:
            check(example.current, example.baseline, example.profile)
        assert gc.collect() < 5 * len(examples)


def test_a_working_set_is_what_the_next_check_begins_with() -> None:
    current, baseline = JobVersion(JOB.replace("SUM", "MAX")), JobVersion(JOB)
    report = check(current, baseline)
    statements = [weakref.ref(parse_statement(version.text)) for version in (current, baseline)]
    held = working_set(current, baseline)
    parse_many()
    gc.collect()
    assert [parse_statement(version.text) for version in (current, baseline)] == [known() for known in statements]
    assert check(current, baseline) == report
    del held
    parse_many()
    gc.collect()
    assert statements[0]() is None


def test_results_are_remembered_with_the_statement() -> None:
    asked: list[object] = []

    @known_of
    def size(statement: object) -> int:
        asked.append(statement)
        return len(asked)

    @known_with
    def sum_with(statement: object, other: int) -> int:
        asked.append(other)
        return other

    one, other = parse_statement("SELECT 1 AS one"), parse_statement("SELECT 2 AS two")
    assert [size(one), size(other), size(one)] == [1, 2, 1]
    asked.clear()
    for number in (1, 2, 3, 4, 1, 5, 1):
        assert sum_with(one, number) == number
    # Of several the last four are known: the fifth took the place of the first.
    assert asked == [1, 2, 3, 4, 5, 1]
