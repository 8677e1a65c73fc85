"""Literals of DATE, TIME and TIMESTAMP, as Flink's parser reads their texts."""

from __future__ import annotations

import re
from calendar import monthrange

_DAY = r"(?P<year>\d+)-(?P<month>\d+)-(?P<day>\d+)"
_CLOCK = r"(?P<hour>\d+):(?P<minute>\d+):(?P<second>\d+)(?:\.\d*)?"
_TEXTS = {
    "DATE": re.compile(_DAY),
    "TIME": re.compile(_CLOCK),
    "TIMESTAMP": re.compile(f"{_DAY}(?: +{_CLOCK})?"),
}
_BOUNDS = {"hour": 23, "minute": 59, "second": 59}
_MONTHS = 12
_CYCLE = 400
"""Years after which the calendar repeats."""


def is_moment(text: str, kind: str) -> bool:
    """Return whether ``kind 'text'`` is a literal for Flink; true for kinds that are not known here.

    >>> is_moment("2024-02-29", "DATE"), is_moment("2026-02-29", "DATE"), is_moment("10:00", "TIME")
    (True, False, False)
    """
    pattern = _TEXTS.get(kind)
    if pattern is None:
        return True
    match = pattern.fullmatch(text.strip())
    if match is None:
        return False
    parts = {name: int(value) for name, value in match.groupdict().items() if value is not None}
    if any(parts.get(name, 0) > most for name, most in _BOUNDS.items()):
        return False
    return "year" not in parts or _is_day(parts["year"], parts["month"], parts["day"])


def _is_day(year: int, month: int, day: int) -> bool:
    if not year or not 1 <= month <= _MONTHS:
        return False
    return 1 <= day <= monthrange(year % _CYCLE + _CYCLE, month)[1]
