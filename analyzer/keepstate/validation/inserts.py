"""Sinks: the columns that an INSERT fills, how many they are, and of which types."""

from __future__ import annotations

from sqlglot import exp

from keepstate.plan.names.full_names import table_name
from keepstate.text import Span
from keepstate.validation.hints import check_hints
from keepstate.validation.queries import QueryCheck
from keepstate.validation.statement_context import DeclaredObject, StatementContext, doubt_of_altered
from keepstate.validation.validity import ValidityProblem
from keepstate.validation.values.families import can_be_stored
from keepstate.validation.values.name_receiver import NameReceiver
from keepstate.validation.values.scopes import RelationColumn, RelationColumns, refuse


def check_insert(tree: exp.Insert, surroundings: StatementContext, queries: QueryCheck) -> None:
    """Refuse an INSERT that does not fit its table.

    >>> from contextlib import closing
    >>> from keepstate.syntax.script import parse_script
    >>> insert = parse_script("INSERT INTO s SELECT 1").statements[0].parsed
    >>> doubts: list[ValidityProblem] = []
    >>> with closing(QueryCheck(insert, StatementContext({}), doubts)) as queries:
    ...     check_insert(insert.tree, StatementContext({}), queries)
    >>> [doubt.message for doubt in doubts]
    ['No table s is declared above.']

    Raises:
        Refused: its query or its columns are wrong.
    """
    span = queries.expressions.span
    target = tree.this
    table = target.this if isinstance(target, exp.Schema) else target
    name = table_name(table)
    sink = surroundings.find(name)
    listed = target.expressions if isinstance(target, exp.Schema) else []
    partition = table.args.get("partition")
    if sink is not None:
        _note_names(table, sink, listed, partition, queries.names)
    if sink is not None and sink.problem is None and sink.kind == "table":
        with queries.names.guard():
            _check_names(sink, listed, partition, queries)
    with queries.names.guard():
        check_hints(table, queries.expressions.later)
    rows = queries.outermost(tree.expression)
    if sink is None:
        message = f"No table {name} is declared above."
        queries.expressions.unsure.append(
            ValidityProblem("unknown-table", span(table), message, depends="catalog", subject=name)
        )
        return
    if sink.problem is not None:
        words = f"{name} is refused itself."
        queries.expressions.unsure.append(
            ValidityProblem("reads-invalid", span(table), words, depends="statement", subject=name)
        )
        return
    if sink.is_altered:
        queries.expressions.unsure.append(doubt_of_altered(sink, span(table)))
        return
    if tree.args.get("by_name"):
        for column in rows.columns:
            same = tuple(each.origin for each in sink.rows.columns if each.is_named(column.name))
            queries.names.merged(span(table), (column.origin, *same))
    if sink.kind != "table" or not sink.rows.complete or not rows.complete or tree.args.get("by_name"):
        return
    fixed = {each.this.name for each in partition.expressions if isinstance(each, exp.EQ)} if partition else set()
    filled = [each.name for each in listed] if listed else [each for each in sink.persisted if each not in fixed]
    _check_columns(tree, sink, filled, rows, queries)


def _note_names(
    table: exp.Table,
    sink: DeclaredObject,
    listed: list[exp.Expression],
    partition: exp.Expression | None,
    names: NameReceiver,
) -> None:
    """Note the table that is written, and its columns in the list and in PARTITION."""
    names.use(table.parts[-1], sink.rows.origin, writes=True)
    columns = {column.name: column.origin for column in sink.rows.columns}
    fixed = [each.this if isinstance(each, exp.EQ) else each for each in (partition.expressions if partition else ())]
    for column in (*listed, *fixed):
        part = column.this if isinstance(column, exp.Column) else column
        if isinstance(part, exp.Identifier):
            names.use(part, columns.get(part.name), writes=True)


def _check_names(
    sink: DeclaredObject, listed: list[exp.Expression], partition: exp.Expression | None, queries: QueryCheck
) -> None:
    span = queries.expressions.span
    names: set[str] = set()
    for column in listed:
        if isinstance(column, exp.Dot):
            refuse("unknown-column", span(column), f"{column.sql()} is a field, and INSERT lists columns only.")
        if not isinstance(column, exp.Identifier):
            return
        if sink.rows.complete and column.name not in sink.persisted:
            refuse("unknown-column", span(column), f"{sink.name} has no column {column.name} that can be written.")
        if column.name in names:
            refuse("duplicate-column", span(column), f"{column.name} is listed twice.")
        names.add(column.name)
    fixed: set[str] = set()
    for entry in partition.expressions if partition is not None else ():
        key = entry.this if isinstance(entry, exp.EQ) else entry
        if isinstance(entry, exp.EQ) and key.name in names:
            refuse("duplicate-column", span(key), f"{key.name} has a value in PARTITION, and is listed as well.")
        fixed.add(key.name)
        if sink.rows.complete and key.name not in {column.name for column in sink.rows.columns}:
            refuse("unknown-column", span(key), f"{sink.name} has no column {key.name}.")
        if sink.rows.complete and key.name not in sink.partition_keys:
            refuse("partition-column", span(key), f"{sink.name} is not partitioned by {key.name}.")
    if listed:
        for each in sink.rows.columns:
            if each.name in sink.persisted and each.nullable is False and each.name not in names | fixed:
                refuse("insert-columns", span(listed[0]), f"{each.name} of {sink.name} takes no NULL: list it.")


def _check_columns(
    tree: exp.Insert, sink: DeclaredObject, filled: list[str], rows: RelationColumns, queries: QueryCheck
) -> None:
    span = queries.expressions.span
    place = _select_list(tree.expression)
    if len(filled) != len(rows.columns):
        message = f"{sink.name} takes {len(filled)} columns, and the query gives {len(rows.columns)}."
        if isinstance(tree.this, exp.Schema):
            refuse("sink-columns", span(place), message)
        queries.expressions.later.refuse("sink-columns", span(place), message)
        return
    columns: dict[str, RelationColumn] = {column.name: column for column in sink.rows.columns}
    for number, (name, column) in enumerate(zip(filled, rows.columns, strict=True)):
        target = columns.get(name)
        if target is not None and target.type == column.type:
            queries.refuse_mixed_times(number)
        if target is not None and not can_be_stored(column.type, target.type):
            message = f"{name} of {sink.name} is {target.type}, and column {number + 1} of the query is {column.type}."
            queries.expressions.later.refuse("sink-type", _item(place, number, queries), message)


def _select_list(query: exp.Expression) -> exp.Expression:
    while isinstance(query, (exp.Subquery, exp.SetOperation)):
        query = query.this
    return query


def _item(select: exp.Expression, index: int, queries: QueryCheck) -> Span:
    items = select.expressions if isinstance(select, exp.Select) else []
    if index < len(items) and not any(isinstance(item, exp.Star) for item in items[: index + 1]):
        return queries.expressions.span(items[index])
    return queries.expressions.span(select)
