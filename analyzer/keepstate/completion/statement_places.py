"""Places outside of queries: declarations, INSERT, SET, and the texts of options."""

from __future__ import annotations

from collections.abc import Iterator

from keepstate.completion import offers
from keepstate.completion.completion_context import Context
from keepstate.completion.completion_proposal import Group, Proposal, ProposalKind
from keepstate.completion.facts.connector_facts import OPTIONS, ConnectorOption, options_of
from keepstate.completion.facts.keyword_order import STATEMENTS, ends_operand
from keepstate.completion.operand_places import path_before, path_from
from keepstate.completion.query_places import in_query
from keepstate.plan.parameters import PARAMETERS, known_parameter
from keepstate.plan.parameters.parameter_values import ValueType
from keepstate.plan.types.logical_types import LogicalType
from keepstate.plan.types.type_names import canonical_type
from keepstate.structure.token_names import is_name, unquoted
from keepstate.syntax.tokens import TokenKind
from keepstate.validation.statement_context import DeclaredObject
from keepstate.validation.values.scopes import FromItem, RelationColumn, RelationColumns, ValidationScope

_RELATION_WORDS = frozenset({"TABLE", "VIEW", "FUNCTION"})
_BEHIND_TABLE = ("COMMENT", "PARTITIONED BY", "DISTRIBUTED BY HASH", "WITH", "LIKE", "AS SELECT")
_BEHIND_TYPE = ("NOT NULL", "METADATA", "METADATA FROM", "VIRTUAL", "PRIMARY KEY NOT ENFORCED", "COMMENT")
_VALUES: dict[str, tuple[str, ...]] = {
    "execution.runtime-mode": ("streaming", "batch"),
    "table.exec.sink.upsert-materialize": ("none", "auto", "force"),
    "table.exec.sink.not-null-enforcer": ("error", "drop"),
    "table.optimizer.agg-phase-strategy": ("auto", "one_phase", "two_phase"),
    "table.optimizer.nonDeterministic-update.strategy": ("ignore", "try_resolve"),
    "execution.checkpointing.mode": ("exactly_once", "at_least_once"),
}
"""Values of parameters that have a few, by Flink's documentation."""


def proposals_at(context: Context) -> Iterator[Proposal]:
    """All proposals for a place, before the word at the cursor chooses among them."""
    cursor = context.cursor
    first = context.word(0)
    if cursor.quote == "'":
        yield from _in_string(context)
        return
    if cursor.index == 0:
        yield from offers.keywords(STATEMENTS)
        return
    if _in_hint(context):
        yield from _hints(context)
        return
    if (options := _options(context)) is not None:
        yield from options
        return
    match first:
        case "CREATE":
            yield from _in_create(context)
        case "INSERT":
            yield from _in_insert(context)
        case "SET" | "RESET":
            if cursor.index == 1:
                yield from (_quoted(each, first == "SET") for each in _parameters())
        case "DROP" | "ALTER" | "DESCRIBE" | "DESC" | "ANALYZE":
            yield from _in_drop(context)
        case "USE":
            yield from offers.keywords(("CATALOG", "MODULES") if cursor.index == 1 else ())
        case "SHOW":
            yield from offers.keywords(
                ("TABLES", "VIEWS", "FUNCTIONS", "CATALOGS", "DATABASES", "CREATE TABLE", "JOBS")
                if cursor.index == 1
                else ()
            )
        case "EXECUTE" | "BEGIN" | "COMPILE" | "EXPLAIN" if cursor.index < 5 and not _has_statement(context):
            yield from _in_set_head(context)
        case _:
            yield from in_query(context)


def _has_query(context: Context) -> bool:
    return any(token.word in ("SELECT", "VALUES") for token in context.cursor.before)


def _has_statement(context: Context) -> bool:
    return any(token.word in ("SELECT", "INSERT") for token in context.cursor.before)


def _in_set_head(context: Context) -> Iterator[Proposal]:
    last = context.word(context.cursor.index - 1)
    behind = {
        "EXECUTE": ("STATEMENT SET BEGIN", "PLAN", "INSERT INTO"),
        "BEGIN": ("STATEMENT SET",) if context.word(0) == "BEGIN" else ("INSERT INTO",),
        "STATEMENT": ("SET BEGIN",) if context.word(0) != "BEGIN" else ("SET",),
        "SET": ("BEGIN",) if context.word(0) != "BEGIN" else (),
        "COMPILE": ("PLAN",),
        "EXPLAIN": ("SELECT", "INSERT INTO", "STATEMENT SET BEGIN", "PLAN FOR"),
    }
    yield from offers.keywords(behind.get(last, ()))


def _in_drop(context: Context) -> Iterator[Proposal]:
    last = context.word(context.cursor.index - 1)
    if context.cursor.index == 1 and last in ("DROP", "ALTER"):
        yield from offers.keywords(("TABLE", "VIEW", "FUNCTION", "TEMPORARY TABLE", "TEMPORARY VIEW", "DATABASE"))
    elif last in ("TABLE", "VIEW", "EXISTS", "DESCRIBE", "DESC"):
        yield from offers.relations(context)


# ---- CREATE


def _in_create(context: Context) -> Iterator[Proposal]:
    cursor, level = context.cursor, context.level
    words = [context.word(number) for number in range(min(cursor.index, 6))]
    kind = next((word for word in words if word in _RELATION_WORDS), "")
    last = context.word(cursor.index - 1)
    if not kind:
        behind = ("TABLE", "VIEW", "FUNCTION", "CATALOG", "DATABASE")
        more = () if cursor.index > 1 else ("TEMPORARY TABLE", "TEMPORARY VIEW", "TEMPORARY FUNCTION")
        yield from offers.keywords((*behind, *more))
    elif last == kind and cursor.index <= 4:
        yield from offers.keywords(("IF NOT EXISTS",))
    elif kind == "FUNCTION":
        yield from offers.keywords(("AS", "LANGUAGE JAVA", "LANGUAGE PYTHON", "USING JAR"))
    elif _reads(context):
        yield from in_query(context)
    elif kind == "VIEW":
        yield from offers.keywords(("AS",) if level.parent is None and last != "VIEW" else ())
    elif _in_column_list(context):
        yield from _in_columns(context)
    elif level.parent is None and last == "LIKE":
        yield from offers.relations(context)
    elif level.parent is None:
        yield from offers.keywords(_BEHIND_TABLE)
    elif level.owner in ("BY", "HASH", "RANGE"):
        yield from offers.columns_of(_own_columns(context), context)
    elif context.word(level.open - 2) == "LIKE":
        yield from offers.keywords(
            f"{how} {feature}"
            for how in ("INCLUDING", "EXCLUDING", "OVERWRITING")
            for feature in ("ALL", "OPTIONS", "WATERMARKS")
        )


def _reads(context: Context) -> bool:
    """Return whether the cursor is in the query of a declaration."""
    root = context.levels.enclosing()[-1]
    words = [context.word(member) for member in root.members if member < context.cursor.index]
    return "AS" in words


def _in_column_list(context: Context) -> bool:
    root = context.levels.enclosing()[-1]
    first = next((member for member in root.members if context.word(member) == "("), None)
    return first is not None and any(level.open == first for level in context.levels.enclosing())


def _in_columns(context: Context) -> Iterator[Proposal]:
    """A place among the columns of CREATE TABLE."""
    cursor, level = context.cursor, context.level
    outer = level
    while outer.parent is not None and outer.parent.parent is not None:
        outer = outer.parent
    item = _item_before(outer, context)
    words = [context.word(member) for member in item]
    last = context.word(cursor.index - 1)
    own = _own_columns(context)
    if cursor.back(1).word == ".":
        column = next((each for each in own.rows.columns if each.name == (path_before(context) or ("",))[0]), None)
        if column is not None:
            yield from offers.fields(column, context)
    elif level is not outer and "KEY" in words:
        yield from offers.columns_of(own, context)
    elif level is not outer and "AS" not in words:
        yield from offers.types() if last in ("<", ",") else ()
    elif not item:
        yield from _elements()
    elif words[0] == "WATERMARK":
        if last == "WATERMARK":
            yield from offers.keywords(("FOR",))
        elif last == "FOR":
            yield from (
                offers.column_proposal(each, context)
                for each in own.rows.columns
                if each.type is None or each.type.root.startswith("TIMESTAMP")
            )
        elif "AS" not in words:
            yield from offers.keywords(("AS",))
        else:
            yield from _computed(own, context)
    elif words[0] in ("PRIMARY", "CONSTRAINT"):
        yield from offers.keywords(
            ("KEY",) if last == "PRIMARY" else ("NOT ENFORCED",) if last == ")" else ("PRIMARY KEY",)
        )
    elif len(item) == 1:
        yield from offers.types()
        yield from offers.keywords(("AS",))
    elif last in ("<", ","):
        yield from offers.types()
    elif "AS" in words:
        yield from _computed(own, context)
    else:
        yield from offers.keywords(_BEHIND_TYPE)


def _item_before(level: object, context: Context) -> list[int]:
    """The tokens of the column that is being written, those of inner brackets left out."""
    result: list[int] = []
    angles = 0
    members = [each for each in context.levels.enclosing()[-2].members if each < context.cursor.index]
    for member in members:
        word = context.word(member)
        angles += (word == "<") - (word == ">")
        if word == "," and not angles:
            result = []
        else:
            result.append(member)
    return result


def _elements() -> Iterator[Proposal]:
    yield Proposal(
        "PRIMARY KEY", ProposalKind.KEYWORD, "PRIMARY KEY (", "", "", "PRIMARY KEY (${1:column}) NOT ENFORCED"
    )
    yield Proposal(
        "WATERMARK FOR",
        ProposalKind.KEYWORD,
        "WATERMARK FOR ",
        "",
        "",
        "WATERMARK FOR ${1:column} AS ${1:column} - INTERVAL '${2:5}' SECOND",
    )


def _computed(own: FromItem, context: Context) -> Iterator[Proposal]:
    cursor = context.cursor
    if ends_operand(cursor.back(1), cursor.back(2)):
        units = ("SECOND", "MINUTE", "HOUR", "DAY") if cursor.back(2).word == "INTERVAL" else ()
        yield from offers.keywords(units)
        return
    yield from offers.columns_in(ValidationScope((FromItem(None, own.rows),)), context)
    yield from offers.functions(context)
    yield from offers.keywords(("CASE", "CAST", "INTERVAL", "NULL"))


def _own_columns(context: Context) -> FromItem:
    """The columns that the statement declares, apart from the one at the cursor."""
    root = context.levels.enclosing()[-1]
    first = next((member for member in root.members if context.word(member) == "("), None)
    columns: list[RelationColumn] = []
    like = next((member for member in root.members if context.word(member) == "LIKE"), None)
    if like is not None and (base := context.declarations.get(path_from(like + 1, context))) is not None:
        columns += base.rows.columns
    items = _items_of(first, context) if first is not None else []
    begins = context.word(context.cursor.index - 1) == "," and context.level.open == first
    started = [item for item in items if item[0] < context.cursor.index]
    if started and not begins and any(level.open == first for level in context.levels.enclosing()):
        items.remove(started[-1])
    for item in items:
        name = context.token(item[0])
        if not is_name(name) or name.word in ("PRIMARY", "WATERMARK", "CONSTRAINT") or len(item) < 2:
            continue
        text = context.cursor.text[context.token(item[1]).start : context.token(item[-1]).end]
        type_ = LogicalType.parse(canonical_type(text) or text) if context.word(item[1]) != "AS" else None
        columns.append(RelationColumn(unquoted(name), type_))
    return FromItem(None, RelationColumns(tuple(columns)))


def _items_of(first: int, context: Context) -> list[list[int]]:
    """The columns between the brackets that open at ``first``, as the tokens of their names and types."""
    items: list[list[int]] = [[]]
    depth = 0
    done = False
    for number in range(first + 1, len(context.cursor.tokens)):
        word = context.word(number)
        depth += (word in ("(", "<")) - (word in (")", ">"))
        if depth < 0:
            break
        if word == "," and not depth:
            items.append([])
            done = False
        elif not done and not (
            depth == 0
            and len(items[-1]) > 1
            and word in ("NOT", "NULL", "METADATA", "COMMENT", "PRIMARY", "CONSTRAINT")
        ):
            items[-1].append(number)
        else:
            done = True
    return [item for item in items if item]


# ---- INSERT


def _in_insert(context: Context) -> Iterator[Proposal]:
    cursor, level = context.cursor, context.level
    last = context.word(cursor.index - 1)
    start = 3 if context.word(2) == "TABLE" else 2
    if cursor.index == 1:
        yield from offers.keywords(("INTO", "OVERWRITE"))
    elif cursor.index == start:
        yield from offers.relations(context, is_written=True)
        return
    elif cursor.back(1).word == "." and not _has_query(context) and level.parent is None:
        yield from offers.relations(context, path_before(context), is_written=True)
    elif level.parent is not None and level.parent.parent is None and not _has_query(context):
        yield from _sink_columns(start, context)
    elif (
        level.parent is None
        and not _has_query(context)
        and last not in ("WITH", ",")
        and "WITH" not in [token.word for token in cursor.before]
    ):
        yield from offers.keywords(("SELECT", "VALUES", "WITH", "PARTITION"))
    else:
        yield from in_query(context)


def _sink_columns(start: int, context: Context) -> Iterator[Proposal]:
    """The columns that the INSERT may still list, or those of its partition."""
    sink = sink_of(start, context)
    if context.word(context.level.open - 1) == "VALUES":
        yield from in_query(context)
        return
    if sink is None or context.word(context.cursor.index - 1) not in ("(", ","):
        return
    listed = {unquoted(context.token(each)) for each in context.level.members if is_name(context.token(each))}
    columns = sink.partition_keys if context.level.owner == "PARTITION" else sink.persisted
    for column in sink.rows.columns:
        if column.name in columns and column.name not in listed:
            yield offers.column_proposal(column, context, sink.name)


def sink_of(start: int, context: Context) -> DeclaredObject | None:
    """The table that the INSERT writes."""
    return context.declarations.get(path_from(start, context))


# ---- options and parameters


def _in_string(context: Context) -> Iterator[Proposal]:
    first = context.word(0)
    if (options := _options(context)) is not None:
        yield from (_unquoted(each, context) for each in options if each.insert.startswith("'"))
    elif first in ("SET", "RESET") and context.cursor.index == 1:
        yield from (_unquoted(_quoted(each, False), context) for each in _parameters())
    elif first == "SET" and context.cursor.index == 3:
        key = context.token(1).text.strip("'")
        for value in _values_of(key):
            yield _unquoted(_value(value), context)


def _unquoted(proposal: Proposal, context: Context) -> Proposal:
    """A proposal for a place at which the opening quote is written: the whole text takes its place."""
    return Proposal(
        proposal.label, proposal.kind, f"'{proposal.label}'", proposal.detail, proposal.meaning, None, proposal.group
    )


def _options(context: Context) -> list[Proposal] | None:
    """The proposals among the options of WITH or of a hint; ``None`` at other places."""
    level, cursor = context.level, context.cursor
    in_with = level.owner == "WITH" and context.word(0) == "CREATE"
    in_hint = level.owner == "OPTIONS"
    if not (in_with or in_hint):
        return None
    connector, keys = _connector_and_keys(context)
    last = context.word(cursor.index - 1)
    columns = tuple(column.name for column in _own_columns(context).rows.columns) if in_with else ()
    options = options_of(connector, columns) if in_with or connector else _all_options()
    if last in ("(", ","):
        return [_option(each) for each in options if each.key not in keys]
    if last == "=":
        key = cursor.back(2).text.strip("'")
        values = next((each.values for each in options if each.key == key), ())
        return [_value(value) for value in values]
    return []


def _all_options() -> tuple[ConnectorOption, ...]:
    by_key = {option.key: option for options in OPTIONS.values() for option in options if "COLUMN" not in option.key}
    return tuple(option for key, option in by_key.items() if key != "connector")


def _connector_and_keys(context: Context) -> tuple[str | None, set[str]]:
    """The connector of the options around the cursor, and the keys that are given."""
    tokens = [context.token(member) for member in context.level.members]
    values: dict[str, str] = {}
    for number, token in enumerate(tokens):
        before = tokens[number - 1].word if number else ","
        if token.kind is TokenKind.STRING and before == ",":
            value = tokens[number + 2].text.strip("'") if number + 2 < len(tokens) else ""
            values[token.text.strip("'")] = value
    return values.get("connector"), set(values)


def _option(option: ConnectorOption) -> Proposal:
    # Plain text ends behind the sign: the value comes next.
    return Proposal(
        option.key,
        ProposalKind.OPTION,
        f"'{option.key}' = ",
        "",
        option.meaning.capitalize(),
        f"'{option.key}' = '$1'",
        Group.COLUMNS,
    )


def _value(value: str) -> Proposal:
    return Proposal(value, ProposalKind.VALUE, f"'{value}'", group=Group.COLUMNS)


def _parameters() -> Iterator[Proposal]:
    for parameter in PARAMETERS:
        detail = f"default: {parameter.default}" if parameter.default is not None else ""
        yield Proposal(
            parameter.key, ProposalKind.OPTION, f"'{parameter.key}'", detail, parameter.title, None, Group.COLUMNS
        )


def _quoted(proposal: Proposal, with_value: bool) -> Proposal:
    snippet = f"'{proposal.label}' = '$1'" if with_value else None
    return Proposal(
        proposal.label, proposal.kind, proposal.insert, proposal.detail, proposal.meaning, snippet, proposal.group
    )


def _values_of(key: str) -> tuple[str, ...]:
    parameter = known_parameter(key)
    if parameter is not None and parameter.type is ValueType.BOOLEAN:
        return ("true", "false")
    return _VALUES.get(key, ())


# ---- hints


def _in_hint(context: Context) -> bool:
    opened = [token.word for token in context.cursor.before if token.word in ("/*+", "*/")]
    return bool(opened) and opened[-1] == "/*+" and context.level.owner != "OPTIONS"


def _hints(context: Context) -> Iterator[Proposal]:
    if context.word(context.cursor.index - 1) in ("/*+", ","):
        for name in ("OPTIONS", "STATE_TTL", "LOOKUP", "BROADCAST", "SHUFFLE_HASH", "MULTI_JOIN"):
            yield Proposal(name, ProposalKind.KEYWORD, f"{name}(", "a hint", "", f"{name}($1)")
    elif context.level.owner in ("STATE_TTL", "LOOKUP", "BROADCAST", "SHUFFLE_HASH", "MULTI_JOIN"):
        yield from offers.aliases_in(context.scopes.at_cursor(), context)
