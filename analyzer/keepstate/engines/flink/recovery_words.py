"""Sentences on the end of wrong or missing results after a restart, by the effect of a difference."""

from __future__ import annotations

from keepstate.plan.job import Plan
from keepstate.plan.settings import Settings
from keepstate.report import Effect
from keepstate.state.difference import StateDifference
from keepstate.state.endings import endings
from keepstate.state.stored_operators import StatePart

_SILENTLY = "Nothing in the log says so."
_BY_ID = (
    "The job starts only without this state, which --allowNonRestoredState silently drops; results then count from the "
    "restart."
)
_BY_TYPE = (
    "The job starts only without the savepoint, and results then count from that start; --allowNonRestoredState does "
    "not help."
)
WITHOUT_THIS_STATE = (
    "With --allowNonRestoredState the job starts without this state, unless another finding stops the job."
)
IF_UNWANTED = "If the query is no longer wanted, start with --allowNonRestoredState."
DECLARE_AS_BEFORE = "Restore the declaration, or run the changed query as a second job beside this one."
"""Advice where no rule has one."""


def recovery_words(difference: StateDifference, plan: Plan, number: int | None, settings: Settings) -> str:
    """The end of the results that a difference of the operator ``number`` makes wrong or incomplete; empty where only
    the effect is known.
    """
    if difference.effect is Effect.DOES_NOT_START:
        return _BY_ID if difference.part is StatePart.ID else _BY_TYPE
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
