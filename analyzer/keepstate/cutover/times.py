"""Times of a cutover: grids of window ends, boundaries that two queries share, and times as SQL writes them.

A time is a number of milliseconds of the wall clock that windows show: of the session time zone for TIMESTAMP_LTZ, of
the rows themselves for TIMESTAMP.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from enum import Enum

from keepstate.plan.duration_words import duration_words
from keepstate.plan.parameters.parameter_values import milliseconds

_UNITS = {"DAY": 86_400_000, "HOUR": 3_600_000, "MINUTE": 60_000, "SECOND": 1_000}
_EPOCH = datetime(1970, 1, 1)
_LONGEST = 366 * 86_400_000
"""Grids that meet more seldom than once a year have no boundary in common that is worth waiting for."""


class Order(Enum):
    """The time that decides when a row comes out."""

    WINDOW_END = "window end"
    ROW_TIME = "row time"


@dataclass(frozen=True)
class Boundary:
    """A time between the results of two jobs: ``wall`` as windows show it, ``epoch`` as a moment, in milliseconds."""

    wall: int
    epoch: int


@dataclass(frozen=True)
class Grid:
    """The times ``offset + n * period``: the ends of the windows of a query."""

    period: int
    offset: int = 0

    def __post_init__(self) -> None:
        if self.period <= 0:
            raise ValueError(f"no period: {self.period}")

    def holds(self, time: int) -> bool:
        return (time - self.offset) % self.period == 0

    def at_or_after(self, time: int) -> int:
        """The first time of the grid that is not before ``time``.

        >>> Grid(600_000).at_or_after(600_001)
        1200000
        """
        return time + (self.offset - time) % self.period

    def at_or_before(self, time: int) -> int:
        """The last time of the grid that is not after ``time``.

        >>> Grid(600_000).at_or_before(1_199_999)
        600000
        """
        return time - (time - self.offset) % self.period

    def common(self, other: Grid) -> Grid | None:
        """The times that both grids have; ``None`` if there are none, or hardly any.

        >>> Grid(600_000).common(Grid(900_000))
        Grid(period=1800000, offset=0)
        >>> Grid(600_000).common(Grid(600_000, 60_000)) is None
        True
        """
        period = math.lcm(self.period, other.period)
        if period > _LONGEST:
            return None
        start = next(
            (time for time in range(self.offset, self.offset + period, self.period) if other.holds(time)), None
        )
        return None if start is None else Grid(period, start % period)


def millis(time: datetime) -> int:
    """The milliseconds of a time without zone.

    >>> millis(datetime(1970, 1, 1, 0, 0, 1))
    1000
    """
    return (time - _EPOCH) // timedelta(milliseconds=1)


def wall_clock(time: int) -> datetime:
    """The time without zone of so many milliseconds.

    >>> wall_clock(1000)
    datetime.datetime(1970, 1, 1, 0, 0, 1)
    """
    return _EPOCH + timedelta(milliseconds=time)


def sql_time(time: int) -> str:
    """A time as SQL writes it in a literal.

    >>> sql_time(1_000), sql_time(1_500)
    ('1970-01-01 00:00:01', '1970-01-01 00:00:01.500')
    """
    moment = wall_clock(time)
    return moment.isoformat(" ", "milliseconds" if moment.microsecond else "seconds")


def interval(milliseconds: int) -> str:
    """A length of time as SQL writes it, with at most the three digits of days that Flink calculates with.

    >>> interval(600_000), interval(90_000_000), interval(100_800_500)
    ("INTERVAL '10' MINUTE", "INTERVAL '25' HOUR", "INTERVAL '1 04:00:00.500' DAY(3) TO SECOND(3)")
    """
    for unit, length in _UNITS.items():
        if milliseconds % length == 0 and milliseconds // length < 100:
            return f"INTERVAL '{milliseconds // length}' {unit}"
    days, rest = divmod(milliseconds, _UNITS["DAY"])
    clock = sql_time(rest).partition(" ")[2]
    return f"INTERVAL '{days} {clock}' DAY(3) TO SECOND(3)"


def length_words(milliseconds: int) -> str:
    """A length of time in words.

    >>> length_words(600_000)
    '10 minutes'
    """
    return duration_words(Decimal(milliseconds))


def moment_words(millis: int) -> str:
    """A moment in UTC.

    >>> moment_words(0)
    '1970-01-01 00:00:00 UTC'
    """
    return f"{wall_clock(millis).isoformat(' ', 'seconds')} UTC"


def length_of(text: str) -> int | None:
    """The milliseconds of a length of time as Flink's options write it; ``None`` for another text.

    >>> length_of("7 d"), length_of("soon")
    (604800000, None)
    """
    length = milliseconds(text)
    return None if length is None else int(length)


def rough_words(milliseconds: int) -> str:
    """A length of time with its two largest units; below a minute as it is.

    >>> rough_words(93_784_000), rough_words(61_000), rough_words(1_500)
    ('1 day 2 hours', '1 minute 1 second', '1500 milliseconds')
    """
    if milliseconds < _UNITS["MINUTE"]:
        return length_words(milliseconds)
    rest, parts = milliseconds, []
    for unit, length in _UNITS.items():
        count, rest = divmod(rest, length)
        if count:
            parts.append(f"{count} {unit.lower()}{'' if count == 1 else 's'}")
    return " ".join(parts[:2])
