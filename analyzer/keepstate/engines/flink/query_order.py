"""Queries that stand where others stood: Flink numbers operators in their order, so each finds the other's state."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from keepstate.diff.changes import Change, ChangeKind, QueryKind
from keepstate.diff.job_differences import JobDiff
from keepstate.engines.profile import Outcome
from keepstate.physical.stored_pairing import PairedJobs, head_of
from keepstate.physical.stored_query import StoredPipeline
from keepstate.report import Effect

_ADVICE = "Put the INSERTs back into their order, or set table.exec.uid.generation = ALWAYS from the first start on."


class QueryOrder:
    """The order of the queries of a job on both sides, by the ids of their operators."""

    def __init__(self, diff: JobDiff, jobs: PairedJobs) -> None:
        self._diff = diff
        self._jobs = jobs

    def change(self, pair: int) -> tuple[Change, Outcome] | None:
        """The change and the outcome for a query whose ids are those of another query of the baseline; ``None`` for one
        that finds its own state, or none.
        """
        sides, (was, now) = self._diff.pairs[pair], self._jobs.numbers[pair]
        if sides.baseline is None or sides.current is None or was is None or now is None:
            return None
        owners = {owner for id_ in _ids(self._jobs.after.pipelines[now]) for owner in self._owners.get(id_, ())}
        former = self._diff.pairs[min(owners)].baseline if len(owners) == 1 and owners != {pair} else None
        if former is None:
            return None
        places = head_of(sides.current), head_of(sides.baseline)
        change = Change(ChangeKind.STORED_STATE_CHANGED, QueryKind.JOB, *places, subject="order of the INSERTs changed")
        reason = f"{sides.current.name} finds the state of {former.name}: operator ids go by the order"
        return change, Outcome(Effect.WRONG_RESULTS, reason, advice=_ADVICE)

    @cached_property
    def _owners(self) -> Mapping[str, list[int]]:
        """The pairs whose queries of the baseline have an operator, by its id."""
        owners: dict[str, list[int]] = {}
        for pair, (number, _) in enumerate(self._jobs.numbers):
            for id_ in _ids(self._jobs.before.pipelines[number]) if number is not None else ():
                owners.setdefault(id_, []).append(pair)
        return owners


def _ids(pipeline: StoredPipeline) -> frozenset[str]:
    """The ids of operators alone: queries may share a source."""
    return frozenset(operator.id.value for operator in pipeline.operators.values())
