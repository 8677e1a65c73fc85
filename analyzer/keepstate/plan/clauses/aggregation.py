"""Aggregate queries: when a SELECT is one, and which operator it becomes."""

from __future__ import annotations

from sqlglot import exp

from keepstate.plan.clauses.grouping import GroupKeys
from keepstate.plan.expressions import AggregateCall
from keepstate.plan.hashed_value import own_fields, with_fields
from keepstate.plan.names.full_names import function_name
from keepstate.plan.operators import Aggregate, GroupAggregate, GroupWindowAggregate, Operator, Window, WindowAggregate
from keepstate.plan.operators.window_properties import bears_windows
from keepstate.plan.scalars.name_scope import Source, sealed
from keepstate.plan.types.builtin_functions import AGGREGATES


def aggregate_operator(source: Source, grouped: GroupKeys, depth: int, calls: tuple[AggregateCall, ...]) -> Aggregate:
    """The operator of an aggregation with ``calls``, in the order in which the query names them."""
    window = source.window if source.window is not None and bears_windows(source.input) else None
    plain = GroupAggregate(
        sealed(source),
        grouped.keys,
        tuple(dict.fromkeys(calls)),
        translated=tuple({(call, call.operands): call for call in calls}.values()),
        grouping=grouped.grouping,
        elements=grouped.elements,
        doubled=grouped.doubled,
        window=window,
        depth=depth,
    )
    if grouped.window is not None:
        return GroupWindowAggregate(**{**own_fields(plain), "window": grouped.window})
    if plain.counts_rows:
        plain = with_fields(plain, counted_row=source.row)
    return by_windows(plain, window, depth)


def by_windows(plain: GroupAggregate, window: Window | None, depth: int) -> Aggregate:
    """An aggregation over rows in ``window``, at ``depth``: one of windows if both of its ends are among the keys."""
    if window is None or not plain.groups_by_window(depth):
        return plain
    return WindowAggregate(**{**own_fields(plain), "window": window, "depth": depth})


def aggregation_depth(operator: Operator) -> int:
    """Return the number of aggregations between the sources and ``operator``, ``operator`` included."""
    below = max((aggregation_depth(child) for child in operator.inputs), default=0)
    return below + 1 if isinstance(operator, Aggregate) else below


def aggregates_without_keys(node: exp.Select) -> bool:
    """Return whether a SELECT without GROUP BY aggregates nevertheless."""
    roots = [*node.expressions, *([node.args["having"]] if node.args.get("having") is not None else [])]
    return any(_holds_aggregate(root) for root in roots)


def _holds_aggregate(node: exp.Expression) -> bool:
    if isinstance(node, (exp.Window, exp.Select, exp.SetOperation, exp.Subquery)):
        return False
    if isinstance(node, exp.Filter) or (isinstance(node, exp.Anonymous) and function_name(node) in AGGREGATES):
        return True
    return any(_holds_aggregate(child) for child in node.iter_expressions())
