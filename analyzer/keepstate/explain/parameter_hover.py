"""Effect of a parameter on state, for a hover on its SET or on a hint."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from keepstate.diff.changes import ChangeKind, QueryKind
from keepstate.engines import EngineProfile
from keepstate.plan.job import Job, Pipeline
from keepstate.plan.metadata.time_to_live import TimeToLive, times_to_live
from keepstate.plan.parameter_scope import reaches
from keepstate.plan.parameters import STATE_TTL, Parameter, ParameterConcern, known_parameter
from keepstate.report import Effect, StateHover
from keepstate.syntax import syntax_nodes
from keepstate.text import Span

_RULES = {
    ParameterConcern.STATE: (QueryKind.CONFIGURATION, ChangeKind.SETTING_CHANGED),
    ParameterConcern.TIME_TO_LIVE: (QueryKind.CONFIGURATION, ChangeKind.STATE_TTL_CHANGED),
    ParameterConcern.EMISSION: (QueryKind.GROUP_WINDOW, ChangeKind.EMIT_STRATEGY_CHANGED),
    ParameterConcern.KEY_GROUPS: (QueryKind.CONFIGURATION, ChangeKind.MAX_PARALLELISM_CHANGED),
}
_COSTS = {
    Effect.EXACT: "nothing happens to the state",
    Effect.STATE_LOST: "the state is lost",
    Effect.DOES_NOT_START: "the job does not start",
    Effect.WRONG_RESULTS: "results are wrong after the restart",
    Effect.UNDETERMINED: "unknown if the state fits",
}


def parameter_hovers(
    job: Job, profile: EngineProfile, pipelines: Iterable[Pipeline], at: int | None = None
) -> Iterator[StateHover]:
    """A note at each SET of a known parameter, and at each entry of a STATE_TTL hint of ``pipelines``; with ``at``,
    those that a cursor there touches.
    """
    for statement in job.script.statements if at is None else job.script.statements_at(at):
        tree = statement.tree
        if not isinstance(tree, syntax_nodes.SetOption) or tree.this is None or tree.args.get("expression") is None:
            continue
        parameter = known_parameter(tree.this.name.strip())
        if parameter is not None:
            value = tree.args["expression"].name
            on_change = _on_change(parameter, job, profile)
            yield _note(statement.span, parameter, parameter.title, parameter.words_for(value), on_change)
    yield from _hint_notes(job, profile, pipelines, at)


def _hint_notes(
    job: Job, profile: EngineProfile, pipelines: Iterable[Pipeline], at: int | None
) -> Iterator[StateHover]:
    parameter = known_parameter(STATE_TTL)
    assert parameter is not None
    for pipeline in pipelines:
        for operator in pipeline.plan.operators:
            for hint in operator.ttl_hints if operator.ttl_hints and times_to_live(operator, pipeline.settings) else ():
                span = job.span_of(hint.place, pipeline) if hint is not None and hint.place is not None else None
                if hint is not None and span is not None and (at is None or span.touches(at)):
                    title = f"How long the state of {hint.key} is kept without an update"
                    yield _note(span, parameter, title, TimeToLive(hint).words, _on_change(parameter, job, profile))


def _note(span: Span, parameter: Parameter, title: str, words: str, on_change: str) -> StateHover:
    unset = f" Without it: {parameter.default_words}." if parameter.default_words else ""
    return StateHover(
        span, parameter.key, f"{title}: {words}", migration=on_change, explanation=f"{parameter.meaning}{unset}"
    )


def _on_change(parameter: Parameter, job: Job, profile: EngineProfile) -> str:
    """Return the cost of another value at a restart."""
    if parameter.concern is ParameterConcern.NOTHING:
        return "nothing; it may have another value at any restart"
    if parameter.concern is ParameterConcern.CHECK:
        return "nothing happens to the state; what else changed is judged by the new value"
    if parameter.concern is ParameterConcern.TIME_TO_LIVE:
        felt = any(times_to_live(operator, p.settings) for p in job.pipelines for operator in p.plan.operators)
    else:
        felt = any(reaches(parameter.reach, pipeline, job) for pipeline in job.pipelines)
    if not felt:
        return "nothing; no query of this job feels it"
    cost = _COSTS.get(profile.effect(*_RULES[parameter.concern]) or Effect.UNDETERMINED, "")
    if parameter.concern is ParameterConcern.TIME_TO_LIVE:
        return f"a shorter time drops what is older; with a longer one, or switched on or off, {cost}"
    return cost
