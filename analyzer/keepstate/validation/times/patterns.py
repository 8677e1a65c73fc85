"""MATCH_RECOGNIZE: the variables of its pattern, and the columns that it gives."""

from __future__ import annotations

import re
from dataclasses import replace

from sqlglot import exp

from keepstate.syntax import syntax_nodes
from keepstate.text import Span
from keepstate.validation.outputs.sorting import check_sort
from keepstate.validation.times.derived_times import computed_time
from keepstate.validation.values.builtin_signatures import is_aggregate
from keepstate.validation.values.declared_symbols import NameKind
from keepstate.validation.values.expression_check import ExpressionCheck
from keepstate.validation.values.intervals import is_months
from keepstate.validation.values.scopes import (
    FromItem,
    RelationColumn,
    RelationColumns,
    TimeRole,
    ValidationScope,
    refuse,
)
from keepstate.validation.values.value import PATTERN, UNKNOWN, ExpressionContext

_WORD = re.compile(r"`[^`]+`|[^\W\d][\w$]*")
_QUANTIFIERS = frozenset("*+}")
_NAVIGATION = frozenset({"FIRST", "LAST", "PREV", "NEXT"})


def pattern_rows(node: syntax_nodes.RowPattern, item: FromItem, expressions: ExpressionCheck) -> RelationColumns:
    """The rows of a pattern: the columns of PARTITION BY and the measures.

    Raises:
        Refused: Flink cannot match it.
    """
    names = frozenset(column.name for column in item.rows.columns)
    variables = _variables(node)
    origins = expressions.names.variables(node)
    rows = (
        FromItem(name, item.rows, hidden=names, merged=names, origin=origins.get(name)) for name in sorted(variables)
    )
    scope = ValidationScope((FromItem(None, item.rows), *rows))
    place = ExpressionContext(PATTERN, aggregates=True, windows=False)
    keys: list[RelationColumn] = []
    outer = replace(scope, items=(FromItem(item.name, item.rows, origin=item.origin), *scope.items[1:]))
    for key in node.args.get("partition_by") or ():
        value = expressions.value(key, outer, replace(place, aggregates=False))
        if not isinstance(key.unnest(), exp.Column):
            refuse("pattern", expressions.span(key), "MATCH_RECOGNIZE is partitioned by columns: compute them below.")
        if key.name in {each.name for each in keys}:
            message = f"MATCH_RECOGNIZE is partitioned by {key.name} already."
            expressions.later.refuse("pattern", expressions.span(key), message)
        keys.append(RelationColumn(key.name, value.type, origin=expressions.names.implied(key)))
    first = _order(node, outer, expressions)
    measures = []
    for measure in node.args.get("measures") or ():
        value = UNKNOWN
        with expressions.names.guard():
            _check_navigation(measure.this, expressions)
            _check_aggregates(measure.this, variables, expressions)
            value = expressions.value(measure.this, scope, place)
        expressions.names.rest(measure.this, scope)
        source = expressions.names.implied(measure.this)
        origin = expressions.names.declare(NameKind.OUTPUT, measure.args["alias"], source=source)
        time = computed_time(measure.this, value, scope)
        if not isinstance(measure.this.unnest(), exp.Anonymous):
            time = time.materialized()
        measures.append(RelationColumn(measure.alias, value.type, time, origin=origin))
    _check_names(node, expressions)
    for definition in node.args.get("define") or ():
        with expressions.names.guard():
            _check_navigation(definition.this, expressions)
            _check_aggregates(definition.this, variables, expressions)
            expressions.condition(definition.this, scope, replace(place, clause="DEFINE"))
        expressions.names.rest(definition.this, scope)
    with expressions.names.guard():
        _check_after(node, variables, first, expressions)
    # Of namesakes, which the planner refuses, one is enough.
    columns = {column.name: column for column in reversed((*keys, *measures))}
    return RelationColumns(tuple(reversed(columns.values())), item.rows.complete)


def _check_names(node: syntax_nodes.RowPattern, expressions: ExpressionCheck) -> None:
    """Refuse measures whose names are taken, variables with two conditions, and a pattern without measures."""
    measures = node.args.get("measures") or ()
    if not measures:
        expressions.later.refuse("pattern", expressions.span(node.args["pattern"]), "A pattern has MEASURES in Flink.")
    names = {key.name for key in node.args.get("partition_by") or ()}
    for measure in measures:
        if measure.alias in names:
            message = f"MATCH_RECOGNIZE gives another column {measure.alias} already."
            expressions.later.refuse("pattern", expressions.span(measure), message)
        names.add(measure.alias)
    variables = set[str]()
    for definition in node.args.get("define") or ():
        if definition.alias in variables:
            message = f"The variable {definition.alias} has a condition already."
            expressions.later.refuse("pattern", expressions.span(definition), message)
        variables.add(definition.alias)


def _check_after(
    node: syntax_nodes.RowPattern,
    variables: frozenset[str],
    first: tuple[exp.Expression, TimeRole] | None,
    expressions: ExpressionCheck,
) -> None:
    _check_skip(node, variables, expressions)
    _check_stream(node, first, expressions)


def _variables(node: syntax_nodes.RowPattern) -> frozenset[str]:
    variables = [_plain(word) for word in _WORD.findall(str(node.args["pattern"].this)) if word.upper() != "PERMUTE"]
    subsets = [subset.alias for subset in node.args.get("subsets") or ()]
    defined = [definition.alias for definition in node.args.get("define") or ()]
    return frozenset((*variables, *subsets, *defined))


def _check_skip(node: syntax_nodes.RowPattern, variables: frozenset[str], expressions: ExpressionCheck) -> None:
    """Refuse ``SKIP TO`` a variable that the pattern does not have."""
    after = node.args.get("after")
    words = str(after.this).split() if after is not None else []
    if after is not None and "TO" in words and words[-1] not in variables and words[-2:] != ["NEXT", "ROW"]:
        refuse("pattern", expressions.span(after), f"The pattern has no variable {words[-1]}.")


def _plain(word: str) -> str:
    return word.strip("`")


def _order(
    node: syntax_nodes.RowPattern, scope: ValidationScope, expressions: ExpressionCheck
) -> tuple[exp.Expression, TimeRole] | None:
    order = node.args.get("order")
    first: tuple[exp.Expression, TimeRole] | None = None
    for ordered in order.expressions if order is not None else ():
        value = expressions.value(ordered.this, scope, ExpressionContext("ORDER BY", aggregates=False, windows=False))
        check_sort(ordered, value.type, expressions)
        time = TimeRole.UNKNOWN if value.type is None else value.time
        if first is not None and not isinstance(ordered.this.unnest(), exp.Column):
            message = "MATCH_RECOGNIZE is ordered by columns: compute them below."
            expressions.later.refuse("pattern", expressions.span(ordered), message)
        first = first or (ordered, time)
    return first


def _check_stream(
    node: syntax_nodes.RowPattern, first: tuple[exp.Expression, TimeRole] | None, expressions: ExpressionCheck
) -> None:
    span = expressions.span
    if first is None:
        message = "MATCH_RECOGNIZE needs ORDER BY, by a time attribute first."
        expressions.later.refuse("pattern", span(node.args["pattern"]), message)
        return
    if first[1].is_lost:
        expressions.later.refuse("pattern", span(first[0]), "MATCH_RECOGNIZE is ordered by a time attribute first.")
    if first[0].args.get("desc"):
        expressions.later.refuse("pattern", span(first[0]), "MATCH_RECOGNIZE is ordered by ascending time.")
    within = node.args.get("within")
    if within is not None and is_months(within):
        message = "WITHIN takes days, hours, minutes or seconds."
        expressions.later.refuse("pattern", span(within), message)
    rows = node.args.get("rows")
    if rows is not None and str(rows.this).startswith("ALL"):
        expressions.later.refuse("pattern", span(rows), "Flink matches with ONE ROW PER MATCH only.")
    tokens = str(node.args["pattern"].this).split()
    if "|" in tokens:
        expressions.later.refuse(
            "pattern", span(node.args["pattern"]), "Flink matches no alternatives: PATTERN takes no |."
        )
    exact = tokens[-1:] == ["}"] and "," not in tokens[len(tokens) - tokens[::-1].index("{") :]
    if tokens and tokens[-1] in _QUANTIFIERS and not exact:
        message = "The last variable of PATTERN has no greedy quantifier: end it with ?, or add a variable."
        expressions.later.refuse("pattern", span(node.args["pattern"]), message)


def _check_aggregates(node: exp.Expression, variables: frozenset[str], expressions: ExpressionCheck) -> None:
    """Refuse aggregates over rows of several variables or of none, those that FIRST and LAST look at, ``A.*``, FILTER
    and queries.
    """
    for column in node.find_all(exp.Column):
        if isinstance(column.this, exp.Star):
            message = f"{column.table}.* is no value of a pattern: name a column, or write COUNT(*)."
            refuse("pattern", expressions.span(column), message)
    for each in node.find_all(exp.Filter, exp.Subquery):
        words = "FILTER" if isinstance(each, exp.Filter) else "query"
        expressions.later.refuse("pattern", expressions.span(each), f"There is no {words} in a pattern.")
    for call in node.find_all(exp.Anonymous):
        name = str(call.this).upper()
        if name in _NAVIGATION:
            for inner in call.find_all(exp.Anonymous):
                if inner is not call and is_aggregate(str(inner.this).upper(), expressions.functions):
                    refuse("pattern", expressions.span(inner), f"{name} looks at no aggregate.")
        if is_aggregate(name, expressions.functions):
            used_variables = {column.table for column in call.find_all(exp.Column)} & variables
            if len(used_variables) > 1:
                refuse("pattern", expressions.span(call), f"{name} is over one variable of the pattern only.")
            if call.expressions and call.find(exp.Column, exp.Star) is None:
                message = f"{name} looks at no column, so it is over no variable of the pattern."
                expressions.later.refuse("pattern", expressions.span(call), message)


def _check_navigation(node: exp.Expression, expressions: ExpressionCheck) -> None:
    for call in node.find_all(exp.Anonymous):
        if str(call.this).upper() not in _NAVIGATION or not call.expressions:
            continue
        variables = {column.table for column in call.expressions[0].find_all(exp.Column) if column.table}
        if len(variables) > 1:
            span = Span(*call.meta["span"])
            refuse("pattern", span, f"{str(call.this).upper()} looks at one variable of the pattern only.")
