"""Plans with sinks of their own: from a state that is computed from the rows of the past, or from the first row on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from keepstate.cutover.bootstrap import Bootstrap, Since, bootstrap_of
from keepstate.cutover.flaws import streams_of
from keepstate.cutover.material import Material
from keepstate.cutover.merging import NotMergeable
from keepstate.cutover.plans import (
    BOOTSTRAP,
    NEW,
    SHADOW,
    Approach,
    Assumption,
    ComputedState,
    CutoverPlan,
    Script,
)
from keepstate.cutover.positions import Position, Start
from keepstate.cutover.shadow import shadowed
from keepstate.cutover.times import Grid, shown
from keepstate.syntax.namespace import shown as shown_name
from keepstate.syntax.script import StatementKind
from keepstate.text import Edit, Span, apply_edits

_HOUR = 3_600_000
_ROUNDED = "Sums of FLOAT and DOUBLE depend on the order of rows: their last digits may differ."
_SET = StatementKind.STATEMENT_SET_START


def shadow_plan(material: Material) -> CutoverPlan:
    """The plan with a computed state where there is one for each query, else the one that reads all rows again."""
    planner = _ShadowPlanner(material)
    return planner.bootstrap_plan() or planner.replay_plan()


@dataclass(frozen=True, eq=False)
class _ShadowPlanner:
    material: Material
    _not_computed: dict[Span, str] = field(default_factory=dict)
    """The reasons why the state of queries is not computed, by the places of their statements."""

    def bootstrap_plan(self) -> CutoverPlan | None:
        """The plan with a computed state for each query; ``None`` if there is none for one of them."""
        wall = (
            self.material.request.at
            if self.material.request.at is not None
            else Grid(_HOUR).at_or_before(self.material.request.now)
        )
        since = Since(wall, self.material.request.moment(wall))
        made: list[Bootstrap] = []
        for each in self.material.moved:
            try:
                made.append(
                    bootstrap_of(each.pipeline, self.material.comparison.current_version, self.material.job, since)
                )
            except NotMergeable as error:
                self._not_computed[each.pipeline.statement.span] = str(error)
        tables = self.material.tables
        positions = tuple(
            self.material.position(table, since.epoch - self.material.margin((table,))) for table in tables
        )
        if len(made) < len(self.material.moved) or any(position.start is Start.NOWHERE for position in positions):
            return None
        sinks = shadowed(self.material.job, [each.pipeline for each in self.material.moved])
        first = min(each.pipeline.statement.span.start for each in self.material.moved)
        begun = (
            each.span.start
            for each in self.material.job.script.statements
            if each.kind is _SET and each.span.start < first
        )
        start = max(begun, default=first)
        declarations = "".join(f"{each.declaration}\n\n" for each in made)
        edits = [
            *self.material.leaving_out(),
            Edit(Span(start, start), declarations),
            *sinks.edits,
            *(each.edit for each in made),
            *(edit for position in positions for edit in position.edits),
        ]
        text = apply_edits(self.material.text, edits)
        names = [BOOTSTRAP] if len(made) == 1 else [f"bootstrap-{each.state}.sql" for each in made]
        return CutoverPlan(
            tuple(
                self.material.planned(each.restart, Approach.BOOTSTRAP, (each.obstacle,) if each.obstacle else ())
                for each in self.material.moved
            ),
            Approach.BOOTSTRAP,
            wall,
            since.epoch,
            is_local=False,
            sources=tuple(self.material.sources(self.material.moved)),
            keyed_sinks=tuple(self.material.keyed_sinks()),
            positions=positions,
            scripts=(
                Script(NEW, text, "The current version, which goes on from the computed state, with sinks of its own."),
                *(
                    Script(name, each.query, f"The state at {shown(wall)}: run it over the rows of the past.")
                    for name, each in zip(names, made, strict=True)
                ),
            ),
            assumptions=tuple(self._of_history(made, positions)),
            notes=(*sinks.notes, *((_ROUNDED,) if any(each.is_rounded for each in made) else ())),
            states=tuple(ComputedState(name, each.table, each.state) for name, each in zip(names, made, strict=True)),
        )

    def _of_history(self, made: Sequence[Bootstrap], positions: Sequence[Position]) -> Iterator[Assumption]:
        for table in dict.fromkeys(each.table for each in made):
            yield Assumption(
                "history",
                f"{table}: the rows of the past begin where the job began, and have each row before {{boundary}} once, "
                "late ones too: the state is computed when none of them can come any more.",
                table,
            )
        for position in positions:
            if position.start is Start.TIME:
                yield self.material.record_time(position)
                yield self.material.retention(position)

    def replay_plan(self) -> CutoverPlan:
        moved = self.material.moved
        made = shadowed(self.material.job, [each.pipeline for each in moved])
        tables = self.material.tables
        positions = tuple(map(self.material.first_position, tables))
        edits = [
            *self.material.leaving_out(),
            *made.edits,
            *(edit for position in positions for edit in position.edits),
        ]
        pipelines = []
        for each in moved:
            flaws = [
                f"{position.words} It cannot be read again, so the new job counts from its start"
                for position in positions
                if position.start is Start.NOWHERE
                and position.table in {shown_name(table) for table in streams_of(each.pipeline)}
            ]
            other = self._not_computed.get(each.pipeline.statement.span, "")
            reasons = tuple(filter(None, (each.obstacle, f"No state is computed: {other}" if other else "")))
            found = self.material.planned(each.restart, Approach.REPLAY, reasons)
            pipelines.append(replace(found, flaws=(*found.flaws, *flaws)))
        none_left = all(position.start is Start.NOWHERE for position in positions)
        if none_left:
            pipelines = [replace(each, approach=Approach.NONE) for each in pipelines]
        text = apply_edits(self.material.text, edits)
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
