"""Invariants of every tree, for tests of all kinds."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, pairwise

from sqlglot import exp

from keepstate.syntax import syntax_nodes
from keepstate.syntax.spans import span_of
from keepstate.syntax.statement import ParsedStatement, parse_statement
from keepstate.text import Span

_EXPRESSIONS = (
    exp.Case,
    exp.Cast,
    exp.Condition,
    exp.Filter,
    exp.Interval,
    exp.Tuple,
    exp.Window,
    syntax_nodes.TimeLiteral,
)


def span(node: exp.Expr) -> Span:
    """The span of a node that must have one."""
    found = span_of(node)
    assert found is not None, f"no span: {node!r}"
    return found


def text_of(parsed: ParsedStatement, node: exp.Expr) -> str:
    """The text that a node stands for."""
    return span(node).of(parsed.text)


def tree_of(parsed: ParsedStatement) -> exp.Expression:
    """The tree of a statement that must parse."""
    assert parsed.tree is not None, f"{parsed.problems} in {parsed.text!r}"
    return parsed.tree


def parse(text: str) -> ParsedStatement:
    """A statement that must parse."""
    parsed = parse_statement(text)
    tree_of(parsed)
    return parsed


def assert_spans_nest(parsed: ParsedStatement) -> None:
    """Every node has a span, lies in its parent and beside its siblings."""
    for node in tree_of(parsed).walk():
        outer = span(node)
        assert outer.end <= len(parsed.text)
        children = sorted(
            (span(child) for child in node.iter_expressions()), key=lambda child: (child.start, child.end)
        )
        for child in children:
            assert outer.contains(child), f"{child.of(parsed.text)!r} leaves {outer.of(parsed.text)!r}"
        for left, right in pairwise(children):
            assert left.end <= right.start, f"{left.of(parsed.text)!r} overlaps {right.of(parsed.text)!r}"


def assert_expressions_parse_again(parsed: ParsedStatement) -> None:
    """The text of each expression's span parses to an equal tree."""
    for node in expressions(tree_of(parsed)):
        again = parse_statement(f"SELECT {text_of(parsed, node)}").tree
        assert isinstance(again, exp.Select), f"{text_of(parsed, node)!r} does not parse"
        assert again.expressions == [node], f"{text_of(parsed, node)!r} parses to another tree"


def expressions(tree: exp.Expression) -> Iterator[exp.Expr]:
    """The nodes that can stand in a select list by themselves."""
    pairs = chain([(tree, None)], ((child, node) for node in tree.walk() for child in node.iter_expressions()))
    return (node for node, parent in pairs if isinstance(node, _EXPRESSIONS) and not _is_part(node, parent))


def _is_part(node: exp.Expr, parent: exp.Expr | None) -> bool:
    """Return whether the node is only a part: a WHEN branch, a relation, ``ANY (...)``, a hint, a qualifier."""
    if isinstance(node, (exp.All, exp.Any, exp.If, exp.Unnest)):
        return True
    if isinstance(node, exp.Window):
        return node.args.get("over") is None
    if isinstance(node, exp.Dot) and isinstance(node.this, exp.Identifier):
        return not isinstance(node.expression, exp.Anonymous)
    if isinstance(parent, (exp.Not, exp.Escape)) and node is parent.this:
        # The predicate in NOT IN and the like shares its text with the NOT around it.
        return span(parent).start == span(node).start
    return isinstance(parent, (exp.Hint, exp.Partition)) or (
        isinstance(node, exp.Tuple) and isinstance(parent, (exp.Values, exp.If))
    )
