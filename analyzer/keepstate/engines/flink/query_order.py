"""Queries that stand where others stood: Flink numbers operators in their order, so each finds the other's state."""

from __future__ import annotations

from keepstate.diff.changes import Change, ChangeKind, QueryKind
from keepstate.diff.job_differences import JobDiff
from keepstate.engines.profile import Outcome
from keepstate.physical.stored_job import StoredPipeline
from keepstate.physical.stored_pairing import PairedJobs, head_of
from keepstate.report import Effect

_ADVICE = "Put the INSERTs back into their order, or set table.exec.uid.generation = ALWAYS from the first start on."


def order_changed(diff: JobDiff, jobs: PairedJobs, pair: int) -> tuple[Change, Outcome] | None:
    """The change and the outcome for a query whose ids are those of another query of the baseline; ``None`` for one
    that finds its own state, or none.
    """
    sides, (was, now) = diff.pairs[pair], jobs.numbers[pair]
    if sides.baseline is None or sides.current is None or was is None or now is None:
        return None
    ids = _ids(jobs.after.pipelines[now])
    owners = [
        other
        for other, (number, _) in enumerate(jobs.numbers)
        if number is not None and not ids.isdisjoint(_ids(jobs.before.pipelines[number]))
    ]
    former = diff.pairs[owners[0]].baseline if len(owners) == 1 and owners != [pair] else None
    if former is None:
        return None
    places = head_of(sides.current), head_of(sides.baseline)
    change = Change(ChangeKind.STORED_STATE_CHANGED, QueryKind.JOB, *places, subject="order of the INSERTs changed")
    reason = f"{sides.current.name} finds the state of {former.name}: operator ids go by the order"
    return change, Outcome(Effect.WRONG_RESULTS, reason, advice=_ADVICE)


def _ids(pipeline: StoredPipeline) -> frozenset[str]:
    """The ids of operators alone: queries may share a source."""
    return frozenset(operator.id.value for operator in pipeline.operators.values())
