"""Scenarios that a replay compares, and the rows of a plan in each of them.

A restart divides the rows of a job: rows from before it live on in the state, if the state is reused, and only later
rows are read again. So an aggregate in a scenario without state is the same aggregate with a FILTER. One plan with the
aggregates of all scenarios side by side reads and shuffles its rows once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

from keepstate.plan.expressions import AggregateCall, Call, Expr, Literal
from keepstate.plan.predicates import TRUE, all_of

FALSE = Literal("FALSE", "BOOLEAN")


class Scenario(Enum):
    """Scenario of a restart. The value is the name of the scenario in columns of results."""

    EXPECTED = "expected"
    """The current query had always been running."""
    RESTARTED = "restarted"
    """The restart with the reused state, according to the verdict."""
    WITHOUT_STATE = "without_state"
    """The restart without any state."""


Leveled = tuple[Expr, int]
"""An expression, with its level if it is an aggregate: COUNT(*) of a query is not that of a query below."""


def leveled(expr: Expr) -> Leveled:
    return expr, expr.level if isinstance(expr, AggregateCall) else 0


@dataclass(frozen=True)
class ScenarioRows:
    """The rows of one operator in one scenario.

    ``values`` are the results that differ between scenarios, as this scenario has them. A row exists in the scenario if
    ``present`` is true (``None``: every row does). ``after`` is true for rows that reach the operators above after the
    restart.
    """

    after: Expr
    values: Mapping[Leveled, Expr] = field(default_factory=dict)
    present: Expr | None = None

    def rewritten(self, expr: Expr) -> Expr:
        """``expr`` with the values that this scenario has."""
        value = self.values.get(leveled(expr))
        if value is not None:
            return value
        children = expr.children()
        new_children = tuple(map(self.rewritten, children))
        same = all(before is after for before, after in zip(children, new_children, strict=True))
        return expr if same else expr.with_children(new_children)

    def holding(self, values: Mapping[Leveled, Expr], present: Expr | None, after: Expr) -> ScenarioRows:
        """Return the rows of an operator that passes its input on, and adds ``values``."""
        return ScenarioRows(after, {**self.values, **values}, present)


def both(*conditions: Expr | None) -> Expr | None:
    """All of ``conditions``; ``None`` stands for one that is always true."""
    condition = all_of([condition for condition in conditions if condition is not None])
    return None if condition == TRUE else condition


def filtered(call: Expr, *conditions: Expr | None) -> AggregateCall:
    """The aggregate ``call`` over the rows for which all of ``conditions`` are true as well."""
    assert isinstance(call, AggregateCall)
    return replace(call, filter=both(call.filter, *conditions), place=call.place)


def count(condition: Expr | None, level: int) -> AggregateCall:
    return AggregateCall("COUNT", filter=condition, level=level)


def some(condition: Expr | None, level: int) -> tuple[AggregateCall, Expr]:
    """The aggregate that counts the rows for which ``condition`` is true, and the condition that there are any."""
    call = count(condition, level)
    return call, Call("<", (Literal("0", "NUMBER"), call))


def certainly(condition: Expr) -> Expr:
    """``condition``, false where it is NULL."""
    return Call("COALESCE", (condition, FALSE))


def not_yet(after: Expr) -> Expr:
    """Return the condition that a row came before the restart. A row with an unknown time did."""
    return Call("NOT", (certainly(after),))


def unique(calls: Iterable[AggregateCall]) -> tuple[AggregateCall, ...]:
    return tuple(dict.fromkeys(calls))
