"""Differences of INTERSECT and EXCEPT (UNION is an aggregation over UNION ALL)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from keepstate.diff.changes import Change, ChangeKind, QueryKind, became
from keepstate.diff.edits import Locator
from keepstate.diff.message_parts import names
from keepstate.diff.sequences import at_same_index, compare, one_in_the_other, same_use
from keepstate.plan.expressions import Expr
from keepstate.plan.operators import SetOperation
from keepstate.plan.provenance import Place

Row = tuple[Expr, ...]


@dataclass(frozen=True)
class SetOperationDiff:
    """Compares one set operation of the baseline with its counterpart."""

    baseline: SetOperation
    current: SetOperation
    locator: Locator

    def changes(self) -> Iterator[Change]:
        was, now = self.baseline, self.current
        if was.words != now.words:
            yield self._change(
                ChangeKind.SET_OPERATION_CHANGED,
                now.place,
                was.place,
                subject=f"{was.words} -> {now.words}",
                baseline_text=was.words,
                current_text=now.words,
            )
        if self._is_swapped():
            yield self._change(
                ChangeKind.SET_OPERATION_CHANGED,
                now.place,
                was.place,
                subject=f"inputs of {now.words} swapped",
                baseline_text=was.words,
                current_text=now.words,
            )
            return
        yield from self._columns(was.left_row, now.left_row, was.left_place, now.left_place)
        yield from self._columns(was.right_row, now.right_row, was.right_place, now.right_place)

    def _is_swapped(self) -> bool:
        was, now = self.baseline, self.current
        baseline_sides = (was.left, was.left_row, was.right, was.right_row)
        return (
            baseline_sides
            != (now.left, now.left_row, now.right, now.right_row)
            == (*baseline_sides[2:], *baseline_sides[:2])
        )

    def _columns(self, was: Row, now: Row, baseline: Place | None, current: Place | None) -> Iterator[Change]:
        if was == now:
            return
        diff = compare(was, now, (same_use, one_in_the_other, at_same_index(was, now)))
        for old, new in diff.modified:
            places = self.locator.modification(old, new, old.place, new.place)
            yield self._column(places[1], places[0], str(old), str(new))
        for expr in diff.added:
            yield self._column(self.locator.addition(expr), None, "", str(expr))
        for expr in diff.removed:
            yield self._column(current or self.current.place, self.locator.removal(expr), str(expr), "")
        if diff.reordered and not (diff.added or diff.removed):
            yield self._column(current, baseline, f"({names(was)})", f"({names(now)})")

    def _column(self, current: Place | None, baseline: Place | None, was: str, now: str) -> Change:
        return self._change(
            ChangeKind.SET_OPERATION_COLUMNS_CHANGED,
            current,
            baseline,
            removed=not now,
            subject=became(was, now),
            baseline_text=was,
            current_text=now,
            window=self.current.words,
        )

    def _change(self, kind: ChangeKind, current: Place | None, baseline: Place | None, **facts: object) -> Change:
        return Change(kind, QueryKind.SET_OPERATION, current, baseline, **facts)  # type: ignore[arg-type]
