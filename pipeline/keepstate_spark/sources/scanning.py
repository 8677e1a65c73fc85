"""Reads the rows of tables, and counts those that cannot be read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pyspark.sql import Column, DataFrame, Observation, SparkSession
from pyspark.sql import functions as fn
from pyspark.sql.types import StringType, StructField, StructType

from keepstate.plan.catalog import Catalog, ColumnDefinition, TableDefinition
from keepstate.plan.expressions import Call, Expr
from keepstate.plan.expressions import Column as TableColumn
from keepstate.plan.logical_types import LogicalType
from keepstate.plan.operators import TableSourceScan
from keepstate.plan.watermarks import watermarks_of
from keepstate_spark.errors import PipelineError
from keepstate_spark.lowering.casts import cast
from keepstate_spark.lowering.frames import Frame, Lowering
from keepstate_spark.lowering.lateness import time_number
from keepstate_spark.lowering.observing import observed
from keepstate_spark.lowering.refusals import Refused
from keepstate_spark.lowering.scalars import Names, Scalars
from keepstate_spark.lowering.spark_types import quoted, spark_type, string
from keepstate_spark.sources.delta import delta_files
from keepstate_spark.sources.locations import Location
from keepstate_spark.sources.values import declared_words, read
from keepstate_spark.sources.watermarks import may_be_behind, with_watermark

_CORRUPT = "__keepstate_corrupt"
_BAD = "__keepstate_bad"
_EMPTY = "__keepstate_empty"
_PLACE = "__keepstate_place"
_ARRIVAL = (
    "struct(_metadata.file_path as file, _metadata.file_block_start as part, monotonically_increasing_id() as line)"
)
"""Files, their parts and their lines in order."""
_SHOWN = 120
"""Characters of a bad row that are shown."""


@dataclass(frozen=True)
class Reading:
    """What became of the rows of one table: how many there were, how many could not be read and are left out, and of
    one of these what is wrong; how many have no time, and so lie in no window.
    """

    table: str
    rows: int
    bad: int = 0
    example: str = ""
    untimed: int = 0
    tolerated: bool = False
    """Whether the table itself says that such rows are to be left out."""
    strange: bool = False
    """Whether there are rows, and none has any of the columns."""


@dataclass
class Scanner:
    """Reads tables at their ``locations``; afterwards ``readings`` tells what became of their rows."""

    session: SparkSession
    catalog: Catalog
    locations: Mapping[str, Location]
    _watched: list[tuple[str, Observation, bool]] = field(default_factory=list)
    _timed: list[tuple[str, DataFrame, Column]] = field(default_factory=list)
    """Rows with types and with the condition that they have no time."""

    def scan(self, operator: TableSourceScan, lowering: Lowering) -> Frame:
        table = self.catalog.tables.get(operator.table)
        if table is None:
            raise Refused(f"No CREATE TABLE tells the columns of {operator.table}.", operator.place)
        location = self.locations[table.name]
        frame = self._frame(table, location, operator, lowering)
        scalars = lowering.scalars(frame)
        times = [scalars.text(time).sql for time in watermarks_of(table, self.catalog)]
        frame = replace(frame, rows=self._watched_rows(table, location, frame.rows, times))
        mark = self._watermark(table, frame, lowering.zone) if lowering.lateness is not None else None
        if location.upserts:
            return self._last_rows(table, frame)
        if mark is None:
            return frame
        name = lowering.name("watermark")
        rows = with_watermark(frame.rows, frame.arrival[0], mark[1], name, location.large)
        return replace(frame, rows=rows, watermark=name)

    def _last_rows(self, table: TableDefinition, frame: Frame) -> Frame:
        """The last row of each primary key."""
        keys, place = self.catalog.primary_key_of(table)
        names = {expr.name: name for expr, name in frame.names.columns.items() if isinstance(expr, TableColumn)}
        missing = [key for key in keys if key not in names]
        if missing or not keys:
            raise Refused(f"The table {table.name} needs a primary key of its columns.", place or table.place)
        by = ", ".join(quoted(names[key]) for key in keys)
        last = fn.expr(f"row_number() over (partition by {by} order by {quoted(frame.arrival[0])} desc)")
        rows = frame.rows.withColumn(_PLACE, last).where(fn.col(_PLACE) == 1).drop(_PLACE)
        return replace(frame, rows=rows)

    def may_be_late(self, operator: TableSourceScan, lowering: Lowering, ask: bool) -> bool:
        """Whether rows of a table may come too late for anything. Spark looks through the times of large tables, if it
        may be asked; of small ones it is not worth it.
        """
        table = self.catalog.tables[operator.table]
        location = self.locations[table.name]
        if not watermarks_of(table, self.catalog):
            return False
        if not location.large or not ask:
            return not location.large
        frame = self._frame(table, location, operator, lowering)
        mark = self._watermark(table, frame, lowering.zone)
        return mark is not None and may_be_behind(frame.rows, frame.arrival[0], *mark)

    def _watermark(self, table: TableDefinition, frame: Frame, zone: str) -> tuple[str, str] | None:
        """The time of a row of ``table`` and the watermark that it gives, as numbers; ``None`` if it gives none."""
        scalars = Scalars(frame.names, zone)
        for time, mark in watermarks_of(table, self.catalog).items():
            if any(isinstance(node, Call) and node.name == "SOURCE_WATERMARK" for node in mark.walk()):
                # Only a connector knows it.
                continue
            texts = scalars.text(time), scalars.text(mark)
            wrong = next((text for text in texts if text.type.root not in ("TIMESTAMP", "TIMESTAMP_LTZ")), None)
            if wrong is not None:
                raise Refused(f"A watermark is a TIMESTAMP or a TIMESTAMP_LTZ, not a {wrong.type}.", mark.place)
            return time_number(texts[0]), time_number(texts[1])
        return None

    def _frame(
        self, table: TableDefinition, location: Location, operator: TableSourceScan, lowering: Lowering
    ) -> Frame:
        """The rows of a table with those that cannot be read still among them."""
        columns = [
            column
            for column in self.catalog.columns_of(table)[0]
            if column.expression is None and column.type is not None
        ]
        typed = [(column, _type(table, column)) for column in columns]
        if location.format in ("json", "csv"):
            rows, texts = self._texts(table, location, typed)
        else:
            rows, texts = self._typed(table, location, typed, lowering.zone)
        names = {column.name: lowering.name(column.name) for column in columns}
        arrival, ordered = lowering.name("arrival"), lowering.ordered or location.upserts
        rows = rows.select(
            *(fn.expr(texts[column.name]).alias(names[column.name]) for column in columns),
            *([fn.expr(_ARRIVAL).alias(arrival)] if ordered else []),
            *(fn.col(name) for name in (_BAD, _EMPTY) if name in rows.columns),
        )
        held: dict[Expr, str] = {
            expr: names[expr.name] for expr in operator.columns if isinstance(expr, TableColumn) and expr.name in names
        }
        return Frame(rows, Names(held), (arrival,) if ordered else ())

    def readings(self, timed: bool) -> list[Reading]:
        """What became of the rows of each table, once its rows have been read; ``timed`` tells that a time counts."""
        found: dict[str, Reading] = {}
        for table, observation, tolerated in self._watched:
            seen = observed(observation)
            if seen is None:
                continue
            untimed = seen["untimed"] if timed else 0
            strange = 0 < seen["rows"] == seen["empty"]
            reading = Reading(table, seen["rows"], seen["bad"], seen["example"] or "", untimed, tolerated, strange)
            if table not in found or reading.rows > found[table].rows:
                found[table] = reading
        for table, rows, missing in self._timed if timed else ():
            untimed = rows.where(missing).count()
            if untimed:
                found[table] = Reading(table, rows.count(), untimed=untimed)
        return list(found.values())

    def _watched_rows(self, table: TableDefinition, location: Location, rows: DataFrame, times: list[str]) -> DataFrame:
        """``rows`` without those that cannot be read, which are counted on the way."""
        missing = fn.lit(False)
        for time in times:
            missing = missing | fn.expr(time).isNull()
        if _BAD not in rows.columns:
            # All of them can be read. To count them on the way would cost as much as the query; files know their NULLs.
            if times:
                self._timed.append((table.name, rows, missing))
            return rows
        observation, bad = Observation(), fn.col(_BAD)
        rows = rows.observe(
            observation,
            fn.count(fn.lit(1)).alias("rows"),
            fn.count(bad).alias("bad"),
            fn.min(bad).alias("example"),
            fn.count(fn.when(missing & bad.isNull(), 1)).alias("untimed"),
            fn.count(fn.when(fn.col(_EMPTY), 1)).alias("empty"),
        )
        tolerated = location.options.get(f"{location.format}.ignore-parse-errors", "").lower() == "true"
        self._watched.append((table.name, observation, tolerated))
        return rows.where(bad.isNull()).drop(_BAD, _EMPTY)

    def _texts(
        self, table: TableDefinition, location: Location, typed: list[tuple[ColumnDefinition, LogicalType]]
    ) -> tuple[DataFrame, dict[str, str]]:
        """JSON and CSV: all columns as strings, and the text of each column's values."""
        names = [column.metadata or column.name for column, _ in typed]
        schema = StructType([StructField(name, StringType()) for name in dict.fromkeys(names)])
        schema = schema.add(_CORRUPT, "string")
        options = {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": _CORRUPT}
        if location.format == "json":
            rows = self.session.read.schema(schema).options(**options).json(location.path)
        else:
            rows = self._csv(table, location, schema, options)
        texts, problems = (
            {},
            [f"if({quoted(_CORRUPT)} is not null, concat('cannot be read: ', {quoted(_CORRUPT)}), null)"],
        )
        for (column, type_), name in zip(typed, names, strict=True):
            raw = quoted(name)
            if location.format == "csv":
                raw = _csv_value(raw, type_, location)
            text = read(raw, type_, declared_words(column.place.text), location.format == "json")
            if text is None:
                raise Refused(f"A {type_} cannot be read from {location.format} here.", column.place)
            texts[column.name] = text
            words = f"concat({string(f'{column.name} is no {type_}: ')}, {raw})"
            problems.append(f"if({raw} is not null and {text} is null, {words}, null)")
        file = "_metadata.file_name"
        problem = f"left(coalesce({', '.join(problems)}), {_SHOWN})"
        empty = " and ".join(f"{quoted(name)} is null" for name in (_CORRUPT, *dict.fromkeys(names)))
        rows = rows.select(
            "*",
            fn.expr("_metadata"),
            fn.expr(f"concat({file}, ': ', {problem})").alias(_BAD),
            fn.expr(empty).alias(_EMPTY),
        )
        return rows, texts

    def _csv(
        self, table: TableDefinition, location: Location, schema: StructType, options: dict[str, str]
    ) -> DataFrame:
        given = location.options
        separator = _unescaped(given.get("csv.field-delimiter", "\t" if location.path.endswith(".tsv") else ","))
        settings: dict[str, Any] = {
            **options,
            "sep": separator,
            "quote": ""
            if given.get("csv.disable-quote-character") == "true"
            else given.get("csv.quote-character", '"'),
            "escape": given.get("csv.escape-character", '"'),
            # Empty texts are told from NULL by ourselves.
            "nullValue": "\x00",
            "emptyValue": "",
            "multiLine": "false",
        }
        if given.get("csv.allow-comments") == "true":
            settings["comment"] = "#"
        header = self._header(location, separator, [name for name in schema.names if name != _CORRUPT])
        if header is None:
            return self.session.read.schema(schema).options(**settings).csv(location.path)
        known = [name for name in header if name in schema.names]
        missing = [name for name in schema.names if name not in header and name != _CORRUPT]
        if missing:
            raise _without_columns(table.name, location, missing, header)
        # The names of the file, in its order; what the table does not have is read and left alone.
        ordered = StructType([StructField(name, StringType()) for name in header]).add(_CORRUPT, "string")
        assert known
        return (
            self.session.read.schema(ordered)
            .options(**settings, header="true", enforceSchema="true")
            .csv(location.path)
        )

    def _header(self, location: Location, separator: str, names: list[str]) -> list[str] | None:
        """The names in the first line of the files, if it holds the names of columns."""
        file = location.first_file()
        if file is None or file.suffix in (".gz", ".bz2", ".zst", ".snappy", ".lz4", ".deflate"):
            first = self.session.read.text(location.path).head()
            line = str(first[0]) if first is not None else ""
        else:
            with file.open(encoding="utf-8-sig", errors="replace") as lines:
                line = lines.readline().rstrip("\r\n")
        found = [name.strip().strip('"') for name in line.split(separator)]
        return found if len(set(found) & set(names)) * 2 > len(names) else None

    def _typed(
        self, table: TableDefinition, location: Location, typed: list[tuple[ColumnDefinition, LogicalType]], zone: str
    ) -> tuple[DataFrame, dict[str, str]]:
        """Parquet and Delta: the columns of the files, and the text that makes Flink's values of them."""
        if location.format == "delta":
            files = delta_files(location.path, self.session)
            rows = self.session.read.option("basePath", location.path).parquet(*files)
        else:
            rows = self.session.read.parquet(location.path)
        given = {field.name: field.dataType.simpleString() for field in rows.schema.fields}
        names = [column.metadata or column.name for column, _ in typed]
        missing = [name for name in names if name not in given]
        if missing:
            raise _without_columns(table.name, location, missing, list(given))
        texts = {}
        for (column, type_), name in zip(typed, names, strict=True):
            text = _from_spark(quoted(name), given[name], type_, zone)
            if text is None:
                raise PipelineError(
                    f"The column {name} of {table.name} is a {type_}, and in {location.path} it is a {given[name]}.",
                    "Declare the type that the files have.",
                )
            texts[column.name] = text
        return rows, texts


_INTEGERS = {"tinyint": "TINYINT", "smallint": "SMALLINT", "int": "INT", "bigint": "BIGINT"}
_SIMPLE = {**_INTEGERS, "float": "FLOAT", "double": "DOUBLE", "boolean": "BOOLEAN", "string": "STRING", "date": "DATE"}
_ORDER = list(_INTEGERS)


def _from_spark(value: str, given: str, type_: LogicalType, zone: str) -> str | None:
    """A column of the Spark type ``given`` as a value of ``type_``, if all of its values are such; else ``None``."""
    wanted = spark_type(type_)
    if wanted is None:
        return None
    if given in _ORDER and wanted in _ORDER and type_.root != "TIME":
        return f"cast({value} as {wanted})" if _ORDER.index(given) <= _ORDER.index(wanted) else None
    if given in ("timestamp", "timestamp_ltz"):
        if type_.root == "TIMESTAMP_LTZ":
            return cast(value, LogicalType("TIMESTAMP_LTZ", precision=6), type_, zone)
        # Writers that know no other type put wall-clock times into files as instants in UTC.
        given = "timestamp_ntz"
        value = f"cast({value} as timestamp_ntz)"
    if given == "timestamp_ntz":
        if type_.root != "TIMESTAMP":
            return None
        return cast(value, LogicalType("TIMESTAMP", precision=6), type_, zone)
    decimal = re.fullmatch(r"decimal\((\d+),(\d+)\)", given)
    if decimal and type_.root == "DECIMAL":
        whole = int(decimal[1]) - int(decimal[2])
        fits = whole <= (type_.precision or 0) - (type_.scale or 0) and int(decimal[2]) <= (type_.scale or 0)
        return f"cast({value} as {wanted})" if fits else None
    if given == wanted or (given, wanted) == ("float", "double"):
        return f"cast({value} as {wanted})"
    if type_.root in ("ARRAY", "MAP", "ROW") and re.sub(r"[\w$`]+:", "", given) == re.sub(r"[\w$`]+:", "", wanted):
        return f"cast({value} as {wanted})"
    return None


def _csv_value(raw: str, type_: LogicalType, location: Location) -> str:
    """A value of CSV: nothing is an empty text, and NULL for all other types, where Flink stops."""
    literal = location.options.get("csv.null-literal")
    if type_.root not in ("CHAR", "VARCHAR"):
        raw = f"nullif(trim({raw}), '')"
    else:
        raw = f"coalesce({raw}, '')"
    return raw if literal is None else f"nullif({raw}, {string(literal)})"


def _type(table: TableDefinition, column: ColumnDefinition) -> LogicalType:
    type_ = LogicalType.declared(column.type or "")
    if type_ is None or spark_type(type_) is None:
        why = ": Spark keeps microseconds" if type_ is not None and type_.root.startswith("TIMESTAMP") else ""
        raise Refused(
            f"The column {column.name} of {table.name} is a {column.type}, which cannot be read{why}.",
            column.place,
        )
    return type_


def _without_columns(table: str, location: Location, missing: list[str], found: list[str]) -> PipelineError:
    words = ", ".join(missing)
    return PipelineError(
        f"The table {table} has {'a column' if len(missing) == 1 else 'columns'} {words} that {location.path} has not; "
        f"there are {', '.join(found)}.",
        "Mend the CREATE TABLE, or name other files with --data.",
    )


def _unescaped(separator: str) -> str:
    return separator.replace("\\t", "\t")
