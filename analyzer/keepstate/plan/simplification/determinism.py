"""Expressions that give the same result twice."""

from __future__ import annotations

from keepstate.plan.expressions import AggregateCall, Call, Column, Expr, Literal
from keepstate.plan.references import ColumnOfRight, ColumnOfUnion

_LEAVES = (Column, ColumnOfRight, ColumnOfUnion, AggregateCall, Literal)


def is_deterministic(expr: Expr) -> bool:
    """Return whether an expression is made of columns by calls that surely give the same result twice."""
    return all(
        isinstance(node, (Column, ColumnOfRight, ColumnOfUnion, AggregateCall, Literal)) or _is_plain(node)
        for node in expr.walk()
    )


def _is_plain(node: Expr) -> bool:
    return isinstance(node, Call) and node.name in _PLAIN


def is_safe(expr: Expr) -> bool:
    """Return whether the planner computes an expression, of a deterministic kind, where CASE would not.

    Functions may fail, and so may casts and divisions.
    """
    return is_deterministic(expr) and not any(isinstance(node, Call) and node.name in _FAILING for node in expr.walk())


_FAILING = frozenset("/ % ABS UPPER LOWER CHAR_LENGTH".split())
_PLAIN = frozenset("= <> < <= + - * / % NEGATE AND OR NOT IS LIKE NULLIF CASE ABS UPPER LOWER CHAR_LENGTH".split())
