"""Functions of times."""

from __future__ import annotations

from functools import partial

from keepstate.plan.common_types import INTEGERS
from keepstate.plan.expressions import Call, Expr, Literal
from keepstate.plan.logical_types import BIGINT, LogicalType
from keepstate_spark.lowering import times
from keepstate_spark.lowering.casts import TEXT
from keepstate_spark.lowering.refusals import Refused
from keepstate_spark.lowering.scalars import (
    Rule,
    Scalars,
    Text,
    as_type,
    unknown_function,
)
from keepstate_spark.lowering.spark_types import string

_DATETIMES = frozenset({"DATE", "TIME", "TIMESTAMP", "TIMESTAMP_LTZ"})
_NOTHING = "\\u0001"
"""The escape character of a LIKE without one: nothing has it."""
_ZERO = "Division by zero, at which Flink stops."


def unit_of(expr: Expr, call: Call) -> str:
    """The word for a unit of time, which lowering keeps in one of two ways."""
    words = [node.value for node in expr.walk() if isinstance(node, Literal)]
    unit = words[-1].rpartition("=")[2].upper().rstrip() if words else ""
    unit = unit[:-1] if unit.endswith("S") and unit[:-1] in times.UNITS else unit
    if not unit.isalpha():
        raise Refused(f"{call} cannot be run.", call.place)
    return unit


def shifted(operator: str, scalars: Scalars, call: Call, sides: tuple[Text, Text], type_: LogicalType) -> str:
    """A time plus or minus a length of time."""
    time, length = sides if sides[1].type.root.startswith("INTERVAL") else (sides[1], sides[0])
    if operator not in ("+", "-") or time.type.root not in _DATETIMES or not length.type.root.startswith("INTERVAL"):
        raise Refused(f"{call} cannot be run.", call.place)
    amount = f"{length.sql}" if operator == "+" else f"(- {length.sql})"
    unit = "MONTH" if length.type.root == "INTERVAL MONTH" else "MILLISECOND"
    return _added(time, unit, amount, type_)


def _added(time: Text, unit: str, amount: str, type_: LogicalType) -> str:
    match time.type.root:
        case "DATE" if unit == "MONTH":
            return f"add_months({time.sql}, cast({amount} as int))"
        case "DATE":
            if type_.root != "DATE":
                return f"timestampadd({unit}, {amount}, cast({time.sql} as timestamp_ntz))"
            return f"date_add({time.sql}, cast({amount} div 86400000 as int))"
        case "TIME":
            return f"cast(pmod({time.sql} + {amount}, 86400000) as int)"
    return f"timestampadd({unit}, {amount}, {time.sql})"


def _time_added(scalars: Scalars, call: Call, type_: LogicalType) -> str:
    unit = unit_of(call.args[0], call)
    count, time = scalars.text(call.args[1]), scalars.text(call.args[2])
    if unit in times.MONTHS:
        return _added(time, "MONTH", f"({count.sql} * {times.MONTHS[unit]})", type_)
    if unit not in times.MILLISECONDS:
        raise Refused(f"TIMESTAMPADD in {unit} cannot be run.", call.place)
    return _added(time, "MILLISECOND", f"({count.sql} * {times.MILLISECONDS[unit]}L)", type_)


def _time_difference(scalars: Scalars, call: Call, type_: LogicalType) -> str:
    unit = unit_of(call.args[0], call)
    first, second = (scalars.text(arg) for arg in call.args[1:])
    roots = {first.type.root, second.type.root}
    if len(roots) > 1 and "TIMESTAMP_LTZ" in roots:
        raise Refused("TIMESTAMPDIFF of a TIMESTAMP_LTZ and another type is refused by Flink.", call.place)
    if not roots <= {"DATE", "TIMESTAMP", "TIMESTAMP_LTZ"}:
        raise unknown_function(call)
    earlier, later = (
        times.local(text.sql, scalars.zone)
        if text.type.root == "TIMESTAMP_LTZ" and unit in times.MONTHS
        else f"cast({text.sql} as timestamp_ntz)"
        for text in (first, second)
    )
    if unit in times.MILLISECONDS:
        difference = f"({times.milliseconds(later)} - {times.milliseconds(earlier)})"
        return as_type(f"({difference} div {times.MILLISECONDS[unit]}L)", type_)
    if unit not in times.MONTHS:
        raise Refused(f"TIMESTAMPDIFF in {unit} cannot be run.", call.place)
    return as_type(f"({_months(earlier, later)} div {times.MONTHS[unit]})", type_)


def _months(first: str, second: str) -> str:
    """The months from one wall-clock time to another, as Calcite counts them: by days, and of days that a month parts
    exactly it looks at the time.
    """
    day, other = f"cast({first} as date)", f"cast({second} as date)"
    days = f"if({other} >= {day}, {_whole_months(day, other)}, - {_whole_months(other, day)})"
    early = f"add_months({day}, {days}) = {other} and {times.milliseconds(second)} - {times.milliseconds(other)} < "
    early += f"{times.milliseconds(first)} - {times.milliseconds(day)}"
    return f"({days} - if({early}, 1, 0))"


def _whole_months(day: str, later: str) -> str:
    months = f"((year({later}) - year({day})) * 12 + month({later}) - month({day}))"
    return f"({months} - if(add_months({day}, {months}) > {later}, 1, 0))"


def _extracted(scalars: Scalars, call: Call, type_: LogicalType) -> str:
    unit = unit_of(call.args[0], call)
    return _part(scalars, unit, scalars.text(call.args[1]), call, type_)


def _part_by_name(unit: str, scalars: Scalars, call: Call, type_: LogicalType) -> str:
    return _part(scalars, unit, scalars.text(call.args[0]), call, type_)


def _part(scalars: Scalars, unit: str, value: Text, call: Call, type_: LogicalType) -> str:
    text = times.EXTRACTED.get(unit)
    if text is None:
        raise Refused(f"{unit} cannot be taken of a time.", call.place)
    match value.type.root:
        case "TIMESTAMP":
            time = value.sql
        case "TIMESTAMP_LTZ":
            time = value.sql if unit == "EPOCH" else times.local(value.sql, scalars.zone)
        case "DATE" if "{day}" in text or unit == "EPOCH":
            time = f"cast({value.sql} as timestamp_ntz)"
        case "TIME" if unit in ("HOUR", "MINUTE", "SECOND"):
            time = f"cast(timestamp_millis({value.sql}) as timestamp_ntz)"
        case _:
            raise unknown_function(call)
    return as_type(text.format(day=f"cast({time} as date)", time=time), type_)


def _formatted(scalars: Scalars, call: Call, _: LogicalType) -> str:
    value, pattern = scalars.text(call.args[0]), _pattern(call.args[1], call)
    match value.type.root:
        case "TIMESTAMP":
            time = value.sql
        case "TIMESTAMP_LTZ":
            time = times.local(value.sql, scalars.zone)
        case "CHAR" | "VARCHAR":
            # Unlike CAST it wants a time behind the date.
            time = f"if({value.sql} like '%:%', {times.parsed_timestamp(value.sql)}, null)"
        case _:
            raise unknown_function(call)
    return f"date_format({time}, {string(pattern)})"


def _pattern(expr: Expr, call: Call, parsing: bool = False) -> str:
    if not (isinstance(expr, Literal) and expr.type == "STRING"):
        raise Refused(f"{call.name} needs a constant pattern.", call.place)
    letter = times.unknown_letter(expr.value, parsing)
    if letter is not None:
        raise Refused(
            f"'{letter}' in the pattern of {call.name} means something else to Spark.", expr.place or call.place
        )
    return times.spark_pattern(expr.value)


def _to_timestamp(scalars: Scalars, call: Call, _: LogicalType) -> str:
    text = scalars.text(call.args[0])
    if text.type.root not in TEXT:
        raise unknown_function(call)
    if len(call.args) == 1 or call.args[1] == Literal("yyyy-MM-dd HH:mm:ss", "STRING"):
        # At 24:00:00 the next day begins.
        midnight = f"{text.sql} rlike ' 24:00:00$'"
        parsed = times.parsed_timestamp(f"regexp_replace({text.sql}, ' 24:00:00$', ' 00:00:00')")
        return times.truncated(f"timestampadd(DAY, if({midnight}, 1, 0), {parsed})", 3, "timestamp_ntz")
    return times.truncated(_by_pattern(text, call), 3, "timestamp_ntz")


def _by_pattern(text: Text, call: Call) -> str:
    """The wall-clock time that a text says by the pattern of ``call``, whatever zone it names."""
    pattern = _pattern(call.args[1], call, parsing=True)
    parsed = f"cast(try_to_timestamp({text.sql}, {string(pattern)}) as timestamp_ntz)"
    # What does not fit the pattern may still be a time as Flink writes it.
    return f"coalesce({parsed}, {times.parsed_timestamp(text.sql)})"


def _to_date(scalars: Scalars, call: Call, _: LogicalType) -> str:
    text = scalars.text(call.args[0])
    if text.type.root not in TEXT:
        raise unknown_function(call)
    if len(call.args) == 1:
        return times.parsed_date(text.sql)
    return f"cast({_fitting(text, call)} as date)"


def _fitting(text: Text, call: Call) -> str:
    """The time that a text says by the pattern of ``call``. Of others Flink makes a time that nobody meant."""
    pattern = _pattern(call.args[1], call, parsing=True)
    words = string(f" does not fit the pattern '{pattern}' of {call.name}.")
    parsed = f"try_to_timestamp({text.sql}, {string(pattern)})"
    return f"coalesce({parsed}, if({text.sql} is null, null, raise_error(concat({text.sql}, {words}))))"


def _to_instant(scalars: Scalars, call: Call, _: LogicalType) -> str:
    number = scalars.text(call.args[0])
    if number.type.root in TEXT:
        return _text_to_instant(scalars, call, number)
    precision = call.args[1] if len(call.args) > 1 else Literal("3", "NUMBER")
    if number.type.root not in INTEGERS or not isinstance(precision, Literal) or precision.value not in ("0", "3"):
        raise unknown_function(call)
    function = "timestamp_millis" if precision.value == "3" else "timestamp_seconds"
    return f"cast({function}({number.sql}) as timestamp_ltz)"


def _text_to_instant(scalars: Scalars, call: Call, text: Text) -> str:
    """TO_TIMESTAMP_LTZ of a text: a time in UTC unless a third argument names another zone."""
    if len(call.args) == 1:
        words = string(" is no time that TO_TIMESTAMP_LTZ reads, and so Flink stops.")
        parsed = times.parsed_timestamp(text.sql)
        wall = f"coalesce({parsed}, if({text.sql} is null, null, raise_error(concat({text.sql}, {words}))))"
    else:
        if isinstance(call.args[1], Literal) and call.args[1].value.count("S") > 3:
            raise Refused("TO_TIMESTAMP_LTZ of more digits than milliseconds cannot be run.", call.args[1].place)
        wall = _by_pattern(text, call)
    zone = call.args[2] if len(call.args) > 2 else Literal("UTC", "STRING")
    if not (isinstance(zone, Literal) and zone.type == "STRING"):
        raise Refused("TO_TIMESTAMP_LTZ needs a constant time zone.", call.place)
    return times.instant(times.truncated(wall, 3, "timestamp_ntz"), zone.value)


def _from_unix(scalars: Scalars, call: Call, _: LogicalType) -> str:
    seconds = scalars.sql(call.args[0], BIGINT)
    pattern = _pattern(call.args[1], call) if len(call.args) > 1 else "yyyy-MM-dd HH:mm:ss"
    return f"date_format({times.local(f'timestamp_seconds({seconds})', scalars.zone)}, {string(pattern)})"


def _to_unix(scalars: Scalars, call: Call, type_: LogicalType) -> str:
    if not call.args:
        return "unix_seconds(current_timestamp())"
    text = scalars.text(call.args[0])
    if text.type.root not in TEXT:
        raise unknown_function(call)
    if len(call.args) == 1:
        wall = times.parsed_timestamp(text.sql)
    else:
        wall = f"cast({_fitting(text, call)} as timestamp_ntz)"
    found = f"unix_seconds({times.instant(wall, scalars.zone)})"
    return as_type(f"if({text.sql} is null, null, coalesce({found}, -9223372036854775807L - 1L))", type_)


def _zone_changed(scalars: Scalars, call: Call, _: LogicalType) -> str:
    text, source, target = (scalars.text(arg).sql for arg in call.args)
    wall = f"convert_timezone({source}, {target}, {times.parsed_timestamp(text)})"
    return f"date_format({wall}, 'yyyy-MM-dd HH:mm:ss')"


def _now(what: str, scalars: Scalars, _: Call, __: LogicalType) -> str:
    wall = times.local("current_timestamp()", scalars.zone)
    return f"cast({wall} as date)" if what == "DATE" else times.truncated(wall, 3, "timestamp_ntz")


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
    "LOCALTIMESTAMP": partial(_now, "TIMESTAMP"),
    **{name: partial(_part_by_name, unit) for name, unit in times.EXTRACTING.items()},
}
