"""Joins of two frames, for any state that Flink keeps for them."""

from __future__ import annotations

from dataclasses import replace

from pyspark.sql import Column as SparkColumn
from pyspark.sql import Window
from pyspark.sql import functions as fn

from keepstate.plan.expressions import Call, Expr
from keepstate.plan.metadata.equi_join_keys import equations_of
from keepstate.plan.metadata.join_sides import JoinSides
from keepstate.plan.operators import (
    Aggregate,
    Calc,
    Join,
    LookupJoin,
    Operator,
    Rank,
    TableSourceScan,
    TemporalJoin,
    WindowJoin,
)
from keepstate.plan.types.inference import type_of
from keepstate_spark.lowering.edges.blanks import trimmed_constants
from keepstate_spark.lowering.frames import NamedFrame
from keepstate_spark.lowering.functions.comparisons import equal_keys
from keepstate_spark.lowering.functions.map_keys import as_key
from keepstate_spark.lowering.functions.signed_zeros import equal_signs, has_number, has_sign, is_constant
from keepstate_spark.lowering.lateness import time_number
from keepstate_spark.lowering.lowering_context import Lowering
from keepstate_spark.lowering.operators.interval_pairs import decided_pairs
from keepstate_spark.lowering.operators.join_names import names_of_both
from keepstate_spark.lowering.operators.open_versions import VersionConditions, refuse_open_versions
from keepstate_spark.lowering.operators.over import keeps_last
from keepstate_spark.lowering.operators.subquery_answers import OF_NO_ROWS, with_answers
from keepstate_spark.lowering.operators.window_pairs import refuse_open_windows
from keepstate_spark.lowering.refusals import NotLowerable
from keepstate_spark.lowering.scalars import ColumnNames
from keepstate_spark.lowering.spark_columns import choice, frame_column, function_call
from keepstate_spark.lowering.windows.open_windows import in_open_windows, maybe_late

_KINDS = {
    "inner": "inner",
    "left": "left_outer",
    "right": "right_outer",
    "full": "full_outer",
    "semi": "left_semi",
    "anti": "left_anti",
}


def join_frame(join: Join, lowering: Lowering) -> NamedFrame:
    """The rows of both inputs that belong together. A lookup reads its table as it is."""
    if join.kind == "scalar":
        return with_answers(join, lowering)
    if join.kind not in _KINDS:
        raise NotLowerable(f"A join of the kind {join.kind} cannot be run.", join.kind_place or join.place)
    if isinstance(join, TemporalJoin) and not isinstance(join, LookupJoin):
        return _versioned(join, lowering)
    _have_groups(join)
    _have_plain_keys(join)
    if isinstance(join, WindowJoin):
        return _windowed(join, lowering)
    left, right, watermark = lowering.frame(join.left), lowering.frame(join.right), None
    names = names_of_both(join, left, right)
    condition = _condition(join, names, lowering)
    if not isinstance(join, LookupJoin):
        pairs = decided_pairs(join, left, right, lowering)
        left, right = (
            _all_counted(frame, side, lowering)
            for frame, side in zip((pairs.left, pairs.right), join.inputs, strict=True)
        )
        condition = condition if pairs.condition is None else condition & pairs.condition
        watermark = pairs.watermark
    both = _rows_of_both(join, left, right, names, condition, lowering)
    if isinstance(join, LookupJoin):
        return replace(both, arrival=(*left.arrival, *right.arrival), watermark=left.watermark, at_most=left.at_most)
    if watermark is None:
        return both
    name = lowering.name("watermark")
    return replace(both, rows=both.rows.withColumn(name, watermark), watermark=name, at_most=True)


def _rows_of_both(
    join: Join, left: NamedFrame, right: NamedFrame, names: ColumnNames, condition: SparkColumn, lowering: Lowering
) -> NamedFrame:
    """The rows of both sides for which ``condition`` is true, by the kind of the join."""
    rows = left.rows.join(right.rows, condition, _KINDS[join.kind])
    if join.kind == "inner":
        rows = lowering.with_zeros(rows, names, join.conditions)
    # A row comes when the later one of its two inputs has it, and nothing orders the rows of several inputs.
    if join.kind in ("semi", "anti"):
        return NamedFrame(rows, left.names)
    return NamedFrame(rows, names)


def _windowed(join: WindowJoin, lowering: Lowering) -> NamedFrame:
    """The rows of a window join, each of which comes while its window is open."""
    left, right = lowering.frame(join.left), lowering.frame(join.right)
    names = names_of_both(join, left, right)
    condition = _condition(join, names, lowering)
    refuse_open_windows(join, left, right, condition, lowering)
    left, right = in_open_windows(left, join.left, lowering), in_open_windows(right, join.right, lowering)
    return _rows_of_both(join, left, right, names, condition, lowering)


def _have_groups(join: Join) -> None:
    """Refuse a LEFT JOIN with numbers of rows of a LATERAL query without GROUP BY: without rows these are 0."""
    groups = join.right
    if join.kind != "left" or not isinstance(groups, Aggregate) or not groups.keys or groups.keys_place is not None:
        return
    for call in groups.aggregates:
        if call.function in OF_NO_ROWS:
            raise NotLowerable(
                f"{call.function} of a LATERAL query without GROUP BY has a value for no rows.", call.place
            )


def _have_plain_keys(join: Join) -> None:
    """Refuse equations of values with a FLOAT or a DOUBLE inside: Flink compares them by their bytes."""
    for condition in join.conditions:
        if isinstance(condition, Call) and condition.name in ("=", "NULLSAFEEQ"):
            for type_ in filter(None, map(type_of, condition.args)):
                if type_.root in ("ARRAY", "MAP", "ROW") and has_number(type_):
                    raise NotLowerable(
                        f"A join by a {type_} cannot be run: -0.0 and 0.0 inside are two keys to Flink.",
                        condition.place or join.place,
                    )


def _all_counted(frame: NamedFrame, side: Operator, lowering: Lowering) -> NamedFrame:
    """The rows of one side of a join without windows, which takes late rows. Those of a join by time are counted."""
    if lowering.lateness is not None and lowering.lateness.interval_joins:
        for time in filter(lowering.is_time, frame.names.columns):
            value = lowering.scalars(frame).value(time)
            return maybe_late(frame, value, side, lowering, "a join by an interval of times")
    return replace(frame, watermark=None)


def _condition(join: Join, names: ColumnNames, lowering: Lowering) -> SparkColumn:
    conditions = trimmed_constants(join, join.conditions, lowering)
    if isinstance(join, WindowJoin):
        conditions = (*conditions, *join.window_conditions)
    conditions = (*conditions, *filter(None, map(equal_signs, conditions)))
    if isinstance(join, TemporalJoin) and not isinstance(join, LookupJoin):
        conditions = tuple(map(_with_nulls, conditions))
    scalars = lowering.over(names)
    of_maps = [each for each in conditions if _is_of_maps(each)]
    keys = [each for each in _equations(join) if each in conditions]
    condition = scalars.condition(*(each for each in conditions if each not in of_maps and each not in keys))
    for key in keys:
        condition = condition & equal_keys(scalars, key)
    for each in of_maps:
        left, right = (
            as_key(scalars.value(arg), each.place or join.place, lowering.streams) for arg in each.children()
        )
        condition = condition & (left == right)
    return condition


def _equations(join: Join) -> list[Call]:
    """The equations of FLOATs and DOUBLEs that are keys of a join."""
    equations = (each for each in join.conditions if isinstance(each, Call) and each.name == "=")
    sides = JoinSides.of(join)
    return [each for each in equations if any(map(has_sign, each.args)) and _joins(each, sides)]


def _joins(equation: Call, sides: JoinSides) -> bool:
    """Return whether each operand of an equation reads one input of a join, and both read both."""
    inputs = [sides.read(operand) for operand in equation.args]
    return all(len(side) == 1 for side in inputs) and inputs[0] != inputs[1]


def _is_of_maps(condition: Expr) -> bool:
    """Return whether a condition is an equation of two MAPs. A join compares their bytes: two NULLs are equal."""
    types = map(type_of, condition.children()) if isinstance(condition, Call) and condition.name == "=" else ()
    return any(type_ is not None and type_.root == "MAP" for type_ in types)


def _with_nulls(condition: Expr) -> Expr:
    """A condition that is true for two keys that are NULL: the state of versions has NULL as one key among others."""
    if isinstance(condition, Call) and condition.name == "=" and not any(map(is_constant, condition.args)):
        return replace(condition, name="NULLSAFEEQ")
    return condition


def _not_overtaken(versions: NamedFrame, view: Rank, lowering: Lowering) -> NamedFrame:
    """The rows that a view with the last row of each key sends on: those that are no earlier than the rows before."""
    scalars = lowering.scalars(versions)
    time = time_number(scalars.value(view.order[0].expr))
    keys = map(scalars.column, view.partition)
    before = Window.partitionBy(*keys).orderBy(*map(frame_column, versions.arrival))
    latest, name = fn.max(time).over(before), lowering.name("overtaken")
    rows = versions.rows.withColumn(name, time < latest)
    return replace(versions, rows=rows.where(~frame_column(name)).drop(name))


def _versioned(join: TemporalJoin, lowering: Lowering) -> NamedFrame:
    """Each left row with the version of the right row that held at its time: the last one that is not later."""
    if not lowering.streams:
        sentence = "Flink runs FOR SYSTEM_TIME AS OF a time in streaming mode only."
        raise NotLowerable(sentence, join.as_of_place or join.place)
    right_side = join.right
    view = right_side if isinstance(right_side, Rank) and keeps_last(right_side, lowering) else None
    # The rows that such a view lets go are the versions of former times.
    versions = right_side if view is None else view.input
    table = versions
    while view is not None and isinstance(table, Calc):
        # Rows that a view never sees are no versions.
        table = table.input
    if not isinstance(table, TableSourceScan):
        raise NotLowerable("The versions of this table cannot be told.", join.as_of_place or join.place)
    left, right = lowering.frame(join.left), lowering.of(versions, replace(lowering, sends_versions=True))
    if view is not None:
        right = _not_overtaken(right, view, lowering)
    # The version is that of the keys. It is looked up before any other condition on it.
    keys = tuple(equations_of(join, JoinSides.of(join)))
    rest = tuple(condition for condition in join.conditions if condition not in keys)
    names = names_of_both(join, left, right)
    keys_are_equal = _condition(replace(join, conditions=keys), names, lowering)
    meets_rest = lowering.over(names).condition(*rest)
    if right.sign is not None:
        # A deletion is a version as well, which no row has.
        meets_rest = meets_rest & (frame_column(right.sign) > 0)
    refuse_open_versions(join, left, right, VersionConditions(keys_are_equal, meets_rest), lowering)
    feeds_times = lowering.lateness is not None and lowering.lateness.joins_feed_times
    # A row that is late leaves the join behind the watermark, if its partners do not lag behind.
    watermark = left.watermark if feeds_times else None
    if join.as_of is not None and lowering.is_time(join.as_of):
        left = maybe_late(left, lowering.scalars(left).value(join.as_of), join.left, lowering, "FOR SYSTEM_TIME AS OF")
    times = [expr for expr in right.names.columns if lowering.is_time(expr)]
    if len(times) == 1:
        # A version that comes at the watermark may miss rows of its own time.
        version_time = lowering.scalars(right).value(times[0])
        right = maybe_late(right, version_time, versions, lowering, "FOR SYSTEM_TIME AS OF")
    if join.as_of is None or len(times) != 1 or not lowering.is_time(join.as_of) or join.kind not in ("inner", "left"):
        raise NotLowerable("This FOR SYSTEM_TIME AS OF cannot be run.", join.as_of_place or join.place)
    row, place = lowering.name("row"), lowering.name("version")
    numbered = left.rows.withColumn(row, function_call("monotonically_increasing_id"))
    as_of = lowering.scalars(left).column(join.as_of)
    version = frame_column(right.names.columns[times[0]])
    rows = numbered.join(right.rows, keys_are_equal & (version <= as_of), _KINDS[join.kind])
    later = (key.desc() for key in (version, *map(frame_column, right.arrival)))
    rows = rows.withColumn(place, function_call("row_number").over(Window.partitionBy(row).orderBy(*later)))
    rows = rows.where(frame_column(place) == 1).drop(row, place)
    chooses = bool(rest) or right.sign is not None
    if chooses and join.kind == "inner":
        rows = rows.where(meets_rest)
    elif chooses:
        meets = lowering.name("meets")
        rows = rows.withColumn(meets, meets_rest)
        of_version = {name: choice(frame_column(meets), frame_column(name)) for name in right.rows.columns}
        rows = rows.withColumns(of_version).drop(meets)
    if right.sign is not None:
        rows = rows.drop(right.sign)
    return NamedFrame(rows, names, left.arrival, watermark, at_most=True)
