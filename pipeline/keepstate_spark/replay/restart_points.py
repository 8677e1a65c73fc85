"""A restart as a point in the rows of a query: which came before it, and which windows were open then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, timezone

from pyspark.sql import Column as SparkColumn
from pyspark.sql import Observation

from keepstate.plan.expressions import Call, Column, Expr, Literal
from keepstate.plan.lowering.watermarks import watermarks_of
from keepstate.plan.operators import LookupJoin, Operator, TableSourceScan, TemporalJoin
from keepstate.plan.types.inference import type_of
from keepstate.plan.types.logical_types import LogicalType
from keepstate_spark.errors import PipelineError
from keepstate_spark.jobs import Query
from keepstate_spark.lowering import time_columns
from keepstate_spark.lowering.frames import NamedFrame
from keepstate_spark.lowering.lateness import constant_delay, time_number
from keepstate_spark.lowering.lowering_context import Lowering, Scan
from keepstate_spark.lowering.observing import observed
from keepstate_spark.lowering.refusals import NotLowerable
from keepstate_spark.lowering.scalars import ColumnBuilder
from keepstate_spark.lowering.spark_columns import choice, function_call, large, true, whole
from keepstate_spark.session import UTC_NAMES, time_zone
from keepstate_spark.sources.scanning import Scanner

_LOCAL = ("TIMESTAMP_LTZ",)
_DAY = timedelta(days=1)
_EPOCH = datetime(1970, 1, 1)
_MILLISECOND = timedelta(milliseconds=1)


def restart_time(text: str, zone: str) -> datetime:
    """The time that ``text`` names, on the wall clock of ``zone``.

    Takes ISO 8601, with a space or a ``T``; without an offset it is a time of that clock. Raises ``PipelineError``.

    >>> restart_time("2026-03-01 10:05", "Europe/Berlin")
    datetime.datetime(2026, 3, 1, 10, 5)
    >>> restart_time("2026-03-01T10:05:00Z", "Europe/Berlin")
    datetime.datetime(2026, 3, 1, 11, 5)
    """
    try:
        time = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
    except ValueError as error:
        raise PipelineError(f"'{text}' is no time.", "Write it like this: '2026-03-01 10:05:00'.") from error
    return time if time.tzinfo is None else time.astimezone(time_zone(zone)).replace(tzinfo=None)


def literal(time: datetime) -> Literal:
    return Literal(time.isoformat(" "), "TIMESTAMP")


def like(time: datetime, expr: Expr) -> Expr:
    """``time``, of the wall clock, as a value to be compared with ``expr``."""
    type_ = type_of(expr)
    if type_ is not None and type_.root in _LOCAL:
        return Call("CAST", (literal(time), Literal("TIMESTAMP_LTZ(3)", "TYPE")))
    return literal(time)


@dataclass(frozen=True)
class Arrivals:
    """Times of arrival of the rows of each table of a query: the value of a column named by ``columns``, or the event
    time.
    """

    query: Query
    columns: Mapping[str, str]
    """Names of columns by names of tables."""

    def of(self, scan: TableSourceScan) -> Expr:
        """Return the time of arrival of a table's rows. Raises ``NotLowerable`` if it is unknown."""
        name = self.columns.get(scan.table)
        if name is None:
            time = self.time_of(scan)
            if time is not None:
                return time
            raise NotLowerable(
                f"Nothing tells when the rows of {scan.table} come: it has no watermark. Name a column that does with "
                f"--arrival {scan.table}=COLUMN.",
                scan.place,
            )
        for expr in scan.columns:
            if isinstance(expr, Column) and expr.name == name:
                type_ = type_of(expr)
                if type_ is None or type_.root not in ("TIMESTAMP", "TIMESTAMP_LTZ"):
                    raise NotLowerable(f"The column {name} of {scan.table} is a {type_}, not a time.", scan.place)
                return expr
        raise NotLowerable(f"The table {scan.table} has no column {name}.", scan.place)

    def time_of(self, scan: TableSourceScan) -> Expr | None:
        """The event time of a table."""
        return next((expr for expr in scan.columns if expr in self.query.times), None)

    def before(self, scan: TableSourceScan, time: datetime) -> Expr:
        arrival = self.of(scan)
        return Call("<", (arrival, like(time, arrival)))

    def after(self, scan: TableSourceScan, time: datetime) -> Expr:
        arrival = self.of(scan)
        return Call("<=", (like(time, arrival), arrival))


@dataclass(frozen=True)
class RowsAtRestart:
    """State of a query's rows at a restart.

    ``first`` and ``last`` are times of arrival on the wall clock, ``watermark`` is the largest one of the rows before
    the restart; ``None`` if there is none.
    """

    before: int = 0
    after: int = 0
    first: datetime | None = None
    last: datetime | None = None
    watermark: datetime | None = None


@dataclass(frozen=True)
class _Question:
    """Aggregates over the rows of one table.

    The first two of ``aggregates`` count; the others are times of these ``kinds``. A watermark is ``delay`` behind the
    last of the times.
    """

    aggregates: tuple[SparkColumn, ...]
    kinds: tuple[LogicalType, ...]
    delay: timedelta

    @classmethod
    def of(
        cls, query: Query, scan: TableSourceScan, arrivals: Arrivals, time: datetime, scalars: ColumnBuilder
    ) -> _Question:
        arrival = scalars.value(arrivals.of(scan))
        before = function_call("coalesce", scalars.column(arrivals.before(scan, time)), true())
        marks = list(watermarks_of(query.catalog.tables[scan.table], query.catalog).items())
        millis = constant_delay(*marks[0]) if marks else None
        delay = None if millis is None else millis * _MILLISECOND
        values = [function_call("min", arrival.column), function_call("max", arrival.column)]
        kinds = [arrival.type, arrival.type]
        if marks:
            mark = scalars.value(marks[0][0] if delay is not None else _watermark(marks[0]))
            values.append(function_call("max", choice(before, mark.column)))
            kinds.append(mark.type)
        counts = function_call("count_if", before), function_call("count", whole(1))
        return cls((*counts, *map(time_columns.milliseconds, values)), tuple(kinds), delay or timedelta(0))

    def answered(self, row: Sequence[int], zone: str) -> RowsAtRestart:
        clocks = [_clock(value, zone, kind.root in _LOCAL) for value, kind in zip(row[2:], self.kinds, strict=True)]
        watermark = clocks[2] - self.delay if len(clocks) > 2 and clocks[2] is not None else None
        return RowsAtRestart(row[0], row[1] - row[0], clocks[0], clocks[1], watermark)


def look(
    query: Query, scans: list[TableSourceScan], arrivals: Arrivals, time: datetime, lowering: Lowering
) -> RowsAtRestart:
    """One pass over the times of the tables of a query."""
    answers = []
    lowering = _with_versions(query, lowering)
    for scan in scans:
        frame = lowering.scan(scan, lowering)
        question = _Question.of(query, scan, arrivals, time, lowering.scalars(frame))
        row = frame.rows.agg(*question.aggregates).head()
        assert row is not None
        answers.append(question.answered(tuple(row), query.zone))
    return _together(answers)


def _with_versions(query: Query, lowering: Lowering) -> Lowering:
    """The context in which a table of FOR SYSTEM_TIME AS OF gives each version of its rows."""
    temporal = any(isinstance(operator, TemporalJoin) for operator in query.plan.operators)
    return replace(lowering, sends_versions=temporal)


def look_at_files(
    query: Query, scans: list[TableSourceScan], arrivals: Arrivals, time: datetime, scanner: Scanner
) -> RowsAtRestart | None:
    """The same without Spark, for times that are columns of Parquet files on its machine; else ``None``."""
    answers = []
    for scan in scans:
        arrival = arrivals.of(scan)
        marks = list(watermarks_of(query.catalog.tables[scan.table], query.catalog).items())
        delay = constant_delay(*marks[0]) if marks else 0
        type_ = type_of(arrival)
        local = type_ is not None and type_.root in _LOCAL
        if (
            delay is None
            or (marks and marks[0][0] != arrival)
            or time.microsecond % 1000
            or (local and query.zone not in UTC_NAMES)
        ):
            return None
        around = scanner.times_around(scan, arrival, (time - _EPOCH) // _MILLISECOND)
        if around is None:
            return None
        first, last, nearest = (_clock(each, query.zone, local) for each in (around.first, around.last, around.nearest))
        watermark = nearest - delay * _MILLISECOND if marks and nearest is not None else None
        answers.append(RowsAtRestart(around.before, around.after, first, last, watermark))
    return _together(answers)


@dataclass
class Watch:
    """Observes the times of tables while a query reads them, so that no second scan is needed."""

    query: Query
    arrivals: Arrivals
    time: datetime
    _watched: list[tuple[_Question, Observation]] = field(default_factory=list)

    def scan(self, scan: Scan) -> Scan:
        """``scan``, watched."""
        tables = scans_of(self.query.plan.root)

        def watched(operator: TableSourceScan, lowering: Lowering) -> NamedFrame:
            frame = scan(operator, lowering)
            if operator not in tables:
                return frame
            question = _Question.of(self.query, operator, self.arrivals, self.time, lowering.scalars(frame))
            observation = Observation()
            names = [aggregate.alias(f"v{index}") for index, aggregate in enumerate(question.aggregates)]
            self._watched.append((question, observation))
            return replace(frame, rows=frame.rows.observe(observation, *names))

        return watched

    def rows_at_restart(self) -> RowsAtRestart | None:
        """Return the observed values, once all rows have been read; ``None`` if Spark skipped some rows."""
        answers = []
        for question, observation in self._watched:
            row = observed(observation)
            if row is None:
                return None
            values = [row[f"v{index}"] for index in range(len(question.aggregates))]
            answers.append(question.answered(values, self.query.zone))
        return _together(answers)


def scans_of(operator: Operator) -> list[TableSourceScan]:
    """Return the tables whose rows arrive. The table of a lookup join is there all the time."""
    if isinstance(operator, TableSourceScan):
        return [operator]
    inputs = (operator.left,) if isinstance(operator, LookupJoin) else operator.inputs
    return [scan for below in inputs for scan in scans_of(below)]


def _together(tables: list[RowsAtRestart]) -> RowsAtRestart:
    marks = [table.watermark for table in tables if table.watermark is not None]
    return RowsAtRestart(
        sum(table.before for table in tables),
        sum(table.after for table in tables),
        min((table.first for table in tables if table.first is not None), default=None),
        max((table.last for table in tables if table.last is not None), default=None),
        # An operator with several inputs goes by the slowest of them.
        min(marks) if len(marks) == len(tables) else None,
    )


def _watermark(declared: tuple[Expr, Expr]) -> Expr:
    """Return the watermark of a row; the time of the row if only a connector determines it."""
    time, mark = declared
    source = any(isinstance(node, Call) and node.name == "SOURCE_WATERMARK" for node in mark.walk())
    return time if source else mark


@dataclass(frozen=True)
class Spans:
    """Stretches of time with rows: the largest watermark that the rows of each of them gave, by its beginning."""

    marks: Mapping[datetime, datetime]


def look_through(
    query: Query, scans: list[TableSourceScan], arrivals: Arrivals, every: timedelta, lowering: Lowering
) -> Spans:
    """One pass over the times of the tables of a query, in stretches of length ``every``; those without rows in between
    are there as well.
    """
    step = every // _MILLISECOND
    marks_by_number: dict[int, list[int]] = {}
    lowering = _with_versions(query, lowering)
    for scan in scans:
        frame = lowering.scan(scan, lowering)
        scalars = lowering.scalars(frame)
        arrival = scalars.value(Call("CAST", (arrivals.of(scan), Literal("TIMESTAMP(3)", "TYPE"))))
        table = query.catalog.tables[scan.table]
        marks = map(_watermark, watermarks_of(table, query.catalog).items())
        mark = next((scalars.value(Call("CAST", (mark, Literal("TIMESTAMP(3)", "TYPE")))) for mark in marks), arrival)
        stretch = function_call("floor", time_number(arrival) / large(step)).alias("stretch")
        rows = frame.rows.groupBy(stretch).agg(function_call("max", time_number(mark)).alias("mark")).collect()
        for number, largest in rows:
            if number is not None and largest is not None:
                marks_by_number.setdefault(number, []).append(largest)
    if not marks_by_number:
        return Spans({})
    first, last = min(marks_by_number), max(marks_by_number)
    marks_reached = {number: _EPOCH + min(marks_by_number[number]) * _MILLISECOND for number in marks_by_number}
    return Spans(
        {_EPOCH + number * step * _MILLISECOND: marks_reached.get(number, _EPOCH) for number in range(first, last + 1)}
    )


def _clock(millis: int | None, zone: str, local: bool) -> datetime | None:
    """Return milliseconds as a time of the wall clock. With ``local`` they count from an instant."""
    if millis is None:
        return None
    time = _EPOCH + millis * _MILLISECOND
    if not local:
        return time
    return time.replace(tzinfo=timezone.utc).astimezone(time_zone(zone)).replace(tzinfo=None)


def between(scan_time: Expr, low: datetime, high: datetime | None) -> tuple[Expr, ...]:
    """Return the conditions that an event time lies between two times of the wall clock, with a margin for daylight
    saving time.
    """
    local = type_of(scan_time)
    margin = _DAY if local is not None and local.root in _LOCAL else timedelta(0)
    conditions: list[Expr] = [Call("<", (like(low - margin, scan_time), scan_time))]
    if high is not None:
        conditions.append(Call("<", (scan_time, like(high + margin, scan_time))))
    return tuple(conditions)
