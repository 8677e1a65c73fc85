"""Operands and keys of OVER windows that are written as computed, though they are equal to a column.

The planner makes a column of each computed operand of a window before it simplifies it: the rows below
``MAX(-(-d)) OVER w`` have ``d`` twice if anything else reads it. Only what the translation itself takes away is no
computation: parentheses, a cast to the own type, COALESCE of what is never NULL, a CASE whose values are all alike, AND
and OR of one condition. Seen in the plans of Flink 2.3.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from keepstate.plan.expressions import Call, Expr, Literal, is_computed
from keepstate.plan.provenance import Place
from keepstate.plan.scalars.chains import flat
from keepstate.plan.simplification.nullability import never_null

_COMPUTING = (exp.Unary, exp.Binary, exp.Cast, exp.Case, exp.Connector, exp.Predicate, exp.Extract, exp.Trim)

Lower = Callable[[exp.Expression], Expr]


def as_operand(node: exp.Expression, expr: Expr, place: Place, lower: Lower) -> Expr:
    """``expr``, the canonical form of ``node``, as an operand or a key of a window."""
    if is_computed(expr) or isinstance(expr, Literal) or not _computes(node, lower):
        return expr
    return Call("COMPUTED", (expr,), place=place)


def _computes(node: exp.Expression, lower: Lower) -> bool:
    """Return whether ``node``, which is equal to a column or a constant, is an expression of its own."""
    match node:
        case exp.Paren() | exp.Alias():
            return _computes(node.this, lower)
        case exp.Column() | exp.Dot() | exp.Identifier() | exp.Subquery():
            return False
        case exp.TryCast():
            return True
        case exp.Cast():
            return is_computed(lower(node.this)) or _computes(node.this, lower)
        case exp.Case():
            values = [branch.args["true"] for branch in node.args["ifs"]]
            return _differ([*values, node.args.get("default") or exp.Null()], lower)
        case exp.And() | exp.Or():
            return _differ(flat(node, type(node)), lower)
        case exp.Anonymous() if node.name.upper() == "COALESCE" and node.expressions:
            first = node.expressions[0]
            return not never_null(lower(first)) or _computes(first, lower)
    return isinstance(node, _COMPUTING)


def _differ(nodes: list[exp.Expression], lower: Lower) -> bool:
    return len({lower(node) for node in nodes}) > 1 or any(_computes(node, lower) for node in nodes)
