"""Rankings: the operator of a ROW_NUMBER, and which ranks a condition on its number keeps."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation

from keepstate.plan.expressions import Call, Expr, Literal, Ordering, OverCall, RankNumber
from keepstate.plan.hashed_value import with_fields
from keepstate.plan.operators import Operator, Rank, RankRange
from keepstate.plan.provenance import Place
from keepstate.plan.scalars.name_scope import Relation, sealed

_DECIMAL = re.compile(r"[+-]?\d*\.(\d+)")
_WHOLE = re.compile(r"[+-]?\d{1,18}")


def mentions(condition: Expr, number: RankNumber) -> bool:
    return any(node == number for node in condition.walk())


def narrowed(rank: Rank, conditions: tuple[Expr, ...]) -> Rank | None:
    """Return the rank with the range that ``conditions`` on its number leave; ``None`` if they are no range, for then
    the planner numbers all rows and filters them.
    """
    conditions = tuple(dict.fromkeys((*rank.range_conditions, *conditions)))
    ranks = rank_range(conditions, rank.rank_number)
    if ranks is None:
        return None
    place = next((condition.place for condition in conditions if condition.place is not None), rank.place)
    return with_fields(rank, range=ranks, range_conditions=conditions, range_place=place)


def rank_range(conditions: Iterable[Expr], number: RankNumber) -> RankRange | None:
    """Return the range that all the conditions on the rank number leave, in any spelling (spec C-26); ``None`` if one
    of them is no bound.

    ``rk < 4``, ``3 >= rk`` and ``rk BETWEEN 1 AND 3`` are one range; a bound that is a column is kept as it is. Flink
    drops the point of a bound with decimal places: ``rk <= 3.0`` is the range to 30. Measured on 1.20 and 2.3.
    """
    start, end = 1, None
    variable: list[Expr] = []
    conditions = tuple(conditions)
    places = max(
        (_decimal_places(arg) for each in conditions if isinstance(each, Call) for arg in each.args), default=0
    )
    for condition in conditions:
        bounds = _bounds(condition, number, places)
        if bounds is not None:
            low, high = bounds
            start = max(start, low) if low is not None else start
            end = high if end is None or (high is not None and high < end) else end
        elif _is_variable_end(condition, number):
            variable.append(condition)
        else:
            return None
    return RankRange(start, end, tuple(variable))


def _decimal_places(bound: Expr) -> int:
    """The digits behind the point of a number, as it is written."""
    if not isinstance(bound, Literal) or bound.type != "NUMBER" or bound.place is None:
        return 0
    written = _DECIMAL.fullmatch(bound.place.token_text)
    return len(written[1]) if written is not None else 0


def _bounds(condition: Expr, number: RankNumber, places: int) -> tuple[int | None, int | None] | None:
    if not isinstance(condition, Call) or len(condition.args) != 2:
        return None
    first, second = condition.args
    if number not in (first, second):
        return None
    value = _constant(second if first == number else first)
    if value is None:
        return None
    if condition.name == "=":
        return (int(value), int(value)) if value == int(value) and not places else None
    value = value.scaleb(places)
    if condition.name not in ("<", "<="):
        return None
    strict = condition.name == "<"
    if first == number:
        return None, math.ceil(value) - 1 if strict else math.floor(value)
    return math.floor(value) + 1 if strict else math.ceil(value), None


def _is_variable_end(condition: Expr, number: RankNumber) -> bool:
    """Return whether a column gives the number of kept ranks: ``rk <= quota``."""
    if not isinstance(condition, Call) or condition.name not in ("<", "<=") or len(condition.args) != 2:
        return False
    bound = condition.args[1]
    return condition.args[0] == number and not isinstance(bound, Literal) and not mentions(bound, number)


def _constant(expr: Expr) -> Decimal | None:
    if not isinstance(expr, Literal) or expr.type not in ("NUMBER", "STRING"):
        return None
    if expr.type == "STRING":
        # The planner casts it to the type of the number of a row.
        return Decimal(expr.value) if _WHOLE.fullmatch(expr.value) else None
    try:
        return Decimal(expr.value)
    except InvalidOperation:
        return None


def ranked_by(relation: Relation, call: OverCall, select: Place) -> Relation:
    """Return a Rank whose range is still open: a query around it has the condition."""
    partition = tuple(sorted(dict.fromkeys(call.partition), key=repr))
    first_by_key: dict[Expr, Ordering] = {}
    for element in call.order:
        if isinstance(element, Ordering):
            first_by_key.setdefault(element.expr, element)
    assert isinstance(call.call, RankNumber)
    below = sealed(relation)
    rank = Rank(
        below,
        call.call.function,
        partition,
        tuple(first_by_key.values()),
        depth=rank_depth(below) + 1,
        function_place=call.call.place,
        partition_place=call.partition_place,
        order_place=call.order_place,
        row=tuple(column.expr for column in relation.fields if call not in column.expr.walk()),
        select_place=select,
        place=call.place,
    )

    def number_for_call(expr: Expr) -> Expr:
        return with_fields(rank.rank_number, place=expr.place, via=expr.via) if expr == call else expr

    fields = tuple(with_fields(column, expr=column.expr.rewrite(number_for_call)) for column in relation.fields)
    return with_fields(relation, input=rank, fields=fields, filters=())


def rank_depth(operator: Operator) -> int:
    """Return the number of ranks between the sources and ``operator``, ``operator`` included."""
    below = max((rank_depth(child) for child in operator.inputs), default=0)
    return below + 1 if isinstance(operator, Rank) else below
