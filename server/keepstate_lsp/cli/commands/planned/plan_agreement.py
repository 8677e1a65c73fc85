"""The agreement of a comparison of plans with the built-in model."""

from __future__ import annotations

from keepstate.report import Effect
from keepstate_flink.plans.plan_comparison import Decision, PlanComparison

_AGREEING = {
    Decision.EQUAL: {Effect.EXACT},
    Decision.STARTS: frozenset(Effect) - {Effect.DOES_NOT_START},
    Decision.DOES_NOT_START: {Effect.DOES_NOT_START},
}
_NO_ROWS = {"timers", "watermark"}
"""States whose loss takes no row away."""
_CLEANUP = "CleanupTime"
"""The end of the names of states that an OVER window has only while the time to live is set."""


def agrees(comparison: PlanComparison, predicted: Effect) -> bool | None:
    """Return whether plans and model agree; ``None`` where one of them says nothing."""
    if comparison.decision is Decision.NOT_DECIDED or predicted is Effect.UNDETERMINED:
        return None
    if comparison.decision is Decision.STARTS and predicted is Effect.EXACT:
        unread = {state for operator in comparison.operators for state in operator.unread}
        return all(state in _NO_ROWS or state.endswith(_CLEANUP) for state in unread)
    return predicted in _AGREEING[comparison.decision]
