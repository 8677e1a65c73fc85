"""Directions in which updates move the columns of an operator: none, only up, only down, or any.

Flink's planner derives them (``FlinkRelMdModifiedMonotonicity``) to leave out parts that no update needs: the MAX of a
growing column retracts nothing, and a Top-N over such a column keeps no row beyond its range. Where the planner has no
answer, rows may go. The directions were compared with plans of Flink 2.3 and 1.20
(``tests/analyzer/plan/flink_retractions.txt``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from keepstate.plan.catalog import Catalog
from keepstate.plan.expressions import AggregateCall, Call, Column, Expr, FunctionOrigin, Literal
from keepstate.plan.metadata.changelog import RANKS_AS_FIRST_ROWS, updating_tables
from keepstate.plan.metadata.connectors import sends_upserts
from keepstate.plan.metadata.equi_join_keys import equated
from keepstate.plan.metadata.join_sides import JoinSides
from keepstate.plan.metadata.output_rows import output_columns
from keepstate.plan.operators import (
    Aggregate,
    Calc,
    Correlate,
    Deduplicate,
    GroupWindowAggregate,
    IntervalJoin,
    Join,
    Limit,
    LookupJoin,
    Match,
    Operator,
    OverAggregate,
    Rank,
    SetOperation,
    TableSourceScan,
    TemporalJoin,
    TemporalSort,
    Union,
    Unsupported,
    Values,
    WindowAggregate,
    WindowJoin,
    WindowRank,
    WindowTableFunction,
    any_operator,
    unhandled,
)
from keepstate.plan.references import ColumnOfUnion


class Monotonicity(Enum):
    """The direction in which updates move a column."""

    CONSTANT = "constant"
    INCREASING = "increasing"
    DECREASING = "decreasing"
    NONE = "not monotonic"


@dataclass(frozen=True)
class ChangingSources:
    """The sources whose rows may change, and the version of Flink that plans the query."""

    keys: Mapping[str, frozenset[str]]
    """Each source with the key columns by which Flink keeps its rows (ChangelogNormalize); none without such a key."""
    flink: tuple[int, int] = (2, 3)

    @staticmethod
    def of(catalog: Catalog, flink: tuple[int, int], names: Iterable[str] | None = None) -> ChangingSources:
        """The sources of a job, as far as their options tell; with ``names``, these alone.

        >>> dict(ChangingSources.of(catalog(), (2, 3)).keys)
        {'buyers': frozenset({'name'})}
        """
        keys = {}
        for name in updating_tables(catalog, names):
            table = catalog.tables[name]
            columns = catalog.primary_key_of(table)[0] if sends_upserts(catalog.options_of(table)) else ()
            keys[name] = frozenset(columns)
        return ChangingSources(keys, flink)


@dataclass(frozen=True)
class ColumnMonotonicity:
    """The monotonicity of each column of an operator: of those in ``by_column``, and ``default`` of all others."""

    default: Monotonicity = Monotonicity.NONE
    by_column: Mapping[Expr, Monotonicity] = field(default_factory=dict)

    @property
    def only_append(self) -> bool:
        """Return whether no update reaches any column."""
        return self.default is Monotonicity.CONSTANT and all(
            each is Monotonicity.CONSTANT for each in self.by_column.values()
        )

    def of(self, expr: Expr) -> Monotonicity:
        """The monotonicity of an expression over the columns: the planner looks through casts and copies, and through
        no other call.
        """
        if self.only_append:
            return Monotonicity.CONSTANT
        if expr in self.by_column:
            return self.by_column[expr]
        if isinstance(expr, Call) and expr.name in ("CAST", "COMPUTED"):
            return self.of(expr.args[0])
        return Monotonicity.NONE if isinstance(expr, (Call, Literal)) else self.default


_APPEND = ColumnMonotonicity(Monotonicity.CONSTANT)


def taking_nothing_back(
    calls: Iterable[AggregateCall], operator: Aggregate, sources: ChangingSources
) -> frozenset[AggregateCall]:
    """The ``calls`` of an aggregation over updates whose accumulators never take a row back: a MAX over what only
    grows, and a MIN over what only shrinks.

    >>> outer = root("SELECT MAX(n), MIN(n) FROM (SELECT COUNT(*) AS n FROM orders GROUP BY buyer)")
    >>> list(map(str, taking_nothing_back(outer.aggregates, outer, ChangingSources({}))))
    ['MAX(COUNT(*))']
    """
    directions = {"MAX": Monotonicity.INCREASING, "MIN": Monotonicity.DECREASING}
    candidates = [call for call in calls if call.function in directions and call.origin is FunctionOrigin.BUILT_IN]
    below = _grouped(operator, sources) if candidates else None
    if below is None:
        return frozenset()
    return frozenset(call for call in candidates if _of_call(call, operator, below) is directions[call.function])


def columns_of(operator: Operator, sources: ChangingSources) -> ColumnMonotonicity | None:
    """The monotonicity of the columns of an operator; ``None`` where rows may go."""
    operator = any_operator(operator)
    match operator:
        case TableSourceScan():
            return _scanned(operator, sources)
        case Calc():
            return _filtered(columns_of(operator.input, sources), operator.conditions)
        case GroupWindowAggregate():
            return _unchanged(columns_of(operator.input, sources))
        case WindowAggregate() | WindowTableFunction() | Match() | Limit() | TemporalSort():
            return None
        case WindowJoin() | WindowRank() | Values() | Unsupported():
            return None
        case SetOperation():
            # INTERSECT is a semi join and a DISTINCT; what else there is may take rows back.
            inputs = [columns_of(child, sources) for child in operator.inputs]
            appends = all(each is not None and each.only_append for each in inputs)
            return _APPEND if appends and operator.kind == "INTERSECT" and not operator.every else None
        case Aggregate():
            return _aggregated(operator, sources)
        case OverAggregate() | IntervalJoin():
            return _APPEND
        case Deduplicate():
            return _deduplicated(operator, columns_of(operator.input, sources))
        case Rank():
            return _ranked(operator, columns_of(operator.input, sources), sources)
        case Correlate():
            return _passed(columns_of(operator.input, sources))
        case LookupJoin():
            return _passed(columns_of(operator.left, sources))
        case TemporalJoin():
            return None
        case Join():
            return _join_monotonicity(operator, sources)
        case Union():
            return _united(operator, [columns_of(child, sources) for child in operator.inputs])
        case other:
            unhandled(other)


def _scanned(scan: TableSourceScan, sources: ChangingSources) -> ColumnMonotonicity:
    keys = sources.keys.get(scan.table)
    if keys is None:
        return _APPEND
    columns = (column for column in scan.columns if isinstance(column, Column) and column.name in keys)
    return ColumnMonotonicity(by_column=dict.fromkeys(columns, Monotonicity.CONSTANT))


def _passed(below: ColumnMonotonicity | None) -> ColumnMonotonicity | None:
    """Columns behind an operator of which the planner knows only that it makes no updates itself."""
    if below is None or below.only_append:
        return below
    return ColumnMonotonicity()


def _unchanged(below: ColumnMonotonicity | None) -> ColumnMonotonicity | None:
    return below if below is not None and below.only_append else None


def _filtered(below: ColumnMonotonicity | None, conditions: Sequence[Expr]) -> ColumnMonotonicity | None:
    """Columns behind a filter: a row that no longer passes is taken back, and then no column is monotonic."""
    if below is None or not any(_drops_later(condition, below) for condition in conditions):
        return below
    return ColumnMonotonicity(by_column=dict.fromkeys(below.by_column, Monotonicity.NONE))


def _drops_later(condition: Expr, columns: ColumnMonotonicity) -> bool:
    """Return whether a row may cease to meet a condition. The planner looks at comparisons of bare columns only."""
    if not isinstance(condition, Call):
        return condition in columns.by_column and columns.of(condition) is not Monotonicity.CONSTANT
    if condition.name in ("AND", "OR", "NOT", "IS"):
        return any(_drops_later(part, columns) for part in condition.args)
    moving = [
        columns.of(operand)
        for operand in map(_without_casts, condition.args)
        if not isinstance(operand, (Call, Literal)) and columns.of(operand) is not Monotonicity.CONSTANT
    ]
    if condition.name in ("<", "<="):
        allowed = Monotonicity.INCREASING if _is_written_greater(*condition.args) else Monotonicity.DECREASING
        return any(monotonicity is not allowed for monotonicity in moving)
    return bool(moving) and condition.name in ("=", "<>")


def _is_written_greater(less: Expr, greater: Expr) -> bool:
    """Return whether ``less < greater`` is written as ``greater > less``.

    The planner reads the sign alone: a group of ``HAVING COUNT(*) > 3`` stays, one of ``HAVING 3 < COUNT(*)`` may go.
    """
    first, second = less.place, greater.place
    if first is None or second is None or first.statement is not second.statement:
        # A constant comes second in most queries.
        return isinstance(less, Literal)
    return second.span.start < first.span.start


def _without_casts(expr: Expr) -> Expr:
    while isinstance(expr, Call) and expr.name == "CAST":
        expr = expr.args[0]
    return expr


def _aggregated(operator: Aggregate, sources: ChangingSources) -> ColumnMonotonicity | None:
    below = _grouped(operator, sources)
    if below is None:
        return None
    constants = dict.fromkeys(operator.keys, Monotonicity.CONSTANT)
    # Without calls, as for DISTINCT, every column is a key.
    return ColumnMonotonicity(
        Monotonicity.CONSTANT, {**constants, **{call: _of_call(call, operator, below) for call in operator.aggregates}}
    )


def _grouped(operator: Aggregate, sources: ChangingSources) -> ColumnMonotonicity | None:
    """The columns in front of an aggregation; ``None`` where rows may go, or may move to another group."""
    below = columns_of(operator.input, sources)
    if operator.grouping:
        # An Expand stands in front of grouping sets.
        below = _passed(below)
    if below is None or any(below.of(key) is not Monotonicity.CONSTANT for key in operator.keys):
        return None
    return below


def _of_call(call: AggregateCall, operator: Aggregate, below: ColumnMonotonicity) -> Monotonicity:
    if call.origin is not FunctionOrigin.BUILT_IN:
        return Monotonicity.NONE
    match call.function:
        case "COUNT" | "MAX":
            own = Monotonicity.INCREASING
        case "MIN":
            own = Monotonicity.DECREASING
        case "SUM":
            own = _of_sum(call, operator)
        case _:
            return Monotonicity.NONE
    if below.only_append or not call.args or call.function == "COUNT":
        return own
    return own if len(call.args) == 1 and below.of(call.args[0]) is own else Monotonicity.NONE


def _of_sum(call: AggregateCall, operator: Aggregate) -> Monotonicity:
    """The direction of a sum: upwards where only numbers from zero on are added up, as a filter or their kind shows."""
    if not call.args:
        # Half typed; Flink refuses it.
        return Monotonicity.NONE
    if _is_never_negative(call, operator):
        return Monotonicity.INCREASING
    if any(_bounds(condition, call.args[0], above=True) for condition in _conditions(call, operator)):
        return Monotonicity.DECREASING
    return Monotonicity.NONE


def _conditions(call: AggregateCall, operator: Aggregate) -> list[Expr]:
    """The conditions that each row of a call meets: its FILTER, and the filter in front of the aggregation."""
    own = [call.filter] if call.filter is not None else []
    return [*own, *(operator.input.conditions if isinstance(operator.input, Calc) else ())]


def _is_never_negative(call: AggregateCall, operator: Aggregate) -> bool:
    """Return whether a sum adds up only numbers from zero on, as far as the planner finds out.

    It looks at the kind of the numbers, and at the filters of this aggregation and of the one that made the numbers.
    """
    value = call.args[0]
    if _is_natural(value) or any(_bounds(each, value, above=False) for each in _conditions(call, operator)):
        return True
    if not isinstance(value, AggregateCall) or value.function != "SUM" or not value.args:
        return False
    below = operator.input
    while isinstance(below, Calc):
        below = below.input
    return isinstance(below, Aggregate) and value in below.aggregates and _is_never_negative(value, below)


def _is_natural(value: Expr) -> bool:
    match value:
        case Literal():
            return value.type == "NUMBER" and not value.value.startswith("-")
        case Call(name="CASE"):
            results = (*value.args[1::2], *value.args[-1:])
            return all(map(_is_natural, results)) and not _is_written_as_if(value)
        case AggregateCall(function="COUNT"):
            return True
    return False


def _is_written_as_if(value: Call) -> bool:
    """Return whether a CASE is a call of IF: the same value, of which the planner knows no bounds."""
    places = (place for place in (value.place, *value.via) if place is not None)
    return any(place.words[:1] == ("IF",) for place in places)


def _bounds(condition: Expr, value: Expr, *, above: bool) -> bool:
    """Return whether a condition keeps ``value`` at or below zero (``above``), or at or above it."""
    if not isinstance(condition, Call):
        return False
    if condition.name == "AND":
        return any(_bounds(part, value, above=above) for part in condition.args)
    if condition.name == "OR":
        # One column that is one of several constants (``IN``); the planner sees no range in one constant alone.
        return all(_equates(part, value, above=above) for part in condition.args)
    if condition.name not in ("<", "<=") or condition.args[0 if above else -1] != value:
        return False
    return _is_bound(condition.args[-1 if above else 0], above=above)


def _equates(condition: Expr, value: Expr, *, above: bool) -> bool:
    if not isinstance(condition, Call) or condition.name != "=" or value not in condition.args:
        return False
    return any(_is_bound(operand, above=above) for operand in condition.args)


def _is_bound(bound: Expr, *, above: bool) -> bool:
    if isinstance(bound, Call) and bound.name == "-" and len(bound.args) == 1:
        return above and _is_bound(bound.args[0], above=False)
    if not isinstance(bound, Literal) or bound.type != "NUMBER":
        return False
    is_negative = bound.value.startswith("-")
    return is_negative or not bound.value.strip("0.") if above else not is_negative


def _deduplicated(operator: Deduplicate, below: ColumnMonotonicity | None) -> ColumnMonotonicity | None:
    if below is None or not below.only_append:
        return None
    if operator.keeps_first and operator.proctime:
        return _APPEND
    return ColumnMonotonicity(by_column=dict.fromkeys(operator.partition, Monotonicity.CONSTANT))


def _ranked(operator: Rank, below: ColumnMonotonicity | None, sources: ChangingSources) -> ColumnMonotonicity | None:
    if below is None:
        return None
    if sources.flink >= RANKS_AS_FIRST_ROWS and operator.keeps_one_row:
        # The planner takes it for a deduplication, and its first row for one that never changes.
        if not below.only_append:
            return None
        return (
            ColumnMonotonicity(by_column=dict.fromkeys(operator.partition, Monotonicity.CONSTANT))
            if not operator.keeps_first_row
            else below
        )
    if any(below.of(key) is not Monotonicity.CONSTANT for key in operator.partition):
        return None
    by_expr: dict[Expr, Monotonicity] = dict.fromkeys(operator.partition, Monotonicity.CONSTANT)
    if operator.order:
        first = operator.order[0]
        directions = (Monotonicity.CONSTANT, Monotonicity.INCREASING if first.descending else Monotonicity.DECREASING)
        by_expr[first.expr] = directions[1] if below.of(first.expr) in directions else Monotonicity.NONE
    return ColumnMonotonicity(by_column=by_expr)


def _join_monotonicity(join: Join, sources: ChangingSources) -> ColumnMonotonicity | None:
    left, right = (columns_of(child, sources) for child in join.inputs)
    if join.kind in ("anti", "scalar") or left is None or right is None:
        return None
    sides = JoinSides.of(join)
    left_keys, right_keys = equated(join, sides)
    has_others = len(left_keys) < len(join.conditions)
    if has_others and not (left.only_append and right.only_append):
        return None
    inner_keys = [sides.within_right(key) for key in right_keys]
    keys = [*map(left.of, left_keys), *map(right.of, inner_keys)]
    if any(key is not Monotonicity.CONSTANT for key in keys):
        return None
    if join.kind == "semi" or (left.only_append and right.only_append):
        return left
    columns = {column: left.of(column) for column in join.left_fields}
    for column in join.right_fields:
        columns[column] = right.of(sides.within_right(column))
    for column, monotonicity in left.by_column.items():
        columns.setdefault(column, monotonicity)
    return ColumnMonotonicity(by_column=columns)


def _united(union: Union, inputs: Sequence[ColumnMonotonicity | None]) -> ColumnMonotonicity | None:
    """Columns of UNION ALL: those of its inputs, if all inputs agree on all columns."""
    below = [each for each in inputs if each is not None]
    if len(below) < len(inputs):
        return None
    if all(each.only_append for each in below):
        return _APPEND
    rows = [
        [
            each.of(column.exprs[number] if isinstance(column, ColumnOfUnion) else column)
            for column in output_columns(union)
        ]
        for number, each in enumerate(below)
    ]
    agree = all(row == rows[0] for row in rows)
    return (
        ColumnMonotonicity(by_column=dict(zip(output_columns(union), rows[0], strict=True)))
        if agree and rows
        else ColumnMonotonicity()
    )
