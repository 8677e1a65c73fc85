"""A script as a job that can be run: its queries, its tables with their files, and its time zone."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path

from keepstate.plan.catalog import Catalog, TableDefinition
from keepstate.plan.expressions import Call, Expr, Ordering
from keepstate.plan.job import Job, Pipeline, Plan
from keepstate.plan.metadata.changelog import updating_tables
from keepstate.plan.operators import (
    Aggregate,
    Deduplicate,
    GroupWindowAggregate,
    IntervalJoin,
    Limit,
    LookupJoin,
    Match,
    Operator,
    OverAggregate,
    Rank,
    TableSourceScan,
    TemporalJoin,
    TemporalSort,
    WindowTableFunction,
)
from keepstate.plan.operators.traversal import expressions_of
from keepstate.plan.optimizer.planners import NEWEST_GENERATION, PlannerGeneration
from keepstate.plan.parameters.aggregation_parameters import (
    ALLOW_LATENESS,
    BATCH_LATENCY,
    LATE_FIRE,
    MINI_BATCH,
    PHASES,
    SPLITS_DISTINCT,
)
from keepstate.plan.parameters.parameter_values import ValueType
from keepstate.plan.planned.executed_plan import executed_plan
from keepstate.plan.provenance import Place
from keepstate.syntax.script import Script as ParsedScript
from keepstate.syntax.script import parse_script
from keepstate.text import Encoding, LineIndex, Span
from keepstate_spark.errors import NoRows, PipelineError, pointing
from keepstate_spark.lowering.aggregate_columns import BY_ORDER
from keepstate_spark.lowering.edges.deleted_rows import told_apart
from keepstate_spark.lowering.edges.first_rows import NOTICE
from keepstate_spark.lowering.edges.retracted_rows import FORMER_ROWS, keeps_former_rows
from keepstate_spark.lowering.functions.common_rows import PARTS_OF_ROWS, of_read_columns
from keepstate_spark.lowering.lowering_context import AggregationSettings
from keepstate_spark.row_names import unlike_names
from keepstate_spark.sink import SinkColumn, sink_columns
from keepstate_spark.sources.locations import CHANGE_FORMATS, Location, location, location_of_frame
from keepstate_spark.sources.path_files import Files
from keepstate_spark.sources.session_zones import session_zone

_WAITING = (WindowTableFunction, GroupWindowAggregate, IntervalJoin, TemporalJoin, Deduplicate)
_LOOKS_BACK = (WindowTableFunction, GroupWindowAggregate, OverAggregate, TemporalJoin, TemporalSort, Match)
"""Operators whose results depend on rows that are gone later."""
_NOT_NULL_ENFORCER = "table.exec.sink.not-null-enforcer"
_FORMER_CASTS = "table.exec.legacy-cast-behaviour"
_SHOWN_ASIDE = 3
_ONLY_CHANGES = (
    "The rows of {} are changes (updates, deletions). Of these only upsert-kafka and JSON lines of {} are read."
)


@dataclass(frozen=True)
class Query:
    """One query of a script. ``name`` identifies it, ``number`` counts from 1."""

    number: int
    name: str
    pipeline: Pipeline
    plan: Plan
    catalog: Catalog
    """Declarations that the query sees."""
    zone: str
    """Its session time zone."""
    locations: Mapping[str, Location]
    """Locations of the rows of its tables."""
    without_rows: Mapping[str, str] = field(default_factory=dict)
    """Tables whose rows have no location, each with a sentence about that."""
    sink: tuple[SinkColumn, ...] = ()
    """The columns of the table that it fills; none where the script does not declare them."""
    first_rows: Mapping[Place, Expr | None] = field(default_factory=dict)
    """The ORDER BY of rankings of which Flink takes no first row back, each with the value by which their rows come."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns of its result."""
        return tuple(column.name for column in self.sink) or unlike_names(self.plan.names)

    @property
    def times(self) -> frozenset[Expr]:
        """The columns of its tables that bear a watermark, computed ones as they are computed."""
        times: set[Expr] = set()
        for scan in self.plan.scans:
            table = self.catalog.tables[scan.table]
            bearing = self.catalog.time_attributes_of(table)
            declared, _ = self.catalog.columns_of(table)
            times |= {expr for column, expr in zip(declared, scan.columns, strict=True) if column.name in bearing}
        return frozenset(times)

    @property
    def is_streaming(self) -> bool:
        """Return whether rows may come too late: in Flink's batch mode no row does."""
        mode = self.pipeline.settings.get("execution.runtime-mode")
        return mode is None or mode.value.strip().lower() != "batch"

    @property
    def drops_null_rows(self) -> bool:
        """Return whether its sink drops rows with a NULL that it does not take; otherwise Flink stops at them."""
        enforcer = self.pipeline.settings.get(_NOT_NULL_ENFORCER)
        return enforcer is not None and enforcer.value.strip().upper() == "DROP"

    @property
    def goes_by_time(self) -> bool:
        """Return whether an operator waits for the watermark."""
        if any(isinstance(operator, _WAITING) for operator in self.pipeline.plan.operators):
            return True
        sorts = (
            operator
            for operator in self.plan.operators
            if isinstance(operator, (OverAggregate, TemporalSort, Match))
            or (isinstance(operator, Rank) and operator.range is None)
        )
        return any(
            (key.expr if isinstance(key, Ordering) else key) in self.times for sort in sorts for key in sort.order[:1]
        )

    @property
    def interval_joins(self) -> tuple[IntervalJoin, ...]:
        """Its joins by an interval of times, which are joins like any other in ``plan``."""
        return tuple(operator for operator in self.pipeline.plan.operators if isinstance(operator, IntervalJoin))

    @property
    def joins_feed_times(self) -> bool:
        """Return whether an operator that goes by time reads the rows of a join by time."""
        return any(
            isinstance(below, (IntervalJoin, TemporalJoin)) and below is not operator
            for operator in self.pipeline.plan.operators
            if isinstance(operator, (*_WAITING, OverAggregate, TemporalSort, Match, Rank))
            for below in operator.walk()
        )

    @property
    def held_longer(self) -> int:
        """The milliseconds for which its interval joins keep rows longer than they need."""
        return self._milliseconds("table.exec.interval-join.min-cleanup-interval", 0)

    def _milliseconds(self, setting: str, default: int) -> int:
        """The value of a ``setting`` that is a length of time."""
        found = self.pipeline.settings.get(setting)
        millis = ValueType.DURATION.read(found.value) if found is not None else None
        return int(millis) if isinstance(millis, (int, Decimal)) else default

    @property
    def watermark_interval(self) -> int:
        """The milliseconds after which Flink sends a watermark, though none advanced it by more at once."""
        return self._milliseconds("pipeline.auto-watermark-interval", 200)

    @property
    def aggregation(self) -> AggregationSettings:
        """Settings of its aggregations."""
        settings = self.pipeline.settings
        in_batches = self._is_on(MINI_BATCH)
        return AggregationSettings(
            two_phases=(phase := settings.get(PHASES)) is None or phase.value.strip().upper() != "ONE_PHASE",
            in_batches=in_batches,
            splits_distinct=self._is_on(SPLITS_DISTINCT),
            between_marks=self._milliseconds(BATCH_LATENCY, 0) if in_batches else 0,
        )

    def _is_on(self, setting: str) -> bool:
        """Return whether a ``setting`` that is off by itself is on."""
        option = self.pipeline.settings.get(setting)
        return option is not None and ValueType.BOOLEAN.read(option.value) is True

    @property
    def allowed_lateness(self) -> int:
        """The milliseconds for which windows in GROUP BY wait behind their end."""
        settings = self.pipeline.settings
        fires = settings.get(LATE_FIRE)
        if fires is None or ValueType.BOOLEAN.read(fires.value) is not True:
            return 0
        length = settings.get(ALLOW_LATENESS) or settings.get("table.exec.state.ttl")
        millis = ValueType.DURATION.read(length.value) if length is not None else None
        return int(millis) if isinstance(millis, (int, Decimal)) else 0


@dataclass(frozen=True)
class RunnableScript:
    """The queries of a script called ``name`` in messages."""

    name: str
    job: Job
    queries: tuple[Query, ...]
    refused: tuple[str, ...] = ()
    """A line for each statement that is not run, with its place and the reason."""

    def where(self, place: Place | None, query: Query) -> str:
        """``name:line:column``, counted from 1."""
        pipeline = query.pipeline
        span = self.job.span_of(place, pipeline) if place is not None else self.job.statement_of(pipeline).span
        return self.name if span is None else self.at(span)

    def at(self, span: Span) -> str:
        """``name:line:column`` of the begin of ``span``, counted from 1."""
        position = LineIndex(self.job.script.text).position(span.start, Encoding.UTF32)
        return f"{self.name}:{position.line + 1}:{position.character + 1}"

    def refusal(self, query: Query, sentence: str, place: Place | None) -> PipelineError:
        """Return the error for a part of a query that cannot be run."""
        return PipelineError(f"{self.where(place, query)}: {query.name} cannot be run. {sentence} {pointing(place)}")

    @property
    def notices(self) -> tuple[str, ...]:
        """Sentences about parts of the tables' files that are not read, and about rows that do not seem to belong."""
        notices: dict[str, None] = {}
        for query in self.queries:
            if query.first_rows:
                notices[f"{query.name}: {NOTICE}"] = None
            for table, place in query.locations.items():
                if place.files is not None and place.files.aside:
                    notices[f"{table}: {_not_read(place.path, place.files.aside)}"] = None
        return tuple(notices)

    @property
    def large(self) -> bool:
        """Return whether its tables hold many rows."""
        return any(place.large for query in self.queries for place in query.locations.values())


def prepared(
    text: str,
    name: str,
    folder: Path,
    data: Mapping[str, str] | None = None,
    parameters: Mapping[str, str] | None = None,
    needs_rows: bool = True,
) -> RunnableScript:
    """Return the script ``text``, whose relative paths start from ``folder``; ``data`` names other paths by tables.
    Unless it ``needs_rows``, tables may be without. Flink is not asked.

    Raises ``PipelineError`` for a script that cannot be parsed, runs no query, or reads missing files.

    >>> table = "CREATE TABLE orders (id INT) WITH ('connector' = 'kafka');"
    >>> script = prepared(f"{table} SELECT id FROM orders", "job.sql", Path("data"), needs_rows=False)
    >>> [(query.name, list(query.without_rows)) for query in script.queries]
    [('SELECT #1', ['orders'])]
    >>> prepared("SELECT 1 +", "job.sql", Path())
    Traceback (most recent call last):
        ...
    keepstate_spark.errors.PipelineError: job.sql:1:10: Expected an expression, but the statement ends.
    """
    parsed = parse_script(text)
    if parsed.problems:
        problem = parsed.problems[0]
        position = LineIndex(text).position(problem.span.start if problem.span else 0, Encoding.UTF32)
        raise PipelineError(f"{name}:{position.line + 1}:{position.character + 1}: {problem.message}")
    script = without_queries(parsed, name, data or {}, parameters or {})
    if not script.job.pipelines:
        raise PipelineError(f"{name} has no query to run: neither SELECT nor INSERT.")
    places = TableLocations(folder, data or {}, needs_rows)
    pipelines = enumerate(script.job.pipelines, start=1)
    queries = tuple(query_of(script, number, each, places, NEWEST_GENERATION) for number, each in pipelines)
    for query in queries:
        refuse_other_rows(script, query)
    return replace(script, queries=queries)


def without_queries(
    parsed: ParsedScript, name: str, data: Mapping[str, str], parameters: Mapping[str, str]
) -> RunnableScript:
    """Return a script whose queries are planned, and none is there to be run yet.

    Raises ``PipelineError`` if ``data`` names what is no table of it.
    """
    job = Job.of(parsed, parameters)
    unknown = [table for table in data if table not in job.catalog.tables and table not in job.unreadable_names]
    if unknown:
        table_names = ", ".join(sorted(job.catalog.tables)) or "none"
        raise PipelineError(f"--data names {unknown[0]}, which is no table of {name}.", f"Its tables: {table_names}.")
    return RunnableScript(name, job, ())


@dataclass(frozen=True)
class TableLocations:
    """Locations of tables: below ``folder``, or at the paths of ``data``, by their names. The rows of ``frames`` are in
    DataFrames.
    """

    folder: Path
    data: Mapping[str, str]
    needs_rows: bool
    frames: Collection[str] = ()
    files: dict[str, Files] = field(default_factory=dict)
    """The files of paths that were looked at."""


def query_of(
    script: RunnableScript, number: int, pipeline: Pipeline, places: TableLocations, planner: PlannerGeneration
) -> Query:
    """Return a query of ``script`` with the places of its rows, as ``planner`` runs it.

    Raises ``PipelineError`` if it reads a table that is not declared, changes its rows, or has none, and if it casts as
    Flink did before 1.15.
    """
    catalog = Catalog.of(pipeline.definitions)
    try:
        plan = executed_plan(pipeline.statement, catalog, pipeline.plan.as_held(planner))
    except RecursionError as error:
        raise PipelineError(f"{pipeline.name} is nested too deeply.") from error
    changing = updating_tables(catalog)
    locations: dict[str, Location] = {}
    without_rows: dict[str, str] = {}
    zone, sink = session_zone(pipeline.settings), sink_columns(pipeline, catalog, plan.names)
    query = Query(number, pipeline.name, pipeline, plan, catalog, zone, locations, without_rows, sink)
    casts = pipeline.settings.get(_FORMER_CASTS)
    # A sink casts without a word.
    if casts is not None and casts.value.strip().upper() == "ENABLED" and (sink or _casts(plan)):
        words = f"With {_FORMER_CASTS} Flink casts as before 1.15, to other texts and to NULL."
        raise script.refusal(query, words, casts.place or plan.output_place)
    for scan in plan.scans:
        table = catalog.tables.get(scan.table)
        if table is None:
            raise script.refusal(query, f"No CREATE TABLE tells the columns of {scan.table}.", scan.place)
        changes = table.name in changing
        if changes and (sentence := _not_final(table, query, table.name in places.frames)) is not None:
            raise script.refusal(query, sentence, scan.place)
        if table.name in places.frames:
            locations[table.name] = location_of_frame(table, catalog)
        else:
            try:
                locations[table.name] = location(table, catalog, places.data, places.folder, places.files)
            except NoRows as error:
                if places.needs_rows:
                    raise
                without_rows[table.name] = str(error)
        place = locations.get(table.name)
        connector = catalog.options_of(table).get("connector")
        upserts = connector is not None and connector.value == "upsert-kafka"
        if changes and not upserts and place is None:
            sentence = f"The rows of {table.name} are changes (updates, deletions), and none are made up for it."
            raise script.refusal(query, f"{sentence} {without_rows[table.name]}", scan.place)
        if changes and not upserts and place is not None and place.changes is None:
            sentence = _ONLY_CHANGES.format(table.name, ", ".join(sorted(CHANGE_FORMATS)))
            raise script.refusal(query, sentence, scan.place)
    return query


def refuse_other_rows(script: RunnableScript, query: Query) -> None:
    """Raise ``PipelineError`` if Flink compares parts of rows, or keeps results for rows that are taken back later."""
    operation = of_read_columns(query.pipeline.plan)
    if operation is not None:
        raise script.refusal(query, PARTS_OF_ROWS.format(operation.words), operation.place)
    if query.is_streaming:
        operator = keeps_former_rows(query.pipeline.plan, updating_tables(query.catalog))
        if operator is not None:
            raise script.refusal(query, FORMER_ROWS, operator.place)


def _casts(plan: Plan) -> bool:
    parts = (*plan.output, *(expr for operator in plan.operators for expr in expressions_of(operator)))
    return any(isinstance(node, Call) and node.name.endswith("CAST") for part in parts for node in part.walk())


def _not_read(path: str, files: Sequence[str]) -> str:
    which, why = f"{len(files)} files", "hold no rows by their names and are"
    if len(files) == 1:
        which, why = "1 file", "holds no rows by its name and is"
    names = ", ".join(files[:_SHOWN_ASIDE]) + (", ..." if len(files) > _SHOWN_ASIDE else "")
    return f"{which} below {path} {why} not read: {names}"


def _not_final(table: TableDefinition, query: Query, is_frame: bool) -> str | None:
    """Return the reason why the final result of ``query`` is not its result for the rows that remain of a ``table`` of
    changes, which may be a DataFrame (``is_frame``); ``None`` if it is.
    """
    if not query.is_streaming:
        return f"The rows of {table.name} are changes (updates, deletions), which Flink reads on streams only."
    start = f"The rows of {table.name} are changes."
    for key in query.catalog.options_of(table):
        if key.rpartition(".")[2] == "include":
            return f"{start} The option '{key}' is not applied here."
    for column in query.catalog.columns_of(table)[0]:
        if column.metadata is not None and not column.metadata.startswith("file."):
            return f"{start} The metadata '{column.metadata}' of such lines is not read here."
    operators = tuple(query.plan.operators)
    if _has_versions_alone(table, operators):
        return None
    connector = query.catalog.options_of(table).get("connector")
    comes_in_lines = not is_frame and connector is not None and connector.value != "upsert-kafka"
    if query.interval_joins:
        return f"{start} Flink joins such rows by no interval of times."
    for operator in operators:
        if isinstance(operator, _LOOKS_BACK):
            return f"{start} A window, OVER, a pattern, ORDER BY a time or FOR SYSTEM_TIME AS OF looks at former rows."
        if isinstance(operator, Limit) and not operator.order:
            return f"{start} Which of them a LIMIT without ORDER BY leaves is not certain."
        if isinstance(operator, Aggregate) and (not comes_in_lines or told_apart(operator) is None):
            for call in operator.aggregates:
                if call.function in BY_ORDER:
                    return (
                        f"{start} For {call.function} Flink removes the first one of equal values, which may be that "
                        "of another row."
                    )
    return None


def _has_versions_alone(table: TableDefinition, operators: Sequence[Operator]) -> bool:
    """Return whether ``table`` is read by FOR SYSTEM_TIME AS OF alone: each row that a change gives it is a version."""
    joins = (each for each in operators if isinstance(each, TemporalJoin) and not isinstance(each, LookupJoin))
    versions = [join.right.table for join in joins if isinstance(join.right, TableSourceScan)]
    scans = [each.table for each in operators if isinstance(each, TableSourceScan)]
    return scans.count(table.name) == versions.count(table.name)
