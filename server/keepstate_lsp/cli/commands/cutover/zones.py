"""Time zones as Flink's ``table.local-time-zone`` names them."""

from __future__ import annotations

import re
from datetime import timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from keepstate_lsp.cli.errors import CommandError

_OFFSET = re.compile(r"(?:GMT|UTC)?([+-])(\d{1,2})(?::(\d{2}))?")


def session_zone(name: str | None) -> tzinfo:
    """The zone of a name; UTC without one, as the plan says.

    >>> session_zone(None), session_zone("GMT+08:00")
    (datetime.timezone.utc, datetime.timezone(datetime.timedelta(seconds=28800)))

    Raises:
        CommandError: there is no such zone.
    """
    if name is None or name == "default":
        return timezone.utc
    if (offset := _OFFSET.fullmatch(name)) is not None:
        sign, hours, minutes = offset.groups()
        length = timedelta(hours=int(hours), minutes=int(minutes or 0))
        return timezone(length if sign == "+" else -length)
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise CommandError(f"table.local-time-zone is {name}, which is no time zone.") from error
