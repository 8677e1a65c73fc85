"""Syntax of expressions: chains of one operator as lists of their operands, and calls of functions."""

from __future__ import annotations

from sqlglot import exp


def flat(node: exp.Expression, kind: type[exp.Expression]) -> list[exp.Expression]:
    """The operands of a chain of one operator, without recursion, since generated chains are long."""
    operands: list[exp.Expression] = []
    waiting = [node]
    while waiting:
        current = waiting.pop()
        if isinstance(current, kind):
            waiting += (current.expression, current.this)
        elif isinstance(current, exp.Paren) and isinstance(current.this, kind):
            waiting.append(current.this)
        else:
            operands.append(current)
    return operands


def is_call(node: exp.Expression) -> bool:
    """Return whether a node is the call of a function, by its bare name or by its full one."""
    return isinstance(node.expression if isinstance(node, exp.Dot) else node, exp.Anonymous)
