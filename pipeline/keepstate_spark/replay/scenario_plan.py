"""Operators of a plan with their rows in all scenarios of a restart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from keepstate.plan.expressions import Call, Expr, Literal, WindowField, WindowPart
from keepstate.plan.operators import Calc, Operator, Rank, TableSourceScan
from keepstate.plan.predicates import any_of
from keepstate_spark.replay.scenarios import Scenario, ScenarioRows, certainly


@dataclass(frozen=True)
class Moment:
    """A restart.

    ``arrival`` gives the time at which a row of a scan comes, ``after`` the condition that this is after the restart.
    ``closed`` is the time on the wall clock up to which windows are closed: windows that end later are open.
    ``latest_begin`` is the time of the restart on that clock, if no row comes before its time: windows that begin
    later have no rows in the state. ``times`` are the columns with a watermark.
    """

    arrival: Callable[[TableSourceScan], Expr]
    after: Callable[[TableSourceScan], Expr]
    closed: Expr
    latest_begin: Expr | None
    times: frozenset[Expr]

    def ends_later(self, depth: int) -> Expr:
        """The condition that a window is open."""
        return Call("<", (self.closed, WindowField(WindowPart.END, depth)))

    def held_back(self, time: Expr | None, after: Expr) -> Expr:
        """The condition that a row leaves an operator after the restart, which it does when the watermark has passed
        its ``time``. ``after`` is the condition that it came after the restart; it decides for a processing time.
        """
        is_event_time = isinstance(time, WindowField) and time.part is WindowPart.TIME
        if time is None or not (is_event_time or time in self.times):
            return after
        return any_of([certainly(after), certainly(Call("<=", (self.closed, on_clock(time))))])


@dataclass(frozen=True)
class ScenarioPlan:
    """An operator whose output distinguishes all scenarios.

    ``affected`` are the results that the state contributes to: those open at the restart, or computed from the state
    afterwards. ``keys`` name a result. ``window`` is the number of the window that ends when a result is complete.
    ``changing`` is true for results that are retracted, ``ranked`` for results with a place in an order, ``recovers``
    for wrong results that come to an end.
    """

    operator: Operator
    scenarios: Mapping[Scenario, ScenarioRows]
    keys: tuple[Expr, ...] = ()
    affected: Expr | None = None
    window: int | None = None
    changing: bool = False
    ranked: bool = False
    recovers: bool = False
    at: Expr | None = None
    """Time at which a result comes out: at the end of its window, or with a row. A result that continues to change
    comes out with its first change after the restart.
    """

    def mapped(self, operator: Operator, step: Callable[[Scenario, ScenarioRows], ScenarioRows]) -> ScenarioPlan:
        return replace(
            self,
            operator=operator,
            scenarios={scenario: step(scenario, rows) for scenario, rows in self.scenarios.items()},
        )


def on_clock(time: Expr) -> Expr:
    """Return a time as one of the wall clock, of either type."""
    return Call("CAST", (time, Literal("TIMESTAMP(3)", "TYPE")))


def candidates(rank: Rank, rows: Operator, flags: Iterable[Expr | None], depth: int) -> Operator:
    """Return those of ``rows``, the input of ``rank``, that may be in its range in any scenario: the first ones of each
    partition and of each combination of ``flags``, which say in which scenarios a row is there. ``depth`` is an unused
    one.

    All rows in front of such a row are such rows as well, so that ranks do not change. Where a partition has a row for
    which one of ``flags`` is true, such a row is left. Only rows of one table have an order of arrival.
    """
    below = rank.input
    while isinstance(below, Calc):
        below = below.input
    if rank.function != "ROW_NUMBER" or rank.range is None or rank.range.end is None:
        return rows
    if not isinstance(below, TableSourceScan):
        return rows
    apart = tuple(dict.fromkeys(flag for flag in flags if flag is not None))
    first = replace(rank, input=rows, partition=(*rank.partition, *apart), depth=depth)
    return Calc(first, (Call("<=", (first.rank_number, Literal(str(rank.range.end), "NUMBER"))),))
