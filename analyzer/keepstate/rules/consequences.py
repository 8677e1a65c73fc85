"""Consequences of an effect for a restart, where the engine assesses effects (``Assessment``).

A rule describes the change; the words here describe the effect in the engine, with the engine's reason.
"""

from __future__ import annotations

from dataclasses import replace

from keepstate.diff.changes import Change, ChangeKind
from keepstate.diff.subjects import ItemKind
from keepstate.engines.change_facts import KINDS
from keepstate.engines.lookup import kinds_of
from keepstate.engines.profile import Outcome
from keepstate.report import Effect
from keepstate.rules.rule import MessageTemplates

_SECOND_JOB = "Keep this query and run the changed one as a second job beside it until its state has filled."

_CONSEQUENCES = {
    Effect.EXACT: "all state is taken over",
    Effect.STATE_DROPPED: "its state is dropped",
    Effect.STARTS_EMPTY: "it starts empty",
    Effect.UNDETERMINED: "unknown if the state fits",
    Effect.STATE_LOST: "its state is silently lost",
    Effect.DOES_NOT_START: "the job does not start",
    Effect.WRONG_RESULTS: "silently wrong numbers",
}
_RECOVERY = {
    Effect.EXACT: "",
    Effect.STATE_DROPPED: "All other results stay exact.",
    Effect.STARTS_EMPTY: "Results are incomplete for what was open at the restart.",
    Effect.UNDETERMINED: "The start may fail, or results may be wrong; only the restart shows it.",
    Effect.STATE_LOST: "Results count from the restart. Nothing in the log says so.",
    Effect.DOES_NOT_START: "The job starts only without the savepoint, and results then count from that start.",
    Effect.WRONG_RESULTS: "Wrong for as long as the restored state lives. Nothing in the log says so.",
}
"""The end of wrong results where no more is known than the effect."""
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


_REASON_OF_RULE = frozenset({Effect.UNDETERMINED, Effect.DOES_NOT_START})
"""Effects without a reason of the engine, for which the rule has one."""
_FILTERS = kinds_of(ItemKind.FILTER)
_AGGREGATIONS = frozenset({"GroupAggregate", "WindowAggregate", "GroupWindowAggregate"})
_IN_HAVING = "A condition on an aggregate can move behind the state (HAVING); one on keys or window fields cannot."


def outcome_words(outcome: Outcome, change: Change, words: MessageTemplates) -> MessageTemplates:
    """Return the words about a change with this outcome; ``words`` are those of the rule.

    >>> from keepstate.diff.changes import QueryKind
    >>> from keepstate.rules.catalogue import rule_for
    >>> change = Change(ChangeKind.GROUP_KEY_ADDED, QueryKind.GROUP_AGGREGATE, None, None)
    >>> rule = rule_for(change.query, change.kind)
    >>> outcome_words(Outcome(Effect.DOES_NOT_START, "the keys have another type"), change, rule.words).consequence
    'the job does not start; the keys have another type'
    """
    effect, kind = outcome.effect, change.kind
    if effect is Effect.STATE_DROPPED and kind in _DROP_A_PART:
        return words
    if kind is ChangeKind.QUERY_REFUSED:
        return replace(words, consequence=f"{_CONSEQUENCES[effect]}; {outcome.reason}")
    consequence = _CONSEQUENCES[effect]
    if outcome.reason:
        consequence = f"{consequence}; {outcome.reason}"
    elif effect in _REASON_OF_RULE and (reason := words.consequence.partition("; ")[2]):
        consequence = f"{consequence}; {reason}"
    own = KINDS[kind].advice if effect not in (Effect.EXACT, Effect.STATE_DROPPED) else ""
    if own and kind in _FILTERS and outcome.clause in _AGGREGATIONS:
        own = f"{own} {_IN_HAVING}"
    if effect is Effect.UNDETERMINED and not outcome.reason:
        # Nothing is known of the engine, so the advice is that of the kind of change.
        own = own or words.advice
    own = outcome.advice or change.advice or own
    return MessageTemplates(words.change, consequence, outcome.until or _RECOVERY[effect], own or _ADVICE[effect])
