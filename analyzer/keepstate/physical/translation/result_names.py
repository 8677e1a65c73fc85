"""The names that the planner gives to the results of an aggregation.

They matter in one place: of several queries that aggregate alike, those whose results bear the same names share one
operator, others do not (``SubplanReuser`` goes by names as well). Measured on Flink 2.3.
"""

from __future__ import annotations

from collections.abc import Iterator

from keepstate.plan.catalog import Catalog
from keepstate.plan.expressions import Expr
from keepstate.plan.lowering.sink_columns import target_of
from keepstate.plan.lowering.statement_queries import outermost_lists
from keepstate.plan.operators import Aggregate
from keepstate.plan.provenance import Place

Words = tuple[str, ...]
_UNNAMED = "$"
"""Name of an expression within another one, or in no select list."""


def result_names(operator: Aggregate, catalog: Catalog) -> tuple[str, ...]:
    """Return the names of the keys and aggregates of an operator, as far as its select list gives them."""
    select = operator.select_place
    items = _SelectList(tuple(_items(select.words)) if select is not None else ())
    places = _places(select, catalog) if select is not None else ()
    return tuple(_name(expr, items, places) for expr in (*operator.keys, *operator.aggregates))


def _places(select: Place, catalog: Catalog) -> tuple[int, ...]:
    """Return the positions in the target of the items of a select list; empty if they equal the positions in the list.

    The planner writes the list anew in the order of the table if the INSERT lists columns: the outermost one, and of
    UNION ALL that of each input (``PreValidateReWriter``). Measured on Flink 2.3.
    """
    target = target_of(select.statement)
    if target is None or not target.columns or select not in outermost_lists(select.statement):
        return ()
    return target.places(catalog)


class _SelectList:
    """The items of a select list, found by how they begin."""

    def __init__(self, items: tuple[Words, ...]) -> None:
        self._items = items
        self._by_beginning: dict[int, dict[Words, list[int]]] = {}
        """Their positions by their first words, for each number of words that was asked for."""

    def beginning_with(self, words: Words) -> Iterator[tuple[int, Words]]:
        length = len(words)
        if length not in self._by_beginning:
            positions = self._by_beginning[length] = {}
            for position, item in enumerate(self._items):
                positions.setdefault(item[:length], []).append(position)
        for position in self._by_beginning[length].get(words, ()):
            yield position, self._items[position]


def _items(words: Words) -> Iterator[Words]:
    """The items of a select list."""
    depth = 0
    item: list[str] = []
    for word in words[1:] if words[:1] == ("SELECT",) else words:
        depth += (word in "([") - (word in ")]")
        if word == "," and depth == 0:
            yield tuple(item)
            item = []
        else:
            item.append(word)
    yield tuple(item)


def _name(expr: Expr, items: _SelectList, places: tuple[int, ...]) -> str:
    words = expr.place.words if expr.place is not None else ()
    for position, item in items.beginning_with(words) if words else ():
        rest = item[len(words) :]
        if not rest:
            place = places[position] if position < len(places) else position
            return f"EXPR${place}" if len(words) > 1 else words[0]
        if rest[0].upper() == "AS" or len(rest) == 1:
            return rest[-1]
    return _UNNAMED
