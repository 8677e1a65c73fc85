"""The pace of the inputs of a join: where it decides about late rows, queries are refused."""

from __future__ import annotations

from pyspark.sql import Column

from keepstate.plan.operators import Join
from keepstate.plan.provenance import Place
from keepstate_spark.lowering.lateness import tables_below
from keepstate_spark.lowering.refusals import NotLowerable
from keepstate_spark.lowering.spark_columns import large


def epoch() -> Column:
    """1970, in milliseconds. Up to it Flink sends no watermark."""
    return large(0)


def pace_decides(join: Join, place: Place | None = None) -> NotLowerable:
    """Return the refusal of a join about whose late rows the pace of its inputs decides."""
    tables = dict.fromkeys(", ".join(map(tables_below, join.inputs)).split(", "))
    return NotLowerable(
        f"Rows of {' or '.join(tables)} come behind the watermark. Whether Flink joins them depends on the pace of "
        "both inputs.",
        place or join.place,
    )
