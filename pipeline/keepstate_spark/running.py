"""Runs the queries of a script on Spark, over files."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from keepstate.plan.operators import GroupWindowAggregate, WindowTableFunction
from keepstate.plan.types.logical_types import LogicalType
from keepstate_spark.errors import PipelineError
from keepstate_spark.jobs import Query, RunnableScript
from keepstate_spark.lowering.functions.type_texts import flink_type
from keepstate_spark.printed_values import with_numbers, writer
from keepstate_spark.row_names import as_written, row_names
from keepstate_spark.saving import save
from keepstate_spark.session import require_file_writer, session_beside
from keepstate_spark.sink import column_of_last_rows
from keepstate_spark.spark_errors import said_by_spark
from keepstate_spark.warm.lent import SMALL_SETTINGS

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, Row, SparkSession

    from keepstate_spark.lowering.lateness import Lateness, LateRows
    from keepstate_spark.sources.rows.readings import Reading
    from keepstate_spark.sources.scanning import Scanner

LOWERING_SETTINGS = {
    # Numbers wrap around as in Java; what Flink stops for stops the query by itself.
    "spark.sql.ansi.enabled": "false",
    "spark.sql.caseSensitive": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.legacy.timeParserPolicy": "CORRECTED",
    "spark.sql.mapKeyDedupPolicy": "LAST_WIN",
    # A character that a character set does not have is written as in Java.
    "spark.sql.legacy.codingErrorAction": "true",
    "spark.sql.variant.allowDuplicateKeys": "true",
    # Java compiles no method of more bytes. Spark would run it as it is, at half the speed.
    "spark.sql.codegen.hugeMethodLimit": "8000",
}
"""Settings of Spark that the code of ``keepstate_spark.lowering`` relies on."""

_LARGE_SETTINGS = {"spark.sql.files.maxPartitionBytes": "32m"}
"""A part of a result is brought here as a whole, so parts must be small beside the heap."""


PATIENCE = 60.0
"""Seconds without any task at work until a sentence says so: a cluster that grows takes up to a minute."""
_LOOK_SECONDS = 1.0
_WAITING = (
    "No worker of {} has begun a task for {:.0f} s. It may be busy, unable to start, or without the memory and cores "
    "that spark.executor.memory and spark.executor.cores ask for. Spark goes on waiting; Ctrl-C ends it."
)


@dataclass
class LoweredQuery:
    """A query that was lowered. ``types`` are Flink's."""

    query: Query
    rows: DataFrame
    names: tuple[str, ...]
    types: tuple[LogicalType, ...]
    nullable: tuple[bool, ...]
    script: RunnableScript
    _scanner: Scanner = field(repr=False)
    _lateness: Lateness | None = field(default=None, repr=False)

    @property
    def number(self) -> int:
        return self.query.number

    @property
    def name(self) -> str:
        return self.query.name

    def values(self) -> Iterator[list[Any]]:
        """The rows as they are printed: see ``printed``. Spark works while they are read."""
        writers = [writer(type_, self.query.zone) for type_ in self.types]
        with self.spark_errors():
            if self.script.large:
                rows: Iterable[Row] = self._large_result()
            else:
                try:
                    rows = self.rows.collect()
                except (ValueError, OverflowError) as error:
                    if not has_far_time(error):
                        raise
                    rows = with_numbers(self.rows, self.types).collect()
                    writers = [writer(type_, self.query.zone, numbered=True) for type_ in self.types]
            for row in rows:
                yield [write(value) for write, value in zip(writers, row, strict=True)]

    def _large_result(self) -> Iterator[Row]:
        """The rows by way of a file, so that neither side holds all of them in memory. An iterator over the query
        itself would run it as a row of small ones, none of which is known to have read all rows.
        """
        from pyspark import StorageLevel

        rows = self.rows.persist(StorageLevel.DISK_ONLY)
        try:
            rows.count()
            yield from rows.toLocalIterator(prefetchPartitions=True)
        finally:
            # Of a JVM that was interrupted nothing is left to be given back.
            with suppress(Exception):
                rows.unpersist()

    def shown_types(self) -> list[str]:
        """The types of the columns as Flink prints them."""
        pairs = zip(self.types, self.nullable, strict=True)
        return [flink_type(type_) if nullable else f"{flink_type(type_)} NOT NULL" for type_, nullable in pairs]

    def frame(self) -> DataFrame:
        """The rows with the names of the query."""
        rows = self.rows.toDF(*(f"c{index}" for index in range(len(self.names))))
        columns = [_renamed(rows[f"c{index}"], type_) for index, type_ in enumerate(self.types)]
        return rows.select(*columns).toDF(*self.names)

    def save(self, path: str, format_: str) -> None:
        """Write the rows to a folder of files of one of the formats of ``saving``."""
        require_file_writer()
        with self.spark_errors():
            save(self.frame(), path, format_)

    def explain(self) -> str:
        """Spark's plan."""
        import io
        from contextlib import redirect_stdout

        text = io.StringIO()
        with self.spark_errors(), redirect_stdout(text):
            self.rows.explain(mode="formatted")
        return text.getvalue().strip()

    def readings(self) -> Sequence[Reading]:
        """Return the number of read and unread rows of each table, once the result has been read."""
        windows = (WindowTableFunction, GroupWindowAggregate)
        with self.spark_errors():
            return self._scanner.readings(any(isinstance(operator, windows) for operator in self.query.plan.operators))

    def late_rows(self) -> list[LateRows]:
        """The rows that came too late, once the result has been read."""
        with self.spark_errors():
            return list(self._lateness.late_rows()) if self._lateness is not None else []

    def spark_errors(self) -> AbstractContextManager[None]:
        return in_one_sentence(self.script, self.query)


def _renamed(column: Column, type_: LogicalType) -> Column:
    """Return ``column`` with the fields of its rows as the script writes them, and a length of time as a text."""
    from keepstate_spark.lowering.spark_types import spark_type
    from keepstate_spark.lowering.time_columns import length_text

    if type_.root.startswith("INTERVAL"):
        return length_text(column, type_.root == "INTERVAL MONTH")
    target = spark_type(type_) if type_.elements else None
    return column if target is None else column.cast(target)


def has_far_time(error: Exception) -> bool:
    """Return whether ``error`` comes from a time that Python does not have.

    >>> has_far_time(ValueError("year 10000 is out of range")), has_far_time(ValueError("x"))
    (True, False)
    """
    return any(words in str(error) for words in ("out of range", "ordinal must be"))


@contextmanager
def in_one_sentence(script: RunnableScript, query: Query) -> Iterator[None]:
    """Turn errors of Spark into one sentence, as long as its JVM is there."""
    from py4j.protocol import Py4JError, Py4JNetworkError  # type: ignore[import-untyped]
    from pyspark.errors import PySparkException

    try:
        yield
    except Py4JNetworkError:
        # Its JVM is gone, and the owner of the session says why.
        raise
    except (PySparkException, Py4JError) as error:
        sentence = said_by_spark(error)
        raise PipelineError(f"{script.where(None, query)}: {query.name} failed. {sentence}") from error
    except (ValueError, OverflowError) as error:
        if not has_far_time(error):
            raise
        sentence = "A time of its result lies behind the year 9999, or before the year 1, which Python does not have."
        raise PipelineError(f"{script.where(None, query)}: {query.name} failed. {sentence}") from error


def session_settings(script: RunnableScript) -> dict[str, str]:
    """Spark's settings for as many rows as ``script`` reads.

    >>> from pathlib import Path
    >>> from keepstate_spark.jobs import prepared
    >>> session_settings(prepared("SELECT 1", "job.sql", Path()))
    {'spark.sql.adaptive.enabled': 'false', 'spark.sql.shuffle.partitions': '1'}
    """
    return dict(_LARGE_SETTINGS if script.large else SMALL_SETTINGS)


def lowered_query(
    script: RunnableScript,
    query: Query,
    session: SparkSession,
    *,
    drops_late: bool = True,
    may_ask: bool = True,
    frames: Mapping[str, DataFrame] | None = None,
) -> LoweredQuery:
    """Return ``query``, ready to run in a session of its own beside ``session``.

    ``drops_late`` drops late rows, as a stream does; otherwise they are only counted. With ``may_ask`` Spark scans
    large tables beforehand for late rows; without late rows, or without that scan, the query does not look for them.
    ``frames`` are the rows of tables whose location is a DataFrame.
    Raises ``PipelineError`` for a query that cannot be run, with its place.

    >>> from pathlib import Path
    >>> from keepstate_spark.jobs import prepared
    >>> script = prepared("SELECT 7 / 2 AS whole, 7 / 2.0 AS part", "job.sql", Path())
    >>> running = lowered_query(script, script.queries[0], spark)
    >>> running.names, list(map(str, running.types)), list(running.values())
    (('whole', 'part'), ['INT', 'DECIMAL(17,6)'], [[3, Decimal('3.500000')]])
    """
    from keepstate.plan.metadata.changelog import updating_tables
    from keepstate.plan.metadata.connectors import connector_of
    from keepstate_spark.lowering.lateness import Lateness, looks_at_single_rows
    from keepstate_spark.lowering.operators.plan_frames import lowered, scanning
    from keepstate_spark.lowering.refusals import NotLowerable
    from keepstate_spark.lowering.sink_rows import as_sink_takes_it
    from keepstate_spark.sources.scanning import Scanner
    from keepstate_spark.sources.shared_frames import in_session

    own = session_beside(session, LOWERING_SETTINGS)
    shared = {name: in_session(own, frame) for name, frame in (frames or {}).items() if name in query.locations}
    scanner = Scanner(own, query.catalog, query.locations, shared)
    lateness = None
    try:
        with in_one_sentence(script, query):
            if query.is_streaming and query.goes_by_time:
                tables = scanning(own, query.zone, scanner.scan)
                # An outer join sends rows out behind the watermark though all of them came in time.
                pads = query.joins_feed_times and any(join.kind != "inner" for join in query.interval_joins)
                if pads or any(scanner.may_be_late(scan, tables, may_ask) for scan in query.plan.scans):
                    lateness = Lateness(
                        drops_late,
                        query.allowed_lateness,
                        query.interval_joins,
                        query.held_longer,
                        query.joins_feed_times,
                        may_ask,
                        looks_at_single_rows(query.plan.operators),
                    )
            result = lowered(
                query.plan,
                own,
                query.zone,
                scanner.scan,
                query.times,
                query.is_streaming,
                lateness,
                ends_at_ties=may_ask,
                looks_first=may_ask and not script.large,
                maps_in_order=all(place.format == "json" for place in query.locations.values()),
                watermark_interval=query.watermark_interval,
                aggregation=query.aggregation,
                updating=updating_tables(query.catalog),
                first_rows=query.first_rows,
                filtered_sources=frozenset(
                    scan.table
                    for scan in query.plan.scans
                    if scan.table in query.catalog.tables
                    and connector_of(query.catalog.options_of(query.catalog.tables[scan.table])) == "filesystem"
                ),
            )
            if query.sink:
                place = query.plan.output_place
                last = column_of_last_rows(query.pipeline)
                result = as_sink_takes_it(result, query.sink, query.zone, query.drops_null_rows, place, last)
    except NotLowerable as refused:
        raise script.refusal(query, refused.sentence, refused.place) from refused
    names = row_names(script.job.script.text)
    types = tuple(as_written(type_, names) for type_ in result.types)
    return LoweredQuery(query, result.rows, query.names, types, result.nullable, script, scanner, lateness)


def task_counter(session: SparkSession) -> Callable[[], tuple[int, int]]:
    """Return a function that counts the tasks of the running stages: those that are done, and all.

    >>> task_counter(spark)()  # Spark does nothing.
    (0, 0)
    """
    tracker = session.sparkContext.statusTracker()

    def count() -> tuple[int, int]:
        stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        running = [stage for stage in stages if stage is not None]
        return sum(stage.numCompletedTasks for stage in running), sum(stage.numTasks for stage in running)

    return count


@contextmanager
def waits_in_words(session: SparkSession, tell: Callable[[str], None], patience: float = PATIENCE) -> Iterator[None]:
    """Call ``tell`` with a sentence, once, if the cluster of ``session`` works at no task for ``patience`` seconds
    though some wait. Spark goes on waiting.

    >>> from types import SimpleNamespace
    >>> session = SimpleNamespace(sparkContext=SimpleNamespace(master="local[2]"))
    >>> sentences: list[str] = []
    >>> with waits_in_words(session, sentences.append):
    ...     pass
    >>> sentences
    []
    """
    context = session.sparkContext
    master = str(context.master)
    if master.startswith("local") and not master.startswith("local-cluster"):
        yield
        return
    tracker, ended = context.statusTracker(), threading.Event()

    def starves() -> bool:
        stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        known_stages = [stage for stage in stages if stage is not None]
        return bool(known_stages) and not any(stage.numActiveTasks or stage.numCompletedTasks for stage in known_stages)

    def watch() -> None:
        waited = 0.0
        # A connection that breaks ends the session, which says so itself.
        with suppress(Exception):
            while waited < patience:
                if ended.wait(_LOOK_SECONDS):
                    return
                waited = waited + _LOOK_SECONDS if starves() else 0.0
            tell(_WAITING.format(master, patience))

    watching = threading.Thread(target=watch, daemon=True)
    watching.start()
    try:
        yield
    finally:
        ended.set()
        watching.join()
