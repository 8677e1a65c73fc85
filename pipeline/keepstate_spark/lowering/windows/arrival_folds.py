"""Parts of folds over the rows of a key in the order in which they came: Spark's ``aggregate`` over an array."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as fn

from keepstate_spark.lowering.spark_columns import function_call, text


def by_arrival(one: Column, other: Column) -> Column:
    """Compare two structures by their field ``a``, the place of a row."""
    first, second = one.getField("a"), other.getField("a")
    return fn.when(first < second, -1).when(first > second, 1).otherwise(0)


def struct(**fields: Column) -> Column:
    """A structure with these fields."""
    return function_call("named_struct", *(part for name, value in fields.items() for part in (text(name), value)))
