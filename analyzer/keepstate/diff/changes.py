"""Differences between two versions of a job, in terms of the state layout and without a verdict."""

from __future__ import annotations

from dataclasses import field, replace
from enum import Enum

from keepstate.diff.change_kinds import ChangeKind as ChangeKind
from keepstate.diff.subjects import GENERAL as GENERAL
from keepstate.diff.subjects import QueryKind as QueryKind
from keepstate.plan.hashed_value import HashedValue
from keepstate.plan.provenance import Place
from keepstate.report import ExternalSetting
from keepstate.value_class import value_class


def became(was: str, now: str) -> str:
    """``a -> b``, ``a added`` or ``a removed``.

    >>> became("a", "b"), became("", "b"), became("a", "")
    ('a -> b', 'b added', 'a removed')
    """
    if was and now:
        return f"{was} -> {now}"
    return f"{now} added" if now else f"{was} removed"


class LifetimeChange(Enum):
    """Effect of another time to live on state that was stored under the former one."""

    SWITCHED = "switched"
    """It came or went: state with a time to live is stored in another form than state without one."""
    SWITCHED_BESIDE_TIMERS = "switched beside timers"
    """It came or went at an operator that drops old rows by timers, and stores state in one form either way."""
    LENGTHENED = "lengthened"
    SHORTENED = "shortened"
    UNREADABLE = "unreadable"
    """One of both values is no length of time."""


class Presence(Enum):
    """Sides that have a feature which matters by its presence."""

    ADDED = "added"
    REMOVED = "removed"
    KEPT = "kept"


@value_class(frozen=True)
class Change(HashedValue):
    """One difference of one operator.

    ``current`` and ``baseline`` are the clauses that differ. For a removed part ``current`` is what remains where it
    stood, and ``removed`` is set; for an added part ``baseline`` is ``None``. ``subject`` names the part in a few
    words; ``baseline_text`` and ``current_text`` are its two forms in readable words.
    """

    kind: ChangeKind
    query: QueryKind
    current: Place | None
    baseline: Place | None
    removed: bool = False
    presence: Presence | None = None
    subject: str = ""
    baseline_text: str = ""
    current_text: str = ""
    retyped: bool = False
    """Both forms are written alike: a column that they read has another type."""
    kept_aggregates: tuple[str, ...] = ()
    """Signatures of the aggregates that go on, where that matters."""
    window: str = ""
    """The window whose state it is about, in words."""
    reason: str = ""
    """Reason why the cost is undecidable, if it is not that of the kind of change."""
    advice: str = ""
    """An alternative, where that of the rule does not fit this change."""
    external: ExternalSetting | None = None
    """The setting outside of the SQL that differs: set on one side or on both."""
    tables: frozenset[str] = frozenset()
    """The source tables whose declaration it is about, by the names that the current version reads them under."""
    columns: frozenset[str] = frozenset()
    """The columns of ``tables`` that it is about, where it is about some of them."""
    parameter: str = ""
    """The key of the job parameter that it is about."""
    lifetime: LifetimeChange | None = None
    """Set for a time to live."""
    operators: tuple[int | None, int | None] = field(default=(None, None), compare=False)
    """The operators that it was found at, by their number in the plans of the baseline and of the current version
    (``Plan.operators``).
    """

    def under(self, query: QueryKind) -> Change:
        """The same edit, seen by an operator further up."""
        return replace(self, query=query)

    @property
    def filter_place(self) -> Place | None:
        """Place of the WHERE clause, keyword included, if the filter is the whole of it; else of the condition."""
        place = self.current
        if place is None or self.removed:
            return place
        tokens = place.statement.tokens
        before = [token for token in tokens if token.end <= place.span.start]
        behind = next((token for token in tokens if token.start >= place.span.end), None)
        if not before or before[-1].word != "WHERE" or (behind is not None and behind.word in ("AND", "OR")):
            return place
        return replace(place, span=replace(place.span, start=before[-1].start))
