"""The time at which a cutover shall be, and the time zone that its times are of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone, tzinfo

from keepstate.cutover.times import wall_clock

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


@dataclass(frozen=True)
class CutoverOptions:
    """``at`` is a boundary that is asked for, ``now`` the present time: milliseconds of the wall clock in ``zone``.
    ``margin`` is how much earlier than needed sources are read, in milliseconds. ``retention`` is how long tables keep
    their records, by the names that the script has for them, as far as it is said.

    >>> CutoverOptions(now=0, zone=timezone.utc).moment(1_000)
    1000
    """

    now: int
    zone: tzinfo
    at: int | None = None
    margin: int = 60_000
    retention: Mapping[str, int] = field(default_factory=dict)

    def retention_of(self, table: str) -> int | None:
        """The milliseconds that a table keeps its records; ``None`` if that is not said.

        >>> request = CutoverOptions(now=0, zone=timezone.utc, retention={"d1.orders": 1000})
        >>> request.retention_of("d1.orders"), request.retention_of("d2.orders")
        (1000, None)
        """
        return self.retention.get(table)

    def moment(self, wall: int) -> int:
        """The moment of a time of the wall clock, in milliseconds since 1970. Of an hour that comes twice it is the
        first one.
        """
        moment = wall_clock(wall).replace(tzinfo=self.zone) - _EPOCH
        return round(moment.total_seconds() * 1000)

    def exists(self, wall: int) -> bool:
        """Return whether the clock shows a time: it skips an hour when summer time begins.

        >>> from zoneinfo import ZoneInfo
        >>> from keepstate.cutover.times import millis
        >>> CutoverOptions(0, ZoneInfo("Europe/Berlin")).exists(millis(datetime(2026, 3, 29, 2, 30)))
        False
        """
        local = (_EPOCH + timedelta(milliseconds=self.moment(wall))).astimezone(self.zone).replace(tzinfo=None)
        return local == wall_clock(wall)

    def comes_twice(self, wall: int) -> bool:
        """Return whether the clock shows a time a second time, when summer time ends."""
        time = wall_clock(wall).replace(tzinfo=self.zone)
        return time.utcoffset() != time.replace(fold=1).utcoffset() and self.exists(wall)
