"""Divisions of constants by zero, which end the planning of a query."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, DecimalException

from sqlglot import exp

from keepstate.plan.types.builtin_functions import AGGREGATES

_SIGNS = (exp.Neg, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)
_CONSTANTS = (*_SIGNS, exp.Cast, exp.Anonymous)
"""Expressions that Flink leaves to the running job if all of their operands are constants."""


def is_divided_by_zero(division: exp.Expression, tree: exp.Expression) -> bool:
    """Return whether Flink's planner fails at a division of constants in ``tree``: its divisor is zero, and it is no
    part of a larger constant, which the planner does not reduce.

    >>> from keepstate.syntax.statement import parse_statement
    >>> tree = parse_statement("SELECT 1/(2-2), a + 1/0, -(1/0), 1/2 FROM t").tree
    >>> [is_divided_by_zero(division, tree) for division in tree.find_all(exp.Div, bfs=False)]
    [True, True, False, False]
    >>> tree = parse_statement("SELECT 1/CAST('sNaN' AS DOUBLE), 1/(1e999999 * 1e999999) FROM t").tree
    >>> [is_divided_by_zero(division, tree) for division in tree.find_all(exp.Div)]
    [False, False]
    """
    if _number(division.expression) != 0:
        return False
    around = [node for node in _path(tree, division) if not isinstance(node, (exp.Paren, exp.Alias))]
    return not around or not _is_larger_constant(*around[-2:])


def _path(tree: exp.Expression, target: exp.Expression) -> list[exp.Expression]:
    """The expressions around ``target``, from the outermost inwards."""
    waiting: list[tuple[exp.Expression, tuple[exp.Expression, ...]]] = [(tree, ())]
    while waiting:
        node, path = waiting.pop()
        if node is target:
            return list(path)
        waiting += ((child, (*path, node)) for child in node.iter_expressions())
    return []


def _is_larger_constant(*around: exp.Expression) -> bool:
    """Return whether the last of two expressions is a constant; the column of a sink may make one by a cast."""
    inner = around[-1]
    if isinstance(inner, exp.Tuple):
        return True
    if isinstance(inner, exp.Select):
        return isinstance(around[0], exp.Insert)
    if isinstance(inner, exp.Anonymous) and inner.name.upper() in AGGREGATES - {"COUNT"}:
        return False
    return isinstance(inner, _CONSTANTS) and inner.find(exp.Column, exp.Star, exp.Query) is None


def _number(node: exp.Expression) -> Decimal | None:
    """The value of a constant number; ``None`` for what is not computed here."""
    match node:
        case exp.Paren() | exp.Cast():
            return _number(node.this)
        case exp.Literal():
            return _finite(lambda: Decimal(node.name))
        case exp.Neg():
            inner = _number(node.this)
            return -inner if inner is not None else None
        case exp.Add() | exp.Sub() | exp.Mul():
            left, right = _number(node.this), _number(node.expression)
            if left is None or right is None:
                return None
            if isinstance(node, exp.Mul):
                return _finite(lambda: left * right)
            return _finite(lambda: left + right if isinstance(node, exp.Add) else left - right)
    return None


def _finite(compute: Callable[[], Decimal]) -> Decimal | None:
    """The number that ``compute`` gives; ``None`` for none, as of a text like NaN, and for one that is too large."""
    try:
        number = compute()
    except DecimalException:
        return None
    return number if number.is_finite() else None
