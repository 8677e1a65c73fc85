"""Consequences of an effect for a restart, where the engine assesses effects (``Assessment``).

A rule describes the change; the words here describe the effect in the engine, with the engine's reason.
"""

from __future__ import annotations

from keepstate.diff.changes import ChangeKind
from keepstate.engines.table import KINDS
from keepstate.report import Effect
from keepstate.rules.rule import Words

_SECOND_JOB = "Leave this query as it is and run the changed one as a second job beside it until its state has filled."

_CONSEQUENCES = {
    Effect.EXACT: "all state is taken over",
    Effect.STATE_DROPPED: "its state is dropped",
    Effect.STARTS_EMPTY: "it starts empty",
    Effect.UNDETERMINED: "unknown if the state fits",
    Effect.STATE_LOST: "the job starts as if it had no state",
    Effect.DOES_NOT_START: "the job does not start",
    Effect.WRONG_RESULTS: "silently wrong numbers",
}
_RECOVERY = {
    Effect.EXACT: "",
    Effect.STATE_DROPPED: "All other results stay exact.",
    Effect.STARTS_EMPTY: "Results are incomplete for what was open at the restart.",
    Effect.UNDETERMINED: "The start may fail, or results may be wrong; only the restart shows it.",
    Effect.STATE_LOST: "Results count from the restart; nothing in the log says so.",
    Effect.DOES_NOT_START: (
        "Without the savepoint it starts empty. --allowNonRestoredState makes it start only where an operator id is "
        "gone, and drops that state without a word; a state of another type is refused all the same."
    ),
    Effect.WRONG_RESULTS: (
        "Numbers are wrong for as long as the restored state lives, and nothing in the log says so: a window until it "
        "closes, an unbounded state until its time to live has passed, or for ever."
    ),
}
_ADVICE = {
    Effect.EXACT: "",
    Effect.STATE_DROPPED: "Nothing to do, if it is no longer wanted.",
    Effect.STARTS_EMPTY: "If it must be exact from the first row, run it as a second job from the beginning.",
    Effect.UNDETERMINED: "Try the restart with a copy of the savepoint first.",
    Effect.STATE_LOST: _SECOND_JOB,
    Effect.DOES_NOT_START: _SECOND_JOB,
    Effect.WRONG_RESULTS: f"Do not restart from the savepoint. {_SECOND_JOB}",
}
_DROP_A_PART = frozenset({ChangeKind.STATE_TTL_SHORTENED})
"""Changes that drop a part of a state, in every engine alike: their rules say which part."""


def outcome_words(effect: Effect, reason: str, kind: ChangeKind, words: Words) -> Words:
    """Return the words about a change with this effect; ``words`` are those of the rule."""
    if effect is Effect.STATE_DROPPED and kind in _DROP_A_PART:
        return words
    consequence = f"{_CONSEQUENCES[effect]}; {reason}" if reason else _CONSEQUENCES[effect]
    own = KINDS[kind].advice if effect not in (Effect.EXACT, Effect.STATE_DROPPED) else ""
    return Words(words.change, consequence, _RECOVERY[effect], own or _ADVICE[effect])
