"""Calls that PySpark 3.5 does not have, in calls of the same meaning."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta

import pyspark
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn
from pyspark.sql.types import DataType, LongType

from keepstate.plan.provenance import Place
from keepstate_spark.errors import PipelineError
from keepstate_spark.lowering.refusals import NotLowerable

_METADATA = "_metadata"
_LENGTHS = {
    "MICROSECOND": timedelta(microseconds=1),
    "MILLISECOND": timedelta(milliseconds=1),
    "SECOND": timedelta(seconds=1),
    "MINUTE": timedelta(minutes=1),
    "HOUR": timedelta(hours=1),
    "DAY": timedelta(days=1),
    "WEEK": timedelta(weeks=1),
}
_MONTHS = {"MONTH": 1, "QUARTER": 3, "YEAR": 12}
_NUMBER, _SET = "__keepstate_number", "__keepstate_set"
_URL_ENCODED = r"^(?:[^%]|%[0-9a-fA-F]{2})*$"


def require_spark_4(feature: str, place: Place | None) -> None:
    """Raise ``NotLowerable`` at ``place`` where Spark is older than 4.0 and cannot compute ``feature``."""
    if not hasattr(fn, "try_parse_json"):
        raise NotLowerable(f"{feature} needs Spark 4.0 or newer, and this is PySpark {pyspark.__version__}.", place)


def time_and(time: Column, unit: str, count: Column) -> Column:
    """``time`` and ``count`` of a unit, in the type of ``time``."""
    if hasattr(fn, "timestamp_add"):
        return fn.timestamp_add(unit, count, time)
    if unit in _LENGTHS:
        return time + fn.lit(_LENGTHS[unit]) * count
    return time + fn.make_interval(months=count * _MONTHS[unit])


def try_cast(value: Column, type_: DataType) -> Column:
    """``value`` as ``type_``; NULL for a text that is none. Without ``try_cast`` the session has to be without ANSI
    mode, as those of the lowering are.
    """
    return value.try_cast(type_) if hasattr(type(value), "try_cast") else value.cast(type_)


def origin(frame: DataFrame) -> Column:
    """The column with the file of each row. Before Spark 4.0 only its name leads to it, which a column may have too.

    Raises ``PipelineError`` for such a column.
    """
    if hasattr(type(frame), "metadataColumn"):
        return frame.metadataColumn(_METADATA)
    if _METADATA in frame.columns:
        raise PipelineError(f"Files with a column {_METADATA} are read from Spark 4.0 on.")
    return fn.col(_METADATA)


def by_sets(
    rows: DataFrame,
    sets: Sequence[Sequence[str]],
    keys: Sequence[str],
    absent: Mapping[str, str],
    aggregates: Sequence[Column],
) -> DataFrame:
    """``aggregates`` by each of the ``sets`` of ``keys``. A column of ``absent`` is 1 in groups without its key, else
    0.
    """
    if hasattr(type(rows), "groupingSets"):
        by = [[fn.col(name) for name in set_] for set_ in sets]
        flags = [fn.grouping(key).cast(LongType()).alias(name) for name, key in absent.items()]
        return rows.groupingSets(by, *map(fn.col, keys)).agg(*aggregates, *flags)
    types = {field.name: field.dataType for field in rows.schema.fields}
    copies = [
        fn.struct(
            fn.lit(number).alias(_NUMBER),
            *((fn.col(key) if key in set_ else fn.lit(None).cast(types[key])).alias(key) for key in keys),
            *(fn.lit(int(key not in set_)).cast(LongType()).alias(name) for name, key in absent.items()),
        )
        for number, set_ in enumerate(sets)
    ]
    copied = rows.withColumn(_SET, fn.explode(fn.array(*copies)))
    groups = [fn.col(f"{_SET}.{name}").alias(name) for name in (_NUMBER, *keys, *absent)]
    return copied.groupBy(*groups).agg(*aggregates or [fn.count(fn.lit(1))]).drop(_NUMBER)


def _try_url_decode(value: Column) -> Column:
    return fn.when(fn.rlike(value, fn.lit(_URL_ENCODED)), fn.url_decode(value))


# By its name LIKE takes no character for escapes before 4.0.
STAND_INS: Mapping[str, Callable[..., Column]] = (
    {} if hasattr(fn, "try_url_decode") else {"like": fn.like, "try_url_decode": _try_url_decode}
)
"""Functions that are called by their names from Spark 4.0 on only."""
