"""Equi-join keys: the columns that a join equates."""

from __future__ import annotations

from collections.abc import Iterator

from keepstate.plan.expressions import Call, Expr, is_spelled_out
from keepstate.plan.metadata.join_sides import JoinSide, JoinSides
from keepstate.plan.operators import Join


def equated(join: Join, sides: JoinSides) -> tuple[tuple[Expr, ...], tuple[Expr, ...]]:
    """Return the columns that a join equates, left and right, in the order in which they are written. The plan has no
    order, but the key has one.

    >>> join = root("SELECT id, city FROM orders JOIN buyers ON name = buyer")
    >>> [[str(column) for column in side] for side in equated(join, JoinSides.of(join))]
    [['buyer'], ['name']]
    """
    equations = list(equations_of(join, sides))
    places = [equation.place for equation in equations]
    if len({place.statement.text if place is not None else None for place in places}) == 1 and None not in places:
        equations.sort(key=lambda equation: equation.place.span.start if equation.place is not None else 0)
    pairs = [_by_side(equation, sides) for equation in equations]
    return tuple(left for left, _ in pairs), tuple(right for _, right in pairs)


def equations_of(join: Join, sides: JoinSides) -> Iterator[Call]:
    """The conditions of a join that equate something of the left input to something of the right one.

    >>> join = root("SELECT id, city FROM orders JOIN buyers ON name = buyer AND CHAR_LENGTH(city) > id")
    >>> list(map(str, equations_of(join, JoinSides.of(join))))
    ['name = buyer']
    """
    for condition in join.conditions:
        if isinstance(condition, Call) and _equates(condition):
            operand_sides = [sides.read(operand) for operand in condition.args]
            if all(len(side) == 1 for side in operand_sides) and operand_sides[0] != operand_sides[1]:
                yield condition


def _equates(condition: Call) -> bool:
    """Return whether a condition may be of a key: of what is computed in the condition, IS NOT DISTINCT FROM is not."""
    if condition.name == "NULLSAFEEQ":
        return not any(map(is_spelled_out, condition.args))
    return condition.name == "="


def _by_side(equation: Call, sides: JoinSides) -> tuple[Expr, Expr]:
    first, second = equation.args
    return (first, second) if sides.read(first) == {JoinSide.LEFT} else (second, first)
