"""Strings that Flink's planner takes for conditions: ``text = TRUE`` beside another condition becomes ``text``."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp


def compared_with_true(condition: exp.Expression) -> Iterator[tuple[exp.Expression, exp.Column]]:
    """Comparisons of a column with TRUE that stand beside a condition on other columns, each with its column.

    If the column is a string, Flink 1.20 and 2.3 drop ``= TRUE`` there, and then miss a condition. A condition alone,
    or beside another one on that column, keeps its meaning.
    """
    parts = list(conjuncts(condition))
    for part in parts:
        column = _column(part)
        if column is None:
            continue
        names = [{each.name for each in other.find_all(exp.Column)} for other in parts if other is not part]
        if any(names) and not any(column.name in group for group in names):
            yield part, column


def conjuncts(condition: exp.Expression) -> Iterator[exp.Expression]:
    """The parts of a condition that AND joins, from left to right.

    >>> from keepstate.syntax.statement import parse_statement
    >>> where = parse_statement("SELECT 1 FROM t WHERE (a AND b) AND c").tree.args["where"]
    >>> [part.name for part in conjuncts(where.this)]
    ['a', 'b', 'c']
    """
    # Not by recursion: a chain of thousands of conditions is deep.
    pending = [condition]
    while pending:
        node = pending.pop()
        if isinstance(node, exp.Paren):
            pending.append(node.this)
        elif isinstance(node, exp.And):
            pending += [node.expression, node.this]
        else:
            yield node


def _column(node: exp.Expression) -> exp.Column | None:
    if not isinstance(node, exp.EQ):
        return None
    for one, other in ((node.this, node.expression), (node.expression, node.this)):
        if isinstance(one, exp.Column) and isinstance(other, exp.Boolean) and other.this:
            return one
    return None
