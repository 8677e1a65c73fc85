"""From the syntax of queries to relations over operators."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count
from types import MappingProxyType

from sqlglot import exp

from keepstate.plan.catalog import Catalog, TableDefinition, ViewDefinition
from keepstate.plan.clauses.aggregation import aggregate_operator, aggregates_without_keys, aggregation_depth
from keepstate.plan.clauses.constant_rows import constant_rows
from keepstate.plan.clauses.grouping import GroupKeys, group_keys, has_two_ways
from keepstate.plan.clauses.hints import ttl_hints, with_aggregate_hint
from keepstate.plan.clauses.input_projections import is_unprojected
from keepstate.plan.clauses.ranking import ranked_by
from keepstate.plan.expressions import AggregateCall, Column, Expr, RankNumber, Unresolved
from keepstate.plan.growth import bounded, bounded_together
from keepstate.plan.hashed_value import with_fields
from keepstate.plan.lowering.environment import CommonTable, Environment
from keepstate.plan.lowering.filter_placement import behind_where, in_front_of
from keepstate.plan.lowering.from_clause import DeclaredFields, FromLowering
from keepstate.plan.lowering.joins import windows_joined
from keepstate.plan.lowering.nested.having import behind_having
from keepstate.plan.lowering.nested.subqueries import (
    Subquery,
    SubqueryRole,
    asked_in,
    comparison_of,
    holding,
    joined_with,
    last_number,
    repeated_in_groups,
    subquery_of,
)
from keepstate.plan.lowering.ordering import ordered, orderings
from keepstate.plan.lowering.over_order import with_reading_order
from keepstate.plan.lowering.select_lists import (
    fields_of_row,
    implied_name,
    is_starred,
    select_list,
    select_list_of,
    selects_everything,
    unlike_stars,
)
from keepstate.plan.lowering.set_operations import Operand, combined, operands_of
from keepstate.plan.lowering.translated_operands import distinct_operands
from keepstate.plan.metadata.constant_columns import are_groups
from keepstate.plan.operators import (
    GroupAggregate,
    Rank,
    Unsupported,
    Values,
)
from keepstate.plan.provenance import Place
from keepstate.plan.scalars.lowering import ScalarLowering
from keepstate.plan.scalars.name_scope import Field, Relation, Scope, Source, maybe_missing, renamed
from keepstate.plan.scalars.over_windows import over_aggregated, with_results, with_select_list
from keepstate.syntax import syntax_nodes
from keepstate.syntax.memo import Memo
from keepstate.syntax.script import ParsedStatement
from keepstate.text import Span

Assumed = Mapping[str, tuple[str, ...]]
"""Columns that tables are taken to have whose declaration is not in the script, by table."""


@dataclass(frozen=True)
class _Expansion:
    """A view in place of its name: the relation of its query, and the tables that ``starred`` of that query names."""

    relation: Relation
    starred: Mapping[str, None]


class QueryLowering:
    """Lowers queries of one script; views and common tables are lowered once and then shared."""

    def __init__(self, catalog: Catalog, assumed: Assumed = MappingProxyType({}), memo: Memo | None = None) -> None:
        self.catalog = catalog
        self.assumed = assumed
        self._memo = memo if memo is not None else Memo()
        self.starred: dict[str, None] = {}
        """The tables of which ``*`` stands for columns that no declaration names, in the order of their first use."""
        self._views: dict[str, Relation] = {}
        self._common_tables: dict[int, Relation] = {}
        self._numbers = count()
        self._open_views: dict[str, ParsedStatement] = {}

    def query(self, node: exp.Expression, environment: Environment) -> Relation:
        """The relation that a query gives: a SELECT, VALUES, a set operation, each perhaps behind WITH.

        Raises:
            GrowsTooLarge: it is more than is looked at.
        """
        return bounded(self._query(node, environment))

    def _query(self, node: exp.Expression, environment: Environment) -> Relation:
        environment = self._with_clause(node, environment)
        match node:
            case exp.Subquery():
                relation = self.query(node.this, environment)
                return self._ordered(node, relation, environment, self._scalars(relation, environment))
            case exp.Select():
                return self._select(node, environment)
            case exp.SetOperation():
                relation = self._set_operation(node, environment)
                return self._ordered(node, relation, environment, self._scalars(relation, environment))
            case exp.Values():
                return constant_rows(node, environment.statement, self._scalars(Relation(Values()), environment))
            case exp.Table() | syntax_nodes.RowPattern() | syntax_nodes.JoinedTables():
                return FromLowering(self, environment).relation(node)
        return Relation(Unsupported(type(node).__name__, environment.tokens(node), place=environment.place(node)))

    def view(self, view: ViewDefinition) -> Relation:
        """The relation of a view, its query expanded."""
        # Half-typed text has views that read themselves: Flink refuses these, and the lowering would not end.
        if view.name in self._open_views:
            return Relation(Unsupported("view that reads itself", (view.name,), place=None))
        if view.name not in self._views:
            expansion = self._expansion(view)
            self.starred.update(expansion.starred)
            self._views[view.name] = expansion.relation
        return self._views[view.name]

    def _expansion(self, view: ViewDefinition) -> _Expansion:
        """The expansion of a view; all queries of a memo that reach the same declarations through it share one."""
        if self.catalog.altered:
            return self._expanded(view)
        declarations = self.catalog.reached_from(view.statement, self._memo)
        if any(each in declarations for each in self._open_views.values()):
            return self._expanded(view)
        reach = declarations, tuple(self.assumed.items())
        return self._memo.get_or_compute(_Expansion, view.statement, reach, lambda: self._expanded(view))

    def declared_fields(self, table: TableDefinition, compute: Callable[[], DeclaredFields]) -> DeclaredFields:
        """The result of ``compute``, the columns of a table; all queries of a memo that reach the same declarations
        through it share them.
        """
        if self.catalog.altered or table.query is not None:
            return compute()
        reach = self.catalog.reached_from(table.statement, self._memo), tuple(self.assumed.items())
        return self._memo.get_or_compute(TableDefinition, table.statement, reach, compute)

    def _expanded(self, view: ViewDefinition) -> _Expansion:
        starred, self.starred = self.starred, {}
        self._open_views[view.name] = view.statement
        relation = self.query(view.query, Environment(view.statement, outermost=True))
        del self._open_views[view.name]
        own, self.starred = self.starred, starred
        return _Expansion(renamed(relation, view.columns), own)

    def common_table(self, table: CommonTable) -> Relation:
        if table.recursive:
            # Flink plans none.
            place = table.environment.place(table.query)
            return Relation(Unsupported("recursive query", place.words, place=place), open_tables=("recursive query",))
        if table.number not in self._common_tables:
            relation = self.query(table.query, table.environment)
            self._common_tables[table.number] = renamed(relation, table.columns)
        return self._common_tables[table.number]

    def _with_clause(self, node: exp.Expression, environment: Environment) -> Environment:
        clause = node.args.get("with_")
        if clause is None:
            return environment
        for table in clause.expressions:
            alias = table.args.get("alias")
            columns = tuple(column.name for column in alias.columns) if isinstance(alias, exp.TableAlias) else ()
            recursive = bool(clause.args.get("recursive")) and any(
                node.name == table.alias_or_name for node in table.this.find_all(exp.Table)
            )
            number = next(self._numbers)
            entry = CommonTable(table.this, columns, environment.inside(), number, recursive)
            environment = with_fields(
                environment, common_tables={**environment.common_tables, table.alias_or_name: entry}
            )
        return environment

    def _subquery(
        self, node: exp.Expression, scope: Scope, environment: Environment, subqueries: list[Subquery], source: Source
    ) -> Expr:
        """A query inside of an expression: it becomes a join of the operator that the expression belongs to. Its number
        is another one than those of queries in ``source``, whose answers may stand beside it.
        """
        query = subquery_of(node)
        relation = self.query(query, with_fields(environment.inside(), parent=scope))
        place = environment.place(node if isinstance(node, exp.Exists) else query)
        number = last_number(source.input) + len(subqueries) + 1
        subquery = Subquery(number, relation, SubqueryRole.of(node), place, comparison_of(node))
        subqueries.append(subquery)
        return subquery.value

    def _select(self, node: exp.Select, environment: Environment) -> Relation:
        subqueries: list[Subquery] = []
        source = rows = FromLowering(self, environment).source(node)
        scalars = ScalarLowering(
            environment.statement,
            Scope(source.relations, environment.parent, source.common),
            self.catalog,
            lambda query, inner: self._subquery(query, inner, environment, subqueries, rows),
            named_windows={window.name: window for window in node.args.get("windows") or ()},
        )
        where = node.args.get("where")
        if where is not None:
            conditions = scalars.conditions(where.this)
            nested = holding(conditions, subqueries)
            source, plain = windows_joined(source, tuple(expr for expr in conditions if expr not in nested))
            source = behind_where(source, plain)
            source = with_fields(source, filtered_row=source.row)
            for subquery in subqueries:
                source = joined_with(source, subquery, nested)
            scalars = with_fields(scalars, scope=Scope(source.relations, environment.parent, source.common))
        source = with_reading_order(source, node, environment)
        # Queries in the select list are joined above what the SELECT computes.
        first = len(subqueries)
        if node.args.get("group") is not None or aggregates_without_keys(node):
            relation, scalars, inside = self._aggregated(node, environment, source, scalars, subqueries)
        else:
            relation, inside = self._projected(node, environment, source, scalars), []
            relation = relation if subqueries[first:] or scalars.over_calls else with_select_list(relation)
        for subquery in subqueries[first:]:
            if subquery not in inside:
                joined_relation = joined_with(Source(relation.input, (relation,)), subquery, ())
                relation = with_fields(relation, input=joined_relation.input)
        if node.args.get("distinct") is not None:
            relation = _distinct(node, environment, relation)
        return self._ordered(node, relation, environment, scalars)

    def _projected(
        self, node: exp.Select, environment: Environment, source: Source, scalars: ScalarLowering
    ) -> Relation:
        fields = self._items(node, environment, source, scalars)
        qualify = _conditions_of(node, "qualify", scalars)
        relation = Relation(
            source.input,
            fields,
            open_tables=source.open_tables if selects_everything(node) else (),
            filters=source.filters,
            window=source.window,
            depth=source.depth,
            filtered_row=source.filtered_row,
            beneath=source.relations,
        )
        return self._windowed(node, environment, relation, scalars, qualify)

    def _windowed(
        self,
        node: exp.Select,
        environment: Environment,
        relation: Relation,
        scalars: ScalarLowering,
        qualify: tuple[Expr, ...],
    ) -> Relation:
        """The relation behind the OVER windows of its query; ``qualify`` are the conditions of QUALIFY."""
        calls = scalars.over_calls
        if not calls:
            return relation
        place = select_list(node, environment)
        ranked = len(set(calls)) == 1 and isinstance(calls[0].call, RankNumber) and bool(calls[0].order)
        relation = ranked_by(relation, calls[0], place) if ranked else over_aggregated(relation, calls, place)
        if qualify:
            over = {column.name: column.expr for column in relation.fields if _holds_over(column.expr)}

            def behind_over(expr: Expr) -> Expr:
                """QUALIFY may repeat the call, or name the column that holds it."""
                if isinstance(relation.input, Rank) and expr == calls[0]:
                    return with_fields(relation.input.rank_number, place=expr.place)
                if isinstance(expr, (Column, Unresolved)) and expr.name in over:
                    return with_fields(over[expr.name], place=expr.place)
                return expr

            conditions = (with_results(condition, relation) for condition in qualify)
            qualify = tuple(
                with_fields(condition.rewrite(behind_over), place=condition.place) for condition in conditions
            )
            behind = behind_where(Source.of(relation), qualify)
            row = tuple(column.expr for column in relation.fields)
            relation = with_fields(relation, input=behind.input, filters=behind.filters, filtered_row=row)
        return relation

    def _aggregated(
        self,
        node: exp.Select,
        environment: Environment,
        source: Source,
        scalars: ScalarLowering,
        subqueries: list[Subquery],
    ) -> tuple[Relation, ScalarLowering, list[Subquery]]:
        """Return the relation of an aggregation, the lowering of expressions over its groups, and the queries that are
        joined: below the groups those that keys and aggregates ask, above them those of HAVING. New ones are added to
        ``subqueries``.
        """
        first = len(subqueries)
        group = node.args.get("group")
        aliases = {item.alias: item.this for item in node.expressions if isinstance(item, exp.Alias)}
        keyed = with_fields(scalars, window_depth=source.depth + 1)
        grouped = group_keys(group, keyed, aliases) if group is not None else GroupKeys()
        depth = source.depth + 1 if grouped.window is not None else source.depth
        calls: list[AggregateCall] = []
        upper = with_fields(
            scalars,
            # Above grouping sets a key is NULL in the rows of the sets without it.
            scope=_above_sets(scalars.scope) if grouped.elements else scalars.scope,
            of_group=bool(grouped.keys) and not grouped.elements,
            group_keys=frozenset(grouped.keys),
            window_depth=depth,
            aggregation_depth=aggregation_depth(source.input) + 1,
            aggregates=calls,
        )
        fields = self._items(node, environment, source, upper)
        conditions = _conditions_of(node, "having", upper)
        qualify = _conditions_of(node, "qualify", upper)
        # Aggregates that only ORDER BY names are computed with the others.
        orderings(node.args.get("order"), fields, upper)
        if (step := distinct_operands(calls, node, scalars)) is not None:
            calls = [call for each in calls if isinstance(call := step(each), AggregateCall)]
            fields = tuple(with_fields(column, expr=column.expr.rewrite(step)) for column in fields)
            conditions = tuple(condition.rewrite(step) for condition in conditions)
        queries = subqueries[first:]
        if (step := repeated_in_groups(queries, grouped.keys, calls)) is not None:
            calls = [call for each in calls if isinstance(call := each.rewrite(step), AggregateCall)]
            fields = tuple(with_fields(column, expr=column.expr.rewrite(step)) for column in fields)
            conditions = tuple(condition.rewrite(step) for condition in conditions)
        below = asked_in((*grouped.keys, *calls), queries)
        for subquery in below:
            source = joined_with(source, subquery, ())
        operator = aggregate_operator(source, grouped, depth, tuple(calls))
        select = select_list(node, environment)
        operator = with_fields(
            operator,
            place=environment.place(group) if group is not None else select,
            select_place=select,
            keys_place=grouped.place,
            grouping_place=grouped.grouping_place,
            is_unprojected=is_unprojected(source, grouped.keys, calls, self.catalog),
        )
        operator = with_aggregate_hint(operator, source.relations, ttl_hints(node, environment.statement))
        queries = [each for each in queries if each not in below]
        of_having = asked_in(conditions, queries)
        nested = holding(conditions, of_having)
        operator, above = in_front_of(operator, tuple(each for each in conditions if each not in nested))
        relation = Relation(
            operator,
            fields,
            filters=above,
            window=getattr(operator, "window", None) if not isinstance(operator, GroupAggregate) else None,
            depth=depth,
            beneath=source.relations,
        )
        relation = behind_having(relation, of_having, nested, grouped.keys)
        in_items = asked_in((*(column.expr for column in fields), *qualify), queries)
        rest = [each for each in queries if each in of_having or each not in in_items]
        return self._windowed(node, environment, relation, upper, qualify), upper, [*below, *rest]

    def _items(
        self, node: exp.Select, environment: Environment, source: Source, scalars: ScalarLowering
    ) -> tuple[Field, ...]:
        items = list(enumerate(node.expressions))
        listed = len(environment.select_order) == len(items) and not selects_everything(node)
        fields: dict[int, list[Field]] = {}
        # Calls are collected in the order in which the planner takes the items.
        for position, item in [items[number] for number in environment.select_order] if listed else items:
            # Names of Flink's own count the columns of a star in front of them.
            number = position if listed else sum(map(len, fields.values()))
            fields[position] = self._item(number, item, environment, source, scalars)
        return unlike_stars([(is_starred(item), fields[position]) for position, item in items])

    def _item(
        self, position: int, item: exp.Expression, environment: Environment, source: Source, scalars: ScalarLowering
    ) -> list[Field]:
        """The columns of a select item."""
        body = item.this if isinstance(item, exp.Alias) else item
        if is_starred(item):
            if (of_row := fields_of_row(body, scalars.scope, environment.place(item))) is not None:
                return of_row
            names = tuple(part.name for part in body.parts[:-1]) if isinstance(body, exp.Column) else ()
            self.starred.update(dict.fromkeys(source.open_tables_of(names)))
            return source.all_fields(names, environment.place(item))
        place = environment.place(item)
        count = len(scalars.aggregates)
        expr = scalars.lower(body)
        name = item.alias if isinstance(item, exp.Alias) else implied_name(body, position)
        if isinstance(expr, AggregateCall) and len(scalars.aggregates) == count + 1:
            expr = with_fields(expr, item=place, alias=name)
            scalars.aggregates[count] = expr
        return [Field(name, expr, _defining(place, expr))]

    def _set_operation(self, node: exp.SetOperation, environment: Environment) -> Relation:
        operands = [
            Operand(self.query(side, environment.beside()), environment.place(side), select_list_of(side, environment))
            for side in operands_of(node)
        ]
        bounded_together(operand.relation.input for operand in operands)
        keyword = Place(environment.statement, Span(*node.meta["keyword"]))
        branches = [with_fields(each, relation=environment.as_taken(each.relation)) for each in operands]
        return environment.as_written(combined(node, branches, keyword))

    def _ordered(
        self, node: exp.Expression, relation: Relation, environment: Environment, scalars: ScalarLowering
    ) -> Relation:
        order = orderings(node.args.get("order"), relation.fields, scalars)
        operand = environment.as_taken(relation)
        return environment.as_written(ordered(node, operand, order, scalars, environment.outermost))

    def _scalars(self, relation: Relation, environment: Environment) -> ScalarLowering:
        """Return the lowering for the sort keys and limits of a query in parentheses or of a set operation."""
        return ScalarLowering(
            environment.statement,
            Scope((relation,), environment.parent),
            self.catalog,
            environment.opaque,
        )


def _conditions_of(node: exp.Select, clause: str, scalars: ScalarLowering) -> tuple[Expr, ...]:
    clause_node = node.args.get(clause)
    return scalars.conditions(clause_node.this) if clause_node is not None else ()


def _holds_over(expr: Expr) -> bool:
    return any(
        isinstance(node, RankNumber) or (isinstance(node, AggregateCall) and node.over > 0) for node in expr.walk()
    )


def _distinct(node: exp.Select, environment: Environment, relation: Relation) -> Relation:
    row = [column.expr for column in environment.as_taken(relation).fields]
    if are_groups(relation.input, frozenset(row)):
        return relation
    place = select_list(node, environment)
    grouped = GroupKeys(tuple(dict.fromkeys(row)), place=place, doubled=has_two_ways(row))
    operator = aggregate_operator(Source.of(relation), grouped, relation.depth, ())
    operator = with_fields(operator, place=place, keys_place=place, select_place=place, words="SELECT DISTINCT")
    operator = with_aggregate_hint(operator, relation.beneath, ttl_hints(node, environment.statement))
    return with_fields(relation, input=operator, filters=())


def _above_sets(scope: Scope) -> Scope:
    common = maybe_missing(Relation(Values(), scope.common)).fields
    return with_fields(scope, relations=tuple(map(maybe_missing, scope.relations)), common=common)


def _defining(place: Place, expr: Expr) -> Place | None:
    """The clause to point at for a computed column: a lone aggregate is itself, anything else its select item."""
    return expr.place if isinstance(expr, AggregateCall) and not expr.via else place
