"""Differences of sorts and limits: keys, numbers, and the rows that they keep (spec section 13, TS and LM)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from keepstate.diff.changes import Change, ChangeKind, QueryKind, became
from keepstate.diff.edits import Locator
from keepstate.diff.message_parts import distinct_texts, names
from keepstate.diff.sequences import at_same_index, compare, one_in_the_other, same_use
from keepstate.plan.expressions import AggregateCall, Column, Expr, Ordering, Unresolved, WindowField
from keepstate.plan.job import Plan
from keepstate.plan.operators import Aggregate, Calc, Limit, TemporalSort
from keepstate.plan.provenance import Place
from keepstate.plan.types.inference import same_row_types

Ordered = TemporalSort | Limit

_ROW_CHANGES = {
    QueryKind.SORT: ChangeKind.SORT_INPUT_CHANGED,
    QueryKind.LIMIT: ChangeKind.LIMIT_INPUT_CHANGED,
}
_ALTERS_ROWS = frozenset(
    {
        ChangeKind.AGGREGATE_ADDED,
        ChangeKind.AGGREGATE_REMOVED,
        ChangeKind.AGGREGATE_CHANGED,
        ChangeKind.AGGREGATES_REORDERED,
        ChangeKind.FIRST_AGGREGATE_ADDED,
        ChangeKind.ALL_AGGREGATES_REMOVED,
        ChangeKind.ALL_AGGREGATES_REPLACED,
        ChangeKind.ONLY_AGGREGATE_CHANGED,
        ChangeKind.DISTINCT_AGGREGATE_ADDED,
        ChangeKind.DISTINCT_AGGREGATE_REMOVED,
        ChangeKind.DISTINCT_AGGREGATE_CHANGED,
        ChangeKind.DISTINCT_AGGREGATES_REORDERED,
        ChangeKind.WINDOW_KEYS_MOVED,
        ChangeKind.WINDOW_PROPERTIES_CHANGED,
    }
)
"""Changes of an operator below that it may survive itself, and that make its rows others."""


@dataclass(frozen=True)
class OrderingDiff:
    """Compares one sort or limit of the baseline with its counterpart."""

    baseline: Ordered
    current: Ordered
    baseline_plan: Plan
    current_plan: Plan
    locator: Locator

    @property
    def query(self) -> QueryKind:
        return QueryKind.LIMIT if isinstance(self.current, Limit) else QueryKind.SORT

    def changes(self) -> Iterator[Change]:
        yield from self._order()
        if isinstance(self.baseline, Limit) and isinstance(self.current, Limit):
            yield from self._numbers(self.baseline, self.current)
        if self._keeps_rows():
            yield from self._row()

    def row_changes_below(self, below: Iterable[Change]) -> Iterator[Change]:
        """Yield the changes of operators below that alter the stored rows."""
        if not self._keeps_rows():
            return
        for change in below:
            if change.kind in _ALTERS_ROWS:
                yield replace(
                    change,
                    kind=self._row_change,
                    query=self.query,
                    subject=f"{_change_words(change)} in {self._name}",
                )

    def rows_differ(self) -> bool:
        """Return whether the stored rows differ. The position of a sort key among the columns does not count (spec
        TS-02).
        """
        keys = {key.expr for key in (*self.baseline.order, *self.current.order)}
        was, now = (_beside(keys, operator) for operator in (self.baseline, self.current))
        return self._keeps_rows() and not (len(was) == len(now) and all(map(_is_same, was, now)))

    @property
    def _name(self) -> str:
        return "the rows of LIMIT" if self.query is QueryKind.LIMIT else "the sorted rows"

    @property
    def _row_change(self) -> ChangeKind:
        current = self.current
        if isinstance(current, TemporalSort) and current.proctime:
            return ChangeKind.PROCTIME_SORT_INPUT_CHANGED
        return _ROW_CHANGES[self.query]

    def _keeps_rows(self) -> bool:
        """Return whether both sides store rows. Where the sort keys differ between the sides, the keys are the
        change.
        """
        return self.baseline.stateful and self.current.stateful

    def _change(self, kind: ChangeKind, current: Place | None, baseline: Place | None, **facts: object) -> Change:
        return Change(kind, self.query, current, baseline, **facts)  # type: ignore[arg-type]

    # Sort keys

    def _order(self) -> Iterator[Change]:
        baseline_order, current_order = self.baseline.order, self.current.order
        if baseline_order == current_order:
            return
        if not baseline_order or not current_order or len(current_order) == 1:
            yield self._order_as_a_whole()
            return
        diff = compare(baseline_order, current_order, (_same_expression, at_same_index(baseline_order, current_order)))
        for was, now in diff.modified:
            places = self.locator.modification(was.expr, now.expr, was.place, now.place)
            yield self._key_change(places[1], places[0], _query_text(was), _query_text(now))
        for key in diff.added:
            yield self._key_change(key.place, None, "", _query_text(key))
        for key in diff.removed:
            yield self._key_change(_order_place(self.current), key.place, _query_text(key), "", removed=True)
        if diff.reordered:
            yield self._order_as_a_whole()

    def _order_as_a_whole(self) -> Change:
        baseline_order, current_order = self.baseline.order, self.current.order
        was, now = _order_place(self.baseline), _order_place(self.current)
        if len(baseline_order) == len(current_order) == 1:
            was, now = self.locator.modification(baseline_order[0].expr, current_order[0].expr, was, now)
        removed = not current_order
        return self._key_change(
            self.current.place if removed else now,
            was,
            _query_text(*baseline_order),
            _query_text(*current_order),
            removed=removed,
        )

    def _key_change(
        self, current: Place | None, baseline: Place | None, was: str, now: str, removed: bool = False
    ) -> Change:
        return self._change(
            ChangeKind.SORT_KEYS_CHANGED,
            current,
            baseline,
            removed=removed,
            subject=f"sort key {became(was, now)}",
            baseline_text=was,
            current_text=now,
        )

    # LIMIT and OFFSET

    def _numbers(self, baseline: Limit, current: Limit) -> Iterator[Change]:
        for kind, word, was, now, was_place, now_place in (
            (
                ChangeKind.LIMIT_CHANGED,
                "LIMIT",
                baseline.fetch,
                current.fetch,
                baseline.fetch_place,
                current.fetch_place,
            ),
            (
                ChangeKind.OFFSET_CHANGED,
                "OFFSET",
                baseline.offset,
                current.offset,
                baseline.offset_place,
                current.offset_place,
            ),
        ):
            if was == now:
                continue
            removed = now_place is None
            yield self._change(
                kind,
                now_place if now_place is not None else current.place,
                was_place,
                removed=removed,
                subject=word,
                baseline_text=f"{word} {was}" if was is not None else f"no {word}",
                current_text=f"{word} {now}" if now is not None else f"no {word}",
            )

    # Rows

    def _row(self) -> Iterator[Change]:
        """Yield columns added, removed or changed. A change of an aggregation below is reported at the aggregation."""
        if not self.rows_differ():
            return
        was_keys, now_keys = _keys_below(self.baseline), _keys_below(self.current)
        reported = {*was_keys, *now_keys} if was_keys != now_keys else set()
        keys = {key.expr for key in (*self.baseline.order, *self.current.order)} - reported
        baseline_row, current_row = (
            [expr for expr in _beside(keys, operator) if expr not in reported and not _is_aggregated(expr)]
            for operator in (self.baseline, self.current)
        )
        diff = compare(
            baseline_row,
            current_row,
            (_same_column, same_use, one_in_the_other, at_same_index(baseline_row, current_row)),
        )
        for was, now in diff.modified:
            if _is_same(was, now):
                continue
            places = self.locator.modification(was, now, was.place, now.place)
            yield self._column_change(places[1], places[0], *distinct_texts(was, now))
        for expr in diff.added:
            yield self._column_change(self.locator.addition(expr), None, "", str(expr))
        for expr in diff.removed:
            remains = self.current_plan.output_place or self.current.place
            yield self._column_change(remains, self.locator.removal(expr), str(expr), "")
        if diff.reordered and not (diff.added or diff.removed):
            before, after = names(self.baseline.row), names(self.current.row)
            yield self._change(
                self._row_change,
                self.current_plan.output_place or self.current.place,
                self.baseline_plan.output_place or self.baseline.place,
                subject=f"columns ({before}) -> ({after}) in {self._name}",
                baseline_text=before,
                current_text=after,
            )

    def _column_change(self, current: Place | None, baseline: Place | None, was: str, now: str) -> Change:
        return self._change(
            self._row_change,
            current,
            baseline,
            removed=not now,
            subject=f"column {became(was, now)} in {self._name}",
            baseline_text=was,
            current_text=now,
        )


def _query_text(*keys: Ordering) -> str:
    """Sort keys as the query writes them: a processing time by the name of its column."""
    texts = (" ".join(key.place.text.split()) if key.place is not None else str(key) for key in keys)
    return ", ".join(texts)


def _order_place(operator: Ordered) -> Place | None:
    return operator.order_place if isinstance(operator, Limit) else operator.place


def _beside(keys: set[Expr], operator: Ordered) -> list[Expr]:
    """The columns of the stored rows without the sort keys; a column that is given beside such a key stays."""
    first = {key: operator.row.index(key) for key in keys if key in operator.row}
    return [expr for index, expr in enumerate(operator.row) if first.get(expr) != index]


def _keys_below(operator: Ordered) -> tuple[Expr, ...]:
    below = operator.input.input if isinstance(operator.input, Calc) else operator.input
    return below.keys if isinstance(below, Aggregate) else ()


def _is_aggregated(expr: Expr) -> bool:
    return any(isinstance(node, (AggregateCall, WindowField)) for node in expr.walk())


def _is_same(was: Expr, now: Expr) -> bool:
    """Return whether two columns of the same row are one column in the state.

    Flink computes an expression above the operator if it can; otherwise the type decides (spec reading C-23).
    """
    return was == now or (_read_by(was) == _read_by(now) != () and same_row_types((was,), (now,)) is True)


def _read_by(expr: Expr) -> tuple[Expr, ...]:
    leaves = (node for node in expr.walk() if isinstance(node, (Column, Unresolved, AggregateCall, WindowField)))
    return tuple(dict.fromkeys(leaves))


def _same_expression(baseline: Ordering, current: Ordering) -> bool:
    return baseline.expr == current.expr


def _same_column(baseline: Expr, current: Expr) -> bool:
    """A column of a table under another type."""
    is_plain = isinstance(baseline, Column) and isinstance(current, Column)
    return is_plain and (baseline.table, baseline.name) == (current.table, current.name)  # type: ignore[attr-defined]


def _change_words(change: Change) -> str:
    """Return what changed below, in a few words."""
    if change.kind is ChangeKind.AGGREGATES_REORDERED:
        return "aggregates reordered"
    if change.removed:
        return f"{change.subject} removed"
    if change.baseline is None:
        return f"{change.subject} added"
    return f"{change.baseline_text} -> {change.current_text}" if change.current_text else change.subject or "columns"
