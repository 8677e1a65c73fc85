"""Effect of an engine on the state behind each kind of change.

The verdict of a finding follows from the effect on its rule page, or from the stored state, and is never set by hand
elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from keepstate.diff.changes import GENERAL, Change, ChangeKind, QueryKind
from keepstate.diff.job_differences import JobDiff
from keepstate.diff.operators.unions import with_common_inputs
from keepstate.plan.job import Job, Pipeline, Plan
from keepstate.plan.settings import Settings
from keepstate.plan.units.cluster_jobs import JobUnit
from keepstate.report import Effect, Verdict
from keepstate.state.logical import logical_states
from keepstate.state.stored_queries import StoredPair, StoredQuery

_VERDICTS = {
    Effect.EXACT: Verdict.COMPATIBLE,
    Effect.STATE_DROPPED: Verdict.COMPATIBLE,
    Effect.STARTS_EMPTY: Verdict.PARTIAL,
    Effect.STATE_LOST: Verdict.INCOMPATIBLE,
    Effect.DOES_NOT_START: Verdict.INCOMPATIBLE,
    Effect.WRONG_RESULTS: Verdict.INCOMPATIBLE,
    Effect.UNDETERMINED: Verdict.UNKNOWN,
}


def verdict_of(effect: Effect) -> Verdict:
    return _VERDICTS[effect]


def clause_precedence(effect: Effect) -> int:
    """Return the precedence among several effects of one edit. The largest one happens: a job that does not start has
    no other effect.

    >>> max((Effect.STATE_LOST, Effect.DOES_NOT_START, Effect.WRONG_RESULTS), key=clause_precedence)
    <Effect.DOES_NOT_START: 'does-not-start'>
    """
    return len(Effect) if effect is Effect.DOES_NOT_START else effect.precedence


@dataclass(frozen=True)
class Outcome:
    """Outcome of a change for the state. ``reason`` is the cause in a few words, if it does not follow from the kind of
    change; ``until`` is the end of wrong results in a sentence, and ``clause`` the clause whose state it is, if they
    are known.
    """

    effect: Effect
    reason: str = ""
    until: str = ""
    clause: str = ""
    advice: str = ""
    """An alternative, if the engine has a better one than that of the kind of change."""
    is_own: bool = False
    """The reason is about this change, and about no other one that brings the same difference."""


class Assessment(Protocol):
    """Outcomes of the changes of one job, where they depend on more than the kinds of the changes.

    A pair of pipelines is identified by its number in ``JobDiff.pairs``.
    """

    def outcome(self, change: Change, pair: int | None) -> Outcome:
        """Return the outcome for the state that a change concerns. ``pair`` is ``None`` for a change of the whole
        job.
        """

    @property
    def beyond_diff(self) -> frozenset[int]:
        """The pairs with changes beyond their own differences: ``further_changes``, ``foreign_changes_of``."""

    def further_changes(self, pair: int) -> tuple[Change, ...]:
        """Differences of a pair that no change of the job brings."""

    def foreign_changes_of(self, pair: int) -> frozenset[tuple[int, Change]]:
        """Changes of other pairs that keep this one from finding its state, each with the number of its pair."""

    def unpaired_outcome(self, pair: int) -> Outcome:
        """Return the outcome for the job of a pipeline that is on one side only."""


@dataclass(frozen=True)
class EngineProfile:
    """An engine: ``effects`` by kind of query and kind of change, and how changes combine.

    A change of a query kind without an entry of its own falls back to the entry of a general kind (filters, sources,
    the job as a whole). A change without any entry cannot be judged.
    """

    name: str
    title: str
    effects: Mapping[QueryKind, Mapping[ChangeKind, Effect]]
    undecidable: frozenset[ChangeKind]
    """Features that, by being there, leave every modification of their pipeline open, even a certain loss (CMB-01)."""
    open: frozenset[ChangeKind]
    """Features that, by being there, leave every modification of their pipeline open that is no certain loss."""
    jobs: JobUnit
    """The jobs that its platforms run a script as, where no configuration says otherwise."""
    ignore_filter: str | None = None
    """The job parameter that makes changed filters compatible, if the engine has one."""
    ignore_sink: str | None = None
    """The job parameter that leaves sinks out of the comparison (which is its default)."""
    several_kinds_are_unknown: bool = True
    """Changes to several kinds of items at once are undecidable (spec OL-03)."""

    @property
    def features(self) -> frozenset[ChangeKind]:
        """The kinds of changes that may be none, but something that has stood there all along."""
        return self.undecidable | self.open

    @property
    def decides_by_kind(self) -> bool:
        """Return whether the table of effects alone decides every outcome."""
        return True

    @property
    def migrates(self) -> bool:
        """Return whether the engine rewrites state when a query changes, as far as its table of effects says."""
        return True

    def stored_queries(self, job: Job) -> tuple[StoredQuery, ...]:
        """Return the stored state of each query of a job, in the order of ``Job.pipelines``.

        The format of an engine that migrates state is not known; its state is what the query needs.
        """
        return self.stored_of(job, job.pipelines)

    def stored_of(self, job: Job, pipelines: Sequence[Pipeline]) -> tuple[StoredQuery, ...]:
        """Return the stored state of some queries of a job, in their order, as ``stored_queries`` has it."""
        memo = job.script.memo

        def stored(one: Pipeline) -> StoredQuery:
            key = _Planned(one.plan, one.settings)
            return memo.get_or_compute(_Planned, one.statement, key, lambda: _logical(one))

        return tuple(map(stored, pipelines))

    def stored_pairs(
        self, baseline: Job, current: Job, matches: Sequence[tuple[Pipeline | None, Pipeline | None]]
    ) -> tuple[StoredPair, ...]:
        """Return the stored state of the queries of two versions, paired by ``matches`` (``PairDiff.compared``)."""
        return tuple(_logical_pair(was, now) for was, now in matches)

    def assessment(self, diff: JobDiff) -> Assessment | None:
        """Return the outcomes of the changes of one job; ``None`` where the table of effects decides all of them."""
        return None

    def effect(self, query: QueryKind, kind: ChangeKind) -> Effect | None:
        tables = (self.effects.get(entry, {}) for entry in (query, *GENERAL))
        return next((table[kind] for table in tables if kind in table), None)


@dataclass(frozen=True, eq=False)
class _Planned:
    """A plan under its settings as a key of a cache."""

    plan: Plan
    settings: Settings

    def __hash__(self) -> int:
        # Each statement has the few results of its own.
        return 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Planned) and other.plan is self.plan and other.settings == self.settings


def _logical(pipeline: Pipeline) -> StoredQuery:
    return StoredQuery(logical_states(pipeline.plan, pipeline.settings))


def _logical_pair(was: Pipeline | None, now: Pipeline | None) -> StoredPair:
    """Return the state that two versions of a query need. A column of a union is one column, whichever inputs were
    added or removed.
    """
    if was is not None and now is not None:
        plans = with_common_inputs(was.plan, now.plan)
        return StoredPair(
            StoredQuery(logical_states(plans[0], was.settings)), StoredQuery(logical_states(plans[1], now.settings))
        )
    before, after = (_logical(one) if one is not None else None for one in (was, now))
    return StoredPair(before, after)
