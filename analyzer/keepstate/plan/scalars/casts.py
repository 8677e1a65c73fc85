"""Casts and digits that change nothing."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from keepstate.plan.expressions import Call, Column, Expr, Literal, WindowField, WindowPart
from keepstate.plan.hashed_value import with_fields
from keepstate.plan.types.arithmetic_types import OPERATORS
from keepstate.plan.types.common_types import INTEGERS, common_type
from keepstate.plan.types.inference import type_of
from keepstate.plan.types.logical_types import LogicalType
from keepstate.plan.types.type_names import canonical_type

_NUMBERS_ADAPT = OPERATORS | frozenset("= <> < <= CASE COALESCE IFNULL NULLIF GREATEST LEAST MOD".split())
"""Calls for which only the value of a number counts, as long as the type of the call stays."""
_ORDERS = frozenset({"<>", "<", "<="})
"""Comparisons for which only the value of a time counts. Equality also gives a column the constant with its type."""


def type_literal(text: str) -> Literal:
    """The target of a cast, in canonical spelling and as it is written."""
    return Literal(canonical_type(text), "TYPE", text)


def changes_nothing(value: Expr, target: Literal) -> bool:
    """Return whether ``value`` already has the type ``target``, with NOT NULL inside and the case of names.

    A cast of PROCTIME() or of a window's time makes a plain timestamp, although the type has the same name.
    """
    type_ = type_of(value)
    if type_ is not None and type_.elements and not _stored_alike(type_, target):
        return False
    if isinstance(value, Column):
        return value.type == target.value
    if isinstance(value, WindowField) and value.part is WindowPart.TIME:
        return False
    if isinstance(value, Call) and value.name == "PROCTIME":
        return False
    return type_ is not None and type_ == LogicalType.parse(target.value)


def _stored_alike(type_: LogicalType, target: Literal) -> bool:
    written_type = LogicalType.as_written(target.written_type) if target.written_type is not None else None
    return written_type is not None and written_type.serializable_string == type_.serializable_string


def with_plain_numbers(name: str, operands: Sequence[Expr]) -> tuple[Expr, ...]:
    """The operands of ``name``, numbers in their plainest form where the type of the call does not hang on it.

    ``rn <= CAST(10 AS BIGINT)`` is ``rn <= 10`` and ``x > 1.50`` is ``x > 1.5``, but ``i + CAST(1 AS BIGINT)`` is wider
    than ``i + 1``. Likewise ``ts > TIMESTAMP '2020-01-01 00:00:00.000'`` needs no fraction of a second.
    """
    arguments = tuple(operands)
    if name in _ORDERS:
        arguments = tuple(map(_plain_time, arguments))
    if name not in _NUMBERS_ADAPT:
        return arguments
    plain = tuple(map(_plain, arguments))
    if all(one is other for one, other in zip(arguments, plain, strict=True)):
        return arguments
    type_ = type_of(Call(name, arguments))
    return plain if type_ is not None and type_ == type_of(Call(name, plain)) else arguments


def as_item(item: Expr) -> Expr:
    """An item of an IN list: the planner gives a whole number the type of what it is compared with, be it written
    ``5.0``. Beside ``=`` that is compared as a DECIMAL.
    """
    plain = _plain(item)
    return with_fields(plain, has_places=False) if isinstance(plain, Literal) and plain.has_places else item


def without_coercions(name: str, operands: Sequence[Expr]) -> tuple[Expr, ...]:
    """The operands of ``name`` without casts to wider integers that the planner makes anyway, or that change no value.

    With a BIGINT ``b`` and an INT ``i``, ``CAST(i AS BIGINT) = b`` is ``i = b``; and ``CAST(i AS BIGINT) > 3`` is
    ``i > 3``. The cast in ``CAST(i AS BIGINT) = CAST(j AS BIGINT)`` stays: it decides the type of a join key.
    """
    arguments = tuple(operands)
    if name not in _COERCED or len(arguments) != 2:
        return arguments
    new_arguments = [
        _uncoerced(one, other, name) for one, other in ((arguments[0], arguments[1]), (arguments[1], arguments[0]))
    ]
    return (
        (new_arguments[0], arguments[1]) if new_arguments[0] is not arguments[0] else (arguments[0], new_arguments[1])
    )


def without_casts_to_common(columns: Sequence[Expr]) -> tuple[Expr, ...]:
    """Return the inputs' expressions for one column of a union, without casts to the type that the union makes of the
    column anyway.
    """
    result = list(columns)
    for position, expr in enumerate(columns):
        value = _widened(expr)
        if value is not None:
            other_types = [type_of(other) for index, other in enumerate(result) if index != position]
            if other_types and common_type((type_of(value), *other_types)) == type_of(expr):
                result[position] = value
    return tuple(result)


_ARITHMETIC = frozenset("+ - * MOD %".split())
_COERCED = _ARITHMETIC | frozenset("= <> < <=".split())


def _uncoerced(expr: Expr, other: Expr, name: str) -> Expr:
    value, type_, beside = _widened(expr), type_of(expr), type_of(other)
    if value is None or type_ is None or beside is None or beside.root not in INTEGERS:
        return expr
    is_made_anyway = INTEGERS.index(beside.root) >= INTEGERS.index(type_.root)
    compares = name not in _ARITHMETIC and isinstance(other, Literal)
    return value if is_made_anyway or compares else expr


def _widened(expr: Expr) -> Expr | None:
    """The integer that a cast makes a wider one; ``None`` if it is no such cast."""
    if not (isinstance(expr, Call) and expr.name == "CAST"):
        return None
    value, before, after = expr.args[0], type_of(expr.args[0]), type_of(expr)
    if before is None or after is None or isinstance(value, Literal):
        return None
    if before.root not in INTEGERS or after.root not in INTEGERS:
        return None
    return value if INTEGERS.index(before.root) < INTEGERS.index(after.root) else None


def _plain_time(expr: Expr) -> Expr:
    if isinstance(expr, Literal) and expr.type == "TIMESTAMP" and "." in expr.value:
        return with_fields(expr, value=expr.value.rstrip("0").rstrip("."))
    return expr


def _plain(expr: Expr) -> Expr:
    if isinstance(expr, Literal) and expr.type == "NUMBER" and "." in expr.value:
        digits = format(Decimal(expr.value), "f").rstrip("0").rstrip(".")
        return expr if digits == expr.value else with_fields(expr, value=digits, has_places="." not in digits)
    if isinstance(expr, Call) and expr.name == "CAST":
        value, target = expr.args[0], expr.args[-1]
        whole = isinstance(value, Literal) and value.type == "NUMBER" and value.value.lstrip("-").isdecimal()
        if whole and isinstance(target, Literal) and target.value in INTEGERS:
            return value
    return expr
