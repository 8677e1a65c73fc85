"""Span of a tree node in the text of its statement."""

from __future__ import annotations

from sqlglot import exp

from keepstate.text import Span


def span_of(node: exp.Expr) -> Span | None:
    """The place of ``node`` in its statement's text, or ``None`` for a node that no text stands for.

    >>> from keepstate.syntax.script import parse_script
    >>> statement = parse_script("SELECT a FROM t").statements[0].parsed
    >>> span_of(statement.tree.expressions[0]).of(statement.text)
    'a'
    """
    bounds = node.meta.get("span")
    return None if bounds is None else Span(*bounds)


def keyword_span(node: exp.Expr) -> Span | None:
    """Return the span of the words or the symbol that determine the kind of ``node``.

    The keywords of a clause (``GROUP BY``, ``LEFT JOIN``, ``OVER``, ``DISTINCT``, ``FOR SYSTEM_TIME``), the operator of
    a comparison or calculation (``<``, ``AND``, ``IN``), the name of a called function.

    >>> from keepstate.syntax.script import parse_script
    >>> statement = parse_script("SELECT a FROM t GROUP BY a").statements[0].parsed
    >>> keyword_span(statement.tree.args["group"]).of(statement.text)
    'GROUP BY'
    """
    bounds = node.meta.get("keyword")
    return None if bounds is None else Span(*bounds)


def operand_span(node: exp.Expr) -> Span | None:
    """For ``rn < 3`` the place of ``< 3``: from the operator to the end."""
    span, keyword = node.meta.get("span"), node.meta.get("keyword")
    return None if span is None or keyword is None else Span(keyword[0], span[1])
