"""Entries of lists (select items, keys, conditions) that a fix must leave alone."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice, takewhile
from operator import attrgetter

from sqlglot import exp

from keepstate.syntax.script import ParsedStatement, Script, StatementKind
from keepstate.syntax.spans import span_of
from keepstate.syntax.syntax_nodes import nodes_of

_List = tuple[StatementKind, str, int, str]
"""Identity of a list: kind and target of its statement, number of its clause there, and its kind."""
_START = attrgetter("start")
Entries = Mapping[_List, Counter[str]]


def list_entries(script: Script) -> dict[_List, Counter[str]]:
    """Return the entries of all lists of a script, with the numbers of their occurrences, in words without comments.

    >>> from keepstate.syntax.script import parse_script
    >>> lists = list_entries(parse_script("SELECT a, f(b) FROM t WHERE a > 1 AND b < 2 GROUP BY a"))
    >>> sorted((kind, sorted(entries)) for (_, _, _, kind), entries in lists.items())
    [('condition', ['a > 1', 'b < 2']), ('item', ['a', 'f ( b )']), ('key', ['a'])]
    """
    lists: dict[_List, Counter[str]] = {}
    for number, statement in enumerate(script.statements):
        tree = statement.parsed.tree
        if tree is None:
            continue
        target = tree.args.get("this") if statement.kind is StatementKind.INSERT else None
        name = target.name or target.this.name if isinstance(target, exp.Expression) else str(number)
        for (place, kind), entries in script.memo.of(_entries_of, statement.parsed).items():
            lists[(statement.kind, name, place, kind)] = entries
    return lists


def _entries_of(statement: ParsedStatement) -> Mapping[tuple[int, str], Counter[str]]:
    lists: dict[tuple[int, str], Counter[str]] = {}
    places: Counter[str] = Counter()
    for node in nodes_of(statement.tree) if statement.tree is not None else ():
        for kind, nodes in _lists_at(node):
            entries = Counter(" ".join(_words(statement, each)) for each in nodes)
            lists[(places[kind], kind)] = entries
            places[kind] += 1
    return lists


def _lists_at(node: exp.Expr) -> Iterator[tuple[str, list[exp.Expression]]]:
    match node:
        case exp.Select():
            yield "item", list(node.expressions)
        case exp.Group():
            yield "key", list(node.expressions)
        case exp.Where() | exp.Having():
            yield "condition", _conjuncts(node.this)
        case exp.Join() if node.args.get("on") is not None:
            yield "join condition", _conjuncts(node.args["on"])
        case exp.Window() if node.args.get("partition_by"):
            yield "partition", list(node.args["partition_by"])


def _conjuncts(node: exp.Expression) -> list[exp.Expression]:
    parts: list[exp.Expression] = []
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if isinstance(each, exp.And):
            waiting += [each.expression, each.this]
        else:
            parts.append(each)
    return parts


def _words(statement: ParsedStatement, node: exp.Expression) -> Iterator[str]:
    span = span_of(node)
    if span is not None:
        first = bisect_left(statement.tokens, span.start, key=_START)
        tokens = islice(statement.tokens, first, len(statement.tokens) - 1)
        yield from (token.text for token in takewhile(lambda token: token.end <= span.end, tokens))


def touches_others(baseline: Entries, current: Entries, after: Entries) -> bool:
    """Return whether a list of a text that a fix made has lost an entry that both versions have, or has one more often
    than either: the fix has put one entry in the place of another.

    >>> from keepstate.syntax.script import parse_script
    >>> texts = ("SELECT a, b FROM t", "SELECT b, c FROM t", "SELECT a, c FROM t", "SELECT a, b, c FROM t")
    >>> was, now, *fixed = (list_entries(parse_script(text)) for text in texts)
    >>> [touches_others(was, now, each) for each in fixed]
    [True, False]
    """
    for key, entries in after.items():
        was, now = baseline.get(key), current.get(key)
        if was is None or now is None:
            continue
        if any(entries[each] < min(was[each], now[each]) for each in now):
            return True
        if any(entries[each] > max(was[each], now[each]) for each in entries):
            return True
    return False
