"""State of every operator of a query in its engine: the content, its end, and the parts that can be migrated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from keepstate.diff.changes import QueryKind
from keepstate.diff.query_kinds import operator_kind
from keepstate.engines import EngineProfile
from keepstate.engines.migration import Migration, kept_of, migration_of, needs_a_survivor
from keepstate.plan.expressions import AggregateCall, Expr, OverCall
from keepstate.plan.job import Plan
from keepstate.plan.operators import Aggregate, Operator
from keepstate.state.stored_operators import PartKind, StatePart, StoredField, StoredOperator
from keepstate.state.stored_queries import StoredQuery

_PARTS = {
    PartKind.KEY: "key",
    PartKind.WINDOW: "window",
    PartKind.ACCUMULATOR: "accumulators",
    PartKind.DISTINCT_ACCUMULATOR: "distinct accumulators",
    PartKind.FOREIGN_ACCUMULATOR: "accumulators of foreign functions",
    PartKind.COLUMN: "stored rows",
    PartKind.MATCH: "partial matches",
    PartKind.MARKER: "markers",
}


@dataclass(frozen=True)
class OperatorState:
    """Stored state of one operator. ``operator`` is ``None`` for an operator that only the engine plans."""

    stored_operator: StoredOperator
    operator: Operator | None
    profile: EngineProfile
    stored_by: Operator | None = None
    """An operator further up that stores results of this one, and cannot migrate them."""

    def migration(self, part: StatePart, field: StoredField) -> Migration | None:
        """Return whether the engine migrates a field of a part of the state; ``None`` where nothing can change."""
        own = self._own(kept_of(part, field))
        if own is Migration.YES and self.stored_by is not None:
            return Migration.NO
        return own

    def _own(self, part_kind: PartKind) -> Migration | None:
        if self.profile.migrates and isinstance(self.operator, Aggregate) and self.operator.grouping:
            # GROUPING SETS, CUBE and ROLLUP leave everything open (spec WTVF-28).
            return None if part_kind is PartKind.MARKER else Migration.UNKNOWN
        return migration_of(self.profile, self._query, part_kind)

    @cached_property
    def migration_words(self) -> str:
        """Return the parts that the engine can migrate, in a few words."""
        by_answer: dict[Migration, list[str]] = {answer: [] for answer in Migration}
        for part, field in _fields(self.stored_operator):
            answer, words = self.migration(part, field), _PARTS[kept_of(part, field)]
            if answer is not None and words not in by_answer[answer]:
                by_answer[answer].append(words)
        can, cannot, open_ = (by_answer[answer] for answer in (Migration.YES, Migration.NO, Migration.UNKNOWN))
        engine = self.profile.name
        sentences = []
        if can:
            sentences.append(f"{engine} can migrate the {_list_words(can)}{self._condition}")
            if cannot:
                sentences.append(f"not the {_list_words(cannot)}")
        elif cannot:
            sentences.append(f"{engine} cannot migrate the {_list_words(cannot)}{self._reason}")
        if open_:
            sentences.append(f"it is unknown if {engine} can migrate the {_list_words(open_)}")
        return "; ".join(sentences)

    def words_about(self, part: StatePart, field: StoredField) -> str:
        """Return the treatment of one field by the engine, in words; empty where nothing can change."""
        engine = self.profile.name
        match self.migration(part, field):
            case Migration.YES:
                return f"{engine} can migrate it{self._condition}"
            case Migration.NO:
                return f"{engine} cannot migrate it{self._reason}"
            case Migration.UNKNOWN:
                return f"it is unknown if {engine} can migrate it"
        return ""

    @property
    def _condition(self) -> str:
        survivor = needs_a_survivor(self.profile, self._query)
        return ", as long as an aggregate stays as it is" if survivor else ""

    @property
    def _query(self) -> QueryKind:
        return operator_kind(self.operator) if self.operator is not None else QueryKind.JOB

    @property
    def _reason(self) -> str:
        return f" ({self.stored_by.title} above stores the results)" if self.stored_by is not None else ""


def states_of(plan: Plan, stored_query: StoredQuery, profile: EngineProfile) -> dict[int, OperatorState]:
    """The states of the operators of ``plan``, by their numbers.

    >>> from keepstate.engines import PROFILES
    >>> from keepstate.plan.job import Job
    >>> from keepstate.syntax.script import parse_script
    >>> job = Job.of(parse_script("SELECT a, COUNT(*) FROM t GROUP BY a"), {})
    >>> plan, profile = job.pipelines[0].plan, PROFILES["vvr"]
    >>> len(states_of(plan, profile.stored_queries(job)[0], profile))
    1
    """
    states: dict[int, OperatorState] = {}
    for operator, above in _with_those_above(plan.root):
        own = stored_query.operators.get(operator.number)
        if own is not None:
            keeping = (
                (one, stored_query.operators[one.number]) for one in above if one.number in stored_query.operators
            )
            storing = (one for one, stored_operator in keeping if _stores(one, stored_operator, own, profile))
            states[operator.number] = OperatorState(own, operator, profile, next(storing, None))
    return states


def _with_those_above(root: Operator) -> Iterator[tuple[Operator, tuple[Operator, ...]]]:
    """Each operator with those above it, the nearest first."""
    pending: list[tuple[Operator, tuple[Operator, ...]]] = [(root, ())]
    while pending:
        operator, above = pending.pop()
        yield operator, above
        pending += ((child, (operator, *above)) for child in reversed(operator.inputs))


def _stores(operator: Operator, higher: StoredOperator, own: StoredOperator, profile: EngineProfile) -> bool:
    """Return whether ``operator`` stores results of the aggregates of ``own`` in a part that cannot be migrated."""
    if not profile.migrates:
        return False
    results = {one.meaning for _, one in own.fields if isinstance(one.meaning, (AggregateCall, OverCall))}
    # Most layouts have none.
    return bool(results) and any(
        any(node in results for node in _nodes(one))
        and migration_of(profile, operator_kind(operator), kept_of(part, one)) is Migration.NO
        for part, one in _fields(higher)
    )


def _fields(stored_operator: StoredOperator) -> Iterator[tuple[StatePart, StoredField]]:
    """Yield the fields of the key and of all states, each with its part."""
    yield from ((StatePart.KEY, one) for one in stored_operator.key)
    if stored_operator.namespace:
        yield StatePart.WINDOW, StoredField(stored_operator.namespace)
    yield from stored_operator.fields


def _nodes(field: StoredField) -> Iterable[Expr]:
    return field.meaning.walk() if isinstance(field.meaning, Expr) else ()


def _list_words(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
