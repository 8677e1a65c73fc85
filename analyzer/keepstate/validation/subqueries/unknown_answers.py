"""IN with a query, where it matters if its answer is UNKNOWN or FALSE: Flink counts the NULLs of the query there."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from sqlglot import exp


class UnknownAnswer(Enum):
    """Meanings of UNKNOWN to the reader of a condition (``RelOptUtil.Logic``)."""

    FALSE = "FALSE"
    TRUE = "TRUE"
    ITSELF = "UNKNOWN"


_NEGATED = {
    UnknownAnswer.FALSE: UnknownAnswer.TRUE,
    UnknownAnswer.TRUE: UnknownAnswer.FALSE,
    UnknownAnswer.ITSELF: UnknownAnswer.ITSELF,
}


def membership(node: exp.Expr) -> str:
    """``IN`` for IN with a query and ``= ANY``, ``NOT IN`` for ``<> ALL``; empty for another node.

    >>> from sqlglot import parse_one
    >>> others = ("IN (SELECT b FROM t)", "<> ALL (SELECT b FROM t)", "IN (1)")
    >>> [membership(parse_one(f"a {other}")) for other in others]
    ['IN', 'NOT IN', '']
    """
    other = node.args.get("expression")
    any_equal = isinstance(node, exp.EQ) and isinstance(other, exp.Any)
    if any_equal or (isinstance(node, exp.In) and node.args.get("query") is not None):
        return "IN"
    return "NOT IN" if isinstance(node, exp.NEQ) and isinstance(other, exp.All) else ""


def asking_for_unknown(clause: exp.Expr, is_condition: bool) -> Iterator[exp.Expr]:
    """IN with queries, ``= ANY`` and ``<> ALL`` in an expression, where the planner does not take UNKNOWN and FALSE for
    the same answer. A condition does, and so do CASE and IS TRUE; NOT turns that round.

    NOT IN alone among the operands of a condition is none of them: the planner makes an anti join of it.

    >>> from sqlglot import parse_one
    >>> sqls = ("(a, b) IN (SELECT c, d FROM t)", "NOT a IN (SELECT c FROM t)", "NOT a IN (SELECT c FROM t) OR b = 1")
    >>> for is_condition in (True, False):
    ...     [len(list(asking_for_unknown(parse_one(sql), is_condition))) for sql in sqls]
    [0, 0, 1]
    [1, 1, 1]
    """
    if not is_condition:
        yield from _asking(clause, UnknownAnswer.ITSELF)
        return
    for operand in _operands(clause):
        inner = operand.this.unnest() if isinstance(operand, exp.Not) else operand
        if not membership(inner):
            yield from _asking(operand, UnknownAnswer.FALSE)


def _operands(condition: exp.Expr) -> Iterator[exp.Expr]:
    """The operands of AND."""
    inner = condition.unnest()
    if isinstance(inner, exp.And):
        yield from _operands(inner.this)
        yield from _operands(inner.expression)
    else:
        yield inner


def _asking(node: exp.Expr, answer: UnknownAnswer) -> Iterator[exp.Expr]:
    kind = membership(node)
    match node:
        case exp.Query() | exp.Exists():
            return
        case _ if kind:
            if (answer if kind == "IN" else _NEGATED[answer]) is not UnknownAnswer.FALSE:
                yield node
            parts, below = [node.this], UnknownAnswer.ITSELF
        case exp.Paren() | exp.And() | exp.Or() | exp.Alias():
            parts, below = [*node.iter_expressions()], answer
        case exp.Not():
            parts, below = [node.this], _NEGATED[answer]
        case exp.Is(expression=exp.Boolean()):
            parts, below = [node.this], UnknownAnswer.FALSE if node.expression.this else UnknownAnswer.TRUE
        case exp.If():
            yield from _asking(node.this, UnknownAnswer.FALSE)
            parts, below = [each for each in node.iter_expressions() if each is not node.this], UnknownAnswer.ITSELF
        case _:
            parts, below = [*node.iter_expressions()], UnknownAnswer.ITSELF
    for part in parts:
        yield from _asking(part, below)
