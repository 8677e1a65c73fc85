"""Casts from one Flink type to another as columns of Spark.

They require a session without ANSI mode: numbers wrap around as in Java, a decimal that does not fit is NULL, and the
column itself raises an error where Flink stops.
"""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql.functions import lit, transform, transform_keys, transform_values
from pyspark.sql.types import DataType, DecimalType

from keepstate.plan.types.common_types import APPROXIMATE, INTEGERS, NUMERIC
from keepstate.plan.types.logical_types import LONGEST, LogicalType
from keepstate_spark.lowering import time_columns
from keepstate_spark.lowering.edges.not_a_number import has_nan, is_nan
from keepstate_spark.lowering.spark_columns import (
    BOOLEAN,
    DATE,
    INSTANT,
    INT,
    STRING,
    WALL_CLOCK,
    choice,
    failing,
    function_call,
    large,
    let,
    single,
    text,
    unless_null,
    whole,
)
from keepstate_spark.lowering.spark_types import spark_type

TEXT = frozenset({"CHAR", "VARCHAR"})
_BYTES = frozenset({"BINARY", "VARBINARY"})
_TRUTHS = ("t", "true", "y", "yes", "1", "f", "false", "n", "no", "0")
"""The texts that are a BOOLEAN, in lower case."""
_OF_ONE_LONG = 18
"""The digits of the longest DECIMAL that Flink holds in a long."""
_MOST_DIGITS = 38
"""The digits of the longest DECIMAL of both."""
_LOOSE = (
    r"^ *(?![+-]? *$)([+-]?)([0-9]*)(?:\.([0-9]*))?"
    r"(?:[eE]([+-]?[0-9]+)[\x00-\x7F&&[^0-9]]?|[eE][\x00-\x7F&&[^0-9+-]]?|[\x00-\x7F&&[^0-9.eE]]?) *$"
)
_PLAIN_SCALE = 6
"""Up to so many digits behind the point Spark writes a DECIMAL without an exponent."""


def cast(
    value: Column,
    source: LogicalType,
    target: LogicalType,
    zone: str,
    strict: bool = True,
    in_order: bool = False,
) -> Column | None:
    """``value``, of type ``source``, as a value of type ``target``; ``None`` if that cast is not known.

    ``strict`` is CAST, which stops the query where a text is no such value; otherwise it is TRY_CAST, or one that Flink
    makes by itself. ``in_order`` are MAPs whose entries have the order of Flink.
    """
    if source == target:
        return value
    type_ = spark_type(target)
    if type_ is None:
        return None
    if source.root in _BYTES and target.root in TEXT:
        # As UTF-8, and nothing is cut off.
        return value.cast(type_) if target.length == LONGEST else None
    if target.root in _BYTES and source.root in (*TEXT, *_BYTES):
        return _bytes(value.cast(type_), target)
    if target.root in TEXT:
        as_text = _to_text(value, source, zone, in_order)
        return _fitted(as_text, source, target) if as_text is not None else None
    if source.root in TEXT:
        result = _from_text(value, target, zone)
        return result if result is None or not strict else _or_error(result, value, target)
    if target.root in NUMERIC:
        number = _to_number(value, source, target, type_)
        return _no_nan(number, value) if strict and target.root == "DECIMAL" and has_nan(source) else number
    if target.root == "BOOLEAN":
        return value != 0 if source.root in NUMERIC else None
    if target.root in ("DATE", "TIME", "TIMESTAMP", "TIMESTAMP_LTZ"):
        return _to_time(value, source, target, zone)
    if source.root == target.root and len(source.elements) == len(target.elements):
        return _elements(value, source, target, zone, strict)
    return None


def _elements(value: Column, source: LogicalType, target: LogicalType, zone: str, strict: bool) -> Column | None:
    """An ARRAY, MAP or ROW, each of its elements cast; fields by their places."""
    samples = [cast(lit(None), *pair, zone, strict) for pair in zip(source.elements, target.elements, strict=True)]
    if any(each is None for each in samples):
        return None

    def element(part: Column, index: int) -> Column:
        converted = cast(part, source.elements[index], target.elements[index], zone, strict)
        assert converted is not None
        return converted

    match source.root:
        case "ARRAY":
            return transform(value, lambda part: element(part, 0))
        case "MAP" if source.elements[0] == target.elements[0]:
            return transform_values(value, lambda _, part: element(part, 1))
        case "MAP" if {source.elements[0].root, target.elements[0].root} <= TEXT:
            return transform_values(
                transform_keys(value, lambda key, _: element(key, 0)), lambda _, part: element(part, 1)
            )
        case "ROW":
            fields = [
                part
                for index, (old, new) in enumerate(zip(source.names, target.names, strict=True))
                for part in (text(new), element(value.getField(old), index))
            ]
            return unless_null(value, function_call("named_struct", *fields))
    return None


def _bytes(value: Column, target: LogicalType) -> Column:
    """Bytes cut to the length of their type, and filled up with zeros to that of BINARY."""
    length = target.length or 0
    if target.root == "BINARY":
        return function_call("rpad", value, whole(length), lit(b"\x00"))
    return value if length == LONGEST else function_call("substring", value, whole(1), whole(length))


def _or_error(converted: Column, value: Column, target: LogicalType) -> Column:
    words = text(f"cannot be cast to {target}, and so Flink stops: ")
    return function_call("coalesce", converted, unless_null(value, failing(words, value)))


def _to_text(value: Column, source: LogicalType, zone: str, in_order: bool = False) -> Column | None:
    match source.root:
        case "CHAR" | "VARCHAR":
            return value
        case "BOOLEAN":
            return function_call("upper", value.cast(STRING))
        case "DECIMAL" if (source.scale or 0) > _PLAIN_SCALE:
            return function_call(
                "replace", function_call("format_number", value, whole(source.scale or 0)), text(","), text("")
            )
        case "TIMESTAMP" | "TIMESTAMP_LTZ":
            digits = f".{'S' * source.precision}" if source.precision else ""
            wall = time_columns.local(value, zone) if source.root == "TIMESTAMP_LTZ" else value
            return function_call("date_format", wall, text(f"yyyy-MM-dd HH:mm:ss{digits}"))
        case "TIME":
            return time_columns.time_text(value)
        case "TINYINT" | "SMALLINT" | "INT" | "BIGINT" | "FLOAT" | "DOUBLE" | "DECIMAL":
            return value.cast(STRING)
        case "DATE":
            # A year of more than four digits keeps the last ones.
            date_text = value.cast(STRING)
            return choice(
                value > text("9999-12-31").cast(DATE), function_call("right", date_text, whole(10)), date_text
            )
        case "INTERVAL MONTH" | "INTERVAL SECOND":
            return time_columns.length_text(value, source.root == "INTERVAL MONTH")
        case "ARRAY" | "MAP" | "ROW":
            return _collection_to_text(value, source, zone, in_order)
    return None


def _collection_to_text(value: Column, source: LogicalType, zone: str, in_order: bool) -> Column | None:
    """``[1, NULL]``, ``{a=1}`` and ``(1, x)``."""
    if any(_to_text(lit(None), element, zone) is None for element in source.elements):
        return None

    def written(part: Column, index: int) -> Column:
        part_text = _to_text(part, source.elements[index], zone, in_order)
        assert part_text is not None
        return function_call("coalesce", part_text, text("NULL"))

    match source.root:
        case "ARRAY":
            start, end, parts = "[", "]", transform(value, lambda part: written(part, 0))
        case "MAP":
            words = text("A MAP of several entries is written by Flink in an order that Spark does not keep.")
            one_order = value if in_order else choice(function_call("size", value) > 1, failing(words), value)
            entries = function_call("map_entries", one_order)
            start, end = "{", "}"
            parts = transform(
                entries,
                lambda pair: function_call("concat", written(pair["key"], 0), text("="), written(pair["value"], 1)),
            )
        case _:
            fields = (written(value.getField(name), index) for index, name in enumerate(source.names))
            start, end, parts = "(", ")", function_call("array", *fields)
    return unless_null(
        value, function_call("concat", text(start), function_call("array_join", parts, text(", ")), text(end))
    )


def _fitted(value: Column, source: LogicalType, target: LogicalType) -> Column:
    """A text cut to the length of its type, and filled up to that of CHAR."""
    length = target.length or 0
    if target.root == "CHAR":
        return function_call("rpad", value, whole(length), text(" "))
    fits = source.root in TEXT and (source.length or 0) <= length
    return value if length == LONGEST or fits else function_call("substring", value, whole(1), whole(length))


def _from_text(value: Column, target: LogicalType, zone: str) -> Column | None:
    match target.root:
        case "DATE":
            return time_columns.parsed_date(value)
        case "TIME":
            return time_columns.parsed_time(value)
        case "TIMESTAMP":
            return time_columns.truncated(time_columns.parsed_timestamp(value), target.precision or 0, WALL_CLOCK)
        case "TIMESTAMP_LTZ":
            wall = time_columns.truncated(time_columns.parsed_timestamp(value), target.precision or 0, WALL_CLOCK)
            return time_columns.instant(wall, zone)
        case "BOOLEAN":
            # Spark passes over blanks at both ends, and knows more words.
            return choice(function_call("lower", value).isin(*_TRUTHS), value, lit(None)).cast(BOOLEAN)
        case "DECIMAL" | "FLOAT" | "DOUBLE" | "TINYINT" | "SMALLINT" | "INT" | "BIGINT":
            type_ = spark_type(target)
            assert type_ is not None
            if target.root == "DECIMAL" and (target.precision or 0) <= _OF_ONE_LONG:
                return _rounded_up(value, target)
            if target.root in APPROXIMATE:
                # Spark reads `inf` and `nan` as well.
                value = choice(
                    function_call("rlike", value, text("(?i)^(?!\\s*[+-]?(?-i:NaN|Infinity)\\s*$).*[ni]")),
                    lit(None),
                    value,
                )
            return value.cast(type_)
    return None


def _short_decimal(value: Column) -> Column:
    """The text of a DECIMAL that Flink holds in a long: digits may be missing, and one more character is passed over
    (``12x`` is 12, ``x`` is 0).
    """
    sign, digits, behind, power = (
        function_call("regexp_extract", value, text(_LOOSE), whole(group)) for group in range(1, 5)
    )
    exponent = choice(power == "", text("0"), power)
    spelt = function_call("concat", sign, text("0"), digits, text("."), behind, text("0e"), exponent)
    # Digits of other scripts are none.
    otherwise = choice(function_call("rlike", value, text(r"^[\x00-\x7F]*$")), value)
    return choice(function_call("rlike", value, text(_LOOSE)), spelt, otherwise)


def _rounded_up(value: Column, target: LogicalType) -> Column:
    """The number that a text spells, as a DECIMAL held in a long. One whose digits fit before they are rounded keeps
    the digit that it gains in Flink (``9999.995`` is the DECIMAL(6, 2) 10000.00). Spark has no such value, and stops.
    """
    precision, scale = target.precision or 0, target.scale or 0
    wider = DecimalType(precision + 1, scale)
    limit = text(f"1{'0' * (precision - scale)}").cast(wider)
    words = text(f"is rounded up by Flink to more digits than a {target} has, which Spark does not hold: ")

    def held(spelt: Column) -> Column:
        # What has too many digits before it is rounded is NULL in both.
        before = function_call("abs", spelt.cast(DecimalType(_MOST_DIGITS, _MOST_DIGITS - precision - 1)))
        gains = (function_call("abs", spelt.cast(wider)) == limit) & (before < limit)
        return choice(gains, failing(words, value), spelt.cast(DecimalType(precision, scale)))

    return let(_short_decimal(value), held)


def _to_number(value: Column, source: LogicalType, target: LogicalType, type_: DataType) -> Column | None:
    if source.root == "BOOLEAN" or source.root in NUMERIC:
        if source.root in APPROXIMATE:
            return narrowed(value, target)
        return single(value) if target.root == "FLOAT" and source.root in INTEGERS else value.cast(type_)
    return None


def _no_nan(number: Column | None, value: Column) -> Column | None:
    words = text("NaN or infinity cannot be cast to a DECIMAL, and so Flink stops.")
    return None if number is None else choice(is_nan(value - value), failing(words), number)


def narrowed(value: Column, target: LogicalType) -> Column:
    """A DOUBLE or FLOAT as a number of another type, as Java casts it."""
    type_ = spark_type(target)
    assert type_ is not None
    # Java goes through int, and wraps around from there.
    return value.cast(INT).cast(type_) if target.root in ("TINYINT", "SMALLINT") else value.cast(type_)


def _whole_seconds(of_day: Column) -> Column:
    return (function_call("div", of_day, whole(1000)) * 1000).cast(INT)


def _to_time(value: Column, source: LogicalType, target: LogicalType, zone: str) -> Column | None:
    precision = target.precision or 0
    shorter = precision < (source.precision or 0)
    match source.root, target.root:
        case "TIMESTAMP", "TIMESTAMP":
            return time_columns.cut_to_zero(value, precision, WALL_CLOCK) if shorter else value
        case "TIMESTAMP_LTZ", "TIMESTAMP_LTZ":
            return time_columns.cut_to_zero(value, precision, INSTANT) if shorter else value
        case "TIMESTAMP", "TIMESTAMP_LTZ":
            moment = time_columns.instant(value, zone)
            return time_columns.cut_to_zero(moment, precision, INSTANT) if shorter else moment
        case "TIMESTAMP_LTZ", "TIMESTAMP":
            wall = time_columns.local(value, zone)
            return time_columns.cut_to_zero(wall, precision, WALL_CLOCK) if shorter else wall
        case "TIME", "TIMESTAMP":
            return time_columns.of_milliseconds(value)
        case "TIME", "TIMESTAMP_LTZ":
            return time_columns.instant(time_columns.of_milliseconds(value), zone)
        case "DATE", "TIMESTAMP":
            return value.cast(WALL_CLOCK)
        case "DATE", "TIMESTAMP_LTZ":
            return time_columns.instant(value.cast(WALL_CLOCK), zone)
        case "TIMESTAMP", "DATE":
            return time_columns.day_of(value)
        case "TIMESTAMP_LTZ", "DATE":
            return time_columns.local(value, zone).cast(DATE)
        case "TIMESTAMP_LTZ", "TIME":
            return _whole_seconds(
                function_call("pmod", time_columns.milliseconds(time_columns.local(value, zone)), large(86_400_000))
            )
        case "TIMESTAMP", "TIME":
            seconds = _whole_seconds(time_columns.milliseconds(value) % large(86_400_000))
            words = text("A TIMESTAMP before 1970 has a TIME below zero, and so Flink stops.")
            return choice(seconds < 0, failing(words), seconds)
    return None
