"""Columns of a result that are never NULL, as Flink derives them: it prints NOT NULL behind their types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from keepstate.plan.expressions import (
    CURRENT_ROW,
    AggregateCall,
    Call,
    Column,
    Expr,
    Literal,
    Measure,
    PatternColumn,
    RankNumber,
    WindowField,
    WindowPart,
)
from keepstate.plan.metadata.join_sides import JoinSide, JoinSides
from keepstate.plan.operators import (
    Aggregate,
    AggregatedSubquery,
    Calc,
    Correlate,
    GroupWindowAggregate,
    Join,
    Limit,
    Match,
    Operator,
    OverAggregate,
    Rank,
    SetOperation,
    TableSourceScan,
    TemporalSort,
    Union,
    Unsupported,
    Values,
    WindowTableFunction,
    any_operator,
    unhandled,
)
from keepstate.plan.references import ColumnOfRight, ColumnOfUnion, CorrelatedColumn, SubqueryValue
from keepstate.plan.types.inference import is_required, type_of, unnested_columns
from keepstate.plan.types.logical_types import LogicalType, array
from keepstate_spark.lowering.operators.grouping import grouping_set_keys
from keepstate_spark.lowering.windows.window_functions import fields

_COUNTING = frozenset(
    """
    COUNT APPROX_COUNT_DISTINCT ROW_NUMBER RANK DENSE_RANK NTILE SUM0 PERCENT_RANK CUME_DIST COLLECT JSON_ARRAYAGG
    JSON_OBJECTAGG
    """.split()
)
_OF_VALUES = frozenset({"SUM", "MIN", "MAX", "AVG", "FIRST_VALUE", "STDDEV_POP"})
"""Functions that have a value over rows that have one each."""
_NEVER = frozenset(
    """
    IS NULLSAFEEQ NULLSAFENEQ GROUPING GROUPING_ID GROUP_ID CURRENT_DATE CURRENT_TIMESTAMP LOCALTIMESTAMP PROCTIME
    CURRENT_ROW_TIMESTAMP CURRENT_TIME LOCALTIME PI E ARRAY MAP ROW TUPLE IS_DIGIT IS_ALPHA IS_DECIMAL
    JSON_OBJECT JSON_ARRAY MATCH_ROWTIME
    """.split()
)
_MAYBE = frozenset(
    """
    TRY_CAST NULLIF SPLIT_INDEX REGEXP_EXTRACT REGEXP_COUNT REVERSE SUBSTRING LEFT RIGHT TO_TIMESTAMP TO_TIMESTAMP_LTZ
    TO_DATE JSON_VALUE JSON_QUERY BRACKET ELEMENT URL_ENCODE URL_DECODE PARSE_URL CHR FROM_UNIXTIME DATE_FORMAT
    CONVERT_TZ COLUMN . STR_TO_MAP JSON_EXISTS REGEXP_SUBSTR REGEXP_INSTR UNHEX REGEXP_EXTRACT_ALL
    ARRAY_MAX ARRAY_MIN PRINTF TYPEOF ELT
    """.split()
)
_ABSENT = {"left": {JoinSide.RIGHT}, "right": {JoinSide.LEFT}, "full": set(JoinSide), "scalar": {JoinSide.RIGHT}}
"""The inputs of whose rows a join of that kind may have none."""


def never_null(expr: Expr, operator: Operator) -> bool:
    """Return whether ``expr`` is not NULL in any row that ``operator`` gives, as far as Flink derives it."""
    source_expr = _may_be_null(expr, operator)
    if source_expr is not None:
        return source_expr
    match expr:
        case Literal():
            return expr.type != "NULL"
        case Call(name="MATCH_ROWTIME") if expr.args:
            return False
        case Call() if expr.name in _NEVER:
            return True
        case Call() if expr.name in _MAYBE:
            return False
        case Call() if expr.name == "OVERLAPS":
            # Each operand is a ROW of the ends of a span.
            return all(never_null(end, operator) for span in expr.args for end in span.children())
        case Call() if expr.name in ("COALESCE", "IFNULL"):
            return any(never_null(arg, operator) for arg in expr.args)
        case Call() if expr.name == "CASE":
            # IF is kept as CASE; of a condition that is NULL its type is nullable.
            first_words = (place.words[:1] for place in (expr.place, *expr.via) if place is not None)
            conditions = expr.args[:1] if ("IF",) in first_words else ()
            return all(never_null(arg, operator) for arg in (*conditions, *expr.args[1::2], expr.args[-1]))
        case ColumnOfUnion():
            return all(never_null(part, operator) for part in expr.exprs)
        case ColumnOfRight():
            return never_null(expr.column, operator)
        case SubqueryValue() if expr.row:
            # A query may give no row.
            return False
        case SubqueryValue() | CorrelatedColumn():
            return all(never_null(part, operator) for part in expr.children())
        case Call() if expr.name in ("=", "<>"):
            return all(never_null(part, operator) for arg in expr.args for part in _with_fields(arg))
        case Call():
            return all(never_null(arg, operator) for arg in expr.args if not _is_word(arg))
    return False


def _with_fields(operand: Expr) -> tuple[Expr, ...]:
    """An operand of an equation, and the fields of one that is a ROW: any of them makes the answer nullable."""
    is_row = isinstance(operand, Call) and operand.name in ("ROW", "TUPLE")
    return (operand, *operand.children()) if is_row else (operand,)


_SAME_ELEMENTS = frozenset("ARRAY_SLICE ARRAY_DISTINCT ARRAY_REVERSE ARRAY_SORT ARRAY_REMOVE".split())
"""Functions with the type of their first argument."""
_COMMON_ELEMENTS = frozenset(
    "ARRAY_CONCAT ARRAY_UNION ARRAY_INTERSECT ARRAY_EXCEPT MAP_UNION CASE COALESCE IFNULL".split()
)


def with_required(type_: LogicalType, expr: Expr, operator: Operator) -> LogicalType:
    """``type_`` of ``expr`` with the elements that are NOT NULL, as far as Flink derives it."""
    if isinstance(expr, AggregateCall) and expr.function in ("ARRAY_AGG", "COLLECT"):
        return replace(type_, required=(never_null(expr.args[0], operator),))
    if not type_.elements or not isinstance(expr, Call):
        return type_
    match expr.name:
        case "ARRAY":
            parts: tuple[tuple[Expr, ...], ...] = (expr.args,)
        case "MAP":
            parts = (expr.args[::2], expr.args[1::2])
        case "ROW" | "TUPLE":
            parts = tuple((arg,) for arg in expr.args)
        case "MAP_FROM_ARRAYS":
            lists = [with_required(array(element), arg, operator) for element, arg in _pairs(type_, expr)]
            return replace(
                type_,
                elements=tuple(each.elements[0] for each in lists),
                required=tuple(any(each.required) for each in lists),
            )
        case "ARRAY_APPEND" | "ARRAY_PREPEND":
            whole, element = with_required(type_, expr.args[0], operator), expr.args[1]
            return replace(whole, required=(any(whole.required) and never_null(element, operator),))
        case name if name in _SAME_ELEMENTS:
            return with_required(type_, expr.args[0], operator)
        case "CASE":
            return _common(type_, (*expr.args[1::2], expr.args[-1]), operator)
        case name if name in _COMMON_ELEMENTS:
            return _common(type_, expr.args, operator)
        case _:
            return type_
    elements = tuple(_common(element, values, operator) for element, values in zip(type_.elements, parts, strict=True))
    required = tuple(all(never_null(value, operator) for value in values) for values in parts)
    return replace(type_, elements=elements, required=required)


def _is_filled(column: Call, operator: Correlate) -> bool:
    """Return whether no element of an unnested collection has NULL in ``column``, by the values that it is made of."""
    collection = operator.function.children()[0]
    type_ = type_of(collection)
    if type_ is None:
        return False
    full_type = with_required(type_, collection, operator.input)
    required, index = full_type.required, unnested_columns(operator.function, operator.name).index(column)
    if type_.elements[0].root == "ROW":
        required = full_type.elements[0].required if all(required) else ()
    return index < len(required) and required[index]


def _pairs(type_: LogicalType, call: Call) -> zip[tuple[LogicalType, Expr]]:
    return zip(type_.elements, call.args, strict=True)


def _common(type_: LogicalType, values: Sequence[Expr], operator: Operator) -> LogicalType:
    """``type_`` with the elements that are NOT NULL in all of ``values``."""
    if not type_.elements:
        return type_
    types = [with_required(type_, value, operator) for value in values]
    required = [each.required or (False,) * len(type_.elements) for each in types]
    elements = tuple(
        replace(element, required=tuple(map(all, zip(*nested, strict=True))) if all(nested) else ())
        for element, nested in zip(
            type_.elements,
            zip(*([part.required for part in each.elements] for each in types), strict=True),
            strict=True,
        )
    )
    return replace(type_, elements=elements, required=tuple(map(all, zip(*required, strict=True))))


def _is_word(expr: Expr) -> bool:
    return isinstance(expr, Literal) and expr.type in ("TYPE", "NAME")


def _may_be_null(expr: Expr, operator: Operator) -> bool | None:
    """Return the same for a column that ``operator`` or one below it gives; ``None`` for an expression computed of
    columns.
    """
    operator = any_operator(operator)
    match operator:
        case Rank() if expr == operator.rank_number:
            return True
        case OverAggregate() if isinstance(expr, AggregateCall) and expr in operator.aggregates:
            has_default = expr.function in ("LAG", "LEAD") and len(expr.args) > 2
            if expr.function in _COUNTING or (has_default and never_null(expr.args[2], operator.input)):
                return True
            return _has_value_in_frames(expr, operator)
        case WindowTableFunction() if expr in fields(operator.depth, operator.window.time):
            return True
        case Correlate() if expr in unnested_columns(operator.function, operator.name):
            assert isinstance(expr, Call)
            return not operator.left and (is_required(expr) or _is_filled(expr, operator))
        case Calc() | Rank() | OverAggregate() | WindowTableFunction() | Limit() | TemporalSort() | Correlate():
            return _may_be_null(expr, operator.input)
        case Aggregate():
            return _grouped(expr, operator)
        case Join():
            return _join_nullability(expr, operator)
        case Union():
            return _united(expr, operator)
        case SetOperation():
            return never_null(expr, operator.left) if expr in operator.left_row else None
        case TableSourceScan():
            if isinstance(expr, Column):
                return expr.not_null
        case Values():
            if expr in operator.columns:
                index = operator.columns.index(expr)
                return all(never_null(row[index], operator) for row in operator.cells)
        case Match() if isinstance(expr, Measure):
            return never_null(expr.value, operator)
        case Match() if isinstance(expr, PatternColumn):
            return never_null(expr.column, operator.input)
        case Match() if isinstance(expr, AggregateCall):
            return expr.function in _COUNTING
        case Match():
            if expr in operator.partition:
                return never_null(expr, operator.input)
        case AggregatedSubquery():
            return never_null(expr, operator.rows)
        case Unsupported():
            # It is refused.
            pass
        case other:
            unhandled(other)
    return False if isinstance(expr, (Column, WindowField, RankNumber, AggregateCall)) else None


def _has_value_in_frames(call: AggregateCall, operator: OverAggregate) -> bool:
    """Return whether the type of a value over all rows so far is NOT NULL: that of its argument is."""
    start, end = operator.frame.start, operator.frame.end
    so_far = start.side == "PRECEDING" and start.offset is None and end.side == CURRENT_ROW
    if call.function not in _OF_VALUES or not so_far or call.filter is not None or not operator.order:
        return False
    return all(never_null(arg, operator.input) for arg in call.args)


def _grouped(expr: Expr, operator: Aggregate) -> bool | None:
    if isinstance(operator, GroupWindowAggregate) and expr in fields(operator.depth, operator.window.time):
        # The time attribute of a window has the type of the one that it is made of.
        is_time = expr == WindowField(WindowPart.TIME, operator.depth)
        return not is_time or never_null(operator.window.time, operator.input)
    if expr in operator.keys:
        if operator.elements and any(expr not in set_ for set_ in grouping_set_keys(operator)):
            return False
        return isinstance(expr, WindowField) or never_null(expr, operator.input)
    if isinstance(expr, AggregateCall):
        if expr.function in _COUNTING:
            return True
        always = bool(operator.keys) and expr.filter is None and all(grouping_set_keys(operator))
        return always and all(never_null(arg, operator.input) for arg in expr.args)
    return False if isinstance(expr, Column) else None


def _join_nullability(expr: Expr, join: Join) -> bool | None:
    sides = JoinSides.of(join)
    operand_sides = sides.read(expr)
    if len(operand_sides) != 1:
        return None
    side = next(iter(operand_sides))
    if side in _ABSENT.get(join.kind, ()):
        leaf = isinstance(expr, (Column, WindowField, AggregateCall, RankNumber)) or sides.field_side(expr) is not None
        return False if leaf else None
    return (
        _may_be_null(sides.within_right(expr), join.right) if side is JoinSide.RIGHT else _may_be_null(expr, join.left)
    )


def _united(expr: Expr, union: Union) -> bool | None:
    if expr not in union.columns:
        return None
    index = union.columns.index(expr)
    return all(never_null(row[index], branch) for row, branch in zip(union.rows, union.branches, strict=True))
