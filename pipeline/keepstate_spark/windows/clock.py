"""Event times as numbers: microseconds of the wall clock that Flink aligns windows to.

A TIMESTAMP is taken as if it were UTC; of a TIMESTAMP_LTZ the local time in the session time zone counts, so that a
window of a day begins at midnight there, on days of 23 and of 25 hours as well.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn
from pyspark.sql.types import TimestampNTZType, TimestampType

from keepstate_spark.errors import WindowError
from keepstate_spark.session import UTC_NAMES, require_utc

UTC = "UTC"


def wall_clock(frame: DataFrame, time: Column, zone: str = UTC) -> Column:
    """BIGINT microseconds since 1970-01-01 00:00:00 on the wall clock of ``zone`` (for a TIMESTAMP: on its own).

    Raises ``WindowError`` if ``time`` is neither, ``PipelineError`` if the frame's session does not run in UTC.
    """
    require_utc(frame.sparkSession)
    if is_local(frame, time) and zone not in UTC_NAMES:
        time = fn.from_utc_timestamp(time, zone)
    return fn.unix_micros(time.cast(TimestampType()))


def is_local(frame: DataFrame, time: Column) -> bool:
    """Whether ``time`` is a TIMESTAMP_LTZ, and no TIMESTAMP. Raises ``WindowError`` if it is neither."""
    field = frame.select(time).schema[0]
    if isinstance(field.dataType, TimestampType):
        return True
    if isinstance(field.dataType, TimestampNTZType):
        return False
    raise WindowError(
        f"{field.name} is of type {field.dataType.simpleString().upper()}, and windows are over times.",
        "Name a column of type TIMESTAMP or TIMESTAMP_LTZ.",
    )


def timestamp(micros: Column) -> Column:
    """The TIMESTAMP (without time zone) that ``wall_clock`` made ``micros`` of."""
    return fn.timestamp_micros(micros).cast(TimestampNTZType())


def instant(micros: Column, zone: str = UTC) -> Column:
    """The TIMESTAMP_LTZ at which the wall clock in ``zone`` shows ``micros``.

    The first one if it shows them twice, and what it shows instead if it leaves them out: as in Flink.
    """
    moment = fn.timestamp_micros(micros)
    return moment if zone in UTC_NAMES else fn.to_utc_timestamp(moment, zone)
