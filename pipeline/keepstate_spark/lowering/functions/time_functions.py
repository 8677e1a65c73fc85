"""Functions of times."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from functools import partial
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pyspark.sql import Column

from keepstate.plan.expressions import Call, Expr, Literal
from keepstate.plan.types.common_types import INTEGERS
from keepstate.plan.types.logical_types import BIGINT, LogicalType
from keepstate_spark.lowering import time_columns
from keepstate_spark.lowering.cast_columns import TEXT
from keepstate_spark.lowering.edges.lenient_times import day_within_month, lenient_time, sql_time
from keepstate_spark.lowering.refusals import NotLowerable, script_text
from keepstate_spark.lowering.scalars import (
    ColumnBuilder,
    Rule,
    SparkValue,
    as_type,
    unknown_function,
)
from keepstate_spark.lowering.spark_columns import (
    DATE,
    INSTANT,
    INT,
    WALL_CLOCK,
    choice,
    failing,
    function_call,
    large,
    text,
    unless_null,
    whole,
)

_DATETIMES = frozenset({"DATE", "TIME", "TIMESTAMP", "TIMESTAMP_LTZ"})


def unit_of(expr: Expr, call: Call) -> str:
    """The word for a unit of time, which lowering keeps in one of two ways."""
    words = [node.value for node in expr.walk() if isinstance(node, Literal)]
    unit = words[-1].rpartition("=")[2].upper().rstrip() if words else ""
    unit = unit[:-1] if unit.endswith("S") and unit[:-1] in time_columns.UNITS else unit
    if not unit.isalpha():
        raise NotLowerable(f"{script_text(call)} cannot be run.", call.place)
    return unit


def shifted(
    sign: str, scalars: ColumnBuilder, call: Call, sides: tuple[SparkValue, SparkValue], type_: LogicalType
) -> Column:
    """A time plus or minus a length of time."""
    time, length = sides if sides[1].type.root.startswith("INTERVAL") else (sides[1], sides[0])
    if sign not in ("+", "-") or time.type.root not in _DATETIMES or not length.type.root.startswith("INTERVAL"):
        raise NotLowerable(f"{script_text(call)} cannot be run.", call.place)
    amount = length.column if sign == "+" else -length.column
    unit = "MONTH" if length.type.root == "INTERVAL MONTH" else "MILLISECOND"
    return _time_plus(time, unit, amount, type_)


def _time_plus(time: SparkValue, unit: str, amount: Column, type_: LogicalType) -> Column:
    match time.type.root:
        case "DATE" if unit == "MONTH":
            return function_call("add_months", time.column, amount.cast(INT))
        case "DATE":
            if type_.root != "DATE":
                return time_columns.shifted(time.column.cast(WALL_CLOCK), unit, amount)
            return function_call("date_add", time.column, function_call("div", amount, whole(86_400_000)).cast(INT))
        case "TIME":
            return function_call("pmod", time.column + amount, whole(86_400_000)).cast(INT)
    return time_columns.shifted(time.column, unit, amount)


def _time_added(scalars: ColumnBuilder, call: Call, type_: LogicalType) -> Column:
    unit = unit_of(call.args[0], call)
    count, time = scalars.value(call.args[1]), scalars.value(call.args[2])
    if unit in time_columns.MONTHS:
        return _time_plus(time, "MONTH", count.column * time_columns.MONTHS[unit], type_)
    if unit not in time_columns.MILLISECONDS:
        raise NotLowerable(f"TIMESTAMPADD in {unit} cannot be run.", call.place)
    return _time_plus(time, "MILLISECOND", count.column * large(time_columns.MILLISECONDS[unit]), type_)


def _time_difference(scalars: ColumnBuilder, call: Call, type_: LogicalType) -> Column:
    unit = unit_of(call.args[0], call)
    first, second = (scalars.value(arg) for arg in call.args[1:])
    roots = {first.type.root, second.type.root}
    if len(roots) > 1 and "TIMESTAMP_LTZ" in roots:
        raise NotLowerable("TIMESTAMPDIFF of a TIMESTAMP_LTZ and another type is refused by Flink.", call.place)
    if not roots <= {"DATE", "TIMESTAMP", "TIMESTAMP_LTZ"}:
        raise unknown_function(call)
    # Instants are compared in UTC, months between them as well.
    earlier, later = (value.column.cast(WALL_CLOCK) for value in (first, second))
    if unit in time_columns.MILLISECONDS:
        difference = time_columns.milliseconds(later) - time_columns.milliseconds(earlier)
        if unit == "WEEK":
            # Flink counts weeks by seconds, which wrap around as an INT.
            seconds = function_call("div", difference, large(1000)).cast(INT)
            return as_type(function_call("div", seconds, large(604_800)), type_)
        return as_type(function_call("div", difference, large(time_columns.MILLISECONDS[unit])), type_)
    if unit not in time_columns.MONTHS:
        raise NotLowerable(f"TIMESTAMPDIFF in {unit} cannot be run.", call.place)
    return as_type(function_call("div", _months(earlier, later), whole(time_columns.MONTHS[unit])), type_)


def _months(first: Column, second: Column) -> Column:
    """The months from one wall-clock time to another, as Calcite counts them: by days, and of days that a month parts
    exactly it looks at the time.
    """
    day, other = first.cast(DATE), second.cast(DATE)
    days = choice(other >= day, _whole_months(day, other), -_whole_months(other, day))
    of_day, of_other = (
        time_columns.milliseconds(time) - time_columns.milliseconds(time.cast(DATE)) for time in (first, second)
    )
    early = (function_call("add_months", day, days) == other) & (of_other < of_day)
    return days - choice(early, whole(1), whole(0))


def _whole_months(day: Column, later: Column) -> Column:
    years = function_call("year", later) - function_call("year", day)
    months = years * 12 + function_call("month", later) - function_call("month", day)
    return months - choice(function_call("add_months", day, months) > later, whole(1), whole(0))


def _extracted(scalars: ColumnBuilder, call: Call, type_: LogicalType) -> Column:
    unit = unit_of(call.args[0], call)
    return _part(scalars, unit, scalars.value(call.args[1]), call, type_)


def _part_by_name(unit: str, scalars: ColumnBuilder, call: Call, type_: LogicalType) -> Column:
    return _part(scalars, unit, scalars.value(call.args[0]), call, type_)


def _part(scalars: ColumnBuilder, unit: str, value: SparkValue, call: Call, type_: LogicalType) -> Column:
    if unit not in time_columns.OF_DAY and unit not in time_columns.OF_TIME:
        raise NotLowerable(f"{unit} cannot be taken of a time.", call.place)
    match value.type.root:
        case "TIMESTAMP":
            time = value.column
        case "TIMESTAMP_LTZ":
            # EPOCH too is that of the wall clock.
            time = time_columns.local(value.column, scalars.zone)
        case "DATE" if unit in time_columns.OF_DAY or unit == "EPOCH":
            time = value.column.cast(WALL_CLOCK)
        case "TIME" if unit in ("HOUR", "MINUTE", "SECOND"):
            time = time_columns.of_milliseconds(value.column)
        case _:
            raise unknown_function(call)
    if unit in time_columns.OF_DAY:
        return as_type(time_columns.OF_DAY[unit](time_columns.day_of(time)), type_)
    return as_type(time_columns.OF_TIME[unit](time), type_)


def _formatted(scalars: ColumnBuilder, call: Call, _: LogicalType) -> Column:
    value, pattern = scalars.value(call.args[0]), _pattern_text(call.args[1], call)
    match value.type.root:
        case "TIMESTAMP":
            time = value.column
        case "TIMESTAMP_LTZ":
            time = time_columns.local(value.column, scalars.zone)
        case "CHAR" | "VARCHAR":
            time = _told_time(value.column)
        case _:
            raise unknown_function(call)
    return time_columns.formatted(time, pattern)


def _pattern_text(expr: Expr, call: Call, parsing: bool = False) -> str:
    if not (isinstance(expr, Literal) and expr.type == "STRING"):
        raise NotLowerable(f"{call.name} needs a constant pattern.", call.place)
    letter = time_columns.unknown_letter(expr.value, parsing)
    if letter is not None:
        raise NotLowerable(
            f"'{letter}' in the pattern of {call.name} means something else to Spark.", expr.place or call.place
        )
    return expr.value


def _parsing_pattern(expr: Expr, call: Call) -> str:
    return time_columns.spark_pattern(_pattern_text(expr, call, parsing=True))


def _to_timestamp(scalars: ColumnBuilder, call: Call, _: LogicalType) -> Column:
    value = scalars.value(call.args[0])
    if value.type.root not in TEXT:
        raise unknown_function(call)
    if len(call.args) == 1:
        return time_columns.truncated(time_columns.parsed_timestamp(value.column), 3, WALL_CLOCK)
    return time_columns.truncated(_by_pattern(value, call), 3, WALL_CLOCK)


def _by_pattern(value: SparkValue, call: Call) -> Column:
    """Return the wall-clock time in a text by the pattern of ``call``, in whichever zone the text names."""
    pattern = _parsing_pattern(call.args[1], call)
    texts = (value.column, *day_within_month(value.column, pattern))
    parsed = (function_call("try_to_timestamp", each, text(pattern)).cast(WALL_CLOCK) for each in texts)
    # What does not fit the pattern may still be a time as SQL writes it.
    return function_call("coalesce", *parsed, sql_time(value.column))


def _to_date(scalars: ColumnBuilder, call: Call, _: LogicalType) -> Column:
    value = scalars.value(call.args[0])
    if value.type.root not in TEXT:
        raise unknown_function(call)
    if len(call.args) == 1:
        return time_columns.parsed_date(value.column)
    return _fitting(value, call).cast(DATE)


def _fitting(value: SparkValue, call: Call) -> Column:
    """Return the time of a text by the pattern of ``call``. A text that does not fit ends the query; Flink makes an
    unrelated time of it.
    """
    pattern = _parsing_pattern(call.args[1], call)
    words = text(f" does not fit the pattern '{pattern}' of {call.name}.")
    time = _simple_time(value.column, pattern)
    parsed = time if time is not None else function_call("try_to_timestamp", value.column, text(pattern))
    return function_call("coalesce", parsed, unless_null(value.column, failing(value.column, words)).cast(WALL_CLOCK))


def _simple_time(value: Column, pattern: str) -> Column | None:
    """Return the time at the beginning of a text, NULL if there is none; ``None`` for a pattern with other parts than
    numbers apart from each other.
    """
    lenient = lenient_time(value, pattern)
    if lenient is None:
        return None
    parsed = function_call("try_to_timestamp", value, text(pattern)).cast(WALL_CLOCK)
    # Java has a year 1 before Christ in place of 0.
    return function_call("coalesce", choice(function_call("year", parsed) >= whole(1), parsed), lenient)


_SECONDS = "yyyy-MM-dd HH:mm:ss"
"""The pattern of UNIX_TIMESTAMP and FROM_UNIXTIME without one."""
_SECONDS_OF_FLINK = (-62_167_219_200, 253_402_300_799)
"""The first second of the year 0 and the last one of the year 9999: of others Flink makes NULL."""


def _to_instant(scalars: ColumnBuilder, call: Call, _: LogicalType) -> Column:
    number = scalars.value(call.args[0])
    if number.type.root in TEXT:
        return _text_to_instant(call, number)
    precision = call.args[1] if len(call.args) > 1 else Literal("3", "NUMBER")
    if number.type.root not in INTEGERS or not isinstance(precision, Literal) or precision.value not in ("0", "3"):
        raise unknown_function(call)
    function, parts = ("timestamp_millis", 1000) if precision.value == "3" else ("timestamp_seconds", 1)
    first, last = (large(seconds * parts) for seconds in _SECONDS_OF_FLINK)
    is_time = (number.column >= first) & (number.column < last + large(parts))
    return choice(is_time, function_call(function, number.column).cast(INSTANT))


def _text_to_instant(call: Call, value: SparkValue) -> Column:
    """TO_TIMESTAMP_LTZ of a text: a time in UTC unless a third argument names another zone."""
    if len(call.args) == 1:
        words = text(" is no time that TO_TIMESTAMP_LTZ reads, and so Flink stops.")
        parsed = time_columns.parsed_timestamp(value.column)
        wall = function_call("coalesce", parsed, unless_null(value.column, failing(value.column, words)))
    else:
        if isinstance(call.args[1], Literal) and call.args[1].value.count("S") > 3:
            raise NotLowerable("TO_TIMESTAMP_LTZ of more digits than milliseconds cannot be run.", call.args[1].place)
        wall = _by_pattern(value, call)
    zone = call.args[2] if len(call.args) > 2 else Literal("UTC", "STRING")
    if not (isinstance(zone, Literal) and zone.type == "STRING"):
        raise NotLowerable("TO_TIMESTAMP_LTZ needs a constant time zone.", call.place)
    return time_columns.instant(time_columns.truncated(wall, 3, WALL_CLOCK), zone.value)


def _from_unix(scalars: ColumnBuilder, call: Call, _: LogicalType) -> Column:
    """FROM_UNIXTIME, which has the patterns and the calendar of the older formats of Java."""
    seconds = scalars.column(call.args[0], BIGINT)
    pattern = _pattern_text(call.args[1], call) if len(call.args) > 1 else _SECONDS
    part = next((match[1] for match in _NEWER.finditer(pattern) if match[1]), None)
    if part is not None:
        sentence = f"{part} in the pattern of FROM_UNIXTIME has another meaning in Flink, or none."
        raise NotLowerable(sentence, call.args[1].place or call.place)
    wall = time_columns.local(function_call("timestamp_seconds", seconds), scalars.zone)
    offset = _standard_offset(scalars.zone)
    if offset is not None:
        older = function_call("timestamp_seconds", seconds + large(offset)).cast(WALL_CLOCK)
        wall = choice(seconds < large(_FIRST_OFFSETS), older, wall)
    words = text("FROM_UNIXTIME of a year beyond 9999, in which Spark writes a sign and Flink none.")
    is_later = function_call("year", wall) > _LAST_YEAR
    return time_columns.of_this_calendar(wall, choice(is_later, failing(words), time_columns.formatted(wall, pattern)))


_NEWER = re.compile(r"'(?!'')[^']*'|('''|G{4}|[\[\]]|(?=[A-Za-z])[^GyYMLwWdDFEaHkKhmsS])")
"""Quoted parts of a pattern, and as a group what has another meaning to the older formats of Java."""
_LAST_YEAR = 9999
_FIRST_OFFSETS = -2_208_988_800
"""The first second of 1900: Java's older calendar has no former offsets of a zone from before."""
_OF_RULES = 2037
"""The last year for which zones list their offsets."""


def _standard_offset(zone: str) -> int | None:
    """Return the seconds by which clocks of ``zone`` are ahead of UTC without summer time; ``None`` of a zone that is
    an offset itself.
    """
    if zone == "Africa/Windhoek":
        # Java keeps the offset of its former winters.
        return 3600
    try:
        own = ZoneInfo(zone)
    except (ValueError, OSError, ZoneInfoNotFoundError):
        return None
    noons = (datetime(_OF_RULES, 1, 1, 12, tzinfo=own) + timedelta(days=day) for day in range(365))
    return min(int((noon.utcoffset() or timedelta()).total_seconds()) for noon in noons)


def _to_unix(scalars: ColumnBuilder, call: Call, type_: LogicalType) -> Column:
    if not call.args:
        return function_call("unix_seconds", function_call("current_timestamp"))
    value = scalars.value(call.args[0])
    if value.type.root not in TEXT:
        raise unknown_function(call)
    pattern = _parsing_pattern(call.args[1], call) if len(call.args) > 1 else _SECONDS
    wall = _simple_time(value.column, pattern)
    if wall is None:
        wall = _fitting(value, call).cast(WALL_CLOCK)
    instant = time_columns.calendar_instant(wall, text(scalars.zone)).cast(INSTANT)
    # Milliseconds are cut towards 1970.
    seconds = function_call("div", function_call("unix_millis", instant), large(1000))
    return as_type(unless_null(value.column, function_call("coalesce", seconds, whole(-(2**63)))), type_)


def _zone_changed(scalars: ColumnBuilder, call: Call, _: LogicalType) -> Column:
    for zone in call.args[1:]:
        if isinstance(zone, Literal) and zone.type == "STRING" and not _is_zone(zone.value):
            sentence = f"Java has no time zone '{zone.value}' and takes it for GMT. Name the zone, or GMT."
            raise NotLowerable(sentence, zone.place or call.place)
    value, *zones = (scalars.column(arg) for arg in call.args)
    source, target = map(_java_zone, zones)
    moment = time_columns.calendar_instant(_told_time(value), source)
    wall = function_call("convert_timezone", text("UTC"), target, moment)
    return function_call("date_format", wall, text("yyyy-MM-dd HH:mm:ss"))


def _told_time(value: Column) -> Column:
    """The time at the beginning of a text, as Java reads it: a day or an hour that there is not is carried over. NULL
    of another text.
    """
    time = _simple_time(value, _SECONDS)
    assert time is not None, _SECONDS
    return time


_ZONE_FORMS = re.compile(r"((UTC?)?[+-].*)?|Z|UT|GMT[+-]([01]?\d|2[0-3])(:?[0-5]\d)?")
"""The offsets that Java's ``TimeZone`` knows, and those that it takes for GMT as all do."""
_SHORT_ZONES = frozenset(
    """ACT AET AGT ART AST BET BST CAT CNT CST CTT EAT ECT IET IST JST MIT NET NST PLT PNT PRT PST SST VST""".split()
)


def _is_zone(name: str) -> bool:
    """Return whether Java knows a zone, or takes its id for GMT in each version."""
    if _ZONE_FORMS.fullmatch(name) or name in _SHORT_ZONES:
        return True
    try:
        ZoneInfo(name)
    except (ValueError, OSError, ZoneInfoNotFoundError):
        return False
    return True


def _java_zone(zone: Column) -> Column:
    """The zone that Java's ``TimeZone`` takes an id for: it knows offsets behind GMT, and takes others for GMT."""
    return choice(function_call("rlike", zone, text("^((UTC?)?[+-].*)?$")), text("UTC"), zone)


def _now(kind: str, scalars: ColumnBuilder, _: Call, __: LogicalType) -> Column:
    wall = time_columns.local(function_call("current_timestamp"), scalars.zone)
    if kind == "TIME":
        # It has milliseconds, though its type has none.
        return function_call("pmod", time_columns.milliseconds(wall), large(86_400_000)).cast(INT)
    return wall.cast(DATE) if kind == "DATE" else time_columns.truncated(wall, 3, WALL_CLOCK)


RULES: dict[str, Rule] = {
    "TIMESTAMPADD": _time_added,
    "TIMESTAMPDIFF": _time_difference,
    "EXTRACT": _extracted,
    "DATE_FORMAT": _formatted,
    "TO_TIMESTAMP": _to_timestamp,
    "TO_DATE": _to_date,
    "TO_TIMESTAMP_LTZ": _to_instant,
    "FROM_UNIXTIME": _from_unix,
    "UNIX_TIMESTAMP": _to_unix,
    "CONVERT_TZ": _zone_changed,
    "CURRENT_DATE": partial(_now, "DATE"),
    "CURRENT_TIME": partial(_now, "TIME"),
    "LOCALTIME": partial(_now, "TIME"),
    "LOCALTIMESTAMP": partial(_now, "TIMESTAMP"),
    **{name: partial(_part_by_name, unit) for name, unit in time_columns.EXTRACTING.items()},
}
