"""Reads the rows of tables, and counts those that cannot be read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pyspark.sql import Column, DataFrame, Observation, SparkSession, Window
from pyspark.sql import functions as fn

from keepstate.plan.catalog import Catalog, ColumnDefinition, TableDefinition
from keepstate.plan.expressions import Call, Expr
from keepstate.plan.expressions import Column as TableColumn
from keepstate.plan.lowering.watermarks import watermarks_of
from keepstate.plan.metadata.connectors import connector_of
from keepstate.plan.operators import TableSourceScan
from keepstate.plan.types.logical_types import LogicalType
from keepstate_spark.lowering import time_columns
from keepstate_spark.lowering.edges.deleted_rows import remaining
from keepstate_spark.lowering.frames import NamedFrame
from keepstate_spark.lowering.functions.registry import RULES
from keepstate_spark.lowering.lateness import constant_delay
from keepstate_spark.lowering.lowering_context import Lowering
from keepstate_spark.lowering.operators.watermark_calls import NAME
from keepstate_spark.lowering.refusals import NotLowerable
from keepstate_spark.lowering.scalars import ColumnBuilder, ColumnNames
from keepstate_spark.lowering.spark_columns import frame_column, function_call
from keepstate_spark.lowering.spark_types import spark_type
from keepstate_spark.session import UTC_NAMES, is_remote
from keepstate_spark.sources.change_lines import FORMATS_OF_CHANGED_COLUMNS
from keepstate_spark.sources.column_times import (
    BehindRow,
    TimesAround,
    behind_in_files,
    may_be_behind_in_files,
    times_around,
)
from keepstate_spark.sources.file_rows import FileRows, opened, rows_of_frame
from keepstate_spark.sources.kept_rows import KeptFrames, keep
from keepstate_spark.sources.locations import DATAFRAME, Location
from keepstate_spark.sources.row_watermarks import (
    RowTimes,
    comes_by_clock,
    in_batches,
    may_be_behind,
    with_watermark,
    with_watermarks_behind,
)
from keepstate_spark.sources.rows.readings import Reading, TextRows, TypedRows
from keepstate_spark.sources.rows.row_places import numbers_rows, row_number
from keepstate_spark.sources.typed_columns import TypedColumn

_BAD = "__keepstate_bad"
_EMPTY = "__keepstate_empty"
_PLACE = "__keepstate_place"
_SIGN = "__keepstate_sign"
_NUMBER = "__keepstate_number"
_MOST_BEHIND = 100_000
"""Rows behind the watermark that are sent to Spark one by one."""


@dataclass
class Scanner:
    """Reads tables at their ``locations``; afterwards ``readings`` returns the counts of their rows.

    ``frames`` are the rows of tables that lie in DataFrames. They belong to ``session``, whose settings hold for all
    that is made of them.
    """

    session: SparkSession
    catalog: Catalog
    locations: Mapping[str, Location]
    frames: Mapping[str, DataFrame] = field(default_factory=dict)
    keeper: KeptFrames | None = None
    """The rows of texts that are kept for all queries; ``None`` if each query reads its files."""
    _open: dict[tuple[str, bool, bool, bool, bool], FileRows] = field(default_factory=dict)
    _watched: list[TextRows | TypedRows] = field(default_factory=list)
    _with_files: dict[str, Location] = field(default_factory=dict)
    """Locations with their files, by tables."""
    _late: dict[str, bool] = field(default_factory=dict)
    """The tables that were looked through, with the answers."""

    def scan(self, operator: TableSourceScan, lowering: Lowering) -> NamedFrame:
        table = self.catalog.tables.get(operator.table)
        if table is None:
            raise NotLowerable(f"No CREATE TABLE tells the columns of {operator.table}.", operator.place)
        location = replace(self.locations[table.name], of_versions=lowering.sends_versions)
        behind = self._behind(table, location, lowering)
        in_short = lowering.lateness is None or not location.large or behind is not None
        frame = self._frame(table, location, operator, lowering, in_short, behind is not None)
        times = [lowering.scalars(frame).column(time) for time in watermarks_of(table, self.catalog)]
        frame = replace(frame, rows=self._watched_rows(table, location, frame.rows, times))
        mark = self._watermark(table, frame, lowering.zone) if lowering.lateness is not None else None
        if location.changes is not None:
            frame = replace(frame, sign=_SIGN)
        if location.upserts and not location.of_versions:
            return self._last_rows(table, frame)
        if frame.sign is not None and lowering.sends_changes:
            return frame
        if frame.sign is not None and not location.of_versions:
            return self._remaining(table, frame, lowering)
        if lowering.watermark_interval is not None:
            frame = self._with_current_watermarks(table, frame, lowering)
        if mark is None:
            return frame
        name = lowering.name("watermark")
        if behind is not None:
            numbers = [(row_number(row.file, row.line), row.watermark) for row in behind]
            return replace(frame, rows=with_watermarks_behind(frame.rows, _NUMBER, numbers, name), watermark=name)
        rows = with_watermark(frame.rows, frame.arrival[0], mark.mark_number, name, location.large)
        if between := lowering.aggregation.between_marks:
            rows = in_batches(rows, name, between)
        return replace(frame, rows=rows, watermark=name)

    def _behind(self, table: TableDefinition, location: Location, lowering: Lowering) -> list[BehindRow] | None:
        """The rows of a table that are behind the watermark, if these are all that matters, few, and known without
        Spark; else ``None``.
        """
        lateness, files = lowering.lateness, self._files(location)
        if lateness is None or not lateness.of_single_rows or files is None or location.upserts:
            return None
        if lowering.aggregation.between_marks or lowering.watermark_interval is not None or not numbers_rows(files):
            return None
        for time, mark in self._watermarks(table):
            delay, column = constant_delay(time, mark), self._column(table, time)
            type_ = _type(table, column) if column is not None else None
            if delay is None or column is None or type_ is None:
                return None
            local = type_.root == "TIMESTAMP_LTZ"
            if local and lowering.zone not in UTC_NAMES:
                return None
            return behind_in_files(files, column.name, local, delay, _step(type_), _MOST_BEHIND)
        return None

    def _with_current_watermarks(self, table: TableDefinition, frame: NamedFrame, lowering: Lowering) -> NamedFrame:
        """``frame`` with a column for CURRENT_WATERMARK of its time. Spark looks now whether files determine it."""
        mark, interval = self._watermark(table, frame, lowering.zone), lowering.watermark_interval or 0
        if mark is None:
            return frame
        if connector_of(self.catalog.options_of(table)) != "filesystem":
            raise NotLowerable(f"CURRENT_WATERMARK of {table.name} depends on the clock of its source.", table.place)
        location = self._located(table)
        name = lowering.name("current_watermark")
        rows = with_watermark(frame.rows, frame.arrival[0], mark.mark_number, name, location.large)
        if interval and comes_by_clock(rows, mark.mark_number, name, interval):
            raise NotLowerable(
                f"CURRENT_WATERMARK of {table.name} depends on the clock of the job: some times are no more than "
                f"pipeline.auto-watermark-interval apart, which is {interval} ms.",
                table.place,
            )
        instant = function_call("timestamp_millis", frame_column(name))
        is_local = mark.time.type.root == "TIMESTAMP_LTZ"
        value = instant if is_local else time_columns.of_milliseconds(frame_column(name))
        times = [time for time, _ in self._watermarks(table)]
        return frame.holding(rows.withColumn(name, value), {Call(NAME, (time,)): name for time in times[:1]})

    def _last_rows(self, table: TableDefinition, frame: NamedFrame) -> NamedFrame:
        """The last row of each primary key."""
        keys, place = self.catalog.primary_key_of(table)
        names = {expr.name: name for expr, name in frame.names.columns.items() if isinstance(expr, TableColumn)}
        missing = [key for key in keys if key not in names]
        if missing or not keys:
            raise NotLowerable(f"The table {table.name} needs a primary key of its columns.", place or table.place)
        by = Window.partitionBy(*(frame_column(names[key]) for key in keys)).orderBy(
            frame_column(frame.arrival[0]).desc()
        )
        rows = (
            frame.rows.withColumn(_PLACE, function_call("row_number").over(by))
            .where(frame_column(_PLACE) == 1)
            .drop(_PLACE)
        )
        return replace(frame, rows=rows)

    def _remaining(self, table: TableDefinition, frame: NamedFrame, lowering: Lowering) -> NamedFrame:
        """The rows that the lines of a table of changes leave."""
        scalars = lowering.scalars(frame)
        exprs = (expr for expr in frame.names.columns if expr in lowering.read_columns)
        values = [(value.column, value.type) for value in map(scalars.value, exprs)]
        rows = remaining(frame.rows, values, _SIGN, frame.arrival[0], table.name)
        return replace(frame, rows=rows, sign=None)

    def may_be_late(self, operator: TableSourceScan, lowering: Lowering, ask: bool) -> bool:
        """Return whether rows of a table may come too late.

        If ``ask`` allows it, Parquet on this machine is looked at without Spark, and Spark scans the times of other
        tables for which that pays. Of the rest only small ones are searched by the query itself.
        """
        table = self.catalog.tables[operator.table]
        location = self.locations[table.name]
        if not watermarks_of(table, self.catalog):
            return False
        if not ask:
            return not location.large
        if table.name not in self._late:
            self._late[table.name] = self._look(table, location, operator, lowering)
        return self._late[table.name]

    def _look(self, table: TableDefinition, location: Location, operator: TableSourceScan, lowering: Lowering) -> bool:
        answer = self._look_at_files(table, location)
        if answer is not None:
            return answer
        if not location.looked_through:
            return not location.large
        frame = self._frame(table, location, operator, lowering)
        row_times = self._watermark(table, frame, lowering.zone)
        if row_times is None:
            return False
        files = [""] if location.format == DATAFRAME else sorted(frame.rows.inputFiles())
        return may_be_behind(frame.rows, frame.arrival[0], row_times, files)

    def _look_at_files(self, table: TableDefinition, location: Location) -> bool | None:
        """The same without Spark, for a column of Parquet files on the machine of Spark; else ``None``."""
        files = self._files(location)
        if files is None:
            return None
        for time, mark in self._watermarks(table):
            delay, column = constant_delay(time, mark), self._column(table, time)
            if delay is None or column is None:
                return None
            return may_be_behind_in_files(files, column.name, _type(table, column).root == "TIMESTAMP_LTZ", delay)
        return None

    def times_around(self, operator: TableSourceScan, time: Expr, moment: int) -> TimesAround | None:
        """The rows of a table whose ``time`` is before ``moment``, and the others, without Spark; ``None`` where that
        is not known. ``moment`` is in milliseconds, of a TIMESTAMP as if in UTC.
        """
        table = self.catalog.tables[operator.table]
        files, column = self._files(self.locations[table.name]), self._column(table, time)
        if files is None or column is None:
            return None
        type_ = _type(table, column)
        step = _step(type_)
        if moment % step:
            # The files may have digits that the type of the column cuts off.
            return None
        times = times_around(files, column.name, type_.root == "TIMESTAMP_LTZ", moment)
        if times is None or (times.first is not None and times.first < 0):
            return None
        first, last, nearest = (
            each if each is None else each - each % step for each in (times.first, times.last, times.nearest)
        )
        return replace(times, first=first, last=last, nearest=nearest)

    def _files(self, location: Location) -> Sequence[str] | None:
        """The Parquet files of a location that are on the machine of Spark; ``None`` if its rows are anywhere else."""
        is_here = location.format == "parquet" and location.is_local and self._is_near
        return location.files.rows if is_here and location.files is not None else None

    def _column(self, table: TableDefinition, expr: Expr) -> ColumnDefinition | None:
        """The column that ``expr`` is, if files have it; else ``None``."""
        declared = {column.name: column for column in self.catalog.columns_of(table)[0]}
        column = declared.get(expr.name) if isinstance(expr, TableColumn) else None
        is_of_file = column is not None and column.expression is None and column.metadata is None
        return column if is_of_file else None

    @property
    def _is_near(self) -> bool:
        """Spark works on this machine, in a process of its own."""
        return not is_remote(self.session) and (self.session.conf.get("spark.master") or "").startswith("local")

    def _watermarks(self, table: TableDefinition) -> Iterator[tuple[Expr, Expr]]:
        """The times of ``table`` with their watermarks, but for those that only a connector knows."""
        for time, mark in watermarks_of(table, self.catalog).items():
            if not any(isinstance(node, Call) and node.name == "SOURCE_WATERMARK" for node in mark.walk()):
                yield time, mark

    def _watermark(self, table: TableDefinition, frame: NamedFrame, zone: str) -> RowTimes | None:
        """The time of a row of ``table`` and the watermark that it gives; ``None`` if it gives none."""
        scalars = ColumnBuilder(frame.names, zone, RULES)
        for time, mark in self._watermarks(table):
            values = scalars.value(time), scalars.value(mark)
            wrong = next((value for value in values if value.type.root not in ("TIMESTAMP", "TIMESTAMP_LTZ")), None)
            if wrong is not None:
                raise NotLowerable(f"A watermark is a TIMESTAMP or a TIMESTAMP_LTZ, not a {wrong.type}.", mark.place)
            return RowTimes(*values, constant_delay(time, mark))
        return None

    def _located(self, table: TableDefinition) -> Location:
        """Return the location of a table, with its files."""
        if table.name not in self._with_files:
            self._with_files[table.name] = self.locations[table.name].with_files(self.session, table.name)
        return self._with_files[table.name]

    def _frame(
        self,
        table: TableDefinition,
        location: Location,
        operator: TableSourceScan,
        lowering: Lowering,
        in_short: bool = False,
        numbered: bool = False,
    ) -> NamedFrame:
        """The rows of a table with those that cannot be read still among them. ``in_short`` allows places of rows that
        are single numbers. With ``numbered`` there is the column ``_NUMBER``.
        """
        columns = [
            column
            for column in self.catalog.columns_of(table)[0]
            if column.expression is None and column.type is not None
        ]
        typed = [(column, _type(table, column)) for column in columns]
        nested = next((column for column, type_ in typed if type_.elements), None)
        if nested is not None and location.changes in FORMATS_OF_CHANGED_COLUMNS:
            raise NotLowerable(f"Flink finds names of changed columns inside of {nested.name} as well.", nested.place)
        ordered = lowering.ordered or location.upserts or location.changes is not None
        if location.format == DATAFRAME:
            rows = rows_of_frame(table.name, self.frames[table.name], typed, lowering.zone)
        else:
            in_short = in_short and self._is_near
            rows = self._opened(table, typed, lowering.zone, ordered, in_short, numbered, location.of_versions)
        names = {column.name: lowering.name(column.name) for column in columns}
        arrival = lowering.name("arrival")
        selected = rows.frame.select(
            *(rows.columns[column.name].alias(names[column.name]) for column in columns),
            *([rows.place.alias(arrival)] if ordered and rows.place is not None else []),
            *(
                of.alias(name)
                for of, name in (
                    (rows.problem, _BAD),
                    (rows.empty, _EMPTY),
                    (rows.sign, _SIGN),
                    (rows.number, _NUMBER),
                )
                if of is not None
            ),
        )
        names_of_exprs: dict[Expr, str] = {
            expr: names[expr.name] for expr in operator.columns if isinstance(expr, TableColumn) and expr.name in names
        }
        return NamedFrame(selected, ColumnNames(names_of_exprs), (arrival,) if ordered else ())

    def _opened(
        self,
        table: TableDefinition,
        typed: Sequence[TypedColumn],
        zone: str,
        ordered: bool,
        in_short: bool,
        numbered: bool,
        of_versions: bool,
    ) -> FileRows:
        """The files of a table, opened once for all queries that read them alike."""
        location = replace(self._located(table), of_versions=of_versions)
        keeps = self.keeper is not None and location.format in ("json", "csv")
        key = (table.name, ordered or keeps, in_short, numbered, of_versions)
        if key not in self._open:
            alone = len(self.locations) == 1
            rows = opened(self.session, table, location, typed, zone, ordered or keeps, alone, in_short, numbered)
            self._open[key] = keep(rows, self.keeper) if keeps and self.keeper is not None else rows
        return self._open[key]

    @property
    def observes(self) -> bool:
        """Return whether rows are counted while a query reads them."""
        return any(isinstance(watched, TextRows) for watched in self._watched)

    def readings(self, timed: bool) -> list[Reading]:
        """Return the counts of the rows of each table, once its rows have been read. ``timed``: rows without a time
        count.
        """
        by_table: dict[str, Reading] = {}
        for watched in self._watched:
            reading = watched.reading(timed)
            if reading is not None and (watched.table not in by_table or reading.rows > by_table[watched.table].rows):
                by_table[watched.table] = reading
        return list(by_table.values())

    def _watched_rows(
        self, table: TableDefinition, location: Location, rows: DataFrame, times: list[Column]
    ) -> DataFrame:
        """``rows`` without those that cannot be read, which are counted on the way."""
        missing = fn.lit(False)
        for time in times:
            missing = missing | time.isNull()
        path = location.path
        if _BAD not in rows.columns:
            # All of them can be read. To count them on the way would cost as much as the query; files know their NULLs.
            timed = [self._column(table, time) for time in watermarks_of(table, self.catalog)]
            column = timed[0].name if len(timed) == 1 and timed[0] is not None else ""
            self._watched.append(TypedRows(table.name, path, rows, missing, column, self._files(location)))
            return rows
        observation, bad = Observation(), frame_column(_BAD)
        watched = rows.observe(
            observation,
            fn.count(fn.lit(1)).alias("rows"),
            fn.count(bad).alias("bad"),
            fn.min(bad).alias("example"),
            fn.count(fn.when(missing & bad.isNull(), 1)).alias("untimed"),
            fn.count(fn.when(frame_column(_EMPTY), 1)).alias("empty"),
        )
        self._watched.append(TextRows(table.name, path, rows, observation, location.is_tolerant))
        return watched.where(bad.isNull()).drop(_BAD, _EMPTY)


def _step(type_: LogicalType) -> int:
    """The milliseconds that a type of times tells apart."""
    return int(10 ** max(3 - (type_.precision or 0), 0))


def _type(table: TableDefinition, column: ColumnDefinition) -> LogicalType:
    type_ = LogicalType.declared(column.type or "")
    if type_ is None or spark_type(type_) is None:
        why = ": Spark keeps microseconds" if type_ is not None and type_.root.startswith("TIMESTAMP") else ""
        raise NotLowerable(
            f"The column {column.name} of {table.name} is a {column.type}, which cannot be read{why}.",
            column.place,
        )
    return type_
