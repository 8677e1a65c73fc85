"""The part of a new job that goes on from computed states, or without one from the boundary on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from keepstate.cutover.cutover_plan import (
    BOOTSTRAP,
    Approach,
    Assumption,
    ComputedState,
    GeneratedScript,
    PipelinePlan,
    Share,
)
from keepstate.cutover.flaws import streams_of
from keepstate.cutover.material import Material, MovedQuery
from keepstate.cutover.shadow import shadowed
from keepstate.cutover.states.bootstrap import bootstrap_of
from keepstate.cutover.states.computed_state import Bootstrap, NotComputed, StateRequest, StateTable
from keepstate.cutover.table_names import last_name
from keepstate.cutover.times import Boundary, sql_time
from keepstate.plan.expressions import Column, Expr
from keepstate.syntax.namespace import display_name
from keepstate.syntax.script import StatementKind
from keepstate.text import Edit, Span, apply_edits

_ROUNDED = "Sums of FLOAT and DOUBLE depend on the order of rows: their last digits may differ"
_SET = StatementKind.STATEMENT_SET_START


@dataclass(frozen=True, eq=False)
class ComputedPart:
    """Queries with their ``states`` at a boundary; ``reasons`` say why others have none, by their statements."""

    material: Material
    boundary: Boundary
    moved_queries: Sequence[MovedQuery]
    states: Sequence[Bootstrap]
    reasons: Mapping[Span, str]

    @staticmethod
    def of(material: Material, moves: Sequence[MovedQuery], boundary: Boundary) -> ComputedPart:
        """The part of some queries of a job."""
        states: list[Bootstrap] = []
        reasons: dict[Span, str] = {}
        taken_names = {last_name(display_name(table)) for table in material.job.catalog.tables}
        for each in moves:
            sink = display_name(each.pipeline.sink or "").rpartition(".")[2]
            names = (f"{sink}_state{number or ''}" for number in (0, *range(2, len(taken_names) + 3)))
            # A join has a state for each table, behind this name.
            name = next(
                name for name in names if not any(f"{other}_".startswith(f"{name.lower()}_") for other in taken_names)
            )
            version = material.comparison.current_version
            try:
                bootstrap = bootstrap_of(StateRequest(each.pipeline, version, material.job, boundary, name))
            except NotComputed as error:
                reasons[each.restart.span] = str(error)
                continue
            taken_names |= {name.lower(), *(table.state.lower() for table in bootstrap.tables)}
            states.append(bootstrap)
        return ComputedPart(material, boundary, moves, states, reasons)

    @property
    def is_whole(self) -> bool:
        """Return whether each query of the part goes on."""
        return not self.reasons

    @property
    def is_local(self) -> bool:
        return any(each.is_local for each in self.states)

    @property
    def _tables(self) -> list[StateTable]:
        return [table for each in self.states for table in each.tables]

    @property
    def _names(self) -> list[str]:
        if len(self._tables) == 1:
            return [BOOTSTRAP]
        # Numbers: the name of a table may have any sign.
        return [f"bootstrap-{number}.sql" for number in range(1, len(self._tables) + 1)]

    def edits(self) -> Iterator[Edit]:
        """The edits of the script by which the queries go on, into sinks of their own."""
        if not self.moved_queries:
            return
        first = min(each.restart.span.start for each in self.moved_queries)
        begun = (
            each.span.start
            for each in self.material.job.script.statements
            if each.kind is _SET and each.span.start < first
        )
        start = max(begun, default=first)
        declarations = "".join(f"{each.declaration}\n\n" for each in self._tables)
        if declarations:
            yield Edit(Span(start, start), declarations)
        yield from shadowed(self.material.job, [each.pipeline for each in self.moved_queries]).edits
        yield from (edit for each in self.states for edit in each.edits)

    def pipelines(self) -> Iterator[PipelinePlan]:
        """The plans of the queries."""
        for each, state in zip(self.moved_queries, self.states, strict=True):
            plan = self.material.planned(each.restart, Approach.BOOTSTRAP, (each.obstacle,) if each.obstacle else ())
            rounded = (_ROUNDED,) if state.is_rounded else ()
            plan = replace(plan, flaws=(*plan.flaws, *rounded, *self._too_short(each)))
            yield plan if each.pipeline.plan.stateful else self._without_state(each, plan)

    def _too_short(self, move: MovedQuery) -> Iterator[str]:
        for table in streams_of(move.pipeline):
            start = self.boundary.epoch - self.material.margin((table,))
            short = self.material.too_short(display_name(table), self.material.request.now - start)
            if short:
                yield f"{short}: rows between the state and the stream are missing"

    def _without_state(self, move: MovedQuery, plan: PipelinePlan) -> PipelinePlan:
        """The plan of a query whose new sink has the results since the boundary, and whose former sink has the others:
        readers need the time of a result to take each one once.
        """
        flaws = [*plan.flaws]
        if not any(self._is_time(expr) for expr in move.pipeline.plan.output):
            flaws.append(
                f"Results between {sql_time(self.boundary.wall)} and the stop are in both sinks, and have no event "
                "time by which readers could tell them apart"
            )
        if any(sink.table == plan.sink for sink in self.material.keyed_sinks()):
            flaws.append(f"Its new sink lacks the keys that had no row since {sql_time(self.boundary.wall)}")
        return replace(plan, share=Share.SINCE, flaws=tuple(flaws))

    def _is_time(self, expr: Expr) -> bool:
        return isinstance(expr, Column) and any(
            source.table == display_name(expr.table) and source.column == expr.name
            for source in self.material.sources(self.moved_queries)
        )

    def scripts(self) -> Iterator[GeneratedScript]:
        for name, each in zip(self._names, self._tables, strict=True):
            yield GeneratedScript(
                name, each.query, f"The state at {sql_time(self.boundary.wall)}: run it over the rows of the past."
            )

    def computed_states(self) -> Iterator[ComputedState]:
        for name, each in zip(self._names, self._tables, strict=True):
            yield ComputedState(name, each.table, each.state)

    def notes(self) -> Iterator[str]:
        yield from shadowed(self.material.job, [each.pipeline for each in self.moved_queries]).notes
        for each in self.moved_queries:
            if not each.pipeline.plan.stateful:
                yield (
                    f"{each.pipeline.name} keeps no state: its new sink gets the results of rows from "
                    f"{sql_time(self.boundary.wall)} on. Those of former rows stay in the sink of the running job."
                )

    def assumptions(self) -> Iterator[Assumption]:
        with_state = dict.fromkeys(table.table for table in self._tables)
        for table in with_state:
            yield Assumption(
                "history",
                f"{table}: the rows of the past begin where the job began, and have each row before {{boundary}} once, "
                "late ones too: the state is computed when none of them can come any more.",
                table,
            )
        tables = (display_name(table) for each in self.moved_queries for table in streams_of(each.pipeline))
        for table in dict.fromkeys((*with_state, *tables)):
            column = self._time_of(table) or "the event time"
            yield Assumption(
                "no-null-time",
                f"{table}: {column} is never NULL. A row without it is neither in the state nor in the stream.",
                table,
            )
        yield from (assumption for each in self.states for assumption in each.assumptions)

    def _time_of(self, table: str) -> str | None:
        """The column with the event time of a table; ``None`` where the script computes it."""
        return next((each.column for each in self.material.sources(self.moved_queries) if each.table == table), None)

    def assumptions_of_a_stop(self) -> Iterator[Assumption]:
        """The conditions where the running job is stopped before the new one writes."""
        for each in self.moved_queries:
            if not each.pipeline.plan.stateful:
                yield Assumption(
                    "none-after-stop",
                    f"{each.pipeline.name}: no row that is before {{boundary}} comes after the stop of the running "
                    "job. Its results would be in neither sink.",
                )


def text_with(material: Material, *edits: Sequence[Edit]) -> str:
    """The current version with edits, without the queries that stay in jobs of their own."""
    return apply_edits(material.text, [*material.leaving_out(), *(edit for some in edits for edit in some)])
