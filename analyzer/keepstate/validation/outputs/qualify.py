"""QUALIFY: a condition on the windows of its own query."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sqlglot import exp

from keepstate.validation.values.expression_check import ExpressionCheck
from keepstate.validation.values.scopes import RelationColumn, ValidationScope, refuse
from keepstate.validation.values.value import ExpressionContext

_MOST_COLUMNS = 5
"""Columns of a query beside which Flink 2.3 plans any QUALIFY; with more it ends with an error of its own."""
_QUERIES = (exp.Select, exp.SetOperation, exp.Subquery, exp.Exists)


def check_qualify(
    node: exp.Select, columns: list[RelationColumn], scope: ValidationScope, check: ExpressionCheck, is_grouped: bool
) -> None:
    """Refuse a QUALIFY without a window function, or one that is no condition; it may name the ``columns`` of the
    query.
    """
    clause = node.args.get("qualify")
    if clause is None:
        return
    condition = clause.this
    scope = replace(scope, aliases={column.name: column for column in columns})
    if is_grouped:
        message = "Flink plans no QUALIFY in a query that groups: group in a query inside of this one."
        check.later.refuse("qualify", check.span(clause), message)
    items = {item.alias: item.this for item in node.expressions if isinstance(item, exp.Alias)}
    places = [condition]
    for column in (each for each in _own(condition) if isinstance(each, exp.Column) and each.name in items):
        if len(column.parts) == 1:
            places.append(items[column.name])
    windows = [each for part in places for each in _own(part) if isinstance(each, exp.Window)]
    if not windows:
        refuse("qualify", check.span(condition), "QUALIFY needs a window function: filter in WHERE or HAVING.")
    own_windows = [each for each in _own(condition) if isinstance(each, exp.Window)]
    is_item = any(isinstance(item.unalias(), exp.Window) or item.unalias() == condition for item in node.expressions)
    if own_windows and not is_item and len(columns) > _MOST_COLUMNS:
        message = f"Flink plans QUALIFY beside {len(columns)} columns only if its window is one of them: select it too."
        refuse("qualify", check.span(own_windows[0]), message)
    place = ExpressionContext("QUALIFY")
    # A ranking that a condition limits is no OVER aggregation: its windows are checked here.
    around, check.over = check.over, None
    try:
        for window in own_windows:
            order = window.args.get("order")
            for key in (*(window.args.get("partition_by") or ()), *(order.expressions if order is not None else ())):
                check.value(key.this if isinstance(key, exp.Ordered) else key, scope, place)
        check.condition(condition, scope, place)
    finally:
        check.over = around


def _own(node: exp.Expression) -> Iterator[exp.Expression]:
    """Yield the parts of an expression, those of queries inside of it left out."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        if isinstance(current, _QUERIES):
            continue
        yield current
        waiting += current.iter_expressions()
