"""Operators of the plan as frames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as fn

from keepstate.plan.expressions import AggregateCall, Call, Expr, Literal, Measure, RankNumber, WindowField, WindowPart
from keepstate.plan.expressions import Column as TableColumn
from keepstate.plan.job import Plan
from keepstate.plan.operators import (
    Aggregate,
    AggregatedSubquery,
    Calc,
    Correlate,
    Join,
    Limit,
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
    WindowTableFunction,
    any_operator,
    expressions_of,
    unhandled,
)
from keepstate.plan.predicates import FALSE, conjuncts
from keepstate.plan.provenance import Place
from keepstate.plan.types.common_types import APPROXIMATE
from keepstate.plan.types.inference import has_ordinality, type_of, unnested_columns
from keepstate.plan.types.logical_types import LogicalType
from keepstate_spark.lowering.aggregate_columns import ORDERED
from keepstate_spark.lowering.edges.blanks import trimmed_constants
from keepstate_spark.lowering.edges.constant_zeros import refuse_negated_zeros, refuse_single_numbers
from keepstate_spark.lowering.edges.extremes import depends_on_order
from keepstate_spark.lowering.frames import NamedFrame, given_out, hint
from keepstate_spark.lowering.functions.collections import elements_of
from keepstate_spark.lowering.functions.common_rows import in_common_types
from keepstate_spark.lowering.functions.comparisons import equal_keys
from keepstate_spark.lowering.functions.java_math import calls_java, may_call_java
from keepstate_spark.lowering.functions.map_keys import as_key, of_key
from keepstate_spark.lowering.functions.signed_zeros import (
    has_sign,
    is_constant,
    joined_signs,
    put_signs_back,
    sign_column,
)
from keepstate_spark.lowering.functions.type_texts import with_type_names
from keepstate_spark.lowering.functions.written_order import in_written_order, refuse_widened_constant
from keepstate_spark.lowering.lateness import Lateness
from keepstate_spark.lowering.lowering_context import ONE_BY_ONE, AggregationSettings, Lowering, Scan
from keepstate_spark.lowering.matching.match_frames import match_frame
from keepstate_spark.lowering.operators.column_nullability import never_null, with_required
from keepstate_spark.lowering.operators.grouping import grouped
from keepstate_spark.lowering.operators.joining import join_frame
from keepstate_spark.lowering.operators.limits import limited
from keepstate_spark.lowering.operators.over import over_aggregated, ranked, refuse_bounds
from keepstate_spark.lowering.operators.watermark_calls import refuse_unknown_watermarks
from keepstate_spark.lowering.refusals import NotLowerable, script_text
from keepstate_spark.lowering.scalars import NULL_TYPE, ColumnNames, held_as, known_type
from keepstate_spark.lowering.spark_columns import (
    BIGINT,
    STRING,
    choice,
    failing,
    frame_column,
    function_call,
    nothing,
    text,
    true,
    whole,
)
from keepstate_spark.lowering.spark_types import spark_type
from keepstate_spark.lowering.windows.late_over import sorted_in_time
from keepstate_spark.lowering.windows.window_functions import assigned, refuse_set_operands

_Node = TypeVar("_Node", bound=Expr)
_CALLS = frozenset({"(", "+", "*", "/", "%", "||"})
"""Words of a constant that is computed."""


@dataclass(frozen=True)
class Result:
    """The rows of a query. Column ``index`` of ``rows`` is called ``names[index]`` and holds ``types[index]``."""

    rows: DataFrame
    names: tuple[str, ...]
    types: tuple[LogicalType, ...]
    nullable: tuple[bool, ...]


def lowered(
    plan: Plan,
    session: SparkSession,
    zone: str,
    scan: Scan,
    times: frozenset[Expr],
    streams: bool,
    lateness: Lateness | None = None,
    numbers_all: bool = False,
    ends_at_ties: bool = False,
    looks_first: bool = False,
    maps_in_order: bool = False,
    watermark_interval: int = 0,
    aggregation: AggregationSettings = ONE_BY_ONE,
    updating: frozenset[str] = frozenset(),
    filtered_sources: frozenset[str] = frozenset(),
    first_rows: Mapping[Place, Expr | None] | None = None,
) -> Result:
    """Return the result of the query of ``plan``.

    ``zone`` is the session time zone of the job, ``scan`` reads its tables, ``times`` are the columns with a watermark.
    ``lateness`` looks for late rows if there may be some; ``watermark_interval`` are the milliseconds between two
    watermarks, ``updating`` tables whose rows change, ``filtered_sources`` those whose source takes filters. The others
    are settings of a ``Lowering``.

    ``session`` runs in UTC and not in ANSI mode. Raises ``NotLowerable`` for a query that cannot be run.
    """

    def is_time(expr: Expr) -> bool:
        return (
            expr in times
            or (isinstance(expr, WindowField) and expr.part is WindowPart.TIME)
            or (isinstance(expr, Measure) and expr.time is not None)
        )

    refuse_set_operands(plan.operators)
    reads_watermarks = refuse_unknown_watermarks(plan, aggregation)
    ordered = lateness is not None or reads_watermarks or any(map(_goes_by_arrival, plan.operators))
    if looks_first and not ordered:
        ordered = any(map(depends_on_order, _nodes_in(plan, AggregateCall)))
    lowering = Lowering(
        session, zone, scan, _frame, is_time, streams, ordered, lateness, numbers_all, ends_at_ties, looks_first,
        sorts_again=sum(isinstance(operator, (Rank, OverAggregate, Match)) for operator in plan.operators) > 1,
        read_numbers=_nodes_in(plan, RankNumber), read_columns=_nodes_in(plan, TableColumn),
        maps_in_order=maps_in_order,
        aggregation=aggregation, updating=updating, filtered_sources=filtered_sources, first_rows=first_rows or {},
        watermark_interval=watermark_interval if reads_watermarks else None,
        calls_java=any(map(calls_java, _nodes_in(plan, Call))) and may_call_java(session),
    )  # fmt: skip
    root, output = in_common_types(*in_written_order(plan.root, plan.output))
    frame = lowering.frame(root)
    scalars = lowering.exact_scalars(frame)

    def typed(expr: Expr) -> tuple[LogicalType, bool] | None:
        type_ = type_of(expr)
        return None if type_ is None else (with_required(type_, expr, root), not never_null(expr, root))

    columns, types = [], []
    for index, expr in enumerate(output):
        refuse_negated_zeros(expr, root)
        refuse_single_numbers(expr, root)
        value = scalars.value(with_type_names(expr, typed))
        type_ = STRING if value.type == NULL_TYPE else held_as(value.type, expr)
        result_name = frame.names.find(given_out(expr))
        column = value.column if result_name is None else frame_column(result_name)
        if _may_lack(expr) and never_null(expr, root):
            words = text(f"Flink takes {script_text(expr)} as NOT NULL, and stops at its NULL.")
            column = function_call("coalesce", column, failing(words))
        columns.append(column.cast(type_).alias(f"c{index}"))
        types.append(with_required(value.type, expr, root))
    if not columns:
        raise NotLowerable("The columns of this query cannot be told.", plan.output_place)
    nullable = tuple(not never_null(expr, root) for expr in output)
    return Result(frame.rows.select(*columns), plan.names, tuple(types), nullable)


def _may_lack(expr: Expr) -> bool:
    """Return whether an expression may be NULL though Flink takes it as NOT NULL."""
    return any(isinstance(node, Call) and node.name in ("LPAD", "RPAD") for node in expr.walk())


def _nodes_in(plan: Plan, kind: type[_Node]) -> frozenset[_Node]:
    """Return the expressions of a kind that the output of a plan or one of its operators reads. A scan reads none."""
    operators = (operator for operator in plan.operators if not isinstance(operator, TableSourceScan))
    exprs = [*plan.output, *(expr for operator in operators for expr in expressions_of(operator))]
    return frozenset(node for expr in exprs for node in expr.walk() if isinstance(node, kind))


def scanning(session: SparkSession, zone: str, scan: Scan) -> Lowering:
    """Return the context for lowering scans by themselves, in the order in which their rows come."""
    return Lowering(session, zone, scan, _frame, lambda _: False, streams=True)


def _goes_by_arrival(operator: Operator) -> bool:
    """Return whether the result of ``operator`` depends on the order in which rows come."""
    operator = any_operator(operator)
    match operator:
        case Aggregate():
            return any(call.function in ORDERED for call in operator.aggregates)
        case Join():
            return isinstance(operator, TemporalJoin)
        case Rank() | OverAggregate() | Limit() | TemporalSort() | Match():
            return True
        case TableSourceScan() | Values() | Calc() | Correlate() | WindowTableFunction() | Union() | SetOperation():
            return False
        case Unsupported():
            # It is refused.
            return False
        case other:
            unhandled(other)


def _frame(operator: Operator, lowering: Lowering) -> NamedFrame:
    operator = any_operator(operator)
    match operator:
        case TableSourceScan():
            return lowering.scan(operator, lowering)
        case Values():
            return _values(operator, lowering)
        case Calc():
            refuse_bounds(operator.input, operator.conditions)
            operator = replace(operator, conditions=trimmed_constants(operator, operator.conditions, lowering))
            if not isinstance(operator.input, Join):
                return lowering.filtered(lowering.frame(operator.input), operator.conditions)
            return _filter_of_join(operator, lowering)
        case WindowTableFunction():
            return assigned(lowering.frame(operator.input), operator, lowering)
        case Aggregate():
            return grouped(operator, lowering)
        case Rank():
            return ranked(operator, lowering)
        case OverAggregate():
            return over_aggregated(operator, lowering)
        case Join():
            return join_frame(operator, lowering)
        case Union():
            return _united(operator, lowering)
        case SetOperation():
            return _combined(operator, lowering)
        case Correlate():
            return _correlated(operator, lowering)
        case TemporalSort():
            frame = lowering.frame(operator.input)
            first = operator.order[0].expr
            if lowering.is_time(first):
                lowering.aggregation.refuse_clock("ORDER BY a time", operator.place)
                frame = sorted_in_time(frame, lowering.scalars(frame).value(first), operator, lowering)
            keys = lowering.order(frame, operator.order)
            return replace(frame, rows=frame.rows.orderBy(*(key.column for key in keys)))
        case Limit():
            return limited(operator, lowering)
        case AggregatedSubquery():
            return lowering.frame(operator.rows)
        case Unsupported():
            article = "A " if operator.construct[0].islower() else ""
            raise NotLowerable(f"{article}{operator.construct} cannot be run.", operator.place)
        case Match():
            return match_frame(operator, lowering, lambda expr: never_null(expr, operator.input))
        case other:
            unhandled(other)


def _filter_of_join(calc: Calc, lowering: Lowering) -> NamedFrame:
    """The rows of a join that a filter leaves. Its equations of FLOATs and DOUBLEs of two tables are keys of it."""
    parts = [part for condition in calc.conditions for part in conjuncts(condition)]
    keys = dict(joined_signs(parts))
    rest = [part for part in parts if part not in keys]
    frame = lowering.filtered(lowering.frame(calc.input), rest)
    scalars = lowering.scalars(frame)
    rows = frame.rows
    for equation, equal_sign in keys.items():
        rows = rows.where(equal_keys(scalars, equation) & scalars.condition(equal_sign))
    return replace(frame, rows=rows)


def _values(operator: Values, lowering: Lowering) -> NamedFrame:
    if not operator.rows:
        return NamedFrame(lowering.session.range(1).select())
    scalars = lowering.over(ColumnNames())
    types = [known_type(column) for column in operator.columns]
    names: dict[Expr, str] = {column: lowering.name("value") for column in operator.columns}
    for cell, type_ in (pair for row in operator.cells for pair in zip(row, types, strict=True)):
        refuse_widened_constant(cell, type_)
    _refuse_mixed_constants(operator, types)
    place = lowering.name("place")
    rows = (
        function_call(
            "struct",
            *(
                scalars.column(cell, type_).cast(held_as(type_, cell)).alias(name)
                for cell, type_, name in zip(row, types, names.values(), strict=True)
            ),
            whole(number).alias(place),
        )
        for number, row in enumerate(operator.cells)
    )
    frame = lowering.session.range(1).select(function_call("inline", function_call("array", *rows)))
    # Flink makes a source of each row with a call, and nothing orders the rows of several sources.
    arrival = (place,) if _are_literals(operator) else ()
    return NamedFrame(frame, ColumnNames(names), arrival)


def _are_literals(values: Values) -> bool:
    """Return whether all rows are constants as they are written, without a call. A minus may stand in front."""
    for cell in (cell for row in values.cells for cell in row):
        words = cell.place.words if cell.place is not None else ("(",)
        if not isinstance(cell, Literal) or not _CALLS.isdisjoint(words) or "-" in words[1:]:
            return False
    return True


def _refuse_mixed_constants(values: Values, types: Sequence[LogicalType]) -> None:
    """Refuse rows of constants in which a column of DOUBLEs has other numbers as well: Flink cannot compile them."""
    if not _are_literals(values):
        return
    for row in values.cells:
        for cell, type_ in zip(row, types, strict=True):
            if type_.root == "DOUBLE" and isinstance(cell, Literal) and cell.type == "NUMBER":
                raise NotLowerable(
                    "Flink cannot compile VALUES in which a column of DOUBLEs has other numbers. CAST one of them.",
                    cell.place or values.place,
                )


def _united(union: Union, lowering: Lowering) -> NamedFrame:
    """Return all rows of all inputs, under the columns of the union."""
    columns = union.columns
    for index, column in enumerate(columns):
        same = [other for other in range(index) if columns[other] == column]
        if any(_with_levels(row[index]) != _with_levels(row[other]) for other in same for row in union.rows):
            raise NotLowerable(f"Two columns of this UNION, {column} and one more, cannot be told apart.", union.place)
    unique_columns = list(dict.fromkeys(columns))
    names = {column: lowering.name(hint(column)) for column in unique_columns}
    frames = [lowering.frame(branch) for branch in union.branches]
    watermark = lowering.name("watermark") if any(frame.watermark for frame in frames) else None
    result: DataFrame | None = None
    for frame, row in zip(frames, union.rows, strict=True):
        scalars = lowering.exact_scalars(frame)
        types = {column: known_type(column) for column in names}
        selected = [
            scalars.column(row[columns.index(column)], types[column]).cast(held_as(types[column], column)).alias(name)
            for column, name in names.items()
        ]
        if watermark is not None:
            mark = frame_column(frame.watermark) if frame.watermark else nothing()
            selected.append(mark.cast(BIGINT).alias(watermark))
        rows = frame.rows.select(*selected)
        result = rows if result is None else result.unionAll(rows)
    assert result is not None
    # Nothing orders the rows of several inputs, and the slowest of these gives the watermark.
    return NamedFrame(result, ColumnNames(dict(names)), watermark=watermark, at_most=watermark is not None)


def _with_levels(expr: Expr) -> tuple[Expr, tuple[int, ...]]:
    """Return an expression with the levels that distinguish it from equal ones of queries below."""
    return expr, tuple(node.level for node in expr.walk() if isinstance(node, AggregateCall))


def _combined(operation: SetOperation, lowering: Lowering) -> NamedFrame:
    """INTERSECT and EXCEPT."""
    if not operation.every and (not lowering.streams or operation.kind == "INTERSECT"):
        for pair in zip(operation.left_row, operation.right_row, strict=True):
            if any(map(is_constant, pair)) and any(has_sign(expr) and not is_constant(expr) for expr in pair):
                raise NotLowerable(
                    f"Whether -0.0 and 0.0 are one beside a constant in {operation.words} is not known to Spark.",
                    operation.place,
                )
    sides = []
    names = {column: lowering.name(hint(column)) for column in operation.left_row}
    for operator, row in ((operation.left, operation.left_row), (operation.right, operation.right_row)):
        frame = lowering.without_minus(lowering.frame(operator), row, f"a row of {operation.words}", operation.place)
        scalars = lowering.exact_scalars(frame)
        values = [scalars.value(expr) for expr in row]
        keys = [
            as_key(value, expr.place or operation.place, lowering.streams)
            for value, expr in zip(values, row, strict=True)
        ]
        selected = [key.alias(f"c{index}") for index, key in enumerate(keys)]
        numbers = [index for index, value in enumerate(values) if value.type.root in APPROXIMATE]
        signs = (sign_column(values[index].column).alias(f"s{index}") for index in numbers)
        sides.append((frame.rows.select(*selected, *signs), values))
    (left, left_names), (right, right_names) = sides
    for one, other, expr in zip(left_names, right_names, operation.left_row, strict=True):
        if spark_type(one.type) != spark_type(other.type):
            raise NotLowerable(f"{operation.words} of a {one.type} and a {other.type} cannot be run.", expr.place)
    if operation.kind == "INTERSECT":
        rows = left.intersectAll(right) if operation.every else left.intersect(right)
    else:
        rows = left.exceptAll(right) if operation.every else left.subtract(right)
    rows = put_signs_back(rows, {f"c{name[1:]}": name for name in rows.columns if name.startswith("s")})
    first = {expr: index for index, expr in reversed(list(enumerate(operation.left_row)))}
    columns = [
        of_key(frame_column(f"c{index}"), left_names[index].type).alias(names[expr]) for expr, index in first.items()
    ]
    return NamedFrame(rows.select(*columns), ColumnNames(dict(names)))


def _correlated(operator: Correlate, lowering: Lowering) -> NamedFrame:
    """UNNEST of a collection: each row once for each element."""
    frame = lowering.frame(operator.input)
    function = operator.function
    columns = unnested_columns(function, operator.name)
    if not columns:
        raise NotLowerable(f"{script_text(function)} cannot be run.", operator.place)
    for condition in operator.conditions:
        reads_row = any(frame.names.find(node) is not None for node in condition.walk())
        if reads_row or condition == FALSE or has_ordinality(function):
            raise NotLowerable("Flink plans conditions on the elements of an UNNEST alone.", condition.place)
    collection = lowering.scalars(frame).value(function.children()[0])
    elements = elements_of(collection, has_ordinality(function))
    if elements is None:
        raise NotLowerable(f"UNNEST of a {collection.type} cannot be run.", operator.place)
    item = lowering.name("item")
    value = frame_column(item).getField("value") if has_ordinality(function) else frame_column(item)
    fields = ("key", "value") if collection.type.root == "MAP" else collection.type.elements[0].names
    parts = [value.getField(name) for name in fields] or [value]
    if has_ordinality(function):
        parts.append(frame_column(item).getField("place"))
    row, explode = lowering.name("row"), "posexplode_outer" if operator.left else "posexplode"
    place = lowering.name("place")
    numbers = [fn.monotonically_increasing_id().alias(row)] if operator.conditions else []
    rows = frame.rows.select("*", *numbers).select("*", function_call(explode, elements).alias(place, item))
    names: dict[Expr, str] = {}
    for part, column in zip(parts, columns, strict=True):
        names[column] = lowering.name("element")
        rows = rows.withColumn(names[column], part)
    # The elements of a row follow one another.
    result = frame.holding(rows.drop(item), names)
    result = replace(result, arrival=(*frame.arrival, place)) if frame.arrival else result
    return _matching(result, operator.conditions, row, names.values(), lowering) if operator.conditions else result


def _matching(
    frame: NamedFrame, conditions: Sequence[Expr], row: str, elements: Iterable[str], lowering: Lowering
) -> NamedFrame:
    """Return the rows of ``frame`` that match, and once, without ``elements``, each ``row`` without a match."""
    matches, name = lowering.scalars(frame).condition(*conditions), lowering.name("matches")
    rows = frame.rows.withColumn(name, function_call("coalesce", matches, ~true()))
    none = ~fn.bool_or(frame_column(name)).over(Window.partitionBy(row))
    first = fn.row_number().over(Window.partitionBy(row).orderBy(row)) == 1
    rows = rows.select("*", (none & first).alias(lone := lowering.name("lone")))
    rows = rows.where(frame_column(name) | frame_column(lone))
    for element in elements:
        rows = rows.withColumn(element, choice(frame_column(name), frame_column(element)))
    return replace(frame, rows=rows.drop(row, name, lone))
