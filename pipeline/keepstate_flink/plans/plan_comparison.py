"""The comparison of two planned jobs, operator by operator: the only judge is what the plans say.

State finds its owner by the id of the operator; then Flink itself says whether the serializers fit. Equal state is no
claim about values: a filter in front of it may still differ. Only equal plans are one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from keepstate_flink.functions.part import NO_PART, StandInPart
from keepstate_flink.plans.equality import plan_lines
from keepstate_flink.plans.planned_job import PlannedJob, PlannedState

POSITION = "position"
"""The name of what a source stores."""
_TIMERS = "_timer_state/"
_TASKS = (
    "A table sets another number of parallel tasks, and no setting says that of the job: operators with others "
    "are not chained to it, and ids follow from the chains."
)


class Decision(Enum):
    """An answer about the restart of one job. Without equal plans a job that starts may still give wrong results."""

    EQUAL = "equal"
    STARTS = "starts"
    DOES_NOT_START = "does-not-start"
    NOT_DECIDED = "not-decided"


class StateMapping(Enum):
    """The end of the state of one operator."""

    FOUND = "found"
    NOT_MAPPED = "not-mapped"
    """No operator of the current plan has its id."""
    OTHER_TYPES = "other-types"
    """Flink does not open the operator with it."""
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class OperatorMapping:
    """An operator of the baseline that stores ``states``; those of them that the current one does not ask for are
    ``unread``. ``error`` has the lines of the exception if Flink refuses them.
    """

    name: str
    states: tuple[str, ...]
    fate: StateMapping
    unread: tuple[str, ...] = ()
    error: tuple[str, ...] = ()


@dataclass(frozen=True)
class PlanComparison:
    """The answer for one job. ``fresh`` are the operators with state for which the savepoint has none; ``note`` is a
    sentence that says why nothing was decided, or what the plans do not show.
    """

    decision: Decision
    operators: tuple[OperatorMapping, ...] = ()
    fresh: tuple[str, ...] = ()
    note: str = ""
    stand_ins: StandInPart = NO_PART
    """Stand-ins for functions of the user in the plans."""

    @property
    def reason(self) -> str:
        """A sentence on the first operator that lets the job not start; empty where it does."""
        for operator in self.operators:
            if operator.fate is StateMapping.NOT_MAPPED:
                return f"{operator.name} stores {_name_list(operator.states)}, and no operator has its id any more."
            if operator.fate is StateMapping.OTHER_TYPES:
                return f"{operator.name} stores {_name_list(operator.states)} in other types."
        return ""

    @property
    def explanation(self) -> str:
        """The reason why the job does not start, and the note; else the states that are no longer read. At the end
        stand the functions that were no more than stand-ins.
        """
        unread = (
            f"{operator.name} no longer reads {', '.join(operator.unread)}."
            for operator in self.operators
            if operator.unread
        )
        decided = " ".join(filter(None, (self.reason, self.note))) or " ".join(unread)
        return " ".join(filter(None, (decided, self.stand_ins.sentences())))


def compared(
    baseline: PlannedJob, current: PlannedJob, refused: Mapping[str, Sequence[str]] | None = None
) -> PlanComparison:
    """Compare two plans; ``refused`` has the lines of Flink's exception by the id of the operators that do not open
    with the state of the baseline.
    """
    operators = tuple(_fates(baseline, current, refused or {}))
    ids = {operator.id for operator in baseline.operators if operator.is_stored}
    fresh = tuple(each.name for each in current.operators if each.is_stored and each.id not in ids)
    fates = {operator.fate for operator in operators}
    note = _unplanned(baseline, current)
    if baseline.tasks_of_tables != current.tasks_of_tables and not (baseline.sets_tasks and current.sets_tasks):
        return PlanComparison(Decision.NOT_DECIDED, operators, fresh, _TASKS)
    if fates & {StateMapping.NOT_MAPPED, StateMapping.OTHER_TYPES}:
        return PlanComparison(Decision.DOES_NOT_START, operators, fresh, note)
    failed = [*_failed(baseline), *_failed(current)]
    if failed:
        sentence = f"{failed[0].name} was not opened by itself: {failed[0].failure[-1]}"
        return PlanComparison(Decision.NOT_DECIDED, operators, fresh, sentence)
    if note:
        return PlanComparison(Decision.NOT_DECIDED, operators, fresh, note)
    is_equal = not fresh and not any(operator.unread for operator in operators) and _same_plan(baseline, current)
    return PlanComparison(Decision.EQUAL if is_equal else Decision.STARTS, operators, fresh)


def with_stand_ins(comparison: PlanComparison, part: StandInPart) -> PlanComparison:
    """The comparison of plans with stand-ins; equal ones say nothing of the values of a function with another class."""
    decision = comparison.decision
    if decision is Decision.EQUAL and part.replaced:
        decision = Decision.STARTS
    return replace(comparison, decision=decision, stand_ins=part)


def _fates(
    baseline: PlannedJob, current: PlannedJob, refused: Mapping[str, Sequence[str]]
) -> Iterator[OperatorMapping]:
    for operator in baseline.operators:
        if not operator.is_stored and not operator.failure:
            continue
        states = (POSITION,) if operator.is_source else _state_names(operator.states)
        now = current.operator(operator.id)
        if now is None:
            # Of what it stores nothing is known, but that nothing reads it.
            fate = StateMapping.UNKNOWN if operator.failure else StateMapping.NOT_MAPPED
            yield OperatorMapping(operator.name, states, fate)
        elif operator.id in refused:
            yield OperatorMapping(operator.name, states, StateMapping.OTHER_TYPES, error=tuple(refused[operator.id]))
        elif operator.failure or now.failure:
            yield OperatorMapping(operator.name, states, StateMapping.UNKNOWN)
        else:
            unread = tuple(each for each in _state_names(operator.states) if each not in _state_names(now.states))
            yield OperatorMapping(operator.name, states, StateMapping.FOUND, unread)


def _failed(job: PlannedJob) -> list[PlannedState]:
    return [operator for operator in job.operators if operator.failure]


def _state_names(states: Sequence[str]) -> tuple[str, ...]:
    """The names of states, all timers as one."""
    return tuple(dict.fromkeys("timers" if state.startswith(_TIMERS) else state for state in states))


def _same_plan(baseline: PlannedJob, current: PlannedJob) -> bool:
    if baseline.plan is None or current.plan is None:
        return False
    return plan_lines(baseline.plan) == plan_lines(current.plan)


def _unplanned(baseline: PlannedJob, current: PlannedJob) -> str:
    keys = baseline.settings.keys() | current.settings.keys()
    keys_changed = sorted(key for key in keys if baseline.settings.get(key) != current.settings.get(key))
    if keys_changed:
        return f"A plan does not show what follows from {', '.join(keys_changed)}."
    if baseline.plan is None or current.plan is None:
        return "Flink compiles no plan of a version, so connectors are not compared."
    if set(baseline.connectors) != set(current.connectors):
        return "A connector changed, and here stand-ins are planned: what connectors store is not compared."
    return ""


def _name_list(states: Sequence[str]) -> str:
    return ", ".join(states) or "nothing"
