"""Differences of OVER aggregates: partition, order, frame, aggregates, and the row that passes through."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from keepstate.diff.changes import Change, ChangeKind, QueryKind, became
from keepstate.diff.edits import Locator
from keepstate.diff.message_parts import distinct_texts, names, new_order, query_text
from keepstate.diff.operators.aggregate_sets import AggregateSet, AggregateSetDiff
from keepstate.diff.operators.partition_keys import PartitionClauses, partition_changes
from keepstate.diff.sequences import SequenceDiff, at_same_index, compare, one_in_the_other, same_use
from keepstate.plan.expressions import AggregateCall, Column, Expr, OverCall
from keepstate.plan.job import Plan
from keepstate.plan.operators import Aggregate, OverAggregate, expressions_of
from keepstate.plan.provenance import Place
from keepstate.plan.types.inference import same_row_types


@dataclass(frozen=True)
class OverDiff:
    """Compares one OVER aggregate of the baseline with its counterpart."""

    baseline: OverAggregate
    current: OverAggregate
    baseline_plan: Plan
    current_plan: Plan
    locator: Locator

    def changes(self) -> Iterator[Change]:
        kept_calls = tuple(str(call) for call in self.current.aggregates if call in self.baseline.aggregates)
        for change in self._all():
            yield replace(change, kept_aggregates=kept_calls)

    def features(self) -> Iterator[Change]:
        yield from self._aggregates.opaque_calls()

    def _all(self) -> Iterator[Change]:
        yield from self.features()
        yield from self._partition()
        yield from self._order()
        yield from self._frame()
        yield from self._aggregates.changes()
        yield from self._row()

    def _change(self, kind: ChangeKind, current: Place | None, baseline: Place | None, **facts: object) -> Change:
        return Change(kind, QueryKind.OVER_AGGREGATE, current, baseline, **facts)  # type: ignore[arg-type]

    # The window

    def _partition(self) -> Iterator[Change]:
        for was, now in self._windows(_partition_place):
            clauses = PartitionClauses(_partition_place(was), _partition_place(now), _partition_place(now))
            keys = self.baseline.partition, self.current.partition
            yield from partition_changes(QueryKind.OVER_AGGREGATE, *keys, clauses, self.locator)

    def _order(self) -> Iterator[Change]:
        if self.baseline.order == self.current.order:
            return
        baseline_order, current_order = (tuple(_sorted_by(operator)) for operator in (self.baseline, self.current))
        diff = compare(baseline_order, current_order, (at_same_index(baseline_order, current_order),))
        for was, now in self._windows(_order_place):
            places = (_order_place(was), _order_place(now))
            for before, after in diff.modified[:1]:
                places = self.locator.modification(before, after, *places)
            yield self._change(
                ChangeKind.OVER_ORDER_CHANGED,
                places[1],
                places[0],
                removed=now.order_place is None,
                subject="order of the OVER window",
                baseline_text=query_text(was.order) or "none",
                current_text=query_text(now.order) or "none",
            )

    def _frame(self) -> Iterator[Change]:
        if self.baseline.frame == self.current.frame:
            return
        for was, now in self._windows(lambda call: call.frame.place or _order_place(call)):
            if now.frame.place is None and was.frame.place is None:
                # The default frame depends on the function.
                yield self._frame_change(was.place, now.place)
            elif now.frame.place is None:
                # A frame stands behind ORDER BY.
                yield replace(self._frame_change(was.frame.place, _order_place(now)), removed=True)
            else:
                yield self._frame_change(was.frame.place, now.frame.place)

    def _frame_change(self, baseline: Place | None, current: Place | None) -> Change:
        return self._change(
            ChangeKind.OVER_FRAME_CHANGED,
            current,
            baseline,
            subject="frame",
            baseline_text=str(self.baseline.frame),
            current_text=str(self.current.frame),
        )

    def _windows(self, clause: Callable[[OverCall], Place | None]) -> list[tuple[OverCall, OverCall]]:
        """The calls whose windows have ``clause`` in a place of its own, with their counterparts: calls over one named
        window share its clauses, calls with a window each bear them themselves.
        """
        baseline_calls = _apart(self.baseline.calls, clause)
        current_calls = _apart(self.current.calls, clause)
        if len(baseline_calls) != len(current_calls):
            baseline_calls = [baseline_calls[0]] * len(current_calls)
        return list(zip(baseline_calls, current_calls, strict=True))

    # The aggregates

    @cached_property
    def _aggregates(self) -> AggregateSetDiff:
        return AggregateSetDiff(
            _aggregate_set(self.baseline, self.baseline_plan),
            _aggregate_set(self.current, self.current_plan),
            QueryKind.OVER_AGGREGATE,
            self.locator,
        )

    # The row that passes through

    def _row(self) -> Iterator[Change]:
        """The stored rows fit as long as their columns keep number, order and types (spec OA-07, C-25)."""
        # A column that was added or removed as a partition or sort key is reported as a key.
        keyed = (self._keys(self.baseline) ^ self._keys(self.current)) & ({*self.baseline.row} ^ {*self.current.row})
        baseline_row = [expr for expr in self.baseline.row if expr not in keyed]
        current_row = [expr for expr in self.current.row if expr not in keyed]
        diff = compare(baseline_row, current_row, (same_use, self._took_its_place, one_in_the_other))
        for expr in diff.added:
            for reader in self._readers(expr):
                yield self._row_change(reader, None, expr, ChangeKind.OVER_INPUT_CHANGED)
        for expr in diff.removed:
            yield from self._removed_column(expr)
        for was, now in diff.modified:
            same_type = _same_type(was, now, baseline_row, current_row, diff)
            yield from self._changed_column(was, now, same_type)
        if diff.reordered:
            yield self._change(
                ChangeKind.OVER_INPUT_CHANGED,
                self._reordering(diff.unchanged),
                self.baseline.select_place,
                subject=new_order(tuple(baseline_row), tuple(current_row)),
                baseline_text=names(tuple(baseline_row)),
                current_text=names(tuple(current_row)),
            )

    def _keys(self, operator: OverAggregate) -> frozenset[Expr]:
        return frozenset((*operator.partition, *_sorted_by(operator)))

    def _took_its_place(self, was: Expr, now: Expr) -> bool:
        """Return whether ``now`` replaced ``was`` as an output column or as an argument of an aggregate."""
        for index, expr in enumerate(self.current_plan.output):
            if expr == now and self.baseline_plan.output[index : index + 1] == (was,):
                return True
        pairs = ((self._aggregates.replaced_by(call), call) for call in self.current.aggregates)
        return any(
            replaced is not None and (was, now) in zip(replaced.children(), call.children(), strict=False)
            for replaced, call in pairs
        )

    def _readers(self, expr: Expr) -> Iterator[Expr]:
        """Yield the reasons why ``expr`` is a column of the current row: new aggregates over the column, and the clause
        that passes it on.
        """
        for call in self.current.aggregates:
            if expr in call.children() and call not in self.baseline.aggregates:
                yield call
        yield from _passed(expr, self.current, self.current_plan)[:1]

    def _removed_column(self, expr: Expr) -> Iterator[Change]:
        remains = self.current.select_place
        for call in self.baseline.aggregates:
            if expr in call.children() and call not in self.current.aggregates:
                yield self._row_change(None, call.place, expr, ChangeKind.OVER_INPUT_CHANGED, remains)
        for use in _passed(expr, self.baseline, self.baseline_plan)[:1]:
            rest = self.current_plan.output_place or remains
            yield self._row_change(None, self.locator.removal(use), expr, ChangeKind.OVER_INPUT_CHANGED, rest)

    def _changed_column(self, was: Expr, now: Expr, same_type: bool | None) -> Iterator[Change]:
        if same_type is None:
            kind = ChangeKind.OVER_INPUT_TYPE_UNKNOWN
        else:
            kind = ChangeKind.OVER_COLUMN_CHANGED if same_type else ChangeKind.OVER_INPUT_CHANGED
        words = distinct_texts(was, now)
        facts = {"subject": f"column {words[0]} -> {words[1]}", "baseline_text": words[0], "current_text": words[1]}
        for call in self.current.aggregates:
            replaced = self._aggregates.replaced_by(call)
            if replaced is None or now not in call.children() or kind is ChangeKind.OVER_COLUMN_CHANGED:
                # The aggregates say by themselves that they start empty.
                continue
            places = self.locator.modification(replaced, call, replaced.place, call.place)
            yield self._change(kind, places[1], places[0], **facts)
        baseline_exprs = _passed(was, self.baseline, self.baseline_plan)
        current_exprs = _passed(now, self.current, self.current_plan)
        for before, after in zip(baseline_exprs[:1], current_exprs[:1], strict=False):
            places = self.locator.modification(before, after, before.place, after.place)
            yield self._change(kind, places[1], places[0], **facts)

    def _row_change(
        self, current: Expr | None, baseline: Place | None, expr: Expr, kind: ChangeKind, rest: Place | None = None
    ) -> Change:
        added = current is not None
        if isinstance(current, AggregateCall):
            place = current.place
        else:
            place = self.locator.addition(current) if current is not None else rest
        return self._change(
            kind,
            place,
            baseline,
            removed=not added,
            subject=f"column {became('' if added else str(expr), str(expr) if added else '')}",
            baseline_text="" if added else str(expr),
            current_text=str(expr) if added else "",
        )

    def _reordering(self, columns: tuple[Expr, ...]) -> Place | None:
        """The clause that gave the columns another order: of a declaration, or of a query further down."""
        places = [place for column in columns for place in column.via]
        for operator in self.current.input.walk():
            if isinstance(operator, Aggregate):
                places += [place for place in (operator.keys_place, operator.select_place) if place is not None]
        edited = (place for place in places if self.locator.counterparts.edited_in_current(place))
        return next(edited, self.current.select_place)


def removed_over(operator: OverAggregate, remains: Place) -> Iterator[Change]:
    """An OVER window goes with the last of its aggregates (spec OA-12)."""
    for call in operator.aggregates:
        yield Change(
            ChangeKind.ALL_AGGREGATES_REMOVED,
            QueryKind.OVER_AGGREGATE,
            remains,
            call.place,
            removed=True,
            subject=str(call),
            baseline_text=str(call),
        )


def _aggregate_set(operator: OverAggregate, plan: Plan) -> AggregateSet:
    compared = tuple(call for call in operator.aggregates if not call.opaque)
    return AggregateSet(operator.aggregates, compared, operator.unread, operator.select_place, plan)


def _apart(calls: tuple[OverCall, ...], clause: Callable[[OverCall], Place | None]) -> list[OverCall]:
    by_place = {clause(call): call for call in reversed(calls)}
    return list(reversed(by_place.values()))


def _partition_place(call: OverCall) -> Place | None:
    """``PARTITION BY`` with its keys; ORDER BY, in front of which it would stand, where there is none."""
    return call.partition_place or _order_place(call)


def _order_place(call: OverCall) -> Place | None:
    return call.order_place or call.place


def _sorted_by(operator: OverAggregate) -> Iterator[Expr]:
    for element in operator.order:
        yield from element.children()


def _passed(expr: Expr, operator: OverAggregate, plan: Plan) -> list[Expr]:
    """The uses of a column above the OVER window, besides those in its own results."""
    above = [other for other in plan.operators if other is not operator and operator in other.walk()]
    reading = [*plan.output, *(node for other in above for node in expressions_of(other))]
    return [node for root in reading for node in _outside(root, operator.depth) if node == expr]


def _outside(expr: Expr, depth: int) -> Iterator[Expr]:
    yield expr
    if not (isinstance(expr, AggregateCall) and expr.over >= depth):
        for child in expr.children():
            yield from _outside(child, depth)


def _same_type(
    was: Expr, now: Expr, baseline_row: list[Expr], current_row: list[Expr], diff: SequenceDiff[Expr]
) -> bool | None:
    """Return whether a column has the type and the position of the column that it replaced; ``None`` if a type is
    undeclared.
    """
    if _is_undeclared(was) or _is_undeclared(now):
        return None
    before = [expr for expr in baseline_row if expr not in diff.removed]
    after = [expr for expr in current_row if expr not in diff.added]
    if before.index(was) != after.index(now):
        return False
    return same_row_types((was,), (now,))


def _is_undeclared(expr: Expr) -> bool:
    return isinstance(expr, Column) and expr.type is None
