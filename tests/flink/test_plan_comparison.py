"""The comparison of planned jobs: owners of state, types, equal plans, and what a plan does not show."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from keepstate_flink.plans.equality import plan_lines
from keepstate_flink.plans.plan_comparison import Decision, StateMapping, compared
from keepstate_flink.plans.planned_job import PlannedJob, PlannedState

SOURCE = PlannedState("01", "Source: t", is_source=True)
CALC = PlannedState("02", "Calc[2]")
GROUPS = PlannedState("03", "GroupAggregate[3]", ("_timer_state/event_user-timers", "accState"))


def plan(filtered: str = "$a > 1", connector: str = "kafka", column: str = "n", **more: str) -> dict[str, Any]:
    """A compiled plan of two nodes; those of Flink have more members of the same kinds."""
    scan = {"table": {"identifier": "t", "resolvedTable": {"options": {"connector": connector, **more}}}}
    return {
        "nodes": [
            {"id": 1, "type": "stream-exec-table-source-scan_2", "scanTableSource": scan, "outputType": "ROW<`a` INT>"},
            {"id": 2, "type": "stream-exec-calc_1", "condition": filtered, "outputType": f"ROW<`{column}` INT>"},
        ],
        "edges": [{"source": 1, "target": 2}],
    }


JOB = PlannedJob((SOURCE, CALC, GROUPS), plan())


@pytest.mark.parametrize(
    ("current", "refused", "decision", "reason"),
    [
        (JOB, {}, Decision.EQUAL, ""),
        (replace(JOB, plan=plan(column="renamed")), {}, Decision.EQUAL, ""),
        (replace(JOB, plan=plan("$a > 2")), {}, Decision.STARTS, ""),
        (
            JOB,
            {"03": ["RuntimeException", "StateMigrationException"]},
            Decision.DOES_NOT_START,
            "GroupAggregate[3] stores timers, accState in other types.",
        ),
        (
            replace(JOB, operators=(SOURCE, replace(GROUPS, id="04"))),
            {},
            Decision.DOES_NOT_START,
            "GroupAggregate[3] stores timers, accState, and no operator has its id any more.",
        ),
        (
            replace(JOB, operators=(replace(SOURCE, id="05"), GROUPS)),
            {},
            Decision.DOES_NOT_START,
            "Source: t stores position, and no operator has its id any more.",
        ),
        # An operator without state may go: no savepoint has anything of it.
        (replace(JOB, operators=(SOURCE, GROUPS), plan=plan("$a > 2")), {}, Decision.STARTS, ""),
    ],
)
def test_the_plans_decide(current: PlannedJob, refused: dict[str, list[str]], decision: Decision, reason: str) -> None:
    found = compared(JOB, current, refused)
    assert (found.decision, found.reason) == (decision, reason)


def test_equal_state_is_no_equal_plan() -> None:
    """A filter above a state leaves ids and types, and changes every number behind it."""
    found = compared(JOB, replace(JOB, plan=plan("$a > 2")))
    assert {operator.fate for operator in found.operators} == {StateMapping.FOUND}
    assert found.decision is Decision.STARTS


def test_state_that_is_not_asked_for_is_named() -> None:
    changed = replace(GROUPS, states=("_timer_state/event_user-timers", "otherState"))
    found = compared(JOB, replace(JOB, operators=(SOURCE, CALC, changed)))
    assert found.decision is Decision.STARTS
    assert [operator.unread for operator in found.operators] == [(), ("accState",)]


def test_an_operator_with_state_that_is_new_begins_empty() -> None:
    added = PlannedState("09", "Rank[5]", ("data-state",))
    found = compared(JOB, replace(JOB, operators=(*JOB.operators, added)))
    assert (found.decision, found.fresh) == (Decision.STARTS, ("Rank[5]",))


@pytest.mark.parametrize(
    ("current", "note"),
    [
        (
            replace(JOB, settings={"pipeline.max-parallelism": "8"}),
            "A plan does not show what follows from pipeline.max-parallelism.",
        ),
        (
            replace(JOB, plan=plan(connector="filesystem")),
            "A connector changed, and here stand-ins are planned: what connectors store is not compared.",
        ),
        (replace(JOB, plan=None), "Flink compiles no plan of a version, so connectors are not compared."),
        (
            replace(JOB, operators=(SOURCE, CALC, replace(GROUPS, states=(), failure=("NullPointerException",)))),
            "GroupAggregate[3] was not opened by itself: NullPointerException",
        ),
    ],
)
def test_what_a_plan_does_not_show_is_not_decided(current: PlannedJob, note: str) -> None:
    for was, now in ((JOB, current), (current, JOB)):
        found = compared(was, now)
        assert (found.decision, found.note) == (Decision.NOT_DECIDED, note)


@pytest.mark.parametrize(
    ("was", "now", "sets_tasks", "decision"),
    [
        ({}, {"scan.parallelism": "2"}, False, Decision.NOT_DECIDED),
        ({"sink.parallelism": "2"}, {"sink.parallelism": "3"}, False, Decision.NOT_DECIDED),
        ({"scan.parallelism": "2"}, {"scan.parallelism": "2"}, False, Decision.EQUAL),
        ({}, {"scan.parallelism": "2"}, True, Decision.STARTS),
    ],
)
def test_tasks_of_tables_need_those_of_the_job(
    was: dict[str, str], now: dict[str, str], sets_tasks: bool, decision: Decision
) -> None:
    """Ids would follow from the one task that the planner takes for the job."""
    jobs = (replace(JOB, plan=plan(**options), sets_tasks=sets_tasks) for options in (was, now))
    assert compared(*jobs).decision is decision


def test_a_certain_end_needs_no_more() -> None:
    gone = replace(JOB, operators=(SOURCE,), settings={"pipeline.max-parallelism": "8"})
    assert compared(JOB, gone).decision is Decision.DOES_NOT_START


def test_an_operator_that_was_not_opened_may_have_no_state() -> None:
    was = replace(JOB, operators=(SOURCE, replace(GROUPS, states=(), failure=("NullPointerException",))))
    assert compared(was, replace(JOB, operators=(SOURCE,))).decision is Decision.NOT_DECIDED


def test_names_of_columns_of_a_source_count() -> None:
    other = plan()
    other["nodes"][0]["scanTableSource"]["table"]["identifier"] = "u"
    assert plan_lines(other) != plan_lines(plan())
    assert plan_lines(plan(column="renamed")) == plan_lines(plan())
