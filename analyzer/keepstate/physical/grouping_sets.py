"""GROUPING SETS, ROLLUP and CUBE: Flink gives out every row once per set (Expand), with a number that tells the sets.

The number has a bit for each key that a set leaves out, the last key the lowest. It is one more group key, and so a
part of the key of the state (``DecomposeGroupingSetsRule``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, combinations, product

from keepstate.plan.expressions import Expr, GroupingElement, WindowField
from keepstate.plan.operators import Aggregate

Keys = tuple[Expr, ...]
GroupingSet = frozenset[Expr]


@dataclass(frozen=True)
class NumberedSets:
    """The grouping sets of an aggregation by their numbers."""

    sets: frozenset[tuple[int, GroupingSet]]

    @property
    def has_total(self) -> bool:
        """Whether one of them has no keys."""
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
    choices = [_sets(element) for element in operator.elements if not isinstance(element, WindowField)]
    found = [frozenset(chain.from_iterable(parts)) for parts in product(*choices)]
    if len(set(found)) < len(found):
        return None
    return tuple(found) if len(found) > 1 else ()


def _sets(element: Expr) -> list[GroupingSet]:
    if not isinstance(element, GroupingElement):
        return [frozenset() if isinstance(element, WindowField) else frozenset({element})]
    if element.word == "GROUPING SETS":
        return [each for part in element.parts for each in _sets(part)]
    parts = [frozenset(chain.from_iterable(_sets(part))) for part in element.parts]
    if element.word == "ROLLUP":
        return [frozenset(chain.from_iterable(parts[:length])) for length in range(len(parts), -1, -1)]
    if element.word == "CUBE":
        sizes = range(len(parts), -1, -1)
        return [frozenset(chain.from_iterable(some)) for size in sizes for some in combinations(parts, size)]
    return [frozenset(chain.from_iterable(parts))]
