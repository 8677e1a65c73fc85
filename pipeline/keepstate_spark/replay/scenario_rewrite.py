"""Divides a plan by a restart: the same operators, with the results of all scenarios side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from keepstate.plan.expressions import (
    AggregateCall,
    Call,
    Expr,
    Frame,
    Literal,
    RankNumber,
    WindowField,
    WindowPart,
    holds_window_field,
)
from keepstate.plan.operators import (
    Aggregate,
    Calc,
    Correlate,
    GroupWindowAggregate,
    Join,
    Limit,
    LookupJoin,
    Match,
    Operator,
    OverAggregate,
    Rank,
    SetOperation,
    TableSourceScan,
    TemporalSort,
    Union,
    Unsupported,
    Values,
    WindowAggregate,
    WindowJoin,
    WindowKind,
    WindowTableFunction,
    any_operator,
    unhandled,
)
from keepstate.plan.predicates import all_of, any_of
from keepstate.plan.references import united
from keepstate.restart_effects import QueryRestart, StateUse
from keepstate_spark.lowering.edges.frame_bounds import sort_expr
from keepstate_spark.lowering.refusals import NotLowerable
from keepstate_spark.replay.scenario_joins import join_plan, refuse_kind
from keepstate_spark.replay.scenario_plan import Moment, ScenarioPlan, candidates, on_clock
from keepstate_spark.replay.scenarios import (
    FALSE,
    Leveled,
    Scenario,
    ScenarioRows,
    both,
    count,
    filtered,
    leveled,
    not_yet,
    some,
    unique,
)

_APART = 1000
"""Far from all numbers of ranks and OVER windows that a query has."""


class ScenarioRewrite:
    """Divides the plan of one query by ``moment``."""

    def __init__(self, restart: QueryRestart, moment: Moment, plan_conditions: tuple[Expr, ...] | None) -> None:
        self._restart = restart
        self._moment = moment
        self._mixed = restart.former_conditions is not None and restart.use in (StateUse.REUSED, StateUse.OPEN)
        self._conditions = plan_conditions or ()

    def of(self, operator: Operator, closed: bool = False) -> ScenarioPlan:
        """Return ``operator``, rewritten into scenarios. With ``closed``, windows that were closed at the restart are
        included.

        Raises ``NotLowerable`` for an operator whose scenarios do not follow from single rows.
        """
        operator = any_operator(operator)
        match operator:
            case TableSourceScan():
                return self._scan(operator)
            case Values():
                return ScenarioPlan(operator, dict.fromkeys(Scenario, ScenarioRows(FALSE)))
            case Calc():
                return self._calc(operator, closed)
            case WindowTableFunction():
                return self._assigned(operator, closed)
            case Aggregate():
                return self._aggregate(operator, closed)
            case Rank():
                return self._rank(operator, closed)
            case OverAggregate():
                return self._over(operator)
            case Join():
                return self._join(operator, closed)
            case Union():
                return self._union(operator)
            case TemporalSort():
                return self._sorted(operator)
            case Correlate():
                below = self.of(operator.input, closed)
                return replace(below, operator=operator.with_inputs((below.operator,)))
            case Limit() | Match() | SetOperation() | Unsupported():
                message = f"What a restart does to a {operator.title} cannot be told of single rows."
                raise NotLowerable(message, operator.place)
            case other:
                unhandled(other)

    def _empty(self, scenario: Scenario) -> bool:
        """Return whether operators start without state in ``scenario``."""
        is_lost = self._restart.use in (StateUse.LOST, StateUse.MISREAD)
        return scenario is Scenario.WITHOUT_STATE or (scenario is Scenario.RESTARTED and is_lost)

    def _fresh(self, scenario: Scenario, call: AggregateCall) -> bool:
        """Return whether an aggregate starts without state in ``scenario``."""
        return self._empty(scenario) or (scenario is Scenario.RESTARTED and (call, call.level) in self._restart.fresh)

    def _scan(self, scan: TableSourceScan) -> ScenarioPlan:
        after, arrival = self._moment.after(scan), self._moment.arrival(scan)
        if not self._mixed:
            return ScenarioPlan(scan, dict.fromkeys(Scenario, ScenarioRows(after)), at=arrival)
        now, former = (all_of(list(side)) for side in (self._conditions, self._restart.former_conditions or ()))
        if any(map(holds_window_field, (now, former))):
            raise NotLowerable("What a restart does to rows with another filter on windows cannot be told.", scan.place)
        restarted = any_of([all_of([now, after]), all_of([former, not_yet(after)])])
        scenarios = {scenario: ScenarioRows(after, present=both(now)) for scenario in Scenario}
        scenarios[Scenario.RESTARTED] = ScenarioRows(after, present=both(restarted))
        return ScenarioPlan(Calc(scan, (any_of([now, former]),)), scenarios, at=arrival)

    def _calc(self, calc: Calc, closed: bool) -> ScenarioPlan:
        below = self.of(calc.input, closed)
        if self._mixed and not any(operator.stateful for operator in calc.input.walk()):
            # The scan has already marked the rows that pass in each scenario.
            return below
        conditions = {
            scenario: tuple(map(rows.rewritten, calc.conditions)) for scenario, rows in below.scenarios.items()
        }
        if len(set(conditions.values())) == 1:
            return replace(below, operator=replace(calc, input=below.operator))
        return below.mapped(
            below.operator, lambda scenario, rows: replace(rows, present=both(rows.present, *conditions[scenario]))
        )

    def _assigned(self, operator: WindowTableFunction, closed: bool) -> ScenarioPlan:
        below = self.of(operator.input, closed=True)
        if below.changing:
            raise NotLowerable("Windows over changing results cannot be replayed.", operator.place)
        if any(rows.rewritten(operator.window.time) != operator.window.time for rows in below.scenarios.values()):
            raise NotLowerable("The time of this window is not the same after a restart.", operator.place)
        result: Operator = replace(operator, input=below.operator)
        if not closed:
            result = Calc(result, self._open(operator.depth))
        return replace(below, operator=result)

    def _open(self, depth: int) -> tuple[Expr, ...]:
        """Return the conditions that a window is open at the restart, and may have rows from before."""
        start = WindowField(WindowPart.START, depth)
        begun = (Call("<", (start, self._moment.latest_begin)),) if self._moment.latest_begin is not None else ()
        return (self._moment.ends_later(depth), *begun)

    def _aggregate(self, operator: Aggregate, closed: bool) -> ScenarioPlan:
        window = operator if isinstance(operator, (WindowAggregate, GroupWindowAggregate)) else None
        below = self.of(operator.input, closed or window is None)
        for key in operator.keys:
            if any(rows.rewritten(key) != key for rows in below.scenarios.values()):
                raise NotLowerable(f"The key {key} is not the same after a restart.", key.place or operator.place)
        for call in operator.aggregates:
            if below.changing and self._fresh(Scenario.RESTARTED, call) and not self._empty(Scenario.RESTARTED):
                raise NotLowerable(
                    f"{call} starts empty over results that change: what their changes make of it cannot be told of "
                    "single rows.",
                    call.place,
                )
        level = max((call.level for call in operator.aggregates), default=_level(operator))
        is_open = self._moment.ends_later(window.depth) if window is not None else None
        calls: list[AggregateCall] = []
        scenarios: dict[Scenario, ScenarioRows] = {}
        for scenario, rows in below.scenarios.items():
            survives: Expr = rows.after
            if is_open is not None and closed:
                survives = any_of([rows.after, Call("NOT", (is_open,))])
            variants = {
                leveled(call): filtered(
                    rows.rewritten(call), rows.present, survives if self._fresh(scenario, call) else None
                )
                for call in operator.aggregates
            }
            calls += variants.values()
            present, after = None, is_open
            counted = both(rows.present, survives if self._empty(scenario) else None)
            if counted is not None:
                number, present = some(counted, level)
                calls.append(number)
            if after is None:
                number, after = some(both(rows.present, rows.after), level)
                calls.append(number)
            values: dict[Leveled, Expr] = {key: call for key, call in variants.items() if call != key[0]}
            if window is not None and window.window.kind is WindowKind.SESSION and self._empty(scenario):
                if self._moment.latest_begin is None:
                    raise NotLowerable(
                        "Sessions are replayed only of rows that come at their event time: out of order, what comes "
                        "after the restart may make several sessions of one.",
                        window.window.place,
                    )
                # Without its state a session begins with the first row of after the restart.
                first = AggregateCall("MIN", (window.window.time,), filter=counted, level=level)
                calls.append(first)
                start = Call("CAST", (first, Literal("TIMESTAMP(3)", "TYPE")))
                values[leveled(WindowField(WindowPart.START, window.depth))] = start
            scenarios[scenario] = ScenarioRows(after, values, present)
        expected = below.scenarios[Scenario.EXPECTED]
        # A row that did not come after the restart came before it, whether its time is known or not. One that an
        # operator below holds back then comes after it, and is missing where that state is lost.
        apart = both(expected.after, below.scenarios[Scenario.WITHOUT_STATE].present)
        every, later = (count(both(expected.present, side), level) for side in (None, apart))
        is_held: Expr = Call("<", (later, every))
        calls += [every, later]
        if below.changing and below.affected is not None:
            # A result below that changes after the restart may be computed from rows of before.
            number, has_held = some(both(expected.present, below.affected), level)
            calls.append(number)
            is_held = any_of([is_held, has_held])
        affected, at = is_held, below.at
        if window is not None:
            at = WindowField(WindowPart.END, window.depth)
        else:
            affected = all_of([is_held, scenarios[Scenario.EXPECTED].after])
            if below.at is not None:
                at = AggregateCall("MIN", (below.at,), filter=both(expected.present, expected.after), level=level)
                calls.append(at)
        result: Operator = replace(operator, input=below.operator, aggregates=unique(calls))
        if isinstance(window, GroupWindowAggregate) and not closed:
            result = Calc(result, self._open(window.depth))
        return ScenarioPlan(
            result,
            scenarios,
            keys=tuple(dict.fromkeys((*operator.plain_keys, *operator.window_keys))),
            affected=affected,
            window=window.depth if window is not None else None,
            changing=window is None,
            recovers=window is not None,
            at=at,
        )

    def _rank(self, rank: Rank, closed: bool) -> ScenarioPlan:
        of_windows = {WindowPart.START, WindowPart.END} <= {
            key.part for key in rank.partition if isinstance(key, WindowField)
        }
        below = self.of(rank.input, closed or not of_windows)
        result: Operator = below.operator
        if of_windows and below.window is None:
            depth = next(key.depth for key in rank.partition if isinstance(key, WindowField))
            # Rows come out when their window ends, not when they come.
            below = replace(below, window=None if closed else depth, at=WindowField(WindowPart.END, depth))
        numbered: dict[tuple[object, ...], RankNumber] = {}
        scenarios = {}
        starts_again = not _aggregates_windows(rank.input)
        presence = {
            scenario: both(rows.present, rows.after if self._empty(scenario) and starts_again else None)
            for scenario, rows in below.scenarios.items()
        }
        if not of_windows:
            after = below.scenarios[Scenario.EXPECTED].after
            result = candidates(rank, result, (after, *presence.values()), rank.depth + _APART * len(Scenario))
        for scenario, rows in below.scenarios.items():
            present = presence[scenario]
            flag = (present,) if present is not None else ()
            partition = (*map(rows.rewritten, rank.partition), *flag)
            order = tuple(replace(key, expr=rows.rewritten(key.expr)) for key in rank.order)
            number = numbered.get((partition, order))
            if number is None:
                depth = rank.depth + _APART * len(numbered)
                number = numbered[partition, order] = RankNumber(rank.function, depth)
                result = replace(rank, input=result, partition=partition, order=order, depth=depth)
            values = {leveled(rank.rank_number): number}
            after = rows.after if below.window is None else self._moment.ends_later(below.window)
            ranked = rows.holding(values, present, after)
            scenarios[scenario] = replace(ranked, present=both(present, *_within(rank, number, ranked)))
        affected = below.affected if of_windows else None
        if not of_windows:
            # What a sink was sent before the restart stays there until a row of the same partition comes.
            affected_count = AggregateCall(
                "COUNT", filter=below.scenarios[Scenario.EXPECTED].after, over=_APART + rank.depth
            )
            result = OverAggregate(result, rank.partition, (), Frame(), (affected_count,), depth=_APART + rank.depth)
            affected = Call("<", (Literal("0", "NUMBER"), affected_count))
        any_scenario = any_of([rows.present or all_of([]) for rows in scenarios.values()])
        result = Calc(result, (any_scenario,))
        return replace(
            below,
            operator=result,
            scenarios=scenarios,
            keys=below.keys or rank.partition,
            affected=affected if not of_windows else None,
            changing=not of_windows,
            ranked=True,
            recovers=of_windows,
            at=below.at if of_windows else None,
        )

    def _over(self, operator: OverAggregate) -> ScenarioPlan:
        below = self.of(operator.input, closed=True)
        empty = below.scenarios[Scenario.WITHOUT_STATE]
        # Below, an operator without state has none of the rows that it held back.
        after = empty.present or empty.after
        exprs = (*operator.partition, *operator.order, *operator.aggregates)
        changing = below.changing or below.scenarios[Scenario.EXPECTED].present is not None
        for rows in below.scenarios.values():
            same = all(rows.rewritten(expr) == expr for expr in exprs) and rows.present in (None, after)
            if changing or not same:
                raise NotLowerable("OVER windows over results that change cannot be replayed.", operator.place)
        result: Operator = replace(operator, input=below.operator)
        again = {
            leveled(call): replace(call, over=call.over + _APART)
            for call in operator.aggregates
            if self._fresh(Scenario.RESTARTED, call) or self._fresh(Scenario.WITHOUT_STATE, call)
        }
        # Rows of after the restart, looked at by themselves.
        result = replace(
            operator,
            input=result,
            partition=(*operator.partition, after),
            aggregates=tuple(again.values()),
            depth=operator.depth + _APART,
        )

        time = sort_expr(operator.order[0]) if operator.order else None

        def over_rows(scenario: Scenario, rows: ScenarioRows) -> ScenarioRows:
            own = {key: value for key, value in again.items() if self._fresh(scenario, value_of(key))}
            present = after if self._empty(scenario) else None
            return rows.holding(own, present, self._moment.held_back(time, rows.after))

        bounded = operator.frame.start.offset is not None
        plan = below.mapped(result, over_rows)
        return replace(plan, affected=plan.scenarios[Scenario.EXPECTED].after, recovers=bounded)

    def _sorted(self, operator: TemporalSort) -> ScenarioPlan:
        below = self.of(operator.input, closed=True)

        def sorted_rows(scenario: Scenario, rows: ScenarioRows) -> ScenarioRows:
            present = both(rows.present, rows.after) if self._empty(scenario) else rows.present
            return rows.holding({}, present, self._moment.held_back(operator.order[0].expr, rows.after))

        plan = below.mapped(operator.with_inputs((below.operator,)), sorted_rows)
        return replace(plan, affected=plan.scenarios[Scenario.EXPECTED].after)

    def _join(self, join: Join, closed: bool) -> ScenarioPlan:
        if isinstance(join, LookupJoin):
            left = self.of(join.left, closed=True)
            return replace(left, operator=join.with_inputs((left.operator, join.right)))
        refuse_kind(join)
        left, right = (self.of(side, closed or not isinstance(join, WindowJoin)) for side in (join.left, join.right))
        plan = join_plan(join, left, right, self._moment, self._empty)
        return replace(plan, window=None) if closed else plan

    def _union(self, union: Union) -> ScenarioPlan:
        branches = [self.of(branch, closed=True) for branch in union.branches]
        if any(branch.changing for branch in branches):
            raise NotLowerable("UNION ALL of results that change cannot be replayed.", union.place)
        rows = [list(row) for row in union.rows]

        def column(exprs: Sequence[Expr]) -> Expr:
            for row, expr in zip(rows, exprs, strict=True):
                row.append(expr)
            return united(exprs)

        columns = union.columns
        cells_before = [list(row) for row in rows]
        scenarios = {}
        for scenario in Scenario:
            sides = [branch.scenarios[scenario] for branch in branches]
            values = {}
            for index, expr in enumerate(columns):
                cells = [one.rewritten(row[index]) for one, row in zip(sides, cells_before, strict=True)]
                if any(value != row[index] for value, row in zip(cells, cells_before, strict=True)):
                    values[leveled(expr)] = column(cells)
            present = None
            if any(one.present is not None for one in sides):
                present = column([one.present or all_of([]) for one in sides])
            scenarios[scenario] = ScenarioRows(column([one.after for one in sides]), values, present)
        times = [on_clock(branch.at) for branch in branches if branch.at is not None]
        at = column(times) if len(times) == len(branches) else None
        result = replace(union, branches=tuple(branch.operator for branch in branches), rows=tuple(map(tuple, rows)))
        return ScenarioPlan(result, scenarios, at=at)


def value_of(key: tuple[Expr, int]) -> AggregateCall:
    expr, _ = key
    assert isinstance(expr, AggregateCall)
    return expr


def _level(operator: Operator) -> int:
    return sum(isinstance(below, Aggregate) for below in operator.walk())


def _aggregates_windows(operator: Operator) -> bool:
    """Return whether rows of ``operator`` are results of windows, which carry their presence in each scenario."""
    while isinstance(operator, Calc):
        operator = operator.input
    return isinstance(operator, (Aggregate, Rank))


def _within(rank: Rank, number: RankNumber, rows: ScenarioRows) -> tuple[Expr, ...]:
    """Return the conditions that a row is in the range of a ranking."""
    if rank.range is None:
        return ()
    first, last = Literal(str(rank.range.start), "NUMBER"), rank.range.end
    conditions: list[Expr] = [Call("<=", (first, number))] if rank.range.start > 1 else []
    if last is not None:
        conditions.append(Call("<=", (number, Literal(str(last), "NUMBER"))))
    return (*conditions, *map(rows.rewritten, rank.range.other))
