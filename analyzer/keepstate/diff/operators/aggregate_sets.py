"""Differences of a set of aggregates that share their state: added, removed, changed and kept ones.

One rule covers the aggregates of a GROUP BY and of an OVER window (spec section 17, step d): without a survivor all
state is lost, an added aggregate starts empty, and a removed one is dropped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from keepstate.diff.changes import Change, ChangeKind, Presence, QueryKind
from keepstate.diff.edits import Locator
from keepstate.diff.message_parts import distinct_texts, names
from keepstate.diff.sequences import SequenceDiff, compare, same_use
from keepstate.plan.expressions import AggregateCall
from keepstate.plan.job import Plan
from keepstate.plan.provenance import Place
from keepstate.plan.references import ColumnOfUnion
from keepstate.value_class import value_class


@value_class(frozen=True)
class AggregateSet:
    """The aggregates of one operator. ``unread`` are those that the query names and nothing reads; ``compared`` are the
    ones that change in the ordinary way: others have rules of their own.
    """

    all: tuple[AggregateCall, ...]
    compared: tuple[AggregateCall, ...]
    unread: tuple[AggregateCall, ...]
    select_place: Place | None
    plan: Plan

    def use_of(self, call: AggregateCall) -> Place | None:
        """Return the place where the outermost query reads a column that an aggregate below produces."""
        return next((node.place for expr in self.plan.output for node in expr.walk() if node == call), None)


@dataclass(frozen=True)
class AggregateSetDiff:
    """Compares the aggregates of two versions of one operator, of a query of kind ``query``."""

    baseline: AggregateSet
    current: AggregateSet
    query: QueryKind
    locator: Locator

    def changes(self) -> Iterator[Change]:
        plain, distinct = self._compared
        yield from self._distinct_aggregates(distinct)
        yield from self._plain_aggregates(plain)
        # The planner's accumulator follows this order; a ranking above it stores its row in it.
        reordered = self._order_of_survivors(self.baseline) != self._order_of_survivors(self.current)
        if reordered and not distinct.reordered:
            yield self._change(
                ChangeKind.AGGREGATES_REORDERED,
                self._reordering(self.current, self.baseline),
                self._reordering(self.baseline, self.current),
                subject="aggregates",
                baseline_text=names(self.baseline.all),
                current_text=names(self.current.all),
            )

    def _reordering(self, side: AggregateSet, other: AggregateSet) -> Place | None:
        """From the first to the last aggregate that stands in another place among those that stayed; all of the select
        list where they do not all stand in it.
        """
        order, other_order = self._order_of_survivors(side), self._order_of_survivors(other)
        candidates = [call.item or call.place for call, was in zip(order, other_order, strict=True) if call != was]
        places = [place for place in candidates if place is not None]
        select = side.select_place
        if select is None or len(places) < len(candidates) or not all(select.contains(place) for place in places):
            return select
        return places[0].through(places[-1])

    def opaque_calls(self) -> Iterator[Change]:
        """Aggregates that may run in Python speak by being there."""
        yield from self.presence(
            ChangeKind.PYTHON_AGGREGATE,
            [call for call in self.baseline.all if call.opaque],
            [call for call in self.current.all if call.opaque],
        )

    def presence(
        self, kind: ChangeKind, baseline: Sequence[AggregateCall], current: Sequence[AggregateCall]
    ) -> Iterator[Change]:
        """Yield a change for each aggregate whose mere presence makes the verdict undecidable."""
        for call in current:
            was = next((other.place for other in baseline if other == call), None)
            presence = Presence.KEPT if call in baseline else Presence.ADDED
            yield self._change(kind, call.place, was, presence=presence, subject=str(call))
        for call in baseline:
            if call not in current:
                yield self._change(
                    kind,
                    self.current.select_place,
                    call.place,
                    removed=True,
                    presence=Presence.REMOVED,
                    subject=str(call),
                )

    @cached_property
    def survivors(self) -> frozenset[AggregateCall]:
        return self._on_both_sides - {now for _, now in self._exchanged}

    @cached_property
    def _on_both_sides(self) -> frozenset[AggregateCall]:
        return frozenset(self.baseline.all) & frozenset(self.current.all)

    @cached_property
    def _exchanged(self) -> tuple[tuple[AggregateCall, AggregateCall], ...]:
        """Pairs of aggregates over columns of a union whose inputs give them the columns of one another.

        The calls stayed, and the inputs below swapped their columns: ``SUM(x), SUM(y)`` over ``v AS x, 0 AS y`` became
        the same over ``0 AS x, v AS y``. A column of a union is no column of a table, so the calls count as computed
        over other inputs (spec WTVF-06, GA-06), and not as moved.
        """
        orders = ([call for call in side.all if call in self._on_both_sides] for side in (self.baseline, self.current))
        return tuple(
            (was, now)
            for was, now in zip(*orders, strict=True)
            if was != now and _is_written_alike(was, now) and self._is_given_otherwise(now)
        )

    def _is_given_otherwise(self, call: AggregateCall) -> bool:
        """Return whether a call reads a column of a union whose inputs were edited at that column."""
        columns = (expr for node in call.walk() if isinstance(node, ColumnOfUnion) for expr in node.exprs)
        places = (node.place for column in columns for node in column.walk() if node.place is not None)
        return any(self.locator.counterparts.edited_in_current(place) for place in places)

    def replaced_by(self, call: AggregateCall) -> AggregateCall | None:
        """The aggregate of the baseline whose place ``call`` took."""
        modified = (pair for diff in self._compared for pair in diff.modified)
        return next((was for was, now in modified if now == call), None)

    @cached_property
    def _compared(self) -> tuple[SequenceDiff[AggregateCall], SequenceDiff[AggregateCall]]:
        """The plain aggregates and the distinct ones."""
        plain, distinct = (
            _with_exchanged(
                compare(
                    [call for call in self.baseline.compared if call.distinct is with_distinct],
                    [call for call in self.current.compared if call.distinct is with_distinct],
                    _TWINS,
                ),
                [(was, now) for was, now in self._exchanged if now.distinct is with_distinct],
            )
            for with_distinct in (False, True)
        )
        plain, distinct = _across_distinct(plain, distinct)
        return plain if self.survivors else _by_position(plain), distinct

    def _order_of_survivors(self, side: AggregateSet) -> tuple[AggregateCall, ...]:
        return tuple(call for call in side.all if call in self.survivors)

    def _change(self, kind: ChangeKind, current: Place | None, baseline: Place | None, **facts: object) -> Change:
        return Change(kind, self.query, current, baseline, **facts)  # type: ignore[arg-type]

    def _plain_aggregates(self, diff: SequenceDiff[AggregateCall]) -> Iterator[Change]:
        added_kind, changed_kind, removed_kind = (
            ChangeKind.AGGREGATE_ADDED,
            ChangeKind.AGGREGATE_CHANGED,
            ChangeKind.AGGREGATE_REMOVED,
        )
        if not self.survivors:
            if not self.baseline.all:
                added_kind = ChangeKind.FIRST_AGGREGATE_ADDED
            elif not self.current.all:
                removed_kind = ChangeKind.ALL_AGGREGATES_REMOVED
            else:
                added_kind = changed_kind = ChangeKind.ALL_AGGREGATES_REPLACED
                only = len(self.current.all) == 1 and diff.modified
                if only and diff.modified[0][0].function == diff.modified[0][1].function:
                    changed_kind = ChangeKind.ONLY_AGGREGATE_CHANGED
        for was, now in diff.modified:
            yield self._modified(changed_kind, was, now)
        for call in diff.added:
            yield self._added(added_kind, call)
        # Where nothing survives, an aggregate that went without a successor is no news of its own.
        for call in diff.removed if self.survivors or not (diff.added or diff.modified) else ():
            yield self._removed(removed_kind, call)

    def _distinct_aggregates(self, diff: SequenceDiff[AggregateCall]) -> Iterator[Change]:
        for was, now in diff.modified:
            yield self._modified(ChangeKind.DISTINCT_AGGREGATE_CHANGED, was, now)
        for call in diff.added:
            yield self._added(ChangeKind.DISTINCT_AGGREGATE_ADDED, call)
        for call in diff.removed:
            yield self._removed(ChangeKind.DISTINCT_AGGREGATE_REMOVED, call)
        if diff.reordered:
            first, last = diff.unchanged[0], diff.unchanged[-1]
            yield self._change(
                ChangeKind.DISTINCT_AGGREGATES_REORDERED,
                _through(first.item or first.place, last.item or last.place),
                self.baseline.select_place,
                subject="distinct aggregates",
                baseline_text=names(tuple(call for call in self.baseline.all if call in set(diff.unchanged))),
                current_text=names(diff.unchanged),
            )

    def _modified(self, kind: ChangeKind, was: AggregateCall, now: AggregateCall) -> Change:
        baseline, current = self.locator.modification(was, now, was.place, now.place)
        if now in self.baseline.unread or was in self.current.unread:
            # Both calls stand where they stood: it is the query around them that reads another one.
            baseline = self.baseline.use_of(was) or baseline
            current = self.current.use_of(now) or current
        before, after = distinct_texts(was, now)
        return self._change(
            kind,
            current,
            baseline,
            subject=str(now),
            baseline_text=before,
            current_text=after,
            retyped=was != now and str(was) == str(now),
        )

    def _added(self, kind: ChangeKind, call: AggregateCall) -> Change:
        place = call.place
        if call in self.baseline.unread:
            # The call stood there before; it is the query around it that begins to read it.
            place = self.current.use_of(call) or place
        return self._change(kind, place, None, subject=str(call), current_text=str(call))

    def _removed(self, kind: ChangeKind, call: AggregateCall) -> Change:
        remains = self.current.select_place or self.locator.remains(self.baseline.select_place, None)
        place = call.place
        if call in self.current.unread:
            place = self.baseline.use_of(call) or place
            remains = self.current.plan.output_place or remains
        return self._change(kind, remains, place, removed=True, subject=str(call), baseline_text=str(call))


def _is_written_alike(baseline: AggregateCall, current: AggregateCall) -> bool:
    if baseline.place is None or current.place is None:
        return False
    return baseline.place.words == current.place.words


def _with_exchanged(
    diff: SequenceDiff[AggregateCall], exchanged: Sequence[tuple[AggregateCall, AggregateCall]]
) -> SequenceDiff[AggregateCall]:
    """The difference, with aggregates that exchanged their inputs modified rather than kept."""
    if not exchanged:
        return diff
    exchanged_calls = {now for _, now in exchanged}
    unchanged = tuple(call for call in diff.unchanged if call not in exchanged_calls)
    return replace(diff, unchanged=unchanged, modified=(*diff.modified, *exchanged), reordered=False)


def _same_alias(baseline: AggregateCall, current: AggregateCall) -> bool:
    return baseline.alias is not None and baseline.alias == current.alias


def _same_function(baseline: AggregateCall, current: AggregateCall) -> bool:
    return baseline.function == current.function


_TWINS = (_same_alias, same_use, _same_function)


def _across_distinct(
    plain: SequenceDiff[AggregateCall], distinct: SequenceDiff[AggregateCall]
) -> tuple[SequenceDiff[AggregateCall], SequenceDiff[AggregateCall]]:
    """DISTINCT put into a call or taken out of it is one change, of a distinct aggregate."""
    plain_added, plain_removed = list(plain.added), list(plain.removed)
    distinct_added, distinct_removed = list(distinct.added), list(distinct.removed)
    modified = list(distinct.modified)
    for removed_calls, added_calls in ((plain_removed, distinct_added), (distinct_removed, plain_added)):
        for now in list(added_calls):
            was = next(
                (call for call in removed_calls if _same_alias(call, now) or _same_but_distinct(call, now)), None
            )
            if was is not None:
                modified.append((was, now))
                removed_calls.remove(was)
                added_calls.remove(now)
    return (
        replace(plain, added=tuple(plain_added), removed=tuple(plain_removed)),
        replace(distinct, added=tuple(distinct_added), removed=tuple(distinct_removed), modified=tuple(modified)),
    )


def _same_but_distinct(baseline: AggregateCall, current: AggregateCall) -> bool:
    return baseline.function == current.function and baseline.args == current.args


def _by_position(diff: SequenceDiff[AggregateCall]) -> SequenceDiff[AggregateCall]:
    """Pair the remaining aggregates in order: where every aggregate was replaced, each new one took the place of a
    former one.
    """
    count = min(len(diff.added), len(diff.removed))
    pairs = tuple(zip(diff.removed[:count], diff.added[:count], strict=True))
    return replace(diff, added=diff.added[count:], removed=diff.removed[count:], modified=(*diff.modified, *pairs))


def _through(first: Place | None, last: Place | None) -> Place | None:
    return first.through(last) if first is not None and last is not None else first
