"""Names that select items have without an alias."""

from __future__ import annotations

from sqlglot import exp


def path_end(node: exp.Expr) -> str:
    """The last name of a column or of a path into its fields; empty for any other node: Flink's planner takes a field
    of parentheses, of an element or of a call for a call.

    >>> [path_end(item) for item in exp.select("o.id", "a.b.c.d.e", "xs[1].id", "(o).id").selects]
    ['id', 'e', '', '']
    """
    if isinstance(node, exp.Column):
        return str(node.name)
    whole: exp.Expr = node
    while isinstance(whole, exp.Dot):
        whole = whole.this
    is_path = isinstance(node, exp.Dot) and isinstance(whole, (exp.Column, exp.Identifier))
    return str(node.expression.name) if is_path and isinstance(node.expression, exp.Identifier) else ""
