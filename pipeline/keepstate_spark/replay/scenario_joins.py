"""Joins in the scenarios of a restart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from keepstate.plan.expressions import Call, Expr, WindowField, WindowPart
from keepstate.plan.operators import GroupWindowAggregate, Join, TemporalJoin, WindowJoin, WindowTableFunction
from keepstate.plan.predicates import any_of
from keepstate.plan.references import ColumnOfRight
from keepstate_spark.lowering.refusals import NotLowerable
from keepstate_spark.replay.scenario_plan import Moment, ScenarioPlan, on_clock
from keepstate_spark.replay.scenarios import Scenario, ScenarioRows, both, certainly


def refuse_kind(join: Join) -> None:
    """Refuse a join that is no inner one: it takes rows back. Raises ``NotLowerable``."""
    if join.kind != "inner" or join.mark is None:
        words = f"a join of the kind {join.kind}"
        raise NotLowerable(
            f"What a restart does to {words} cannot be told of single rows.", join.kind_place or join.place
        )


def join_plan(
    join: Join, left: ScenarioPlan, right: ScenarioPlan, moment: Moment, is_empty: Callable[[Scenario], bool]
) -> ScenarioPlan:
    """Return an inner join of two inputs. ``is_empty`` is true for scenarios in which it starts without state.

    Raises ``NotLowerable`` for inputs whose results change, and for a condition that differs between scenarios.
    """
    if left.changing or right.changing:
        raise NotLowerable("Joins of results that change cannot be replayed.", join.place)
    mark = join.mark
    assert mark is not None

    def of_right(expr: Expr) -> Expr:
        return ColumnOfRight(mark, expr)

    scenarios = {}
    for scenario in Scenario:
        left_rows, right_rows = left.scenarios[scenario], right.scenarios[scenario]
        values = dict(left_rows.values)
        for (expr, level), value in right_rows.values.items():
            values[of_right(expr), 0] = of_right(value)
            values.setdefault((expr, level), of_right(value))
        other = of_right(right_rows.after)
        present = both(left_rows.present, of_right(right_rows.present) if right_rows.present is not None else None)
        if is_empty(scenario):
            present = both(present, left_rows.after, other)
        scenarios[scenario] = ScenarioRows(_after(join, left_rows.after, other, moment), values, present)
    if left.scenarios[Scenario.RESTARTED].values or right.scenarios[Scenario.RESTARTED].values:
        for condition in join.conditions:
            if any(rows.rewritten(condition) != condition for rows in scenarios.values()):
                raise NotLowerable("The condition of this join is not the same after a restart.", condition.place)
    plan = ScenarioPlan(
        join.with_inputs((left.operator, right.operator)),
        scenarios,
        affected=scenarios[Scenario.EXPECTED].after,
    )
    if isinstance(join, WindowJoin):
        depth = _depth(join)
        return replace(plan, window=depth, recovers=True, at=WindowField(WindowPart.END, depth))
    if left.at is None or right.at is None:
        return plan
    return replace(plan, at=Call("GREATEST", (on_clock(left.at), on_clock(of_right(right.at)))))


def _after(join: Join, left: Expr, right: Expr, moment: Moment) -> Expr:
    """The condition that a result comes out after the restart; ``left`` and ``right`` are those of its rows."""
    match join:
        case WindowJoin():
            return moment.ends_later(_depth(join))
        case TemporalJoin():
            return moment.held_back(join.as_of, left)
    return any_of([certainly(left), certainly(right)])


def _depth(join: WindowJoin) -> int:
    """The number of the window of the left input."""
    windows = (WindowTableFunction, GroupWindowAggregate)
    return next(below.depth for below in join.left.walk() if isinstance(below, windows))
