"""Sorting and limiting."""

from __future__ import annotations

from dataclasses import field

from keepstate.plan.expressions import Expr, Ordering
from keepstate.plan.operators.base import UnaryOperator
from keepstate.plan.provenance import Place
from keepstate.value_class import value_class


@value_class(frozen=True)
class TemporalSort(UnaryOperator):
    """ORDER BY without LIMIT; with a time attribute first it holds rows until their time has come.

    ``row`` are the columns of its input in order, sort keys included. A sort by a processing time (``proctime``) and
    nothing else passes rows on at once and has no row to keep.
    """

    order: tuple[Ordering, ...]
    row: tuple[Expr, ...] = ()
    proctime: bool = False

    @property
    def stateful(self) -> bool:
        return not self.proctime or len(self.order) > 1


@value_class(frozen=True)
class Limit(UnaryOperator):
    """LIMIT and OFFSET: the first rows that come, or the first by ``order`` (Flink's SortLimit).

    ``row`` are the columns of its input in order. Each clause has its own place.
    """

    fetch: Expr | None
    offset: Expr | None = None
    order: tuple[Ordering, ...] = ()
    row: tuple[Expr, ...] = ()
    fetch_place: Place | None = field(default=None, compare=False, repr=False)
    offset_place: Place | None = field(default=None, compare=False, repr=False)
    order_place: Place | None = field(default=None, compare=False, repr=False)

    @property
    def stateful(self) -> bool:
        return True

    @property
    def title(self) -> str:
        return "SortLimit" if self.order else "Limit"
