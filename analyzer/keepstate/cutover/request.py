"""The time at which a cutover shall be, and the time zone that its times are of."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone, tzinfo

from keepstate.cutover.times import wall_clock

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


@dataclass(frozen=True)
class Request:
    """``at`` is a boundary that is asked for, ``now`` the present time: milliseconds of the wall clock in ``zone``.
    ``margin`` is how much earlier than needed sources are read, in milliseconds.

    >>> Request(now=0, zone=timezone.utc).moment(1_000)
    1000
    """

    now: int
    zone: tzinfo
    at: int | None = None
    margin: int = 60_000

    def moment(self, wall: int) -> int:
        """The moment of a time of the wall clock, in milliseconds since 1970. Of an hour that comes twice it is the
        first one.
        """
        moment = wall_clock(wall).replace(tzinfo=self.zone) - _EPOCH
        return round(moment.total_seconds() * 1000)
