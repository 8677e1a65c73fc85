"""Texts of dates and times: those of literals, which Flink's parser reads, and strings that are compared with a time.

Strings are read while Flink plans, by other rules, which were measured on Flink 2.3.
"""

from __future__ import annotations

import re
from calendar import monthrange

from keepstate.plan.types.logical_types import LogicalType

_DAY = r"(?P<year>\d+)-(?P<month>\d+)-(?P<day>\d+)"
_CLOCK = r"(?P<hour>\d+):(?P<minute>\d+):(?P<second>\d+)(?:\.\d*)?"
_LITERALS = {
    "DATE": re.compile(_DAY),
    "TIME": re.compile(_CLOCK),
    "TIMESTAMP": re.compile(f"{_DAY}(?: +{_CLOCK})?"),
}
_BOUNDS = {"hour": 23, "minute": 59, "second": 59}
_CYCLE = 400
"""Years after which the calendar repeats."""
_TIME = re.compile(r"\s*(\d+)(?::(\d+)(?::(\d+))?(?:\.\d*)?)?\s*")
_TIMESTAMP = re.compile(r"(\d{4}|\+\d{5,9})-(\d\d?)-(\d\d?)(?: (\d\d?):(\d\d?):(\d\d?)(?:\.\d{0,9})?)?")
_LAST_YEAR = 9999
_MONTHS = range(1, 13)
_DAYS = range(1, 32)
"""Days of any month: a timestamp may name a day behind the last one, and means the last one."""
_HOURS, _SIXTY = range(24), range(60)


def is_moment(text: str, kind: str) -> bool:
    """Return whether ``kind 'text'`` is a literal for Flink; true for kinds that are not known here.

    >>> is_moment("2024-02-29", "DATE"), is_moment("2026-02-29", "DATE"), is_moment("10:00", "TIME")
    (True, False, False)
    """
    pattern = _LITERALS.get(kind)
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
    if not year or month not in _MONTHS:
        return False
    return 1 <= day <= monthrange(year % _CYCLE + _CYCLE, month)[1]


def is_readable(text: str, type_: LogicalType) -> bool:
    """Return whether Flink reads ``text`` as a value of ``type_``; true for types that are not of a time.

    >>> from keepstate.plan.types.logical_types import DATE, timestamp
    >>> is_readable("2024-01-31 10:00:00", timestamp(3)), is_readable("2024-01-31T10:00:00", timestamp(3))
    (True, False)
    >>> is_readable("2024-1-31", DATE), is_readable("31.1.2024", DATE)
    (True, False)
    """
    readers = {"DATE": _is_date, "TIME": _is_time, "TIMESTAMP": _is_timestamp, "TIMESTAMP_LTZ": _is_timestamp}
    reader = readers.get(type_.root)
    return reader is None or reader(text)


def _is_date(text: str) -> bool:
    """A year, perhaps with month and day; Flink leaves out what follows a space."""
    day_text = text.partition(" ")[0] or text
    parts = [part.strip() for part in day_text.split("-")]
    if len(parts) > 3 or not all(part.isascii() and part.isdigit() for part in parts):
        return False
    year, month, day = (*map(int, parts), 1, 1)[:3]
    return year <= _LAST_YEAR and month in _MONTHS and 1 <= day <= monthrange(year or 4, month)[1]


def _is_time(text: str) -> bool:
    match = _TIME.fullmatch(text)
    if match is None:
        return False
    hour, minute, second = (int(part or 0) for part in match.groups())
    return hour in _HOURS and minute in _SIXTY and second in _SIXTY


def _is_timestamp(text: str) -> bool:
    match = _TIMESTAMP.fullmatch(text)
    if match is None:
        return False
    year, month, day, hour, minute, second = (int(part or 0) for part in match.groups())
    is_midnight = (hour, minute, second) == (24, 0, 0)
    is_clock = is_midnight or (hour in _HOURS and minute in _SIXTY and second in _SIXTY)
    return year > 0 and month in _MONTHS and day in _DAYS and is_clock
