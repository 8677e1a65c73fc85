"""Values of files as Spark SQL text: what JSON and CSV write, as values of Flink's types.

Each text gives NULL for what is no such value, so that whoever reads can tell such a row from one that has none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from keepstate.plan.logical_types import LogicalType
from keepstate_spark.lowering import times
from keepstate_spark.lowering.spark_types import quoted, spark_type, string

_WHOLE = r"^\\s*[+-]?\\d+(\\.0*)?\\s*$"
_LOCAL = r"^\\d{4}-\\d{2}-\\d{2}[ T]\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?$"
_INSTANT = r"^\\d{4}-\\d{2}-\\d{2}[ T]\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?(Z|[+-]\\d{2}:\\d{2})$"
_DAY = r"^\\d{4}-\\d{2}-\\d{2}$"


def read(raw: str, type_: LogicalType, words: tuple[str, ...], nested: bool) -> str | None:
    """``raw``, a string column, as a value of ``type_``; ``None`` if values of that type cannot be read.

    ``words`` are those of the type as it is declared, whose names JSON goes by; ``nested`` tells that values may be
    JSON.
    """
    name = spark_type(type_)
    precision = type_.precision or 0
    match type_.root:
        case _ if name is None:
            return None
        case "CHAR" | "VARCHAR":
            return raw
        case "TINYINT" | "SMALLINT" | "INT" | "BIGINT":
            return f"if({raw} rlike '{_WHOLE}', cast({raw} as {name}), null)"
        case "BOOLEAN":
            return f"case lower(trim({raw})) when 'true' then true when 'false' then false end"
        case "DECIMAL" | "FLOAT" | "DOUBLE":
            return f"cast({raw} as {name})"
        case "DATE":
            return f"if({raw} rlike '{_DAY}', try_cast({raw} as date), null)"
        case "TIME":
            return times.parsed_time(raw)
        case "TIMESTAMP":
            parsed = f"if({raw} rlike '{_LOCAL}', try_cast({raw} as timestamp_ntz), null)"
            return times.truncated(parsed, precision, "timestamp_ntz")
        case "TIMESTAMP_LTZ":
            parsed = f"if({raw} rlike '{_INSTANT}', try_cast({raw} as timestamp_ltz), null)"
            return times.truncated(parsed, precision, "timestamp_ltz")
        case "BINARY" | "VARBINARY":
            return f"try_to_binary({raw}, 'base64')"
        case "ARRAY" | "MAP" | "ROW" if nested and name is not None:
            schema = _spelled(type_, iter(_names(type_)), list(words))
            # What cannot be read in there ends the run: nobody could say which row is bad.
            return f"cast(from_json({raw}, {string(schema)}, map('mode', 'FAILFAST')) as {name})"
    return None


def _names(type_: LogicalType) -> Iterator[str]:
    """The names of fields in a type, in the order in which they are written."""
    for index, element in enumerate(type_.elements):
        if type_.names:
            yield type_.names[index]
        yield from _names(element)


def _spelled(type_: LogicalType, names: Iterator[str], words: list[str]) -> str:
    """The type in Spark's words, names of fields as they are declared: canonical types have them in upper case."""
    if type_.root == "ROW":
        fields = []
        for element in type_.elements:
            name = next(names)
            position = next((index for index, word in enumerate(words) if word.upper() == name), None)
            if position is not None:
                name = words[position]
                del words[: position + 1]
            fields.append(f"{quoted(name)}:{_spelled(element, names, words)}")
        return f"struct<{','.join(fields)}>"
    if type_.root in ("ARRAY", "MAP"):
        return f"{type_.root.lower()}<{','.join(_spelled(element, names, words) for element in type_.elements)}>"
    return spark_type(type_) or "string"


def declared_words(text: str) -> tuple[str, ...]:
    """The words and names of a column as it is written."""
    return tuple(word.strip("`") for word in re.findall(r"`[^`]+`|\w+", text))
