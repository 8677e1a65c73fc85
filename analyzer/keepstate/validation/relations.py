"""Relations in FROM: tables, views, subqueries, table functions, and their joins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Protocol

from sqlglot import exp

from keepstate.plan.catalog import function_name, table_name
from keepstate.plan.metadata.connectors import sends_upserts
from keepstate.plan.types.logical_types import BIGINT, LogicalType
from keepstate.syntax import nodes
from keepstate.syntax.spans import keyword_span
from keepstate.text import Span
from keepstate.validation.hints import check_hints
from keepstate.validation.surroundings import Surroundings
from keepstate.validation.times.patterns import pattern_rows
from keepstate.validation.times.temporal import check_temporal
from keepstate.validation.times.windows import is_window, window_rows
from keepstate.validation.validity import Problem
from keepstate.validation.values import families
from keepstate.validation.values.expressions import Expressions
from keepstate.validation.values.scopes import OPEN_ROWS, Column, Item, Refused, Rows, Scope, Time, refuse
from keepstate.validation.values.value import Place

_ON = Place("ON", aggregates=False, windows=False)


class Queries(Protocol):
    """The checks of the queries inside of a FROM."""

    expressions: Expressions
    surroundings: Surroundings

    def query(self, node: exp.Expression, parent: Scope | None) -> Rows: ...


class Relations:
    """The FROM of one query. ``common`` are the common tables that it sees."""

    def __init__(self, queries: Queries, common: Mapping[str, Rows], parent: Scope | None) -> None:
        self._queries = queries
        self._expressions = queries.expressions
        self._common = common
        self._parent = parent

    def scope(self, select: exp.Select) -> Scope:
        """The scope of the expressions of ``select``.

        Raises:
            Refused: a relation or a join is none.
        """
        source = select.args.get("from_")
        if source is None:
            return Scope((), self._parent)
        scope = Scope((self.item(source.this, Scope((), self._parent)),), self._parent)
        joins = select.args.get("joins") or ()
        for join in joins:
            scope = self._joined(scope, join)
        if joins and not self._mentions_time(select, scope):
            scope = replace(scope, items=tuple(_with_times(item, Time.UNKNOWN, Time.NONE) for item in scope.items))
        return scope

    def _mentions_time(self, select: exp.Select, scope: Scope) -> bool:
        """Return whether a join of ``select`` may be by time or by windows, which leaves its time attributes alone."""
        conditions = [join.args.get("on") for join in select.args.get("joins") or ()]
        where = select.args.get("where")
        for condition in (*conditions, where):
            for column in condition.find_all(exp.Column) if condition is not None else ():
                if column.name in ("window_start", "window_end", "window_time"):
                    return True
                parts = column.parts
                try:
                    found = scope.resolve(tuple(part.name for part in parts), tuple(map(self._expressions.span, parts)))
                except Refused:
                    return True
                if found is None or found.column.time is not Time.NONE:
                    return True
        return False

    # ---- one relation

    def item(self, node: exp.Expression, scope: Scope) -> Item:
        """One relation under its alias; ``scope`` is what stands to the left of it."""
        rows, path = self._rows(node, scope)
        alias = node.args.get("alias")
        name = node.alias_or_name if not isinstance(node.this, nodes.TableFunction) else node.alias
        if isinstance(alias, exp.TableAlias) and alias.columns:
            names = tuple(column.name for column in alias.columns)
            if rows.complete and len(names) != len(rows.columns):
                first, last = (self._expressions.span(alias.columns[at]) for at in (0, -1))
                message = f"{name} gets {len(names)} column names, and has {len(rows.columns)} columns."
                refuse("alias-columns", first.union(last), message)
            rows = rows.renamed(names)
        aliased = isinstance(alias, exp.TableAlias) and alias.this is not None
        return Item(name or None, rows, () if aliased else path)

    def _rows(self, node: exp.Expression, scope: Scope) -> tuple[Rows, tuple[str, ...]]:
        match node:
            case exp.Table() if isinstance(node.this, nodes.TableFunction):
                return self._function(node.this, scope), ()
            case exp.Table() if not isinstance(node.this, (exp.Identifier, exp.Dot)):
                return self._rows(node.this, scope)
            case exp.Table():
                return self._named(node, scope)
            case nodes.RowPattern():
                item = self.item(node.this, scope)
                return pattern_rows(node, item, self._expressions), ()
            case nodes.JoinedTables():
                inner = Scope((self.item(node.this, scope),), self._parent)
                for join in node.args["joins"]:
                    inner = self._joined(inner, join)
                complete = all(item.rows.complete for item in inner.items)
                return Rows(tuple(inner.columns()), complete), ()
            case exp.Subquery() | exp.Values() | exp.Select() | exp.SetOperation():
                return self._queries.query(node, self._parent), ()
            case exp.Lateral():
                if isinstance(node.this, (nodes.TableFunction, exp.Unnest)):
                    return self._rows_of_call(node.this, scope), ()
                return self._queries.query(node.this, replace(scope, parent=self._parent)), ()
            case exp.Unnest():
                return self._rows_of_call(node, scope), ()
        return OPEN_ROWS, ()

    def _rows_of_call(self, call: exp.Expression, scope: Scope) -> Rows:
        if isinstance(call, nodes.TableFunction):
            return self._function(call, scope)
        values = [self._expressions.value(each, scope, Place("UNNEST", False, False)) for each in call.expressions]
        type_ = values[0].type if values else None
        family = families.family_of(type_)
        if family is not None and family not in ("array", "map", "multiset"):
            span = self._expressions.span(call)
            refuse("unnest", span, f"UNNEST takes ARRAY, MAP or MULTISET, and this is {type_}.")
        if type_ is None or family is None:
            return OPEN_ROWS
        found = _elements(type_)
        if call.args.get("offset"):
            found = (*found, Column("ORDINALITY", BIGINT))
        return Rows(found)

    def _named(self, node: exp.Table, scope: Scope) -> tuple[Rows, tuple[str, ...]]:
        name = table_name(node)
        check_hints(node, self._expressions.later)
        version = node.args.get("version")
        if version is not None:
            self._expressions.value(version.expression, scope, Place("FOR SYSTEM_TIME", False, False))
        if name in self._common:
            return self._common[name], (name,)
        declared = self._queries.surroundings.find(name)
        path = ("default_catalog", "default_database", name) if "." not in name else tuple(name.split("."))
        if declared is None:
            span = self._expressions.span(node)
            if "alias" in node.args or "version" in node.args:
                span = Span(span.start, self._expressions.span(node.parts[-1]).end)
            self._expressions.unsure.append(
                Problem(
                    "unknown-table",
                    span,
                    f"No table or view {name} is declared above.",
                    depends="catalog",
                    subject=name,
                )
            )
            return OPEN_ROWS, path
        if declared.problem is not None:
            words = f"{name} is refused itself."
            self._expressions.unsure.append(
                Problem("reads-invalid", self._expressions.span(node), words, depends="statement", subject=name)
            )
        if declared.kind == "table" and sends_upserts(declared.options) and not declared.primary_key:
            message = f"{name} sends upserts, so it needs PRIMARY KEY (...) NOT ENFORCED."
            refuse("source-key", self._expressions.span(node.this), message)
        return declared.rows, path

    def _function(self, call: nodes.TableFunction, scope: Scope) -> Rows:
        if is_window(call):
            return window_rows(call, lambda node: self.item(node, scope), self._expressions, scope)
        name = function_name(call)
        for argument in call.expressions:
            value = argument.expression if isinstance(argument, nodes.NamedArgument) else argument
            if isinstance(value, nodes.TableArgument):
                self.item(value.this, scope)
            elif not isinstance(value, (nodes.Descriptor, nodes.ModelArgument)):
                self._expressions.value(value, scope, Place("a table function", False, False))
        self._expressions.doubt("function", call, f"What {name} takes and gives is not in the script.", "function")
        return OPEN_ROWS

    # ---- joins

    def _joined(self, left: Scope, join: exp.Join) -> Scope:
        span = keyword_span(join) or self._expressions.span(join)
        right = self.item(join.this, left)
        items = (*left.items, right)
        if right.name is not None and any(item.name == right.name for item in left.items):
            alias = join.this.args.get("alias")
            at = self._expressions.span(alias.this if isinstance(alias, exp.TableAlias) else join.this)
            refuse("duplicate-relation", at, f"Two relations in this FROM are called {right.name}.")
        kind, side = str(join.args.get("kind") or ""), str(join.args.get("side") or "")
        using = join.args.get("using")
        natural = join.args.get("method") == "NATURAL"
        on = join.args.get("on")
        comma = self._expressions.statement.text[span.start : span.end] == ","
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
            return self._merged(left, right, using, span)
        found = replace(left, items=items)
        if on is not None:
            self._expressions.condition(on, found, _ON)
        lateral = isinstance(join.this, (exp.Lateral, exp.Unnest))
        if self._is_temporal(join.this):
            check_temporal(join, left, found, self._expressions, self._queries.surroundings)
        if lateral or self._is_temporal(join.this):
            return found
        return replace(found, items=tuple(_without_times(item) for item in found.items))

    @staticmethod
    def _is_temporal(node: exp.Expression) -> bool:
        return node.args.get("version") is not None

    def _refuse_missing_condition(self, join: exp.Join) -> None:
        span = keyword_span(join) or self._expressions.span(join)
        refuse("join-condition", span, "This JOIN has no condition: write ON or USING, or CROSS JOIN.")

    def _merged(self, left: Scope, right: Item, using: list[exp.Identifier] | None, span: Span) -> Scope:
        """The scope behind a join on columns of the same name."""
        ours = {column.name for column in left.columns()}
        names = [name.name for name in using] if using else [c.name for c in right.rows.columns if c.name in ours]
        for name in using or ():
            for rows_complete, found in (
                (all(item.rows.complete for item in left.items), name.name in ours),
                (right.rows.complete, bool(right.columns_named(name.name))),
            ):
                if rows_complete and not found:
                    refuse("unknown-column", self._expressions.span(name), f"Not both sides have a column {name.name}.")
        return replace(left, items=(*map(_without_times, left.items), replace(right, hidden=frozenset(names))))


def _without_times(item: Item) -> Item:
    """The relation behind a join that may have made plain timestamps of its time attributes."""
    return _with_times(_with_times(item, Time.ROW, Time.UNKNOWN), Time.PROC, Time.UNKNOWN)


def _with_times(item: Item, now: Time, then: Time) -> Item:
    if not any(column.time is now for column in item.rows.columns):
        return item
    columns = tuple(replace(each, time=then) if each.time is now else each for each in item.rows.columns)
    return replace(item, rows=replace(item.rows, columns=columns))


def _elements(type_: LogicalType) -> tuple[Column, ...]:
    """The columns that UNNEST makes of a collection."""
    element = type_.elements[0]
    if type_.root == "MAP":
        return (Column("KEY", type_.elements[0]), Column("VALUE", type_.elements[1]))
    if element.root == "ROW":
        return tuple(
            Column(name, inner, caseless=True) for name, inner in zip(element.names, element.elements, strict=True)
        )
    return (Column("EXPR$0", element),)
