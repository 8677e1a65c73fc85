"""Aggregates over OVER windows."""

from __future__ import annotations

from dataclasses import field

from keepstate.plan.expressions import AggregateCall, Expr, Frame, OverCall
from keepstate.plan.operators.base import KEPT_SORTED, UnaryOperator
from keepstate.plan.provenance import Place
from keepstate.value_class import value_class


@value_class(frozen=True)
class OverAggregate(UnaryOperator):
    """The aggregates over one OVER window. Each row comes out as it came in, with their results behind it.

    ``partition`` is a set kept sorted. ``row`` are the columns of the input row that anything reads, in the order in
    which they reach the operator; until refinement they are those of its select list. ``depth`` counts the OVER windows
    from the source on. Of several windows in one query (which Flink refuses on streams) each is an operator.
    """

    partition: tuple[Expr, ...] = field(metadata=KEPT_SORTED)
    order: tuple[Expr, ...]
    frame: Frame
    aggregates: tuple[AggregateCall, ...]
    row: tuple[Expr, ...] = ()
    depth: int = 1
    calls: tuple[OverCall, ...] = field(default=(), compare=False, repr=False)
    """The calls as they are written, each with the places of its window's clauses."""
    select_place: Place | None = field(default=None, compare=False, repr=False)
    unread: tuple[AggregateCall, ...] = field(default=(), compare=False, repr=False)
    """Aggregates that the query names but nothing reads: the planner drops them."""

    @property
    def stateful(self) -> bool:
        return True
