"""Places in brackets that are neither a query nor a plain call: windows, types, patterns, lists of names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from keepstate.completion import offers
from keepstate.completion.completion_context import Context
from keepstate.completion.completion_proposal import Group, Proposal, ProposalKind
from keepstate.completion.facts.function_forms import WINDOWS
from keepstate.completion.facts.keyword_order import INTERVAL_UNITS, PATTERN_PARTS, UNITS, ends_operand
from keepstate.completion.operand_places import behind_interval, is_window_call, values_at
from keepstate.structure.levels import Level

_WITH_UNIT_FIRST = frozenset({"EXTRACT", "TIMESTAMPDIFF", "TIMESTAMPADD"})


_SIZED_TYPES = frozenset(
    "DECIMAL DEC NUMERIC VARCHAR CHAR VARBINARY BINARY TIMESTAMP TIMESTAMP_LTZ TIME CHARACTER".split()
)


def in_brackets(level: Level, context: Context) -> Iterable[Proposal] | None:
    """The proposals in brackets that are no query and no plain call; ``None`` for others."""
    owner, before = level.owner, context.members_before
    last = context.word(context.cursor.index - 1)
    if owner == "DESCRIPTOR":
        return _described(context)
    if is_window_call(level, context):
        return _window_arguments(owner, level, context)
    if owner == "OVER":
        return _over(context)
    if owner in _WITH_UNIT_FIRST and not before:
        return offers.keywords(UNITS)
    if owner in ("CEIL", "FLOOR") and last == "TO":
        return offers.keywords(UNITS)
    if owner in ("CAST", "TRY_CAST") and is_cast(level, context):
        return offers.types()
    if owner in ("CAST", "TRY_CAST") and before and ends_operand(context.cursor.back(1), context.cursor.back(2)):
        return offers.keywords(("AS",))
    if owner == "USING":
        return _shared_columns(context)
    if owner == "MATCH_RECOGNIZE":
        return _in_pattern(context)
    if owner == "TABLE":
        return (*offers.window_functions(True), *_table_functions(context)) if not before else ()
    if owner in ("FROM", "JOIN") and not before:
        return offers.keywords(("SELECT", "VALUES", "WITH"))
    if owner in _SIZED_TYPES or context.word(level.open - 2) == "AS" or _lists_names(level, context):
        return ()
    if owner in ("IN", "EXISTS", "ALL", "ANY", "SOME", "(") and not before:
        return (*offers.keywords(("SELECT",)), *values_at(context))
    if owner == "FILTER" and not before:
        return offers.keywords(("WHERE",))
    return None


def is_cast(level: Level, context: Context) -> bool:
    return level.owner in ("CAST", "TRY_CAST") and any(context.word(each) == "AS" for each in context.members_before)


def _lists_names(level: Level, context: Context) -> bool:
    """Return whether brackets list new names: of a common table, or of a view."""
    parent = level.parent
    if parent is None or not parent.is_query:
        return False
    clause, _ = context.levels.clause(parent, level.open)
    return clause == "WITH" and level.owner != "AS"


def _described(context: Context) -> Iterator[Proposal]:
    item = context.scopes.described()
    if item is not None:
        yield from offers.time_columns(item, context)


def _window_arguments(name: str, level: Level, context: Context) -> Iterator[Proposal]:
    cursor = context.cursor
    last = context.word(cursor.index - 1)
    form = WINDOWS[name]
    if last in ("(", ","):
        words = {context.word(member) for member in level.members}
        texts = [form.text[start:end] for start, end in form.parameters]
        position = sum(context.word(each) == "," for each in context.members_before)
        for text in texts:
            key, _, value = text.partition(" => ")
            if key not in words:
                label = {"DATA": "TABLE ", "TIMECOL": "DESCRIPTOR("}.get(key, "INTERVAL '")
                yield Proposal(
                    f"{key} =>",
                    ProposalKind.PARAMETER,
                    f"{key} => {label}",
                    value,
                    f"Argument of {name}",
                    f"{key} => {_VALUES.get(key, _LENGTH)}",
                    Group.COLUMNS,
                )
        if position == 0:
            yield from offers.keywords(("TABLE",))
        elif position == 1:
            yield Proposal("DESCRIPTOR", ProposalKind.KEYWORD, "DESCRIPTOR(", "DESCRIPTOR(time)", "", "DESCRIPTOR($1)")
        else:
            yield from offers.keywords(("INTERVAL",))
    elif last == "TABLE":
        yield from offers.relations(context)
    elif last == "=>":
        key = context.word(cursor.index - 2)
        if key == "DATA":
            yield from offers.keywords(("TABLE",))
        elif key == "TIMECOL":
            yield Proposal("DESCRIPTOR", ProposalKind.KEYWORD, "DESCRIPTOR(", "DESCRIPTOR(time)", "", "DESCRIPTOR($1)")
        else:
            yield from offers.keywords(("INTERVAL",))
    elif behind_interval(context):
        yield from offers.keywords(INTERVAL_UNITS)
    elif last in ("BY",) and (item := context.scopes.described()) is not None:
        yield from offers.columns_of(item, context)
    elif name == "SESSION" and context.word(cursor.index - 2) == "TABLE":
        yield from offers.keywords(("PARTITION BY",))


_LENGTH = "INTERVAL '${1:1}' ${2:HOUR}"


_VALUES = {"DATA": "TABLE ${1:table}", "TIMECOL": "DESCRIPTOR(${1:time})"}


def _over(context: Context) -> Iterator[Proposal]:
    cursor = context.cursor
    words = [context.word(member) for member in context.members_before]
    last = words[-1] if words else ""
    if not words:
        yield from offers.keywords(("PARTITION BY", "ORDER BY"))
    elif last in ("PARTITION", "ORDER"):
        yield from offers.keywords(("BY",))
    elif "ROWS" in words or "RANGE" in words:
        yield from offers.keywords(("BETWEEN", "UNBOUNDED PRECEDING", "PRECEDING", "AND", "CURRENT ROW", "INTERVAL"))
    elif ends_operand(cursor.back(1), cursor.back(2)):
        behind = ("ASC", "DESC", "ROWS BETWEEN", "RANGE BETWEEN") if "ORDER" in words else ("ORDER BY",)
        yield from offers.keywords(behind)
    else:
        yield from values_at(context)


def _shared_columns(context: Context) -> Iterator[Proposal]:
    """The columns that the last relation has in common with those in front of it."""
    items = context.scopes.at_cursor().items
    if len(items) > 1:
        names = {column.name for item in items[:-1] for column in item.rows.columns}
        for column in items[-1].rows.columns:
            if column.name in names:
                yield offers.column_proposal(column, context, items[-1].name or "")


def _in_pattern(context: Context) -> Iterator[Proposal]:
    cursor = context.cursor
    words = [context.word(member) for member in context.members_before]
    if words and not ends_operand(cursor.back(1), cursor.back(2)):
        yield from values_at(context)
        return
    if words and words[-1] in ("MEASURES", "DEFINE", "BY"):
        yield from values_at(context)
        return
    yield from offers.keywords(word for word in PATTERN_PARTS if word.split()[0] not in words)


def _table_functions(context: Context) -> Iterator[Proposal]:
    for name in context.declarations.functions:
        label = context.declarations.function_as_written(name)
        yield Proposal(
            label, ProposalKind.FUNCTION, f"{label}(", f"{label}(...)", "Function of this script", f"{label}($1)"
        )
