"""Material of a plan: the queries that do not keep their state, and facts of the job that each kind of plan needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from keepstate.comparison import Comparison
from keepstate.cutover.cutover_options import CutoverOptions
from keepstate.cutover.cutover_plan import Approach, Assumption, KeyedSink, NotPlannable, PipelinePlan, TimedSource
from keepstate.cutover.emission import Emission, NoBoundary, emission_of, watermark_delay
from keepstate.cutover.flaws import begins_by_itself, flaws_of, streams_of
from keepstate.cutover.positions import SourcePosition, Start, position_of
from keepstate.cutover.sources.bounds import ends_of
from keepstate.cutover.sources.source_conditions import (
    conditions_of,
    conditions_of_ties,
    goes_by_event_time,
    has_windows,
    keys_of,
)
from keepstate.cutover.times import length_words, sql_time
from keepstate.plan.expressions import Column
from keepstate.plan.job import Job, Pipeline
from keepstate.plan.lowering.watermarks import watermarks_of
from keepstate.plan.types.inference import type_of
from keepstate.report import Report, Verdict
from keepstate.restart_effects import QueryRestart, restart_of
from keepstate.syntax.namespace import display_name
from keepstate.text import Edit, Span
from keepstate.validated_job import validated

_STARTUP_MOMENT = "scan.startup.timestamp-millis"
_LOCAL = "TIMESTAMP_LTZ"
"""The type whose values are moments."""


def _lateness(source: TimedSource) -> Assumption:
    late = "Such a row may be too late, by the pace at which the sources are read."
    if source.delay is None:
        return Assumption(
            "lateness", f"{source.table}: no row comes later than its watermark allows. {late}", source.table
        )
    length = length_words(source.delay)
    sentence = f"{source.table}: no row comes more than {length} behind a later one. {late}"
    return Assumption("lateness", sentence, source.table, source.delay)


@dataclass(frozen=True, eq=False)
class MovedQuery:
    """A query that does not keep its state, or that stands in one job with such a query."""

    restart: QueryRestart
    before: Emission | NoBoundary | None
    """The emission of its former version; ``None`` for a new query."""
    after: Emission | NoBoundary

    @property
    def pipeline(self) -> Pipeline:
        return self.restart.pipeline

    @property
    def obstacle(self) -> str:
        """The reason why it cannot hand over at a boundary; empty if it can."""
        for words, emission in (("", self.after), ("In its former version: ", self.before)):
            if isinstance(emission, NoBoundary):
                return words + emission.reason
        return ""

    @property
    def emissions(self) -> tuple[Emission, ...]:
        sides = (self.before, self.after)
        return tuple(emission for emission in sides if isinstance(emission, Emission))


@dataclass(frozen=True, eq=False)
class Material:
    """Two versions of a job, and the request for a plan."""

    comparison: Comparison
    request: CutoverOptions

    @cached_property
    def restarts(self) -> tuple[QueryRestart, ...]:
        return restart_of(self.comparison).queries

    @cached_property
    def moved_queries(self) -> list[MovedQuery]:
        """The queries of the jobs of which one query does not keep its state."""
        units = {each.pipeline.unit for each in self.restarts if each.verdict is not Verdict.COMPATIBLE}
        current, baseline = self.comparison.current, self.comparison.baseline
        return [
            MovedQuery(
                each,
                None if each.baseline is None else emission_of(each.baseline, baseline.catalog),
                emission_of(each.pipeline, current.catalog),
            )
            for each in self.restarts
            if each.pipeline.unit in units
        ]

    @cached_property
    def unmoved_queries(self) -> list[QueryRestart]:
        units = {each.pipeline.unit for each in self.moved_queries}
        return [each for each in self.restarts if each.pipeline.unit not in units]

    @property
    def job(self) -> Job:
        return self.comparison.current

    @property
    def text(self) -> str:
        return self.comparison.current_version.text

    def leaving_out(self) -> Iterator[Edit]:
        """The edits that take the queries out of the text that stay in jobs of their own."""
        for each in self.unmoved_queries:
            span = each.span
            behind = self.text[span.end :]
            rest = len(behind) - len(behind.lstrip())
            end = span.end + rest + 1 if behind[rest : rest + 1] == ";" else span.end
            yield Edit(Span(span.start, end), "")

    def planned(self, restart: QueryRestart, approach: Approach, reasons: tuple[str, ...] = ()) -> PipelinePlan:
        """The plan of a query, as far as its restart and its text say it."""
        flaws = (*flaws_of(restart.pipeline, self.job.catalog, approach), *self._rivals(restart, approach))
        sink = display_name(restart.pipeline.sink or "")
        return PipelinePlan(restart.pipeline.name, restart.verdict, restart.effect, approach, reasons, flaws, sink=sink)

    def _rivals(self, restart: QueryRestart, approach: Approach) -> Iterator[str]:
        """Other queries that write to the keys of a sink: which of their rows is the last one depends on the pace."""
        sink = restart.pipeline.sink
        definition = self.job.catalog.tables.get(sink or "")
        if approach is Approach.RESTART or definition is None or not self.job.catalog.primary_key_of(definition)[0]:
            return
        if sum(each.pipeline.sink == sink for each in self.restarts) > 1:
            yield f"Several queries write to the keys of {display_name(definition.name)}: the last row stays"

    def margin(self, tables: Sequence[str]) -> int:
        """The milliseconds that reading begins earlier than needed."""
        return max(self.request.margin, *(self.delay(table) or 0 for table in tables))

    def delay(self, table: str) -> int | None:
        definition = self.job.catalog.tables.get(table)
        if definition is None:
            return None
        delays = [watermark_delay(each) for each in watermarks_of(definition, self.job.catalog).values()]
        return max((delay for delay in delays if delay is not None), default=None)

    def position(self, table: str, moment: int | None) -> SourcePosition:
        """The start of reading a table; from its first row on for ``None``."""
        return position_of(self.job.script, self.job.catalog, table, moment)

    def first_position(self, table: str) -> SourcePosition:
        """The start of reading a table from where the running job began, as far as the script says it."""
        definition = self.job.catalog.tables.get(table)
        options = {} if definition is None else self.job.catalog.options_of(definition)
        position = self.position(table, None)
        if position.start is not Start.BEGINNING or not begins_by_itself(options):
            return position
        option = options.get(_STARTUP_MOMENT)
        moment = int(option.value) if option is not None and option.value.strip().isdigit() else None
        start = Start.BEGINNING if moment is None else Start.TIME
        words = f"{position.table} ({position.connector}): as its options say"
        return replace(position, start=start, millis=moment, words=words, edits=())

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables that the moved queries read."""
        return tuple(dict.fromkeys(table for each in self.moved_queries for table in streams_of(each.pipeline)))

    def require_time(self, wall: int, is_local: bool) -> None:
        """Refuse a boundary that the clock does not show once.

        Raises:
            NotPlannable: the clock does not show it at all, or twice: windows end at the second time, while rows come
                at both.
        """
        if is_local and not self.request.exists(wall):
            raise NotPlannable(f"The clock does not show {sql_time(wall)} on that day: summer time begins.")
        if is_local and self.request.comes_twice(wall):
            raise NotPlannable(
                f"The clock shows {sql_time(wall)} twice on that day, so it parts no rows: take another hour."
            )

    def of_sources(self, approach: Approach, positions: Sequence[SourcePosition]) -> Iterator[Assumption]:
        """The conditions on the sources of the moved queries, and on what is read again of them."""
        for position in positions:
            if position.start is Start.TIME and position.millis is not None and approach is not Approach.REPLAY:
                yield from self._record_time(position)
                yield Assumption(
                    "retention",
                    f"{position.table}: its records are kept from {{start}} on until the new job has read them.",
                    position.table,
                )
        catalog = self.job.catalog
        conditions = [each for move in self.moved_queries for each in conditions_of(move.pipeline, catalog, approach)]
        yield from dict.fromkeys(conditions)
        if approach is Approach.REPLAY:
            yield from (condition for move in self.moved_queries for condition in conditions_of_ties(move.pipeline))
        keys = {sink.table: sink.key for sink in self.keyed_sinks()}
        for move in self.moved_queries:
            sink = display_name(move.pipeline.sink) if move.pipeline.sink is not None else ""
            yield from keys_of(move.pipeline, keys.get(sink, ()), sink, move.restart.baseline)
        by_time = any(goes_by_event_time(move.pipeline) for move in self.moved_queries)
        timed = [source for source in self.sources(self.moved_queries) if self._has_watermark(source.table)]
        if by_time and (len(timed) > 1 or approach is Approach.REPLAY):
            yield from map(_lateness, timed)
        if any(has_windows(each.pipeline) and not has_windows(each.restart.baseline) for each in self.moved_queries):
            # Former windows have shown that each row has a time.
            for source in timed:
                sentence = f"{source.table}: {source.column} is never NULL. A window stops the job at such a row."
                yield Assumption("no-null-time", sentence, source.table)
        if approach is Approach.BOOTSTRAP and not all(source.is_local for source in self.sources(self.moved_queries)):
            yield Assumption("zone", "Event times without zone are times of {zone}.")

    def _has_watermark(self, table: str) -> bool:
        catalog = self.job.catalog
        return any(
            display_name(name) == table and watermarks_of(each, catalog) for name, each in catalog.tables.items()
        )

    def _record_time(self, position: SourcePosition) -> Iterator[Assumption]:
        """The condition under which reading from a moment on finds all rows."""
        source = next((each for each in self.sources(self.moved_queries) if each.table == position.table), None)
        if source is not None and source.column is not None and source.column == source.record_time:
            # The event time is the timestamp of the record.
            return
        length = length_words(self.request.margin)
        yield Assumption(
            "record-time",
            f"{position.table}: no record has a timestamp more than {length} before its event time. Reading starts by "
            "the timestamps of records.",
            position.table,
            self.request.margin,
        )

    def bound(self, table: str) -> int | None:
        """The moment at which a bound ends a table; ``None`` without one."""
        ends = (
            end
            for each in self.moved_queries
            for name, end in ends_of(each.pipeline, self.job.catalog).items()
            if display_name(name) == table
        )
        return next((end.moment for end in ends if end.moment is not None), None)

    def too_short(self, table: str, need: int | None) -> str:
        """The flaw of a table that does not keep its records for ``need`` milliseconds (``None``: for ever), as far
        as its retention is said; empty where there is none.
        """
        retention = self.request.retention_of(table)
        if retention is None or (need is not None and retention >= need):
            return ""
        length = "all that it ever had" if need is None else f"those of the last {length_words(need)}"
        return f"{table} keeps its records for {length_words(retention)}, and the new job needs {length}"

    def sources(self, moves: Sequence[MovedQuery]) -> Iterator[TimedSource]:
        for table in dict.fromkeys(table for each in moves for table in streams_of(each.pipeline)):
            definition = self.job.catalog.tables.get(table)
            watermarks = {} if definition is None else watermarks_of(definition, self.job.catalog)
            time = next((time for time in watermarks if isinstance(time, Column)), None)
            delay = watermark_delay(watermarks[time]) if time is not None else None
            columns = () if definition is None else self.job.catalog.columns_of(definition)[0]
            metadata = {column.metadata: column.name for column in columns if column.metadata is not None}
            yield TimedSource(
                display_name(table),
                time.name if time is not None else None,
                delay,
                metadata.get("timestamp"),
                metadata.get("partition"),
                any((type_ := type_of(time)) is not None and type_.root == _LOCAL for time in watermarks),
                frozenset(each.name for each in columns if each.type is not None and each.type.startswith(_LOCAL)),
            )

    def keyed_sinks(self) -> Iterator[KeyedSink]:
        """The sinks of the moved queries that keep one row for each key."""
        catalog = self.job.catalog
        for sink in dict.fromkeys(each.pipeline.sink for each in self.moved_queries):
            table = catalog.tables.get(sink or "")
            key = () if table is None else catalog.primary_key_of(table)[0]
            if table is None or not key:
                continue
            columns, _ = catalog.columns_of(table)
            stored_columns = [column.name for column in columns if column.expression is None and not column.virtual]
            if set(key) <= set(stored_columns):
                yield KeyedSink(display_name(table.name), tuple(map(stored_columns.index, key)), len(stored_columns))

    def is_valid(self, text: str) -> bool:
        """Return whether Flink takes a variant of the current version."""
        return not self.first_refusal([text])

    def first_refusal(self, texts: Iterable[str]) -> str:
        """The message with which Flink refuses the first one of some scripts; empty if it takes all of them."""
        engine, memo = self.comparison.profile.name, self.job.script.memo
        for text in texts:
            job = validated(replace(self.comparison.current_version, text=text), engine, memo)
            messages = [*(each.message for each in job.refusals), *(each.message for each in job.unread())]
            if messages:
                return messages[0]
        return ""

    def restarted(self, text: str, baseline: str) -> Report:
        """The report of a restart of ``text`` from a savepoint of ``baseline``, both of the current version's kind."""
        version = self.comparison.current_version
        engine, memo = self.comparison.profile.name, self.job.script.memo
        now, was = (validated(replace(version, text=each), engine, memo) for each in (text, baseline))
        return Comparison.of(now, was).report()
