"""Declarations: CREATE TABLE, CREATE VIEW, CREATE FUNCTION, and what each gives to the statements below it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from sqlglot import exp

from keepstate.plan.catalog import ColumnDefinition, Definition, FunctionDefinition, TableDefinition, ViewDefinition
from keepstate.plan.types.logical_types import LogicalType
from keepstate.syntax.statement import ParsedStatement
from keepstate.text import Span
from keepstate.validation.outputs.items import bare_calls, name_of_two
from keepstate.validation.outputs.like_clauses import check_like, columns_of_base, features_of_columns, overwrites
from keepstate.validation.queries import QueryCheck
from keepstate.validation.statement_context import DeclaredObject, StatementContext
from keepstate.validation.validity import ValidityProblem
from keepstate.validation.values import families
from keepstate.validation.values.declared_symbols import DeclaredSymbol, NameKind
from keepstate.validation.values.families import can_be_stored
from keepstate.validation.values.name_receiver import NameReceiver
from keepstate.validation.values.scopes import (
    OPEN_ROWS,
    FromItem,
    RelationColumn,
    RelationColumns,
    TimeRole,
    ValidationScope,
    refuse,
)
from keepstate.validation.values.value import UNKNOWN, ExpressionContext
from keepstate.validation.values.written_types import check_type

_MOST_OF_ROWTIME = 3


def declare(
    statement: ParsedStatement, definition: Definition | None, surroundings: StatementContext, queries: QueryCheck
) -> DeclaredObject | None:
    """Return the declaration by ``definition``; ``None`` for one that declares nothing.

    >>> from keepstate.plan.declarations.definitions import define
    >>> from keepstate.syntax.script import parse_script
    >>> view, nothing = parse_script("CREATE VIEW v AS SELECT 1 AS a").statements[0].parsed, StatementContext({})
    >>> declare(view, define(view), nothing, QueryCheck(view, nothing, [])).kind
    'view'

    Raises:
        Refused: Flink refuses the declaration.
    """
    match definition:
        case TableDefinition():
            check_database(definition.name, definition.name_place.span, surroundings, queries)
            return _table(definition, surroundings, queries)
        case ViewDefinition():
            return _view(definition, queries)
        case FunctionDefinition():
            rows = replace(OPEN_ROWS, origin=_origin(statement, NameKind.FUNCTION, queries.names))
            return DeclaredObject(definition.name, statement, definition.place.span, rows, "function")
    return None


def _target(statement: ParsedStatement) -> exp.Table:
    """The node of the name that a statement declares."""
    tree = statement.tree
    assert tree is not None
    target = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
    assert isinstance(target, exp.Table)
    return target


def _origin(statement: ParsedStatement, kind: NameKind, names: NameReceiver) -> DeclaredSymbol | None:
    return names.declare(kind, _target(statement).parts[-1])


def _view(view: ViewDefinition, queries: QueryCheck) -> DeclaredObject:
    origin = _origin(view.statement, NameKind.VIEW, queries.names)
    rows = OPEN_ROWS
    with queries.names.guard():
        rows = queries.query(view.query)
    tree = view.statement.tree
    assert tree is not None
    target = tree.this
    place = queries.expressions.span(target.this if isinstance(target, exp.Schema) else target)
    if view.columns:
        with queries.names.guard():
            if rows.complete and len(view.columns) != len(rows.columns):
                message = f"{view.name} lists {len(view.columns)} columns, and its query gives {len(rows.columns)}."
                refuse("view-columns", queries.expressions.span(target), message)
        listed = [column.this for column in target.expressions]
        rows = rows.renamed(view.columns, queries.names.columns(NameKind.OUTPUT, listed, rows, view.name))
    rows = replace(rows, origin=origin)
    with queries.names.guard():
        _check_doubles(view, rows, queries)
    for call in bare_calls(view.query):
        word = call.name.upper()
        message = f"Flink cannot read {view.name} again, in which {word} is a column without an alias."
        queries.expressions.later.refuse("view-column-name", queries.expressions.span(call), message)
    return DeclaredObject(view.name, view.statement, place, rows, "view", temporary=view.temporary)


def _check_doubles(view: ViewDefinition, rows: RelationColumns, queries: QueryCheck) -> None:
    """Refuse two columns of one name."""
    query = view.query
    while isinstance(query, (exp.Subquery, exp.SetOperation)):
        query = query.this
    items = query.expressions if isinstance(query, exp.Select) else []
    double = name_of_two(items, rows) if not view.columns else None
    name = double[0] if double is not None else _first_double(iter(view.columns))
    if name is not None:
        place = double[1] if double is not None else items[0] if items else query
        refuse("duplicate-column", queries.expressions.span(place), f"Two columns would be called {name}.")


def check_database(name: str, place: Span, surroundings: StatementContext, queries: QueryCheck) -> None:
    """Doubt a declaration in a database that the script does not create."""
    database = name.rpartition(".")[0]
    if database and database not in surroundings.databases:
        message = f"No database {database} is created above."
        queries.expressions.unsure.append(ValidityProblem("unknown-database", place, message, depends="catalog"))


def _table(table: TableDefinition, surroundings: StatementContext, queries: QueryCheck) -> DeclaredObject:
    tree = table.statement.tree
    assert tree is not None
    span = queries.expressions.span
    origin = _origin(table.statement, NameKind.TABLE, queries.names)
    target = tree.this
    elements = target.expressions if isinstance(target, exp.Schema) else []
    base = None
    if table.like is not None:
        base = surroundings.find(table.like)
        if base is not None:
            queries.names.use(tree.args["like"].this.parts[-1], base.rows.origin)
        if base is None:
            node = tree.args["like"].this
            queries.expressions.doubt("unknown-table", node, f"No table {table.like} is declared above.", "catalog")
    selected = None
    if tree.args.get("expression") is not None:
        with queries.names.guard():
            selected = queries.outermost(tree.args["expression"])
    with queries.names.guard():
        for element in elements:
            if isinstance(element, exp.ColumnDef) and element.args.get("kind") is not None:
                check_type(element.args["kind"], span)
        check_like(table, base, queries.expressions.span)
        if selected is not None:
            _check_filling(table, selected, queries)
    columns, complete = _columns(table, elements, base, selected, queries)
    rows = RelationColumns(columns, complete, origin=origin)
    _note_columns(tree, elements, rows, queries.names)
    key, watermarked = table.primary_key, bool(table.time_attributes)
    with queries.names.guard():
        key = _primary_key(table, elements, base, rows, selected, queries)
        # Flink makes the columns of a key NOT NULL, and they stay so in a table that is LIKE this one.
        all_columns = (replace(each, nullable=False) if each.name in key else each for each in rows.columns)
        rows = replace(rows, columns=tuple(all_columns))
    with queries.names.guard():
        rows, watermarked = _watermark(table, elements, base, rows, queries)
    options = {**(base.options if base is not None and "OPTIONS" not in table.left_out else {}), **table.options}
    virtual = {column.name for column in table.columns if column.virtual or column.expression is not None}
    inherited = tuple(base.persisted) if base is not None else ()
    own = {column.name for column in table.columns}
    inherited_names = {column.name for column in rows.columns} - own
    persisted = tuple(name for name in inherited if name in inherited_names) + tuple(
        column.name for column in table.columns if column.name not in virtual
    )
    features = features_of_columns(table, base)
    if selected is not None and not table.columns:
        persisted = tuple(column.name for column in selected.columns)
    names = {column.name for column in rows.columns}
    with queries.names.guard():
        _check_buckets(tree, table, rows, span)
    with queries.names.guard():
        for name in table.partition_keys:
            if rows.complete and name not in names:
                message = f"{table.name} is partitioned by {name}, which it has not."
                refuse("partition-column", table.name_place.span, message)
    partition = table.partition_keys or (base.partition_keys if base is not None else ())
    return DeclaredObject(
        table.name,
        table.statement,
        table.name_place.span,
        rows,
        "table",
        key,
        options,
        partition,
        persisted,
        watermarked,
        table.temporary,
        features=features,
    )


def _check_filling(table: TableDefinition, selected: RelationColumns, queries: QueryCheck) -> None:
    """Refuse a column that the query of the table does not fill, or fills with values of another type."""
    columns_by_name = {column.name: column for column in selected.columns}
    for column in table.columns:
        if column.expression is not None or column.metadata is not None or not column.type:
            continue
        value, place = columns_by_name.get(column.name), column.place.span
        if value is None:
            if column.not_null and selected.complete:
                refuse("insert-columns", place, f"{column.name} takes no NULL, and the query does not give it.")
            continue
        type_ = LogicalType.declared(column.type)
        if not can_be_stored(value.type, type_) or (column.not_null and value.nullable):
            words = "NULL too" if can_be_stored(value.type, type_) else str(value.type)
            refuse("sink-type", place, f"{column.name} is {type_}, and the query gives {words}.")


def _columns(
    table: TableDefinition,
    elements: list[exp.Expression],
    base: DeclaredObject | None,
    selected: RelationColumns | None,
    queries: QueryCheck,
) -> tuple[tuple[RelationColumn, ...], bool]:
    """The columns of a table in their order, and whether these are all."""
    span = queries.expressions.span
    columns: dict[str, RelationColumn] = {}
    if base is not None:
        columns.update((column.name, column) for column in columns_of_base(table, base))
    complete = (table.like is None or (base is not None and base.rows.complete)) and not any(
        isinstance(element, exp.Placeholder) for element in elements
    )
    own: dict[str, exp.Expression] = {}
    origins: dict[str, DeclaredSymbol | None] = {}
    for element in elements:
        if not isinstance(element, exp.ColumnDef):
            continue
        first = element.this
        while isinstance(first, exp.Dot):
            # Flink takes the first of several words for the name.
            first = first.this
        name = first.name
        with queries.names.guard():
            if name in own:
                refuse("duplicate-column", span(element.this), f"Column {name} is declared twice.")
            if base is not None and name in columns and not overwrites(table, element):
                refuse("duplicate-column", span(element.this), f"{table.like} has a column {name} already.")
        own[name] = element
        origins[name] = queries.names.declare(NameKind.COLUMN, first, table.name)
    if any(isinstance(element, exp.ColumnDef) and isinstance(element.this, exp.Dot) for element in elements):
        return tuple(columns.values()), False
    for column in table.columns:
        if column.expression is None:
            type_ = _type_as_written(column, own.get(column.name), queries)
            columns[column.name] = RelationColumn(
                column.name, type_, nullable=not column.not_null, origin=origins.get(column.name)
            )
    physical = RelationColumns(tuple(columns.values()), complete)
    for column in table.columns:
        if column.expression is None:
            continue
        scope = ValidationScope((FromItem(None, physical),))
        value = UNKNOWN
        with queries.names.guard():
            for query in column.expression.find_all(exp.Subquery, exp.Exists):
                refuse("computed-column", queries.expressions.span(query), "A computed column holds no query.")
            value = queries.expressions.value(column.expression, scope, ExpressionContext("a computed column"))
        queries.names.rest(column.expression, scope)
        origin = origins.get(column.name)
        columns[column.name] = RelationColumn(column.name, value.type, value.time, value.nullable, origin=origin)
    if selected is not None:
        if not table.columns:
            columns.update((column.name, replace(column, time=TimeRole.NONE)) for column in selected.columns)
        complete = complete and selected.complete
    order = [column.name for column in table.columns]
    declared = set(order)
    ordered = [name for name in columns if name not in declared] + order
    return tuple(columns[name] for name in ordered), complete and bool(columns)


def _type_as_written(
    column: ColumnDefinition, element: exp.Expression | None, queries: QueryCheck
) -> LogicalType | None:
    """The type of a column, with the names of fields as they are written."""
    if not column.type:
        return None
    type_ = LogicalType.declared(column.type)
    kind = element.args.get("kind") if element is not None else None
    if kind is None:
        return type_
    written_type = LogicalType.as_written(queries.expressions.span(kind).of(queries.expressions.statement.text))
    return written_type if written_type == type_ else type_


def _check_buckets(
    tree: exp.Expression, table: TableDefinition, rows: RelationColumns, span: Callable[[exp.Expr], Span]
) -> None:
    """Refuse DISTRIBUTED BY of what is no stored column, and no buckets."""
    distribution = tree.args.get("distributed_by")
    if distribution is None:
        return
    computed = {column.name for column in table.columns if column.expression is not None or column.metadata is not None}
    names = {column.name for column in rows.columns} - computed
    for key in distribution.expressions:
        if rows.complete and key.name not in names:
            refuse("unknown-column", span(key), f"{key.name} is no stored column of {table.name}.")
    buckets = distribution.args.get("buckets")
    if buckets is not None and buckets.name == "0":
        refuse("buckets", span(buckets), "A table has one bucket at least.")


def _primary_key(
    table: TableDefinition,
    elements: list[exp.Expression],
    base: DeclaredObject | None,
    rows: RelationColumns,
    selected: RelationColumns | None,
    queries: QueryCheck,
) -> tuple[str, ...]:
    span = queries.expressions.span
    names = {column.name for column in rows.columns}
    computed = {each.name for each in table.columns if each.expression is not None or each.metadata is not None}
    nullable = {each.name for each in selected.columns if each.nullable} if selected is not None else set()
    for number, (constraint, columns) in enumerate(_constraints(elements)):
        if isinstance(constraint, exp.UniqueColumnConstraint):
            refuse("unique", span(constraint), "Flink has no UNIQUE: only PRIMARY KEY (...) NOT ENFORCED.")
        if number:
            refuse("primary-key", span(constraint), "A table has one primary key only.")
        if "NOT ENFORCED" not in (constraint.args.get("options") or []):
            refuse(
                "primary-key-enforced", span(constraint), "Flink enforces no key: write PRIMARY KEY ... NOT ENFORCED."
            )
        for name, at in columns:
            if rows.complete and name not in names:
                refuse("unknown-column", at, f"The primary key names {name}, which is no column of {table.name}.")
            if name in nullable:
                refuse("primary-key", at, f"{name} may be NULL in the query, as no column of a primary key may.")
            if name in computed:
                refuse("primary-key", at, f"{name} is no physical column, as those of a primary key are.")
        double = _first_double(name for name, _ in columns)
        if double is not None:
            refuse("primary-key", span(constraint), f"The primary key names {double} twice.")
    if table.primary_key:
        return table.primary_key
    return base.primary_key if base is not None and "CONSTRAINTS" not in table.left_out else ()


def _constraints(
    elements: list[exp.Expression],
) -> Iterator[tuple[exp.Expression, list[tuple[str, Span]]]]:
    """The keys of a table with the columns that they name."""
    for element in elements:
        if isinstance(element, exp.ColumnDef):
            for kind in element.args.get("constraints") or ():
                inner = kind.expressions[0] if isinstance(kind, exp.Constraint) else kind
                if isinstance(inner, (exp.PrimaryKeyColumnConstraint, exp.UniqueColumnConstraint)):
                    yield inner, [(element.name, Span(*element.this.meta["span"]))]
            continue
        inner = element.expressions[0] if isinstance(element, exp.Constraint) else element
        if isinstance(inner, exp.PrimaryKey):
            yield inner, [(part.name, Span(*part.meta["span"])) for part in inner.expressions]
        elif isinstance(inner, exp.UniqueColumnConstraint):
            yield inner, []


def _watermark(
    table: TableDefinition,
    elements: list[exp.Expression],
    base: DeclaredObject | None,
    rows: RelationColumns,
    queries: QueryCheck,
) -> tuple[RelationColumns, bool]:
    """The rows with the time attribute that the watermark makes, and whether there is one."""
    span = queries.expressions.span
    watermark: exp.Expression | None = None
    for element in elements:
        if not isinstance(element, exp.WatermarkColumnConstraint):
            continue
        if watermark is not None:
            refuse("watermark", span(element), "A table has one watermark only.")
        watermark = element
        name = element.this.name
        if len(element.this.parts) > 1:
            refuse("watermark-column", span(element.this), "A watermark is on a column of the table, not on a field.")
        column = next((each for each in rows.columns if each.name == name), None)
        if column is None:
            if rows.complete:
                refuse("watermark-column", span(element.this), f"{table.name} has no column {name}.")
            continue
        type_text = next((each.type for each in table.columns if each.name == name), None)
        precise = LogicalType.parse(type_text) if type_text else None
        if precise is not None and precise.root == "TIME":
            refuse("watermark-column", span(element.this), f"A watermark needs a timestamp, and {name} is {precise}.")
        if column.type is not None and not _is_rowtime(column.type):
            message = f"A watermark needs TIMESTAMP(3) or TIMESTAMP_LTZ(3) at most, and {name} is {column.type}."
            refuse("watermark-column", span(element.this), message)
        value = queries.expressions.value(
            element.args["expression"],
            ValidationScope((FromItem(None, rows),)),
            ExpressionContext("WATERMARK", True, False),
        )
        if column.time is TimeRole.PROC:
            refuse("watermark-column", span(element.this), f"{name} is processing time, which has no watermark.")
        roots = [type_.root for type_ in (value.type, column.type) if type_ is not None]
        if len(set(roots)) > 1 and families.family_of(value.type) == families.TIMESTAMP:
            message = f"The watermark is {value.type}, and {name} is {column.type}."
            refuse("watermark", span(element.args["expression"]), message)
        if value.type is not None and families.family_of(value.type) not in (None, families.TIMESTAMP):
            refuse("watermark", span(element.args["expression"]), f"The watermark is {value.type}, no timestamp.")
        columns = tuple(replace(each, time=TimeRole.ROW) if each.name == name else each for each in rows.columns)
        rows = replace(rows, columns=columns)
    inherited = base is not None and base.has_watermark and "WATERMARKS" not in table.left_out
    return rows, watermark is not None or inherited


def _note_columns(
    tree: exp.Expression, elements: list[exp.Expression], rows: RelationColumns, names: NameReceiver
) -> None:
    """Note the columns that keys, the watermark and the partitions of a table name."""
    identifiers = [element.this for element in elements if isinstance(element, exp.WatermarkColumnConstraint)]
    for element in elements:
        inner = element.expressions[0] if isinstance(element, exp.Constraint) else element
        identifiers += inner.expressions if isinstance(inner, exp.PrimaryKey) else ()
    partitioned = tree.args.get("partitioned_by")
    identifiers += partitioned.this.expressions if partitioned is not None else ()
    origins = {column.name: column.origin for column in rows.columns}
    for node in identifiers:
        part = node.parts[0] if isinstance(node, exp.Column) else node
        names.use(part, origins.get(part.name))
    properties = tree.args.get("properties")
    names.options(properties.expressions if properties is not None else (), rows)
    scope = ValidationScope((FromItem(None, rows),))
    for element in elements:
        if isinstance(element, exp.WatermarkColumnConstraint):
            names.rest(element.args["expression"], scope)


def _is_rowtime(type_: LogicalType) -> bool:
    return families.family_of(type_) is None or (
        type_.root in ("TIMESTAMP", "TIMESTAMP_LTZ") and (type_.precision or 0) <= _MOST_OF_ROWTIME
    )


def _first_double(names: Iterator[str]) -> str | None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None
