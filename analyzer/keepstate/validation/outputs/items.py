"""Items of select lists, and the names that a list gives to the columns of a query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from sqlglot import exp

from keepstate.plan.names.implied_names import path_end
from keepstate.syntax.keywords import NILADIC_FUNCTIONS
from keepstate.text import Span
from keepstate.validation.values.builtin_signatures import is_aggregate
from keepstate.validation.values.expression_check import ExpressionCheck
from keepstate.validation.values.scopes import (
    RelationColumn,
    RelationColumns,
    StatementRefused,
    ValidationScope,
    refuse,
)

_WINDOW_ENDS = frozenset({"window_start", "window_end"})


def check_common(
    table: exp.Expression, listed: list[exp.Expression], rows: RelationColumns, expressions: ExpressionCheck
) -> None:
    """Refuse a common table whose list of columns does not fit its query, or names one twice."""
    span, name = expressions.span, table.alias_or_name
    if listed and rows.complete and len(listed) != len(rows.columns):
        text, first = expressions.statement.text, span(listed[0]).start
        at = Span(text.rindex("(", 0, first), span(listed[-1]).end)
        words = f"lists {len(listed)} columns, and its query gives {len(rows.columns)}"
        refuse("view-columns", at, f"{name} {words}.")
    seen: set[str] = set()
    for column in listed:
        if column.name in seen:
            refuse("duplicate-column", span(column), f"Two columns of {name} would be called {column.name}.")
        seen.add(column.name)
    query = table.this
    while isinstance(query, (exp.Subquery, exp.SetOperation)):
        query = query.this
    items = query.expressions if isinstance(query, exp.Select) and not listed else []
    twice = name_of_two(items, rows)
    if twice is not None:
        refuse("duplicate-column", span(query), f"Two columns of {name} would be called {twice[0]}.")


def name_of_two(items: list[exp.Expression], rows: RelationColumns) -> tuple[str, exp.Expression] | None:
    """The first name that an item has although one in front of it gives it, with that one. Columns of ``*`` get other
    names instead.
    """
    stars = [item for item in items if is_star(item)]
    if len(stars) > 1 or (stars and not rows.complete):
        return None
    width = len(rows.columns) - len(items) + 1
    givers: dict[str, exp.Expression] = {}
    place = 0
    for item in items:
        if is_star(item):
            givers = {**dict.fromkeys((column.name for column in rows.columns[place : place + width]), item), **givers}
            place += width
            continue
        name = given_name(item)
        if name and name in givers:
            return name, givers[name]
        givers[name] = item
        place += 1
    return None


def check_bare_call(item: exp.Expression, expressions: ExpressionCheck) -> None:
    """Refuse LAG without OVER as an item without a name of its own; with one Flink takes it for an aggregate."""
    call = item.unnest()
    if isinstance(call, exp.Anonymous) and call.name.upper() == "LAG":
        refuse("over-missing", expressions.span(call), "LAG needs OVER (...).")


def check_window_names(items: list[exp.Expression], expressions: ExpressionCheck) -> None:
    """Note aggregates of windows that are called like an end of their window."""
    for item in items:
        call = item.this.this if isinstance(item.this, exp.Filter) else item.this
        is_call = isinstance(item, exp.Alias) and isinstance(call, exp.Anonymous)
        if is_call and item.alias in _WINDOW_ENDS and is_aggregate(call.name.upper(), expressions.functions):
            message = f"The window has an end {item.alias} already: call this column otherwise."
            expressions.later.refuse("duplicate-column", expressions.span(item), message)


def check_starred(star: exp.Expression, rows: RelationColumns, expressions: ExpressionCheck) -> None:
    """Refuse ``*`` of a query two of whose columns have one name."""
    names = [column.name for column in rows.columns]
    if len(set(names)) < len(names):
        twice = next(name for name, number in Counter(names).items() if number > 1)
        refuse("ambiguous-column", expressions.span(star), f"Two columns of this query are called {twice}: rename one.")


def check_sorted(ordered: exp.Expression, rows: RelationColumns, expressions: ExpressionCheck) -> None:
    """Refuse an item of ORDER BY that names an output which has a namesake."""
    names = Counter(column.name for column in rows.columns)
    for column in ordered.this.find_all(exp.Column):
        if len(column.parts) == 1 and names[column.name] > 1:
            message = f"Two columns of this query are called {column.name}: rename one, or order by its relation's."
            refuse("ambiguous-column", expressions.span(column), message)


def check_windows(windows: list[exp.Expression], expressions: ExpressionCheck) -> None:
    """Refuse a WINDOW clause that declares a name twice, in whatever case."""
    seen: set[str] = set()
    for window in windows:
        if window.name.upper() in seen:
            refuse("duplicate-window", expressions.span(window.this), f"The window {window.name} is there twice.")
        seen.add(window.name.upper())


def fields_of(
    item: exp.Expression, path: tuple[str, ...], scope: ValidationScope, expressions: ExpressionCheck
) -> Iterator[RelationColumn]:
    """The fields of the ROW that ``path.*`` is about."""
    span = expressions.span(item)
    try:
        row = expressions.column_facts(path, spans_of(item, expressions), scope).type
    except StatementRefused:
        refuse("unknown-qualifier", span, f"No relation and no ROW in this FROM is called {'.'.join(path)}.")
    if row is None:
        return
    if row.root != "ROW":
        refuse("unknown-qualifier", span, f"{'.'.join(path)} is {row}, and no relation or ROW.")
    names = row.exact_names or row.names
    yield from (RelationColumn(name, type_) for name, type_ in zip(names, row.elements, strict=True))


def over_calls(node: exp.Select) -> list[exp.Window]:
    """The calls with OVER among the items of a query, not those of queries inside of it."""
    calls: list[exp.Window] = []
    waiting: list[exp.Expression] = list(reversed(node.expressions))
    while waiting:
        current = waiting.pop()
        if isinstance(current, exp.Window):
            calls.append(current)
        elif not isinstance(current, (exp.Select, exp.SetOperation, exp.Subquery)):
            waiting += (child for child in current.iter_expressions())
    return calls


def is_computed(node: exp.Expression) -> bool:
    """Return whether an expression computes a value from columns or rows."""
    return not isinstance(node, exp.Column) and node.find(exp.Column, exp.Star) is not None


def reads_values(node: exp.Select) -> bool:
    source = node.args.get("from_")
    return source is not None and source.find(exp.Values) is not None


def is_star(item: exp.Expression) -> bool:
    return isinstance(item, exp.Star) or (isinstance(item, exp.Column) and isinstance(item.this, exp.Star))


def path_of(star: exp.Expression) -> tuple[str, ...]:
    """The names in front of a star."""
    return tuple(part.name for part in star.parts[:-1]) if isinstance(star, exp.Column) else ()


def spans_of(star: exp.Expression, expressions: ExpressionCheck) -> tuple[Span, ...]:
    return tuple(map(expressions.span, star.parts[:-1])) if isinstance(star, exp.Column) else ()


def implied_name(node: exp.Expression, position: int) -> str:
    return _own_name(node) or f"EXPR${position}"


def given_name(item: exp.Expression) -> str:
    """The name that an item has by its alias or by itself; empty for one that Flink gives a number."""
    return str(item.alias) if isinstance(item, exp.Alias) else _own_name(item)


def _own_name(node: exp.Expression) -> str:
    while isinstance(node, exp.Paren):
        node = node.this
    return str(node.name) if is_bare_call(node) else path_end(node)


def is_bare_call(node: exp.Expression) -> bool:
    """Return whether a node is a function that is written without brackets, such as CURRENT_DATE."""
    return (
        isinstance(node, exp.Anonymous)
        and node.name.upper() in NILADIC_FUNCTIONS
        and node.meta["span"] == node.meta["keyword"]
    )


def bare_calls(query: exp.Expression) -> Iterator[exp.Expression]:
    """Yield the items without an alias in ``query``, and in queries inside of it, that are functions without brackets.

    Flink keeps a view as text with an alias for each item. Such an alias is a reserved word, which it does not quote.
    """
    for select in query.find_all(exp.Select):
        yield from filter(is_bare_call, select.expressions)


def selected(node: exp.Expression) -> exp.Expression:
    while isinstance(node, (exp.Subquery, exp.SetOperation)):
        node = node.this
    return node


def item_of(node: exp.Expression, index: int, expressions: ExpressionCheck) -> Span:
    select = selected(node)
    items = select.expressions if isinstance(select, exp.Select) else []
    if index < len(items) and not any(map(is_star, items[: index + 1])):
        return expressions.span(items[index])
    return expressions.span(node)


def first_item(node: exp.Expression, expressions: ExpressionCheck) -> Span:
    return item_of(node, 0, expressions)
