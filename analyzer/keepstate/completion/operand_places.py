"""Values at the cursor: what an expression can begin with, and what can follow it."""

from __future__ import annotations

from collections.abc import Iterator

from keepstate.completion import offers
from keepstate.completion.completion_context import Context
from keepstate.completion.completion_proposal import Proposal
from keepstate.completion.facts.function_forms import WINDOWS
from keepstate.completion.facts.keyword_order import (
    BEFORE_OPERAND,
    BEHIND_OPERAND,
    INTERVAL_UNITS,
    clauses_behind,
    ends_operand,
)
from keepstate.structure.levels import Level
from keepstate.structure.token_names import is_name, unquoted
from keepstate.syntax.tokens import TokenKind


def values_at(context: Context) -> Iterator[Proposal]:
    """Everything that a value can begin with."""
    scope = context.scopes.at_cursor()
    pattern = context.scopes.of_pattern()
    if pattern is not None:
        yield from offers.columns_of(pattern, context)
        yield from offers.pattern_variables(context)
    elif scope.parent is None and not scope.items and may_get_from(context):
        yield from offers.columns_of_all(context)
    yield from offers.columns_in(scope, context)
    yield from offers.aliases_in(scope, context)
    yield from offers.functions(context)
    words = list(BEFORE_OPERAND)
    case = _case(context)
    if case == "CASE":
        words.insert(0, "WHEN")
    if context.word(context.cursor.index - 1) == "(" and not context.level.is_query:
        words.append("DISTINCT")
    yield from offers.keywords(words)


def behind_value(context: Context, clause: str, present: frozenset[str]) -> Iterator[Proposal]:
    """Operators and clauses, which follow a value."""
    if behind_interval(context):
        yield from offers.keywords(INTERVAL_UNITS)
        return
    case = _case(context)
    words: list[str] = list(
        {"CASE": ("WHEN",), "WHEN": ("THEN",), "THEN": ("WHEN", "ELSE", "END"), "ELSE": ("END",)}.get(case, ())
    )
    if clause == "ORDER":
        words += ("ASC", "DESC", "NULLS FIRST", "NULLS LAST")
    if clause == "SELECT" and not case:
        words.append("AS")
    if context.word(context.cursor.index - 1) == ")":
        words += ("OVER", "FILTER")
    words += BEHIND_OPERAND
    if clause and not case:
        words += clauses_behind(clause, present)
    yield from offers.keywords(words)


def _case(context: Context) -> str:
    """The last word of the CASE around the cursor; empty outside of one."""
    open_: list[str] = []
    for member in context.members_before:
        word = context.word(member)
        if word == "CASE":
            open_.append(word)
        elif word == "END" and open_:
            open_.pop()
        elif word in ("WHEN", "THEN", "ELSE") and open_:
            open_[-1] = word
    return open_[-1] if open_ else ""


def behind_operand(context: Context) -> bool:
    cursor = context.cursor
    if cursor.back(1).word in ("KEY", "VALUE") and context.level.owner.startswith("JSON_OBJECT"):
        return False
    return ends_operand(cursor.back(1), cursor.back(2))


def behind_interval(context: Context) -> bool:
    cursor = context.cursor
    sign = cursor.back(2).word
    interval = cursor.back(3).word if sign in ("-", "+") else sign
    return cursor.back(1).kind is TokenKind.STRING and interval == "INTERVAL"


def may_get_from(context: Context) -> bool:
    """Return whether the FROM of the query is not written yet."""
    query, at = query_of(context)
    words = [context.word(member) for member in context.levels.arm(query, at)]
    return "SELECT" in words and "FROM" not in words


def query_of(context: Context) -> tuple[Level, int]:
    """The query around the cursor, and the token at which the cursor is in it."""
    at = context.cursor.index
    level = context.level
    while not level.is_query and level.parent is not None:
        at, level = level.open, level.parent
    return level, at


def path_before(context: Context) -> tuple[str, ...]:
    """The names in front of the dot at the cursor, in their order."""
    cursor = context.cursor
    path: list[str] = []
    at = cursor.index - 1
    while at > 0 and cursor.tokens[at].word == "." and is_name(cursor.tokens[at - 1]):
        path.insert(0, unquoted(cursor.tokens[at - 1]))
        at -= 2
    return tuple(path)


def path_from(start: int, context: Context) -> str:
    """The name of a relation that begins at the token ``start``, with dots between its parts."""
    path: list[str] = []
    at = start
    while at < len(context.cursor.tokens) and is_name(context.token(at)):
        path.append(unquoted(context.token(at)))
        if context.word(at + 1) != ".":
            break
        at += 2
    return ".".join(path)


def is_window_call(level: Level, context: Context) -> bool:
    """Return whether brackets are those of a window table function, and not of a group window."""
    if level.owner not in WINDOWS or level.parent is None:
        return False
    if level.parent.owner == "TABLE":
        return True
    clause, _ = context.levels.clause(level.parent, level.open)
    return level.parent.is_query and clause == "FROM"


def place_of_relation(context: Context, back: int) -> bool:
    """Return whether a relation begins behind the token at ``back`` places in front of the cursor."""
    at = context.cursor.index - back
    word = context.word(at)
    if word in ("JOIN", "FROM"):
        return context.word(at - 1) != "DISTINCT" and context.level.is_query
    if word == "TABLE":
        return is_window_call(context.level, context)
    if word != "," or not context.level.is_query:
        return False
    clause, number = context.levels.clause(context.level, at)
    since = [context.word(member) for member in context.level.members if number < member < at]
    conditions = [each for each in since if each in ("JOIN", "ON")]
    return clause == "FROM" and (not conditions or conditions[-1] != "ON")
