"""A plan divided by a restart: what is known of an operator in all scenarios."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from keepstate.plan.expressions import Call, Expr, Literal
from keepstate.plan.operators import Operator, TableSourceScan
from keepstate_spark.replay.scenarios import Rows, Scenario


@dataclass(frozen=True)
class Moment:
    """A restart. ``arrival`` tells of a scan when a row comes, ``after`` the condition that this is after the restart.
    ``closed`` is the time on the wall clock up to which windows are closed: those that end later are open. ``begun`` is
    the time of the restart on that clock, if no row comes before its time: windows that begin later have nothing in the
    state.
    """

    arrival: Callable[[TableSourceScan], Expr]
    after: Callable[[TableSourceScan], Expr]
    closed: Expr
    begun: Expr | None


@dataclass(frozen=True)
class ScenarioPlan:
    """An operator over which all scenarios are told apart.

    ``affected`` are the results that the state has to do with: what was open, or is computed on, at the restart;
    ``keys`` name a result. ``window`` is the number of the window that ends when a result is complete. ``changing``
    tells that results are taken back, ``ranked`` that they have places in an order, ``recovers`` that what is wrong comes
    to an end.
    """

    operator: Operator
    scenarios: Mapping[Scenario, Rows]
    keys: tuple[Expr, ...] = ()
    affected: Expr | None = None
    window: int | None = None
    changing: bool = False
    ranked: bool = False
    recovers: bool = False
    at: Expr | None = None
    """When a result comes out: at the end of its window, or with a row. Of a result that goes on changing, when it does
    so for the first time after the restart.
    """

    def mapped(self, operator: Operator, step: Callable[[Scenario, Rows], Rows]) -> ScenarioPlan:
        return replace(
            self,
            operator=operator,
            scenarios={scenario: step(scenario, rows) for scenario, rows in self.scenarios.items()},
        )


def on_clock(time: Expr) -> Expr:
    """A time as one of the wall clock, whatever it is."""
    return Call("CAST", (time, Literal("TIMESTAMP(3)", "TYPE")))
