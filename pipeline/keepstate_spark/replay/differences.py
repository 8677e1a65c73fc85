"""The differences that a restart makes, as one table: a row for each result and metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from keepstate.plan.types.common_types import APPROXIMATE, NUMERIC
from keepstate.plan.types.logical_types import LogicalType
from keepstate_spark.lowering import times
from keepstate_spark.lowering.columns import held
from keepstate_spark.replay.replayed import AT, END, START, Metric, Replayed, present
from keepstate_spark.replay.worlds import World

AFTERWARDS = (World.RESTARTED, World.WITHOUT_STATE)
ROW = "(row)"
"""The metric of results that are there or not, and have no value that could be another one."""
_PRECISION = 1e-9
"""Relative difference up to which sums of FLOAT and DOUBLE are the same: they depend on the order of their rows."""

SCHEMA = {
    "query": ("STRING", "the query, as reports name it"),
    "key": ("STRING", "the values of the keys of a result, as in `k = a, region = 7`; empty where it has none"),
    "window_start": ("TIMESTAMP_NTZ", "start of its window on the wall clock; NULL for results without windows"),
    "window_end": ("TIMESTAMP_NTZ", "end of its window"),
    "at": (
        "TIMESTAMP_NTZ",
        "when it comes out: the end of its window, or the time of its row. Of a result that goes on changing, the "
        "first time after the restart. NULL where nothing tells",
    ),
    "metric": ("STRING", f"the column of the result; `{ROW}` for results that are there or not"),
    "fate": ("STRING", "what the verdict says of it: kept, starts empty, was filtered otherwise, lost"),
    "expected": ("STRING", "its value if the current query had always been running; NULL also if there is no result"),
    "restarted": ("STRING", "its value after the restart, with what the verdict says is reused"),
    "without_state": ("STRING", "its value after a restart without any state"),
    "expected_number": ("DOUBLE", "the same as a number; NULL for what is none"),
    "restarted_number": ("DOUBLE", ""),
    "without_state_number": ("DOUBLE", ""),
    "restarted_change": ("STRING", "same, differs, missing (no result where one is expected), extra (the opposite)"),
    "without_state_change": ("STRING", ""),
    "restarted_error": ("DOUBLE", "absolute error; of a missing number its whole size"),
    "without_state_error": ("DOUBLE", ""),
    "restarted_relative": ("DOUBLE", "absolute error by the size of the expected value; NULL where that is 0 or none"),
    "without_state_relative": ("DOUBLE", ""),
}
"""The columns with their Spark types and what they mean."""


def differences(replayed: Replayed, also: Sequence[str] = ()) -> DataFrame:
    """A row for each result and metric, whether they differ or not, with the columns of ``SCHEMA``, and those of
    ``also``.
    """
    metrics = [_values(metric, replayed.query.zone) for metric in replayed.metrics]
    # Whatever is told of a metric is in one structure: columns that are added one by one cost a planning each.
    rows = replayed.rows.select(
        fn.lit(replayed.query.name).alias("query"),
        _key(replayed).alias("key"),
        *(_time(name, name in replayed.rows.columns) for name in (START, END, AT)),
        *map(fn.col, also),
        fn.explode(fn.array(*metrics or [_whole()])).alias("value"),
    )
    own = ("query", "key", START, END, AT)
    told = (fn.col("value").getField(name).alias(name) for name in SCHEMA if name not in own)
    return rows.select(*own, *told, *also)


def _key(replayed: Replayed) -> Column:
    parts = [
        fn.concat(
            fn.lit(f"{key.name} = "), fn.coalesce(_text(key.column, key.type, replayed.query.zone), fn.lit("NULL"))
        )
        for key in replayed.keys
    ]
    return fn.concat_ws(", ", *parts) if parts else fn.lit("")


def _time(name: str, known: bool) -> Column:
    return (fn.col(name) if known else fn.lit(None)).cast("timestamp_ntz").alias(name)


def _text(column: str, type_: LogicalType, zone: str) -> Column:
    if type_.root == "TIMESTAMP_LTZ":
        return times.local(held(column), zone).cast("string")
    if type_.root in ("ARRAY", "MAP", "ROW"):
        return fn.to_json(fn.col(column))
    return fn.col(column).cast("string")


def _values(metric: Metric, zone: str) -> Column:
    """All that is told of a metric of a result."""
    there = {world: fn.col(present(world)) for world in World}
    texts = {world: fn.when(there[world], _text(metric.of(world), metric.type, zone)) for world in World}
    is_number = metric.type.root in NUMERIC
    nothing = fn.lit(None).cast("double")
    numbers = {
        world: fn.when(there[world], fn.col(metric.of(world)).cast("double")) if is_number else nothing
        for world in World
    }
    changes = {world: _change(world, _equal(metric, world)) for world in AFTERWARDS}
    errors = {world: _error(numbers, world, changes[world]) if is_number else nothing for world in AFTERWARDS}
    return _told(metric.name, metric.fate.value, texts, numbers, changes, errors)


def _whole() -> Column:
    """What is told of a result without metrics."""
    there = {world: fn.when(fn.col(present(world)), fn.lit("there")) for world in World}
    nothing = fn.lit(None).cast("double")
    changes = {world: _change(world, fn.lit(True)) for world in AFTERWARDS}
    return _told(ROW, "", there, dict.fromkeys(World, nothing), changes, dict.fromkeys(AFTERWARDS, nothing))


def _told(
    name: str,
    fate: str,
    texts: Mapping[World, Column],
    numbers: Mapping[World, Column],
    changes: Mapping[World, Column],
    errors: Mapping[World, Column],
) -> Column:
    size = fn.abs(numbers[World.EXPECTED])
    return fn.struct(
        fn.lit(name).alias("metric"),
        fn.lit(fate).alias("fate"),
        *(text.alias(world.value) for world, text in texts.items()),
        *(number.alias(f"{world.value}_number") for world, number in numbers.items()),
        *(change.alias(f"{world.value}_change") for world, change in changes.items()),
        *(error.alias(f"{world.value}_error") for world, error in errors.items()),
        *(fn.when(size > 0, error / size).alias(f"{world.value}_relative") for world, error in errors.items()),
    )


def _equal(metric: Metric, world: World) -> Column:
    expected, found = fn.col(metric.of(World.EXPECTED)), fn.col(metric.of(world))
    same = expected.eqNullSafe(found)
    if metric.type.root in APPROXIMATE:
        near = fn.abs(expected - found) <= fn.greatest(fn.abs(expected), fn.abs(found)) * _PRECISION
        return same | fn.coalesce(near, fn.lit(False))
    return same


def _change(world: World, equal: Column) -> Column:
    expected, found = fn.col(present(World.EXPECTED)), fn.col(present(world))
    return (
        fn.when(expected & ~found, "missing")
        .when(~expected & found, "extra")
        .when(expected & found & ~equal, "differs")
        .otherwise("same")
    )


def _error(numbers: Mapping[World, Column], world: World, change: Column) -> Column:
    """The absolute error; a result that is not there is taken as 0."""
    expected, found = numbers[World.EXPECTED], numbers[world]
    size = fn.abs(fn.coalesce(expected, fn.lit(0.0)) - fn.coalesce(found, fn.lit(0.0)))
    return fn.when(expected.isNotNull() | found.isNotNull(), fn.when(change == "same", fn.lit(0.0)).otherwise(size))
