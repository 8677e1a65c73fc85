"""Differences of the keys by which OVER windows, rankings and patterns keep their state apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from keepstate.diff.changes import Change, ChangeKind, QueryKind
from keepstate.diff.edits import Locator
from keepstate.diff.message_parts import distinct_texts
from keepstate.diff.sequences import compare, one_in_the_other, same_use
from keepstate.plan.expressions import Expr, WindowField
from keepstate.plan.provenance import Place


@dataclass(frozen=True)
class PartitionClauses:
    """Clauses of the partition keys on both sides: the whole clause, or ``None`` if each key has a place of its own.

    ``gap`` is the place of a removed key.
    """

    baseline: Place | None
    current: Place | None
    gap: Place | None


def partition_changes(
    query: QueryKind, baseline: Sequence[Expr], current: Sequence[Expr], clauses: PartitionClauses, locator: Locator
) -> Iterator[Change]:
    """Yield the differences of the partition keys. Their order does not count: the keys are a set (spec C-04)."""
    diff = compare(baseline, current, (same_use, one_in_the_other, _took_the_place))
    for was, now in diff.modified:
        baseline_place, current_place = locator.modification(
            was, now, clauses.baseline or was.place, clauses.current or now.place
        )
        yield Change(
            ChangeKind.PARTITION_KEY_CHANGED,
            query,
            current_place,
            baseline_place,
            subject=f"partition key {was}",
            baseline_text=distinct_texts(was, now)[0],
            current_text=distinct_texts(was, now)[1],
        )
    for key in diff.added:
        place = clauses.current or key.place
        yield Change(ChangeKind.PARTITION_KEY_ADDED, query, place, None, subject=f"partition key {key}")
    for key in diff.removed:
        place = clauses.baseline or key.place
        yield Change(
            ChangeKind.PARTITION_KEY_REMOVED, query, clauses.gap, place, removed=True, subject=f"partition key {key}"
        )


def _took_the_place(baseline: Expr, current: Expr) -> bool:
    """One key went and another one came; a field of the window is no key like others."""
    return not isinstance(baseline, WindowField) and not isinstance(current, WindowField)
