"""Differences of rankings: function, partition, order and range. Their stored rows: ``operators.ranked_rows``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from keepstate.diff.changes import Change, ChangeKind, QueryKind, became
from keepstate.diff.edits import Locator
from keepstate.diff.message_parts import distinct_texts, names, rank_words
from keepstate.diff.operators.partition_keys import PartitionClauses, partition_changes
from keepstate.diff.sequences import compare, either, same_use
from keepstate.plan.expressions import Ordering
from keepstate.plan.operators import Deduplicate, Rank, RankStrategy, WindowDeduplicate, WindowRank
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
    locator: Locator

    @property
    def query(self) -> QueryKind:
        return rank_kind(self.baseline)

    def changes(self) -> Iterator[Change]:
        changes = [*self._function(), *self._partition(), *self._order(), *self._range()]
        yield from changes
        windowed = {isinstance(rank, WindowRank) for rank in (self.baseline, self.current)}
        # The two window syntaxes make two operators of one ranking: the change is reported at the windows.
        if not changes and type(self.baseline) is not type(self.current) and len(windowed) == 1:
            yield from self._operator()

    def _change(self, kind: ChangeKind, current: Place | None, baseline: Place | None, **facts: object) -> Change:
        return Change(kind, self.query, current, baseline, **facts)  # type: ignore[arg-type]

    def _function(self) -> Iterator[Change]:
        if self.baseline.function != self.current.function:
            yield self._change(
                ChangeKind.RANK_FUNCTION_CHANGED,
                self.current.function_place or self.current.place,
                self.baseline.function_place or self.baseline.place,
                subject="ranking function",
                baseline_text=self.baseline.function,
                current_text=self.current.function,
            )

    def _partition(self) -> Iterator[Change]:
        keys = self.baseline.partition, self.current.partition
        clauses = PartitionClauses(None, None, self.current.partition_place or self.current.place)
        yield from partition_changes(self.query, *keys, clauses, self.locator)

    def _order(self) -> Iterator[Change]:
        baseline_order, current_order = self.baseline.order, self.current.order
        if baseline_order == current_order:
            return
        if len(baseline_order) == len(current_order) == 1:
            yield self._order_change(
                baseline_order[0], current_order[0], self.baseline.order_place, self.current.order_place
            )
            return
        diff = compare(baseline_order, current_order, (_same_expression, either))
        for was, now in diff.modified:
            yield self._order_change(was, now, was.place, now.place)
        for element in diff.added:
            yield self._order_change(None, element, None, element.place)
        for element in diff.removed:
            yield self._order_change(element, None, element.place, self.current.order_place)
        if diff.reordered:
            yield self._change(
                ChangeKind.RANK_ORDER_CHANGED,
                self.current.order_place,
                self.baseline.order_place,
                subject=f"ranking order ({names(baseline_order)}) -> ({names(current_order)})",
                baseline_text=names(baseline_order),
                current_text=names(current_order),
            )

    def _order_change(
        self, was: Ordering | None, now: Ordering | None, baseline: Place | None, current: Place | None
    ) -> Change:
        if was is not None and now is not None:
            baseline, current = self.locator.modification(was.expr, now.expr, baseline, current)
        before, after = (str(element) if element is not None else "" for element in (was, now))
        if was is not None and now is not None:
            before, after = distinct_texts(was, now)
        return self._change(
            ChangeKind.RANK_ORDER_CHANGED,
            current,
            baseline,
            removed=now is None,
            subject=f"ranking order {became(before, after)}",
            baseline_text=before,
            current_text=after,
        )

    def _range(self) -> Iterator[Change]:
        if self.baseline.range == self.current.range:
            return
        was, now = self.baseline.range_conditions, self.current.range_conditions
        diff = compare(was, now, (same_use, either))
        baseline, current = self.baseline.range_place, self.current.range_place
        if diff.modified:
            baseline, current = diff.modified[0][0].place or baseline, diff.modified[0][1].place or current
        elif diff.added:
            baseline, current = None, diff.added[0].place or current
        elif diff.removed:
            baseline = diff.removed[0].place or baseline
        yield self._change(
            ChangeKind.RANK_RANGE_CHANGED,
            current,
            baseline,
            removed=bool(diff.removed) and not diff.modified and not diff.added,
            subject="kept ranks",
            baseline_text=rank_words(self.baseline.range),
            current_text=rank_words(self.current.range),
        )

    def _operator(self) -> Iterator[Change]:
        """Written alike, and yet another operator: ORDER BY names a time attribute on one side only, or the rows may
        change on one side only.
        """
        if self.baseline.may_deduplicate or self.current.may_deduplicate:
            key = self.current.order[0].expr
            yield Change(
                ChangeKind.RANK_TIME_UNKNOWN,
                QueryKind.TOP_N,
                self.current.order_place,
                self.baseline.order_place,
                subject=f"ranking by {key}",
                reason=f"the script does not declare whether {key} is a time attribute",
            )
            return
        strategies = {rank.strategy for rank in (self.baseline, self.current)}
        by_time, by_value = "by a time attribute", "by an ordinary column"
        if strategies == {RankStrategy.APPEND_FAST}:
            was_time = isinstance(self.baseline, (Deduplicate, WindowDeduplicate))
            yield self._change(
                ChangeKind.RANK_ORDER_CHANGED,
                self.current.order_place,
                self.baseline.order_place,
                subject=f"ranking order {became(*((by_time, by_value) if was_time else (by_value, by_time)))}",
                baseline_text=by_time if was_time else by_value,
                current_text=by_value if was_time else by_time,
            )
            return
        was, now = (
            "rows that only come" if rank.strategy is RankStrategy.APPEND_FAST else "rows that change"
            for rank in (self.baseline, self.current)
        )
        yield self._change(
            ChangeKind.RANK_INPUT_CHANGED,
            self.current.place,
            self.baseline.place,
            subject=f"{was} -> {now} below the ranking",
            baseline_text=was,
            current_text=now,
        )


_OF_WINDOWS = frozenset(
    {
        ChangeKind.WINDOW_KIND_CHANGED,
        ChangeKind.WINDOW_SIZE_CHANGED,
        ChangeKind.WINDOW_SLIDE_CHANGED,
        ChangeKind.WINDOW_STEP_CHANGED,
        ChangeKind.WINDOW_GAP_CHANGED,
        ChangeKind.WINDOW_OFFSET_CHANGED,
        ChangeKind.WINDOW_TIME_ATTRIBUTE_CHANGED,
        ChangeKind.SESSION_PARTITION_CHANGED,
    }
)


def window_below(change: Change) -> Change:
    """A changed window below a ranking that is not one of its windows: to such a ranking it makes other rows."""
    if change.kind not in _OF_WINDOWS or change.query not in (QueryKind.TOP_N, QueryKind.DEDUPLICATION):
        return change
    words = became(change.baseline_text, change.current_text)
    return replace(change, kind=ChangeKind.RANK_INPUT_CHANGED, subject=f"{change.subject} {words} below the ranking")


def range_on_one_side(rank: Rank, removed: bool, locator: Locator) -> Change | None:
    """The change of a ranking that only numbers rows on the other side, for the condition on the number stands on this
    side alone (``removed``: that of the baseline). ``None`` if there is more to it.
    """
    edited = locator.counterparts.edited_in_baseline if removed else locator.counterparts.edited_in_current
    range_place = rank.range_place
    if rank.place is None or range_place is None or edited(rank.place) or not edited(range_place):
        return None
    limited, unlimited = rank_words(rank.range), rank_words(None)
    return Change(
        ChangeKind.RANK_RANGE_CHANGED,
        rank_kind(rank),
        locator.stood_at(rank.place, rank.place) if removed else range_place,
        range_place if removed else None,
        removed=removed,
        subject="kept ranks",
        baseline_text=limited if removed else unlimited,
        current_text=unlimited if removed else limited,
    )


def _same_expression(baseline: Ordering, current: Ordering) -> bool:
    return baseline.expr == current.expr
