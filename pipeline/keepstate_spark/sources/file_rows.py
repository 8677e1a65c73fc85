"""Files opened as frames: the rows of JSON, CSV, Parquet and Delta, with a column of Spark for each of a table."""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import reduce
from operator import and_
from typing import Any

from pyspark.sql import Column, DataFrame, DataFrameReader, SparkSession
from pyspark.sql import functions as fn
from pyspark.sql import types as spark

from keepstate.plan.catalog import ColumnDefinition, TableDefinition
from keepstate.plan.types.logical_types import BIGINT, LogicalType, timestamp_ltz, varchar
from keepstate_spark.errors import PipelineError
from keepstate_spark.lowering.cast_columns import cast
from keepstate_spark.lowering.older_versions import origin
from keepstate_spark.lowering.refusals import NotLowerable
from keepstate_spark.lowering.spark_columns import BIGINT as LONG
from keepstate_spark.lowering.spark_columns import (
    STRING,
    choice,
    failing,
    frame_column,
    function_call,
    large,
    nothing,
    text,
    unless_null,
    whole,
)
from keepstate_spark.lowering.spark_types import spark_type
from keepstate_spark.sources import folders
from keepstate_spark.sources.change_lines import SIGN, ChangeLines
from keepstate_spark.sources.delta import delta_files
from keepstate_spark.sources.file_values import (
    csv_value,
    declared_words,
    folder_value,
    is_invalid,
    read,
    standard_hint,
)
from keepstate_spark.sources.folders import FolderColumn
from keepstate_spark.sources.locations import Location
from keepstate_spark.sources.path_files import PACKED
from keepstate_spark.sources.readers import exact_reader
from keepstate_spark.sources.rows.row_places import file_number, number_of_row, short_place_of
from keepstate_spark.sources.texts import exact_json
from keepstate_spark.sources.texts.forms import TextForm
from keepstate_spark.sources.typed_columns import TypedColumn, require_columns, require_single, typed_columns

_CORRUPT = "__keepstate_corrupt"
_NULL = "\x00keepstate: no value\x00"
"""Text for NULL in CSV. Spark would otherwise take empty texts for NULL, which they are not here."""
_ROWS_OF_A_PART = 2**33
"""The numbers that Spark gives to the rows of one part of a DataFrame."""
_SHOWN = 200
"""Characters of a bad row that are shown."""
_FILE = {
    "path": "file_path",
    "start": "file_block_start",
    "size": "file_size",
    "changed": "file_modification_time",
    "line": "row_index",
}
"""Columns with the origin of a row, and Spark's names for them."""
_OF_KEYS = {"file.size": "size", "file.modification-time": "changed"}
"""Columns with the origin of a row by the metadata that is made of them; the rest of the metadata is made of the path.
"""
_THRESHOLD = "spark.sql.sources.parallelPartitionDiscovery.threshold"
"""The number of paths from which on Spark lists them by a job, with a task for each: seconds for thousands of files."""


@dataclass(frozen=True)
class FileRows:
    """Rows of ``frame``.

    ``columns`` are those of the table by their names, ``place`` orders rows by files and lines, if that was asked for.
    ``problem`` is the fault of a row, ``empty`` is true for a row with none of the columns; both are ``None`` where all
    rows can be read.
    """

    frame: DataFrame
    columns: Mapping[str, Column]
    place: Column | None
    problem: Column | None = None
    empty: Column | None = None
    sign: Column | None = None
    """1 for a row that is inserted and -1 for one that is deleted, where lines are changes."""
    number: Column | None = None
    """The value of ``row_number`` for the file and the line of a row of Parquet, if that was asked for."""


@dataclass(frozen=True)
class _Raw:
    """A frame whose columns have names of ours. ``fields`` and ``types`` are by the names that the files have."""

    frame: DataFrame
    fields: Mapping[str, Column]
    types: Mapping[str, spark.DataType] = field(default_factory=dict)
    corrupt: Column | None = None


def opened(
    session: SparkSession,
    table: TableDefinition,
    location: Location,
    typed: Sequence[TypedColumn],
    zone: str,
    ordered: bool = True,
    alone: bool = False,
    in_short: bool = False,
    numbered: bool = False,
) -> FileRows:
    """Return the rows of ``table`` in the known files of ``location``, with their places if they are ``ordered``. A
    table that is read ``alone`` may have numbers in the place of names of files, and with ``in_short`` single numbers
    as places. Files of Parquet for which ``numbers_rows`` is true may have ``numbered`` rows.

    Raises ``PipelineError`` for files that do not fit the table, and ``NotLowerable`` for columns that cannot be read.
    """
    assert location.files is not None
    is_delta = location.format == "delta"
    paths: Sequence[str] = delta_files(location.path, session) if is_delta else location.files.rows
    if not paths:
        return _none(session, typed)
    of_folders = {column.name: column for column in _folder_columns(table, location, typed, paths)}
    of_files = {
        column.name: column.metadata
        for column, _ in typed
        if column.metadata is not None and location.options.get("connector") == "filesystem"
    }
    within = [one for one in typed if one[0].name not in of_folders and one[0].name not in of_files]
    in_short = in_short and location.is_local
    short_place = short_place_of(paths) if ordered and alone and in_short else None
    by_name = in_short and not of_folders and not of_files and (not ordered or short_place is not None)
    about = () if by_name else _about(location, ordered, bool(of_folders), of_files.values())
    if numbered:
        about = (*about, "line")
    opening = _Opening(session, table, location, paths, about)
    path = folders.decoded(fn.input_file_name() if by_name else frame_column("path"))
    problems: list[Column] = []
    empty = None
    if location.format in ("json", "csv"):
        raw = opening.json(within) if location.format == "json" else opening.csv(within)
        assert raw.corrupt is not None
        problems.append(unless_null(raw.corrupt, function_call("concat", text("cannot be read: "), raw.corrupt)))
        empty = reduce(and_, (one.isNull() for one in (raw.corrupt, *raw.fields.values())))
        frame, columns = _texts(location, raw, within, problems)
    else:
        raw = opening.parquet()
        frame = raw.frame
        columns = typed_columns(table.name, location.path, raw.fields, raw.types, within, zone)
    for column, type_ in typed:
        if column.name in of_files:
            columns[column.name] = _of_file(column, of_files[column.name] or "", path, type_, zone)
        elif column.name in of_folders:
            folder_text = of_folders[column.name].value(path)
            value = folder_value(folder_text, type_)
            problem = _problem(column, type_, folder_text, value, TextForm(is_json=False))
            if empty is None:
                # Rows of files with types are not counted on the way: here the query stops, as Flink does.
                value = function_call("coalesce", value, unless_null(problem, failing(problem)))
            columns[column.name] = value
            problems.append(problem)
    place = short_place
    if ordered and place is None:
        number = file_number(paths, frame_column("path")) if alone and location.is_local else None
        place = function_call(
            "struct",
            (frame_column("path") if number is None else number).alias("file"),
            frame_column("start").alias("part"),
            function_call("monotonically_increasing_id").alias("line"),
        )
    if empty is None:
        return FileRows(frame, columns, place, number=number_of_row(paths) if numbered else None)
    if location.is_local:
        root = location.path if os.path.isdir(location.path) else os.path.dirname(location.path)
        path = function_call("replace", _on_this_machine(path), text(f"{root}/"), text(""))
    problem = function_call("coalesce", *problems, nothing(STRING))
    words = function_call("concat", path, text(": "), function_call("left", problem, whole(_SHOWN)))
    sign = frame_column(SIGN) if location.changes else None
    return FileRows(frame, columns, place, unless_null(problem, words), empty, sign)


def _on_this_machine(path: Column) -> Column:
    """The URL of a file of this machine as its path; other URLs as they are."""
    return function_call("regexp_replace", path, text("^file:/*"), text("/"))


def _about(location: Location, ordered: bool, with_folders: bool, metadata: Iterable[str | None]) -> tuple[str, ...]:
    """The columns of ``_FILE`` that are read. Spark makes all of them for every row as soon as one is asked for, also
    where it leaves them out later, so rows without an order are read without them.
    """
    keys = tuple(metadata)
    columns = {_OF_KEYS.get(key or "", "path") for key in keys}
    if ordered or with_folders or location.format in ("json", "csv"):
        columns.add("path")
    if ordered:
        columns.add("start")
    return tuple(name for name in _FILE if name in columns)


def rows_of_frame(table: str, frame: DataFrame, typed: Sequence[TypedColumn], zone: str) -> FileRows:
    """Return the rows of ``table`` that a caller gives, in the order that they have there."""
    safe_names = [f"f{index}" for index in range(len(frame.columns))]
    fields = {name: frame_column(own) for name, own in zip(frame.columns, safe_names, strict=True)}
    types = {one.name: one.dataType for one in frame.schema.fields}
    require_single(table, typed, frame.columns)
    columns = typed_columns(table, "the DataFrame", fields, types, typed, zone)
    number = function_call("monotonically_increasing_id")
    parts = {"file": text(""), "part": function_call("div", number, large(_ROWS_OF_A_PART)), "line": number}
    place = function_call("struct", *(value.alias(name) for name, value in parts.items()))
    return FileRows(frame.toDF(*safe_names), columns, place)


def _none(session: SparkSession, typed: Sequence[TypedColumn]) -> FileRows:
    """No rows, of no files."""
    columns = {column.name: nothing(spark_type(type_)) for column, type_ in typed}
    parts = (("file", STRING), ("part", LONG), ("line", LONG))
    place = function_call("struct", *(nothing(type_).alias(name) for name, type_ in parts))
    return FileRows(session.range(0), columns, place)


def _folder_columns(
    table: TableDefinition, location: Location, typed: Sequence[TypedColumn], paths: Sequence[str]
) -> tuple[FolderColumn, ...]:
    no_value = location.options.get(folders.DEFAULT_NAME, folders.NO_VALUE)
    if location.declared and location.keys and location.format != "delta":
        types = {column.name: (column, type_) for column, type_ in typed}
        for key in location.keys:
            if key not in types:
                raise PipelineError(f"The table {table.name} is PARTITIONED BY {key}, which is no column of it.")
            column, type_ = types[key]
            if type_.root not in folders.TYPES:
                raise NotLowerable(f"Flink reads no {type_} from the names of folders.", column.place)
        return folders.declared_columns(table.name, location.path, paths, location.keys, no_value)
    if location.declared and location.format != "delta":
        return ()
    names = [column.name for column, type_ in typed if column.metadata is None and type_.root in folders.TYPES]
    return folders.found_columns(location.path, paths, names, no_value)


def _of_file(column: ColumnDefinition, key: str, path: Column, type_: LogicalType, zone: str) -> Column:
    """Return the metadata of the filesystem connector about the file of a row."""
    sources = {
        "file.path": (_on_this_machine(path), varchar(2**31 - 1)),
        "file.name": (function_call("substring_index", path, text("/"), whole(-1)), varchar(2**31 - 1)),
        "file.size": (frame_column("size"), BIGINT),
        "file.modification-time": (frame_column("changed"), timestamp_ltz(6)),
    }
    folder_value = cast(*sources[key], type_, zone, strict=False) if key in sources else None
    if folder_value is None:
        raise NotLowerable(f"The filesystem connector has no '{key}' that is a {type_}.", column.place)
    return folder_value


@dataclass(frozen=True)
class _Opening:
    """Opens the files at ``paths``."""

    session: SparkSession
    table: TableDefinition
    location: Location
    paths: Sequence[str]
    about: Sequence[str] = ()
    """The columns of ``_FILE`` that are read."""

    def _reader(self, schema: spark.StructType | None = None) -> DataFrameReader:
        reader = exact_reader(self.session)
        return reader if schema is None else reader.schema(schema)

    def _load_paths(self, reader: DataFrameReader, format_: str) -> DataFrame:
        former = self.session.conf.get(_THRESHOLD)
        self.session.conf.set(_THRESHOLD, str(len(self.paths) + 1))
        try:
            return reader.format(format_).load(list(self.paths))
        finally:
            if former is not None:
                self.session.conf.set(_THRESHOLD, former)

    def json(self, typed: Sequence[TypedColumn]) -> _Raw:
        """JSON lines, each field as the text that it is."""
        names = list(dict.fromkeys(column.metadata or column.name for column, _ in typed))
        corrupt = _CORRUPT
        while corrupt in names:
            corrupt += "_"
        fields = [spark.StructField(name, STRING) for name in names]
        location = self.location
        wrapped = (location.of_format("schema-include") or "").lower() == "true"
        changes = location.changes
        lines = None if changes is None else ChangeLines(changes, names, wrapped, location.of_versions)
        if lines is not None:
            fields = list(lines.type.fields)
        schema = spark.StructType([*fields, spark.StructField(corrupt, STRING)])
        # NaN and Infinity without quotes are no JSON: Flink stops at them.
        options = {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": corrupt, "allowNonNumericNumbers": "false"}
        if exact_json.IS_OF_SPARK:
            frame = self._load_paths(self._reader(schema).options(**options), "json")
            raw = _renamed(frame, [*(field.name for field in fields), None], self.about)
        else:
            raw = self._json_lines(schema, options)
        if lines is None or raw.corrupt is None:
            return raw
        rows, columns, fault = lines.rows(raw.frame, raw.fields, raw.corrupt, self.about)
        return _Raw(rows, columns, corrupt=fault)

    def _json_lines(self, schema: spark.StructType, options: dict[str, str]) -> _Raw:
        """The same rows of lines that are read as texts."""
        lines = _renamed(self._load_paths(self._reader(), "text"), ["line"], self.about)
        line = lines.fields["line"]
        filled = lines.frame.where(function_call("trim", line) != "")
        rows = filled.select(
            line.alias("line"), exact_json.marked_values(line, schema, options).alias("row"), *self.about
        )
        values = [exact_json.unmarked(frame_column("row").getField(one.name), one.dataType) for one in schema.fields]
        values[-1] = unless_null(values[-1], frame_column("line"))
        safe_names = [f"f{index}" for index in range(len(values))]
        frame = rows.select(*(value.alias(own) for value, own in zip(values, safe_names, strict=True)), *self.about)
        columns = dict(zip(schema.names, map(frame_column, safe_names), strict=True))
        return _Raw(frame, columns, corrupt=columns.pop(schema.names[-1]))

    def csv(self, typed: Sequence[TypedColumn]) -> _Raw:
        """CSV by position, or by the names in the first line; each field as the text that it is."""
        options, path = self.location.options, self.location.path
        separator = self._character("csv.field-delimiter", "\t" if path.endswith(".tsv") else ",")
        quote = (
            "" if options.get("csv.disable-quote-character") == "true" else self._character("csv.quote-character", '"')
        )
        settings: dict[str, Any] = {
            "mode": "PERMISSIVE",
            "columnNameOfCorruptRecord": _CORRUPT,
            "sep": separator,
            "quote": quote,
            "escape": self._character("csv.escape-character", '"'),
            "nullValue": _NULL,
            "emptyValue": "",
            "multiLine": "false",
        }
        if options.get("csv.allow-comments") == "true":
            settings["comment"] = "#"
        names = [column.metadata or column.name for column, _ in typed]
        header = self._header(separator, names)
        if header is not None:
            # What the table does not have is read and left alone.
            require_columns(self.table.name, self.location.path, names, header)
            names = header
            settings |= {"header": "true", "enforceSchema": "true"}
        fields = [spark.StructField(f"c{index}", STRING) for index in range(len(names))]
        schema = spark.StructType([*fields, spark.StructField(_CORRUPT, STRING)])
        return _renamed(self._load_paths(self._reader(schema).options(**settings), "csv"), [*names, None], self.about)

    def _character(self, option: str, default: str) -> str:
        """An option whose value is one character, which may be escaped as in Java."""
        text = self.location.options.get(option)
        if text is None:
            return default
        character = text
        if "\\" in text and text != "\\":
            with suppress(UnicodeError):
                character = codecs.decode(text.encode("latin-1", "backslashreplace"), "unicode_escape")
        if len(character) != 1:
            raise PipelineError(
                f"The table {self.table.name} has the option '{option}' = '{text}', which is not one character."
            )
        return character

    def _header(self, separator: str, names: list[str]) -> list[str] | None:
        """The names in the first line of the files, if it holds the names of columns."""
        first = self.paths[0]
        if not self.location.is_local or os.path.splitext(first)[1] in PACKED:
            row = self._reader().text(first).head()
            line = str(row[0]) if row is not None else ""
        else:
            with open(first, encoding="utf-8-sig", errors="replace") as lines:
                line = lines.readline().rstrip("\r\n")
        header = [name.strip().strip('"') for name in line.split(separator)]
        return header if len(set(header) & set(names)) * 2 > len(names) else None

    def parquet(self) -> _Raw:
        """Parquet, with the types that the files have."""
        frame = self._load_paths(self._reader(), "parquet")
        types = {one.name: one.dataType for one in frame.schema.fields}
        return _renamed(frame, list(frame.columns), self.about, types)


def _renamed(
    frame: DataFrame,
    names: Sequence[str | None],
    about: Sequence[str],
    types: Mapping[str, spark.DataType] | None = None,
) -> _Raw:
    """Return ``frame`` under names of its own, with the columns ``about`` of ``_FILE``. ``names`` are those of its
    columns; the unnamed one is for unreadable text.
    """
    if about:
        files = origin(frame)
        frame = frame.select("*", *(files.getField(_FILE[name]).alias(name) for name in about))
    safe_names = [f"f{index}" for index in range(len(names))]
    fields = {name: frame_column(own) for name, own in zip(names, safe_names, strict=True) if name is not None}
    corrupt = frame_column(safe_names[-1]) if names and names[-1] is None else None
    return _Raw(frame.toDF(*safe_names, *about), fields, types or {}, corrupt)


def _texts(
    location: Location, raw: _Raw, typed: Sequence[TypedColumn], problems: list[Column]
) -> tuple[DataFrame, dict[str, Column]]:
    """Return the rows with the values of the texts of JSON and CSV in columns, so that each text is read once; their
    possible faults go to ``problems``.
    """
    columns: dict[str, Column] = {}
    raw_texts, values = [], []
    form = location.form
    for index, (column, type_) in enumerate(typed):
        raw_text = raw.fields[column.metadata or column.name]
        if location.format == "csv":
            raw_texts.append(csv_value(raw_text, type_, location.options.get("csv.null-literal")).alias(f"t{index}"))
            raw_text = frame_column(f"t{index}")
        value = read(raw_text, type_, declared_words(column.place.text), form)
        if value is None:
            raise NotLowerable(f"A {type_} cannot be read from {location.format} here.", column.place)
        if type_.root in ("CHAR", "VARCHAR"):
            columns[column.name] = value
            continue
        values.append(value.alias(f"v{index}"))
        columns[column.name] = frame_column(f"v{index}")
        if not (location.is_tolerant and not column.not_null):
            problems.append(_problem(column, type_, raw_text, columns[column.name], form))
    frame = raw.frame
    for new_columns in filter(None, (raw_texts, values)):
        frame = frame.select("*", *new_columns)
    return frame, columns


def _problem(column: ColumnDefinition, type_: LogicalType, raw_text: Column, value: Column, form: TextForm) -> Column:
    words = function_call(
        "concat", text(f"{column.name} is no {type_}: "), raw_text, standard_hint(raw_text, type_, form)
    )
    return choice(is_invalid(raw_text, value, type_, form), words, nothing(STRING))
