"""From the syntax of FROM to the relations in sight of a query."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Protocol

from sqlglot import exp

from keepstate.plan.catalog import Catalog, TableDefinition, ViewDefinition
from keepstate.plan.clauses.hints import JoinHints, table_options
from keepstate.plan.clauses.patterns import pattern_relation
from keepstate.plan.clauses.table_calls import TableCall, takes_tables
from keepstate.plan.clauses.windows import WindowArguments, table_function_window
from keepstate.plan.expressions import Call, Column, Expr, Literal, Opaque, WindowField, WindowPart
from keepstate.plan.hashed_value import with_fields
from keepstate.plan.lowering.joins import join_source
from keepstate.plan.lowering.nested.correlate import laterally_joined
from keepstate.plan.lowering.ordering import unordered
from keepstate.plan.metadata.output_rows import is_constant
from keepstate.plan.names.full_names import called_name, table_name, table_path, written_name
from keepstate.plan.operators import (
    Aggregate,
    Calc,
    Correlate,
    Join,
    Operator,
    OverAggregate,
    TableSourceScan,
    Unsupported,
    WindowTableFunction,
)
from keepstate.plan.scalars.lowering import ScalarLowering
from keepstate.plan.scalars.name_scope import Field, Relation, Scope, Source, renamed, sealed
from keepstate.plan.types.inference import UNNEST, UNNEST_WITH_ORDINALITY, type_of, unnested_columns, unnested_names
from keepstate.syntax import syntax_nodes

if TYPE_CHECKING:
    from keepstate.plan.lowering.environment import CommonTable, Environment


DeclaredFields = tuple[tuple[Field, ...], bool]
"""The columns of a table that the script declares, and whether these are all."""


class SubqueryLowering(Protocol):
    """The lowering of the queries that a FROM clause holds, and of those that it names."""

    catalog: Catalog
    assumed: Mapping[str, tuple[str, ...]]
    """Columns of tables without a declaration."""

    def query(self, node: exp.Expression, environment: Environment) -> Relation: ...

    def view(self, view: ViewDefinition) -> Relation: ...

    def common_table(self, table: CommonTable) -> Relation: ...

    def declared_fields(self, table: TableDefinition, compute: Callable[[], DeclaredFields]) -> DeclaredFields: ...


class FromLowering:
    """Lowers the FROM clause of one query."""

    def __init__(self, queries: SubqueryLowering, environment: Environment) -> None:
        self._queries = queries
        self._environment = environment
        self._catalog = queries.catalog
        self._hints = JoinHints()

    def source(self, node: exp.Select) -> Source:
        self._hints = JoinHints.of(node, self._environment.statement)
        clause = node.args.get("from_")
        if clause is None:
            values = self._queries.query(exp.Values(expressions=[]), self._environment)
            return Source(values.input, (values,))
        source = self._tables(clause.this)
        for join in node.args.get("joins") or ():
            source = self._join(source, join)
        return source

    def _tables(self, node: exp.Expression) -> Source:
        if node.args.get("version") is not None:
            # Only catalogs that keep former rows answer it, and what they give is not in the SQL.
            past = Relation(self._of(node, "FOR SYSTEM_TIME"), open_tables=("FOR SYSTEM_TIME",))
            return Source.of(self._aliased(node, past))
        if not isinstance(node, syntax_nodes.JoinedTables):
            return Source.of(self.relation(node))
        source = self._tables(node.this)
        for join in node.args["joins"]:
            source = self._join(source, join)
        return source

    def relation(self, node: exp.Expression) -> Relation:
        """One item of FROM, under its alias."""
        return self._aliased(node, self._unaliased(node))

    def _aliased(self, node: exp.Expression, relation: Relation) -> Relation:
        """``relation`` under the alias of ``node``."""
        alias = node.args.get("alias")
        name = node.alias_or_name if not isinstance(node.this, syntax_nodes.TableFunction) else node.alias
        columns = tuple(column.name for column in alias.columns) if isinstance(alias, exp.TableAlias) else ()
        relation = renamed(relation, columns)
        is_named = alias is None and isinstance(node, exp.Table) and isinstance(node.this, (exp.Identifier, exp.Dot))
        path = table_path(node) if is_named else ()
        return with_fields(relation, alias=name or None, path=path)

    def _unaliased(self, node: exp.Expression) -> Relation:
        if node.args.get("sample") is not None:
            # Flink plans no samples of streams.
            return Relation(self._of(node, "TABLESAMPLE"), open_tables=("TABLESAMPLE",))
        match node:
            case exp.Table() if isinstance(node.this, syntax_nodes.TableFunction):
                return self._table_function(node.this)
            case exp.Table() if isinstance(node.this, exp.Expression) and not isinstance(
                node.this, (exp.Identifier, exp.Dot)
            ):
                return self._unaliased(node.this)
            case exp.Table():
                return self._table(node)
            case syntax_nodes.RowPattern():
                return self._match(node)
            case syntax_nodes.JoinedTables():
                source = self._tables(node)
                fields = tuple(source.all_fields((), self._environment.place(node)))
                return Relation(
                    source.input,
                    fields,
                    open_tables=source.open_tables,
                    filters=source.filters,
                    window=source.window,
                    depth=source.depth,
                    filtered_row=source.filtered_row,
                )
            case exp.Subquery() | exp.Values() | exp.Select() | exp.SetOperation():
                return self._queries.query(node, self._environment.inside())
            case exp.Lateral() | exp.Unnest():
                empty = Source(self._queries.query(exp.Values(expressions=[]), self._environment).input, ())
                return self._correlated(empty, node, left=False).relations[-1]
        return self._unsupported(node)

    def _unsupported(self, node: exp.Expression) -> Relation:
        construct = str(node.args["kind"]) if isinstance(node, syntax_nodes.PivotedTable) else type(node).__name__
        return Relation(self._of(node, construct), open_tables=(construct,))

    def _of(self, node: exp.Expression, construct: str) -> Unsupported:
        return Unsupported(construct, self._environment.tokens(node), place=self._environment.place(node))

    def _table(self, node: exp.Table) -> Relation:
        """A table, view or common table by its name."""
        name = table_name(node)
        common = self._environment.common_tables.get(written_name(node))
        if common is not None:
            return self._queries.common_table(common)
        view = self._catalog.views.get(name)
        if view is not None:
            relation = self._queries.view(view)
            if self._environment.outermost:
                return relation
            # The order of a view's rows reaches no further than the query that reads them for the last time.
            return with_fields(relation, input=unordered(relation.input))
        options = table_options(node, self._environment.statement)
        scan = TableSourceScan(name, options=options, place=self._environment.place(node))
        table = self._catalog.tables.get(name)
        if table is None:
            fields = tuple(self._assumed(name, ()))
            columns = tuple(column.expr for column in fields)
            return Relation(with_fields(scan, columns=columns), fields, open_tables=(name,))
        return self.declared(scan, table)

    def _assumed(self, table: str, declared: Iterable[str]) -> Iterator[Field]:
        """The columns that ``table`` is taken to have beside the ``declared`` ones."""
        names = self._queries.assumed.get(table, ())
        return (Field(name, Column(table, name)) for name in names if name not in declared)

    def declared(self, scan: TableSourceScan, table: TableDefinition) -> Relation:
        """Return the relation of a scan of a declared table."""
        fields, complete = self._queries.declared_fields(table, lambda: self._fields_of(table))
        scan = with_fields(scan, columns=tuple(column.expr for column in fields))
        return Relation(scan, fields, open_tables=() if complete else (table.name,))

    def _fields_of(self, table: TableDefinition) -> DeclaredFields:
        columns, complete = self._catalog.columns_of(table)
        fields: dict[str, Field] = {
            column.name: Field(
                column.name,
                Column(
                    table.name,
                    column.name,
                    column.type,
                    column.metadata,
                    column.not_null or column.name in table.primary_key,
                    column.written_type,
                    place=column.place,
                ),
                column.place,
            )
            for column in columns
            if column.expression is None
        }
        physical = Relation(
            TableSourceScan(table.name), tuple(fields.values()), open_tables=() if complete else (table.name,)
        )
        for column in columns:
            if column.expression is None:
                continue
            scalars = ScalarLowering(
                column.place.statement,
                Scope((physical,)),
                self._catalog,
                with_fields(self._environment, statement=table.statement).opaque,
            )
            fields[column.name] = Field(column.name, scalars.lower(column.expression), column.place)
        ordered = tuple(fields[column.name] for column in columns)
        if not complete:
            ordered = (*ordered, *self._of_query(table, fields))
            ordered = (*ordered, *self._assumed(table.name, {field.name for field in ordered}))
        return ordered, complete

    def _of_query(self, table: TableDefinition, declared: Iterable[str]) -> Iterator[Field]:
        """The columns that a table has from the query of its CREATE TABLE AS, beside the ``declared`` ones."""
        if table.query is None:
            return
        view = self._queries.view(ViewDefinition(table.name, table.statement, table.query))
        for each in view.fields:
            if each.name not in declared:
                kind = type_of(each.expr)
                column = Column(table.name, each.name, None if kind is None else str(kind), place=each.item)
                yield Field(each.name, column, each.item)

    def _table_function(self, call: syntax_nodes.TableFunction) -> Relation:
        arguments = WindowArguments.of(call)
        if arguments is None and takes_tables(call):
            return self._function_of_tables(None, call)
        if arguments is None:
            empty = Source(self._queries.query(exp.Values(expressions=[]), self._environment).input, ())
            return self._function_rows(empty, call, call, left=False)
        data = arguments.data
        inner = self.relation(data.this if isinstance(data, syntax_nodes.TableArgument) else data)
        scalars = self._scalars(Scope((inner,), self._environment.parent))
        window = table_function_window(call, arguments, scalars)
        if window is None:
            return self._unsupported(call)
        depth = inner.depth + 1
        operator = WindowTableFunction(_on_select_list(inner), window, depth, place=self._environment.place(call))
        shadowed = {part.value for part in WindowPart}
        fields = tuple(
            with_fields(column, name=f"{column.name}0") if column.name in shadowed else column
            for column in inner.fields
        )
        own = tuple(Field(part.value, WindowField(part, depth, time=window.time)) for part in WindowPart)
        return Relation(
            operator,
            (*fields, *own),
            open_tables=inner.open_tables,
            window=window,
            depth=depth,
            beneath=(inner,),
        )

    def _function_of_tables(self, source: Source | None, call: syntax_nodes.TableFunction) -> Relation:
        """A function that takes whole tables, called once, or for each row of ``source``."""
        around = source.relations if source is not None else ()
        table_call = TableCall.of(
            call,
            self._environment.statement,
            self.relation,
            lambda relations: self._scalars(Scope((*relations, *around), self._environment.parent)),
        )
        place = self._environment.place(call)
        if table_call.is_row_by_row and source is None:
            (table,) = table_call.inputs
            function = with_fields(table_call.expression, place=place)
            correlate = Correlate(sealed(table), function, place=place)
            return with_fields(table, input=correlate, open_tables=(*table.open_tables, str(function)), filters=())
        construct = f"table function {table_call.name} over a table"
        inputs = (*([sealed(source)] if source is not None else []), *map(sealed, table_call.inputs))
        return Relation(Unsupported(construct, table_call.words, inputs, place=place), open_tables=(construct,))

    def _scalars(self, scope: Scope) -> ScalarLowering:
        return ScalarLowering(
            self._environment.statement,
            scope,
            self._catalog,
            self._environment.opaque,
        )

    def _join(self, source: Source, join: exp.Join) -> Source:
        item = join.this
        side = str(join.args.get("side") or "").upper()
        if isinstance(item, (exp.Lateral, exp.Unnest)) or (
            isinstance(item, exp.Table)
            and isinstance(item.this, syntax_nodes.TableFunction)
            and WindowArguments.of(item.this) is None
            and not takes_tables(item.this)
        ):
            return self._correlated(source, item, left=side == "LEFT", join=join)
        right = self._tables(item) if isinstance(item, syntax_nodes.JoinedTables) else Source.of(self.relation(item))
        scalars = self._scalars(Scope((*source.relations, *right.relations), self._environment.parent))
        # A join on the right is no input that a hint could name.
        hinted = right.relations[0] if len(right.relations) == 1 else Relation(right.input)
        together = join_source(source, right, join, scalars)
        if isinstance(together.input, Join) and any(map(_asks, together.input.conditions)):
            # Flink plans none in the condition of a join.
            unsupported = with_fields(
                self._of(join, "subquery in the condition of a join"), below=together.input.inputs
            )
            return with_fields(together, input=unsupported)
        return self._hints.applied(together, source, hinted)

    def _correlated(
        self, source: Source, node: exp.Expression, left: bool, join: exp.Expression | None = None
    ) -> Source:
        """A table function or UNNEST called for each row of ``source``."""
        call = node.this if isinstance(node.this, syntax_nodes.TableFunction) else node
        if isinstance(call, exp.Lateral):
            relation = self._queries.query(
                call.this,
                with_fields(
                    self._environment, parent=Scope(source.relations, self._environment.parent), outermost=False
                ),
            )
            return self._lateral(source, call, self._aliased(node, relation), join)
        # A comma has no words of its own to point at; LEFT JOIN ... ON TRUE belongs to the call.
        spelled = join is not None and self._environment.place(join).text[:1].isalpha()
        rows = self._function_rows(source, call, join if join is not None and spelled else node, left)
        alias = node.args.get("alias")
        columns = tuple(column.name for column in alias.columns) if isinstance(alias, exp.TableAlias) else ()
        if not columns and isinstance(rows.input, Correlate):
            columns = unnested_names(rows.input.function, node.alias or None)
        rows = renamed(rows, columns) if rows.fields else rows
        if columns and not rows.fields and isinstance(rows.input, Correlate):
            rows = with_fields(rows, fields=_function_fields(rows.input, columns), open_tables=())
        rows = with_fields(rows, alias=node.alias or None)
        correlation = Source(
            rows.input, (*source.relations, rows), (), source.window, source.depth, common=source.common
        )
        on = join.args.get("on") if isinstance(join, exp.Join) else None
        conditions = self._scalars(Scope(correlation.relations, self._environment.parent)).conditions(on) if on else ()
        if isinstance(correlation.input, Unsupported):
            # What it does with the condition is not known either.
            tokens = (*correlation.input.tokens, *sorted(map(str, conditions)))
            return with_fields(correlation, input=with_fields(correlation.input, tokens=tokens))
        if not left:
            return with_fields(correlation, filters=conditions)
        assert isinstance(correlation.input, Correlate)
        return with_fields(correlation, input=with_fields(correlation.input, conditions=conditions))

    def _lateral(self, source: Source, call: exp.Lateral, relation: Relation, join: exp.Expression | None) -> Source:
        """A query asked for each row of ``source``."""
        if isinstance(join, exp.Join):
            scalars = self._scalars(Scope((*source.relations, relation), self._environment.parent))
            together = laterally_joined(source, relation, join, scalars)
            if together is not None:
                return together
        place = self._environment.place(call)
        inputs = (sealed(source), sealed(relation))
        unsupported = Unsupported("LATERAL subquery", self._environment.tokens(call), inputs, place=place)
        return Source(unsupported, (*source.relations, relation), (), source.window, source.depth, common=source.common)

    def _function_rows(self, source: Source, call: exp.Expression, clause: exp.Expression, left: bool) -> Relation:
        scalars = self._scalars(Scope(source.relations, self._environment.parent))
        if isinstance(call, syntax_nodes.TableFunction) and takes_tables(call):
            return self._function_of_tables(source, call)
        if isinstance(call, syntax_nodes.TableFunction):
            function = Call(called_name(call), tuple(scalars.lower(arg) for arg in call.expressions))
        else:
            name = UNNEST_WITH_ORDINALITY if call.args.get("offset") else UNNEST
            function = Call(name, tuple(scalars.lower(arg) for arg in call.expressions))
        place = self._environment.place(clause)
        below = sealed(source)
        calls = [each.function for each in below.walk() if isinstance(each, Correlate)]
        function = with_fields(function, place=place)
        # A function of constants is joined, and no projection stops there.
        row = () if is_constant(function) else _declared_columns(source)
        correlate = Correlate(below, function, left, occurrence=calls.count(function), row=row, place=place)
        return Relation(correlate, open_tables=(correlate.name,), window=source.window, depth=source.depth)

    def _match(self, node: syntax_nodes.RowPattern) -> Relation:
        relation = self.relation(node.this)
        return pattern_relation(node, relation, self._scalars(Scope((relation,), self._environment.parent)))


def _on_select_list(relation: Relation) -> Operator:
    """A query or a view as a window table function takes it: with its select list, which the planner does not merge
    with those above.
    """
    below = relation.input
    while isinstance(below, Calc):
        below = below.input
    row = tuple(column.expr for column in relation.fields)
    is_listed = isinstance(below, (Aggregate, Join, OverAggregate)) and row and not relation.open_tables
    return Calc(sealed(relation), (), row) if is_listed else sealed(relation)


def _declared_columns(source: Source) -> tuple[Expr, ...]:
    """All columns of a source, without those of table functions in it; none if the script does not declare them all."""
    tables = [each for each in source.relations if not isinstance(each.input, Correlate)]
    if any(each.open_tables for each in tables):
        return ()
    return tuple(column.expr for each in tables for column in each.fields)


def _function_fields(correlate: Operator, names: tuple[str, ...]) -> tuple[Field, ...]:
    """The columns of a table function under the names that its alias gives; those of UNNEST with their types."""
    assert isinstance(correlate, Correlate)
    function = Literal(correlate.name, "NAME")
    columns = unnested_columns(correlate.function, correlate.name)
    fields: list[Field] = []
    for index, name in enumerate(names):
        untyped = Call("COLUMN", (function, Literal(str(index), "NUMBER")))
        fields.append(Field(name, columns[index] if index < len(columns) else untyped))
    return tuple(fields)


def _asks(condition: Expr) -> bool:
    """Return whether a condition contains a query."""
    return any(isinstance(node, Opaque) and node.kind == "QUERY" for node in condition.walk())
