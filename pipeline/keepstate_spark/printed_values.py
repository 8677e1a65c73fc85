"""Values of results as Flink prints them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta, timezone
from typing import Any

from keepstate.plan.types.logical_types import LogicalType
from keepstate_spark.session import time_zone

Writer = Callable[[Any], Any]
"""From a value as PySpark gives it to one that JSON has, or to a ``Decimal``, which has all of its digits."""


def writer(type_: LogicalType, zone: str) -> Writer:
    """Return the function that prints values of ``type_``. Instants are shown in ``zone``."""
    return _nullable(_writer(type_, zone))


def _nullable(write: Writer) -> Writer:
    return lambda value: None if value is None else write(value)


def _writer(type_: LogicalType, zone: str) -> Writer:
    match type_.root:
        case "TIMESTAMP":
            return timestamp_text
        case "TIMESTAMP_LTZ":
            local = time_zone(zone)
            return lambda value: timestamp_text(_aware(value).astimezone(local).replace(tzinfo=None))
        case "DATE":
            return _date_text
        case "TIME":
            return lambda value: str(datetime.min + timedelta(milliseconds=value))[11:19]
        case "FLOAT":
            return _single
        case "DOUBLE":
            return _finite
        case "BINARY" | "VARBINARY":
            return lambda value: "0x" + bytes(value).hex()
        case "ARRAY":
            item = writer(type_.elements[0], zone)
            return lambda value: [item(element) for element in value]
        case "MULTISET":
            item = writer(type_.elements[0], zone)
            return lambda value: {_key(item(name)): count for name, count in value.items()}
        case "MAP":
            key, item = (writer(element, zone) for element in type_.elements)
            return lambda value: {_key(key(name)): item(element) for name, element in value.items()}
        case "ROW":
            parts = [writer(element, zone) for element in type_.elements]
            return lambda value: [part(element) for part, element in zip(parts, value, strict=True)]
    return lambda value: value


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
