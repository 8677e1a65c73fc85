"""Event times as numbers: microseconds of the wall clock that Flink aligns windows to.

A TIMESTAMP is taken as if it were UTC; of a TIMESTAMP_LTZ the local time in the session time zone counts, so that a
window of a day begins at midnight there, on days of 23 and of 25 hours as well.

A cast between the two types goes by the time zone of the Spark session, in which some wall-clock times do not exist and
some come twice. In UTC a cast keeps the number; elsewhere lengths of time since 1970 lead from one type to the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from zoneinfo import ZoneInfoNotFoundError

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn
from pyspark.sql.types import DayTimeIntervalType, DecimalType, LongType, StructField, TimestampNTZType, TimestampType

from keepstate_spark.errors import WindowError
from keepstate_spark.session import UTC_NAMES, is_in_utc, time_zone
from keepstate_spark.windows.frame_columns import columns_of

UTC = "UTC"
MICROSECONDS = 1000
"""In a millisecond."""


@dataclass(frozen=True)
class WallClock:
    """An event time as it shows on a wall clock, and the way back."""

    local_time: Column
    """A TIMESTAMP, or a TIMESTAMP_LTZ at which it is as late in UTC as it was in the zone."""

    zone: str | None
    """Of a TIMESTAMP_LTZ; ``None`` for a TIMESTAMP."""

    in_utc: bool = True
    """The Spark session runs in UTC."""

    @property
    def micros(self) -> Column:
        """BIGINT microseconds since 1970-01-01 00:00:00. A TIMESTAMP costs some, since Spark has its own time zones."""
        if self.zone is not None or self.in_utc:
            return fn.unix_micros(self.local_time.cast(TimestampType()))
        return micros_of(self.local_time)

    def to_timestamp(self, micros: Column) -> Column:
        """The TIMESTAMP that this clock shows at ``micros``."""
        return fn.timestamp_micros(micros).cast(TimestampNTZType()) if self.in_utc else timestamp(micros)

    def bound(self, local_time: Column) -> Column:
        """A time like ``local_time`` as a TIMESTAMP."""
        if self.zone is None or self.in_utc:
            return local_time.cast(TimestampNTZType())
        return timestamp(fn.unix_micros(local_time))

    def moment(self, wall_clock: Column) -> Column:
        """A TIMESTAMP that this clock shows, with the type of the event time."""
        if self.zone is None:
            return wall_clock
        moment = wall_clock.cast(TimestampType()) if self.in_utc else fn.timestamp_micros(micros_of(wall_clock))
        return moment if self.zone in UTC_NAMES else fn.to_utc_timestamp(moment, self.zone)


def wall_clock(frame: DataFrame, time: str | Column | WallClock, zone: str = UTC) -> WallClock:
    """Return the clock of ``time``, a column of ``frame``; ``zone`` is the zone of a TIMESTAMP_LTZ. A clock is returned
    unchanged.

    Raises ``WindowError`` if it is neither, and for a zone that does not exist.

    >>> wall_clock(orders, "rowtime").zone is None
    True
    """
    if not isinstance(frame, DataFrame):
        raise WindowError(f"The rows are {frame!r}, and no DataFrame.")
    if isinstance(time, WallClock):
        return time
    _require_zone(zone)
    with columns_of(frame, "event time"):
        of = as_column(time)
    in_utc = is_in_utc(frame.sparkSession)
    if not is_local(time_field(frame, of)):
        return WallClock(of, None, in_utc)
    return WallClock(of if zone in UTC_NAMES else fn.from_utc_timestamp(of, zone), zone, in_utc)


def time_field(frame: DataFrame, time: Column) -> StructField:
    """Name and type of an event time. Raises ``WindowError`` unless it is a TIMESTAMP or a TIMESTAMP_LTZ, and for a
    column that ``frame`` does not have.
    """
    with columns_of(frame, "event time"):
        field: StructField = frame.select(time).schema[0]
    if isinstance(field.dataType, (TimestampType, TimestampNTZType)):
        return field
    raise WindowError(
        f"{field.name} is of type {field.dataType.simpleString().upper()}, and windows are over times.",
        "Name a column of type TIMESTAMP or TIMESTAMP_LTZ.",
    )


def _require_zone(zone: str) -> None:
    try:
        time_zone(zone)
    except (TypeError, ValueError, IndexError, ZoneInfoNotFoundError) as error:
        raise WindowError(
            f"There is no time zone {zone!r}.", "A zone has a name like 'Europe/Berlin', or an offset like '+02:00'."
        ) from error


def is_local(field: StructField) -> bool:
    """Return whether an event time is a TIMESTAMP_LTZ."""
    return isinstance(field.dataType, TimestampType)


def timestamp(micros: Column) -> Column:
    """The TIMESTAMP (without time zone) that a clock shows at ``micros``, in any session.

    >>> spark.range(1).select(timestamp(fn.lit(60_000_000)).alias("time")).show()
    +-------------------+
    |               time|
    +-------------------+
    |1970-01-01 00:01:00|
    +-------------------+
    """
    return _epoch() + fn.lit(timedelta(microseconds=1)) * micros


def micros_of(wall_clock: Column) -> Column:
    """The microseconds at which a clock shows the TIMESTAMP ``wall_clock``, in any session.

    >>> day = fn.lit("1970-01-02").cast("timestamp_ntz")
    >>> spark.range(1).select(micros_of(day).alias("micros")).show()
    +-----------+
    |     micros|
    +-----------+
    |86400000000|
    +-----------+
    """
    seconds = (wall_clock - _epoch()).cast(DayTimeIntervalType(3, 3)).cast(DecimalType(18, 6))
    return (seconds * 1_000_000).cast(LongType())


def _epoch() -> Column:
    return fn.lit("1970-01-01").cast(TimestampNTZType())


def instant(local_time: Column, zone: str = UTC) -> Column:
    """Return the TIMESTAMP_LTZ at which the wall clock in ``zone`` shows the time ``local_time``.

    A time that occurs twice gives the first instant; a time that the zone skips means the time that the clock
    shows instead, as in Flink.

    >>> noon = fn.lit("2026-07-01 12:00:00").cast("timestamp_ntz")
    >>> spark.range(1).select(instant(noon, "Europe/Berlin").alias("time")).show()
    +-------------------+
    |               time|
    +-------------------+
    |2026-07-01 10:00:00|
    +-------------------+
    """
    moment = fn.timestamp_micros(micros_of(local_time))
    return moment if zone in UTC_NAMES else fn.to_utc_timestamp(moment, zone)


def interval(milliseconds: int) -> Column:
    """A constant to add to a time."""
    return fn.make_dt_interval(secs=fn.lit(Decimal(milliseconds) / 1000))


def whole_milliseconds(micros: Column) -> Column:
    """Rounded down, before 1970 too."""
    return micros - fn.pmod(micros, fn.lit(MICROSECONDS))


def as_column(of: str | Column) -> Column:
    """A column by its name, or the column itself. Raises ``WindowError`` for any other value."""
    require_column(of)
    return fn.col(of) if isinstance(of, str) else of


def require_column(of: object) -> None:
    """Raise ``WindowError`` for a value that is neither the name of a column nor one. It needs no session."""
    if not isinstance(of, (str, Column)):
        raise WindowError(f"{of!r} is no column.", 'Give its name, or an expression such as fn.col("amount") * 2.')
