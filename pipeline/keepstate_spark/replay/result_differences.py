"""The differences that a restart makes, as one table: a row for each result and metric."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as fn
from pyspark.sql.types import TimestampNTZType

from keepstate.plan.types.common_types import APPROXIMATE, INTEGERS, NUMERIC
from keepstate.plan.types.logical_types import LogicalType
from keepstate_spark.lowering import time_columns
from keepstate_spark.lowering.spark_columns import frame_column
from keepstate_spark.replay.replayed_query import AT, END, START, Metric, ReplayedQuery, present
from keepstate_spark.replay.scenarios import Scenario

AFTERWARDS = (Scenario.RESTARTED, Scenario.WITHOUT_STATE)
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
"""Columns with their Spark types and their meanings."""


def differences(replayed: ReplayedQuery, also: Sequence[str] = ()) -> DataFrame:
    """A row for each result and metric, whether they differ or not, with the columns of ``SCHEMA``, and those of
    ``also``.
    """
    metrics = [_values(metric, replayed.query.zone) for metric in replayed.metrics]
    # One structure holds all values of a metric: columns that are added one by one cost a planning each.
    rows = replayed.rows.select(
        fn.lit(replayed.query.name).alias("query"),
        _key(replayed).alias("key"),
        *(_time(name, name in replayed.rows.columns) for name in (START, END, AT)),
        *map(fn.col, also),
        fn.explode(fn.array(*metrics or [_whole()])).alias("value"),
    )
    own = ("query", "key", START, END, AT)
    columns = (fn.col("value").getField(name).alias(name) for name in SCHEMA if name not in own)
    return rows.select(*own, *columns, *also)


def _key(replayed: ReplayedQuery) -> Column:
    parts = [
        fn.concat(
            fn.lit(f"{key.name} = "), fn.coalesce(_text(key.column, key.type, replayed.query.zone), fn.lit("NULL"))
        )
        for key in replayed.keys
    ]
    return fn.concat_ws(", ", *parts) if parts else fn.lit("")


def _time(name: str, exists: bool) -> Column:
    return (fn.col(name) if exists else fn.lit(None)).cast("timestamp_ntz").alias(name)


def _text(column: str, type_: LogicalType, zone: str) -> Column:
    if type_.root == "TIMESTAMP_LTZ":
        return time_columns.local(frame_column(column), zone).cast("string")
    if type_.root in ("ARRAY", "MAP", "ROW"):
        return fn.to_json(fn.col(column))
    return fn.col(column).cast("string")


def _values(metric: Metric, zone: str) -> Column:
    """Return the structure with all values of a metric of a result."""
    presence = {scenario: fn.col(present(scenario)) for scenario in Scenario}
    texts = {
        scenario: fn.when(presence[scenario], _text(metric.of(scenario), metric.type, zone)) for scenario in Scenario
    }
    is_number = metric.type.root in NUMERIC
    nothing = fn.lit(None).cast("double")
    numbers = {
        scenario: fn.when(presence[scenario], fn.col(metric.of(scenario)).cast("double")) if is_number else nothing
        for scenario in Scenario
    }
    changes = {scenario: _change(scenario, _equal(metric, scenario)) for scenario in AFTERWARDS}
    errors = {
        scenario: _error(numbers, scenario, changes[scenario]) if is_number else nothing for scenario in AFTERWARDS
    }
    return _struct(metric.name, metric.fate.value, texts, numbers, changes, errors)


def _whole() -> Column:
    """Return the structure for a result without metrics."""
    presence = {scenario: fn.when(fn.col(present(scenario)), fn.lit("there")) for scenario in Scenario}
    nothing = fn.lit(None).cast("double")
    changes = {scenario: _change(scenario, fn.lit(True)) for scenario in AFTERWARDS}
    return _struct(ROW, "", presence, dict.fromkeys(Scenario, nothing), changes, dict.fromkeys(AFTERWARDS, nothing))


def _struct(
    name: str,
    fate: str,
    texts: Mapping[Scenario, Column],
    numbers: Mapping[Scenario, Column],
    changes: Mapping[Scenario, Column],
    errors: Mapping[Scenario, Column],
) -> Column:
    size = fn.abs(numbers[Scenario.EXPECTED])
    return fn.struct(
        fn.lit(name).alias("metric"),
        fn.lit(fate).alias("fate"),
        *(text.alias(scenario.value) for scenario, text in texts.items()),
        *(number.alias(f"{scenario.value}_number") for scenario, number in numbers.items()),
        *(change.alias(f"{scenario.value}_change") for scenario, change in changes.items()),
        *(error.alias(f"{scenario.value}_error") for scenario, error in errors.items()),
        *(fn.when(size > 0, error / size).alias(f"{scenario.value}_relative") for scenario, error in errors.items()),
    )


def _equal(metric: Metric, scenario: Scenario) -> Column:
    expected, actual = fn.col(metric.of(Scenario.EXPECTED)), fn.col(metric.of(scenario))
    same = expected.eqNullSafe(actual)
    if metric.type.root in APPROXIMATE:
        near = fn.abs(expected - actual) <= fn.greatest(fn.abs(expected), fn.abs(actual)) * _PRECISION
        return same | fn.coalesce(near, fn.lit(False))
    return same


def _change(scenario: Scenario, equal: Column) -> Column:
    expected, actual = fn.col(present(Scenario.EXPECTED)), fn.col(present(scenario))
    return (
        fn.when(expected & ~actual, "missing")
        .when(~expected & actual, "extra")
        .when(expected & actual & ~equal, "differs")
        .otherwise("same")
    )


def _error(numbers: Mapping[Scenario, Column], scenario: Scenario, change: Column) -> Column:
    """The absolute error; a result that is not there is taken as 0."""
    expected, actual = numbers[Scenario.EXPECTED], numbers[scenario]
    size = fn.abs(fn.coalesce(expected, fn.lit(0.0)) - fn.coalesce(actual, fn.lit(0.0)))
    return fn.when(expected.isNotNull() | actual.isNotNull(), fn.when(change == "same", fn.lit(0.0)).otherwise(size))


_TEXTS: Mapping[str, Callable[[Any], str]] = {
    **dict.fromkeys((*INTEGERS, "CHAR", "VARCHAR", "DATE", "DECIMAL"), str),
    "BOOLEAN": lambda value: str(value).lower(),
    "TIMESTAMP": lambda value: value.isoformat(" ").rstrip("0").rstrip(".") if value.microsecond else str(value),
}
"""The texts of values as Spark writes them, by their types. Of FLOATs Java chooses the digits, so they are not here."""


def differences_of(replayed: ReplayedQuery, rows: Sequence[Row]) -> list[dict[str, Any]] | None:
    """The same as ``differences`` of ``rows``, all that there are of ``replayed``, without Spark, whose planning takes
    longer than to go through a few rows; ``None`` for types whose values have other texts here.
    """
    types = {metric.type.root for metric in replayed.metrics} | {key.type.root for key in replayed.keys}
    times = [name for name in (START, END, AT) if name in replayed.rows.columns]
    if not types <= _TEXTS.keys() or any(
        not isinstance(replayed.rows.schema[name].dataType, TimestampNTZType) for name in times
    ):
        return None
    result = []
    for row in rows:
        parts = []
        for key in replayed.keys:
            value = row[key.column]
            parts.append(f"{key.name} = {'NULL' if value is None else _TEXTS[key.type.root](value)}")
        of_row = {
            "query": replayed.query.name,
            "key": ", ".join(parts),
            **{name: row[name] if name in times else None for name in (START, END, AT)},
        }
        presence = {scenario: row[present(scenario)] for scenario in Scenario}
        for metric in replayed.metrics:
            values = {scenario: row[metric.of(scenario)] for scenario in Scenario}
            result.append(of_row | _difference(metric.name, metric.fate.value, metric.type.root, values, presence))
        if not replayed.metrics:
            result.append(of_row | _difference(ROW, "", "", dict.fromkeys(Scenario, "there"), presence))
    return result


def _difference(
    name: str, fate: str, root: str, values: Mapping[Scenario, Any], presence: Mapping[Scenario, bool | None]
) -> dict[str, Any]:
    """The columns of one metric of a result, which has ``values`` of the type ``root``."""
    result: dict[str, Any] = {"metric": name, "fate": fate}
    numbers: dict[Scenario, float | None] = {}
    for scenario, value in values.items():
        has_value = value is not None and presence[scenario] is True
        result[scenario.value] = _TEXTS.get(root, str)(value) if has_value else None
        numbers[scenario] = result[f"{scenario.value}_number"] = float(value) if has_value and root in NUMERIC else None
    expected = numbers[Scenario.EXPECTED]
    for scenario in AFTERWARDS:
        was, is_now = presence[Scenario.EXPECTED], presence[scenario]
        change = "same"
        if was is not None and is_now is not None and was is not is_now:
            change = "missing" if was else "extra"
        elif was and is_now and values[Scenario.EXPECTED] != values[scenario]:
            change = "differs"
        error, actual = None, numbers[scenario]
        if expected is not None or actual is not None:
            error = 0.0 if change == "same" else abs((expected or 0.0) - (actual or 0.0))
        result[f"{scenario.value}_change"] = change
        result[f"{scenario.value}_error"] = error
        result[f"{scenario.value}_relative"] = error / abs(expected) if error is not None and expected else None
    return result
