"""Numbers of operators: one for each place of a plan, and the same in every version of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from keepstate import JobVersion
from keepstate.plan.job import Job, Plan
from keepstate.plan.operators import Join, OverAggregate, TableSourceScan, Union
from keepstate.plan.operators.numbering import UNREAD
from keepstate.plan.optimizer.planners import NEWEST_GENERATION, PlannerGeneration
from keepstate.syntax.script import parse_script
from rule_pages import all_examples
from shared_analyses import MEMORY

TABLE = "CREATE TABLE t (k STRING, a BIGINT, q BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)"
TWICE = "SELECT x.k FROM v AS x JOIN v AS y ON x.k = y.k"
"""Equal operators in two places."""
UNITED = "SELECT k, SUM(a) FROM (SELECT k, q AS a FROM t WHERE q > 1 UNION ALL SELECT k, a FROM t) GROUP BY k"
TABLES_WITH_KEYS = "CREATE TABLE t (x INT, y INT, z INT) WITH ('connector' = 'kafka');" + "".join(
    f"CREATE TABLE {name} (k INT, v INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'upsert-kafka');"
    for name in "abc"
)
UNREAD_WINDOW = "SELECT k, a FROM (SELECT k, a, MAX(q) OVER (PARTITION BY k ORDER BY ts) AS m FROM t) WHERE a > 5"


def plan(query: str) -> Plan:
    view = "CREATE VIEW v AS SELECT k, SUM(a) AS s FROM t GROUP BY k"
    return Job.of(parse_script(f"{TABLE};\n{view};\n{query};"), {}).pipelines[0].plan


def plans_of_examples() -> Iterator[Plan]:
    for text in {side.text for example in all_examples() for side in (example.baseline, example.current)}:
        yield from (pipeline.plan for pipeline in MEMORY.job(JobVersion(text)).pipelines)


@pytest.mark.parametrize("query", [TWICE, UNITED, UNREAD_WINDOW])
def test_operators_count_from_the_top(query: str) -> None:
    operators = plan(query).operators
    assert [operator.number for operator in operators] == list(range(len(operators)))


def test_every_example_is_numbered() -> None:
    found = list(plans_of_examples())
    assert len(found) > 500
    for one in found:
        assert [operator.number for operator in one.operators] == list(range(len(one.operators)))
        for planner in PlannerGeneration:
            held = [operator.number for operator in one.as_held(planner).operators]
            assert len({*held}) == len(held)
            own = [number for number in held if number > UNREAD]
            if len(own) == len(one.operators):
                assert own == list(range(len(one.operators)))
            else:
                # A join without a reader has gone.
                assert planner is not PlannerGeneration.OLDEST and own == sorted(own)


def test_equal_operators_are_distinguished_by_their_numbers() -> None:
    scans = [operator for operator in plan(TWICE).operators if isinstance(operator, TableSourceScan)]
    assert scans[0] == scans[1]
    assert scans[0].number != scans[1].number


def test_a_window_that_open_source_flink_keeps_alone_has_a_number_of_its_own() -> None:
    windows = [
        each for each in plan(UNREAD_WINDOW).as_held(NEWEST_GENERATION).operators if isinstance(each, OverAggregate)
    ]
    assert [window.number for window in windows] == [UNREAD]


def test_numbers_stay_with_their_operators_when_these_change_places() -> None:
    before = plan(UNITED)
    after = before.with_unions_in(lambda union: list(reversed(range(len(union.branches)))))
    assert [operator.number for operator in after.operators] != [operator.number for operator in before.operators]
    union = next(operator for operator in before.operators if isinstance(operator, Union))
    turned = after.by_number[union.number]
    assert isinstance(turned, Union)
    assert [branch.number for branch in turned.branches] == [branch.number for branch in reversed(union.branches)]


def test_a_number_is_no_part_of_the_meaning() -> None:
    root = plan(UNITED).root
    assert replace(root, number=7) == root


def test_a_join_that_goes_takes_no_number_from_the_others() -> None:
    """By number and table: the removed join and its other input, in three places of a chain of joins."""
    ddl = TABLES_WITH_KEYS
    joins = {"a": "LEFT JOIN a ON t.x = a.k", "b": "LEFT JOIN b ON t.y = b.k", "c": "LEFT JOIN c ON t.z = c.k"}
    every = Job.of(parse_script(f"{ddl}SELECT t.x FROM t {' '.join(joins.values())}"), {}).pipelines[0].plan
    assert [scan.table for scan in every.as_held(NEWEST_GENERATION).scans] == ["t"]
    for table in joins:
        text = f"{ddl}SELECT t.x, {table}.v FROM t {' '.join(joins.values())}"
        one = Job.of(parse_script(text), {}).pipelines[0].plan
        held = one.as_held(NEWEST_GENERATION)
        (join,) = (operator for operator in held.operators if isinstance(operator, Join))
        counterpart = one.by_number[join.number]
        assert isinstance(counterpart, Join)
        assert counterpart.right.number == join.right.number and one.by_number[join.right.number] == join.right
        assert [scan.table for scan in held.scans] == ["t", table]
        assert [one.by_number[scan.number] for scan in held.scans] == list(held.scans)
