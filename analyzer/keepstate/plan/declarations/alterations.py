"""ALTER TABLE and ALTER VIEW, applied to what they alter.

Flink 2.3 executes each where it stands: a renamed table has its new name below, and a changed column its new type. It
alters no temporary table and no temporary view.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlglot import exp

from keepstate.plan.declarations.definitions import (
    ColumnDefinition,
    Elements,
    TableDefinition,
    ViewDefinition,
    elements_of,
    options_in,
)
from keepstate.plan.names.full_names import table_name, upper
from keepstate.syntax import syntax_nodes
from keepstate.syntax.script import ParsedStatement, StatementKind
from keepstate.syntax.spans import span_of
from keepstate.syntax.tokens import Token, TokenKind

Relation = TableDefinition | ViewDefinition
_QUERIES = (exp.Select, exp.SetOperation, exp.Values, exp.Subquery)
_DROPPED = frozenset({"TABLE", "VIEW", "FUNCTION"})


def altered_name(statement: ParsedStatement) -> str | None:
    """The name of the table or view that a statement alters; ``None`` for any other statement.

    >>> altered_name(statement("ALTER TABLE t ADD (a INT)"))
    't'
    """
    tree = statement.tree
    if statement.kind is not StatementKind.ALTER or tree is None or tree.args.get("kind") not in ("TABLE", "VIEW"):
        return None
    return table_name(tree.this)


def is_followed(statement: ParsedStatement) -> bool:
    """Return whether the definition behind an ALTER says all that it does: it gives another name, or another query.

    >>> is_followed(statement("ALTER TABLE t RENAME TO u"))
    True
    >>> is_followed(statement("ALTER TABLE t SET ('format' = 'json')"))
    False
    """
    tree = statement.tree
    if altered_name(statement) is None or tree is None:
        return False
    action = tree.args["actions"][0]
    return isinstance(action, exp.AlterRename) or (tree.args["kind"] == "VIEW" and isinstance(action, _QUERIES))


def altered(definition: Relation, statement: ParsedStatement) -> Relation:
    """The definition behind an ALTER of it; itself, if the statement changes nothing that a definition has.

    >>> from keepstate.plan.declarations.definitions import define
    >>> from keepstate.syntax.statement import parse_statement
    >>> table = define(parse_statement("CREATE TABLE t (a INT, b INT)"))
    >>> [column.name for column in altered(table, parse_statement("ALTER TABLE t ADD c INT AFTER a")).columns]
    ['a', 'c', 'b']
    >>> altered(table, parse_statement("ALTER TABLE t RENAME TO u")).name
    'u'
    """
    tree = statement.tree
    assert tree is not None, "a statement that alters something is read"
    action = tree.args["actions"][0]
    if definition.temporary or (tree.args["kind"] == "VIEW") != isinstance(definition, ViewDefinition):
        return definition
    if isinstance(action, exp.AlterRename):
        return replace(definition, name=table_name(action.this))
    if isinstance(definition, ViewDefinition):
        if isinstance(action, _QUERIES):
            return replace(definition, statement=statement, query=action, columns=())
        return definition
    return _altered_table(definition, statement, action)


def _altered_table(table: TableDefinition, statement: ParsedStatement, action: exp.Expression) -> TableDefinition:
    match action:
        case exp.Schema():
            return _with_elements(table, action.expressions, elements_of(statement, action.expressions))
        case exp.RenameColumn():
            return _renamed(table, action.this.name, action.args["to"].name)
        case exp.AlterSet():
            return replace(table, options={**table.options, **options_in(statement, action.expressions)})
        case syntax_nodes.OtherStatement():
            span = span_of(action)
            assert span is not None, "words have a place"
            return _without(table, [token for token in statement.tokens[:-1] if token.start >= span.start])
    return table


def _with_elements(table: TableDefinition, elements: list[exp.Expression], contents: Elements) -> TableDefinition:
    """The table with the elements of ADD or MODIFY, which name columns that are new, or known."""
    columns = list(table.columns)
    positions = (element.args.get("position") for element in elements if isinstance(element, exp.ColumnDef))
    for column, position in zip(contents.columns, positions, strict=True):
        _put(columns, column, position)
    return replace(
        table,
        columns=tuple(columns),
        time_attributes=contents.times or table.time_attributes,
        watermark_place=contents.watermark_place or table.watermark_place,
        primary_key=contents.key or table.primary_key,
        primary_key_place=contents.key_place or table.primary_key_place,
    )


def _put(columns: list[ColumnDefinition], column: ColumnDefinition, position: exp.Expression | None) -> None:
    names = [each.name for each in columns]
    at = len(columns)
    if column.name in names:
        at = names.index(column.name)
        del columns[at], names[at]
    if position is not None and position.this is None:
        at = 0
    elif position is not None and position.this.name in names:
        at = names.index(position.this.name) + 1
    columns.insert(at, column)


def _renamed(table: TableDefinition, name: str, new: str) -> TableDefinition:
    """The table with another name of a column. Flink refuses that for one that an expression or the watermark reads."""
    return replace(
        table,
        columns=tuple(replace(each, name=new) if each.name == name else each for each in table.columns),
        primary_key=tuple(new if each == name else each for each in table.primary_key),
    )


def _without(table: TableDefinition, tokens: list[Token]) -> TableDefinition:
    """The table behind DROP or RESET, whose words these are."""
    first, *rest = tokens
    if first.word == "RESET":
        keys = {token.text.strip("'") for token in rest if token.kind is TokenKind.STRING}
        return replace(table, options={key: each for key, each in table.options.items() if key not in keys})
    if first.word != "DROP" or not rest or rest[0].word in ("PARTITION", "DISTRIBUTION"):
        return table
    if rest[0].word == "WATERMARK":
        return replace(table, time_attributes=frozenset(), watermark_place=None)
    if rest[0].word in ("PRIMARY", "CONSTRAINT"):
        return replace(table, primary_key=(), primary_key_place=None)
    names = {token.text.strip("`") for token in rest if token.kind in (TokenKind.WORD, TokenKind.NAME)}
    return replace(table, columns=tuple(each for each in table.columns if each.name not in names))


@dataclass(frozen=True)
class DroppedObject:
    """The table, view or function that a statement drops."""

    name: str
    is_function: bool
    is_temporary: bool


def dropped(statement: ParsedStatement) -> DroppedObject | None:
    """The name that a statement drops; ``None`` for any other statement.

    >>> dropped(statement("DROP TEMPORARY FUNCTION f"))
    DroppedObject(name='F', is_function=True, is_temporary=True)
    >>> dropped(statement("DROP TABLE t")).name
    't'
    """
    tree = statement.tree
    if statement.kind is not StatementKind.DROP or tree is None or tree.args.get("kind") not in _DROPPED:
        return None
    is_function = tree.args["kind"] == "FUNCTION"
    name = table_name(tree.this)
    return DroppedObject(upper(name) if is_function else name, is_function, bool(tree.args.get("temporary")))
