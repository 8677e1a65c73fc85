"""Nullability of expressions as the planner derives it from types, and conditions that reject NULL."""

from __future__ import annotations

from collections.abc import Iterable

from keepstate.plan.expressions import AggregateCall, Call, Column, Expr, FunctionOrigin, Literal
from keepstate.plan.hashed_value import asked_once
from keepstate.plan.references import ColumnOfRight, ColumnOfUnion

NULL = Literal("NULL", "NULL")
STRICT = frozenset({"=", "<>", "<", "<=", "+", "-", "*", "/", "NEGATE", "COMPUTED", "LIKE", "CAST"})
"""Calls that are NULL if and only if an operand is, and of which the planner knows it (of MOD and ABS it does not)."""
_LOGICAL = frozenset({"AND", "OR", "NOT"})
_NEVER_NULL = frozenset({"IS", "PROCTIME"})
"""Calls whose type admits no NULL."""
_NULL_BY_OPERANDS = frozenset({"%", "||", "ABS", "UPPER", "LOWER", "CHAR_LENGTH"})
"""Calls whose type admits NULL if that of an operand does: ``UPPER(c) IS NOT NULL`` of a column that is never NULL."""


def is_null(expr: Expr) -> Call:
    return Call("IS", (expr, NULL))


def is_not_null(expr: Expr) -> Call:
    return Call("NOT", (is_null(expr),))


def tested_not_null(condition: Expr) -> Expr | None:
    """Return the operand of ``x IS NOT NULL``; ``None`` for any other condition."""
    match condition:
        case Call(name="NOT", args=(Call(name="IS", args=(operand, Literal(type="NULL"))),)):
            return operand
    return None


def never_null(expr: Expr, not_null: frozenset[Expr] = frozenset()) -> bool:
    """Return whether ``expr`` surely has a value, where those of ``not_null`` have one.

    >>> never_null(Column("t", "h", "INT", not_null=True)), never_null(Column("t", "a", "INT"))
    (True, False)
    """
    return nullable(expr) is False or (bool(not_null) and _is_value(expr, not_null))


def _is_value(expr: Expr, not_null: frozenset[Expr]) -> bool:
    if expr in not_null or nullable(expr) is False:
        return True
    return (
        isinstance(expr, Call) and expr.name in STRICT | _LOGICAL and all(_is_value(arg, not_null) for arg in expr.args)
    )


@asked_once
def nullable(expr: Expr) -> bool | None:
    """Return whether the type of ``expr`` admits NULL; ``None`` where the script does not determine it.

    A column of the side of an outer join whose rows may be missing admits it whatever its declaration says.

    >>> nullable(expr("price")), nullable(expr("COALESCE(price, 0)"))
    (True, False)
    """
    match expr:
        case Column():
            return None if expr.type is None else not expr.not_null or expr.may_be_missing
        case Literal():
            return expr.type == "NULL"
        case ColumnOfRight():
            return nullable(expr.column)
        case AggregateCall():
            return _of_aggregate(expr)
        case ColumnOfUnion():
            return True if expr.admits_null else _any(expr.exprs)
        case Call(name=name) if name in _NEVER_NULL:
            return False
        case Call(name="CASE", args=args):
            return _any(args if expr.is_function else (*args[1::2], *args[-1:]))
        case Call(name="COALESCE", args=args):
            answers = [nullable(arg) for arg in args]
            return False if False in answers else (True if set(answers) == {True} else None)
        case Call(name="IFNULL", args=(_, instead)):
            return nullable(instead)
        case Call(name=name, args=args) if name in STRICT or name in _LOGICAL or name in _NULL_BY_OPERANDS:
            return _any(args)
    return None


def _of_aggregate(call: AggregateCall) -> bool | None:
    """The plan of ``MAX(h) IS NULL`` over groups, of a column ``h`` that is never NULL, has no test."""
    if not call.of_group or call.over or call.origin is not FunctionOrigin.BUILT_IN or call.filter is not None:
        return None
    if call.function == "COUNT":
        return False
    return _any(call.args) if call.function in _OF_VALUES else None


_OF_VALUES = frozenset({"MIN", "MAX", "SUM", "AVG"})
"""Aggregates that are NULL where all their values are."""


def is_null_constant(expr: Expr) -> bool:
    """Return whether an expression is NULL, of whatever type: ``CAST(NULL AS INT)``."""
    return expr == NULL or (isinstance(expr, Call) and expr.name == "CAST" and expr.args[0] == NULL)


def _any(exprs: Iterable[Expr]) -> bool | None:
    answers = {nullable(expr) for expr in exprs}
    if True in answers:
        return True
    return None if None in answers else False


def rejects_null(condition: Expr, operand: Expr) -> bool:
    """Return whether ``condition`` is not true for a NULL of ``operand``, and the planner knows it.

    In the plan of ``a IS NOT NULL AND a + 1 > 3`` the test is gone, in that of ``a IS NOT NULL AND ABS(a) = 1`` or
    ``a IS NOT NULL AND (a > 3 OR b = 1)`` it is not.
    """
    if isinstance(condition, Call) and condition.name == "NOT":
        return _strict(condition.args[0], operand)
    return _strict(condition, operand)


def _strict(expr: Expr, operand: Expr) -> bool:
    if expr == operand:
        return True
    return isinstance(expr, Call) and expr.name in STRICT and any(_strict(arg, operand) for arg in expr.args)
