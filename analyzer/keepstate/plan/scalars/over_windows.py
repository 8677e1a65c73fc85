"""OVER windows: the meaning of a call over a window, and the operators that a query's calls become."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from sqlglot import exp

from keepstate.plan.expressions import (
    CURRENT_ROW,
    AggregateCall,
    Expr,
    Frame,
    FrameBound,
    Literal,
    Ordering,
    OverCall,
    RankNumber,
    sort_key,
)
from keepstate.plan.hashed_value import with_fields
from keepstate.plan.operators import Operator, OverAggregate
from keepstate.plan.provenance import Place
from keepstate.plan.scalars.name_scope import Field, Relation, sealed
from keepstate.plan.simplification.nullability import never_null

_NUMBERED_ROWS = Frame("ROWS")
"""The frame of ROW_NUMBER, which may not be given one."""


class OperandLowering(Protocol):
    """The lowering of the expressions around a call."""

    named_windows: dict[str, exp.Window]

    def lower(self, node: exp.Expression) -> Expr: ...

    def operand(self, node: exp.Expression) -> Expr: ...

    def orderings(self, order: exp.Expression | None) -> tuple[Ordering, ...]: ...

    def place(self, node: exp.Expression) -> Place: ...

    def from_keyword(self, word: str, first: exp.Expression, last: exp.Expression) -> Place: ...


def over_call(node: exp.Window, call: Expr, scalars: OperandLowering) -> OverCall:
    """``call`` over the window of ``node``, which may name one of the WINDOW clause or build on it."""
    keys: list[exp.Expression] = _clause(node, "partition_by", scalars.named_windows) or []
    order: exp.Expression | None = _clause(node, "order", scalars.named_windows)
    frame: exp.Expression | None = _clause(node, "spec", scalars.named_windows)
    default = _NUMBERED_ROWS if isinstance(call, RankNumber) and call.function == "ROW_NUMBER" else Frame()
    partition = dict.fromkeys(map(scalars.operand, keys))
    return OverCall(
        _without_defaults(call),
        # A constant parts nothing; the planner leaves it out.
        tuple(sorted((key for key in partition if not isinstance(key, Literal)), key=sort_key)),
        _ordering(scalars.orderings(order), call),
        _frame(frame, scalars) if frame is not None else default,
        place=scalars.place(node),
        partition_place=scalars.from_keyword("PARTITION", keys[0], keys[-1]) if keys else None,
        order_place=scalars.place(order) if order is not None else None,
    )


def _ordering(order: tuple[Ordering, ...], call: Expr) -> tuple[Ordering, ...]:
    """The order of a window. A constant ranks nothing: the planner leaves it out beside other keys."""
    if not isinstance(call, RankNumber):
        return order
    return tuple(key for key in order if not isinstance(key.expr, Literal)) or order


def over_aggregated(relation: Relation, calls: Iterable[OverCall], select: Place) -> Relation:
    """The relation behind an OverAggregate for each window of ``calls``, with results in their place."""
    by_window: dict[tuple[object, ...], list[OverCall]] = {}
    for call in calls:
        by_window.setdefault((call.partition, call.order, call.frame), []).append(call)
    depth = over_depth(relation.input)
    row = tuple(column.expr for column in relation.fields)
    for window in sorted(by_window, key=repr):
        depth += 1
        window_calls = by_window[window]
        results = {call: _result(call, depth, relation.fields) for call in window_calls}
        first = window_calls[0]
        operator = OverAggregate(
            sealed(relation),
            first.partition,
            first.order,
            first.frame,
            tuple(dict.fromkeys(results.values())),
            tuple(_with_results(expr, results) for expr in row),
            depth,
            tuple(window_calls),
            select,
            place=first.place,
        )
        fields = tuple(_behind(column, results) for column in relation.fields)
        row = operator.row
        relation = with_fields(relation, input=operator, fields=fields, filters=(), filtered_row=())
    return relation


def with_select_list(relation: Relation) -> Relation:
    """``relation`` with its columns in place of the select list of the OVER windows right below it: the planner merges
    two projections, and drops what only the lower one lists.
    """
    if not isinstance(relation.input, OverAggregate) or relation.filters:
        return relation
    row = tuple(column.expr for column in relation.fields)
    return with_fields(relation, input=with_fields(relation.input, row=row))


def is_taken_apart(call: AggregateCall) -> bool:
    """Return whether the planner makes an expression of calls and constants of a call (``SUM`` of no rows is NULL).

    >>> query = "SELECT {} OVER (PARTITION BY buyer ORDER BY rowtime) FROM orders"
    >>> [is_taken_apart(*root(query.format(call)).aggregates) for call in ("SUM(price)", "MAX(price)", "AVG(price)")]
    [True, False, True]
    """
    return call.function not in _WHOLE and not (call.function == "SUM" and all(map(never_null, call.args)))


_WHOLE = frozenset("COUNT MIN MAX FIRST_VALUE LAST_VALUE LAG LEAD ROW_NUMBER RANK DENSE_RANK NTILE".split())


def with_results(expr: Expr, relation: Relation) -> Expr:
    """``expr`` with the results of the OVER windows right below ``relation`` for the calls in it."""
    operator = relation.input
    while isinstance(operator, OverAggregate):
        expr = _with_results(expr, {call: _result(call, operator.depth, ()) for call in operator.calls})
        operator = operator.input
    return expr


def over_depth(operator: Operator) -> int:
    """Return the number of OVER windows between the sources and ``operator``, ``operator`` included."""
    below = max((over_depth(child) for child in operator.inputs), default=0)
    return below + 1 if isinstance(operator, OverAggregate) else below


def _clause(node: exp.Window, name: str, windows: dict[str, exp.Window], seen: frozenset[str] = frozenset()) -> Any:
    """A clause of a window, its own or that of the window it is built on."""
    own = node.args.get(name)
    base = node.args.get("alias")
    if own or base is None or base.name not in windows or base.name in seen:
        return own
    return _clause(windows[base.name], name, windows, seen | {base.name})


def _without_defaults(call: Expr) -> Expr:
    """Drop the default offset of LAG and LEAD, one row."""
    if not isinstance(call, AggregateCall) or call.function not in ("LAG", "LEAD") or len(call.args) != 2:
        return call
    value, offset = call.args
    return with_fields(call, args=(value,)) if isinstance(offset, Literal) and offset.value == "1" else call


def _frame(node: exp.Expression, scalars: OperandLowering) -> Frame:
    start = _bound(node, "start", scalars)
    end = _bound(node, "end", scalars) if node.args.get("end") is not None else FrameBound(CURRENT_ROW)
    exclude = str(node.args.get("exclude") or "")
    return Frame(
        str(node.args["kind"]), start, end, exclude if exclude != "NO OTHERS" else "", place=scalars.place(node)
    )


def _bound(node: exp.Expression, which: str, scalars: OperandLowering) -> FrameBound:
    value = node.args[which]
    if value == CURRENT_ROW:
        return FrameBound(CURRENT_ROW)
    side = str(node.args[f"{which}_side"])
    return FrameBound(side, scalars.lower(value) if isinstance(value, exp.Expression) else None)


def _result(call: OverCall, depth: int, fields: tuple[Field, ...]) -> AggregateCall:
    """Return the result of a call behind the window. ``fields`` give its name."""
    item = next((column for column in fields if column.expr == call), None)
    name, place = (item.name, item.item) if item is not None else (None, None)
    aggregate = call.call
    if not isinstance(aggregate, AggregateCall):
        aggregate = AggregateCall(aggregate.function if isinstance(aggregate, RankNumber) else str(aggregate))
    return with_fields(aggregate, over=depth, place=call.place, alias=name, item=place)


def _with_results(expr: Expr, results: dict[OverCall, AggregateCall]) -> Expr:
    def step(node: Expr) -> Expr:
        result = results.get(node) if isinstance(node, OverCall) else None
        if result is None:
            return node
        assert isinstance(node, OverCall)
        # The operands keep the places of their own text: an equal call may be written in another way.
        args = node.call.args if isinstance(node.call, AggregateCall) else result.args
        return with_fields(result, args=args, place=node.place, via=node.via)

    return expr.rewrite(step)


def _behind(column: Field, results: dict[OverCall, AggregateCall]) -> Field:
    alone = isinstance(column.expr, OverCall) and column.expr in results and not column.expr.via
    expr = _with_results(column.expr, results)
    # A lone aggregate is shown by itself, anything else by its select item.
    return with_fields(column, expr=expr, item=expr.place if alone else column.item)
