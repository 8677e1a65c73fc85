"""ORDER BY with LIMIT, and the order of rows of equal sort keys among groups that change."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from pyspark.sql import Column

from keepstate.plan.expressions import AggregateCall, Expr, Literal
from keepstate.plan.metadata.changelog import updates
from keepstate.plan.operators import Aggregate, Calc, Limit, Operator
from keepstate_spark.lowering.frames import NamedFrame
from keepstate_spark.lowering.lowering_context import Lowering
from keepstate_spark.lowering.refusals import NotLowerable, script_text
from keepstate_spark.lowering.spark_columns import whole
from keepstate_spark.lowering.windows.last_changes import counts_all
from keepstate_spark.lowering.windows.tied_rows import SortedRows


def ordered_by_changes(operator: Operator, order: Iterable[Expr], lowering: Lowering) -> NamedFrame:
    """The rows of ``operator``, its input, with an order of arrival for groups that are sorted by ``order``, if it is
    known: on streams Flink puts a row behind those of equal sort keys whenever its own one changes.
    """
    frame = lowering.of(operator, replace(lowering, orders_changes=lowering.streams))
    below = operator
    while isinstance(below, Calc):
        below = below.input
    if frame.arrival or not frame.last_changes or not isinstance(below, Aggregate):
        return frame
    sort_calls = [node for key in order for node in key.walk() if isinstance(node, AggregateCall)]
    is_known = not below.aggregates or any(map(counts_all, sort_calls))
    return replace(frame, arrival=frame.last_changes) if is_known else frame


def without_changes(frame: NamedFrame) -> NamedFrame:
    """``frame`` without the order of ``ordered_by_changes``, which holds for one operator."""
    return replace(frame, arrival=(), last_changes=()) if frame.last_changes else frame


def limited(limit: Limit, lowering: Lowering) -> NamedFrame:
    """The rows of ORDER BY and LIMIT, of either or both."""
    if lowering.streams and not limit.order and updates(limit.input, frozenset()):
        raise NotLowerable("Which of rows that change a LIMIT without ORDER BY leaves is not certain.", limit.place)
    frame = ordered_by_changes(limit.input, limit.order, lowering)
    # With a limit, Flink's batch job compares numbers and not their bytes.
    is_whole = limit.offset is None and limit.fetch is None
    keys = lowering.order(frame, limit.order, signed=is_whole, sorts_all=is_whole)
    start = _count(limit.offset) if limit.offset is not None else 0
    end = start + _count(limit.fetch) if limit.fetch is not None else None
    if lowering.streams and keys and (start or end is not None):

        def crosses(number: Column, first: Column) -> Column:
            ends = [(first <= whole(bound)) & (number > whole(bound)) for bound in (start, end) if bound]
            return ends[0] | ends[-1]

        SortedRows(limit, frame, (), [], keys, limit.place).in_order(lowering, crosses)
    rows = frame.rows.orderBy(*(key.column for key in keys)) if keys else frame.rows
    if start:
        rows = rows.offset(start)
    if end is not None:
        rows = rows.limit(end - start)
    return without_changes(replace(frame, rows=rows))


def _count(expr: Expr) -> int:
    if isinstance(expr, Literal) and expr.type == "NUMBER" and expr.value.isdecimal():
        return int(expr.value)
    raise NotLowerable(f"{script_text(expr)} is no constant number of rows.", expr.place)
