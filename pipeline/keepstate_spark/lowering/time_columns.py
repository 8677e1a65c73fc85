"""Times as columns of Spark: instants and wall clocks, patterns, units.

All columns that hold instants need a session in UTC, where a wall-clock time is the number that it would be in UTC.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime

from pyspark.sql import Column
from pyspark.sql.types import DataType

from keepstate_spark.lowering.older_versions import time_and, try_cast
from keepstate_spark.lowering.spark_columns import (
    DATE,
    INSTANT,
    INT,
    STRING,
    WALL_CLOCK,
    all_true,
    choice,
    failing,
    function_call,
    large,
    text,
    whole,
)

UNITS = frozenset("MICROSECOND MILLISECOND SECOND MINUTE HOUR DAY WEEK MONTH QUARTER YEAR".split())
MILLISECONDS = {"SECOND": 1000, "MINUTE": 60_000, "HOUR": 3_600_000, "DAY": 86_400_000, "WEEK": 604_800_000}
MONTHS = {"MONTH": 1, "QUARTER": 3, "YEAR": 12}
YEARS = {"DECADE": 10, "CENTURY": 100, "MILLENNIUM": 1000}

_SAME_LETTERS = frozenset("yuMLdDHhkKmsSaEQG")
"""Letters of patterns that mean the same in Spark as in Java, which Flink goes by."""
_PARSED_LETTERS = frozenset("yuMdHhmsSaXZ")
_LONGEST_RUN = {"E": 4, "D": 3, "Q": 4, "M": 4, "L": 4, "y": 6, "u": 6, "S": 9, "X": 3, "Z": 1, "G": 4}
_LONGEST_NUMBER = {"e": 2, "c": 1, "w": 2, "W": 1, "F": 1, "q": 2, "Y": 9, "n": 19, "N": 19, "A": 19}
"""Letters of patterns that Spark does not have, and how many of them stand for a number."""
_PATTERN_PART = re.compile(r"'(?:[^']|'')*'|([A-Za-z])\1*|[^A-Za-z']+")

_DATE = r"^\s*([0-9]{1,9})\s*(?:-\s*([0-9]{1,9})\s*(?:-\s*([0-9]{1,9})\s*)?)?$"
_LAST_YEAR = 9999
_TIMESTAMP = r"^(\d{4})-(\d{1,2})-(\d{1,2})( \d{1,2}:\d{1,2}:\d{1,2}(\.\d{1,9})?)?$"
_MIDNIGHT = r"^ 24:0?0:0?0(\.0+)?$"
_TIME = r"^\s*([01]?\d|2[0-3])\s*(?::\s*([0-5]?\d)\s*(:\s*([0-5]?\d)\s*(\.\d+)?)?)?\s*$"
_WRITTEN = re.compile(r"(\d{1,4})-(\d{1,2})-(\d{1,2})(?:[ T](\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.\d{1,9})?)?)?")
_MILLIS = 3
_WHOLE = {0: "seconds", _MILLIS: "millis"}
"""Precisions of times that Spark has numbers of, rounded to the past, and their words in names of functions."""


def exists(text: str) -> bool:
    """Return whether a day, or a time of a day, exists: ``2026-02-28 10:00:00.5``, not ``2026-02-30``."""
    match = _WRITTEN.fullmatch(text)
    if match is None:
        return False
    year, month, day, hour, minute, second = (int(part or 0) for part in match.groups())
    try:
        datetime(year, month, day, hour, minute, second)
    except ValueError:
        return False
    return True


def local(instant: Column, zone: str) -> Column:
    """The wall-clock time of an instant in ``zone``."""
    return function_call("convert_timezone", text("UTC"), text(zone), instant.cast(WALL_CLOCK))


def instant(wall_clock: Column, zone: str) -> Column:
    """The instant of a wall-clock time in ``zone``: of two the earlier one, in a gap as much later as that is long."""
    return function_call("convert_timezone", text(zone), text("UTC"), wall_clock).cast(INSTANT)


def calendar_instant(wall_clock: Column, zone: Column) -> Column:
    """The instant of a wall-clock time, as a clock in UTC shows it, by Java's older calendar: of two the later one.

    An offset three hours later is that of the later one, or leads to another time on the clock.
    """
    utc, hours = text("UTC"), whole(3)
    first = function_call("convert_timezone", zone, utc, wall_clock)
    behind = shifted(first, "HOUR", hours)
    local_behind = function_call("convert_timezone", utc, zone, behind)
    offset = function_call("unix_micros", local_behind.cast(INSTANT)) - function_call(
        "unix_micros", behind.cast(INSTANT)
    )
    second = function_call("timestamp_micros", function_call("unix_micros", wall_clock.cast(INSTANT)) - offset).cast(
        WALL_CLOCK
    )
    instant = choice(function_call("convert_timezone", utc, zone, second) == wall_clock, second, first)
    return of_this_calendar(wall_clock, instant)


def of_this_calendar(wall_clock: Column, result: Column) -> Column:
    """``result``, unless ``wall_clock`` is before the 15th of October 1582: functions of Java's older calendar count
    days in another way there.
    """
    words = text("Flink counts days before 1582-10-15 by another calendar here.")
    return choice(wall_clock < text("1582-10-15").cast(WALL_CLOCK), failing(words), result)


def milliseconds(wall_clock: Column) -> Column:
    """A wall-clock time as milliseconds since 1970, earlier ones too rounded to the past."""
    return function_call("unix_millis", wall_clock.cast(INSTANT))


def day_of(wall_clock: Column) -> Column:
    """The date of a wall-clock time as Flink calculates it: before 1970, of a time behind midnight the next one."""
    days = function_call("div", milliseconds(wall_clock), large(86_400_000)).cast(INT)
    return function_call("date_add", text("1970-01-01").cast(DATE), days)


def of_milliseconds(number: Column) -> Column:
    return function_call("timestamp_millis", number).cast(WALL_CLOCK)


def truncated(value: Column, precision: int, type_: DataType) -> Column:
    """A wall-clock time or an instant, of the Spark type ``type_``, without the digits of a second behind
    ``precision``.
    """
    unit = 10 ** (6 - precision)
    if unit == 1:
        return value
    if precision in _WHOLE:
        # The value stands here once, and so is read from a text once.
        name = _WHOLE[precision]
        return function_call(f"timestamp_{name}", function_call(f"unix_{name}", value.cast(INSTANT))).cast(type_)
    micros = function_call("unix_micros", value.cast(INSTANT))
    return function_call("timestamp_micros", micros - function_call("pmod", micros, large(unit))).cast(type_)


def cut_to_zero(value: Column, precision: int, type_: DataType) -> Column:
    """A wall-clock time or an instant, of the Spark type ``type_``, without the digits behind ``precision``: down to
    milliseconds towards the past, and from there towards 1970.
    """
    if precision >= _MILLIS:
        return truncated(value, precision, type_)
    millis = milliseconds(value)
    return function_call("timestamp_millis", millis - millis % large(10 ** (_MILLIS - precision))).cast(type_)


def shift_instant(instant: Column, wall_clock: Column, other: Column) -> Column:
    """An instant moved by as much as lies between two wall-clock times, whatever a zone does meanwhile."""
    first, second = (function_call("unix_micros", time.cast(INSTANT)) for time in (wall_clock, other))
    return function_call("timestamp_micros", function_call("unix_micros", instant) + second - first)


def parsed_timestamp(value: Column) -> Column:
    """Return the wall-clock time in a text, or NULL: ``2026-3-1``, ``2026-03-01 10:11:12.5``, nothing else.

    As in Flink, a day that its month does not have is the last one of the month, at 24:00:00 the next day begins, and
    there is no year 0.
    """
    year, month, day, time = (
        function_call("regexp_extract", value, text(_TIMESTAMP), whole(group)) for group in (1, 2, 3, 4)
    )
    first = function_call("to_date", function_call("concat_ws", text("-"), year, month, text("1")))
    within = function_call("least", day.cast(INT), function_call("day", function_call("last_day", first)))
    at_midnight = function_call("rlike", time, text(_MIDNIGHT))
    time = choice(at_midnight, text(""), time)
    timestamp_text = function_call("concat", year, text("-"), month, text("-"), within, time)
    valid = all_true(function_call("rlike", value, text(_TIMESTAMP)), day.cast(INT) <= 31, year != text("0000"))
    more = choice(at_midnight, whole(1), whole(0))
    return choice(valid, shifted(try_cast(timestamp_text, WALL_CLOCK), "DAY", more))


def parsed_date(value: Column) -> Column:
    """Return the date in a text, or NULL: ``2026-3-1``, ``2026-3`` and ``2026``, the first blank and all behind it left
    out.
    """
    day_text = choice(
        function_call("startswith", value, text(" ")),
        value,
        function_call("substring_index", value, text(" "), whole(1)),
    )
    year, month, day = (
        function_call("nullif", function_call("regexp_extract", day_text, text(_DATE), whole(group)), text(""))
        for group in (1, 2, 3)
    )
    spelt = function_call(
        "concat_ws",
        text("-"),
        function_call("lpad", year, function_call("greatest", function_call("char_length", year), whole(4)), text("0")),
        *(function_call("coalesce", part, text("1")) for part in (month, day)),
    )
    return choice(year.cast(INT) <= _LAST_YEAR, try_cast(spelt, DATE))


def parsed_time(value: Column) -> Column:
    """Return the milliseconds of the day of ``10``, ``10:11`` or ``10:11:12``, or NULL."""
    hour, minute, second = (
        function_call("nullif", function_call("regexp_extract", value, text(_TIME), whole(group)), text("")).cast(INT)
        for group in (1, 2, 4)
    )
    zero = whole(0)
    seconds = hour * 3600 + function_call("coalesce", minute, zero) * 60 + function_call("coalesce", second, zero)
    return choice(function_call("rlike", value, text(_TIME)), seconds * 1000)


def time_text(time: Column) -> Column:
    """``10:11:12`` for the milliseconds of a day."""
    return function_call("date_format", of_milliseconds(time), text("HH:mm:ss"))


def length_text(length: Column, in_months: bool) -> Column:
    """``+1-02`` for a number of months, ``-1 02:03:04.567`` for one of milliseconds."""
    sign, size = choice(length < 0, text("-"), text("+")), function_call("abs", length)
    whole_part = function_call("div", size, large(12 if in_months else 86_400_000)).cast(STRING)
    if in_months:
        months = function_call("lpad", (size % whole(12)).cast(STRING), whole(2), text("0"))
        return function_call("concat", sign, whole_part, text("-"), months)
    return function_call(
        "concat", sign, whole_part, text(" "), function_call("date_format", of_milliseconds(size), text("HH:mm:ss.SSS"))
    )


def unknown_letter(pattern: str, parsing: bool = False) -> str | None:
    """Return the part of a pattern that has another meaning here than in Flink; ``None`` if there is none.

    >>> unknown_letter("yyyy-MM-dd"), unknown_letter("yyyy 'V' VV"), unknown_letter("ww"), unknown_letter("ww", True)
    (None, 'VV', None, 'ww')
    """
    allowed = _PARSED_LETTERS if parsing else _SAME_LETTERS
    for match in _PATTERN_PART.finditer(pattern):
        run, letter = match[0], match[1]
        if letter is None or (not parsing and (_is_number(run) or _as_name(run) is not None)):
            continue
        if letter not in allowed or len(run) > _LONGEST_RUN.get(letter, len(run)):
            return run
    return None


def _is_number(run: str) -> bool:
    """Return whether a run of equal letters stands for a number of which Spark has no letter."""
    return len(run) <= _LONGEST_NUMBER.get(run[0], 0)


def _as_name(run: str) -> str | None:
    """The pattern of Spark for the name of a day or a quarter; ``None`` for other runs of letters."""
    letter = {"e": "E", "c": "E", "q": "Q"}.get(run[0])
    return letter * len(run) if letter is not None and len(run) in (3, 4) else None


def formatted(wall_clock: Column, pattern: str) -> Column:
    """A wall-clock time by a pattern without an ``unknown_letter``. Weeks are those of the United States, where Java
    runs without another locale: they begin on Sunday, and the first one of a year has its first day.
    """
    pieces: list[str | Column] = [""]
    for match in _PATTERN_PART.finditer(pattern):
        run = match[0]
        if match[1] is not None and _is_number(run):
            pieces += [_counted(wall_clock, run), ""]
        else:
            last = pieces.pop()
            assert isinstance(last, str)
            pieces.append(last + (_as_name(run) or run))
    columns = [
        function_call("date_format", wall_clock, text(spark_pattern(piece))) if isinstance(piece, str) else piece
        for piece in pieces
        if not isinstance(piece, str) or piece or len(pieces) == 1
    ]
    return columns[0] if len(columns) == 1 else function_call("concat", *columns)


def _counted(time: Column, run: str) -> Column:
    """The number that a run of equal letters stands for, with zeros in front up to the length of the run."""
    number = _NUMBERS_OF_LETTERS[run[0]](time)
    if run == "YY":
        number = function_call("pmod", number, whole(100))
    digits = number.cast(STRING)
    length = function_call("greatest", function_call("char_length", digits), whole(len(run)))
    return digits if len(run) == 1 else function_call("lpad", digits, length, text("0"))


def _saturday(time: Column) -> Column:
    """The last day of the week of a time."""
    return function_call("date_add", time.cast(DATE), whole(7) - function_call("dayofweek", time))


def _nanoseconds_of_day(time: Column) -> Column:
    micros = function_call("pmod", function_call("unix_micros", time.cast(INSTANT)), large(86_400_000_000))
    return micros * large(1000)


_NUMBERS_OF_LETTERS: dict[str, Callable[[Column], Column]] = {
    "e": lambda time: function_call("dayofweek", time),
    "c": lambda time: function_call("dayofweek", time),
    "w": lambda time: function_call("div", function_call("dayofyear", _saturday(time)) + 6, whole(7)),
    "W": lambda time: function_call("div", _days_with_first_week(time) + 6, whole(7)),
    "F": lambda time: (function_call("day", time) - 1) % 7 + 1,
    "q": lambda time: function_call("quarter", time),
    "Y": lambda time: function_call("year", _saturday(time)),
    "n": lambda time: _nanoseconds_of_day(time) % large(1_000_000_000),
    "N": _nanoseconds_of_day,
    "A": lambda time: function_call("div", _nanoseconds_of_day(time), large(1_000_000)),
}


def _days_with_first_week(time: Column) -> Column:
    """The days of a month up to a time, and those of its first week that are in the month before."""
    first = function_call("date_trunc", text("MONTH"), time)
    return function_call("day", time) + function_call("dayofweek", first) - 1


def spark_pattern(pattern: str) -> str:
    """A pattern of Java as one of Spark, which has no other letter for years than that of years of an era."""
    parts = re.split(r"('(?:[^']|'')*')", pattern)
    return "".join(part if part.startswith("'") else part.replace("u", "y") for part in parts)


def shifted(time: Column, unit: str, count: Column) -> Column:
    """``time`` and ``count`` of a unit that ``UNITS`` has."""
    assert unit in UNITS, unit
    return time_and(time, unit, count)


def floored(wall_clock: Column, unit: str) -> Column:
    """A wall-clock time cut to the start of its unit; weeks start on Sunday, as in Flink."""
    if unit in YEARS:
        return _first_day(wall_clock, unit, later=0)
    if unit == "WEEK":
        day = day_of(wall_clock)
        return function_call("date_sub", day, function_call("dayofweek", day) - 1).cast(WALL_CLOCK)
    return function_call("date_trunc", text(unit), day_of(wall_clock) if unit in MONTHS else wall_clock).cast(
        WALL_CLOCK
    )


def _first_day(wall_clock: Column, unit: str, later: int) -> Column:
    """The first day of a decade, of a century or of a millennium, or of the one that begins ``later`` years on."""
    first = 0 if unit == "DECADE" else 1
    start = function_call("div", function_call("year", day_of(wall_clock)) - first, whole(YEARS[unit])) * YEARS[unit]
    return function_call("concat", (start + first + later).cast(STRING), text("-01-01")).cast(DATE).cast(WALL_CLOCK)


def raised(wall_clock: Column, unit: str) -> Column:
    """A wall-clock time brought to the end of its unit, unless its milliseconds lie on one; of weeks and more its day
    counts.
    """
    if unit in YEARS:
        # The first day of one is brought to the next one, too.
        return _first_day(wall_clock, unit, later=YEARS[unit])
    wall_clock = truncated(wall_clock, _MILLIS, WALL_CLOCK) if unit in MILLISECONDS else wall_clock
    start = floored(wall_clock, unit)
    own = day_of(wall_clock).cast(WALL_CLOCK) if unit == "WEEK" or unit in MONTHS else wall_clock
    return choice(start == own, own, shifted(start, unit, whole(1)))


def _of(function: str) -> Callable[[Column], Column]:
    return lambda time: function_call(function, time)


OF_DAY: dict[str, Callable[[Column], Column]] = {
    "YEAR": _of("year"),
    "QUARTER": _of("quarter"),
    "MONTH": _of("month"),
    "WEEK": _of("weekofyear"),
    "DAY": _of("day"),
    "DOW": _of("dayofweek"),
    "DOY": _of("dayofyear"),
    "DECADE": lambda day: function_call("div", function_call("year", day), whole(10)),
    "CENTURY": lambda day: function_call("div", function_call("year", day) + 99, whole(100)),
    "MILLENNIUM": lambda day: function_call("div", function_call("year", day) + 999, whole(1000)),
    "ISODOW": lambda day: function_call("weekday", day) + 1,
    "ISOYEAR": lambda day: function_call("extract", text("YEAROFWEEK"), day),
}
"""Parts of a date, by the words of EXTRACT."""


def _within(longer: int, unit: int) -> Callable[[Column], Column]:
    """The whole units of a time within a longer one; with a sign, as Java gives it before 1970."""
    return lambda time: function_call("div", milliseconds(time) % large(longer), large(unit))


OF_TIME: dict[str, Callable[[Column], Column]] = {
    "HOUR": _within(86_400_000, 3_600_000),
    "MINUTE": _within(3_600_000, 60_000),
    "SECOND": _within(60_000, 1000),
    "MILLISECOND": _within(1000, 1),
    "MICROSECOND": lambda time: function_call("unix_micros", time.cast(INSTANT)) % large(1_000_000),
    "NANOSECOND": lambda time: function_call("unix_micros", time.cast(INSTANT)) % large(1_000_000) * large(1000),
    "EPOCH": lambda time: function_call("div", milliseconds(time), large(1000)),
}
"""Parts of a wall-clock time, by the words of EXTRACT."""

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
"""Functions that equal EXTRACT of a part."""
