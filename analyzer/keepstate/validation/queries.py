"""Queries: SELECT with its clauses, set operations, VALUES and WITH."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from sqlglot import exp

from keepstate.plan.types.common_types import common_type
from keepstate.syntax.spans import keyword_span
from keepstate.syntax.statement import ParsedStatement
from keepstate.text import Span
from keepstate.validation.grouping import Groups, meaning
from keepstate.validation.hints import check_hints
from keepstate.validation.relations import Relations
from keepstate.validation.surroundings import Surroundings
from keepstate.validation.times.over import OverWindows
from keepstate.validation.validity import Problem
from keepstate.validation.values.expressions import Expressions
from keepstate.validation.values.families import have_common_type
from keepstate.validation.values.scopes import OPEN_ROWS, Column, Rows, Scope, Time, refuse
from keepstate.validation.values.value import Place


class QueryCheck:
    """Checks the queries of one statement, in the order in which Flink does."""

    def __init__(self, statement: ParsedStatement, surroundings: Surroundings, unsure: list[Problem]) -> None:
        self.surroundings = surroundings
        self.expressions = Expressions(statement, surroundings.functions, self.query, unsure)
        self.expressions.meaning = lambda node, scope: meaning(node, scope, self.expressions)
        self._common: Mapping[str, Rows] = {}
        self._hidden_order: Mapping[str, Column] = {}
        """The column that the query read last is sorted by, be it selected or not."""

    def query(self, node: exp.Expression, parent: Scope | None = None) -> Rows:
        """The rows of a query.

        Raises:
            Refused: it is none.
        """
        if node.args.get("offset") is not None and node.args.get("limit") is None:
            self.expressions.later.refuse(
                "limit", self.expressions.span(node.args["offset"]), "On streams OFFSET needs LIMIT or FETCH."
            )
        common = self._common
        clause = node.args.get("with_")
        if clause is not None:
            self._common = self._with(clause, parent)
        try:
            return self._query(node, parent)
        finally:
            self._common = common

    def _with(self, clause: exp.Expression, parent: Scope | None) -> Mapping[str, Rows]:
        common = dict(self._common)
        for table in clause.expressions:
            outer, self._common = self._common, common
            if clause.args.get("recursive"):
                common[table.alias_or_name] = OPEN_ROWS
            rows = self.query(table.this, parent)
            self._common = outer
            alias = table.args.get("alias")
            names = tuple(column.name for column in alias.columns) if isinstance(alias, exp.TableAlias) else ()
            common = {**common, table.alias_or_name: rows.renamed(names)}
        return common

    def _query(self, node: exp.Expression, parent: Scope | None) -> Rows:
        match node:
            case exp.Subquery():
                rows = self.query(node.this, parent)
                self._order(node, Scope((), parent), rows, None)
                return rows
            case exp.Select():
                return self._select(node, parent)
            case exp.SetOperation():
                rows = self._set_operation(node, parent)
                self._order(node, Scope((), parent), rows, None)
                return rows
            case exp.Values():
                return self._values(node, parent)
            case exp.Table():
                return Relations(self, self._common, parent).item(node, Scope((), parent)).rows
        return OPEN_ROWS

    # ---- SELECT

    def _select(self, node: exp.Select, parent: Scope | None) -> Rows:
        around = self.expressions.over
        named = {window.name: window for window in node.args.get("windows") or ()}
        over = self.expressions.over = OverWindows(self.expressions, named)
        try:
            rows = self._selected(node, parent)
            over.same(_over_calls(node))
            return rows
        finally:
            self.expressions.over = around

    def _selected(self, node: exp.Select, parent: Scope | None) -> Rows:
        scope = Relations(self, self._common, parent).scope(node)
        check = self.expressions
        check_hints(node, check.later, scope)
        where, having = node.args.get("where"), node.args.get("having")
        if where is not None:
            check.condition(where.this, scope, Place("WHERE", aggregates=False, windows=False))
        groups = Groups.of(node, scope, check)
        windows = groups.windows if groups is not None else frozenset()
        if having is not None:
            check.condition(having.this, scope, Place("HAVING", windows=False, group_windows=windows))
            if groups is not None:
                groups.check(having.this)
        columns: list[Column] = []
        place = Place("SELECT", group_windows=windows)
        for position, item in enumerate(node.expressions):
            columns += self._item(item, position, scope, place, groups)
        window = next((item.rows.window for item in scope.items if item.rows.window is not None), None)
        if groups is not None and groups.tells_windows and window is not None:
            check.later.problems.append(window)
        if node.args.get("distinct") is not None:
            columns = [replace(column, time=Time.NONE) for column in columns]
            self._check_distinct_order(node, columns)
        rows = Rows(tuple(columns), self._is_complete(node, scope), window if groups is None else None)
        self._order(node, scope, rows, groups, node)
        return rows

    def _check_distinct_order(self, node: exp.Select, columns: list[Column]) -> None:
        """Refuse SELECT DISTINCT that is sorted by what it does not select."""
        names = {column.name for column in columns}
        selected = [item.this if isinstance(item, exp.Alias) else item for item in node.expressions]
        if any(isinstance(item, exp.Paren) for item in selected):
            return
        order = node.args.get("order")
        texts = {self._words(item) for item in selected}
        for ordered in order.expressions if order is not None else ():
            by = ordered.this
            if isinstance(by, exp.Literal) or self._words(by) in texts:
                continue
            if isinstance(by, exp.Column) and by.name not in names and not any(map(_is_star, node.expressions)):
                message = f"SELECT DISTINCT is sorted by selected columns only, and {by.name} is none."
                refuse("distinct-order", self.expressions.span(by), message)

    def _words(self, node: exp.Expression) -> str:
        return " ".join(self.expressions.span(node).of(self.expressions.statement.text).split())

    @staticmethod
    def _is_complete(node: exp.Select, scope: Scope) -> bool:
        for item in node.expressions:
            if _is_star(item):
                table = item.table if isinstance(item, exp.Column) else ""
                if table and not any(each.name == table for each in scope.items):
                    return False
                if not all(each.rows.complete for each in scope.items if not table or each.name == table):
                    return False
        return True

    def _item(
        self, item: exp.Expression, position: int, scope: Scope, place: Place, groups: Groups | None
    ) -> Iterator[Column]:
        if _is_star(item):
            yield from self._starred(item, scope, groups)
            return
        body = item.this if isinstance(item, exp.Alias) else item
        value = self.expressions.value(body, scope, place)
        if value.null:
            refuse("bare-null", self.expressions.span(body), "A bare NULL has no type here: cast it.")
        if groups is not None:
            groups.check(body)
        name = item.alias if isinstance(item, exp.Alias) else _implied_name(body, position)
        time = value.time
        if groups is not None and not groups.keeps_time(body):
            time = Time.NONE
        yield Column(name, value.type, time, value.nullable)

    def _starred(self, item: exp.Expression, scope: Scope, groups: Groups | None) -> Iterator[Column]:
        table = item.table if isinstance(item, exp.Column) else ""
        items = [each for each in scope.items if not table or each.name == table]
        span = self.expressions.span(item)
        if table and not items and scope.may_hold_row(table):
            return
        if table and not items:
            refuse("unknown-qualifier", span, f"No relation in this FROM is called {table}.")
        if groups is not None:
            groups.check_star(item, items)
        names: set[str] = set()
        for each in items:
            for column in each.rows.columns:
                if not table and column.name in each.hidden:
                    continue
                name, number = column.name, 0
                while name in names:
                    name, number = f"{column.name}{number}", number + 1
                names.add(name)
                yield replace(column, name=name)

    def _order(
        self, node: exp.Expression, scope: Scope, rows: Rows, groups: Groups | None, select: exp.Select | None = None
    ) -> None:
        order = node.args.get("order")
        aliases = {column.name: column for column in rows.columns}
        if order is not None:
            sorting = replace(scope, aliases=aliases)
            if not rows.complete and select is None:
                return
            for ordered in order.expressions:
                if isinstance(ordered.this, exp.Literal):
                    self._check_ordinal(ordered.this, rows)
                    continue
                windows = groups.windows if groups is not None else frozenset()
                place = Place("ORDER BY", select is None or groups is not None, group_windows=windows)
                value = self.expressions.value(ordered.this, sorting, place)
                if isinstance(ordered.this, exp.Column):
                    self._hidden_order = {ordered.this.name: Column(ordered.this.name, value.type, value.time)}
                if groups is not None and ordered.this.name not in aliases:
                    groups.check(ordered.this)

    def _check_ordinal(self, node: exp.Expression, rows: Rows) -> None:
        number = node.name
        if rows.complete and not node.is_string and number.isdecimal() and not 1 <= int(number) <= len(rows.columns):
            refuse("order-by", self.expressions.span(node), f"The query has no column {number}.")

    def outermost(self, node: exp.Expression, parent: Scope | None = None) -> Rows:
        """The rows of the query of a statement, which a stream has to sort by time.

        Raises:
            Refused: it is none, or its order is no order of time.
        """
        rows = self.query(node, parent)
        order = node.args.get("order")
        if order is None or node.args.get("limit") is not None or not order.expressions:
            return rows
        first = order.expressions[0]
        column = first.this
        found: Column | None = None
        if isinstance(column, exp.Literal) and not column.is_string and rows.complete and column.name.isdecimal():
            found = rows.columns[int(column.name) - 1]
        if isinstance(node, exp.Select) and node.args.get("where") is not None and _reads_values(node):
            # The planner may see that no row is left.
            return rows
        if isinstance(column, exp.Column) and rows.complete and len(column.parts) == 1:
            named = [each for each in rows.columns if each.name == column.name]
            found = named[0] if len(named) == 1 else self._hidden_order.get(column.name)
        if found is None:
            return rows
        if found.type is not None and found.time is Time.NONE:
            message = (
                f"A stream is sorted by a time attribute first, and {found.name} is none: add LIMIT, or sort later."
            )
            self.expressions.later.refuse("sort", self.expressions.span(first), message)
        if found.time is not Time.NONE and first.args.get("desc"):
            self.expressions.later.refuse(
                "sort", self.expressions.span(first), "A stream is sorted by ascending time only, unless it has LIMIT."
            )
        return rows

    # ---- other queries

    def _set_operation(self, node: exp.Expression, parent: Scope | None) -> Rows:
        left, right = self.query(node.this, parent), self.query(node.expression, parent)
        if not left.complete or not right.complete:
            return replace(left, complete=False) if not left.complete else left
        span = keyword_span(node) or self.expressions.span(node)
        word = span.of(self.expressions.statement.text).split()[0].upper()
        if len(left.columns) != len(right.columns):
            message = f"The sides of {word} have {len(left.columns)} and {len(right.columns)} columns."
            refuse("set-operation-columns", _first_item(node.expression, self.expressions), message)
        columns: list[Column] = []
        for number, (one, other) in enumerate(zip(left.columns, right.columns, strict=True), 1):
            if not have_common_type([one.type, other.type]):
                message = f"Column {number} of {word} is {one.type} on the left and {other.type} on the right."
                refuse("set-operation-types", _item_of(node.this, number - 1, self.expressions), message)
            time = (
                one.time
                if one.time is other.time
                else Time.UNKNOWN
                if Time.UNKNOWN in (one.time, other.time)
                else Time.NONE
            )
            type_ = common_type([one.type, other.type])
            columns.append(replace(one, type=type_, time=time, nullable=None))
        return Rows(tuple(columns))

    def _values(self, node: exp.Expression, parent: Scope | None) -> Rows:
        scope = Scope((), parent)
        rows = [
            [self.expressions.value(each, scope, Place("VALUES")) for each in row.expressions]
            for row in node.expressions
        ]
        for row, values in zip(node.expressions, rows, strict=True):
            for each, value in zip(row.expressions, values, strict=True):
                if value.null:
                    refuse("bare-null", self.expressions.span(each), "A bare NULL has no type here: cast it.")
        if not rows:
            return OPEN_ROWS
        if len({len(row) for row in rows}) > 1:
            refuse(
                "values-columns", self.expressions.span(node), "The rows of VALUES have different numbers of columns."
            )
        columns = []
        for index, column in enumerate(zip(*rows, strict=True)):
            types = [value.type for value in column if not value.null]
            if types and not have_common_type(types):
                refuse(
                    "set-operation-types",
                    self.expressions.span(node),
                    f"Column {index + 1} of VALUES has no common type.",
                )
            columns.append(Column(f"EXPR${index}", common_type(types) if types else None))
        return Rows(tuple(columns))


def _over_calls(node: exp.Select) -> list[exp.Window]:
    """The calls with OVER among the items of a query, not those of queries inside of it."""
    found: list[exp.Window] = []
    waiting: list[exp.Expression] = list(reversed(node.expressions))
    while waiting:
        current = waiting.pop()
        if isinstance(current, exp.Window):
            found.append(current)
        elif not isinstance(current, (exp.Select, exp.SetOperation, exp.Subquery)):
            waiting += (child for child in current.iter_expressions())
    return found


def _reads_values(node: exp.Select) -> bool:
    source = node.args.get("from_")
    return source is not None and source.find(exp.Values) is not None


def _is_star(item: exp.Expression) -> bool:
    return isinstance(item, exp.Star) or (isinstance(item, exp.Column) and isinstance(item.this, exp.Star))


def _implied_name(node: exp.Expression, position: int) -> str:
    while isinstance(node, exp.Paren):
        node = node.this
    if isinstance(node, exp.Dot) and isinstance(node.this, exp.Paren):
        return f"EXPR${position}"
    if isinstance(node, exp.Column):
        return str(node.name)
    if isinstance(node, exp.Dot) and isinstance(node.expression, exp.Identifier):
        return str(node.expression.name)
    return f"EXPR${position}"


def _selected(node: exp.Expression) -> exp.Expression:
    while isinstance(node, (exp.Subquery, exp.SetOperation)):
        node = node.this
    return node


def _item_of(node: exp.Expression, index: int, expressions: Expressions) -> Span:
    select = _selected(node)
    items = select.expressions if isinstance(select, exp.Select) else []
    if index < len(items) and not any(map(_is_star, items[: index + 1])):
        return expressions.span(items[index])
    return expressions.span(node)


def _first_item(node: exp.Expression, expressions: Expressions) -> Span:
    return _item_of(node, 0, expressions)
