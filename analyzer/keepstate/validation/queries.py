"""Queries: SELECT with its clauses, set operations, VALUES and WITH."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from sqlglot import exp

from keepstate.plan.types.common_types import common_type
from keepstate.plan.types.logical_types import LogicalType
from keepstate.syntax.spans import keyword_span
from keepstate.syntax.statement import ParsedStatement
from keepstate.text import Span
from keepstate.validation.constants.text_conditions import compared_with_true
from keepstate.validation.grouping import Groups, meaning, words_of
from keepstate.validation.hints import check_hints
from keepstate.validation.outputs.items import (
    check_bare_call,
    check_common,
    check_sorted,
    check_starred,
    check_window_names,
    check_windows,
    fields_of,
    first_item,
    implied_name,
    is_star,
    item_of,
    over_calls,
    path_of,
    reads_values,
    spans_of,
)
from keepstate.validation.outputs.qualify import check_qualify
from keepstate.validation.outputs.sorting import FirstSortKey, check_sort
from keepstate.validation.relations import RelationCheck
from keepstate.validation.statement_context import StatementContext
from keepstate.validation.times.derived_times import computed_time, is_given, mixes_times, united_time
from keepstate.validation.times.over import OverWindows
from keepstate.validation.validity import ValidityProblem
from keepstate.validation.values.builtin_signatures import GROUPINGS
from keepstate.validation.values.declared_symbols import DeclaredSymbol, NameKind
from keepstate.validation.values.expression_check import ExpressionCheck
from keepstate.validation.values.families import STRING, family_of, have_common_type
from keepstate.validation.values.name_receiver import SILENT, NameReceiver
from keepstate.validation.values.scopes import (
    OPEN_ROWS,
    RelationColumn,
    RelationColumns,
    ValidationScope,
    refuse,
)
from keepstate.validation.values.value import UNKNOWN, ExpressionContext, ValueFacts


class QueryCheck:
    """Checks the queries of one statement, in the order in which Flink does."""

    def __init__(
        self,
        statement: ParsedStatement,
        surroundings: StatementContext,
        unsure: list[ValidityProblem],
        names: NameReceiver = SILENT,
    ) -> None:
        self.surroundings = surroundings
        self.names = names
        self.expressions = ExpressionCheck(statement, surroundings.functions, self.query, unsure, names=names)
        self.expressions.meaning = lambda node, scope: meaning(node, scope, self.expressions)
        dialect = surroundings.dialect
        self.expressions.before_2 = dialect.is_open_source and dialect.flink < (2, 0)
        self._common: Mapping[str, RelationColumns] = {}
        self._first_order: ValueFacts | None = None
        """The value that the query read last is sorted by first."""
        self._outermost: exp.Expression | None = None
        self.mixed_times: dict[int, tuple[LogicalType | None, Span]] = {}
        """The columns of the outermost UNION that are a time attribute on one side only, with type and place. A cast,
        as of another sink, mends them.
        """
        self._hidden_order: Mapping[str, RelationColumn] = {}
        """The column that the query read last is sorted by, be it selected or not."""

    def close(self) -> None:
        """Let go of the checks of expressions, which refer to this object."""
        del self.expressions

    def query(self, node: exp.Expression, parent: ValidationScope | None = None) -> RelationColumns:
        """The rows of a query.

        Raises:
            Refused: it is none.
        """
        self.names.query(node)
        if node.args.get("offset") is not None and node.args.get("limit") is None:
            self.expressions.later.refuse(
                "limit", self.expressions.span(node.args["offset"]), "On streams OFFSET needs LIMIT or FETCH."
            )
        common = self._common
        clause = node.args.get("with_")
        if clause is not None:
            self._common = self._with(clause, parent)
        try:
            with self.expressions.correlations.query(node, parent):
                return self._query(node, parent)
        finally:
            self._common = common

    def _with(self, clause: exp.Expression, parent: ValidationScope | None) -> Mapping[str, RelationColumns]:
        common = dict(self._common)
        for table in clause.expressions:
            outer, self._common = self._common, common
            alias, name = table.args.get("alias"), table.alias_or_name
            listed = alias.columns if isinstance(alias, exp.TableAlias) else []
            origin = self.names.declare(NameKind.COMMON_TABLE, alias.this) if alias is not None else None
            if clause.args.get("recursive"):
                common[name] = replace(OPEN_ROWS, origin=origin)
            rows = OPEN_ROWS
            with self.names.guard():
                rows = self.query(table.this, parent)
            self._common = outer
            with self.names.guard():
                check_common(table, listed, rows, self.expressions)
            origins = self.names.columns(NameKind.OUTPUT, listed, rows, name)
            rows = rows.renamed(tuple(column.name for column in listed), origins)
            common = {**common, name: replace(rows, origin=origin)}
        return common

    def _query(self, node: exp.Expression, parent: ValidationScope | None) -> RelationColumns:
        match node:
            case exp.Subquery():
                rows = self.query(node.this, parent)
                self._order(node, ValidationScope((), parent), rows, None)
                return rows
            case exp.Select():
                return self._select(node, parent)
            case exp.SetOperation():
                rows = self._set_operation(node, parent)
                self._order(node, ValidationScope((), parent), rows, None)
                return rows
            case exp.Values():
                return self._values(node, parent)
            case exp.Table():
                return RelationCheck(self, self._common, parent).item(node, ValidationScope((), parent)).rows
        return OPEN_ROWS

    # ---- SELECT

    def _select(self, node: exp.Select, parent: ValidationScope | None) -> RelationColumns:
        around = self.expressions.over
        windows = {window.name: window for window in node.args.get("windows") or ()}
        with self.names.guard():
            check_windows(node.args.get("windows") or [], self.expressions)
        origins = {name: self.names.declare(NameKind.WINDOW, window.this) for name, window in windows.items()}
        for window in windows.values():
            if (base := window.args.get("alias")) is not None:
                self.names.use(base, origins.get(base.name))
        over = self.expressions.over = OverWindows(self.expressions, windows, origins)
        try:
            rows = self._selected(node, parent)
            with self.names.guard():
                over.same(over_calls(node) if len(over.checked) > 1 else [])
            return rows
        finally:
            self.expressions.over = around

    def _where(self, condition: exp.Expression, scope: ValidationScope) -> None:
        check, scope = self.expressions, scope.apart()
        place = ExpressionContext("WHERE", aggregates=False, windows=False)
        check.condition(condition, scope, place)
        check.correlations.check_unknown(condition, is_condition=True)
        for comparison, column in compared_with_true(condition):
            if family_of(check.value(column, scope, place).type) == STRING:
                message = f"Flink takes {column.name} itself for a condition here, and it is a string."
                check.later.refuse("operand-type", check.span(comparison), message)

    def _selected(self, node: exp.Select, parent: ValidationScope | None) -> RelationColumns:
        scope = RelationCheck(self, self._common, parent).scope(node)
        check = self.expressions
        with self.names.guard():
            check_hints(node, check.later, scope)
        self.names.hints(node, scope)
        where, having = node.args.get("where"), node.args.get("having")
        with self.names.guard():
            if where is not None:
                self._where(where.this, scope)
        groups: Groups | None = None
        with self.names.guard():
            groups = Groups.of(node, scope, check)
        windows = groups.windows if groups is not None else frozenset()
        is_grouped = node.args.get("group") is not None
        with self.names.guard():
            if having is not None:
                place = ExpressionContext("HAVING", windows=False, grouped=is_grouped, group_windows=windows)
                with check.correlations.having(node, scope, check.functions):
                    check.condition(having.this, scope.apart(), place)
                check.correlations.check_unknown(having.this, is_condition=True)
                if groups is not None:
                    groups.check(having.this)
        if groups is None:
            with self.names.guard():
                self._check_grouping(node)
        columns: list[RelationColumn] = []
        taken_names: set[str] = set()
        place = ExpressionContext("SELECT", grouped=is_grouped, group_windows=windows)
        for item in node.expressions:
            item_columns = list(self._item(item, len(columns), scope, place, groups, taken_names))
            columns += item_columns
            taken_names.update(column.name for column in item_columns)
        with self.names.guard():
            check_qualify(node, columns, scope, check, groups is not None)
        window = next((item.rows.window for item in scope.items if item.rows.window is not None), None)
        if groups is not None and groups.tells_windows:
            check_window_names(node.expressions, check)
            check.later.problems += [window] if window is not None else []
        if node.args.get("distinct") is not None:
            columns = [replace(column, time=column.time.materialized()) for column in columns]
            with self.names.guard():
                self._check_distinct_order(node, columns)
        for clause in (where, having, node.args.get("group"), *(node.args.get("windows") or ())):
            self.names.rest(clause, scope)
        rows = RelationColumns(tuple(columns), self._is_complete(node, scope), window if groups is None else None)
        self._order(node, scope, rows, groups, node)
        return rows

    def _check_grouping(self, node: exp.Select) -> None:
        """Refuse GROUPING in a query that does not aggregate."""
        for item in node.expressions:
            body = item.this if isinstance(item, exp.Alias) else item
            if isinstance(body, exp.Anonymous) and str(body.this).upper() in GROUPINGS:
                message = f"{str(body.this).upper()} stands in a query with GROUP BY only."
                refuse("aggregate-misplaced", self.expressions.span(body), message)

    def _check_distinct_order(self, node: exp.Select, columns: list[RelationColumn]) -> None:
        """Refuse SELECT DISTINCT that is sorted by what it does not select."""
        names = {column.name for column in columns}
        selected = [item.this if isinstance(item, exp.Alias) else item for item in node.expressions]
        if any(isinstance(item, exp.Paren) for item in selected):
            return
        order = node.args.get("order")
        texts = {words_of(item, self.expressions) for item in selected}
        for ordered in order.expressions if order is not None else ():
            by = ordered.this
            if isinstance(by, exp.Literal) or words_of(by, self.expressions) in texts:
                continue
            if isinstance(by, exp.Column) and by.name not in names and not any(map(is_star, node.expressions)):
                message = f"SELECT DISTINCT is sorted by selected columns only, and {by.name} is none."
                refuse("distinct-order", self.expressions.span(by), message)

    def _is_complete(self, node: exp.Select, scope: ValidationScope) -> bool:
        for item in node.expressions:
            if is_star(item):
                path = path_of(item)
                items = [each for each in scope.items if not path or each.is_called(path)]
                if path and not items:
                    # The fields of a ROW.
                    return self.expressions.column_facts(path, spans_of(item, self.expressions), scope).type is not None
                if not all(each.rows.complete for each in items):
                    return False
        return True

    def _item(
        self,
        item: exp.Expression,
        position: int,
        scope: ValidationScope,
        place: ExpressionContext,
        groups: Groups | None,
        taken_names: set[str],
    ) -> Iterator[RelationColumn]:
        if is_star(item):
            yield from self._starred(item, scope, groups, taken_names)
            return
        body = item.this if isinstance(item, exp.Alias) else item
        value = UNKNOWN
        with self.names.guard():
            # Flink takes the columns of USING for one in any item but one that only renames.
            renames = isinstance(item, exp.Alias) and isinstance(body, exp.Column)
            value = self.expressions.value(body, scope.apart() if renames else scope, place)
            self.expressions.correlations.check_unknown(body, is_condition=False)
            check_bare_call(item, self.expressions)
            if value.null:
                refuse("bare-null", self.expressions.span(body), "A bare NULL has no type here: cast it.")
            if groups is not None:
                groups.check(body)
        self.names.rest(body, scope)
        name = item.alias if isinstance(item, exp.Alias) else implied_name(body, position)
        time = computed_time(body, value, scope, self.surroundings.dialect.flink)
        if groups is not None and not groups.keeps_time(body):
            time = time.materialized()
        yield RelationColumn(name, value.type, time, value.nullable, origin=self._origin_of(item, body))

    def _origin_of(self, item: exp.Expression, body: exp.Expression) -> DeclaredSymbol | None:
        """The declaration of the name that a select item has behind its query."""
        source = self.names.implied(body)
        if not isinstance(item, exp.Alias):
            return source
        return self.names.declare(NameKind.OUTPUT, item.args["alias"], source=source)

    def _starred(
        self, item: exp.Expression, scope: ValidationScope, groups: Groups | None, names: set[str]
    ) -> Iterator[RelationColumn]:
        """The columns of a star; one whose name is among ``names`` already gets a number behind it."""
        path = path_of(item)
        items = [each for each in scope.items if not path or each.is_called(path)]
        if items and isinstance(item, exp.Column) and item.args.get("table") is not None:
            self.names.use(item.args["table"], items[0].origin)
        if path and not items:
            yield from fields_of(item, path, scope, self.expressions)
            return
        with self.names.guard():
            if groups is not None:
                groups.check_star(item, items)
        for each in items:
            check_starred(item, each.rows, self.expressions)
        for column in scope.columns() if not path else (column for each in items for column in each.rows.columns):
            name, number = column.name, 0
            while name in names:
                name, number = f"{column.name}{number}", number + 1
            names.add(name)
            yield replace(column, name=name, origin=column.origin if name == column.name else None)

    def _order(
        self,
        node: exp.Expression,
        scope: ValidationScope,
        rows: RelationColumns,
        groups: Groups | None,
        select: exp.Select | None = None,
    ) -> None:
        order = node.args.get("order")
        aliases = {column.name: column for column in rows.columns}
        if order is not None:
            sorting = replace(scope.apart(), aliases=aliases)
            if not rows.complete and select is None:
                return
            for ordered in order.expressions:
                is_sort = node.args.get("limit") is not None or node is self._outermost
                if isinstance(ordered.this, exp.Literal):
                    with self.names.guard():
                        column = self._ordinal(ordered.this, rows)
                        if is_sort and column is not None:
                            check_sort(ordered, column.type, self.expressions)
                    continue
                windows = groups.windows if groups is not None else frozenset()
                place = ExpressionContext("ORDER BY", select is None or groups is not None, group_windows=windows)
                with self.names.guard():
                    check_sorted(ordered, rows, self.expressions)
                    value = self.expressions.value(ordered.this, sorting, place)
                    if ordered is order.expressions[0]:
                        self._first_order = value
                    if isinstance(ordered.this, exp.Column):
                        name = ordered.this.name
                        self._hidden_order = {name: RelationColumn(name, value.type, value.time)}
                    if is_sort:
                        check_sort(ordered, value.type, self.expressions)
                        self.expressions.refuse_null(ordered.this, value)
                    if groups is not None and ordered.this.name not in aliases:
                        groups.check(ordered.this)
                self.names.rest(ordered.this, sorting)

    def _ordinal(self, node: exp.Expression, rows: RelationColumns) -> RelationColumn | None:
        number = node.name
        if not rows.complete or node.is_string or not number.isdecimal():
            return None
        if not 1 <= int(number) <= len(rows.columns):
            refuse("order-by", self.expressions.span(node), f"The query has no column {number}.")
        return rows.columns[int(number) - 1]

    def outermost(self, node: exp.Expression, parent: ValidationScope | None = None) -> RelationColumns:
        """The rows of the query of a statement, which a stream has to sort by time.

        Raises:
            Refused: it is none, or its order is no order of time.
        """
        self._outermost = node
        rows = self.query(node, parent)
        order = node.args.get("order")
        if order is None or node.args.get("limit") is not None or not order.expressions:
            return rows
        if isinstance(node, exp.Select) and node.args.get("where") is not None and reads_values(node):
            # The planner may see that no row is left.
            return rows
        key = FirstSortKey(order.expressions[0], self._first_order, self._hidden_order)
        key.check(rows, self.expressions)
        return rows

    # ---- other queries

    def _set_operation(self, node: exp.Expression, parent: ValidationScope | None) -> RelationColumns:
        left = right = OPEN_ROWS
        with self.names.guard():
            left = self.query(node.this, parent)
        with self.names.guard():
            right = self.query(node.expression, parent)
        with self.names.guard():
            return self._united(node, left, right)
        return left

    def _united(self, node: exp.Expression, left: RelationColumns, right: RelationColumns) -> RelationColumns:
        if not left.complete or not right.complete:
            return replace(left, complete=False) if not left.complete else left
        span = keyword_span(node) or self.expressions.span(node)
        word = span.of(self.expressions.statement.text).split()[0].upper()
        if len(left.columns) != len(right.columns):
            message = f"The sides of {word} have {len(left.columns)} and {len(right.columns)} columns."
            refuse("set-operation-columns", first_item(node.expression, self.expressions), message)
        columns: list[RelationColumn] = []
        for number, (one, other) in enumerate(zip(left.columns, right.columns, strict=True), 1):
            if not have_common_type([one.type, other.type]):
                message = f"Column {number} of {word} is {one.type} on the left and {other.type} on the right."
                refuse("set-operation-types", item_of(node.this, number - 1, self.expressions), message)
            if word == "UNION" and mixes_times(one, other) and is_given(node, self._outermost):
                self.mixed_times[number - 1] = one.type, item_of(node.this, number - 1, self.expressions)
            time = united_time(one, other)
            if word != "UNION" or node.args.get("distinct") is not False:
                time = time.materialized()
            type_ = common_type([one.type, other.type])
            columns.append(replace(one, type=type_, time=time, nullable=None))
        return RelationColumns(tuple(columns))

    def refuse_mixed_times(self, number: int) -> None:
        """Note the refusal of a column of UNION that the planner meets as a time attribute on one side only."""
        if number in self.mixed_times:
            type_, place = self.mixed_times[number]
            message = f"Column {number + 1} of UNION is a time attribute on one side only: cast the left to {type_}."
            self.expressions.later.refuse("set-operation-types", place, message)

    def _values(self, node: exp.Expression, parent: ValidationScope | None) -> RelationColumns:
        scope = ValidationScope((), parent)
        value, place = self.expressions.value, ExpressionContext("VALUES")
        rows = [[value(each, scope, place) for each in row.expressions] for row in node.expressions]
        for row, values in zip(node.expressions, rows, strict=True):
            for each, facts in zip(row.expressions, values, strict=True):
                if facts.null:
                    refuse("bare-null", self.expressions.span(each), "A bare NULL has no type here: cast it.")
        if not rows:
            return OPEN_ROWS
        if len({len(row) for row in rows}) > 1:
            message = "The rows of VALUES have different numbers of columns."
            refuse("values-columns", self.expressions.span(node), message)
        columns = []
        for index, column in enumerate(zip(*rows, strict=True)):
            types = [facts.type for facts in column if not facts.null]
            if types and not have_common_type(types):
                message = f"Column {index + 1} of VALUES has no common type."
                refuse("set-operation-types", self.expressions.span(node), message)
            columns.append(RelationColumn(f"EXPR${index}", common_type(types) if types else None))
        return RelationColumns(tuple(columns))
