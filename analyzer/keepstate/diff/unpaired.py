"""Operators and inputs that only one version of a pipeline has (spec OL-04, UA-02, UA-03)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from keepstate.diff.changes import Change, ChangeKind, Presence
from keepstate.diff.edits import Locator
from keepstate.diff.operator_pairing import OperatorPair, skeleton
from keepstate.diff.operators.joins import other_time
from keepstate.diff.operators.overs import removed_over
from keepstate.diff.operators.ranks import range_on_one_side
from keepstate.diff.operators.unions import unmatched_inputs
from keepstate.diff.query_kinds import operator_kind
from keepstate.plan.job import Plan
from keepstate.plan.metadata.join_sides import tables_of
from keepstate.plan.operators import (
    Aggregate,
    Join,
    LookupJoin,
    Operator,
    OverAggregate,
    Rank,
    TemporalJoin,
    Union,
)
from keepstate.plan.provenance import Place
from keepstate.state.clauses import clause_words


@dataclass(frozen=True)
class UnpairedDiff:
    """Changes that follow from operators without a counterpart. ``whole`` is the query in the current text."""

    matches: tuple[OperatorPair, ...]
    baseline: Plan
    current: Plan
    locator: Locator
    whole: Place

    def changes(self, match: OperatorPair) -> Iterator[Change]:
        """The changes of a match with one side only."""
        added = match.baseline is None
        operator = match.current if added else match.baseline
        assert operator is not None
        if not operator.stateful and self._is_at_top(operator, added):
            # Nothing stateful reads this input (spec UA-03).
            return
        if not self._is_reported(operator, added):
            yield from self._of(operator, added)
        if isinstance(operator, (Aggregate, OverAggregate)):
            yield from self._opaque_calls(operator, added)

    def _of(self, operator: Operator, added: bool) -> Iterator[Change]:
        ranged = range_on_one_side(operator, not added, self.locator) if isinstance(operator, Rank) else None
        if ranged is not None:
            yield ranged
            return
        if isinstance(operator, OverAggregate) and not added:
            yield from removed_over(operator, self.current.output_place or self.whole)
            return
        if isinstance(operator, TemporalJoin):
            lookup = self._lookup(operator, self.current if not added else self.baseline)
            if lookup is not None:
                pair = (lookup, operator) if added else (operator, lookup)
                yield other_time(*pair)
                return
        plan = self.current if added else self.baseline
        place = operator.place if operator.stateful else self._input_place(operator, plan)
        subject = (
            clause_words(operator.title, operator.asked_by)
            if operator.stateful
            else f"input {getattr(operator, 'table', '')}".strip()
        )
        yield Change(
            _kind(operator, added),
            operator_kind(operator),
            place if added else self.locator.stood_at(place, self.whole),
            None if added else place,
            removed=not added,
            subject=subject,
        )

    def _input_place(self, scan: Operator, plan: Plan) -> Place | None:
        """The input of a UNION ALL that reads a source, or the source where there is no union.

        Of several inputs over one table it is the one without a counterpart.
        """
        unions = [operator for operator in plan.operators if isinstance(operator, Union)]
        own = {place for union in unions for place in union.places}
        unpaired = [both for both in unmatched_inputs(self.baseline, self.current) if both[1] in own]
        every = [both for union in unions for both in zip(union.branches, union.places, strict=False)]
        places = (place for branch, place in (*unpaired, *every) if scan in branch.walk())
        return next(places, scan.place)

    def _is_at_top(self, operator: Operator, added: bool) -> bool:
        plan = self.current if added else self.baseline
        return any(node.operator == operator for node in skeleton(plan.root))

    def _is_reported(self, operator: Operator, added: bool) -> bool:
        """Return whether an operator is part of another change: of a join, say, that was added or removed."""
        if operator.number in self._inside_joins[added]:
            return True
        return isinstance(operator, OverAggregate) and self._was_or_becomes_rank(operator)

    @cached_property
    def _inside_joins(self) -> tuple[frozenset[int], frozenset[int]]:
        """The numbers of the operators below joins that went, and below those that came: they did so with these."""
        went = (match.baseline for match in self.matches if match.current is None)
        came = (match.current for match in self.matches if match.baseline is None)
        return _below_joins(went), _below_joins(came)

    def _lookup(self, join: TemporalJoin, other: Plan) -> LookupJoin | None:
        """The lookup join that a temporal join became, or has been: of the same table."""
        tables = tables_of(join.right)
        lookups = (operator for operator in other.operators if isinstance(operator, LookupJoin))
        return next((lookup for lookup in lookups if tables & tables_of(lookup.right)), None)

    def _was_or_becomes_rank(self, operator: OverAggregate) -> bool:
        """Return whether this call numbers rows that, on the other side, are ranked for a condition on their number."""
        unpaired = (
            (match.baseline or match.current, match.current is None)
            for match in self.matches
            if match.baseline is None or match.current is None
        )
        return any(
            isinstance(rank, Rank)
            and (rank.partition, rank.order) == (operator.partition, operator.order)
            and range_on_one_side(rank, removed, self.locator) is not None
            for rank, removed in unpaired
        )

    def _opaque_calls(self, operator: Aggregate | OverAggregate, added: bool) -> Iterator[Change]:
        """Aggregates that may run in Python leave a pipeline open wherever they stand (spec C-01)."""
        for call in operator.aggregates:
            if call.opaque:
                yield Change(
                    ChangeKind.PYTHON_AGGREGATE,
                    operator_kind(operator),
                    call.place if added else self.locator.stood_at(call.place, self.whole),
                    None if added else call.place,
                    removed=not added,
                    presence=Presence.ADDED if added else Presence.REMOVED,
                    subject=str(call),
                )


def _below_joins(operators: Iterable[Operator | None]) -> frozenset[int]:
    joins = (operator for operator in operators if isinstance(operator, Join))
    return frozenset(node.number for join in joins for child in join.inputs for node in child.walk())


def _kind(operator: Operator, added: bool) -> ChangeKind:
    if operator.stateful:
        return ChangeKind.STATE_ADDED if added else ChangeKind.STATE_REMOVED
    return ChangeKind.INPUT_ADDED if added else ChangeKind.INPUT_REMOVED
