"""Relations in FROM: tables, views, subqueries, table functions, and their joins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Protocol

from sqlglot import exp

from keepstate.plan.metadata.connectors import sends_upserts
from keepstate.plan.names.full_names import function_name, table_name, written_name
from keepstate.plan.types.logical_types import INT, LogicalType
from keepstate.syntax import syntax_nodes
from keepstate.syntax.namespace import namespace_of
from keepstate.syntax.spans import keyword_span
from keepstate.text import Span
from keepstate.validation.hints import check_hints
from keepstate.validation.statement_context import StatementContext, doubt_of_altered, parts_of
from keepstate.validation.subqueries.top_rows import may_be_top_rows
from keepstate.validation.times.joins import JoinedTimes, surely_joins, with_times
from keepstate.validation.times.patterns import pattern_rows
from keepstate.validation.times.temporal import check_temporal
from keepstate.validation.times.windows import is_window, window_rows
from keepstate.validation.validity import ValidityProblem
from keepstate.validation.values import families
from keepstate.validation.values.declared_symbols import NameKind
from keepstate.validation.values.expression_check import ExpressionCheck
from keepstate.validation.values.scopes import (
    OPEN_ROWS,
    FromItem,
    RelationColumn,
    RelationColumns,
    TimeRole,
    ValidationScope,
    refuse,
)
from keepstate.validation.values.value import ExpressionContext

_ON = ExpressionContext("ON", aggregates=False, windows=False)
_ELEMENT, _PLACE = "EXPR$0", "ORDINALITY"
"""The columns of an UNNEST with ORDINALITY."""


class SubqueryCheck(Protocol):
    """The checks of the queries inside of a FROM."""

    expressions: ExpressionCheck
    surroundings: StatementContext

    def query(self, node: exp.Expression, parent: ValidationScope | None) -> RelationColumns: ...


class RelationCheck:
    """The FROM of one query. ``common`` are the common tables that it sees."""

    def __init__(
        self, queries: SubqueryCheck, common: Mapping[str, RelationColumns], parent: ValidationScope | None
    ) -> None:
        self._queries = queries
        self._expressions = queries.expressions
        self._common = common
        self._parent = parent
        self._times = JoinedTimes(())
        self._first: exp.Expression | None = None
        """The relation behind FROM."""
        self._top_rows: exp.Expression | None = None
        """The LATERAL query that is a Top-N of this relation."""

    def scope(self, select: exp.Select) -> ValidationScope:
        """The scope of the expressions of ``select``.

        Raises:
            Refused: a relation or a join is none.
        """
        source = select.args.get("from_")
        if source is None:
            return ValidationScope((), self._parent)
        self._first = source.this
        joins = select.args.get("joins") or ()
        where = select.args.get("where")
        conditions = (*(join.args.get("on") for join in joins), where.this if where is not None else None)
        self._times = JoinedTimes(tuple(condition for condition in conditions if condition is not None))
        scope = ValidationScope(self._items(source.this, ValidationScope((), self._parent)), self._parent)
        for join in joins:
            scope = self._with_join(scope, join)
        if where is not None and surely_joins(where.this, scope.items, self._queries.surroundings):
            scope = replace(scope, items=with_times(scope.items, TimeRole.materialized))
        return scope

    # ---- one relation

    def _items(self, node: exp.Expression, scope: ValidationScope) -> tuple[FromItem, ...]:
        """The relations that ``node`` brings: those of a join in parentheses keep their names."""
        if isinstance(node, syntax_nodes.JoinedTables) and node.args.get("alias") is None:
            return self._in_parentheses(node, scope).items
        return self._times.revived((self.item(node, scope),))

    def _in_parentheses(self, node: syntax_nodes.JoinedTables, scope: ValidationScope) -> ValidationScope:
        inner = ValidationScope(self._items(node.this, scope), self._parent)
        for join in node.args["joins"]:
            inner = self._with_join(inner, join)
        return inner

    def item(self, node: exp.Expression, scope: ValidationScope) -> FromItem:
        """One relation under its alias; ``scope`` is what stands to the left of it."""
        recorder = self._expressions.names
        rows = OPEN_ROWS
        path: tuple[str, ...] = ()
        with recorder.guard():
            rows, path = self._rows(node, scope)
        if node.args.get("sample") is not None:
            self._expressions.later.refuse("tablesample", self._expressions.span(node), "Flink plans no TABLESAMPLE.")
        alias = node.args.get("alias")
        name = node.alias_or_name if not isinstance(node.this, syntax_nodes.TableFunction) else node.alias
        if isinstance(alias, exp.TableAlias) and alias.columns:
            names = tuple(column.name for column in alias.columns)
            with recorder.guard():
                if rows.complete and len(names) != len(rows.columns):
                    first, last = (self._expressions.span(alias.columns[at]) for at in (0, -1))
                    message = f"{name} gets {len(names)} column names, and has {len(rows.columns)} columns."
                    refuse("alias-columns", first.union(last), message)
            rows = rows.renamed(names, recorder.columns(NameKind.OUTPUT, alias.columns, rows, name))
        elif name and isinstance(alias, exp.TableAlias) and _is_element(node, rows):
            rows = rows.renamed((name,))
        if isinstance(alias, exp.TableAlias) and alias.this is not None:
            return FromItem(name or None, rows, (), origin=recorder.declare(NameKind.ALIAS, alias.this))
        return FromItem(name or None, rows, path, origin=rows.origin if path else None)

    def _with_join(self, left: ValidationScope, join: exp.Join) -> ValidationScope:
        """The scope behind a join; that of both sides where the join is refused and names are kept."""
        is_first = self._first is not None and len(left.items) == 1
        self._top_rows = join.this if is_first and self._may_be_top_rows(join) else None
        right = self._items(join.this, left)
        both = replace(left, items=(*left.items, *right))
        with self._expressions.names.guard():
            both = self._join_scope(left, right, join)
        self._expressions.names.rest(join.args.get("on"), both)
        return both

    def _may_be_top_rows(self, join: exp.Join) -> bool:
        first = self._first
        assert first is not None
        is_named = False
        if isinstance(first, exp.Table) and isinstance(first.this, (exp.Identifier, exp.Dot)):
            declared = self._queries.surroundings.find(table_name(first))
            is_named = written_name(first) in self._common or (declared is not None and declared.kind == "view")
        return may_be_top_rows(first, join, is_named)

    def _rows(self, node: exp.Expression, scope: ValidationScope) -> tuple[RelationColumns, tuple[str, ...]]:
        match node:
            case exp.Table() if isinstance(node.this, syntax_nodes.TableFunction):
                return self._function(node.this, scope), ()
            case exp.Table() if not isinstance(node.this, (exp.Identifier, exp.Dot)):
                return self._rows(node.this, scope)
            case exp.Table():
                return self._table_columns(node, scope)
            case syntax_nodes.RowPattern():
                item = self.item(node.this, scope)
                return pattern_rows(node, item, self._expressions), ()
            case syntax_nodes.JoinedTables():
                inner = self._in_parentheses(node, scope)
                complete = all(item.rows.complete for item in inner.items)
                return RelationColumns(tuple(inner.columns()), complete), ()
            case exp.Subquery() | exp.Values() | exp.Select() | exp.SetOperation():
                return self._queries.query(node, self._parent), ()
            case exp.Lateral():
                if isinstance(node.this, (syntax_nodes.TableFunction, exp.Unnest)):
                    return self._rows_of_call(node.this, scope), ()
                rows = self._queries.query(node.this, replace(scope, parent=self._parent))
                if node is not self._top_rows:
                    self._expressions.correlations.check_single(is_lateral=True)
                return rows, ()
            case exp.Unnest():
                return self._rows_of_call(node, scope), ()
        return OPEN_ROWS, ()

    def _rows_of_call(self, call: exp.Expression, scope: ValidationScope) -> RelationColumns:
        if isinstance(call, syntax_nodes.TableFunction):
            return self._function(call, scope)
        values = [
            self._expressions.value(each, scope, ExpressionContext("UNNEST", False, False)) for each in call.expressions
        ]
        type_ = values[0].type if values else None
        family = families.family_of(type_)
        if family is not None and family not in ("array", "map", "multiset"):
            span = self._expressions.span(call)
            refuse("unnest", span, f"UNNEST takes ARRAY, MAP or MULTISET, and this is {type_}.")
        if type_ is None or family is None:
            return OPEN_ROWS
        columns = _elements(type_)
        if call.args.get("offset"):
            columns = (*columns, RelationColumn(_PLACE, INT))
        return RelationColumns(columns)

    def _table_columns(self, node: exp.Table, scope: ValidationScope) -> tuple[RelationColumns, tuple[str, ...]]:
        name = table_name(node)
        check_hints(node, self._expressions.later)
        version = node.args.get("version")
        if version is not None:
            with self._expressions.names.guard():
                self._expressions.value(version.expression, scope, ExpressionContext("FOR SYSTEM_TIME", False, False))
            self._expressions.names.rest(version.expression, scope)
            if node is self._first and version.expression.find(exp.Column) is None:
                message = "Only a catalog that keeps former versions of tables reads them as of a fixed time."
                self._expressions.doubt("time-travel", version.expression, message, "catalog")
        relation_name = written_name(node)
        if relation_name in self._common:
            self._expressions.names.use(node.parts[-1], self._common[relation_name].origin)
            return self._common[relation_name], (relation_name,)
        declared = self._queries.surroundings.find(name)
        path = namespace_of(node).path(*parts_of(node))
        if declared is None:
            span = self._expressions.span(node)
            if "alias" in node.args or "version" in node.args:
                span = Span(span.start, self._expressions.span(node.parts[-1]).end)
            self._expressions.unsure.append(
                ValidityProblem(
                    "unknown-table",
                    span,
                    f"No table or view {name} is declared above.",
                    depends="catalog",
                    subject=name,
                )
            )
            return OPEN_ROWS, path
        self._expressions.names.use(node.parts[-1], declared.rows.origin)
        for hint in (item for each in node.args.get("hints") or () for item in each.expressions):
            if hint.name.upper() == "OPTIONS":
                self._expressions.names.options(hint.expressions, declared.rows)
        if declared.problem is not None:
            words = f"{name} is refused itself."
            self._expressions.unsure.append(
                ValidityProblem("reads-invalid", self._expressions.span(node), words, depends="statement", subject=name)
            )
        if declared.is_altered:
            self._expressions.unsure.append(doubt_of_altered(declared, self._expressions.span(node)))
        if declared.kind == "table" and sends_upserts(declared.options) and not declared.primary_key:
            message = f"{name} sends upserts, so it needs PRIMARY KEY (...) NOT ENFORCED."
            refuse("source-key", self._expressions.span(node.this), message)
        return declared.rows, path

    def _function(self, call: syntax_nodes.TableFunction, scope: ValidationScope) -> RelationColumns:
        if is_window(call):
            return window_rows(call, lambda node: self.item(node, scope), self._expressions, scope)
        name = function_name(call)
        for argument in call.expressions:
            value = argument.expression if isinstance(argument, syntax_nodes.NamedArgument) else argument
            if isinstance(value, syntax_nodes.TableArgument):
                inner = ValidationScope((self.item(value.this, scope),), scope.parent)
                for clause in (value.args.get("partition_by"), value.args.get("order_by")):
                    self._expressions.names.rest(clause, inner)
            elif not isinstance(value, (syntax_nodes.Descriptor, syntax_nodes.ModelArgument)):
                self._expressions.value(value, scope, ExpressionContext("a table function", False, False))
        self._expressions.names.function(self._expressions.span(call.this), name)
        self._expressions.doubt("function", call, f"What {name} takes and gives is not in the script.", "function")
        return OPEN_ROWS

    # ---- joins

    def _join_scope(self, left: ValidationScope, right: tuple[FromItem, ...], join: exp.Join) -> ValidationScope:
        span = keyword_span(join) or self._expressions.span(join)
        names = {item.name for item in left.items}
        twice = next((item.name for item in right if item.name is not None and item.name in names), None)
        if twice is not None:
            alias = join.this.args.get("alias")
            at = self._expressions.span(alias.this if isinstance(alias, exp.TableAlias) else join.this)
            refuse("duplicate-relation", at, f"Two relations in this FROM are called {twice}.")
        kind, side = str(join.args.get("kind") or ""), str(join.args.get("side") or "")
        using = join.args.get("using")
        natural = join.args.get("method") == "NATURAL"
        on = join.args.get("on")
        comma = self._expressions.statement.text[span.start : span.end] == ","
        if side in ("FULL", "RIGHT") and _is_correlated_call(join.this):
            refuse("join-kind", span, f"A {side} JOIN has no right side that is computed of each row of the left.")
        if kind in ("ANTI", "SEMI"):
            refuse("join-kind", span, f"Flink has no {side} {kind} JOIN: use EXISTS.".replace("  ", " "))
        condition = on if on is not None else next(iter(using or ()), None)
        if kind == "CROSS" and condition is not None:
            refuse("join-condition", self._expressions.span(condition), "CROSS JOIN has no condition.")
        if natural and (on is not None or using):
            refuse("join-condition", span, "NATURAL JOIN takes neither ON nor USING.")
        if not comma and kind != "CROSS" and not natural and on is None and not using:
            self._refuse_missing_condition(join)
        if using or natural:
            return self._merged(left, right, join, span)
        left = left.apart()
        scope = replace(left, items=(*left.items, *right))
        if on is not None:
            other = self._is_temporal(join.this) or isinstance(join.this, exp.Lateral) or _is_correlated_call(join.this)
            sides = None if other else (left.items, right)
            with self._expressions.correlations.condition(on, scope, sides):
                self._expressions.condition(on, scope, _ON)
                self._check_of_call(join.this, on, right)
        if self._is_temporal(join.this):
            check_temporal(join, left, scope, self._expressions, self._queries.surroundings)
        if self._is_temporal(join.this) or _is_correlated_call(join.this):
            return scope
        return replace(scope, items=self._times.behind(left.items, right, self._may_vanish(left, join)))

    def _check_of_call(self, node: exp.Expression, on: exp.Expression, right: tuple[FromItem, ...]) -> None:
        """Note a condition of a join with UNNEST that reads the left side."""
        call = node.this if isinstance(node, exp.Lateral) else node
        complete = all(item.rows.complete for item in right)
        if not (isinstance(call, exp.Unnest) and complete and _is_correlated_call(node)):
            return
        for column in on.find_all(exp.Column):
            parts = [part.name for part in column.parts]
            if parts[0] not in {item.name for item in right} and not any(
                item.columns_named(parts[0]) for item in right
            ):
                message = "The condition of a join with UNNEST reads columns of UNNEST alone: filter in WHERE."
                self._expressions.later.refuse("join-condition", self._expressions.span(column), message)
                return

    def _may_vanish(self, left: ValidationScope, join: exp.Join) -> bool:
        """Return whether the planner may leave out an outer join: it does where one row at most is found for each, and
        nothing reads it.
        """
        side = str(join.args.get("side") or "")
        if side not in ("LEFT", "RIGHT"):
            return False
        table = join.this if side == "LEFT" else self._first
        if not isinstance(table, exp.Table) or not isinstance(table.this, exp.Identifier) or len(left.items) > 1:
            return True
        declared = self._queries.surroundings.find(table_name(table)) if table.name not in self._common else None
        return declared is None or declared.kind != "table" or bool(declared.primary_key)

    @staticmethod
    def _is_temporal(node: exp.Expression) -> bool:
        return node.args.get("version") is not None

    def _refuse_missing_condition(self, join: exp.Join) -> None:
        span = keyword_span(join) or self._expressions.span(join)
        refuse("join-condition", span, "This JOIN has no condition: write ON or USING, or CROSS JOIN.")

    def _merged(
        self, left: ValidationScope, right: tuple[FromItem, ...], join: exp.Join, span: Span
    ) -> ValidationScope:
        """The scope behind a join on columns of the same name."""
        using: list[exp.Identifier] | None = join.args.get("using")
        left_names = {column.name for column in left.columns()}
        right_names = {column.name for item in right for column in item.rows.columns}
        names = frozenset(name.name for name in using) if using else frozenset(right_names & left_names)
        if not using:
            # NATURAL passes by a column that one relation has twice.
            names = frozenset(name for name in names if not _is_twice(name, (*left.items, *right)))
        for name in using or ():
            for rows_complete, has_name in (
                (all(item.rows.complete for item in left.items), name.name in left_names),
                (all(item.rows.complete for item in right), name.name in right_names),
            ):
                if rows_complete and not has_name:
                    refuse("unknown-column", self._expressions.span(name), f"Not both sides have a column {name.name}.")
        places = {name.name: self._expressions.span(name) for name in using or ()}
        both = (*left.columns(), *(column for item in right for column in item.rows.columns))
        for merged in sorted(names):
            origins = tuple(column.origin for column in both if column.is_named(merged))
            self._expressions.names.merged(places.get(merged, span), origins)
        self._check_merged(names, left.items, right, places, span)
        # NATURAL makes one column of two for * only: their bare name stays ambiguous.
        bare = names if using else frozenset()
        first = {name: next((item for item in left.items if item.columns_named(name)), None) for name in bare}
        others = tuple(
            replace(item, merged=item.merged | {name for name in bare if first[name] is not item})
            for item in (left.items if using else left.apart().items)
        )
        in_order = [name.name for name in using] if using else [column.name for column in left.columns()]
        common = tuple(
            dict.fromkeys(name for name in (*in_order, *left.common) if name in names or name in left.common)
        )
        left = replace(left, items=others, common=common)
        hidden = tuple(replace(item, hidden=item.hidden | names, merged=item.merged | bare) for item in right)
        by_time = any(column.time is not TimeRole.NONE for column in both if column.name in names)
        return replace(left, items=self._times.behind(left.items, hidden, by_time or self._may_vanish(left, join)))

    def _check_merged(
        self,
        names: frozenset[str],
        left: tuple[FromItem, ...],
        right: tuple[FromItem, ...],
        places: dict[str, Span],
        span: Span,
    ) -> None:
        """Refuse a common column that one relation has twice, or whose types Flink does not compare."""
        for name in sorted(names):
            at = places.get(name, span)
            if _is_twice(name, (*left, *right)):
                refuse("ambiguous-column", at, f"One side of this join has several columns {name}.")
            sides = [column.type for side in (left, right) for item in side for column in item.columns_named(name)[:1]]
            kinds = {families.family_of(type_) for type_ in sides}
            if kinds == {families.NUMBER, families.STRING}:
                words = " and ".join(map(str, sides))
                self._expressions.later.refuse("operand-type", at, f"The columns {name} have the types {words}.")


def _is_twice(name: str, items: tuple[FromItem, ...]) -> bool:
    """Return whether one relation has several columns of this name."""
    return any(len(item.columns_named(name)) > 1 for item in items)


def _is_correlated_call(node: exp.Expression) -> bool:
    """Return whether a relation is computed of each row: by a table function, or UNNEST of a value of the row."""
    call = node.this if isinstance(node, exp.Lateral) else node
    if isinstance(call, exp.Table):
        call = call.this
    if isinstance(call, exp.Unnest):
        return call.find(exp.Column) is not None
    return isinstance(call, syntax_nodes.TableFunction) and not is_window(call)


def _is_element(node: exp.Expression, rows: RelationColumns) -> bool:
    """Return whether the first column of an UNNEST is an element that is no ROW, which has the name of its alias."""
    call = node.this if isinstance(node, exp.Lateral) else node
    names = [column.name for column in rows.columns]
    return isinstance(call, exp.Unnest) and names in ([_ELEMENT], [_ELEMENT, _PLACE])


def _elements(type_: LogicalType) -> tuple[RelationColumn, ...]:
    """The columns that UNNEST makes of a collection."""
    element = type_.elements[0]
    if type_.root == "MAP":
        return (RelationColumn("KEY", type_.elements[0]), RelationColumn("VALUE", type_.elements[1]))
    if element.root == "ROW":
        names = element.exact_names or element.names
        return tuple(
            RelationColumn(name, inner, caseless=not element.exact_names)
            for name, inner in zip(names, element.elements, strict=True)
        )
    return (RelationColumn(_ELEMENT, element),)
