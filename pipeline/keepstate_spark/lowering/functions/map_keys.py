"""MAPs as keys. Spark orders no MAP, and loses its NULLs where it groups by one, so that a list of its entries stands
for it there. Flink compares the bytes of both, in the order of the entries as well.
"""

from __future__ import annotations

from pyspark.sql import Column

from keepstate.plan.provenance import Place
from keepstate.plan.types.logical_types import LogicalType
from keepstate_spark.lowering.older_versions import require_spark_4
from keepstate_spark.lowering.refusals import NotLowerable
from keepstate_spark.lowering.scalars import SparkValue
from keepstate_spark.lowering.spark_columns import function_call


def has_map(type_: LogicalType | None) -> bool:
    """Return whether a type is a MAP or has one inside.

    >>> has_map(LogicalType.parse("ARRAY<MAP<INT, INT>>")), has_map(LogicalType.parse("ARRAY<INT>"))
    (True, False)
    """
    return type_ is not None and (type_.root == "MAP" or any(map(has_map, type_.elements)))


def as_key(value: SparkValue, place: Place | None, streams: bool) -> Column:
    """The column that stands for ``value`` among keys. Raises ``NotLowerable`` for a MAP inside of another value, and
    in batch mode and on Spark 3.5 for all of them.
    """
    if not has_map(value.type):
        return value.column
    if not streams:
        raise NotLowerable("In batch mode Flink has no keys that are a MAP, nor an order of them.", place)
    if value.type.root != "MAP":
        raise NotLowerable(f"A {value.type} is no key here: it has a MAP inside.", place)
    require_spark_4("A MAP as a key", place)
    return function_call("map_entries", value.column)


def of_key(key: Column, type_: LogicalType) -> Column:
    """The value of ``type_`` for which ``key`` stands."""
    return function_call("map_from_entries", key) if type_.root == "MAP" else key
