"""Times as Spark SQL text: instants and wall clocks, patterns, units.

All text that holds instants needs a session in UTC, where a wall-clock time is the number that it would be in UTC.
"""

from __future__ import annotations

import re

from keepstate_spark.lowering.spark_types import string

UNITS = frozenset("MICROSECOND MILLISECOND SECOND MINUTE HOUR DAY WEEK MONTH QUARTER YEAR".split())
MILLISECONDS = {"SECOND": 1000, "MINUTE": 60_000, "HOUR": 3_600_000, "DAY": 86_400_000, "WEEK": 604_800_000}
MONTHS = {"MONTH": 1, "QUARTER": 3, "YEAR": 12}

_SAME_LETTERS = frozenset("yuMLdDHhkKmsSaEQ")
"""Letters of patterns that mean the same in Spark as in Java, which Flink goes by."""
_PARSED_LETTERS = frozenset("yuMdHhmsSaXZ")
_LONGEST_RUN = {"E": 4, "D": 3, "Q": 4, "y": 6, "u": 6, "S": 9, "X": 3, "Z": 1}

_DATE = r"^\\d{1,4}-\\d{1,2}(-\\d{1,2}.*)?$"
_TIMESTAMP = r"^(\\d{4})-(\\d{1,2})-(\\d{1,2})( \\d{1,2}:\\d{1,2}:\\d{1,2}(\\.\\d{1,9})?)?$"


def local(instant: str, zone: str) -> str:
    """The wall-clock time of an instant in ``zone``."""
    return f"convert_timezone('UTC', {string(zone)}, cast({instant} as timestamp_ntz))"


def instant(wall_clock: str, zone: str) -> str:
    """The instant of a wall-clock time in ``zone``: of two the earlier one, in a gap as much later as that is long."""
    return f"cast(convert_timezone({string(zone)}, 'UTC', {wall_clock}) as timestamp_ltz)"


def milliseconds(wall_clock: str) -> str:
    """A wall-clock time as milliseconds since 1970, earlier ones too rounded to the past."""
    return f"unix_millis(cast({wall_clock} as timestamp_ltz))"


def of_milliseconds(number: str) -> str:
    return f"cast(timestamp_millis({number}) as timestamp_ntz)"


def truncated(value: str, precision: int, type_: str) -> str:
    """A ``timestamp_ntz`` or ``timestamp_ltz`` without the digits of a second behind ``precision``."""
    unit = 10 ** (6 - precision)
    if unit == 1:
        return value
    micros = f"unix_micros(cast({value} as timestamp_ltz))"
    return f"cast(timestamp_micros({micros} - pmod({micros}, {unit}L)) as {type_})"


def parsed_timestamp(text: str) -> str:
    """The wall-clock time that a text says, or NULL: ``2026-3-1``, ``2026-03-01 10:11:12.5``, nothing else.

    A day that its month does not have is the last one of the month, as in Flink.
    """
    year, month, day, time = (f"regexp_extract({text}, '{_TIMESTAMP}', {group})" for group in (1, 2, 3, 4))
    longest = f"day(last_day(to_date(concat_ws('-', {year}, {month}, '1'))))"
    whole = f"concat({year}, '-', {month}, '-', least(cast({day} as int), {longest}), {time})"
    valid = f"{text} rlike '{_TIMESTAMP}' and cast({day} as int) <= 31"
    return f"if({valid}, try_cast({whole} as timestamp_ntz), null)"


def parsed_date(text: str) -> str:
    """The date that a text says, or NULL."""
    return f"if({text} rlike '{_DATE}', try_cast({text} as date), null)"


def parsed_time(text: str) -> str:
    """The milliseconds of the day that ``10:11`` or ``10:11:12`` says, or NULL."""
    full = r"^([01]?\\d|2[0-3]):([0-5]?\\d)(:([0-5]?\\d)(\\.\\d+)?)?$"
    part = "cast(nullif(regexp_extract({text}, '{full}', {group}), '') as int)"
    hour, minute, second = (part.format(text=text, full=full, group=group) for group in (1, 2, 4))
    return f"if({text} rlike '{full}', ({hour} * 3600 + {minute} * 60 + coalesce({second}, 0)) * 1000, null)"


def time_text(time: str) -> str:
    """``10:11:12`` for the milliseconds of a day."""
    return f"date_format(cast(timestamp_millis({time}) as timestamp_ntz), 'HH:mm:ss')"


def unknown_letter(pattern: str, parsing: bool = False) -> str | None:
    """What of a pattern Spark would take for something else than Flink does, if anything."""
    allowed = _PARSED_LETTERS if parsing else _SAME_LETTERS
    for run in re.findall(r"([A-Za-z])\1*", re.sub(r"'(?:[^']|'')*'", "", pattern)):
        if run not in allowed:
            return str(run)
    for match in re.finditer(r"([A-Za-z])\1*", re.sub(r"'(?:[^']|'')*'", "", pattern)):
        if len(match[0]) > _LONGEST_RUN.get(match[1], len(match[0])):
            return match[0]
    return None


def spark_pattern(pattern: str) -> str:
    """A pattern of Java as one of Spark, which has no other letter for years than that of years of an era."""
    parts = re.split(r"('(?:[^']|'')*')", pattern)
    return "".join(part if part.startswith("'") else part.replace("u", "y") for part in parts)


def floored(wall_clock: str, unit: str) -> str:
    """A ``timestamp_ntz`` cut to the start of its unit; weeks start on Sunday, as in Flink."""
    if unit in ("MILLISECOND", "SECOND", "MINUTE", "HOUR", "DAY", "MONTH", "QUARTER", "YEAR"):
        return f"cast(date_trunc('{unit}', {wall_clock}) as timestamp_ntz)"
    assert unit == "WEEK"
    day = f"cast({wall_clock} as date)"
    return f"cast(date_sub({day}, dayofweek({day}) - 1) as timestamp_ntz)"


def raised(wall_clock: str, unit: str) -> str:
    """A ``timestamp_ntz`` brought to the end of its unit, unless it lies on one."""
    start = floored(wall_clock, unit)
    return f"if({start} = {wall_clock}, {wall_clock}, {start} + interval 1 {unit})"


EXTRACTED = {
    "YEAR": "year({day})",
    "QUARTER": "quarter({day})",
    "MONTH": "month({day})",
    "WEEK": "weekofyear({day})",
    "DAY": "day({day})",
    "DOW": "dayofweek({day})",
    "DOY": "dayofyear({day})",
    "ISODOW": "(weekday({day}) + 1)",
    "ISOYEAR": "extract(yearofweek from {day})",
    "HOUR": "hour({time})",
    "MINUTE": "minute({time})",
    "SECOND": "second({time})",
    "MILLISECOND": "pmod(unix_millis(cast({time} as timestamp_ltz)), 1000)",
    "MICROSECOND": "pmod(unix_micros(cast({time} as timestamp_ltz)), 1000000)",
    "EPOCH": "unix_seconds(cast({time} as timestamp_ltz))",
}
"""Parts of a date or a wall-clock time, by the words of EXTRACT."""

EXTRACTING = {
    "YEAR": "YEAR",
    "QUARTER": "QUARTER",
    "MONTH": "MONTH",
    "WEEK": "WEEK",
    "DAYOFMONTH": "DAY",
    "DAYOFWEEK": "DOW",
    "DAYOFYEAR": "DOY",
    "HOUR": "HOUR",
    "MINUTE": "MINUTE",
    "SECOND": "SECOND",
}
"""Functions that do what EXTRACT does."""
