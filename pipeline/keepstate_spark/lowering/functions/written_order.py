"""FLOAT and DOUBLE beside each other, where Flink takes the type of the operand that is written first: in sums,
products, equations and columns of UNION ALL.

A plan has such operands in one order, whatever the order of the text. The places of the operands tell that. Which of
two numbers is less is decided between DOUBLEs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain

from keepstate.plan.expressions import AggregateCall, Call, Expr, Literal
from keepstate.plan.operators import (
    Aggregate,
    Join,
    Operator,
    OverAggregate,
    Union,
    expressions_of,
    mapped,
    rewritten,
)
from keepstate.plan.predicates import reordered
from keepstate.plan.provenance import Place
from keepstate.plan.types.common_types import APPROXIMATE, common_type
from keepstate.plan.types.inference import type_of
from keepstate.plan.types.logical_types import DOUBLE, LogicalType
from keepstate_spark.lowering.functions.signed_zeros import is_constant
from keepstate_spark.lowering.refusals import NotLowerable

_SIGNS = frozenset({"+", "*", "=", "<>"})
_RANGES = frozenset({"BETWEEN", "<=", ">="})
"""Words of a range, which is an equation in a plan if it has a single number."""


def in_written_order(root: Operator, output: tuple[Expr, ...]) -> tuple[Operator, tuple[Expr, ...]]:
    """A plan and its output, with both operands of such a call, and all inputs of such a UNION ALL, in one type."""
    root = _with_spellings(_with_exclusions(root), _spellings(root, output))
    root, output = rewritten(root, _of_first), tuple(reordered(expr.rewrite(_of_first)) for expr in output)
    columns: dict[Expr, set[Expr]] = {}
    typed = _with_typed_rows(root, columns)
    one_type = {old: next(iter(new)) for old, new in columns.items() if len(new) == 1}
    if not one_type:
        return root, output

    def of_union(node: Expr) -> Expr:
        return replace(one_type[node], place=node.place, via=node.via) if node in one_type else node

    root, output = rewritten(typed, of_union), tuple(reordered(expr.rewrite(of_union)) for expr in output)
    # What reads such a column has operands of two types as well.
    return rewritten(root, _of_first), tuple(reordered(expr.rewrite(_of_first)) for expr in output)


_Spellings = Mapping[tuple[AggregateCall, int], Mapping[Expr, AggregateCall]]
"""By aggregates and their levels: as they are written, by what each of them becomes."""


def _spellings(root: Operator, output: tuple[Expr, ...]) -> _Spellings:
    """The aggregates that the text writes in ways of different types, such as ``SUM(a * b)`` and ``SUM(b * a)``. A plan
    has one for all of them.
    """
    spellings: dict[tuple[AggregateCall, int], dict[Expr, AggregateCall]] = {}
    exprs = chain(output, *map(expressions_of, root.walk()))
    for node in chain.from_iterable(expr.walk() for expr in exprs):
        if isinstance(node, AggregateCall):
            spellings.setdefault((node, node.level), {}).setdefault(node.rewrite(_of_first), node)
    return {call: ways for call, ways in spellings.items() if len(ways) > 1}


def _with_spellings(operator: Operator, spellings: _Spellings) -> Operator:
    """``operator`` with an aggregate for each of its ``spellings``, as Flink has them."""
    if not spellings:
        return operator
    operator = operator.with_inputs(tuple(_with_spellings(each, spellings) for each in operator.inputs))
    if not isinstance(operator, (Aggregate, OverAggregate)):
        return operator
    calls: dict[Expr, AggregateCall] = {}
    for call in operator.aggregates:
        calls.setdefault(call.rewrite(_of_first), call)
        for way, other in spellings.get((call, call.level), {}).items():
            calls.setdefault(way, other)
    return replace(operator, aggregates=tuple(calls.values()))


def _of_first(node: Expr) -> Expr:
    if not (isinstance(node, Call) and node.name in _SIGNS and len(node.args) == 2):
        return node
    types = [type_of(arg) for arg in node.args]
    if not _are_mixed(types):
        return node
    if node.place is not None and any(map(is_constant, node.args)) and not _RANGES.isdisjoint(node.place.words):
        return replace(node, args=tuple(_cast(arg, DOUBLE) for arg in node.args))
    starts = _starts(node)
    if starts is None:
        return node
    target = types[0 if starts[0] < starts[1] else 1]
    return node if target is None else replace(node, args=tuple(_cast(arg, target) for arg in node.args))


def _with_exclusions(operator: Operator) -> Operator:
    """``operator`` with the equations of NOT IN and ``<> ALL``, but not those of NOT EXISTS, between DOUBLEs."""
    operator = operator.with_inputs(tuple(map(_with_exclusions, operator.inputs)))
    if not (isinstance(operator, Join) and operator.kind == "anti"):
        return operator

    def excluded(node: Expr) -> Expr:
        if not (isinstance(node, Call) and node.name == "=" and _are_mixed([type_of(arg) for arg in node.args])):
            return node
        if node.place is not None and "IN" not in node.place.words:
            return node
        return replace(node, args=tuple(_cast(arg, DOUBLE) for arg in node.args))

    return mapped(operator, lambda expr: expr.rewrite(excluded))


def _with_typed_rows(operator: Operator, columns: dict[Expr, set[Expr]]) -> Operator:
    """``operator`` with the rows of its unions in one type, and those ``columns`` of unions that this changes."""
    operator = operator.with_inputs(tuple(_with_typed_rows(each, columns) for each in operator.inputs))
    if not isinstance(operator, Union) or len(operator.text_ranks) != len(operator.rows):
        return operator
    typed = []
    for exprs in zip(*operator.rows, strict=False):
        types = [type_of(expr) for expr in exprs]
        in_text = [types[index] for _, index in sorted((rank, index) for index, rank in enumerate(operator.text_ranks))]
        target = common_type(in_text) if _are_mixed(types) else None
        for expr in exprs if target is not None else ():
            refuse_widened_constant(expr, target)
        typed.append(exprs if target is None else tuple(_cast(expr, target) for expr in exprs))
    new = replace(operator, rows=tuple(zip(*typed, strict=True)))
    for old_column, new_column in zip(operator.columns, new.columns, strict=False):
        if old_column != new_column:
            columns.setdefault(old_column, set()).add(new_column)
    return new


def refuse_widened_constant(expr: Expr, target: LogicalType | None) -> None:
    """Refuse a constant FLOAT among the rows of a column of type ``target``, if that is DOUBLE: Flink's planner may
    keep its digits (``0.1``) or its bits (``0.10000000149011612``).
    """
    type_ = type_of(expr)
    roots = [each.root for each in (type_, target) if each is not None]
    if roots == ["FLOAT", "DOUBLE"] and is_constant(expr):
        raise NotLowerable("Which DOUBLE Flink makes of this FLOAT is not known. CAST it to a DOUBLE.", expr.place)


def _are_mixed(types: Sequence[LogicalType | None]) -> bool:
    return set(APPROXIMATE) <= {type_.root for type_ in types if type_ is not None}


def _cast(expr: Expr, target: LogicalType) -> Expr:
    type_ = type_of(expr)
    if type_ is not None and type_.root == target.root:
        return expr
    return Call("CAST", (expr, Literal(str(target), "TYPE")), place=expr.place)


def _starts(call: Call) -> tuple[int, int] | None:
    """Return where the two operands of a call are written, in its own text or in the item of a query below that has
    this text; ``None`` where no such text has both.
    """
    for whole in (call.place, *call.via):
        first, second = (_start(arg, whole) for arg in call.args)
        if first is not None and second is not None and first != second:
            return first, second
    return None


def _start(operand: Expr, whole: Place | None) -> int | None:
    """Return where an operand is written in the text of its call; ``None`` for one that is written elsewhere. Equations
    of an IN and a CASE have no text of their own.
    """
    if whole is None:
        return operand.place.span.start if operand.place is not None else None
    places = (place for place in (operand.place, *operand.via) if place is not None)
    return next((place.span.start for place in places if whole.contains(place) and place != whole), None)
