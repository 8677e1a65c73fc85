"""The plan at a boundary: the former job gives all results up to a time in event time, the new job all behind it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from keepstate.cutover.emission import Emission, NoBoundary, Order
from keepstate.cutover.guard import Boundary, Guard, guard_of, quoted
from keepstate.cutover.material import Material, Moved, planned
from keepstate.cutover.plans import CLEAN, NEW, Approach, Assumption, CutoverPlan, PipelinePlan, Script, Slot
from keepstate.cutover.positions import Position, Start
from keepstate.cutover.times import Grid, shown
from keepstate.report import Verdict
from keepstate.syntax.namespace import shown as shown_name
from keepstate.text import apply_edits


def boundary_plan(material: Material) -> CutoverPlan:
    """The plan for queries whose rows all come out in the order of event time."""
    return _BoundaryPlanner(material).plan(material.moved)


@dataclass(frozen=True, eq=False)
class _BoundaryPlanner:
    material: Material

    def plan(self, moved: Sequence[Moved]) -> CutoverPlan:
        emissions = [emission for each in moved for emission in each.emissions]
        grid, notes = _common_grid(emissions)
        wall = self._boundary(grid)
        if grid is not None and not grid.holds(wall):
            after = shown(grid.at_or_after(wall))
            notes += (
                f"No window of both versions ends at {shown(wall)}: rows around it count in a window of each version. "
                f"The next common end is {after}.",
            )
        boundary = Boundary(wall, self.material.request.moment(wall))
        positions = self._positions(moved, wall)
        catalog = self.material.job.catalog
        guards = [guard_of(each.pipeline, catalog, _of(each.after), boundary) for each in moved]
        edits = list(self.material.leaving_out())
        edits += [edit for guard in guards if guard is not None for edit in guard.edits]
        edits += [edit for position in positions for edit in position.edits]
        new = apply_edits(self.material.text, edits)
        pipelines = tuple(self._handed_over(each, guard, positions) for each, guard in zip(moved, guards, strict=True))
        clean = apply_edits(self.material.text, self.material.leaving_out())
        clean_up = self.material.restarted(clean, new).verdict
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
            sources=tuple(self.material.sources(moved)),
            keyed_sinks=tuple(self.material.keyed_sinks()),
            positions=positions,
            is_local=any(emission.is_local for emission in emissions),
            reads_ahead=boundary.epoch - min(starts) if starts else 0,
            scripts=tuple(scripts),
            assumptions=tuple(self._assumptions(moved, positions, boundary)),
            notes=(*notes, *dict.fromkeys(note for emission in emissions for note in emission.notes)),
            clean_up=clean_up,
        )

    def _boundary(self, grid: Grid | None) -> int:
        if self.material.request.at is not None:
            return self.material.request.at
        return self.material.request.now if grid is None else grid.at_or_after(self.material.request.now)

    def _positions(self, moved: Sequence[Moved], wall: int) -> tuple[Position, ...]:
        """The starts of all tables that the moved queries read; of a table that several read the earliest one."""
        first: dict[str, int | None] = {}
        for each in moved:
            emission = _of(each.after)
            row = emission.first_row(wall)
            for table in each.pipeline.plan.sources:
                start = None if row is None or table in emission.from_beginning else row
                known = first.get(table, start)
                first[table] = None if start is None or known is None else min(start, known)
        margin = self.material.margin(tuple(first))
        moments = {
            table: None if row is None else self.material.request.moment(row) - margin for table, row in first.items()
        }
        return tuple(self.material.position(table, moment) for table, moment in moments.items())

    def _handed_over(self, moved: Moved, guard: Guard | None, positions: Sequence[Position]) -> PipelinePlan:
        emission = _of(moved.after)
        found = planned(moved.restart, Approach.BOUNDARY)
        flaws = [*found.flaws, *dict.fromkeys(flaw for each in moved.emissions for flaw in each.flaws)]
        if guard is None:
            flaws.append("No place for a guard was found: results between the boundary and the stop are written twice")
        tables = {shown_name(table) for table in moved.pipeline.plan.sources}
        for position in positions:
            if position.start is Start.NOWHERE and position.table in tables:
                flaws.append(f"{position.words} Windows that are open at the start lack their first rows")
        return replace(
            found,
            flaws=tuple(flaws),
            condition=guard.condition if guard is not None else "",
            latest=_latest(moved, guard),
            order=emission.order,
        )

    def _assumptions(
        self, moved: Sequence[Moved], positions: Sequence[Position], boundary: Boundary
    ) -> Iterator[Assumption]:
        for position in positions:
            if position.start is Start.TIME:
                yield self.material.record_time(position)
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


def _latest(moved: Moved, guard: Guard | None) -> str:
    target = moved.pipeline.target
    if guard is None or not guard.column or target is None:
        return ""
    return f"SELECT MAX({quoted(guard.column)}) FROM {' '.join(target.place.text.split())}"


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


def _slot(moved: Sequence[Moved], wall: int) -> Slot:
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
