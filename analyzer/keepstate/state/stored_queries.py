"""Stored state of a whole query in an engine, and of two versions of a query."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from keepstate.state.difference import StateDifference
from keepstate.state.stored_operators import StoredOperator

Numbers = tuple[int | None, int | None]
"""The numbers of an operator in the plans of the baseline and of the current version."""


@dataclass(frozen=True)
class AddedOperator:
    """An operator with state that the engine plans beside one of the query: right above it, or right below."""

    stored_operator: StoredOperator
    beside: int
    below: bool = False


@dataclass(frozen=True)
class StoredQuery:
    """``operators`` have the numbers of those of the plan, ``added`` are in no plan of Keepstate; the lowest first.

    ``removals`` are the reasons for which the engine plans an operator of the plan not at all, by its number.
    """

    operators: Mapping[int, StoredOperator] = field(default_factory=dict)
    added: tuple[AddedOperator, ...] = ()
    removals: Mapping[int, str] = field(default_factory=dict)

    def operator(self, number: int | None) -> StoredOperator | None:
        """Return the stored operator with a number; ``None`` if there is none."""
        if number is None or number in self.operators:
            return self.operators.get(number) if number is not None else None
        return next((one.stored_operator for one in self.added if one.stored_operator.number == number), None)


OFFSETS = "offsets"
"""Title of the state of a source."""


@dataclass(frozen=True)
class StoredDifference:
    """A difference in the state of the operator ``numbers``.

    If several stored operators are planned for it, ``titles`` select one on either side; ``OFFSETS`` stands for a
    source. ``is_moved`` is set if the cause is another id.
    """

    numbers: Numbers
    titles: tuple[str, str]
    difference: StateDifference
    is_moved: bool = False


@dataclass(frozen=True)
class StoredPair:
    """Two versions of a query; one is ``None`` for a query that came or went.

    ``counterparts`` are the operators whose state goes from the one to the other, and ``differences`` all that differs
    and costs anything; both are ``None`` for an engine whose format is not known, where the plans say it.
    """

    baseline: StoredQuery | None
    current: StoredQuery | None
    counterparts: tuple[Numbers, ...] | None = None
    differences: tuple[StoredDifference, ...] | None = None
