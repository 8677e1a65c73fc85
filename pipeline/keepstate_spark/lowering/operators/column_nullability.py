"""Columns of a result that are never NULL, as Flink derives them: it prints NOT NULL behind their types."""

from __future__ import annotations

from keepstate.plan.expressions import (
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
from keepstate_spark.lowering.operators.grouping import grouping_set_keys
from keepstate_spark.lowering.windows.window_functions import fields

_COUNTING = frozenset(
    """
    COUNT ROW_NUMBER RANK DENSE_RANK NTILE SUM0 PERCENT_RANK CUME_DIST COLLECT JSON_ARRAYAGG JSON_OBJECTAGG
    """.split()
)
_NEVER = frozenset(
    """
    IS NULLSAFEEQ NULLSAFENEQ GROUPING GROUPING_ID GROUP_ID CURRENT_DATE CURRENT_TIMESTAMP LOCALTIMESTAMP PROCTIME
    CURRENT_ROW_TIMESTAMP PI E ARRAY MAP ROW IS_DIGIT IS_ALPHA IS_DECIMAL
    JSON_OBJECT JSON_ARRAY MATCH_ROWTIME
    """.split()
)
_MAYBE = frozenset(
    """
    TRY_CAST NULLIF SPLIT_INDEX REGEXP_EXTRACT REGEXP_COUNT REVERSE SUBSTRING LEFT RIGHT TO_TIMESTAMP TO_TIMESTAMP_LTZ
    TO_DATE JSON_VALUE JSON_QUERY BRACKET ELEMENT URL_ENCODE URL_DECODE PARSE_URL CHR FROM_UNIXTIME DATE_FORMAT
    CONVERT_TZ COLUMN . STR_TO_MAP JSON_EXISTS REGEXP_SUBSTR REGEXP_INSTR UNHEX REGEXP_EXTRACT_ALL
    ARRAY_MAX ARRAY_MIN PRINTF
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
        case Call() if expr.name in _NEVER:
            return True
        case Call() if expr.name in _MAYBE:
            return False
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
        case SubqueryValue() | CorrelatedColumn():
            return all(never_null(part, operator) for part in expr.children())
        case Call():
            return all(never_null(arg, operator) for arg in expr.args if not _is_word(arg))
    return False


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
            return expr.function in _COUNTING or (has_default and never_null(expr.args[2], operator.input))
        case WindowTableFunction() if expr in fields(operator.depth):
            return True
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


def _grouped(expr: Expr, operator: Aggregate) -> bool | None:
    if isinstance(operator, GroupWindowAggregate) and expr in fields(operator.depth):
        return expr != WindowField(WindowPart.TIME, operator.depth)
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
