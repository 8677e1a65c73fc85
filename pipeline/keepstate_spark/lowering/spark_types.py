"""How Spark holds the values of Flink's types.

TIMESTAMP is ``timestamp_ntz``, TIMESTAMP_LTZ an instant (``timestamp_ltz``), TIME the milliseconds of its day: Spark
has no such type before 4.1. CHAR and VARCHAR are strings, whose lengths casts see to.
"""

from __future__ import annotations

from keepstate.plan.logical_types import LogicalType

MICROSECONDS = 6
"""Digits of a second that Spark keeps."""

_SAME = {
    "BOOLEAN": "boolean",
    "TINYINT": "tinyint",
    "SMALLINT": "smallint",
    "INT": "int",
    "BIGINT": "bigint",
    "FLOAT": "float",
    "DOUBLE": "double",
    "DATE": "date",
    "TIME": "int",
    "CHAR": "string",
    "VARCHAR": "string",
    "BINARY": "binary",
    "VARBINARY": "binary",
    "TIMESTAMP": "timestamp_ntz",
    "TIMESTAMP_LTZ": "timestamp_ltz",
}


def spark_type(type_: LogicalType) -> str | None:
    """The name of the Spark type for values of ``type_``; ``None`` if Spark cannot hold all of them."""
    if type_.root in ("TIMESTAMP", "TIMESTAMP_LTZ") and (type_.precision or 0) > MICROSECONDS:
        return None
    if type_.root == "DECIMAL":
        return f"decimal({type_.precision},{type_.scale})"
    elements = [spark_type(element) for element in type_.elements]
    if None in elements:
        return None
    match type_.root:
        case "ARRAY":
            return f"array<{elements[0]}>"
        case "MAP":
            return f"map<{elements[0]},{elements[1]}>"
        case "ROW":
            fields = (f"{quoted(name)}:{element}" for name, element in zip(type_.names, elements, strict=True))
            return f"struct<{','.join(fields)}>"
    return _SAME.get(type_.root)


def quoted(name: str) -> str:
    """A column name in Spark SQL text."""
    return "`" + name.replace("`", "``") + "`"


def string(value: str) -> str:
    """A string constant in Spark SQL text."""
    escaped = value.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\r", "\\r")
    return f"'{escaped}'"


def shown(type_: LogicalType) -> str:
    """A type as Flink prints it: ``DECIMAL(10, 2)``."""
    if type_.root == "DECIMAL":
        return f"DECIMAL({type_.precision}, {type_.scale})"
    if type_.root == "TIME":
        return f"TIME({type_.precision or 0})"
    if type_.root == "ROW":
        fields = (f"`{name}` {shown(element)}" for name, element in zip(type_.names, type_.elements, strict=True))
        return f"ROW<{', '.join(fields)}>"
    if type_.elements:
        return f"{type_.root}<{', '.join(map(shown, type_.elements))}>"
    return str(type_)
