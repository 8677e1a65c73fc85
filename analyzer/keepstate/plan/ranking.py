"""Rankings: the operator of a ROW_NUMBER, and which ranks a condition on its number keeps."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal, InvalidOperation

from keepstate.plan.expressions import Call, Expr, Literal, Ordering, OverCall, RankNumber
from keepstate.plan.operators import Rank, RankRange
from keepstate.plan.provenance import Place
from keepstate.plan.scope import Relation, sealed


def mentions_rank(condition: Expr) -> bool:
    return any(isinstance(node, RankNumber) for node in condition.walk())


def rank_range(conditions: Iterable[Expr]) -> RankRange:
    """The range that all the conditions on the rank number leave, however they are spelled (spec C-26).

    ``rk < 4``, ``3 >= rk`` and ``rk BETWEEN 1 AND 3`` are one range; what is no constant bound is kept as it is.
    """
    start, end = 1, None
    other: list[Expr] = []
    for condition in conditions:
        bounds = _bounds(condition)
        if bounds is None:
            other.append(condition)
            continue
        low, high = bounds
        start = max(start, low) if low is not None else start
        end = high if end is None or (high is not None and high < end) else end
    return RankRange(start, end, tuple(other))


def _bounds(condition: Expr) -> tuple[int | None, int | None] | None:
    if not isinstance(condition, Call) or len(condition.args) != 2:
        return None
    first, second = condition.args
    if condition.name == "=":
        number = second if isinstance(first, RankNumber) else first
        value = _constant(number)
        if value is None or not (isinstance(first, RankNumber) or isinstance(second, RankNumber)):
            return None
        return (int(value), int(value)) if value == int(value) else None
    if condition.name not in ("<", "<="):
        return None
    strict = condition.name == "<"
    if isinstance(first, RankNumber) and (value := _constant(second)) is not None:
        return None, math.ceil(value) - 1 if strict else math.floor(value)
    if isinstance(second, RankNumber) and (value := _constant(first)) is not None:
        return math.floor(value) + 1 if strict else math.ceil(value), None
    return None


def _constant(expr: Expr) -> Decimal | None:
    if not isinstance(expr, Literal) or expr.type != "NUMBER":
        return None
    try:
        return Decimal(expr.value)
    except InvalidOperation:
        return None


def ranked_by(relation: Relation, call: OverCall, select: Place) -> Relation:
    """A Rank whose range a query around it has still to say."""
    partition = tuple(sorted(dict.fromkeys(call.partition), key=repr))
    order = tuple(element for element in call.order if isinstance(element, Ordering))
    assert isinstance(call.call, RankNumber)
    rank = Rank(
        sealed(relation),
        call.call.function,
        partition,
        order,
        partition_place=call.partition_place,
        order_place=order[0].place if order else call.place,
        row=tuple(column.expr for column in relation.fields if call not in column.expr.walk()),
        select_place=select,
        place=call.place,
    )
    number = call.call

    def number_for_call(expr: Expr) -> Expr:
        return replace(number, place=expr.place, via=expr.via) if expr == call else expr

    fields = tuple(replace(column, expr=column.expr.rewrite(number_for_call)) for column in relation.fields)
    return replace(relation, input=rank, fields=fields, filters=())
