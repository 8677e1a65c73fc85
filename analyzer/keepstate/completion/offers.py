"""Proposals of names: columns, relations, functions and types."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from keepstate.completion.completion_context import Context
from keepstate.completion.completion_proposal import Group, Proposal, ProposalKind, written_name
from keepstate.completion.cursor_scopes import fields_of
from keepstate.completion.facts.function_forms import FORMS, GROUP_WINDOW_PROPERTIES, WINDOWS, Form
from keepstate.plan.catalog import TableDefinition, ViewDefinition
from keepstate.structure.token_names import is_name, unquoted
from keepstate.validation.values.scopes import FromItem, RelationColumn, TimeRole, ValidationScope

TYPES = (
    "STRING INT BIGINT DOUBLE BOOLEAN DATE TIMESTAMP(3) TIMESTAMP_LTZ(3) TIMESTAMP TIMESTAMP_LTZ TIME DECIMAL FLOAT "
    "SMALLINT TINYINT BYTES VARCHAR CHAR VARBINARY BINARY"
).split()
_TYPES_OF_TYPES = {
    "ARRAY": "ARRAY<${1:STRING}>",
    "MAP": "MAP<${1:STRING}, ${2:STRING}>",
    "ROW": "ROW<${1:name STRING}>",
}
_DEFAULT_PATH = ("default_catalog", "default_database")
_MOST_OWNERS = 3
_OF_PATTERNS = {
    "FIRST": "the value in the first row of a pattern variable",
    "LAST": "the value in the last row of a pattern variable",
    "PREV": "the value in the row before",
    "NEXT": "the value in the row behind",
    "CLASSIFIER": "the name of the pattern variable of the row",
    "MATCH_NUMBER": "the number of the match",
}
_OF_GROUP_WINDOWS = {
    "START": "the start of the group window",
    "END": "the end of the group window",
    "ROWTIME": "the last moment of the group window, as a time attribute",
    "PROCTIME": "the processing time of the group window, as a time attribute",
}


def column_proposal(
    column: RelationColumn, context: Context, owner: str = "", kind: ProposalKind = ProposalKind.COLUMN
) -> Proposal:
    """The proposal of a column; ``owner`` names its relation."""
    words = [str(column.type) if column.type is not None else ""]
    if column.nullable is False:
        words.append("NOT NULL")
    if column.time in (TimeRole.ROW, TimeRole.PROC):
        words.append(f"({column.time.value})")
    detail = " ".join(filter(None, words))
    insert = written_name(column.name, context.dialect.flink)
    return Proposal(column.name, kind, insert, detail, f"Column of {owner}" if owner else "", None, Group.COLUMNS)


def columns_of(item: FromItem, context: Context) -> Iterator[Proposal]:
    for column in as_written(item.rows.columns, context):
        if column.name not in item.hidden:
            yield column_proposal(column, context, item.name or "")


def as_written(columns: Iterable[RelationColumn], context: Context) -> Iterator[RelationColumn]:
    """The columns; those that were fields of a ROW in the case in which the script writes them, which types lose."""
    for column in columns:
        if not column.caseless:
            yield column
            continue
        for name in context.declarations.spellings(context.cursor.tokens).get(column.name, (column.name,)):
            yield replace(column, name=name)


def columns_in(scope: ValidationScope | None, context: Context) -> Iterator[Proposal]:
    """The columns of all relations, those of queries further out behind them, and the names to qualify columns by.

    A column of several relations comes once for each, qualified: by itself Flink refuses it.
    """
    while scope is not None:
        pairs = [
            (item, column)
            for item in scope.items
            for column in as_written(item.rows.columns, context)
            if column.name not in item.hidden
        ]
        names = [column.name for _, column in pairs]
        for item, column in pairs:
            if names.count(column.name) == 1 or item.name is None:
                yield column_proposal(column, context, item.name or "")
                continue
            plain = column_proposal(column, context, item.name)
            owner = written_name(item.name, context.dialect.flink)
            yield Proposal(
                f"{item.name}.{column.name}",
                plain.kind,
                f"{owner}.{plain.insert}",
                plain.detail,
                plain.meaning,
                None,
                Group.COLUMNS,
            )
        scope = scope.parent


def columns_of_all(context: Context) -> Iterator[Proposal]:
    """The columns of all relations of the script, for a query whose FROM is not written yet."""
    owners: dict[str, list[str]] = {}
    columns: dict[str, RelationColumn] = {}
    relations = {name: context.declarations[name].rows for name in context.declarations.definitions}
    for name, rows in {**relations, **context.scopes.common_tables()}.items():
        for column in rows.columns:
            owners.setdefault(column.name, []).append(name)
            columns.setdefault(column.name, column)
    for name, column in columns.items():
        yield column_proposal(column, context, ", ".join(owners[name][:_MOST_OWNERS]))


def pattern_variables(context: Context) -> Iterator[Proposal]:
    """The variables of MATCH_RECOGNIZE, and the functions that only patterns have."""
    tokens = context.cursor.tokens
    depth = 0
    names: dict[str, None] = {}
    for number, token in enumerate(tokens):
        if token.word == "(" and number and (depth or tokens[number - 1].word == "PATTERN"):
            depth += 1
        elif token.word == ")" and depth:
            depth -= 1
        elif depth and is_name(token):
            names[unquoted(token)] = None
        elif (
            token.word == "AS"
            and number > 1
            and tokens[number - 2].word in ("DEFINE", ",")
            and "DEFINE" in {each.word for each in tokens[:number]}
        ):
            names[unquoted(tokens[number - 1])] = None
    for name in names:
        insert = written_name(name, context.dialect.flink)
        yield Proposal(name, ProposalKind.ALIAS, insert, "pattern variable", "", None, Group.RELATIONS)
    for name, meaning in _OF_PATTERNS.items():
        plain = name not in ("CLASSIFIER", "MATCH_NUMBER")
        yield _call(
            name, name, f"{name}({'column' if plain else ''})", meaning, plain, context.cursor.following.word == "("
        )


def aliases_in(scope: ValidationScope | None, context: Context) -> Iterator[Proposal]:
    """The names of the relations in scope."""
    while scope is not None:
        for item in scope.items:
            if item.name is not None:
                names = ", ".join(column.name for column in item.rows.columns[:6])
                more = ", ..." if len(item.rows.columns) > 6 else ""
                insert = written_name(item.name, context.dialect.flink)
                yield Proposal(item.name, ProposalKind.ALIAS, insert, f"{names}{more}", "", None, Group.RELATIONS)
        scope = scope.parent


def fields(column: RelationColumn, context: Context) -> Iterator[Proposal]:
    """The fields of a ROW, in the case in which the script writes them."""
    for field in as_written(fields_of(column), context):
        yield column_proposal(field, context, column.name, ProposalKind.FIELD)


def relations(context: Context, path: tuple[str, ...] = (), *, is_written: bool = False) -> Iterator[Proposal]:
    """Tables, views and common tables that the statement may read; only tables if it writes (``is_written``).

    ``path`` are the names of catalog and database in front of the cursor.
    """
    declarations = context.declarations
    flink = context.dialect.flink
    if path in (_DEFAULT_PATH, _DEFAULT_PATH[1:]):
        path = ()
    if not is_written and not path:
        for name, rows in context.scopes.common_tables().items():
            listed = ", ".join(column.name for column in rows.columns)
            yield Proposal(
                name,
                ProposalKind.COMMON_TABLE,
                written_name(name, flink),
                listed,
                "Common table",
                None,
                Group.RELATIONS,
            )
    for name, definition in declarations.definitions.items():
        is_view = isinstance(definition, ViewDefinition)
        if is_view and is_written:
            continue
        parts = tuple(name.split("."))
        if parts[: len(path)] != path or (path and len(parts) == len(path)):
            continue
        rest = parts[len(path) :]
        kind = ProposalKind.VIEW if is_view else ProposalKind.TABLE
        insert = ".".join(written_name(part, flink) for part in rest)
        yield Proposal(".".join(rest), kind, insert, _detail(definition), "", None, Group.RELATIONS)


def _detail(definition: TableDefinition | ViewDefinition) -> str:
    if isinstance(definition, ViewDefinition):
        return "view"
    connector = definition.options.get("connector")
    return f"table ({connector.value})" if connector is not None and connector.value else "table"


def functions(context: Context) -> Iterator[Proposal]:
    """Built-in functions, and those that the script declares."""
    followed = context.cursor.following.word == "("
    declarations = context.declarations
    for name in declarations.functions:
        label = declarations.function_as_written(name)
        insert = written_name(label, context.dialect.flink)
        yield _call(label, insert, f"{label}(...)", "Function of this script", True, followed)
    for name, forms in FORMS.items():
        if name not in declarations.functions:
            form = forms[-1]
            yield _built_in(name, form, followed)
    typed = context.cursor.prefix.upper()
    if _groups_by_window(context) or (len(typed) > 1 and typed[:3] in ("TU", "TUM", "HO", "HOP", "SE", "SES")):
        for name in GROUP_WINDOW_PROPERTIES:
            meaning = _OF_GROUP_WINDOWS[name.partition("_")[2]]
            yield _call(name, name, f"{name}(time, interval)", meaning, True, followed)


def _built_in(name: str, form: Form, followed: bool) -> Proposal:
    if form.is_niladic:
        return Proposal(name, ProposalKind.FUNCTION, name, form.text, form.meaning, None, Group.FUNCTIONS)
    return _call(name, name, form.text, form.meaning, form.has_arguments, followed)


def _call(label: str, insert: str, detail: str, meaning: str, has_arguments: bool, followed: bool) -> Proposal:
    """The proposal of a call; with its brackets, unless there are some behind the cursor."""
    if followed:
        return Proposal(label, ProposalKind.FUNCTION, insert, detail, meaning, None, Group.FUNCTIONS)
    plain = f"{insert}()" if not has_arguments else f"{insert}("
    snippet = f"{insert}($1)" if has_arguments else None
    return Proposal(label, ProposalKind.FUNCTION, plain, detail, meaning, snippet, Group.FUNCTIONS)


def _groups_by_window(context: Context) -> bool:
    tokens = context.cursor.tokens
    return any(
        token.word in ("TUMBLE", "HOP", "SESSION")
        and number + 1 < len(tokens)
        and tokens[number + 1].word == "("
        and tokens[number - 1].word != "("
        for number, token in enumerate(tokens)
    )


def group_windows() -> Iterator[Proposal]:
    """The windows of GROUP BY."""
    for name, more in (("TUMBLE", ""), ("HOP", ", INTERVAL '${3:1}' HOUR"), ("SESSION", "")):
        snippet = f"{name}(${{1:time}}, INTERVAL '${{2:1}}' HOUR{more})"
        yield Proposal(
            name,
            ProposalKind.WINDOW,
            f"{name}(",
            f"{name}(time, interval{', interval' if more else ''})",
            "A group window",
            snippet,
            Group.FUNCTIONS,
        )


_SNIPPETS = {
    "TUMBLE": "SIZE => INTERVAL '${3:1}' HOUR",
    "HOP": "SLIDE => INTERVAL '${3:5}' MINUTE, SIZE => INTERVAL '${4:1}' HOUR",
    "CUMULATE": "STEP => INTERVAL '${3:5}' MINUTE, SIZE => INTERVAL '${4:1}' DAY",
    "SESSION": "GAP => INTERVAL '${3:10}' MINUTE",
}


def window_functions(inside_table: bool) -> Iterator[Proposal]:
    """The window table functions; with TABLE(...) around them, unless that is written already."""
    for name, form in WINDOWS.items():
        call = f"{name}(DATA => TABLE ${{1:table}}, TIMECOL => DESCRIPTOR(${{2:time}}), {_SNIPPETS[name]})"
        snippet = call if inside_table else f"TABLE({call})"
        plain = f"{name}(" if inside_table else f"TABLE({name}("
        yield Proposal(name, ProposalKind.WINDOW, plain, form.text, form.meaning.capitalize(), snippet, Group.SNIPPETS)


def types() -> Iterator[Proposal]:
    for name in TYPES:
        yield Proposal(name, ProposalKind.TYPE, name)
    for name, snippet in _TYPES_OF_TYPES.items():
        yield Proposal(name, ProposalKind.TYPE, f"{name}<", snippet=snippet)


def time_columns(item: FromItem, context: Context) -> Iterator[Proposal]:
    """The time attributes of a relation."""
    for column in item.rows.columns:
        if not column.time.is_lost:
            yield column_proposal(column, context, item.name or "")


def keywords(words: Iterable[str]) -> Iterator[Proposal]:
    for word in words:
        yield Proposal(word, ProposalKind.KEYWORD, word)
