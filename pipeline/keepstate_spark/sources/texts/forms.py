"""Forms of texts that Flink takes for a value of JSON or CSV, as columns of Spark.

Each function returns NULL for a text in another form: Flink stops at it, or reads NULL with ``ignore-parse-errors``.
Where Flink takes a text that is not read here, or loses its place in the line, the query stops with the reason.
"""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column
from pyspark.sql import types as spark

from keepstate_spark.lowering import time_columns
from keepstate_spark.lowering.older_versions import try_cast
from keepstate_spark.lowering.spark_columns import (
    BIGINT,
    DATE,
    DOUBLE,
    INSTANT,
    INT,
    STRING,
    WALL_CLOCK,
    all_true,
    choice,
    failing,
    function_call,
    text,
    true,
    whole,
)

_YEAR = r"(?:-?\d{4}|[+-]\d{5,9})"
_DATE = rf"^{_YEAR}-\d{{2}}-\d{{2}}$"
_PLAIN_DATE = r"^\d{4}-\d{2}-\d{2}$"
_LENIENT_DATE = r"^(\d{4})-(0?[1-9]|1[0-2])-(0?[1-9]|[12]\d|3[01])$"
_FIRST_YEAR = "1583"
"""The first year in which Java's older calendar counts all days as this one."""
_LEAP, _GREGORIAN = "1582-10-04", "1582-10-15"
"""The days around those that the older calendar does not have."""
_SECONDS = r":\d{2}(?:\.\d{0,9})?"
_PLAIN = r"^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z?$"
_PLAIN_ISO = r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?Z?$"
_WALL_CLOCK = rf"^{_YEAR}-\d{{2}}-\d{{2}} \d{{2}}:\d{{2}}{_SECONDS}Z?$"
_WALL_CLOCK_ISO = rf"^{_YEAR}-\d{{2}}-\d{{2}}[Tt]\d{{2}}:\d{{2}}(?:{_SECONDS})?Z?$"
_PARTS = rf"^({_YEAR}-(?:0[1-9]|1[0-2]))-(0[1-9]|[12]\d|3[01])[ T](\d{{2}}:\d{{2}}(?::\d{{2}}(?:\.\d{{1,9}})?)?)\.?Z?$"
_END_OF_DAY = r"^24:00(?::00(?:\.0*)?)?$"
_TIME = r"^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{0,9})?$"
_SHORT_TIME = r"^(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{0,9})?)?$"
_MIDNIGHT = r"^24:00:00(?:\.0*)?$"
_FRACTION = r"\.\d*[1-9]"
_TRUE = r"^[\x00-\x20]*(?i:true)[\x00-\x20]*$"
_NUMBER = r"^-?\d+(?:\.\d+(?:[eE][+-]?\d+)?|[eE][+-]?\d+)$"
_BOUNDS: dict[spark.DataType, tuple[str, str]] = {
    INT: ("-2147483648", "2147483647"),
    BIGINT: ("-9223372036854775808", "9223372036854775807"),
}
_NO_NUMBER_OF_JAVA = r"^[\x00-\x20]*[+-]?(?!NaN|Infinity)[a-zA-Z]"
"""Names of what is no number, which Spark reads in all letters."""
_DECIMAL = r"^[\x00-\x20]*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,10})?[\x00-\x20]*$"
_BLANK = r"^[\x00-\x20]|[\x00-\x20]$"
_BLANKS = r"^[\x00-\x20]+|[\x00-\x20]+$"
_OTHER_DIGITS = r"[\p{Nd}&&[^0-9]]"
_STRUCTURE = r"^[\[{]"
_UNQUOTED = r"^(?:true|-?\d[\d.eE+-]*)$"
_BASE64_LENGTH = 4
"""Base64 stands in groups of four characters."""


@dataclass(frozen=True)
class TextForm:
    """Format of the texts of a table: JSON, or else CSV. In a ``tolerant`` table a text in no form is NULL.

    With ``iso`` times are written as in ISO-8601, and otherwise as in SQL.
    """

    is_json: bool
    tolerant: bool = False
    iso: bool = False


def whole_number(raw: Column, held_in: spark.DataType, form: TextForm) -> Column:
    """``raw`` as Java's ``parseInt`` reads it behind ``trim``. Of a number of JSON, an INT or BIGINT has no fraction.

    Flink takes no such number in quotes, of which Spark says nothing.
    """
    # Spark would cut the fractions of all texts.
    value = _or_other_digits(raw, choice(~raw.contains(text(".")), raw.cast(held_in)), held_in)
    if not form.is_json or held_in not in _BOUNDS:
        return value
    return function_call("coalesce", value, choice(_fits(raw, _NUMBER), _cut(raw, held_in)))


def _cut(raw: Column, held_in: spark.DataType) -> Column:
    number = raw.cast(DOUBLE)
    least, greatest = (text(bound).cast(DOUBLE) for bound in _BOUNDS[held_in])
    return choice((number >= least) & (number <= greatest), number.cast(held_in))


def decimal(raw: Column, held_in: spark.DataType, form: TextForm) -> Column:
    """``raw`` as a DECIMAL, also NULL if it is too large. Of CSV, Flink takes no blanks around it."""
    value = raw.cast(held_in)
    return _or_other_digits(raw, value if form.is_json else choice(~_fits(raw, _BLANK), value), held_in)


def is_decimal(raw: Column, form: TextForm) -> Column:
    """Return whether ``raw`` is a DECIMAL, of any size."""
    fits = _fits(raw, _DECIMAL)
    return fits if form.is_json else fits & ~_fits(raw, _BLANK)


def approximate(raw: Column, held_in: spark.DataType) -> Column:
    """``raw`` as Java's ``parseDouble`` reads it."""
    return choice(~_fits(raw, _NO_NUMBER_OF_JAVA), raw.cast(held_in))


def boolean(raw: Column, form: TextForm) -> Column:
    """``raw`` as Java's ``parseBoolean`` reads it: each text but ``true`` is FALSE."""
    value = _fits(raw, _TRUE)
    if form.is_json:
        value = choice(_fits(raw, _STRUCTURE), _out_of_place(raw).cast("boolean"), value)
    return choice(raw == text("true"), true(), choice(raw == text("false"), ~true(), value))


def day(raw: Column, form: TextForm) -> Column:
    """``raw`` as a DATE. Of CSV, a day behind the end of a month is one of the next month."""
    if form.is_json:
        return choice(_fits(raw, _DATE), try_cast(raw, DATE))
    plain = choice(_fits(raw, _PLAIN_DATE), try_cast(raw, DATE))
    lenient = choice(_fits(raw, _LENIENT_DATE), _lenient_day(raw))
    return _or_other_digits(raw, function_call("coalesce", choice(raw >= text(_FIRST_YEAR), plain), lenient), DATE)


def _lenient_day(raw: Column) -> Column:
    year, month, number = (function_call("regexp_extract", raw, text(_LENIENT_DATE), whole(part)) for part in (1, 2, 3))
    first = try_cast(function_call("concat_ws", text("-"), year, month, text("1")), DATE)
    words = text("Flink counts days before 1582-10-15 by another calendar in CSV: ")
    plain = choice(_fits(raw, _PLAIN_DATE), try_cast(raw, DATE))
    is_same = all_true(year > text("0000"), (plain <= text(_LEAP).cast(DATE)) | (plain >= text(_GREGORIAN).cast(DATE)))
    early = choice(is_same, plain, failing(words, raw).cast(DATE))
    return choice(year < text(_FIRST_YEAR), early, function_call("date_add", first, number.cast(INT) - 1))


def time_of_day(raw: Column, form: TextForm) -> Column:
    """``raw`` as the milliseconds of a TIME."""
    seconds = time_columns.parsed_time(function_call("substring_index", raw, text("."), whole(1)))
    if not form.is_json:
        return choice(_fits(raw, _SHORT_TIME), seconds)
    words = text("Flink 1.20 drops the fraction of a TIME of JSON, and newer versions keep it: ")
    exact = choice(_fits(raw, _FRACTION), failing(words, raw).cast(INT), seconds)
    return choice(_fits(raw, _TIME), exact, choice(_fits(raw, _MIDNIGHT), whole(0)))


def wall_clock(raw: Column, form: TextForm) -> Column:
    """``raw`` as a TIMESTAMP: a day behind the end of a month is its last one, but not in ISO-8601."""
    raw = raw if form.is_json else _trimmed(raw)
    is_local = ~raw.endswith(text("Z"))
    if form.iso:
        clean = function_call(
            "translate", function_call("regexp_replace", raw, text(r"\.$"), text("")), text("t"), text("T")
        )
        return choice(is_local & _fits(raw, _WALL_CLOCK_ISO), try_cast(clean, WALL_CLOCK))
    plain = choice(is_local & _fits(raw, _PLAIN), try_cast(raw, WALL_CLOCK))
    return function_call("coalesce", plain, choice(is_local & _fits(raw, _WALL_CLOCK), _resolved(raw)))


def instant(raw: Column, form: TextForm) -> Column:
    """``raw`` as a TIMESTAMP_LTZ, which ends with a ``Z``."""
    raw = raw if form.is_json else _trimmed(raw)
    in_utc = raw.endswith(text("Z"))
    plain = choice(in_utc & _fits(raw, _PLAIN_ISO if form.iso else _PLAIN), try_cast(raw, INSTANT))
    other = all_true(in_utc, _fits(raw, _WALL_CLOCK_ISO if form.iso else _WALL_CLOCK), ~raw.contains(text("t")))
    return function_call("coalesce", plain, choice(other, _resolved(raw).cast(INSTANT)))


def _resolved(raw: Column) -> Column:
    """A wall-clock time whose day may be behind the end of its month, or whose hour may be 24."""
    month, number, time = (function_call("regexp_extract", raw, text(_PARTS), whole(part)) for part in (1, 2, 3))
    last = function_call("last_day", try_cast(function_call("concat", month, text("-01")), DATE))
    within = function_call("least", number.cast(INT), function_call("day", last))
    date = function_call("date_add", last, within - function_call("day", last))
    ends = _fits(time, _END_OF_DAY)
    date = function_call("date_add", date, choice(ends, whole(1), whole(0)))
    moment = function_call("concat_ws", text(" "), date.cast(STRING), choice(ends, text("00:00:00"), time))
    return choice(_fits(raw, _PARTS), try_cast(moment, WALL_CLOCK))


def bytes_of(raw: Column, form: TextForm) -> Column:
    """``raw`` as the bytes that it stands for in Base64, which is filled up with ``=``."""
    length = function_call("char_length", function_call("regexp_replace", raw, text(r"[\x00-\x20]"), text("")))
    value = choice(length % whole(_BASE64_LENGTH) == whole(0), function_call("try_to_binary", raw, text("base64")))
    if not form.is_json:
        return value
    words = text("Whether it is quoted decides for Flink, and is not known here: ")
    return choice(_fits(raw, _UNQUOTED), failing(words, raw).cast("binary"), value)


def in_place(raw: Column, value: Column, type_: spark.DataType) -> Column:
    """``value``, which ``raw`` is read as in a tolerant table. The query stops where that is NULL for an object or a
    list: Flink goes on within it, as if its names were those of columns.
    """
    return function_call("coalesce", value, choice(_fits(raw, _STRUCTURE), _out_of_place(raw).cast(type_)))


def _out_of_place(raw: Column) -> Column:
    return failing(text("Flink loses its place in a line with an object or a list in the place of a value: "), raw)


def _or_other_digits(raw: Column, value: Column, held_in: spark.DataType) -> Column:
    """``value``; the query stops where it is NULL for a text with digits of other scripts, which Java reads."""
    words = text("Flink reads digits of other scripts, which are not read here: ")
    return function_call("coalesce", value, choice(_fits(raw, _OTHER_DIGITS), failing(words, raw).cast(held_in)))


def _trimmed(raw: Column) -> Column:
    """``raw`` as Java's ``trim`` makes it."""
    return choice(_fits(raw, _BLANK), function_call("regexp_replace", raw, text(_BLANKS), text("")), raw)


def _fits(raw: Column, pattern: str) -> Column:
    return function_call("rlike", raw, text(pattern))
