"""Casts and digits that change nothing."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from keepstate.plan.arithmetic_types import OPERATORS
from keepstate.plan.common_types import INTEGERS
from keepstate.plan.expressions import Call, Column, Expr, Literal, WindowField, WindowPart
from keepstate.plan.inference import type_of
from keepstate.plan.logical_types import LogicalType

_NUMBERS_ADAPT = OPERATORS | frozenset("= <> < <= CASE COALESCE IFNULL NULLIF GREATEST LEAST MOD".split())
"""Calls for which only the value of a number counts, as long as the type of the call stays."""


def changes_nothing(value: Expr, target: str) -> bool:
    """Whether ``value`` has the type ``target`` (in canonical spelling) already.

    Of a PROCTIME() or a window's time the cast makes a plain timestamp, although the type has the same name.
    """
    if isinstance(value, Column):
        return value.type == target
    if isinstance(value, WindowField) and value.part is WindowPart.TIME:
        return False
    if isinstance(value, Call) and value.name == "PROCTIME":
        return False
    type_ = type_of(value)
    return type_ is not None and type_ == LogicalType.parse(target)


def with_plain_numbers(name: str, operands: Sequence[Expr]) -> tuple[Expr, ...]:
    """The operands of ``name``, numbers in their plainest form where the type of the call does not hang on it.

    ``rn <= CAST(10 AS BIGINT)`` is ``rn <= 10`` and ``x > 1.50`` is ``x > 1.5``, but ``i + CAST(1 AS BIGINT)`` is wider
    than ``i + 1``.
    """
    given = tuple(operands)
    if name not in _NUMBERS_ADAPT:
        return given
    plain = tuple(map(_plain, given))
    if all(one is other for one, other in zip(given, plain, strict=True)):
        return given
    type_ = type_of(Call(name, given))
    return plain if type_ is not None and type_ == type_of(Call(name, plain)) else given


def _plain(expr: Expr) -> Expr:
    if isinstance(expr, Literal) and expr.type == "NUMBER" and "." in expr.value:
        digits = format(Decimal(expr.value), "f").rstrip("0").rstrip(".")
        return expr if digits == expr.value else Literal(digits, "NUMBER", place=expr.place, via=expr.via)
    if isinstance(expr, Call) and expr.name == "CAST":
        value, target = expr.args[0], expr.args[-1]
        whole = isinstance(value, Literal) and value.type == "NUMBER" and value.value.lstrip("-").isdecimal()
        if whole and isinstance(target, Literal) and target.value in INTEGERS:
            return value
    return expr
