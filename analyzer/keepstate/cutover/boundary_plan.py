"""The plan at a boundary: the former job gives all results up to a time in event time, the new job all behind it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from keepstate.cutover.computed_part import ComputedPart, text_with
from keepstate.cutover.cutover_plan import (
    CLEAN,
    NEW,
    Approach,
    Assumption,
    CutoverPlan,
    GeneratedScript,
    PipelinePlan,
    Share,
    Slot,
)
from keepstate.cutover.emission import Emission, NoBoundary
from keepstate.cutover.flaws import streams_of
from keepstate.cutover.guard import Guard, guard_of, last_time
from keepstate.cutover.material import Material, MovedQuery
from keepstate.cutover.positions import SourcePosition, Start
from keepstate.cutover.times import Boundary, Grid, Order, sql_time
from keepstate.quick_fixes.separate_jobs import DESTINATIONS
from keepstate.report import Verdict
from keepstate.syntax.namespace import display_name
from keepstate.text import Edit


def boundary_plan(material: Material) -> CutoverPlan | None:
    """The plan for queries whose rows come out in the order of event time, beside those that go on from a computed
    state; ``None`` where a query can do neither, or all go on from states.
    """
    moves = [each for each in material.moved_queries if not each.obstacle]
    return _BoundaryPlanner(material).plan(moves) if moves else None


@dataclass(frozen=True, eq=False)
class _BoundaryPlanner:
    material: Material

    def plan(self, moves: Sequence[MovedQuery]) -> CutoverPlan | None:
        emissions = [emission for each in moves for emission in each.emissions]
        grid, notes = _common_grid(emissions)
        wall = self._boundary(grid)
        notes += tuple(
            f"{each.pipeline.name} is new: its results begin at {sql_time(wall)}, and it has none of the rows before."
            for each in moves
            if each.before is None
        )
        if grid is not None and not grid.holds(wall):
            closed = sql_time(grid.at_or_after(wall))
            notes += (f"The next time at which no window of either version is open is {closed}.",)
        is_local = any(emission.is_local for emission in emissions)
        self.material.require_time(wall, is_local)
        boundary = Boundary(wall, self.material.request.moment(wall))
        part = ComputedPart.of(self.material, [each for each in self.material.moved_queries if each.obstacle], boundary)
        self.material.require_time(wall, part.is_local)
        positions = self._positions(moves, part.moved_queries, wall)
        if not _may_stand_beside(part, moves, positions):
            return None
        guards = [guard_of(each.pipeline, self.material.job, _of(each.after), boundary) for each in moves]
        beside = list(part.edits())
        new = self._text_with(guards, positions, beside)
        if not self.material.is_valid(new):
            # The rows of a subquery may lack the column that a guard reads.
            guards = [None] * len(moves)
            new = self._text_with(guards, positions, beside)
            if beside and not self.material.is_valid(new):
                return None
        pipelines = tuple(
            self._handed_over(each, guard, positions, wall) for each, guard in zip(moves, guards, strict=True)
        )
        clean = text_with(self.material, beside)
        clean_up = self.material.restarted(clean, new).verdict
        scripts = [
            GeneratedScript(NEW, new, "The current version with its guard, to be started without state."),
            *part.scripts(),
        ]
        if clean_up is Verdict.COMPATIBLE:
            scripts.append(
                GeneratedScript(CLEAN, clean, "The current version without guard, for the first restart after it.")
            )
        starts = [position.millis for position in positions if position.millis is not None]
        return CutoverPlan(
            (*pipelines, *part.pipelines()),
            Approach.BOUNDARY,
            wall,
            boundary.epoch,
            _slot(moves, wall),
            ends=tuple(dict.fromkeys(emission.next_end for emission in emissions if emission.next_end is not None)),
            at_any_time=any(emission.next_end is None for emission in emissions),
            sources=tuple(self.material.sources(self.material.moved_queries)),
            keyed_sinks=tuple(self.material.keyed_sinks()),
            positions=positions,
            is_local=is_local,
            reads_ahead=boundary.epoch - min(starts) if starts else 0,
            scripts=tuple(scripts),
            assumptions=(*self._assumptions(moves, positions), *part.assumptions(), *part.assumptions_of_a_stop()),
            notes=(*notes, *dict.fromkeys(note for emission in emissions for note in emission.notes), *part.notes()),
            states=tuple(part.computed_states()),
            clean_up=clean_up,
        )

    def _text_with(
        self, guards: Sequence[Guard | None], positions: Sequence[SourcePosition], beside: Sequence[Edit]
    ) -> str:
        guarding = [edit for guard in guards if guard is not None for edit in guard.edits]
        starting = [edit for position in positions for edit in position.edits]
        return text_with(self.material, guarding, starting, beside)

    def _boundary(self, grid: Grid | None) -> int:
        if self.material.request.at is not None:
            return self.material.request.at
        return self.material.request.now if grid is None else grid.at_or_after(self.material.request.now)

    def _positions(
        self, moves: Sequence[MovedQuery], beside: Sequence[MovedQuery], wall: int
    ) -> tuple[SourcePosition, ...]:
        """The starts of all tables that the moved queries read; of a table that several read the earliest one."""
        first: dict[str, int | None] = {}
        for each in moves:
            emission = _of(each.after)
            row = emission.first_row(wall)
            for table in streams_of(each.pipeline):
                start = None if row is None or table in emission.from_beginning else row
                earliest = first.get(table, start)
                first[table] = None if start is None or earliest is None else min(start, earliest)
        for table in (table for each in beside for table in streams_of(each.pipeline)):
            earliest = first.get(table, wall)
            first[table] = None if earliest is None else min(wall, earliest)
        margin = self.material.margin(tuple(first))
        moments = {
            table: None if row is None else self.material.request.moment(row) - margin for table, row in first.items()
        }
        return tuple(self.material.position(table, moment) for table, moment in moments.items())

    def _handed_over(
        self, move: MovedQuery, guard: Guard | None, positions: Sequence[SourcePosition], wall: int
    ) -> PipelinePlan:
        emission = _of(move.after)
        plan = self.material.planned(move.restart, Approach.BOUNDARY)
        flaws = [*plan.flaws, *dict.fromkeys(flaw for each in move.emissions for flaw in each.flaws)]
        flaws += self._mixed(move, wall)
        if guard is None:
            flaws.append("No place for a guard was found: results between the boundary and the stop are written twice")
        tables = {display_name(table) for table in streams_of(move.pipeline)}
        for position in positions:
            if position.start is Start.NOWHERE and position.table in tables:
                flaws.append(f"{position.words} Windows that are open at the start lack their first rows")
            elif position.table in tables and (flaw := self._unread(position, wall)):
                flaws.append(flaw)
        return replace(
            plan,
            flaws=tuple(flaws),
            condition=guard.condition if guard is not None else "",
            latest=self._latest(move),
            order=emission.order,
            share=Share.BEHIND,
        )

    def _unread(self, position: SourcePosition, wall: int) -> str:
        """The flaw of rows that the source no longer has, or that lie behind its bound."""
        epoch = self.material.request.moment(wall)
        bound = self.material.bound(position.table)
        if bound is not None and bound <= epoch:
            return f"{position.table} ends before {sql_time(wall)}: the former job writes all windows there"
        need = None if position.millis is None else epoch - position.millis
        if not (shortfall := self.material.too_short(position.table, need)):
            return ""
        retention = self.material.request.retention_of(position.table) or 0
        return f"{shortfall}: results of windows that begin before {sql_time(wall - retention)} lack rows"

    def _latest(self, move: MovedQuery) -> str:
        """The query that shows when the former job was stopped: what its sink holds then."""
        before, baseline = move.before, move.restart.baseline
        if not isinstance(before, Emission) or baseline is None or before.is_early:
            return ""
        return last_time(baseline, self.material.comparison.baseline.catalog, before)

    def _mixed(self, move: MovedQuery, wall: int) -> Iterator[str]:
        """The flaws of a boundary that parts windows of two kinds in their midst, or two clocks."""
        before, after = move.before, _of(move.after)
        if not isinstance(before, Emission):
            return
        if before.order is not after.order or before.time != after.time:
            yield "The two versions go by different event times, so a boundary is not the same time in both"
        if before.windows == after.windows:
            return
        if before.has_sessions or after.has_sessions:
            yield "Rows of sessions around the boundary may count in a window of each version, or in none"
            return
        grids = [before.grid, after.grid]
        if after.order is Order.WINDOW_END and any(grid is None or not grid.holds(wall) for grid in grids):
            yield f"Windows are open at {sql_time(wall)}: their rows count in a window of each version"

    def _is_elsewhere(self, table: str) -> bool:
        """Return whether a source has another connector or address than in the former version."""
        sides = (self.material.comparison.baseline.catalog, self.material.job.catalog)
        declarations = [
            next((each for each in side.tables.values() if display_name(each.name) == table), None) for side in sides
        ]
        addresses = [
            {
                key: option.value
                for key, option in side.options_of(each).items()
                if key == "connector" or key.lower().rpartition(".")[2] in DESTINATIONS
            }
            for side, each in zip(sides, declarations, strict=True)
            if each is not None
        ]
        return len(addresses) == len(sides) and addresses[0] != addresses[1]

    def _assumptions(self, moves: Sequence[MovedQuery], positions: Sequence[SourcePosition]) -> Iterator[Assumption]:
        yield from self.material.of_sources(Approach.BOUNDARY, positions)
        for position in positions:
            if position.start is Start.BEGINNING:
                yield Assumption(
                    "whole-history",
                    f"{position.table}: it still has all rows that open results are made of.",
                    position.table,
                )
        for position in positions:
            if self._is_elsewhere(position.table):
                yield Assumption(
                    "other-source",
                    f"{position.table} reads from another place now, which has the rows from {{start}} on as well.",
                    position.table,
                )
        emissions = [emission for each in moves for emission in each.emissions]
        if not all(emission.is_local for emission in emissions):
            yield Assumption("zone", "Event times without zone are times of {zone}.")
        if any(emission.has_sessions for emission in emissions):
            gap = max(emission.gap for emission in emissions)
            sentence = "Sessions that ended before the boundary are those of the former version."
            yield Assumption("sessions", sentence, length=gap)


def _may_stand_beside(part: ComputedPart, moves: Sequence[MovedQuery], positions: Sequence[SourcePosition]) -> bool:
    """Return whether one job can fill new sinks from states, and go on in those of the queries that hand over."""
    if not part.moved_queries:
        return True
    shared = {each.pipeline.sink for each in moves} & {each.pipeline.sink for each in part.moved_queries}
    return part.is_whole and not shared and all(position.start is not Start.NOWHERE for position in positions)


def _of(emission: Emission | NoBoundary) -> Emission:
    assert isinstance(emission, Emission)
    return emission


def _common_grid(emissions: Sequence[Emission]) -> tuple[Grid | None, tuple[str, ...]]:
    """The ends that the windows of all have in common; ``None`` where rows or sessions end at any time."""
    result: Grid | None = None
    for emission in emissions:
        if emission.order is not Order.WINDOW_END or emission.has_sessions:
            continue
        grid = emission.grid
        common = grid if result is None or grid is None else result.common(grid)
        if common is None:
            return result, ("There is no time at which no window of either version is open.",)
        result = common
    return result, ()


def _slot(moves: Sequence[MovedQuery], wall: int) -> Slot:
    """The time between the boundary and the next result of the former version."""
    ends: list[int] = []
    start = wall
    for each in moves:
        if not isinstance(each.before, Emission):
            continue
        start = max(start, wall + each.before.lateness)
        grid = each.before.next_end if each.before.order is Order.WINDOW_END else None
        if grid is None:
            return Slot(start, None)
        ends.append(grid.at_or_after(wall + 1))
    return Slot(start, min(ends, default=None))
