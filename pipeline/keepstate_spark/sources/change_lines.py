"""Lines that are changes of rows: insertions, updates and deletions in the formats of Debezium, Canal, Maxwell and Ogg.

An update is two rows, as in Flink: the former one, which is taken away, and the new one. What remains of them are the
rows of a table. To a join by FOR SYSTEM_TIME AS OF they are versions, and Flink drops the former rows of updates there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn
from pyspark.sql import types as spark

from keepstate_spark.lowering.spark_columns import (
    STRING,
    choice,
    frame_column,
    function_call,
    nothing,
    text,
    unless_null,
    whole,
)

FORMATS_OF_CHANGED_COLUMNS = frozenset({"canal-json", "maxwell-json"})
"""Formats whose updates have the former values of the changed columns alone."""
SIGN = "sign"
"""The column of a frame that is 1 for an insertion, and -1 for a deletion."""
_FAULT, _CHANGES = "fault", "changes"
_TEXTS = spark.MapType(STRING, STRING)


class _Words(NamedTuple):
    """The names of the parts of a line, and the words for its kinds."""

    before: str
    after: str
    kind: str
    inserts: tuple[str, ...]
    update: str
    delete: str


_WORDS = {
    "debezium-json": _Words("before", "after", "op", ("c", "r"), "u", "d"),
    "ogg-json": _Words("before", "after", "op_type", ("I",), "U", "D"),
    "maxwell-json": _Words("old", "data", "type", ("insert",), "update", "delete"),
    "canal-json": _Words("old", "data", "type", ("INSERT",), "UPDATE", "DELETE"),
}
_OF_NO_ROW = "CREATE"
"""The kind of a line of Canal that changes no row."""


@dataclass(frozen=True)
class ChangeLines:
    """Lines of a format. Their rows have texts of these ``names``; a ``wrapped`` line stands beside its schema. With
    ``versions`` an update is its new row alone.
    """

    format: str
    names: Sequence[str]
    wrapped: bool = False
    versions: bool = False

    @property
    def type(self) -> spark.StructType:
        """The type of a line."""
        words = _WORDS[self.format]
        former: spark.DataType = self._row if words.before == "before" else _TEXTS
        parts: list[spark.DataType] = [former, self._row]
        if self.format == "canal-json":
            parts = [spark.ArrayType(part) for part in parts]
        parts_by_name = zip(words[:3], (*parts, STRING), strict=True)
        line = spark.StructType([spark.StructField(name, type_) for name, type_ in parts_by_name])
        return spark.StructType([spark.StructField("payload", line)]) if self.wrapped else line

    @property
    def _row(self) -> spark.StructType:
        return spark.StructType([spark.StructField(name, STRING) for name in self.names])

    def rows(
        self, frame: DataFrame, fields: Mapping[str, Column], corrupt: Column, about: Sequence[str]
    ) -> tuple[DataFrame, dict[str, Column], Column]:
        """Return a frame with a row for each row that a line of ``frame`` inserts or deletes (``SIGN``), with the
        columns ``about``; its fields by their names, and the text of a line that is no change.

        ``fields`` are those of ``type``, and ``corrupt`` is the text of a line that is no JSON.
        """
        words = _WORDS[self.format]
        part = fields["payload"].getField if self.wrapped else fields.__getitem__
        before, after, kind = (part(name) for name in words[:3])
        inserted, updated, deleted = (self._of_lists if self.format == "canal-json" else self._of_rows)(before, after)
        changes = choice(kind == words.delete, deleted)
        changes = choice(kind == words.update, updated, changes)
        changes = choice(kind.isin(*words.inserts), inserted, changes)
        none = function_call("array", _change(0, nothing(self._row)))
        if self.format == "canal-json":
            changes = choice(kind == _OF_NO_ROW, function_call("slice", none, whole(1), whole(0)), changes)
        kind_text = function_call("coalesce", kind, text("missing"))
        words_of_fault = (
            text(f"{words.kind} is "),
            kind_text,
            text(f", which with these rows is no change of {self.format}"),
        )
        fault = function_call(
            "coalesce", corrupt, choice(changes.isNull(), function_call("concat", *words_of_fault), nothing(STRING))
        )
        applied = function_call("coalesce", choice(corrupt.isNull(), changes), none)
        lines = frame.select(*about, fault.alias(_FAULT), applied.alias(_CHANGES))
        lines = lines.select(*about, _FAULT, function_call("explode", frame_column(_CHANGES)).alias(_CHANGES))
        sign, row = (frame_column(_CHANGES).getField(name) for name in (SIGN, "row"))
        own = {name: f"f{index}" for index, name in enumerate(self.names)}
        columns = (row.getField(name).alias(own_name) for name, own_name in own.items())
        result = lines.select(*about, _FAULT, sign.alias(SIGN), *columns)
        return result, {name: frame_column(own_name) for name, own_name in own.items()}, frame_column(_FAULT)

    def _of_rows(self, before: Column, after: Column) -> tuple[Column, Column, Column]:
        """The changes of an insertion, an update and a deletion; NULL where a row is missing."""
        former, deleted = before, before
        if self.format == "maxwell-json":
            former, deleted = self._former(before, after, before), after
        updated = function_call("array", *self._update(former, after))
        return (
            unless_null(after, function_call("array", _change(1, after))),
            unless_null(before, unless_null(after, updated)),
            unless_null(deleted, function_call("array", _change(-1, deleted))),
        )

    def _of_lists(self, before: Column, after: Column) -> tuple[Column, Column, Column]:
        """The same of a line with several rows."""

        def updated(row: Column, index: Column) -> Column:
            former = self._former(function_call("get", before, index), row, before)
            return function_call("array", *self._update(former, row))

        def complete(rows: Column, changes: Column) -> Column:
            return choice(~fn.exists(rows, Column.isNull), changes)

        of_both = complete(before, function_call("flatten", fn.transform(after, updated)))
        return (
            complete(after, fn.transform(after, lambda row: _change(1, row))),
            complete(after, choice(fn.size(before) >= fn.size(after), of_both)),
            complete(after, fn.transform(after, lambda row: _change(-1, row))),
        )

    def _update(self, former: Column, row: Column) -> tuple[Column, ...]:
        return (_change(1, row),) if self.versions else (_change(-1, former), _change(1, row))

    def _former(self, before: Column, after: Column, mentioned: Column) -> Column:
        """The former row of an update whose line has the former values of the changed columns alone, ``before``. A
        column is changed if ``mentioned``, one or several of such rows, has its name: a NULL is a value, then.
        """

        def has(name: str) -> Column:
            if self.format == "canal-json":
                return fn.exists(mentioned, lambda row: fn.map_contains_key(row, name))
            return fn.map_contains_key(mentioned, name)

        values = (
            choice(has(name), function_call("try_element_at", before, text(name)), after.getField(name)).alias(name)
            for name in self.names
        )
        return function_call("struct", *values)


def _change(sign: int, row: Column) -> Column:
    return function_call("struct", whole(sign).alias(SIGN), row.alias("row"))
