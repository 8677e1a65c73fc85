"""Avro schemas as declarations of tables: names and types of columns, and nothing else.

A schema says nothing of watermarks, keys, computed columns and connectors, and the table may have other types: which
type a time has depends on the format and on the version of Flink. So what it says is assumed, never known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from keepstate.embedded.text_scalars import EmbeddingError, check_host
from keepstate.text import LineIndex

SCHEMA_SUFFIX = ".avsc"
_SUBJECT = re.compile(r"(?:[-.](?:value|key))?\.avsc\Z", re.IGNORECASE)
_SPACE = re.compile(r"[ \t\r\n]*")
_TYPES = {
    "boolean": "BOOLEAN",
    "int": "INT",
    "long": "BIGINT",
    "float": "FLOAT",
    "double": "DOUBLE",
    "bytes": "BYTES",
    "string": "STRING",
}
_LOGICAL = {
    ("int", "date"): "DATE",
    ("int", "time-millis"): "TIME(3)",
    ("long", "time-micros"): "TIME(6)",
    ("long", "timestamp-millis"): "TIMESTAMP(3)",
    ("long", "timestamp-micros"): "TIMESTAMP(6)",
    ("long", "local-timestamp-millis"): "TIMESTAMP(3)",
    ("long", "local-timestamp-micros"): "TIMESTAMP(6)",
}
_DEEPEST = 30
_MOST_TYPES = 10_000
"""Types of one schema, which may use a named one again and again."""
_MOST_DIGITS = 38


def table_of_schema(path: str) -> str:
    """The table that a schema is of: the name of its file, without the suffix of a subject.

    >>> table_of_schema("schemas/orders-value.avsc"), table_of_schema("orders.avsc")
    ('orders', 'orders')
    """
    return _SUBJECT.sub("", path.rpartition("/")[2])


def avro_table(path: str, text: str) -> str:
    """A declaration of the table that a schema is of. Each column stands in the line in which its field begins.

    >>> avro_table("a/t.avsc", '{"type": "record", "name": "R", "fields": [{"name": "x", "type": "long"}]}')
    'CREATE TABLE `t` (`x` BIGINT NOT NULL);'

    Raises:
        EmbeddingError: the text is no schema of a record, or has a type that no column has.
    """
    import json

    check_host(text)
    lines = LineIndex(text)
    ddl, line = [f"CREATE TABLE {_quoted(table_of_schema(path))} ("], 0
    try:
        _check_depth(text)
        types = _Types(json.loads(text))
        for number, (offset, field) in enumerate(_fields(text)):
            at = lines.position(offset).line
            separator = ", " if number else ""
            ddl.append(separator.rstrip() + "\n" * (at - line) if at > line else separator)
            ddl.append(types.column(field))
            line = at
    except (ValueError, RecursionError) as error:
        raise EmbeddingError(f"is no Avro schema: {error}") from error
    if len(ddl) == 1:
        raise EmbeddingError("is no Avro schema of a record with fields")
    return "".join(ddl) + ");" + "\n" * (lines.line_count - 1 - line)


def _check_depth(text: str) -> None:
    depth = deepest = 0
    for sign in re.finditer(r'"[^"\\]*(?:\\[\s\S][^"\\]*)*"|[\[{]|[\]}]', text):
        depth += (sign[0] in "[{") - (sign[0] in "]}")
        deepest = max(deepest, depth)
    if deepest > _DEEPEST * 4:
        raise ValueError("it nests too deeply")


def _remember(schema: Any, schemas: dict[str, Any]) -> None:
    """The types that a schema gives names to, which later fields use."""
    if isinstance(schema, list):
        for each in schema:
            _remember(each, schemas)
    elif isinstance(schema, dict):
        if schema.get("type") in ("record", "enum", "fixed") and isinstance(schema.get("name"), str):
            schemas.setdefault(schema["name"].rpartition(".")[2], schema)
        for each in schema.values():
            _remember(each, schemas)


def _fields(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The fields of the outermost record, each with the offset at which it begins."""
    import json

    decoder = json.JSONDecoder()

    def skip(at: int, signs: str) -> int:
        blank = _SPACE.match(text, at)
        assert blank is not None
        if text[blank.end() : blank.end() + 1] not in signs or blank.end() == len(text):
            raise ValueError(f"there is no {signs[0]} at offset {blank.end()}")
        return blank.end()

    def value(at: int) -> tuple[Any, int]:
        blank = _SPACE.match(text, at)
        assert blank is not None
        return decoder.raw_decode(text, blank.end())

    at = skip(0, "{")
    while text[at] in "{,":
        key, at = value(at + 1)
        at = skip(at, ":") + 1
        if key != "fields":
            at = skip(value(at)[1], ",}")
            continue
        at = skip(at, "[")
        while text[at] in "[,":
            begin = skip(at + 1, "{")
            field, at = decoder.raw_decode(text, begin)
            yield begin, field
            at = skip(at, ",]")
        at = skip(at + 1, ",}")


def _quoted(name: str) -> str:
    return f"`{name.replace('`', '``')}`"


class _Types:
    """The types of one schema."""

    def __init__(self, schema: Any) -> None:
        self._named: dict[str, Any] = {}
        self._left = _MOST_TYPES
        _remember(schema, self._named)

    def column(self, field: Any, around: tuple[str, ...] = ()) -> str:
        name = field.get("name") if isinstance(field, dict) else None
        if not isinstance(name, str) or not name or "\n" in name or "\r" in name:
            raise ValueError("a field has no name")
        return f"{_quoted(name)} {self._type(field.get('type'), name, around)}"

    def _type(self, schema: Any, field: str, around: tuple[str, ...]) -> str:
        """The SQL type of a schema, with NOT NULL unless null is one of its types. ``around`` are the types that it is
        a part of.
        """
        self._left -= 1
        if len(around) > _DEEPEST or self._left < 0:
            raise ValueError(f"the field {field} nests too deeply")
        if isinstance(schema, list):
            types = [each for each in schema if each != "null"]
            if len(types) != 1:
                raise ValueError(f"the field {field} has a union that is no type of a column")
            type_text = self._type(types[0], field, (*around, "union"))
            return type_text.removesuffix(" NOT NULL") if "null" in schema else type_text
        return f"{self._bare(schema, field, around)} NOT NULL"

    def _bare(self, schema: Any, field: str, around: tuple[str, ...]) -> str:
        kind = schema.get("type") if isinstance(schema, dict) else schema
        if isinstance(kind, (dict, list)):
            return self._type(kind, field, (*around, "type")).removesuffix(" NOT NULL")
        if not isinstance(kind, str):
            raise ValueError(f"the field {field} has no type")
        if isinstance(schema, dict) and (compound := self._compound(schema, kind, field, around)):
            return compound
        if kind in _TYPES:
            return _TYPES[kind]
        name = kind.rpartition(".")[2]
        if name in around:
            raise ValueError(f"the field {field} holds a record that holds itself")
        if name not in self._named:
            raise ValueError(f"the field {field} has the type {kind[:60]}, which is not known")
        return self._bare(self._named[name], field, around)

    def _compound(self, schema: dict[str, Any], kind: str, field: str, around: tuple[str, ...]) -> str | None:
        """The SQL type of a schema with more members than its type."""
        logical = schema.get("logicalType")
        if logical == "decimal" and kind in ("bytes", "fixed"):
            return _decimal(schema, field)
        if isinstance(logical, str) and (kind, logical) in _LOGICAL:
            return _LOGICAL[kind, logical]
        inner = (*around, kind)
        if kind == "array":
            return f"ARRAY<{self._type(schema.get('items'), field, inner)}>"
        if kind == "map":
            return f"MAP<STRING NOT NULL, {self._type(schema.get('values'), field, inner)}>"
        if kind == "record":
            fields, name = schema.get("fields"), str(schema.get("name")).rpartition(".")[2]
            if name in around:
                raise ValueError(f"the field {field} holds a record that holds itself")
            if not isinstance(fields, list) or not fields:
                raise ValueError(f"the field {field} is a record without fields")
            return f"ROW<{', '.join(self.column(each, (*around, name)) for each in fields)}>"
        if kind == "enum":
            return "STRING"
        if kind == "fixed" and type(schema.get("size")) is int and 0 < schema["size"] < 2**31:
            return f"VARBINARY({schema['size']})"
        return None


def _decimal(schema: dict[str, Any], field: str) -> str:
    precision, scale = schema.get("precision"), schema.get("scale", 0)
    if type(precision) is not int or type(scale) is not int or not 0 <= scale <= precision <= _MOST_DIGITS:
        raise ValueError(f"the field {field} has no valid precision and scale")
    return f"DECIMAL({precision}, {scale})"
