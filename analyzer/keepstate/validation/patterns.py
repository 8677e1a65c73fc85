"""MATCH_RECOGNIZE: the variables of its pattern, and the columns that it gives."""

from __future__ import annotations

from dataclasses import replace

from keepstate.syntax import nodes
from keepstate.validation.expressions import Expressions, Place
from keepstate.validation.scopes import Column, Item, Rows, Scope


def pattern_rows(node: nodes.RowPattern, item: Item, expressions: Expressions) -> Rows:
    """The rows of a pattern: the columns of PARTITION BY and the measures."""
    scope = Scope((item,))
    place = Place("MATCH_RECOGNIZE", aggregates=True, windows=False)
    keys: list[Column] = []
    for key in node.args.get("partition_by") or ():
        value = expressions.value(key, scope, replace(place, aggregates=False))
        keys.append(Column(key.name, value.type))
    order = node.args.get("order")
    for ordered in order.expressions if order is not None else ():
        expressions.value(ordered.this, scope, replace(place, aggregates=False))
    measures = tuple(Column(measure.alias) for measure in node.args.get("measures") or ())
    return Rows((*keys, *measures))
