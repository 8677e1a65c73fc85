"""What an engine does with the state behind each kind of change.

A profile is a table of facts, reviewed as one: the verdict of a finding follows from the effect that stands here and
is never given by hand anywhere else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from keepstate.diff.changes import GENERAL, ChangeKind, QueryKind
from keepstate.report import Effect, Verdict

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


@dataclass(frozen=True)
class EngineProfile:
    """An engine: ``effects`` by kind of query and kind of change, and how changes combine.

    A change of a query kind that has no entry of its own falls back to the entry of a general kind (filters, sources,
    the job as a whole), if there is one; what stands nowhere cannot be judged.
    """

    name: str
    title: str
    effects: Mapping[QueryKind, Mapping[ChangeKind, Effect]]
    undecidable: frozenset[ChangeKind]
    """Features that, by being there, leave every modification of their pipeline open."""
    ignore_filter: str
    """The job parameter that makes changed filters compatible."""
    ignore_sink: str
    """The job parameter that leaves sinks out of the comparison (which is its default)."""

    def effect(self, query: QueryKind, kind: ChangeKind) -> Effect | None:
        tables = (self.effects.get(entry, {}) for entry in (query, *GENERAL))
        return next((table[kind] for table in tables if kind in table), None)
