"""GROUPING SETS, ROLLUP and CUBE spelled out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, combinations, product

from keepstate.plan.expressions import Expr, GroupingElement

GroupingSet = frozenset[Expr]


def sets_of(elements: Sequence[Expr]) -> list[GroupingSet]:
    """The grouping sets of a GROUP BY with these elements (``Aggregate.elements``), window fields included.

    ``a, ROLLUP (b, c)`` are the sets ``(a, b, c)``, ``(a, b)`` and ``(a)``.

    >>> grouped = root("SELECT buyer, id, SUM(price) FROM orders GROUP BY ROLLUP (buyer, id)")
    >>> [sorted(map(str, each)) for each in sets_of(grouped.elements)]
    [['buyer', 'id'], ['buyer'], []]
    """
    return [frozenset(chain.from_iterable(parts)) for parts in product(*map(_sets, elements))]


def can_be_planned(elements: Sequence[Expr]) -> bool:
    """Return whether Flink plans a GROUP BY with these elements. Sets that stand twice or more make one more
    aggregation for each time. Flink plans it if it has several sets, or all keys.

    >>> query = "SELECT COUNT(*) FROM orders GROUP BY GROUPING SETS (%s)"
    >>> [can_be_planned(root(query % sets).elements) for sets in ("(buyer), (buyer), ()", "(buyer), (buyer), (id)")]
    [True, False]
    """
    counts = Counter(sets_of(elements))
    keys: GroupingSet = frozenset(chain.from_iterable(counts))
    for times in range(1, max(counts.values(), default=0)):
        repeated = [each for each, count in counts.items() if count > times]
        if len(repeated) == 1 and repeated[0] != keys:
            return False
    return True


def has_other_spelling(elements: Sequence[Expr]) -> bool:
    """Return whether one key is written with two names: Flink keeps an alias apart from its expression.

    >>> text = "SELECT buyer AS b FROM orders GROUP BY GROUPING SETS ((b), (buyer), (id))"
    >>> has_other_spelling(root(text).elements)
    True
    """
    names: dict[Expr, str] = {}
    for key in chain.from_iterable(map(_keys, elements)):
        words = key.place.words if key.place is not None else ()
        if words and names.setdefault(key, words[-1]) != words[-1]:
            return True
    return False


def _keys(element: Expr) -> Iterator[Expr]:
    if not isinstance(element, GroupingElement):
        yield element
        return
    for part in element.parts:
        yield from _keys(part)


def _once(sets: Iterable[Iterable[Expr]]) -> list[GroupingSet]:
    """ROLLUP and CUBE have each of their sets once."""
    return list(dict.fromkeys(map(frozenset, sets)))


def _sets(element: Expr) -> list[GroupingSet]:
    if not isinstance(element, GroupingElement):
        return [frozenset({element})]
    if element.word == "GROUPING SETS":
        return [each for part in element.parts for each in _sets(part)]
    parts = [frozenset(chain.from_iterable(_sets(part))) for part in element.parts]
    if element.word == "ROLLUP":
        return _once(chain.from_iterable(parts[:length]) for length in range(len(parts), -1, -1))
    if element.word == "CUBE":
        sizes = range(len(parts), -1, -1)
        return _once(chain.from_iterable(some) for size in sizes for some in combinations(parts, size))
    return [frozenset(chain.from_iterable(parts))]
