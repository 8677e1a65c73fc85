"""From the syntax of queries to relations over operators."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sqlglot import exp

from keepstate.plan.aggregation import aggregate_operator, aggregates_without_keys, split_by_keys
from keepstate.plan.catalog import Catalog, ViewDefinition
from keepstate.plan.expressions import (
    UNITED,
    AggregateCall,
    Call,
    Column,
    Expr,
    Opaque,
    Ordering,
    OverCall,
    RankNumber,
    Unresolved,
)
from keepstate.plan.from_clause import FromLowering
from keepstate.plan.grouping import GroupKeys, group_keys
from keepstate.plan.joins import takes_conditions, with_conditions
from keepstate.plan.operators import (
    Aggregate,
    GroupAggregate,
    Join,
    Limit,
    Operator,
    OverAggregate,
    Rank,
    SetOperation,
    TemporalSort,
    Union,
    Unsupported,
    Values,
)
from keepstate.plan.provenance import Place, place_of
from keepstate.plan.ranking import mentions_rank, rank_range, ranked_by
from keepstate.plan.scalars import ScalarLowering
from keepstate.plan.scope import Field, Relation, Scope, Source, filtered, renamed, sealed
from keepstate.syntax import nodes
from keepstate.syntax.script import ParsedStatement


@dataclass(frozen=True)
class CommonTable:
    """A named query of a WITH clause, with the names that were in sight where it stands."""

    query: exp.Expression
    columns: tuple[str, ...]
    environment: Environment


@dataclass(frozen=True)
class Environment:
    """Where a query stands: its statement, the common tables in sight, and the query around it."""

    statement: ParsedStatement
    common_tables: Mapping[str, CommonTable] = field(default_factory=dict)
    parent: Scope | None = None

    def place(self, node: exp.Expression) -> Place:
        return place_of(self.statement, node)

    def tokens(self, node: exp.Expression) -> tuple[str, ...]:
        """The tokens of a node: what tells two constructs apart that have no canonical form."""
        return self.place(node).words


class QueryLowering:
    """Lowers queries of one script; views and common tables are lowered once and then shared."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self._views: dict[str, Relation] = {}
        self._common_tables: dict[int, Relation] = {}
        self._open_views: set[str] = set()

    def query(self, node: exp.Expression, environment: Environment) -> Relation:
        """The relation that a query gives: a SELECT, VALUES, a set operation, each perhaps behind WITH."""
        environment = self._with_clause(node, environment)
        match node:
            case exp.Subquery():
                relation = self.query(node.this, environment)
                return self._ordered(node, relation, environment)
            case exp.Select():
                return self._select(node, environment)
            case exp.SetOperation():
                return self._ordered(node, self._set_operation(node, environment), environment)
            case exp.Values():
                rows = tuple(Opaque("ROW", environment.tokens(row)) for row in node.expressions)
                return Relation(Values(rows, place=environment.place(node)))
            case exp.Table() | nodes.RowPattern() | nodes.JoinedTables():
                return FromLowering(self, environment).relation(node)
        return Relation(Unsupported(type(node).__name__, environment.tokens(node), place=environment.place(node)))

    def view(self, view: ViewDefinition) -> Relation:
        """The relation of a view, its query expanded."""
        if view.name in self._open_views:
            return Relation(Unsupported("view that reads itself", (view.name,), place=None))
        if view.name not in self._views:
            self._open_views.add(view.name)
            relation = self.query(view.query, Environment(view.statement))
            self._open_views.discard(view.name)
            self._views[view.name] = renamed(relation, view.columns)
        return self._views[view.name]

    def common_table(self, table: CommonTable) -> Relation:
        key = id(table.query)
        if key not in self._common_tables:
            self._common_tables[key] = renamed(self.query(table.query, table.environment), table.columns)
        return self._common_tables[key]

    def _with_clause(self, node: exp.Expression, environment: Environment) -> Environment:
        clause = node.args.get("with_")
        if clause is None:
            return environment
        for table in clause.expressions:
            alias = table.args.get("alias")
            columns = tuple(column.name for column in alias.columns) if isinstance(alias, exp.TableAlias) else ()
            entry = CommonTable(table.this, columns, environment)
            environment = replace(environment, common_tables={**environment.common_tables, table.alias_or_name: entry})
        return environment

    def _subquery(self, node: exp.Expression, scope: Scope, environment: Environment, joins: list[Join]) -> Expr:
        """A query inside of an expression: it becomes a join of the operator that the expression belongs to."""
        kind = "exists" if isinstance(node, exp.Exists) else "in"
        query = node.this if isinstance(node, (exp.Exists, exp.Subquery)) else node
        relation = self.query(query, replace(environment, parent=scope))
        row = tuple(column.expr for column in relation.fields)
        joins.append(Join(Values(), sealed(relation), kind, right_row=row, place=environment.place(node)))
        return Call("SUBQUERY", row or (Opaque("QUERY", environment.tokens(node)),), place=environment.place(node))

    def _select(self, node: exp.Select, environment: Environment) -> Relation:
        joins: list[Join] = []
        source = FromLowering(self, environment).source(node)
        scope = Scope(source.relations, environment.parent)
        scalars = ScalarLowering(
            environment.statement,
            scope,
            self.catalog,
            lambda query, inner: self._subquery(query, inner, environment, joins),
            named_windows={window.name: window for window in node.args.get("windows") or ()},
        )
        where = node.args.get("where")
        if where is not None:
            source = _filtered(source, scalars.conditions(where.this), environment.place(where.this))
            for join in joins:
                left = sealed(source)
                source = replace(source, input=replace(join, left=left), filters=())
            joins.clear()
        if node.args.get("group") is not None or aggregates_without_keys(node):
            relation = self._aggregated(node, environment, source, scalars)
        else:
            relation = self._projected(node, environment, source, scalars)
        if node.args.get("distinct") is not None:
            relation = _distinct(node, environment, relation)
        for join in joins:
            relation = replace(relation, input=replace(join, left=relation.input))
        return self._ordered(node, relation, environment)

    def _projected(
        self, node: exp.Select, environment: Environment, source: Source, scalars: ScalarLowering
    ) -> Relation:
        fields = self._items(node, environment, source, scalars)
        kept = _conditions_of(node, "qualify", scalars)
        relation = Relation(
            source.input,
            fields,
            open_tables=source.open_tables if _selects_everything(node) else (),
            filters=source.filters,
            window=source.window,
            depth=source.depth,
            beneath=source.relations,
        )
        return self._windowed(node, environment, relation, scalars, kept)

    def _windowed(
        self,
        node: exp.Select,
        environment: Environment,
        relation: Relation,
        scalars: ScalarLowering,
        kept: tuple[Expr, ...],
    ) -> Relation:
        """The relation behind the OVER windows of its query; ``kept`` are the conditions of QUALIFY."""
        calls = tuple(dict.fromkeys(scalars.over_calls))
        if not calls:
            return relation
        place = select_list(node, environment)
        if len(calls) == 1 and isinstance(calls[0].call, RankNumber) and calls[0].order:
            relation = ranked_by(relation, calls[0], place)
        else:
            relation = replace(relation, input=OverAggregate(sealed(relation), calls, place=calls[0].place), filters=())
        if kept:
            ranked = isinstance(relation.input, Rank)
            over = {column.name: column.expr for column in relation.fields if _holds_over(column.expr)}

            def behind_over(expr: Expr) -> Expr:
                """QUALIFY may repeat the call, or name the column that holds it."""
                if ranked and expr == calls[0]:
                    return replace(calls[0].call, place=expr.place)
                if isinstance(expr, (Column, Unresolved)) and expr.name in over:
                    return replace(over[expr.name], place=expr.place)
                return expr

            kept = tuple(replace(condition.rewrite(behind_over), place=condition.place) for condition in kept)
            behind = _filtered(_as_source(relation), kept, place)
            relation = replace(relation, input=behind.input, filters=behind.filters)
        return relation

    def _aggregated(
        self, node: exp.Select, environment: Environment, source: Source, scalars: ScalarLowering
    ) -> Relation:
        group = node.args.get("group")
        aliases = {item.alias: item.this for item in node.expressions if isinstance(item, exp.Alias)}
        keyed = replace(scalars, window_depth=source.depth + 1)
        grouped = group_keys(group, keyed, aliases) if group is not None else GroupKeys()
        depth = source.depth + 1 if grouped.window is not None else source.depth
        calls: list[AggregateCall] = []
        upper = replace(scalars, group_keys=frozenset(grouped.keys), window_depth=depth, aggregates=calls)
        fields = self._items(node, environment, source, upper)
        conditions = _conditions_of(node, "having", upper)
        kept = _conditions_of(node, "qualify", upper)
        operator = aggregate_operator(source, grouped, depth, tuple(dict.fromkeys(calls)))
        operator = replace(
            operator,
            place=environment.place(group) if group is not None else select_list(node, environment),
            select_place=select_list(node, environment),
            keys_place=grouped.place,
            grouping_place=grouped.grouping_place,
        )
        below, above = split_by_keys(operator, conditions)
        if below:
            operator = replace(operator, input=filtered(operator.input, below))
        relation = Relation(
            operator,
            fields,
            filters=above,
            window=getattr(operator, "window", None) if not isinstance(operator, GroupAggregate) else None,
            depth=depth,
            beneath=source.relations,
        )
        return self._windowed(node, environment, relation, upper, kept)

    def _items(
        self, node: exp.Select, environment: Environment, source: Source, scalars: ScalarLowering
    ) -> tuple[Field, ...]:
        fields: list[Field] = []
        for position, item in enumerate(node.expressions):
            body = item.this if isinstance(item, exp.Alias) else item
            if isinstance(body, exp.Star) or (isinstance(body, exp.Column) and isinstance(body.this, exp.Star)):
                table = body.table if isinstance(body, exp.Column) else ""
                fields += source.all_fields(table, environment.place(item))
                continue
            place = environment.place(item)
            known = len(scalars.aggregates)
            expr = scalars.lower(body)
            name = item.alias if isinstance(item, exp.Alias) else _implied_name(body, position)
            if isinstance(expr, AggregateCall) and len(scalars.aggregates) == known + 1:
                expr = replace(expr, item=place, alias=name)
                scalars.aggregates[known] = expr
            fields.append(Field(name, expr, _defining(place, expr)))
        return tuple(fields)

    def _set_operation(self, node: exp.SetOperation, environment: Environment) -> Relation:
        sides = _branches(node)
        branches = [self.query(side, environment) for side in sides]
        width = min(len(branch.fields) for branch in branches)
        fields = tuple(_united([branch.fields[position] for branch in branches]) for position in range(width))
        given = [
            (tuple(column.expr for column in branch.fields), sealed(branch), environment.place(side))
            for branch, side in zip(branches, sides, strict=True)
        ]
        # The inputs of UNION ALL have no order; EXCEPT takes the second from the first.
        if not isinstance(node, exp.Except):
            given.sort(key=lambda branch: (repr(branch[0]), repr(branch[1])))
        rows, inputs, places = zip(*given, strict=True)
        place = environment.place(node)
        operator: Operator
        if isinstance(node, exp.Union):
            operator = Union(inputs, rows, places, place=place)
        else:
            operator = SetOperation(inputs, rows, places, kind=type(node).__name__.upper(), place=place)
        window = branches[0].window if all(branch.window == branches[0].window for branch in branches) else None
        relation = Relation(operator, fields, window=window, depth=max(branch.depth for branch in branches))
        if isinstance(node, exp.Union) and node.args.get("distinct"):
            keys = tuple(column.expr for column in fields)
            relation = replace(relation, input=GroupAggregate(relation.input, keys, (), place=place))
        return relation

    def _ordered(self, node: exp.Expression, relation: Relation, environment: Environment) -> Relation:
        """ORDER BY, LIMIT, OFFSET and FETCH of a query."""
        order_node = node.args.get("order")
        limit, offset = node.args.get("limit"), node.args.get("offset")
        if order_node is None and limit is None and offset is None:
            return relation
        row = tuple(column.expr for column in relation.fields)
        input_ = sealed(relation)
        if order_node is not None:
            scope = Scope((replace(relation, alias=None), *relation.beneath), environment.parent)
            scalars = ScalarLowering(
                environment.statement, scope, self.catalog, lambda *_: Opaque("QUERY", environment.tokens(order_node))
            )
            order: tuple[Ordering, ...] = scalars.orderings(order_node)
            input_ = TemporalSort(input_, order, row, place=environment.place(order_node))
        if limit is not None or offset is not None:
            first = next(part for part in (limit, offset) if part is not None)
            text = " ".join(environment.tokens(limit)) if limit is not None else ""
            skip = " ".join(environment.tokens(offset)) if offset is not None else ""
            input_ = Limit(input_, text, skip, row, place=environment.place(first))
        return replace(relation, input=input_, filters=())


def _conditions_of(node: exp.Select, clause: str, scalars: ScalarLowering) -> tuple[Expr, ...]:
    found = node.args.get(clause)
    return scalars.conditions(found.this) if found is not None else ()


def _holds_over(expr: Expr) -> bool:
    return any(isinstance(node, (OverCall, RankNumber)) for node in expr.walk())


def _as_source(relation: Relation) -> Source:
    return Source(relation.input, (relation,), relation.filters, relation.window, relation.depth)


def _filtered(source: Source, conditions: tuple[Expr, ...], place: Place) -> Source:
    """The source behind WHERE; a condition on the rank number says which ranks a Top-N keeps."""
    ranked = source.input
    on_rank = tuple(condition for condition in conditions if mentions_rank(condition))
    if isinstance(ranked, Rank) and ranked.range is None and on_rank:
        ranges = rank_range(on_rank)
        shown = next((condition.place for condition in on_rank if condition.place is not None), place)
        rest = tuple(condition for condition in conditions if condition not in on_rank)
        return replace(source, input=replace(ranked, range=ranges, range_place=shown), filters=(*source.filters, *rest))
    if takes_conditions(source) and not source.filters and conditions:
        return with_conditions(source, conditions)
    if isinstance(ranked, Aggregate):
        below, conditions = split_by_keys(ranked, conditions)
        if below:
            source = replace(source, input=replace(ranked, input=filtered(ranked.input, below)))
    return replace(source, filters=tuple(dict.fromkeys((*source.filters, *conditions))))


def _distinct(node: exp.Select, environment: Environment, relation: Relation) -> Relation:
    keys = tuple(dict.fromkeys(column.expr for column in relation.fields))
    place = select_list(node, environment)
    grouped = GroupKeys(keys, place=place)
    operator = aggregate_operator(_as_source(relation), grouped, relation.depth, ())
    operator = replace(operator, place=place, keys_place=place, select_place=place)
    return replace(relation, input=operator, filters=())


def _defining(place: Place, expr: Expr) -> Place | None:
    """The clause to point at for a computed column: a lone aggregate is itself, anything else its select item."""
    return expr.place if isinstance(expr, AggregateCall) and not expr.via else place


def _implied_name(node: exp.Expression, position: int) -> str:
    if isinstance(node, exp.Column):
        return str(node.name)
    if isinstance(node, exp.Dot):
        return str(node.expression.name)
    return f"EXPR${position}"


def _selects_everything(node: exp.Select) -> bool:
    return any(
        isinstance(item, exp.Star) or (isinstance(item, exp.Column) and isinstance(item.this, exp.Star))
        for item in node.expressions
    )


def select_list(node: exp.Select, environment: Environment) -> Place:
    """From SELECT to the end of its last item."""
    whole = environment.place(node)
    if not node.expressions:
        return whole
    last = environment.place(node.expressions[-1])
    return Place(whole.statement, type(whole.span)(_select_start(node, environment), last.span.end))


def _select_start(node: exp.Select, environment: Environment) -> int:
    """The offset of the SELECT keyword: a WITH clause in front belongs to the same node."""
    start = environment.place(node).span.start
    clause = node.args.get("with_")
    if clause is None:
        return start
    text = environment.statement.text
    return text.upper().find("SELECT", environment.place(clause).span.end)


def _branches(node: exp.SetOperation) -> list[exp.Expression]:
    """The inputs of a chain of UNION ALL as one list; any other set operation has its two."""
    operands: list[exp.Expression] = []
    waiting: list[exp.Expression] = [node.expression, node.this]
    while waiting:
        side = waiting.pop()
        plain = type(side) is exp.Union and isinstance(node, exp.Union)
        if plain and not side.args.get("distinct") and not node.args.get("distinct") and not side.args.get("with_"):
            waiting += (side.expression, side.this)
        else:
            operands.append(side)
    return operands


def _united(columns: list[Field]) -> Field:
    first = columns[0]
    distinct = list(dict.fromkeys(column.expr for column in columns))
    if len(distinct) == 1:
        return first
    return Field(first.name, Call(UNITED, tuple(sorted(distinct, key=repr))), first.item)
