"""Conditions with strings that Flink's planner misreads.

``text = TRUE`` beside another condition becomes ``text``. Two conditions on one time of which one equates it with a
string become one set of values, in which the planner finds a string beside times.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from enum import Enum
from typing import NamedTuple

from sqlglot import exp

from keepstate.syntax.syntax_nodes import TimeLiteral

_ORDERED = (exp.LT, exp.LTE, exp.GT, exp.GTE)
_AGGREGATED = frozenset({"MIN", "MAX", "FIRST_VALUE", "LAST_VALUE"})
"""Calls that are columns behind GROUP BY."""


class _TestKind(Enum):
    """Kinds of conditions on a time."""

    EQUAL = "="
    OTHER = "<>"
    RANGE = "< or >"
    NULL = "IS NULL"


_ALTERNATIVES = frozenset(
    {
        frozenset({_TestKind.EQUAL}),
        frozenset({_TestKind.EQUAL, _TestKind.RANGE}),
        frozenset({_TestKind.OTHER, _TestKind.RANGE}),
        frozenset({_TestKind.EQUAL, _TestKind.NULL}),
        frozenset({_TestKind.OTHER, _TestKind.NULL}),
    }
)
"""Pairs of tests of one time that Flink does not plan at both sides of OR."""
_DEMANDS = frozenset(
    {
        frozenset({_TestKind.OTHER}),
        frozenset({_TestKind.OTHER, _TestKind.RANGE}),
        frozenset({_TestKind.EQUAL, _TestKind.RANGE}),
    }
)
"""Pairs of tests of one time that Flink does not plan at both sides of AND."""


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


class _TimeTest(NamedTuple):
    """A test of what may be a time; ``text`` is the string that it is equated with."""

    tested: exp.Expression
    kind: _TestKind
    text: exp.Expr | None = None


def unplanned_pair(
    sides: list[exp.Expression], is_alternative: bool, key: Callable[[exp.Expression], Hashable]
) -> tuple[exp.Expression, exp.Expr] | None:
    """The tested expression and the later one of the first two ``sides`` of AND, or of OR if ``is_alternative``, that
    Flink does not plan together if they test a time. ``key`` is equal for equal expressions.

    >>> from keepstate.syntax.statement import parse_statement
    >>> where = parse_statement("SELECT 1 FROM t WHERE ts > '2024-01-01' AND ts <> '2024-01-05'").tree.args["where"]
    >>> tested, later = unplanned_pair([where.this.this, where.this.expression], False, str)
    >>> tested.name, later.expression.name
    ('ts', '2024-01-05')
    """
    flat = _flat(sides, exp.Or if is_alternative else exp.And)
    tests = [(side, test) for side in flat if (test := _time_test(side.unnest())) is not None]
    if len(tests) < 2 or all(test.text is None for _, test in tests):
        return None
    refused = _ALTERNATIVES if is_alternative else _DEMANDS
    seen: dict[Hashable, dict[_TestKind, exp.Expr | None]] = {}
    for side, test in tests:
        earlier = seen.setdefault(key(test.tested), {})
        for kind, text in earlier.items():
            if frozenset({kind, test.kind}) in refused and (kind is not test.kind or text != test.text):
                return test.tested, side
        earlier.setdefault(test.kind, test.text)
    return None


def _flat(sides: list[exp.Expression], connector: type[exp.Connector]) -> Iterator[exp.Expr]:
    """Yield the sides, and those of the same connectors that stand among them in parentheses."""
    waiting: list[exp.Expr] = [*reversed(sides)]
    while waiting:
        node = waiting.pop()
        inner = node.unnest()
        if isinstance(inner, connector):
            waiting += (inner.expression, inner.this)
        else:
            yield node


def _time_test(node: exp.Expr) -> _TimeTest | None:
    """The test that a condition makes by comparing with constants."""
    if isinstance(node, exp.Not) and isinstance(node.this.unnest(), (exp.In, exp.Between)):
        node = node.this.unnest()
    if isinstance(node, exp.Is) and isinstance(node.expression, exp.Null):
        return _tested(node.this, _TestKind.NULL)
    if isinstance(node, exp.Between):
        return _tested(node.this, _TestKind.RANGE) if _is_constant(node.args["low"]) else None
    if isinstance(node, exp.In) and len(node.expressions) > 1:
        return _tested(node.this, _TestKind.RANGE) if all(map(_is_constant, node.expressions)) else None
    if not isinstance(node, (exp.EQ, exp.NEQ, exp.NullSafeEQ, *_ORDERED)):
        return None
    for one, other in ((node.this, node.expression), (node.expression, node.this)):
        if isinstance(node, _ORDERED) and _is_constant(other):
            return _tested(one, _TestKind.RANGE)
        if not isinstance(node, _ORDERED) and _is_text(other):
            return _tested(one, _TestKind.OTHER if isinstance(node, exp.NEQ) else _TestKind.EQUAL, other)
    return None


def _tested(node: exp.Expr, kind: _TestKind, text: exp.Expr | None = None) -> _TimeTest | None:
    """The test of ``node``, if it is a column or what the planner takes for one; it computes other values first."""
    node = node.unnest()
    is_column = isinstance(node, exp.Column) or (isinstance(node, exp.Cast) and isinstance(node.this, exp.Column))
    is_aggregate = isinstance(node, exp.Anonymous) and node.name.upper() in _AGGREGATED
    if not is_column and not is_aggregate:
        return None
    assert isinstance(node, exp.Expression)
    return _TimeTest(node, kind, text)


def _is_text(node: exp.Expr) -> bool:
    return bool(node.unnest().is_string)


def _is_constant(node: exp.Expr) -> bool:
    return isinstance(node.unnest(), TimeLiteral) or _is_text(node)
