"""Casts from one Flink type to another as Spark SQL text.

The text wants a session without ANSI mode: numbers wrap around as in Java, a decimal that does not fit is NULL, and
what Flink stops for is an error that the text raises by itself.
"""

from __future__ import annotations

from keepstate.plan.common_types import APPROXIMATE, INTEGERS, NUMERIC
from keepstate.plan.logical_types import LONGEST, LogicalType
from keepstate_spark.lowering import times
from keepstate_spark.lowering.spark_types import spark_type, string

TEXT = frozenset({"CHAR", "VARCHAR"})
_PLAIN_SCALE = 6
"""Up to so many digits behind the point Spark writes a DECIMAL without an exponent."""


def cast(value: str, source: LogicalType, target: LogicalType, zone: str, strict: bool = True) -> str | None:
    """``value``, of type ``source``, as a value of type ``target``; ``None`` if that cast is not known.

    ``strict`` is CAST, which stops the query where a text is no such value; otherwise it is TRY_CAST, or one that Flink
    makes by itself.
    """
    if source == target:
        return value
    name = spark_type(target)
    if name is None:
        return None
    if {source.root, target.root} <= {"CHAR", "VARCHAR", "VARBINARY"} and "VARBINARY" in (source.root, target.root):
        # As UTF-8, and nothing is cut off.
        return f"cast({value} as {name})" if target.length == LONGEST else None
    if target.root in TEXT:
        text = _to_text(value, source, zone)
        return _fitted(text, source, target) if text is not None else None
    if source.root in TEXT:
        found = _from_text(value, target, zone)
        return found if found is None or not strict else _or_error(found, value, target)
    if target.root in NUMERIC:
        return _to_number(value, source, target, name)
    if target.root == "BOOLEAN":
        return f"({value} <> 0)" if source.root in INTEGERS else None
    if target.root in ("DATE", "TIME", "TIMESTAMP", "TIMESTAMP_LTZ"):
        return _to_time(value, source, target, zone)
    if (source.root, source.names) == (target.root, target.names) or {source.root, target.root} <= {
        "BINARY",
        "VARBINARY",
    }:
        return f"cast({value} as {name})"
    return None


def _or_error(found: str, value: str, target: LogicalType) -> str:
    words = string(f"cannot be cast to {target}, and so Flink stops: ")
    return f"coalesce({found}, if({value} is null, null, raise_error(concat({words}, {value}))))"


def _to_text(value: str, source: LogicalType, zone: str) -> str | None:
    match source.root:
        case "CHAR" | "VARCHAR":
            return value
        case "BOOLEAN":
            return f"upper(cast({value} as string))"
        case "DECIMAL" if (source.scale or 0) > _PLAIN_SCALE:
            return f"replace(format_number({value}, {source.scale}), ',', '')"
        case "TIMESTAMP" | "TIMESTAMP_LTZ":
            digits = f".{'S' * source.precision}" if source.precision else ""
            wall = times.local(value, zone) if source.root == "TIMESTAMP_LTZ" else value
            return f"date_format({wall}, 'yyyy-MM-dd HH:mm:ss{digits}')"
        case "TIME":
            return times.time_text(value)
        case "TINYINT" | "SMALLINT" | "INT" | "BIGINT" | "FLOAT" | "DOUBLE" | "DECIMAL" | "DATE":
            return f"cast({value} as string)"
    return None


def _fitted(text: str, source: LogicalType, target: LogicalType) -> str:
    """A text cut to the length of its type, and filled up to that of CHAR."""
    length = target.length or 0
    if target.root == "CHAR":
        return f"rpad({text}, {length}, ' ')"
    fits = source.root in TEXT and (source.length or 0) <= length
    return text if length == LONGEST or fits else f"substring({text}, 1, {length})"


def _from_text(value: str, target: LogicalType, zone: str) -> str | None:
    match target.root:
        case "DATE":
            return times.parsed_date(value)
        case "TIME":
            return times.parsed_time(value)
        case "TIMESTAMP":
            return times.truncated(times.parsed_timestamp(value), target.precision or 0, "timestamp_ntz")
        case "TIMESTAMP_LTZ":
            wall = times.truncated(times.parsed_timestamp(value), target.precision or 0, "timestamp_ntz")
            return times.instant(wall, zone)
        case "BOOLEAN" | "DECIMAL" | "FLOAT" | "DOUBLE" | "TINYINT" | "SMALLINT" | "INT" | "BIGINT":
            return f"cast({value} as {spark_type(target)})"
    return None


def _to_number(value: str, source: LogicalType, target: LogicalType, name: str) -> str | None:
    if source.root == "BOOLEAN" or source.root in NUMERIC:
        if source.root in APPROXIMATE and target.root in ("TINYINT", "SMALLINT"):
            # Java goes through int, and wraps around from there.
            return f"cast(cast({value} as int) as {name})"
        return f"cast({value} as {name})"
    return None


def _to_time(value: str, source: LogicalType, target: LogicalType, zone: str) -> str | None:
    precision = target.precision or 0
    match source.root, target.root:
        case "TIMESTAMP", "TIMESTAMP":
            return times.truncated(value, precision, "timestamp_ntz") if precision < (source.precision or 0) else value
        case "TIMESTAMP_LTZ", "TIMESTAMP_LTZ":
            return times.truncated(value, precision, "timestamp_ltz") if precision < (source.precision or 0) else value
        case "TIMESTAMP", "TIMESTAMP_LTZ":
            wall = times.truncated(value, precision, "timestamp_ntz") if precision < (source.precision or 0) else value
            return times.instant(wall, zone)
        case "TIMESTAMP_LTZ", "TIMESTAMP":
            wall = times.local(value, zone)
            return times.truncated(wall, precision, "timestamp_ntz") if precision < (source.precision or 0) else wall
        case "DATE", "TIMESTAMP":
            return f"cast({value} as timestamp_ntz)"
        case "DATE", "TIMESTAMP_LTZ":
            return times.instant(f"cast({value} as timestamp_ntz)", zone)
        case "TIMESTAMP", "DATE":
            return f"cast({value} as date)"
        case "TIMESTAMP_LTZ", "DATE":
            return f"cast({times.local(value, zone)} as date)"
        case "TIMESTAMP" | "TIMESTAMP_LTZ", "TIME":
            wall = times.local(value, zone) if source.root == "TIMESTAMP_LTZ" else value
            return f"cast(pmod({times.milliseconds(wall)}, 86400000L) div 1000 * 1000 as int)"
    return None
