"""Values of results as Flink prints them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta, timezone, tzinfo
from decimal import Context, Decimal
from functools import partial
from typing import TYPE_CHECKING, Any

from keepstate.plan.types.logical_types import LogicalType
from keepstate_spark.session import time_zone

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

Writer = Callable[[Any], Any]
"""From a value as PySpark gives it to one that JSON has, or to a ``Decimal``, which has all of its digits."""


def writer(type_: LogicalType, zone: str, numbered: bool = False) -> Writer:
    """Return the function that prints values of ``type_``. Instants are shown in ``zone``. With ``numbered`` times are
    the numbers of ``with_numbers``.
    """
    return _nullable(_writer(type_, zone, numbered))


def with_numbers(rows: DataFrame, types: Sequence[LogicalType]) -> DataFrame:
    """``rows`` with numbers in the place of times: Python has no years behind 9999, and none before 1."""
    columns = (_number(rows[name], type_).alias(name) for name, type_ in zip(rows.columns, types, strict=True))
    return rows.select(*columns)


def _number(value: Column, type_: LogicalType) -> Column:
    """Days of a date and microseconds of a time, since 1970."""
    from pyspark.sql import functions as fn

    match type_.root:
        case "DATE":
            return fn.unix_date(value)
        case "TIMESTAMP" | "TIMESTAMP_LTZ":
            return fn.unix_micros(value.cast("timestamp_ltz"))
        case "ARRAY":
            return fn.transform(value, lambda item: _number(item, type_.elements[0]))
        case "MAP":
            keys = fn.transform_keys(value, lambda key, _: _number(key, type_.elements[0]))
            return fn.transform_values(keys, lambda _, item: _number(item, type_.elements[1]))
        case "ROW":
            pairs = zip(type_.names, type_.elements, strict=True)
            row = fn.struct(*(_number(value.getField(name), part).alias(name) for name, part in pairs))
            return fn.when(value.isNotNull(), row)
    return value


def _nullable(write: Writer) -> Writer:
    return lambda value: None if value is None else write(value)


def _writer(type_: LogicalType, zone: str, numbered: bool) -> Writer:
    match type_.root:
        case "DATE" if numbered:
            return lambda days: _far(days * _DAY, None)[:-9]
        case "TIMESTAMP" if numbered:
            return lambda micros: _far(micros, None)
        case "TIMESTAMP_LTZ" if numbered:
            return lambda micros: _far(micros, time_zone(zone))
        case "TIMESTAMP":
            return timestamp_text
        case "TIMESTAMP_LTZ":
            local = time_zone(zone)
            return lambda value: timestamp_text(_aware(value).astimezone(local).replace(tzinfo=None))
        case "DATE":
            return _date_text
        case "TIME":
            return lambda value: str(datetime.min + timedelta(milliseconds=value))[11:19]
        case "INTERVAL SECOND" | "INTERVAL MONTH":
            return partial(_length, in_months=type_.root == "INTERVAL MONTH")
        case "DECIMAL":
            return partial(_of_scale, scale=type_.scale or 0)
        case "FLOAT":
            return _single
        case "DOUBLE":
            return _finite
        case "BINARY" | "VARBINARY":
            return lambda value: "0x" + bytes(value).hex()
        case "ARRAY":
            item = writer(type_.elements[0], zone, numbered)
            return lambda value: [item(element) for element in value]
        case "MULTISET":
            item = writer(type_.elements[0], zone, numbered)
            return lambda value: {_key(item(name)): count for name, count in value.items()}
        case "MAP":
            key, item = (writer(element, zone, numbered) for element in type_.elements)
            return lambda value: {_key(key(name)): item(element) for name, element in value.items()}
        case "ROW":
            parts = [writer(element, zone, numbered) for element in type_.elements]
            return lambda value: [part(element) for part, element in zip(parts, value, strict=True)]
    return lambda value: value


def _of_scale(value: Decimal, scale: int) -> Decimal:
    """A decimal with the digits of its type behind the point. PySpark gives a small one more of them, for an exponent
    that is a multiple of three.

    >>> format(_of_scale(Decimal("1.00E-10"), 10), "f")
    '0.0000000001'
    """
    return value.quantize(Decimal((0, (1,), -scale)), context=_LONG)


_LONG = Context(prec=100)


def _length(value: int, in_months: bool) -> str:
    """A length of time as a CAST of Flink writes it.

    >>> _length(-14, in_months=True), _length(93784567, in_months=False)
    ('-1-02', '+1 02:03:04.567')
    """
    sign, size = "-" if value < 0 else "+", abs(value)
    if in_months:
        return f"{sign}{size // 12}-{size % 12:02d}"
    days, rest = divmod(size, 86_400_000)
    return f"{sign}{days} {datetime.min + timedelta(milliseconds=rest):%H:%M:%S}.{rest % 1000:03d}"


def _key(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else str(value)


def _aware(value: datetime) -> datetime:
    return value if value.tzinfo is not None else value.astimezone(timezone.utc)


def timestamp_text(value: datetime) -> str:
    """``2026-03-01 09:00:00.5``: without zeros at the end, years in four digits."""
    text = f"{_date_text(value)} {value:%H:%M:%S}"
    return f"{text}.{value.microsecond:06d}".rstrip("0") if value.microsecond else text


def _date_text(value: date) -> str:
    return f"{value.year:04d}-{value.month:02d}-{value.day:02d}"


_DAY = 86_400_000_000
_CYCLE = 146_097 * _DAY
"""400 years, after which the calendar comes again."""
_FIRST, _LAST = -718_797 * _DAY, 2_932_530 * _DAY
"""The first days of the years 2 and 9999: times between them are Python's own in each zone."""


def _far(micros: int, zone: tzinfo | None) -> str:
    """A time of any year: of more digits with a sign, as Java writes it.

    >>> _far(253402300800000000, None), _far(-62167219200000000, None), _far(0, None)
    ('+10000-01-01 00:00:00', '0000-01-01 00:00:00', '1970-01-01 00:00:00')
    >>> _far(-12207458428000000, time_zone("Europe/Berlin"))  # In the time of the sun, 53:28 in front of UTC.
    '1583-03-01 00:13:00'
    """
    # As few cycles as it takes: the clock of a zone was another one in former times.
    cycles = min(micros - _FIRST, 0) // _CYCLE - min(_LAST - micros, 0) // _CYCLE
    near = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(microseconds=micros - cycles * _CYCLE)
    wall = near.astimezone(zone).replace(tzinfo=None) if zone is not None else near.replace(tzinfo=None)
    year = wall.year + 400 * cycles
    sign = "+" if year > 9999 else "-" if year < 0 else ""
    return f"{sign}{abs(year):04d}{timestamp_text(wall)[4:]}"


def _finite(value: float) -> Any:
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    return value


def _single(value: float) -> Any:
    """Return a FLOAT with the fewest digits that identify it."""
    import struct

    if value != value or value in (float("inf"), float("-inf")):
        return _finite(value)
    single = struct.pack("f", value)
    return next(short for digits in range(6, 18) if struct.pack("f", short := float(f"{value:.{digits}g}")) == single)
