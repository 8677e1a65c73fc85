"""Slices of time: stretches that no window begins or ends in.

Rows of one slice are in the same windows, so a slice stands for its rows once these are aggregated: as in Flink, a row
is counted once and not once for each window, and windows are made of the few slices.
"""

from __future__ import annotations

from math import gcd

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from keepstate_spark.windows.assignment import span_of
from keepstate_spark.windows.clock import WallClock

_SPAN = "__keepstate_slice"


def hop_slice(slide: int, size: int) -> int:
    """Milliseconds of the slices of hopping windows."""
    return gcd(slide, size)


def with_slice(frame: DataFrame, clock: WallClock, length: int, offset: int, name: str) -> DataFrame:
    """The rows that have a time, with the start of their slice of ``length`` milliseconds on ``clock`` as ``name``.

    A clock that shows ``name`` stands for all times of the slice: where windows are on the same grid, and of the start
    of sessions whose gap is no shorter than a slice.
    """
    rows = frame.withColumn(_SPAN, span_of(clock.local_time, length, offset))
    return rows.withColumn(name, fn.col(f"{_SPAN}.start")).drop(_SPAN)
