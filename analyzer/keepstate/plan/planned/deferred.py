"""The plan of a query, made when it is asked for: most queries are only found to be what they were."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

from keepstate.syntax.memo import recent

P = TypeVar("P")
R = TypeVar("R")
_RESULTS = 4


class EquivalenceClass(Generic[P]):
    """Queries that are equal in some respect: a plan of one of them, and results that all of them have."""

    __slots__ = ("__weakref__", "plan", "results")

    def __init__(self) -> None:
        self.plan: P | None = None
        self.results: dict[Hashable, Any] = {}
        """The last of these results by their keys."""

    def get_or_compute(self, key: Hashable, compute: Callable[[], R]) -> R:
        """Return the result of ``compute``, kept under ``key`` beside the few that were asked for last."""
        result: R = recent(self.results, key, _RESULTS, compute)
        return result


class DeferredPlan(Generic[P]):
    """A plan that ``make`` makes once. Those with the same ``wording`` are equal in all but places, those with the same
    ``meaning`` are equal values. ``storage`` is ``None`` or a class of queries that may be stored alike.

    >>> plans = [DeferredPlan(lambda text=text: [text]) for text in ("a", "a", "b")]
    >>> plans[0] == plans[1], plans[0] == plans[2], plans[0].means(plans[1])
    (True, False, False)
    """

    __slots__ = ("__weakref__", "_make", "_plan", "meaning", "storage", "wording")

    def __init__(
        self,
        make: Callable[[], P],
        wording: EquivalenceClass[P] | None = None,
        meaning: EquivalenceClass[P] | None = None,
        storage: EquivalenceClass[P] | None = None,
    ) -> None:
        self._make: Callable[[], P] | None = make
        self._plan: P | None = None
        self.wording: EquivalenceClass[P] = wording if wording is not None else EquivalenceClass()
        self.meaning = meaning if meaning is not None else self.wording
        self.storage = storage

    @property
    def plan(self) -> P:
        """The plan, with places in the statements that it is made of."""
        if self._make is not None:
            self._plan = self._make()
            self._make = None
            for shared in (self.wording, self.meaning):
                if shared.plan is None:
                    shared.plan = self._plan
        plan: P = self._plan  # type: ignore[assignment]
        return plan

    @property
    def equivalent_plan(self) -> P:
        """An equal plan. Its places may be in former texts of the statements, so it serves where no place counts."""
        if self._plan is not None:
            return self._plan
        plan = self.wording.plan if self.wording.plan is not None else self.meaning.plan
        return plan if plan is not None else self.plan

    def says_as(self, other: DeferredPlan[P]) -> bool:
        """Return whether another plan is known to be equal by what the statements say."""
        return self.wording is other.wording or self.meaning is other.meaning

    def means(self, other: DeferredPlan[P]) -> bool:
        """Return whether another plan is known to be equal; if it is not, the plans may still be."""
        if self is other or self.wording is other.wording or self.meaning is other.meaning:
            return True
        return self._make is None and other._make is None and self._plan is other._plan

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DeferredPlan):
            return False
        # Asked for each query at each keystroke.
        says_the_same = self.wording is other.wording or self.meaning is other.meaning
        return says_the_same or self.means(other) or self.plan == other.plan

    def __hash__(self) -> int:
        return hash(self.equivalent_plan)
