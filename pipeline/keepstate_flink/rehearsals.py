"""The restart of a changed job before any row: does it start, and which operators find their state?

States are registered when operators open. So a savepoint of the baseline that was taken before its first row decides
whether the changed job starts from any: ids and serializers are those of every later savepoint.
"""

from __future__ import annotations

from dataclasses import dataclass

from keepstate_flink.errors import NotRunnable
from keepstate_flink.running_jobs import JobFailed, Jobs, ScriptedJob

_TIMERS = "_timer_state/"
_POSITION = "SourceReaderState"


@dataclass(frozen=True)
class SavepointOperator:
    """An operator of the savepoint. ``states`` are the names of what it stores, ``has_match`` is true if the changed
    job has an operator of its id, ``unread`` are the states that this one does not ask for.
    """

    name: str
    states: tuple[str, ...]
    has_match: bool
    unread: tuple[str, ...] = ()

    @property
    def is_source(self) -> bool:
        """Return whether the state is the position of a source."""
        return self.states == (_POSITION,)


@dataclass(frozen=True)
class Rehearsal:
    """The restart of one job. ``error`` has the lines of Flink's exception if it does not start; ``fresh`` are the
    names of the operators with state of which the savepoint has none.
    """

    starts: bool
    operators: tuple[SavepointOperator, ...]
    fresh: tuple[str, ...] = ()
    error: tuple[str, ...] = ()


def rehearse(jobs: Jobs, baseline: ScriptedJob, current: ScriptedJob) -> Rehearsal:
    """Restart ``baseline`` as ``current`` from a savepoint before the first row.

    Raises:
        NotRunnable: one of them does not even start alone.
    """
    savepoint, before, names = _alone(jobs, baseline, "baseline")
    _, own, own_names = _alone(jobs, current, "current version")
    error: tuple[str, ...] = ()
    try:
        with jobs.started(current, savepoint) as job:
            job.await_open()
    except JobFailed as failure:
        error = failure.chain
    operators = tuple(
        SavepointOperator(
            names.get(id_, id_),
            states,
            id_ in own_names,
            tuple(state for state in states if id_ in own and state not in own[id_]),
        )
        for id_, states in before.items()
        if states
    )
    fresh = tuple(own_names.get(id_, id_) for id_, states in own.items() if states and not before.get(id_))
    return Rehearsal(not error, operators, fresh, error)


def _alone(jobs: Jobs, job: ScriptedJob, words: str) -> tuple[str, dict[str, tuple[str, ...]], dict[str, str]]:
    """The savepoint of a job before its first row, the states in it by operator, and the names of all operators."""
    try:
        names = {operator.id: operator.name for operator in jobs.operators(job)}
        with jobs.started(job) as running:
            if not running.sources:
                raise NotRunnable(f"The {words} reads no table, so it ends by itself and has no state to restart from")
            running.await_open()
            savepoint = running.savepoint()
    except JobFailed as failure:
        raise refusal(failure, words) from failure
    state_types = {
        id_: tuple(dict.fromkeys("timers" if state.startswith(_TIMERS) else state for state in states))
        for id_, states in jobs.state_names(savepoint).items()
    }
    return savepoint, state_types, names


def refusal(failure: JobFailed, words: str) -> NotRunnable:
    """The error of a version that does not even start alone."""
    return NotRunnable(f"Flink does not {'run' if failure.planned else 'take'} the {words}: {failure.chain[-1]}")
