"""The session time zone of a job (``table.local-time-zone``)."""

from __future__ import annotations

import os
import re
from zoneinfo import ZoneInfo

from keepstate.plan.settings import Settings
from keepstate_spark.errors import PipelineError

_ZONE = "table.local-time-zone"


def session_zone(settings: Settings) -> str:
    """Return the session time zone that settings of Flink name; without one that of this machine.

    >>> from keepstate.plan.declarations.definitions import Option
    >>> [session_zone({_ZONE: Option(_ZONE, zone)}) for zone in ("Europe/Berlin", "GMT+2:00")]
    ['Europe/Berlin', '+02:00']

    Raises ``PipelineError`` for a zone that does not exist.
    """
    option = settings.get(_ZONE)
    if option is None or option.value == "default":
        return _local_zone()
    try:
        return _fixed(option.value) or ZoneInfo(option.value).key
    except (ValueError, OSError, KeyError) as error:
        raise PipelineError(
            f"There is no time zone '{option.value}'.", f"Set {_ZONE} to a name like 'Europe/Berlin', or to 'UTC'."
        ) from error


def _fixed(name: str) -> str | None:
    """``GMT+02:00`` and ``+02:00`` as Java takes them."""
    match = re.fullmatch(r"(?:GMT|UTC)?([+-])(\d{1,2}):?(\d{2})", name)
    return f"{match[1]}{match[2]:0>2}:{match[3]}" if match else None


def _local_zone() -> str:
    """The time zone of this machine."""
    candidates = (
        os.environ.get("TZ", "").removeprefix(":"),
        os.path.realpath("/etc/localtime").partition("zoneinfo/")[2],
    )
    for candidate in filter(None, candidates):
        try:
            return ZoneInfo(candidate).key
        except (ValueError, OSError, KeyError):
            continue
    return "UTC"
