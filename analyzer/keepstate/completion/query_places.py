"""Places in queries: what can stand at the cursor by the clause and by the token in front of it."""

from __future__ import annotations

from collections.abc import Iterator

from keepstate.completion import offers
from keepstate.completion.brackets import in_brackets, is_cast
from keepstate.completion.completion_context import Context
from keepstate.completion.completion_proposal import Proposal
from keepstate.completion.cursor_scopes import fields_of
from keepstate.completion.facts.keyword_order import BEHIND_OPERAND, JOINS, clauses_behind
from keepstate.completion.operand_places import (
    behind_operand,
    behind_value,
    may_get_from,
    path_before,
    place_of_relation,
    query_of,
    values_at,
)
from keepstate.structure.levels import CLAUSES, Level
from keepstate.structure.token_names import is_name, unquoted
from keepstate.text import Span
from keepstate.validation.values.scopes import FromItem, RelationColumn, StatementRefused, ValidationScope


def in_query(context: Context) -> Iterator[Proposal]:
    """The proposals at a place in a query, or in an expression."""
    if context.cursor.back(1).word == ".":
        yield from _qualified(context)
        return
    defines = context.level.owner == "MATCH_RECOGNIZE" and "DEFINE" in map(context.word, context.members_before)
    if context.word(context.cursor.index - 1) == "AS" and not (defines or is_cast(context.level, context)):
        if context.cursor.following.word != "(" and _opens_query(context):
            yield from offers.keywords(("SELECT", "WITH"))
        return
    level = context.level
    if not level.is_query and (special := in_brackets(level, context)) is not None:
        yield from special
        return
    yield from _in_clause(context)


def _qualified(context: Context) -> Iterator[Proposal]:
    path = path_before(context)
    if not path:
        return
    if place_of_relation(context, 2 * len(path) + 1):
        yield from offers.relations(context, path)
        return
    pattern = context.scopes.of_pattern()
    scope = context.scopes.at_cursor()
    if pattern is not None:
        yield from offers.columns_of(pattern, context)
        return
    item = _item_at_path(scope, path)
    if item is not None:
        yield from offers.columns_of(item, context)
        return
    column = _column(scope, path)
    if column is not None:
        yield from offers.fields(column, context)
        return
    if not scope.items and len(path) == 1 and (declared := context.declarations.get(path[0])) is not None:
        yield from offers.columns_of(FromItem(path[0], declared.rows), context)
    elif not scope.items and len(path) == 1 and may_get_from(context):
        yield from offers.columns_of_all(context)


def _item_at_path(scope: ValidationScope | None, path: tuple[str, ...]) -> FromItem | None:
    while scope is not None:
        for item in scope.items:
            if item.is_called(path):
                return item
        scope = scope.parent
    return None


def _column(scope: ValidationScope, path: tuple[str, ...]) -> RelationColumn | None:
    """The column, or the field of one, that a path names."""
    try:
        resolution = scope.resolve(path, tuple(Span(0, 0) for _ in path))
    except StatementRefused:
        return None
    if resolution is None:
        return None
    column: RelationColumn | None = resolution.column
    for name in resolution.rest:
        column = next((field for field in fields_of(column) if field.is_named(name)), None) if column else None
    return column


def _in_clause(context: Context) -> Iterator[Proposal]:
    query, at = query_of(context)
    clause, number = context.levels.clause(query, at)
    inner = query is not context.level
    cursor = context.cursor
    if inner:
        yield from values_at(context) if not behind_operand(context) else behind_value(context, "", frozenset())
        return
    present = frozenset(
        context.word(member) for member in context.levels.arm(query, at) if context.word(member) in CLAUSES
    )
    last = context.word(cursor.index - 1)
    match clause:
        case "":
            yield from _query_start(context, last)
        case "WITH":
            yield from _in_with(context, last)
        case "FROM":
            yield from _in_from(context, number, present)
        case "GROUP" | "ORDER" if last == clause:
            yield from offers.keywords(("BY",))
        case "LIMIT" | "OFFSET" | "FETCH" | "WINDOW":
            return
        case _ if behind_operand(context):
            yield from behind_value(context, clause, present)
        case _:
            if clause == "SELECT" and last == "SELECT":
                yield from offers.keywords(("DISTINCT", "*"))
            if clause == "GROUP":
                yield from offers.group_windows()
                yield from offers.keywords(("GROUPING SETS", "ROLLUP", "CUBE"))
            if clause == "ORDER":
                yield from _select_aliases(query, at, context)
            yield from values_at(context)


def _opens_query(context: Context) -> bool:
    """Return whether the AS in front of the cursor begins the query of a declaration."""
    return context.word(0) == "CREATE" and not any(token.word == "SELECT" for token in context.cursor.before)


def _query_start(context: Context, last: str) -> Iterator[Proposal]:
    if last in ("UNION", "EXCEPT", "INTERSECT", "MINUS"):
        yield from offers.keywords(("ALL", "SELECT"))
    elif last not in (")",) or context.word(0) in ("INSERT", "EXECUTE"):
        yield from offers.keywords(("SELECT", "WITH", "VALUES"))


def _in_with(context: Context, last: str) -> Iterator[Proposal]:
    if last == ")":
        # Behind the columns of a common table, or behind its query.
        opened = context.cursor.index - 1
        member = context.members_before[-2] if len(context.members_before) > 1 else opened
        yield from offers.keywords(("SELECT",) if context.word(member - 1) == "AS" else ("AS",))
    elif last not in ("WITH", ",", "RECURSIVE"):
        yield from offers.keywords(("AS",))


def _in_from(context: Context, number: int, present: frozenset[str]) -> Iterator[Proposal]:
    cursor = context.cursor
    last = context.word(cursor.index - 1)
    if place_of_relation(context, 1):
        yield from offers.relations(context)
        yield from offers.window_functions(False)
        yield from offers.keywords(("TABLE", "LATERAL TABLE", "UNNEST"))
        return
    since = [context.word(member) for member in context.members_before if member > number]
    joins = [word for word in since if word in ("JOIN", "ON", "USING", ",")]
    in_condition = bool(joins) and joins[-1] == "ON"
    if last == "TABLE":
        yield from offers.relations(context)
    elif last in ("LEFT", "RIGHT", "FULL", "CROSS", "INNER", "NATURAL", "OUTER"):
        yield from offers.keywords(("JOIN", "OUTER JOIN") if last in ("LEFT", "RIGHT", "FULL") else ("JOIN",))
    elif last == "LATERAL":
        yield from offers.keywords(("TABLE",))
    elif last in ("SYSTEM_TIME", "FOR"):
        yield from offers.keywords(("AS OF",) if last == "SYSTEM_TIME" else ("SYSTEM_TIME AS OF",))
    elif in_condition and not behind_operand(context):
        yield from values_at(context)
    elif in_condition:
        yield from offers.keywords((*JOINS, *BEHIND_OPERAND, *clauses_behind("FROM", present)))
    elif last == "OF":
        yield from values_at(context)
    else:
        pending = bool(joins) and joins[-1] == "JOIN" and "CROSS" not in since
        more = ("ON", "USING") if pending else ()
        yield from offers.keywords((*more, *JOINS, *clauses_behind("FROM", present)))
        yield from offers.keywords(("AS", "FOR SYSTEM_TIME AS OF", "MATCH_RECOGNIZE"))


def _select_aliases(query: Level, at: int, context: Context) -> Iterator[Proposal]:
    for member in context.levels.arm(query, at):
        if context.word(member) == "FROM":
            return
        token = context.token(member)
        if is_name(token) and context.word(member - 1) == "AS":
            yield offers.column_proposal(RelationColumn(unquoted(token)), context, "the select list")
