"""Sentences on the end of wrong or missing results after a restart, by the effect of a difference."""

from __future__ import annotations

from keepstate.plan.job import Plan
from keepstate.plan.settings import Settings
from keepstate.report import Effect
from keepstate.state.difference import Difference
from keepstate.state.endings import endings
from keepstate.state.stored import Part

_SILENTLY = "Nothing in the log says so."
_BY_ID = (
    "Until it starts without this state: --allowNonRestoredState drops it without a word, and results count from the "
    "restart."
)
_BY_TYPE = (
    "Until it starts without the savepoint (--allowNonRestoredState does not help against state of another type): "
    "results count from that start."
)


def healing_words(difference: Difference, plan: Plan, number: int | None, settings: Settings) -> str:
    """The end of the results that a difference of the operator ``number`` makes wrong or incomplete; empty where only
    the effect is known.
    """
    if difference.effect is Effect.DOES_NOT_START:
        return _BY_ID if difference.part is Part.ID else _BY_TYPE
    reached = endings(plan, number, settings)
    if not reached:
        return ""
    match difference.effect:
        case Effect.WRONG_RESULTS:
            return f"{max(reached, key=lambda ending: ending.order).wrong} {_SILENTLY}"
        case Effect.STATE_LOST:
            return f"{reached[0].empty} {_SILENTLY}"
        case Effect.STARTS_EMPTY:
            return reached[0].empty
    return ""
