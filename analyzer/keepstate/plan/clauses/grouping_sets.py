"""GROUPING SETS, ROLLUP and CUBE spelled out."""

from __future__ import annotations

from collections.abc import Sequence
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


def _sets(element: Expr) -> list[GroupingSet]:
    if not isinstance(element, GroupingElement):
        return [frozenset({element})]
    if element.word == "GROUPING SETS":
        return [each for part in element.parts for each in _sets(part)]
    parts = [frozenset(chain.from_iterable(_sets(part))) for part in element.parts]
    if element.word == "ROLLUP":
        return [frozenset(chain.from_iterable(parts[:length])) for length in range(len(parts), -1, -1)]
    if element.word == "CUBE":
        sizes = range(len(parts), -1, -1)
        return [frozenset(chain.from_iterable(some)) for size in sizes for some in combinations(parts, size)]
    return [frozenset(chain.from_iterable(parts))]
