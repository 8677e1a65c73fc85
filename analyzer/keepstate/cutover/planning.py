"""The plan of a cutover, made of the comparison of two versions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from keepstate.comparison import Comparison
from keepstate.cutover.emission import Emission, NoBoundary, Order, emission_of, length_words, watermark_delay
from keepstate.cutover.guard import Boundary, Guard, guard_of
from keepstate.cutover.plans import Approach, Assumption, CutoverPlan, PipelinePlan, Script, Slot, TimedSource
from keepstate.cutover.positions import Position, Start, position_of
from keepstate.cutover.request import Request
from keepstate.cutover.shadow import shadowed
from keepstate.cutover.times import Grid, shown
from keepstate.plan.expressions import Column
from keepstate.plan.job import Job, Pipeline
from keepstate.plan.lowering.watermarks import watermarks_of
from keepstate.quick_fixes.repairs import file_fixes, fixes
from keepstate.report import Fix, Report, Verdict
from keepstate.restarts import QueryRestart, restart_of
from keepstate.syntax.namespace import shown as shown_name
from keepstate.text import Edit, Span, apply_edits

NEW, CLEAN, SHADOW = "new.sql", "clean.sql", "shadow.sql"
_KEEPING = frozenset({"keep-both", "restore-order", "separate-job", "first-step"})
"""Kinds of fixes that keep the state and most of the change; those that put the baseline back are no plan."""


def plan_cutover(comparison: Comparison, request: Request) -> CutoverPlan:
    """The cheapest exact plan that brings the current version into production, or the least inexact one.

    >>> from datetime import timezone
    >>> from keepstate import JobVersion, analyse
    >>> query = "INSERT INTO s SELECT window_end, {} FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' HOUR)) "
    >>> query += "GROUP BY window_start, window_end"
    >>> table = "CREATE TABLE t (v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'kafka');"
    >>> table += "CREATE TABLE s (hour_end TIMESTAMP(3), v INT) WITH ('connector' = 'kafka');"
    >>> was, now = (JobVersion(table + query.format(metric)) for metric in ("SUM(v)", "MAX(v)"))
    >>> plan = plan_cutover(analyse(now, was).comparison, Request(now=5_000_000, zone=timezone.utc))
    >>> plan.approach.value, shown(plan.boundary), plan.pipelines[0].condition
    ('boundary', '1970-01-01 02:00:00', "hour_end > TIMESTAMP '1970-01-01 02:00:00'")
    """
    return _Planner(comparison, request).plan()


@dataclass(frozen=True, eq=False)
class _Moved:
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
        found = (self.before, self.after)
        return tuple(emission for emission in found if isinstance(emission, Emission))


@dataclass(frozen=True, eq=False)
class _Planner:
    comparison: Comparison
    request: Request

    def plan(self) -> CutoverPlan:
        moved, kept = self._moved, self._kept
        restarted = tuple(_planned(each, Approach.RESTART) for each in kept)
        if not moved:
            return CutoverPlan(restarted, Approach.RESTART)
        handed_over = [each for each in moved if not each.obstacle]
        found = self._boundary_plan(handed_over) if len(handed_over) == len(moved) else self._replay_plan()
        return replace(found, pipelines=(*found.pipelines, *restarted), keeping=self._keeping())

    # ---- the queries

    @cached_property
    def _restarts(self) -> tuple[QueryRestart, ...]:
        return restart_of(self.comparison).queries

    @cached_property
    def _moved(self) -> list[_Moved]:
        """The queries of the jobs of which one query does not keep its state."""
        units = {each.pipeline.unit for each in self._restarts if each.verdict is not Verdict.COMPATIBLE}
        current, baseline = self.comparison.current, self.comparison.baseline
        return [
            _Moved(
                each,
                None if each.baseline is None else emission_of(each.baseline, baseline.catalog),
                emission_of(each.pipeline, current.catalog),
            )
            for each in self._restarts
            if each.pipeline.unit in units
        ]

    @cached_property
    def _kept(self) -> list[QueryRestart]:
        moved = {each.pipeline.unit for each in self._moved}
        return [each for each in self._restarts if each.pipeline.unit not in moved]

    @property
    def _job(self) -> Job:
        return self.comparison.current

    @property
    def _text(self) -> str:
        return self.comparison.current_version.text

    def _leaving_out(self) -> Iterator[Edit]:
        """The edits that take the queries out of the text that stay in jobs of their own."""
        for each in self._kept:
            span = each.pipeline.statement.span
            behind = self._text[span.end :]
            rest = len(behind) - len(behind.lstrip())
            end = span.end + rest + 1 if behind[rest : rest + 1] == ";" else span.end
            yield Edit(Span(span.start, end), "")

    # ---- at a boundary

    def _boundary_plan(self, moved: Sequence[_Moved]) -> CutoverPlan:
        emissions = [emission for each in moved for emission in each.emissions]
        grid, notes = _common_grid(emissions)
        wall = self._boundary(grid)
        if grid is not None and not grid.holds(wall):
            after = shown(grid.at_or_after(wall))
            notes += (
                f"No window of both versions ends at {shown(wall)}: rows around it count in a window of each version. "
                f"The next common end is {after}.",
            )
        boundary = Boundary(wall, self.request.moment(wall))
        positions = self._positions(moved, wall)
        catalog = self._job.catalog
        guards = {each.pipeline.name: guard_of(each.pipeline, catalog, _of(each.after), boundary) for each in moved}
        edits = list(self._leaving_out())
        edits += [edit for guard in guards.values() if guard is not None for edit in guard.edits]
        edits += [edit for position in positions for edit in position.edits]
        new = apply_edits(self._text, edits)
        pipelines = tuple(self._handed_over(each, guards[each.pipeline.name], positions) for each in moved)
        clean = apply_edits(self._text, self._leaving_out())
        clean_up = self._restarted(clean, new).verdict
        scripts = [Script(NEW, new, "The current version with its guard, to be started without state.")]
        if clean_up is Verdict.COMPATIBLE:
            scripts.append(Script(CLEAN, clean, "The current version without guard, for the first restart after it."))
        starts = [position.millis for position in positions if position.millis is not None]
        return CutoverPlan(
            pipelines,
            Approach.BOUNDARY,
            wall,
            boundary.epoch,
            _slot(moved, wall),
            ends=tuple(dict.fromkeys(emission.next_end for emission in emissions if emission.next_end is not None)),
            at_any_time=any(emission.next_end is None for emission in emissions),
            sources=tuple(self._sources(moved)),
            positions=positions,
            is_local=any(emission.is_local for emission in emissions),
            reads_ahead=boundary.epoch - min(starts) if starts else 0,
            scripts=tuple(scripts),
            assumptions=tuple(self._assumptions(moved, positions, boundary)),
            notes=(*notes, *dict.fromkeys(note for emission in emissions for note in emission.notes)),
            clean_up=clean_up,
        )

    def _boundary(self, grid: Grid | None) -> int:
        if self.request.at is not None:
            return self.request.at
        return self.request.now if grid is None else grid.at_or_after(self.request.now)

    def _positions(self, moved: Sequence[_Moved], wall: int) -> tuple[Position, ...]:
        """The starts of all tables that the moved queries read; of a table that several read the earliest one."""
        first: dict[str, int | None] = {}
        for each in moved:
            emission = _of(each.after)
            row = emission.first_row(wall)
            for table in each.pipeline.plan.sources:
                start = None if row is None or table in emission.from_beginning else row
                known = first.get(table, start)
                first[table] = None if start is None or known is None else min(start, known)
        margin = max(self.request.margin, *(self._delay(table) or 0 for table in first))
        moments = {table: None if row is None else self.request.moment(row) - margin for table, row in first.items()}
        return tuple(
            position_of(self._job.script, self._job.catalog, table, moment) for table, moment in moments.items()
        )

    def _delay(self, table: str) -> int | None:
        definition = self._job.catalog.tables.get(table)
        if definition is None:
            return None
        delays = [watermark_delay(each) for each in watermarks_of(definition, self._job.catalog).values()]
        return max((delay for delay in delays if delay is not None), default=None)

    def _sources(self, moved: Sequence[_Moved]) -> Iterator[TimedSource]:
        for table in dict.fromkeys(table for each in moved for table in each.pipeline.plan.sources):
            definition = self._job.catalog.tables.get(table)
            watermarks = {} if definition is None else watermarks_of(definition, self._job.catalog)
            time = next((time for time in watermarks if isinstance(time, Column)), None)
            delay = watermark_delay(watermarks[time]) if time is not None else None
            yield TimedSource(shown_name(table), time.name if time is not None else None, delay)

    def _handed_over(self, moved: _Moved, guard: Guard | None, positions: Sequence[Position]) -> PipelinePlan:
        emission = _of(moved.after)
        flaws = list(dict.fromkeys(flaw for each in moved.emissions for flaw in each.flaws))
        if guard is None:
            flaws.append("No place for a guard was found: results between the boundary and the stop are written twice")
        tables = {shown_name(table) for table in moved.pipeline.plan.sources}
        for position in positions:
            if position.start is Start.NOWHERE and position.table in tables:
                flaws.append(f"{position.words} Windows that are open at the start lack their first rows")
        return replace(
            _planned(moved.restart, Approach.BOUNDARY),
            flaws=tuple(flaws),
            condition=guard.condition if guard is not None else "",
            column=guard.column if guard is not None else "",
            order=emission.order,
        )

    def _assumptions(
        self, moved: Sequence[_Moved], positions: Sequence[Position], boundary: Boundary
    ) -> Iterator[Assumption]:
        for position in positions:
            if position.start is Start.TIME:
                yield Assumption(
                    "record-time",
                    f"{position.table}: no record has a timestamp more than {length_words(self.request.margin)} before "
                    "its event time. Reading starts by the timestamps of records.",
                    position.table,
                )
                yield Assumption(
                    "retention",
                    f"{position.table}: its records are kept from {{start}} on until the new job has read them.",
                    position.table,
                )
            elif position.start is Start.BEGINNING:
                yield Assumption(
                    "whole-history",
                    f"{position.table}: it still has all rows that open results are made of.",
                    position.table,
                )
        emissions = [emission for each in moved for emission in each.emissions]
        if not all(emission.is_local for emission in emissions):
            yield Assumption("zone", "Event times without zone are times of {zone}.")
        if any(emission.has_sessions for emission in emissions):
            yield Assumption("sessions", "Sessions that ended before the boundary are those of the former version.")

    def _restarted(self, text: str, baseline: str) -> Report:
        """The report of a restart of ``text`` from a savepoint of ``baseline``, both of the current version's kind."""
        from keepstate.validated_job import validated

        version = self.comparison.current_version
        engine, memo = self.comparison.profile.name, self._job.script.memo
        now, was = (validated(replace(version, text=each), engine, memo) for each in (text, baseline))
        return Comparison.of(now, was).report()

    # ---- from the beginning

    def _replay_plan(self) -> CutoverPlan:
        moved = self._moved
        made = shadowed(self._job, [each.pipeline for each in moved])
        tables = dict.fromkeys(table for each in moved for table in each.pipeline.plan.sources)
        positions = tuple(position_of(self._job.script, self._job.catalog, table, None) for table in tables)
        edits = [*self._leaving_out(), *made.edits, *(edit for position in positions for edit in position.edits)]
        pipelines = []
        for each in moved:
            flaws = [
                f"{position.words} It cannot be read again, so the new job counts from its start"
                for position in positions
                if position.start is Start.NOWHERE
                and position.table in {shown_name(table) for table in each.pipeline.plan.sources}
            ]
            reasons = (each.obstacle,) if each.obstacle else ()
            pipelines.append(replace(_planned(each.restart, Approach.REPLAY, reasons), flaws=tuple(flaws)))
        none_left = all(position.start is Start.NOWHERE for position in positions)
        if none_left:
            pipelines = [replace(each, approach=Approach.NONE) for each in pipelines]
        text = apply_edits(self._text, edits)
        purpose = "The current version, from the first row on, into sinks of its own."
        return CutoverPlan(
            tuple(pipelines),
            Approach.NONE if none_left else Approach.REPLAY,
            positions=positions,
            scripts=() if none_left else (Script(SHADOW, text, purpose),),
            assumptions=tuple(
                Assumption("whole-history", f"{each.table}: it still has all rows since the job began.", each.table)
                for each in positions
                if each.start is not Start.NOWHERE
            ),
            notes=made.notes,
        )

    # ---- without a cutover

    def _keeping(self) -> tuple[Fix, ...]:
        """The fixes of the current text that keep the state, and its intention."""
        report = self.comparison.report()
        found = {
            fix.title: fix
            for index in report.with_fixes
            for fix in fixes(self.comparison, report, index)
            if fix.verdict_after is Verdict.COMPATIBLE and fix.kind in _KEEPING
        }
        more = (fix for fix in file_fixes(self.comparison, report, None) if fix.kind in _KEEPING)
        found |= {fix.title: fix for fix in more if fix.verdict_after is Verdict.COMPATIBLE}
        return tuple(found.values())


def _planned(restart: QueryRestart, approach: Approach, reasons: tuple[str, ...] = ()) -> PipelinePlan:
    return PipelinePlan(restart.pipeline.name, restart.verdict, restart.effect, approach, reasons)


def _of(emission: Emission | NoBoundary) -> Emission:
    assert isinstance(emission, Emission)
    return emission


def _common_grid(emissions: Sequence[Emission]) -> tuple[Grid | None, tuple[str, ...]]:
    """The ends that the windows of all have in common; ``None`` where rows or sessions end at any time."""
    found: Grid | None = None
    for emission in emissions:
        if emission.order is not Order.WINDOW_END or emission.has_sessions:
            continue
        grid = emission.grid
        common = grid if found is None or grid is None else found.common(grid)
        if common is None:
            return found, ("Windows of the two versions never end at the same time.",)
        found = common
    return found, ()


def _slot(moved: Sequence[_Moved], wall: int) -> Slot:
    """The time between the boundary and the next result of the former version."""
    ends: list[int] = []
    start = wall
    for each in moved:
        if not isinstance(each.before, Emission):
            continue
        start = max(start, wall + each.before.lateness)
        grid = each.before.next_end if each.before.order is Order.WINDOW_END else None
        if grid is None:
            return Slot(start, None)
        ends.append(grid.at_or_after(wall + 1))
    return Slot(start, min(ends, default=None))
