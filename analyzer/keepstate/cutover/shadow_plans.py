"""Plans with sinks of their own: from a state that is computed from the rows of the past, or from the first row on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from keepstate.cutover.computed_part import ComputedPart, text_with
from keepstate.cutover.cutover_options import CutoverOptions
from keepstate.cutover.cutover_plan import NEW, SHADOW, Approach, Assumption, CutoverPlan, GeneratedScript
from keepstate.cutover.flaws import streams_of
from keepstate.cutover.material import Material
from keepstate.cutover.positions import SourcePosition, Start
from keepstate.cutover.shadow import shadowed
from keepstate.cutover.times import Boundary, Grid
from keepstate.syntax.namespace import display_name
from keepstate.text import Span

_HOUR = 3_600_000


def shadow_plan(material: Material) -> CutoverPlan:
    """The plan with a computed state where there is one for each query, else the one that reads all rows again."""
    request = material.request
    wall = request.at if request.at is not None else _last_hour(request)
    boundary = Boundary(wall, request.moment(wall))
    part = ComputedPart.of(material, material.moved_queries, boundary)
    # Results of former rows are those of the former version where no query keeps state: all rows are read again.
    stateful = any(each.pipeline.plan.stateful for each in material.moved_queries)
    positions = tuple(material.position(table, boundary.epoch - material.margin((table,))) for table in material.tables)
    if not part.is_whole or not stateful or any(position.start is Start.NOWHERE for position in positions):
        return _replay_plan(material, part.reasons)
    plan = _bootstrap_plan(material, part, positions)
    refused = material.first_refusal([script.text for script in plan.scripts])
    if refused:
        spans = (each.restart.span for each in material.moved_queries)
        return _replay_plan(material, dict.fromkeys(spans, f"Its script is none that Flink takes: {refused}"))
    return plan


def _last_hour(request: CutoverOptions) -> int:
    """The last full hour that the clock shows once."""
    hours = (Grid(_HOUR).at_or_before(request.now) - back * _HOUR for back in range(4))
    return next(hour for hour in hours if request.exists(hour) and not request.comes_twice(hour))


def _bootstrap_plan(material: Material, part: ComputedPart, positions: Sequence[SourcePosition]) -> CutoverPlan:
    material.require_time(part.boundary.wall, part.is_local)
    text = text_with(material, list(part.edits()), [edit for position in positions for edit in position.edits])
    return CutoverPlan(
        tuple(part.pipelines()),
        Approach.BOOTSTRAP,
        part.boundary.wall,
        part.boundary.epoch,
        is_local=part.is_local,
        sources=tuple(material.sources(material.moved_queries)),
        keyed_sinks=tuple(material.keyed_sinks()),
        positions=tuple(positions),
        scripts=(
            GeneratedScript(
                NEW, text, "The current version, which goes on from the computed state, with sinks of its own."
            ),
            *part.scripts(),
        ),
        assumptions=(
            *part.assumptions(),
            *part.assumptions_of_a_stop(),
            *material.of_sources(Approach.BOOTSTRAP, positions),
        ),
        notes=tuple(part.notes()),
        states=tuple(part.computed_states()),
    )


def _replay_plan(material: Material, not_computed: Mapping[Span, str]) -> CutoverPlan:
    """The plan that reads all rows again; ``not_computed`` are the reasons why no state is computed."""
    moves = material.moved_queries
    shadow = shadowed(material.job, [each.pipeline for each in moves])
    tables = material.tables
    positions = tuple(map(material.first_position, tables))
    pipelines = []
    for each in moves:
        flaws = [
            f"{position.words} It cannot be read again, so the new job counts from its start"
            for position in positions
            if position.start is Start.NOWHERE
            and position.table in {display_name(table) for table in streams_of(each.pipeline)}
        ]
        flaws += [
            f"{short}: older rows are missing in its results"
            for table in streams_of(each.pipeline)
            if (short := material.too_short(display_name(table), None))
        ]
        other = not_computed.get(each.restart.span, "")
        reasons = tuple(filter(None, (each.obstacle, f"No state is computed: {other}" if other else "")))
        plan = material.planned(each.restart, Approach.REPLAY, reasons)
        pipelines.append(replace(plan, flaws=(*plan.flaws, *flaws)))
    none_left = all(position.start is Start.NOWHERE for position in positions)
    if none_left:
        pipelines = [replace(each, approach=Approach.NONE) for each in pipelines]
    text = text_with(material, shadow.edits, [edit for position in positions for edit in position.edits])
    purpose = "The current version, from the first row on, into sinks of its own."
    return CutoverPlan(
        tuple(pipelines),
        Approach.NONE if none_left else Approach.REPLAY,
        positions=positions,
        scripts=() if none_left else (GeneratedScript(SHADOW, text, purpose),),
        sources=tuple(material.sources(moves)),
        assumptions=(
            *(
                Assumption("whole-history", f"{each.table}: it still has all rows since the job began.", each.table)
                for each in positions
                if each.start is not Start.NOWHERE
            ),
            *material.of_sources(Approach.REPLAY, positions),
        ),
        notes=shadow.notes,
    )
