"""Differences of rankings: partition, order, range, and the row that they store."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from keepstate.diff.changes import Change, ChangeKind, QueryKind
from keepstate.diff.edits import Locator
from keepstate.diff.sequences import compare
from keepstate.diff.words import names, rank_words
from keepstate.plan.expressions import AggregateCall, Expr, Ordering, WindowField
from keepstate.plan.job import Plan
from keepstate.plan.operators import Aggregate, Calc, Deduplicate, Rank, WindowDeduplicate, WindowRank
from keepstate.plan.provenance import Place


def rank_kind(operator: Rank) -> QueryKind:
    match operator:
        case WindowDeduplicate():
            return QueryKind.WINDOW_DEDUPLICATION
        case WindowRank():
            return QueryKind.WINDOW_TOP_N
        case Deduplicate():
            return QueryKind.DEDUPLICATION
    return QueryKind.TOP_N


@dataclass(frozen=True)
class RankDiff:
    """Compares one ranking of the baseline with its counterpart."""

    baseline: Rank
    current: Rank
    baseline_plan: Plan
    current_plan: Plan
    locator: Locator

    @property
    def query(self) -> QueryKind:
        return rank_kind(self.baseline)

    def changes(self) -> Iterator[Change]:
        if self.baseline.function != self.current.function:
            yield self._change(
                ChangeKind.RANK_FUNCTION_CHANGED,
                self.current.place,
                self.baseline.place,
                subject="ranking function",
                baseline_text=self.baseline.function,
                current_text=self.current.function,
            )
        yield from self._partition()
        yield from self._order()
        if self.baseline.range != self.current.range:
            yield self._change(
                ChangeKind.RANK_RANGE_CHANGED,
                self.current.range_place or self.current.place,
                self.baseline.range_place,
                subject="kept ranks",
                baseline_text=rank_words(self.baseline.range),
                current_text=rank_words(self.current.range),
            )
        yield from self._row()

    def _change(self, kind: ChangeKind, current: Place | None, baseline: Place | None, **facts: object) -> Change:
        return Change(kind, self.query, current, baseline, **facts)  # type: ignore[arg-type]

    def _partition(self) -> Iterator[Change]:
        diff = compare(self.baseline.partition, self.current.partition, (_same_use, _nested, _either))
        for was, now in diff.modified:
            places = self.locator.modification(was, now, was.place, now.place)
            yield self._change(
                ChangeKind.PARTITION_KEY_CHANGED,
                places[1],
                places[0],
                subject=f"partition key {was}",
                baseline_text=str(was),
                current_text=str(now),
            )
        for key in diff.added:
            yield self._change(ChangeKind.PARTITION_KEY_ADDED, key.place, None, subject=f"partition key {key}")
        for key in diff.removed:
            yield self._change(
                ChangeKind.PARTITION_KEY_REMOVED,
                self.current.partition_place or self.current.place,
                key.place,
                removed=True,
                subject=f"partition key {key}",
            )

    def _order(self) -> Iterator[Change]:
        if self.baseline.order == self.current.order:
            return
        diff = compare(self.baseline.order, self.current.order, (_same_column, _either))
        for was, now in diff.modified:
            yield self._order_change(was, now)
        for element in diff.added:
            yield self._order_change(None, element)
        for element in diff.removed:
            yield self._order_change(element, None)
        if diff.reordered:
            yield self._change(
                ChangeKind.RANK_ORDER_CHANGED,
                _span_of_keys(self.current.order),
                _span_of_keys(self.baseline.order),
                subject=f"ranking order ({names(self.baseline.order)}) -> ({names(self.current.order)})",
                baseline_text=names(self.baseline.order),
                current_text=names(self.current.order),
            )

    def _order_change(self, was: Ordering | None, now: Ordering | None) -> Change:
        current = now.place if now is not None else _span_of_keys(self.current.order)
        baseline = was.place if was is not None else None
        if was is not None and now is not None:
            baseline, current = self.locator.modification(was.expr, now.expr, was.place, now.place)
        return self._change(
            ChangeKind.RANK_ORDER_CHANGED,
            current,
            baseline,
            removed=now is None,
            subject=f"ranking order {_became(_shown(was), _shown(now))}",
            baseline_text=str(was) if was is not None else "",
            current_text=str(now) if now is not None else "",
        )

    def _row(self) -> Iterator[Change]:
        """Columns of the stored row that come or go by themselves; changed aggregates speak where they are computed."""
        was_keys, now_keys = _keys_below(self.baseline), _keys_below(self.current)
        ours = [expr for expr in self.baseline.row if not isinstance(expr, (AggregateCall, WindowField))]
        theirs = [expr for expr in self.current.row if not isinstance(expr, (AggregateCall, WindowField))]
        if was_keys != now_keys:
            # Keys that came, went or moved below are told there.
            ours = [expr for expr in ours if expr not in was_keys]
            theirs = [expr for expr in theirs if expr not in now_keys]
        diff = compare(ours, theirs, (_same_use, _nested))
        partition = {*self.baseline.partition, *self.current.partition}
        for was, now in diff.modified:
            if was in partition or now in partition:
                continue
            places = self.locator.modification(was, now, _use(was, self.baseline_plan), _use(now, self.current_plan))
            yield self._row_change(places[1], places[0], str(was), str(now))
        for expr in diff.added:
            if expr not in partition:
                yield self._row_change(_use(expr, self.current_plan), None, "", str(expr))
        for expr in diff.removed:
            if expr not in partition:
                remains = self.current_plan.output_place or self.current.select_place
                yield self._row_change(remains, _use(expr, self.baseline_plan), str(expr), "")
        if diff.reordered:
            yield self._change(
                ChangeKind.RANK_INPUT_CHANGED,
                self.current.select_place,
                self.baseline.select_place,
                subject="order of the columns in the ranked rows",
                baseline_text=names(self.baseline.row),
                current_text=names(self.current.row),
            )

    def _row_change(self, current: Place | None, baseline: Place | None, was: str, now: str) -> Change:
        return self._change(
            ChangeKind.RANK_INPUT_CHANGED,
            current,
            baseline,
            removed=not now,
            subject=f"column {_became(was, now)} in the ranked rows",
            baseline_text=was,
            current_text=now,
        )


def _shown(element: Ordering | None) -> str:
    return str(element) if element is not None else ""


def _became(was: str, now: str) -> str:
    """``a -> b``, ``a added`` or ``a removed``."""
    if was and now:
        return f"{was} -> {now}"
    return f"{now} added" if now else f"{was} removed"


def _keys_below(rank: Rank) -> tuple[Expr, ...]:
    below = rank.input.input if isinstance(rank.input, Calc) else rank.input
    return below.keys if isinstance(below, Aggregate) else ()


def _use(expr: Expr, plan: Plan) -> Place | None:
    return next((node.place for output in plan.output for node in output.walk() if node == expr), expr.place)


def _same_use(baseline: Expr, current: Expr) -> bool:
    return baseline.place is not None and current.place is not None and baseline.place.text == current.place.text


def _nested(baseline: Expr, current: Expr) -> bool:
    return any(node == baseline for node in current.walk()) or any(node == current for node in baseline.walk())


def _either(baseline: Expr, current: Expr) -> bool:
    """One key went and another one came: it took its place."""
    return not isinstance(baseline, WindowField) and not isinstance(current, WindowField)


def _same_column(baseline: Ordering, current: Ordering) -> bool:
    return baseline.expr == current.expr


def _span_of_keys(keys: tuple[Expr, ...]) -> Place | None:
    places = [key.place for key in keys if key.place is not None]
    places = [place for place in places if place.statement is places[0].statement]
    if not places:
        return None
    whole = places[0]
    for place in places[1:]:
        whole = whole.through(place)
    return whole
