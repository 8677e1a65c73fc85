"""Joins of two inputs."""

from __future__ import annotations

from dataclasses import field

from keepstate.plan.catalog import Option
from keepstate.plan.expressions import Expr, Literal
from keepstate.plan.hashed_value import with_fields
from keepstate.plan.operators.base import KEPT_SORTED, Operator
from keepstate.plan.provenance import Place
from keepstate.value_class import value_class


@value_class(frozen=True)
class Join(Operator):
    """A regular join: keeps the rows of both inputs.

    ``kind`` is inner, left, right or full; for a query inside of an expression it is semi (IN, EXISTS), anti (their
    negations) or scalar (any other). ``conditions`` have no order. ``left_row`` and ``right_row`` are the stored
    columns of either input, in the order in which they reach the join. Expressions of the right input bear ``mark``
    where they would otherwise equal expressions of the left one; within the right input they do not.
    """

    left: Operator
    right: Operator
    kind: str
    conditions: tuple[Expr, ...] = field(default=(), metadata=KEPT_SORTED)
    left_row: tuple[Expr, ...] = ()
    right_row: tuple[Expr, ...] = ()
    left_fields: tuple[Expr, ...] = field(default=(), compare=False, repr=False)
    """All columns that the left input gives, read or not, as far as the script declares them."""
    right_fields: tuple[Expr, ...] = field(default=(), compare=False, repr=False)
    mark: Literal | None = field(default=None, compare=False, repr=False)
    kind_place: Place | None = field(default=None, compare=False, repr=False)
    """Words that determine the kind: ``LEFT JOIN``, or the condition of WHERE that makes an inner join of it."""
    merge_hint: Option | None = field(default=None, compare=False, repr=False)
    """The MULTI_JOIN hint that names one of its inputs: one operator then does all such joins."""
    subquery: Expr | None = field(default=None, compare=False, repr=False)
    """The query inside of an expression whose answer the join gives, as expressions above it write it."""
    constants: frozenset[Expr] = field(default=frozenset(), compare=False, repr=False)
    """Columns that conditions equate with constants, which the planner writes above the join."""
    drops_unmatched: bool = field(default=False, repr=False)
    """A condition removes the rows for which the query in an expression has no value."""

    @property
    def kind_in_plan(self) -> str:
        """``kind`` as Flink's plan has it: a scalar join is a left or an inner one."""
        if self.kind != "scalar":
            return self.kind
        return "inner" if self.drops_unmatched else "left"

    @property
    def outer_input(self) -> Operator | None:
        """The input of a LEFT or RIGHT JOIN that gives all of its rows."""
        return {"left": self.left, "right": self.right}.get(self.kind_in_plan)

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return (self.left, self.right)

    def with_inputs(self, inputs: tuple[Operator, ...]) -> Operator:
        return with_fields(self, left=inputs[0], right=inputs[1])

    @property
    def stateful(self) -> bool:
        return True


@value_class(frozen=True)
class IntervalJoin(Join):
    """A join whose condition bounds the time attributes of both sides against each other: ``left_time`` minus
    ``right_time`` is from ``lower`` to ``upper``, both inclusive.
    """

    left_time: Expr = field(kw_only=True)
    right_time: Expr = field(kw_only=True)
    lower: Literal = field(kw_only=True)
    upper: Literal = field(kw_only=True)
    time_conditions: tuple[Expr, ...] = field(default=(), compare=False, repr=False, kw_only=True)
    """Comparisons that bound the times; they are not among ``conditions``."""


@value_class(frozen=True)
class WindowJoin(Join):
    """A join on both window fields of its inputs; the equations of these are not among ``conditions``."""

    window_conditions: tuple[Expr, ...] = field(default=(), compare=False, repr=False, kw_only=True)


@value_class(frozen=True)
class TemporalJoin(Join):
    """FOR SYSTEM_TIME AS OF the time attribute of the left side, against a versioned table."""

    as_of: Expr | None = None
    as_of_place: Place | None = field(default=None, compare=False, repr=False)
    """The clause ``FOR SYSTEM_TIME AS OF`` with its expression."""


@value_class(frozen=True)
class LookupJoin(TemporalJoin):
    """FOR SYSTEM_TIME AS OF a processing time: reads an external table, and keeps no state by default. ``options`` are
    those of its LOOKUP hint.
    """

    options: tuple[Option, ...] = field(default=(), compare=False, repr=False)

    @property
    def stateful(self) -> bool:
        return False
