"""GROUPING SETS, ROLLUP and CUBE: Flink emits every row once per set (Expand), with the number of the set.

The number has a bit for each key that a set leaves out, the last key the lowest. It is one more group key, and so a
part of the key of the state (``DecomposeGroupingSetsRule``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from keepstate.plan.clauses.grouping_sets import GroupingSet, sets_of
from keepstate.plan.expressions import Expr, WindowField
from keepstate.plan.operators import Aggregate

Keys = tuple[Expr, ...]


@dataclass(frozen=True)
class NumberedSets:
    """The grouping sets of an aggregation by their numbers."""

    sets: frozenset[tuple[int, GroupingSet]]

    @property
    def has_total(self) -> bool:
        """Return whether one of the grouping sets has no keys."""
        return any(not each for _, each in self.sets)

    @staticmethod
    def of(sets: Sequence[GroupingSet], keys: Keys) -> NumberedSets:
        """``keys`` are all group keys in the order of the physical plan."""
        bits = {key: 1 << place for place, key in enumerate(reversed(keys))}
        return NumberedSets(frozenset((sum(bits[key] for key in keys if key not in each), each) for each in sets))


def grouping_sets(operator: Aggregate) -> tuple[GroupingSet, ...] | None:
    """The sets of an aggregation, its window left out. Empty if it has a single one, which is like none; ``None`` if
    one occurs twice, which Flink does not plan.
    """
    if not operator.grouping:
        return ()
    sets = [frozenset(key for key in each if not isinstance(key, WindowField)) for each in sets_of(operator.elements)]
    if len(set(sets)) < len(sets):
        return None
    return tuple(sets) if len(sets) > 1 else ()
