"""Time attributes behind joins: only joins that are bounded in time, or by windows, leave them alone.

Measured on Flink 1.20 and 2.3. The planner makes plain timestamps of the time attributes of any other join, and of a
query whose WHERE holds IN, EXISTS or a query used as a value, since that is a join, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from sqlglot import exp

from keepstate.plan.names.full_names import table_name
from keepstate.syntax.syntax_nodes import nodes_of
from keepstate.validation.constants.text_conditions import conjuncts
from keepstate.validation.statement_context import StatementContext
from keepstate.validation.values.scopes import FromItem, RelationColumn, TimeRole

_SIGNS: dict[type[exp.Expression], str] = {exp.EQ: "=", exp.LT: "<", exp.LTE: "<", exp.GT: ">", exp.GTE: ">"}
_COMPARISONS = tuple(_SIGNS)
_WINDOW_ENDS = 2
_QUERY_CONDITIONS = (exp.Exists, exp.Subquery, exp.Select, exp.In)
"""Nodes that a query in a condition stands in."""


@dataclass(frozen=True)
class JoinedTimes:
    """The conditions of one query, which decide what its joins do to time attributes."""

    conditions: tuple[exp.Expression, ...]
    """ON of each join, and WHERE."""

    def behind(self, left: tuple[FromItem, ...], right: tuple[FromItem, ...], kept: bool) -> tuple[FromItem, ...]:
        """The relations behind a join of both sides; with ``kept`` the planner may leave the join out."""
        if self.may_be_bounded(left, right) or kept:
            return with_times((*left, *right), _doubted)
        return with_times((*left, *right), TimeRole.materialized)

    def may_be_bounded(self, left: tuple[FromItem, ...], right: tuple[FromItem, ...]) -> bool:
        """Return whether the conditions may bound a time of one side by one of the other from both ends, or equate the
        windows of both sides.
        """
        left_columns, right_columns = _TimedColumns.of(left), _TimedColumns.of(right)
        if not (left_columns.columns and right_columns.columns):
            return False
        directions: set[bool] = set()
        ends = 0
        for first, second, sign in self._about(left_columns.names | right_columns.names):
            one, other = _times(first, left_columns, right_columns), _times(second, left_columns, right_columns)
            for lower, upper, is_written_so in ((one, other, True), (other, one, False)):
                if not (lower.left and upper.right):
                    continue
                if sign == "=":
                    # An equation of two time attributes is an interval of one point.
                    if first.is_column and second.is_column:
                        return True
                elif sign in "<>":
                    directions.add((sign == "<") is is_written_so)
                else:
                    return True
            if sign == "=" and ((one.left_end and other.right_end) or (other.left_end and one.right_end)):
                ends += 1
        # With one bound alone a side would be kept for ever, and Flink makes a regular join of it.
        return len(directions) > 1 or ends >= _WINDOW_ENDS

    @cached_property
    def _compared(self) -> tuple[tuple[_Operand, _Operand, str], ...]:
        """The operands of each comparison with its sign; ``?`` stands for one that is part of something else."""
        return tuple((_Operand.of(one), _Operand.of(other), sign) for one, other, sign in self._comparisons())

    def _about(self, names: frozenset[str]) -> Iterator[tuple[_Operand, _Operand, str]]:
        """The comparisons that name one of ``names``. A query of many joins asks for each of them: those about other
        columns are not looked at again.
        """
        places = {at for name in names for at in self._by_name.get(name, ())}
        return (self._compared[at] for at in sorted(places))

    @cached_property
    def _by_name(self) -> dict[str, list[int]]:
        """The numbers of the comparisons by the names of columns in them, as written and in capitals."""
        positions: dict[str, list[int]] = {}
        for at, (first, second, _) in enumerate(self._compared):
            names = {name for _, name in (*first.columns, *second.columns)}
            for name in names | {name.upper() for name in names}:
                positions.setdefault(name, []).append(at)
        return positions

    def _comparisons(self) -> Iterator[tuple[exp.Expression, exp.Expression, str]]:
        for part in (part for condition in self.conditions for part in conjuncts(condition)):
            if isinstance(part, (*_COMPARISONS, exp.Between)):
                yield from _operands(part)
            else:
                inner = part.find_all(*_COMPARISONS, exp.Between)
                yield from ((one, other, "?") for node in inner for one, other, _ in _operands(node))

    def revived(self, items: tuple[FromItem, ...]) -> tuple[FromItem, ...]:
        """The relations without certainty of lost times if these conditions compare two of one relation: the planner
        moves that into the join inside of it.
        """
        lost_names = {
            column.name
            for item in items
            for column in item.rows.columns
            if column.time in (TimeRole.PAST_ROW, TimeRole.PAST_PROC)
        }
        if not lost_names:
            return items
        for first, second, _ in self._compared:
            if all(any(name in lost_names for _, name in operand.columns) for operand in (first, second)):
                return tuple(
                    _with_time_roles(item, lambda time: TimeRole.UNKNOWN if time.is_past else time) for item in items
                )
        return items


def surely_joins(where: exp.Expression, items: tuple[FromItem, ...], surroundings: StatementContext) -> bool:
    """Return whether the planner surely makes a regular join of a query in ``where``, a condition over ``items``.

    It makes none of a condition that it finds constant, and a join of windows if the ends of both are equated.
    """
    if not any(isinstance(node, _QUERY_CONDITIONS) for node in nodes_of(where)):
        return False
    if where.find(exp.Boolean) is not None or any(map(_is_constant, where.find_all(*_COMPARISONS))):
        return False
    ends = {column.name for item in items for column in item.rows.columns if column.time is TimeRole.END}
    if any(column.name in ends for column in where.find_all(exp.Column)):
        return False
    return any(_joins(query, surroundings) for query in _queries(where))


def _is_constant(node: exp.Expression) -> bool:
    return node.find(exp.Column, exp.Select, exp.Values) is None


def _queries(node: exp.Expression) -> Iterator[exp.Expression]:
    """The nodes of IN, EXISTS and queries used as values, without those inside of other queries."""
    if isinstance(node, _QUERY_CONDITIONS) and (not isinstance(node, exp.In) or node.args.get("query") is not None):
        yield node
        return
    for child in node.iter_expressions():
        yield from _queries(child)


def _joins(node: exp.Expression, surroundings: StatementContext) -> bool:
    """Return whether a query in a condition is joined; EXISTS over what surely has a row is constant."""
    query = node.args["query"] if isinstance(node, exp.In) else node.this if isinstance(node, exp.Exists) else node
    if query.find(exp.Limit) is not None:
        return False
    if not isinstance(node, exp.Exists):
        return True
    while isinstance(query, exp.Subquery):
        query = query.this
    if not isinstance(query, exp.Select) or query.find(exp.Anonymous) is not None:
        return False
    source = query.args.get("from_")
    table = source.this if source is not None else None
    if not isinstance(table, exp.Table) or not isinstance(table.this, exp.Identifier) or query.args.get("joins"):
        return False
    declared = surroundings.find(table_name(table))
    return declared is not None and declared.kind == "table"


@dataclass(frozen=True)
class _Times:
    """The sides of which an operand holds a time attribute, or an end of a window."""

    left: bool
    right: bool
    left_end: bool
    right_end: bool


@dataclass(frozen=True)
class _Operand:
    """An operand of a comparison: the columns that it names, each with the relation in front of it, if any."""

    columns: tuple[tuple[str, str], ...]
    is_column: bool

    @staticmethod
    def of(node: exp.Expression) -> _Operand:
        columns = tuple((column.table, column.name) for column in node.find_all(exp.Column))
        return _Operand(columns, isinstance(node.unnest(), exp.Column))


@dataclass(frozen=True)
class _TimedColumns:
    """The time attributes and ends of windows of one side, each with its relation."""

    columns: tuple[tuple[FromItem, RelationColumn], ...]

    @staticmethod
    def of(items: tuple[FromItem, ...]) -> _TimedColumns:
        return _TimedColumns(tuple((item, column) for item in items for column in item.rows.timed))

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset(self._by_name)

    def times_of(self, operand: _Operand) -> list[TimeRole]:
        """The times of the columns that an operand names, those of a name that is not clear each."""
        return [
            column.time
            for table, name in operand.columns
            for spelling in {name, name.upper()}
            for item, column in self._by_name.get(spelling, ())
            if column.is_named(name) and (not table or item.name == table or table in item.path)
        ]

    @cached_property
    def _by_name(self) -> dict[str, list[tuple[FromItem, RelationColumn]]]:
        by_name: dict[str, list[tuple[FromItem, RelationColumn]]] = {}
        for item, column in self.columns:
            by_name.setdefault(column.name, []).append((item, column))
        return by_name


def _times(operand: _Operand, left: _TimedColumns, right: _TimedColumns) -> _Times:
    operand_times = [side.times_of(operand) for side in (left, right)]
    holds = [any(not time.is_lost for time in times) for times in operand_times]
    ends = [TimeRole.END in times for times in operand_times]
    return _Times(*holds, *ends)


def _operands(node: exp.Expression) -> Iterator[tuple[exp.Expression, exp.Expression, str]]:
    if isinstance(node, exp.Between):
        yield node.this, node.args["low"], ">"
        yield node.this, node.args["high"], "<"
    else:
        yield node.this, node.expression, _SIGNS[type(node)]


def _doubted(time: TimeRole) -> TimeRole:
    return time if time.is_lost else TimeRole.UNKNOWN


def with_times(items: Iterable[FromItem], change: Callable[[TimeRole], TimeRole]) -> tuple[FromItem, ...]:
    """The relations with other roles of their columns in time; ``change`` leaves those as they are that are lost."""
    return tuple([_with_time_roles(item, change) if item.rows.timed else item for item in items])


def _with_time_roles(item: FromItem, change: Callable[[TimeRole], TimeRole]) -> FromItem:
    if all(change(column.time) is column.time for column in item.rows.columns):
        return item
    columns = tuple(replace(each, time=change(each.time)) for each in item.rows.columns)
    return replace(item, rows=replace(item.rows, columns=columns))
