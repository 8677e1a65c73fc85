"""Select lists: their places, the names of their items, and whether they have all columns."""

from __future__ import annotations

from sqlglot import exp

from keepstate.plan.lowering.environment import Environment
from keepstate.plan.provenance import Place
from keepstate.text import Span


def implied_name(node: exp.Expression, position: int) -> str:
    """The name that Flink gives to a select item without an alias.

    >>> [implied_name(item, 1) for item in exp.select("o.id", "id + 1").selects]
    ['id', 'EXPR$1']
    """
    if isinstance(node, exp.Column):
        return str(node.name)
    if isinstance(node, exp.Dot) and isinstance(node.expression, exp.Identifier):
        return str(node.expression.name)
    return f"EXPR${position}"


def selects_everything(node: exp.Select) -> bool:
    """Return whether an item of a select list is ``*`` or ``t.*``.

    >>> [selects_everything(exp.select(*items)) for items in (["a"], ["a", "t.*"])]
    [False, True]
    """
    return any(
        isinstance(item, exp.Star) or (isinstance(item, exp.Column) and isinstance(item.this, exp.Star))
        for item in node.expressions
    )


def select_list(node: exp.Select, environment: Environment) -> Place:
    """From SELECT to the end of its last item.

    >>> one = statement("SELECT a, b FROM t")
    >>> select_list(one.tree, Environment(one)).text
    'SELECT a, b'
    """
    whole = environment.place(node)
    if not node.expressions:
        return whole
    last = environment.place(node.expressions[-1])
    return Place(whole.statement, Span(_select_start(node, environment), last.span.end))


def _select_start(node: exp.Select, environment: Environment) -> int:
    """The offset of the SELECT keyword: a WITH clause in front belongs to the same node."""
    start = environment.place(node).span.start
    clause = node.args.get("with_")
    if clause is None:
        return start
    text = environment.statement.text
    return text.upper().find("SELECT", environment.place(clause).span.end)


def select_list_of(side: exp.Expression, environment: Environment) -> Place | None:
    """The select list of an operand of a set operation.

    >>> one = statement("(SELECT a FROM t)")
    >>> select_list_of(one.tree, Environment(one)).text
    'SELECT a'
    """
    while isinstance(side, (exp.Subquery, exp.SetOperation)):
        side = side.this
    return select_list(side, environment) if isinstance(side, exp.Select) else None
